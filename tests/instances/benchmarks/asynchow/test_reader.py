"""Reader of AsyncHow's files, tested on invented problems."""

from __future__ import annotations

import json
import os
import pickle
from dataclasses import replace
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.asynchow import problems
from planoracle.instances.benchmarks.asynchow.bundled_data import KINDS, HowTo, how_to, names
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.files.catalog import read_problems
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import of_kind
from planoracle.instances.protocol import registry


def read_file(path: Path) -> list[HowTo]:
    data = path.read_bytes()
    if problems.is_pickle(data):
        return problems.read_pickle(data, str(path))
    sentences_file = path.with_name("steps.json")
    sentences = load_json(sentences_file.read_bytes(), str(sentences_file)) if sentences_file.is_file() else None
    return problems.read_document(load_json(data, str(path)), str(path), sentences)


def to_document(problems: list[HowTo]) -> str:
    """Write the bundled file: durations, edges and released answers, one problem per line."""
    rows: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for one in problems:
        edges = " ".join(f"{before}-{after}" for before, after in one.edges)
        rows[one.kind].append(json.dumps([", ".join(one.durations), edges, one.released_answer]))
    lists = ",\n".join(f'"{kind}": [\n' + ",\n".join(lines) + "\n]" for kind, lines in rows.items())
    return '{"format": "planoracle/asynchow", "version": 1,\n' + lists + "}\n"


TEA = HowTo("async/0", ("5 min", "1 month"), ((1, 2),), (2419500, 2678700))


def tea(**changes: Any) -> dict[str, Any]:
    row = {
        "id": "async/0",
        "edges": [["START", "1"], ["1", "2"], ["2", "END"]],
        "durations": {"1": [300, 300, "5 min"], "2": [2419200, 2678400, "1 month"]},
        "gold": [2419500, 2678700],
    }
    return row | changes


def table(**changes: Any) -> dict[str, Any]:
    span = [timedelta(minutes=5)] * 2
    columns = {
        "steps": [["boil water", "wait"]],
        "edge_list": [[("1", "2"), ("2", "END"), ("START", "1")]],
        "time_dic": [{"1": "5 min", "2": "1 month"}],
        "timedelta_dic": [{"1": span, "2": [timedelta(days=28), timedelta(days=31)]}],
        "task_time": [[timedelta(days=28, minutes=5), timedelta(days=31, minutes=5)]],
    }
    return columns | changes


def written(folder: Path, document: Any, name: str = "async.json") -> Path:
    path = folder / name
    path.write_bytes(pickle.dumps(document, 4) if name.endswith(".pkl") else json.dumps(document).encode())
    return path


def test_json_file_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, {"problems": [tea()]})
    assert read_file(path) == [TEA]
    written(tmp_path, {"async/0": ["boil water", "wait"]}, "steps.json")
    assert read_file(path) == [replace(TEA, sentences=("boil water", "wait"))]


def test_released_pickle_is_read(tmp_path: Path) -> None:
    assert read_file(written(tmp_path, table(), "async_benchmark.pkl")) == [
        replace(TEA, sentences=("boil water", "wait"))
    ]
    assert read_file(written(tmp_path, table(), "seq_benchmark.pkl"))[0].name == "sequential/0"


@pytest.mark.parametrize("name", ["async.json", "async_benchmark.pkl"])
def test_names_refer_to_the_files_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(registry.data_variable("asynchow"), str(tmp_path))
    written(tmp_path, table() if name.endswith(".pkl") else {"problems": [tea()]}, name)
    written(tmp_path, {"async/0": ["boil water", "wait"]}, "steps.json")
    problems.check_copy(tmp_path)
    assert catalog.expand(["asynchow/async/0"]) == [f"{tmp_path / name}#{name}/async/0"]
    (problem,) = [of_kind(one, Instance) for one in read_problems("asynchow/async/0")]
    assert [action.label for action in problem.actions] == ["boil water", "wait"]
    assert catalog.expand(["asynchow/parallel/0"]) == ["asynchow/parallel/0"]


