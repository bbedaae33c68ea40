"""File format of scheduling problems: reading, writing, and error messages."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.instance_file import instance_from_document, json_schema, to_document
from planoracle.instances.files.strict_json import load_document, load_json, read_bytes
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from tests.strategies import instances
from tests.support.line_counter import count_lines

FULL: dict[str, Any] = {
    "format": "planoracle/instance",
    "version": 1,
    "name": "kitchen",
    "unit": "minute",
    "seconds_per_tick": 60,
    "agents": ["cook", "help"],
    "resources": [{"name": "oven", "state": "cold"}, {"name": "pan", "capacity": 2}],
    "time_limit": 99,
    "tasks": [
        {
            "name": "pie",
            "actions": [
                {"name": "chop", "label": "chop it", "duration": 3, "interruptible": True},
                {"name": "heat", "duration": 5, "attended": 0, "uses": [{"resource": "oven", "sets": "hot"}]},
                {
                    "name": "bake",
                    "duration": 9,
                    "attended": 1,
                    "release": 2,
                    "agents": ["cook"],
                    "modes": [
                        {"name": "in oven", "uses": [{"resource": "oven", "requires": "hot"}]},
                        {"uses": [{"resource": "pan", "amount": 2}]},
                    ],
                    "after": ["chop", {"action": "tea/boil", "min_lag": 1, "max_lag": 4}],
                },
            ],
        },
        {"name": "tea", "actions": [{"name": "boil", "duration": 4, "agents": [], "after": []}]},
    ],
}


def ascii_start(value: Any) -> str:
    return ascii(value)[:30]


def read_file(path: Path | str) -> Instance:
    name = str(path)
    return instance_from_document(load_document(read_bytes(name), name).value, name)


def read(document: Any) -> Instance:
    return instance_from_document(document, "k.json")


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    document = copy.deepcopy(FULL)
    place: Any = document
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = to
    return document


def step(*path: str | int, to: Any) -> dict[str, Any]:
    return changed("tasks", 0, "actions", *path, to=to)


def test_every_field_is_read() -> None:
    assert read(FULL) == Instance(
        name="kitchen",
        actions=(
            Action("pie/chop", "pie", 3, 3, interruptible=True, label="chop it"),
            Action("pie/heat", "pie", 5, 0, modes=(Mode((Demand("oven", sets="hot"),)),)),
            Action(
                "pie/bake",
                "pie",
                9,
                1,
                modes=(Mode((Demand("oven", requires="hot"),), "in oven"), Mode((Demand("pan", 2),))),
                agents=("cook",),
                release=2,
            ),
            Action("tea/boil", "tea", 4, 0, agents=()),
        ),
        lags=(Lag("pie/chop", "pie/bake"), Lag("tea/boil", "pie/bake", 1, 4)),
        resources=(Resource("oven", 1, "cold"), Resource("pan", 2)),
        agents=("cook", "help"),
        unit="minute",
        seconds_per_tick=60,
        time_limit=99,
    )


@given(instances())
@pytest.mark.slow
def test_written_instance_reads_back_equal(instance: Instance) -> None:
    text = json.dumps(to_document(instance))
    assert read(load_json(text, "k.json")) == instance


@pytest.mark.parametrize(
    ("ids", "lags", "read_ids", "read_lags"),
    [
        (("t/a", "u/a", "t/b"), (), ("t/a", "t/b", "u/a"), ()),
        (
            ("t/a", "t/b", "t/c"),
            (Lag("t/a", "t/c"), Lag("t/a", "t/b")),
            ("t/a", "t/b", "t/c"),
            (Lag("t/a", "t/b"), Lag("t/a", "t/c")),
        ),
    ],
    ids=["tasks interleaved", "lags in another order"],
)
def test_actions_and_lags_are_written_in_file_order(
    ids: tuple[str, ...], lags: tuple[Lag, ...], read_ids: tuple[str, ...], read_lags: tuple[Lag, ...]
) -> None:
    actions = {name: Action(name, name[0], 1, 1) for name in ids}
    instance = read(to_document(Instance("k", tuple(actions.values()), lags)))
    assert instance == Instance("k", tuple(actions[name] for name in read_ids), read_lags)


def test_default_values_are_not_written() -> None:
    assert to_document(Instance("k", (Action("t/a", "t", 3, 3),))) == {
        "format": "planoracle/instance",
        "version": 1,
        "name": "k",
        "tasks": [{"name": "t", "actions": [{"name": "a", "duration": 3}]}],
    }


def test_attendance_of_an_action_without_agents_is_not_written() -> None:
    document = to_document(Instance("k", (Action("t/a", "t", 3, 0, agents=()),)))
    assert document["tasks"][0]["actions"] == [{"name": "a", "duration": 3, "agents": []}]


# --- faults of the document -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "field", "message"),
    [
        (changed("colour", to="red"), "colour", "unknown key (got 'red')"),
        (step(0, "colour", to=7), "tasks[0].actions[0].colour", "unknown key (got 7)"),
        (
            step(2, "after", 1, "lag", to=1),
            "tasks[0].actions[2].after[1].lag",
            "unknown key; did you mean min_lag or max_lag? (got 1)",
        ),
        (step(1, "uses", 0, "state", to="x"), "tasks[0].actions[1].uses[0].state", "unknown key (got 'x')"),
        (changed("format", to="planoracle/plan"), "format", "'planoracle/instance' (got 'planoracle/plan')"),
        (changed("version", to=2), "version", "must be 1 (got 2)"),
        (changed("version", to="1"), "version", "must be 1 (got '1')"),
        (changed("version", to=True), "version", "must be 1 (got True)"),
        (changed("version", to=1.0), "version", "must be 1 (got 1.0)"),
        (changed("version", to=[]), "version", "must be 1 (got [])"),
        (changed("benchmark", to="other"), "benchmark", "generic, paracook_abstract, recipe2plan (got 'other')"),
        (changed("name", to=5), "name", "must be text (got 5)"),
        (changed("agents", to="cook"), "agents", "must be a list (got 'cook')"),
        (changed("agents", 0, to=None), "agents[0]", "must be text (got None)"),
        (changed("resources", to={}), "resources", "must be a list (got {})"),
        (changed("resources", 0, to="oven"), "resources[0]", "must be an object (got 'oven')"),
        (changed("resources", 1, "capacity", to=True), "resources[1].capacity", "whole number (got True)"),
        (changed("time_limit", to=9.0), "time_limit", "whole number (got 9.0)"),
        (changed("seconds_per_tick", to=False), "seconds_per_tick", "whole number (got False)"),
        (changed("tasks", 1, to=[]), "tasks[1]", "must be an object (got [])"),
        (step(0, "duration", to=3.0), "tasks[0].actions[0].duration", "whole number (got 3.0)"),
        (step(0, "duration", to=True), "tasks[0].actions[0].duration", "whole number (got True)"),
        (step(0, "duration", to="3"), "tasks[0].actions[0].duration", "whole number (got '3')"),
        (step(0, "duration", to=None), "tasks[0].actions[0].duration", "whole number (got None)"),
        (step(0, "attended", to=2.5), "tasks[0].actions[0].attended", "whole number (got 2.5)"),
        (step(0, "interruptible", to=1), "tasks[0].actions[0].interruptible", "true or false (got 1)"),
        (step(2, "release", to="2"), "tasks[0].actions[2].release", "whole number (got '2')"),
        (
            step(2, "modes", 1, "uses", 0, "amount", to=1.0),
            "tasks[0].actions[2].modes[1].uses[0].amount",
            "(got 1.0)",
        ),
        (step(2, "after", 1, "min_lag", to=True), "tasks[0].actions[2].after[1].min_lag", "whole number (got True)"),
        (step(2, "after", 1, "max_lag", to=4.5), "tasks[0].actions[2].after[1].max_lag", "whole number (got 4.5)"),
        (
            step(2, "after", 0, to=0),
            "tasks[0].actions[2].after[0]",
            "must be the name of an action or an object (got 0)",
        ),
        (step(2, "uses", to=[]), "tasks[0].actions[2].modes", "either uses or modes"),
        ([FULL], "document", "must be an object"),
        (None, "document", "must be an object (got None)"),
    ],
)
def test_fault_names_file_field_and_value(document: Any, field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"k.json: {field}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("field", ["format", "version", "name", "tasks"])
def test_missing_field_is_named(field: str) -> None:
    with pytest.raises(InputError, match=rf"^k\.json: {field}: is missing$"):
        read({key: value for key, value in FULL.items() if key != field})


@pytest.mark.parametrize("field", ["name", "duration"])
def test_missing_field_of_an_action_is_named(field: str) -> None:
    entry = {key: value for key, value in FULL["tasks"][0]["actions"][0].items() if key != field}
    with pytest.raises(InputError, match=rf"^k\.json: tasks\[0\]\.actions\[0\]\.{field}: is missing$"):
        read(step(0, to=entry))


def test_error_names_the_first_fault_and_counts_the_others() -> None:
    with pytest.raises(InputError, match=r"^k\.json: colour: unknown key \(and 1 more\) \(got 1\)$"):
        read(FULL | {"colour": 1, "size": 2})


@pytest.mark.parametrize(
    ("document", "field", "message"),
    [
        (step(0, "duration", to=-1), "actions[pie/chop].duration", "(got -1)"),
        (step(0, "duration", to=10**4000), "actions[pie/chop].duration", "(got 1000"),
        (step(2, "agents", to=["thief"]), "actions[pie/bake].agents", "(got 'thief')"),
        (step(2, "agents", to=["cook", "cook"]), "actions[pie/bake].agents", "unique (got 'cook')"),
        (step(2, "after", to=["fetch"]), "lags[pie/fetch -> pie/bake]", "(got 'pie/fetch')"),
        (step(0, "after", to=["bake"]), "lags", "a cycle: pie/chop -> pie/bake -> pie/chop"),
        (step(0, "name", to="a/b"), "actions[pie/a/b].id", "or contain '/' (got 'pie/a/b')"),
        (step(1, "name", to=""), "actions[pie/].id", "neither part may be empty or contain '/' (got 'pie/')"),
        (changed("tasks", 1, "name", to=""), "actions[/boil].id", "(got '/boil')"),
        (changed("benchmark", to="recipe2plan"), "benchmark", "one agent and no time limit"),
    ],
)
def test_fault_of_the_model_names_file_and_action(document: Any, field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    assert (caught.value.source, caught.value.field) == ("k.json", field)
    assert str(caught.value).startswith(f"k.json: {field}: ")
    assert message in str(caught.value.faults[0])


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (changed("tasks", to=[]), "actions: needs at least one action"),
        (step(2, "after", to=["chop", "chop"]), "lags[pie/chop -> pie/bake]: these actions already have a time lag"),
    ],
)
def test_fault_without_a_value_prints_no_value(document: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    assert str(caught.value) == f"k.json: {message}"
    assert not caught.value.has_value


def test_error_keeps_value_and_type_when_the_file_is_added() -> None:
    error = UnknownNameError("is wrong", field="a.b", value=None).at("k.json", "tasks[0]")
    assert (type(error), error.source, error.field) == (UnknownNameError, "k.json", "tasks[0].a.b")
    assert error.has_value
    assert str(error) == "k.json: tasks[0].a.b: is wrong (got None)"
    assert str(InputError("is wrong").at("k.json")) == "k.json: is wrong"


# --- faults of the file ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not JSON"),
        (b" \n", "is not JSON"),
        (b"\0" * 9, "is not JSON"),
        (b'{"name": "a\0b"}', "is not JSON: Invalid control character at in column 12"),
        (b'{"name": \n 1,}', "in line 2"),
        (b'{"name": "\xff"}', "is not UTF-8 (invalid start byte at byte 10)"),
        ("{}".encode("utf-16"), "is not UTF-8"),
        (b"\x80\x04K\x01.", "is not UTF-8"),
        (b'{"unit": "a", "name": "a", "name": "b"}', "name: key is given twice"),
        (b'{"tasks": [{"duration": 1, "duration": 1}]}', "duration: key is given twice"),
        (b'{"duration": NaN}', "NaN is not a JSON number"),
        (b'{"duration": Infinity}', "Infinity is not a JSON number"),
        (b'{"duration": -Infinity}', "-Infinity is not a JSON number"),
        (b'{"duration": 1e999}', "1e999 is too large a number"),
        (b'{"duration": -1e999}', "-1e999 is too large a number"),
        (b'{"duration": 1' + b"0" * 999 + b".0}", "0 is too large a number"),
        (b"[" * 10**5, "nested too deeply"),
        (b"[" * 10**5 + b"]" * 10**5, "nested too deeply"),
        (b'{"a":' * 10**5, "nested too deeply"),
        (b'{"duration": ' + b"1" * 10**5 + b"}", "number that cannot be read"),
        (b"[]", "must be an object (got [])"),
        (b"1", "must be an object (got 1)"),
    ],
    ids=ascii_start,
)
def test_error_about_invalid_content_names_the_file(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "k.json"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert caught.value.source == str(path)
    assert str(caught.value).startswith((f"{path}: ", f"{path}, line 1: "))
    assert message in str(caught.value)


@pytest.mark.parametrize(("name", "message"), [("none.json", "No such file"), ("", "Is a directory")])
def test_error_about_missing_file_names_the_path(tmp_path: Path, name: str, message: str) -> None:
    path = tmp_path / name
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}: cannot be read: {message}")


@pytest.mark.parametrize(
    ("path", "printed"), [("a\0b", "a\0b"), ("\ud800", "\\ud800"), ("x" * 5000, "x" * 300 + "...")], ids=ascii_start
)
def test_error_about_impossible_path_is_printable(path: str, printed: str) -> None:
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{printed}: cannot be read: ")


def test_duplicate_keys_are_found_in_linear_time() -> None:
    def refused(count: int) -> None:
        keys = ", ".join(f'"key{i}": 0' for i in range(count))
        with pytest.raises(InputError, match=rf"^k\.json: key{count - 1}: key is given twice$"):
            load_json(f'{{{keys}, "key{count - 1}": 0}}', "k.json")

    few, many = (count_lines(lambda n=n: refused(n)) for n in (1_000, 4_000))  # type: ignore[misc]
    assert many < 5 * few


def test_file_above_the_size_limit_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planoracle.instances.files.strict_json.MAX_BYTES", 10)
    path = tmp_path / "k.json"
    path.write_bytes(b" " * 11)
    with pytest.raises(InputError, match="is larger than 10 bytes"):
        read_file(path)
    path.write_bytes(b" " * 10)
    with pytest.raises(InputError, match="is not JSON"):
        read_file(path)


def test_file_with_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    path.write_text(json.dumps(FULL), encoding="utf-8-sig")
    assert read_file(path) == read(FULL)


@given(st.text("[]{}01,.- \n\0\xff", max_size=12).map(lambda text: text.encode("latin-1")))
def test_arbitrary_bytes_are_parsed_or_rejected(data: bytes) -> None:
    try:
        expected = json.loads(data.decode("utf-8-sig"))
    except ValueError:
        with pytest.raises(InputError, match=r"^k\.json: "):
            load_json(data, "k.json")
    else:
        assert load_json(data, "k.json") == expected


# --- the schema -----------------------------------------------------------------------------------


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if "properties" in schema or schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from _objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _objects(part)


def test_schema_has_dialect_and_required_keys() -> None:
    schema = json.loads(json.dumps(json_schema()))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["type"] == "object"
    assert schema["required"] == ["format", "version", "name", "tasks"]
    assert schema["properties"]["format"]["const"] == "planoracle/instance"
    assert schema["properties"]["version"]["const"] == 1
    assert schema["$defs"]["ActionEntry"]["required"] == ["name", "duration"]


def test_schema_allows_no_unknown_keys_anywhere() -> None:
    objects = list(_objects(json_schema()))
    assert len(objects) == 7
    assert [entry["title"] for entry in objects if entry.get("additionalProperties") is not False] == []


def test_schema_allows_a_plain_name_as_predecessor() -> None:
    after = json_schema()["$defs"]["ActionEntry"]["properties"]["after"]["items"]
    assert {"type": "string"} in after["anyOf"]
