"""Files of AsyncTool problems: accepted documents, and errors with their fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis.cli import app
from planoracle.instances.benchmarks.asynctool import problem_model
from planoracle.instances.benchmarks.asynctool import problems as sets
from planoracle.instances.benchmarks.asynctool.problem_model import MAX_DELAY, AsyncToolProblem, Call, Delays, family_of
from planoracle.instances.benchmarks.asynctool.problems import json_schema, recognises, to_document
from planoracle.instances.benchmarks.asynctool.problems import read as read_document
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog

HEAD = {"format": "planoracle/asynctool", "version": 1}
SORT = {"id": "a", "family": "text", "ground_truth": ["sort_words(text='b a')"]}
MOVE_DOCUMENT = {
    "name": "move_entry",
    "description": "Move a file of the current folder.",
    "parameters": {
        "type": "dict",
        "properties": {"name": {"type": "string"}, "target": {"type": "string", "description": "Where to."}},
        "required": ["name", "target"],
    },
    "response": {"type": "dict", "properties": {"result": {"type": "string"}}},
}


def document(*tasks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return HEAD | {"name": "mine", "tasks": list(tasks) or [SORT]} | more


def read(content: Any, **more: Any) -> AsyncToolProblem:
    (instance,) = read_document(content if "format" in content else document(content, **more), "k.json")
    assert instance.benchmark == "asynctool"
    return problem_model.problem_of(instance)


def write(folder: Path, content: Any) -> str:
    path = folder / "k.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


# --- valid documents ------------------------------------------------------------------------------


def test_tool_documents_define_offered_tools_and_parameter_order() -> None:
    task = {
        "id": "a",
        "family": "files",
        "initial": {"root": {"g": "x"}},
        "tools": ["read_file", MOVE_DOCUMENT],
        "ground_truth": ["read_file('g')", "move_entry('g', 'h')", "move_entry('h', target='i')"],
    }
    sub_task = read(task).tasks[0]
    assert sub_task.documents == {"read_file": family_of("files").documents()["read_file"], "move_entry": MOVE_DOCUMENT}
    assert [call.params for call in sub_task.reference_calls[1:]] == [
        {"name": "g", "target": "h"},
        {"name": "h", "target": "i"},
    ]


def test_all_tools_of_the_family_are_offered_by_default() -> None:
    assert read(SORT).tasks[0].documents == family_of("text").documents()
    assert read(SORT | {"tools": ["sort_words"]}).tasks[0].documents.keys() == {"sort_words"}


def test_task_without_family_offers_names_of_reference_calls() -> None:
    task = {"id": "a", "ground_truth": ["f(a=1)", "g()", "f(a=2)"]}
    sub_task = read(task | {"family": None}).tasks[0]
    assert sub_task == read(task).tasks[0]
    assert sub_task.documents == {"f": {"name": "f"}, "g": {"name": "g"}}
    assert (sub_task.solved.results, sub_task.solved.state, sub_task.question, sub_task.initial) == (
        (None,) * 3,
        {},
        "",
        {},
    )
    offered = [{"name": "f", "parameters": {"properties": {"a": {}, "b": {}}}}, "g", {"name": "h", "parameters": None}]
    sub_task = read(task | {"tools": offered, "ground_truth": ["f(1, 2)"]}).tasks[0]
    assert sub_task.reference_calls == (Call("f", {"a": 1, "b": 2}),)
    assert list(sub_task.documents) == ["f", "g", "h"]


@pytest.mark.parametrize(
    ("given_delay", "delays"),
    [
        (None, Delays()),
        (0, Delays(0, 0)),
        (MAX_DELAY, Delays(1000, 1000)),
        ({}, Delays(1, 1)),
        ({"least": 0}, Delays(0, 0)),
        ({"least": 0, "most": 1}, Delays(0, 1)),
        ({"least": 1, "most": 2, "seed": 7}, Delays(1, 2, 7)),
        ({"seed": -3}, Delays(1, 1, -3)),
        ({"tools": {"sort_words": 0, "unused": 9}}, Delays(1, 1, 0, {"sort_words": 0, "unused": 9})),
    ],
)
def test_delays_are_read_and_written_back(given_delay: Any, delays: Delays) -> None:
    problem = read(document(SORT, **({} if given_delay is None else {"delay": given_delay})))
    assert problem.delays == delays
    assert read(to_document(problem)) == problem


def test_file_with_several_problems_is_read(tmp_path: Path) -> None:
    problems = [{"name": name, "tasks": [SORT | {"id": name}], "delay": delay} for delay, name in enumerate("xyz")]
    path = write(tmp_path, HEAD | {"problems": problems})
    assert [one.name for one in catalog.read_problems(path)] == ["x", "y", "z"]
    (one,) = catalog.read_problems(f"{path}#y")
    assert (one.name, one.origin.delays, one.tasks) == ("y", Delays(1, 1), ("y", "closing"))
    assert catalog.expand([f"{path}#y", path]) == [f"{path}#y", path]
    for wrong in ("#", "#X", "#x ", "#xy"):
        with pytest.raises(UnknownNameError, match="the file contains no problem of this name"):
            catalog.read_problems(path + wrong)


def test_format_is_recognised() -> None:
    assert recognises(document())
    for other in (None, [], "planoracle/asynctool", {}, {"format": None}, {"format": "planoracle/instance"}):
        assert not recognises(other)


# --- faults ---------------------------------------------------------------------------------------


def task(**more: Any) -> dict[str, Any]:
    return document(SORT | more)


def files(initial: Any) -> dict[str, Any]:
    return document({"id": "a", "family": "files", "initial": initial, "ground_truth": ["make_folder(name='x')"]})


FIRST_TASK = "tasks[0]"
FAULTS = {
    "version": ["version", 2, document(version=2)],
    "version as text": ["version", "1", document(version="1")],
    "version as a truth value": ["version", True, document(version=True)],
    "version with a point": ["version", 1.0, document(version=1.0)],
    "unknown key": ["x", 1, document(x=1)],
    "no name": ["name", "", document(name="")],
    "name": ["name", 5, document(name=5)],
    "no tasks": ["tasks", [], document(tasks=[])],
    "tasks": ["tasks", {}, document(tasks={})],
    "no task": [FIRST_TASK, 5, document(tasks=[5])],
    "delay": ["delay", "1", document(delay="1")],
    "delay with a point": ["delay", 1.0, document(delay=1.0)],
    "delay as a truth value": ["delay", True, document(delay=True)],
    "delay null": ["delay", None, document(delay=None)],
    "negative delay": ["delay", -1, document(delay=-1)],
    "long delay": ["delay", 1001, document(delay=1001)],
    "negative least": ["delay.least", -1, document(delay={"least": -1})],
    "long most": ["delay.most", 1001, document(delay={"most": 1001})],
    "range": ["delay.most", 1, document(delay={"least": 2, "most": 1})],
    "range, default least": ["delay.most", 0, document(delay={"most": 0})],
    "seed": ["delay.seed", "7", document(delay={"seed": "7"})],
    "delay key": ["delay.often", 1, document(delay={"often": 1})],
    "tool delay": ["delay.tools.f", -1, document(delay={"tools": {"f": -1}})],
    "long tool delay": ["delay.tools.f", 1001, document(delay={"tools": {"f": 1001}})],
    "tool delay as text": ["delay.tools.f", "1", document(delay={"tools": {"f": "1"}})],
    "no id": [f"{FIRST_TASK}.id", "", task(id="")],
    "long id": [f"{FIRST_TASK}.id", "x" * 101, task(id="x" * 101)],
    "id": [f"{FIRST_TASK}.id", 5, task(id=5)],
    "id with a slash": [f"{FIRST_TASK}.id", "a/b", task(id="a/b")],
    "id with a line": [f"{FIRST_TASK}.id", "a\n", task(id="a\n")],
    "id with a surrogate": [f"{FIRST_TASK}.id", "\ud800", task(id="\ud800")],
    "id twice": ["tasks[1].id", "a", document(SORT, SORT)],
    "question": [f"{FIRST_TASK}.question", None, task(question=None)],
    "task key": [f"{FIRST_TASK}.delay", 1, task(delay=1)],
    "no reference calls": [f"{FIRST_TASK}.ground_truth", [], task(ground_truth=[])],
    "reference calls null": [f"{FIRST_TASK}.ground_truth", None, task(ground_truth=None)],
    "reference calls": [f"{FIRST_TASK}.ground_truth", "f()", task(ground_truth="f()")],
    "reference call": [f"{FIRST_TASK}.ground_truth[1]", 5, task(ground_truth=["f()", 5])],
    "reference call text": [f"{FIRST_TASK}.ground_truth[0]", "f(a=b)", task(ground_truth=["f(a=b)"])],
    "reference call number": [f"{FIRST_TASK}.ground_truth[0]", "f(a=1e999)", task(ground_truth=["f(a=1e999)"])],
    "reference call by position": [
        f"{FIRST_TASK}.ground_truth[0]",
        "sort_words('a', 'b')",
        task(ground_truth=["sort_words('a', 'b')"]),
    ],
    "reference call of no tool": [f"{FIRST_TASK}.ground_truth[0]", "f(a=1)", task(ground_truth=["f(a=1)"])],
    "reference call not offered": [
        f"{FIRST_TASK}.ground_truth[0]",
        SORT["ground_truth"][0],
        task(tools=["join_numbers"]),
    ],
    "reference call, none offered": [f"{FIRST_TASK}.ground_truth[0]", SORT["ground_truth"][0], task(tools=[])],
    "reference call that fails": [
        f"{FIRST_TASK}.ground_truth[1]",
        "sort_words(text=1)",
        task(ground_truth=["sort_words(text='a')", "sort_words(text=1)"]),
    ],
    "family": [f"{FIRST_TASK}.family", "nope", task(family="nope")],
    "family type": [f"{FIRST_TASK}.family", 5, task(family=5)],
    "family path": [f"{FIRST_TASK}.family", "../files", task(family="../files")],
    "family attribute": [f"{FIRST_TASK}.family", "base", task(family="base")],
    "tools": [f"{FIRST_TASK}.tools", "sort_words", task(tools="sort_words")],
    "tool": [f"{FIRST_TASK}.tools[1]", 5, task(tools=["sort_words", 5])],
    "unknown tool": [f"{FIRST_TASK}.tools[0]", "nope", task(tools=["nope"])],
    "unknown tool document": [f"{FIRST_TASK}.tools[0]", "nope", task(tools=[{"name": "nope"}])],
    "nameless tool": [f"{FIRST_TASK}.tools[0]", None, task(tools=[{}])],
    "parameters": [f"{FIRST_TASK}.tools[0].parameters", [1], task(tools=[{"name": "sort_words", "parameters": [1]}])],
    "properties": [
        f"{FIRST_TASK}.tools[0].parameters",
        {"properties": ["text"]},
        task(tools=[{"name": "sort_words", "parameters": {"properties": ["text"]}}]),
    ],
    "initial": [f"{FIRST_TASK}.initial", [], task(initial=[])],
    "initial key": [f"{FIRST_TASK}.initial.x", 1, task(initial={"x": 1})],
    "initial missing": [f"{FIRST_TASK}.initial.root", None, files({})],
    "initial value": [f"{FIRST_TASK}.initial.root", "x", files({"root": "x"})],
    "problems": ["problems", [], HEAD | {"problems": []}],
    "problems null": ["problems", None, HEAD | {"problems": None}],
    "second problem": [
        "problems[1].tasks[0].family",
        "nope",
        HEAD | {"problems": [{"name": "a", "tasks": [SORT]}, {"name": "b", "tasks": [SORT | {"family": "nope"}]}]},
    ],
}


@pytest.mark.parametrize(("field", "value", "content"), FAULTS.values(), ids=FAULTS)
def test_error_names_source_field_and_value(tmp_path: Path, field: str, value: Any, content: Any) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        catalog.read_problems(path)
    error = caught.value
    assert (error.source, error.field, error.value) == (path, field, value)
    assert type(error.value) is type(value)
    assert str(error).startswith(f"{error.place}: {field}: ")
    assert len(str(error)) < 500 + len(path)


def test_missing_field_is_reported() -> None:
    for field, content in (
        ("name", HEAD | {"tasks": [SORT]}),
        ("tasks", HEAD | {"name": "n"}),
        ("version", {"format": HEAD["format"], "name": "n", "tasks": [SORT]}),
        ("tasks[0].id", document({"ground_truth": ["f()"]})),
        ("tasks[0].initial.root", files({})),
    ):
        with pytest.raises(InputError) as caught:
            read_document(content, "k.json")
        assert str(caught.value).removesuffix(" (and 1 more)") == f"k.json: {field}: is missing"


def test_error_in_nested_initial_state_names_its_field() -> None:
    with pytest.raises(InputError) as caught:
        read_document(files({"root": {"a": {"b": 5}}}), "k.json")
    assert caught.value.field is not None
    assert caught.value.field.startswith("tasks[0].initial.root.a")
    assert caught.value.value in (5, {"b": 5})


# --- writing --------------------------------------------------------------------------------------


def round_trip(problem: AsyncToolProblem) -> AsyncToolProblem:
    return read(json.loads(json.dumps(to_document(problem))))


@pytest.mark.slow
@pytest.mark.parametrize("delay", sample(["", "@0", "@2", "@0-1", "@1-2:7"]))
def test_bundled_problems_are_equal_after_writing_and_reading(delay: str) -> None:
    for name in sets.names()[:: 7 if delay else 1]:
        assert round_trip(sets.problem(name + delay)) == sets.problem(name + delay)


def test_custom_tool_documents_are_preserved() -> None:
    content = SORT | {"tools": [{"name": "sort_words", "description": "My own words."}, "join_numbers"]}
    problem = read(content)
    assert problem.tasks[0].documents["sort_words"] == content["tools"][0]
    assert round_trip(problem) == problem


def test_json_schema_has_all_fields_of_documents() -> None:
    schema = json_schema()
    assert schema == json.loads(CliRunner().invoke(app, ["instances", "--schema", "asynctool"]).stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert schema["required"] == ["name", "tasks", "format", "version"]
    assert {"type": "integer"} in schema["properties"]["delay"]["anyOf"]
    assert schema["properties"].keys() == to_document(sets.problem("asynctool/cross2/01")).keys() | {"$schema"}
    assert all(part["additionalProperties"] is False for part in (schema, *schema["$defs"].values()))