@pytest.mark.parametrize("name", ["async.json", "async_benchmark.pkl"])
def test_problems_from_files_have_their_sentences(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, table() if name.endswith(".pkl") else {"problems": [tea()]}, name)
    written(tmp_path, {"async/0": ["boil water", "wait"]}, "steps.json")
    (problem,) = [of_kind(one, Instance) for one in read_problems(str(path))]
    assert (problem.name, problem.benchmark) == (f"{name}/async/0", "asynchow")
    assert [(one.id, one.duration, one.label) for one in problem.actions] == [
        ("step/1", 300, "boil water"),
        ("step/2", 2419200, "wait"),
    ]
    (chosen,) = read_problems(f"{path}#{name}/async/0~2")
    assert (chosen.benchmark, len(chosen.agents)) == ("generic", 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": 7}, r"problems\[0\].id: must be text"),
        ({"gold": [5]}, r"problems\[0\].gold: must be \[shortest, longest\] in seconds \(got \[5\]\)"),
        ({"gold": [5, 4]}, r"gold: must be \[shortest"),
        ({"gold": [True, 4]}, r"gold: must be \[shortest"),
        ({"durations": {}}, r"durations: must be 1 to 1000 steps, numbered from 1"),
        ({"durations": {"2": [300, 300, "5 min"]}}, r"durations: must be 1 to 1000 steps"),
        ({"durations": {"1": [300, "5 min"]}}, r"durations.1: must be \[shortest, longest, text\], with"),
        ({"durations": {"1": [301, 301, "5 min"]}}, r"durations.1: seconds and text must agree"),
        ({"durations": {"1": [300, 300, "5 mines"]}}, r"durations.1: must be a text such as '10 min'"),
        ({"edges": [["1", "3"]]}, r"edges\[0\]: must be two of START, 1 to 2, END"),
        ({"edges": [["1"]]}, r"edges\[0\]: must be two"),
        ({"edges": {}}, r"edges: must be a list of pairs"),
    ],
)
def test_errors_name_file_field_and_value(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = written(tmp_path, {"problems": [tea(**changes)]})
    with pytest.raises(InputError, match=message) as caught:
        read_file(path)
    assert caught.value.source == str(path)


@pytest.mark.parametrize("sentences", [{"async/0": ["one"]}, {"async/0": [1, 2]}, {"async/0": "ab"}, []])
def test_invalid_sentences_are_rejected(tmp_path: Path, sentences: Any) -> None:
    written(tmp_path, sentences, "steps.json")
    with pytest.raises(InputError, match="sentences"):
        read_file(written(tmp_path, {"problems": [tea()]}))


def test_problem_from_a_file_is_graded_under_both_profiles(tmp_path: Path) -> None:
    (problem,) = read_problems(str(written(tmp_path, {"problems": [tea(gold=[300, 300])]})))
    benchmark = registry.of(problem)
    right, released = (
        [
            benchmark.run(problem, f'"{answer}"', benchmark.rules.profile(name)).success
            for answer in ("28 days 5 min", "5 min")
        ]
        for name in ("paper", "released")
    )
    assert (right, released) == ([True, False], [False, True])


def test_cyclic_order_is_rejected(tmp_path: Path) -> None:
    path = written(tmp_path, {"problems": [tea(edges=[["1", "2"], ["2", "1"]])]})
    with pytest.raises(InputError, match=r"async\.json: .*cycle"):
        read_problems(str(path))


class Evil:
    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.trace),)


def test_reading_a_pickle_executes_no_code(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    path = written(tmp_path, table(extra=Evil(trace)), "async_benchmark.pkl")
    with pytest.raises(InputError, match=r"is not a pickle of AsyncHow: (posix|nt).mkdir is not allowed in it"):
        read_file(path)
    assert not trace.exists()
    pickle.loads(path.read_bytes())  # the standard reader does execute the code
    assert trace.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": None},
        {"steps": []},
        {"time_dic": [{"1": "5 min"}]},
        {"time_dic": [["5 min"]]},
        {"timedelta_dic": [{"1": [5, 5], "2": [5, 5]}]},
        {"task_time": [[timedelta(1)]]},
        {"task_time": [[timedelta(-1), timedelta(1)]]},
        {"edge_list": [[(1, 2)]]},
        {"steps": [["boil water"]]},
    ],
)
def test_invalid_pickles_are_rejected(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        read_file(written(tmp_path, table(**changes), "async_benchmark.pkl"))


def test_truncated_pickle_is_rejected(tmp_path: Path) -> None:
    data = pickle.dumps(table(), 4)
    for cut in range(100, len(data) - 1, 40):
        with pytest.raises(InputError):
            problems.read_pickle(data[:cut], "async_benchmark.pkl")


@pytest.mark.slow
def test_bundled_file_equals_the_released_files(shared: Path) -> None:
    released = [one for kind in KINDS for one in read_file(shared / "benchmarks" / "asynchow" / f"{kind}.json")]
    assert all(one.sentences for one in released)
    assert [replace(one, sentences=()) for one in released] == [how_to(name) for name in names()]
    bundled = files("planoracle.instances.benchmarks.asynchow") / "data" / "problems.json"
    assert to_document(released) == bundled.read_text(encoding="utf-8")
