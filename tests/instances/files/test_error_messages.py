"""Error messages about files and names: all faults with their lines, and suggestions."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.errors import MAX_FAULTS, FaultsError, InputError, InputWarning, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.files.instance_file import instance_from_document
from planoracle.instances.files.strict_json import json_lines
from planoracle.instances.text import similar

HEAD = {"format": "planoracle/instance", "version": 1, "name": "k"}
FAULTY = """{
 "$schema": "./instance.schema.json",
 "format": "planoracle/instance", "version": 1, "name": "k",
 "agents": ["cook"], "resources": [{"name": "stove"}],
 "tasks": [{"name": "tea", "actions": [
   {"name": "fill", "duration": 1, "agents": ["cok"]},
   {"name": "boil", "duration": 5, "attended": 7, "uses": [{"resource": "sotve"}], "after": ["fil"]},
   {"name": "pour", "duration": 1,
    "after": [
     {"action": "boil",
      "min_lag": 2,
      "max_lag": 1}]}
 ]}]
}
"""


def problem(**more: Any) -> dict[str, Any]:
    return HEAD | {"tasks": [{"name": "t", "actions": [{"name": "a", "duration": 1}]}]} | more


def written(folder: Path, name: str, content: str) -> str:
    path = folder / name
    path.write_text(content, "utf-8")
    return str(path)


def faults(path: str) -> list[tuple[int | None, str]]:
    with pytest.raises(InputError) as caught:
        catalog.read_problems(path)
    assert all(fault.source == path for fault in caught.value.faults)
    return [(fault.line, fault.field or "") for fault in caught.value.faults]


def test_all_faults_are_reported_with_their_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "k.json", FAULTY)
    assert faults(path) == [
        (6, "actions[tea/fill].agents"),
        (7, "actions[tea/boil].attended"),
        (7, "actions[tea/boil].modes[0].uses[sotve].resource"),
        (7, "lags[tea/fil -> tea/boil]"),
        (12, "lags[tea/boil -> tea/pour].maximum"),
    ]
    with pytest.raises(FaultsError) as caught:
        catalog.single(str(path))
    messages = [str(fault) for fault in caught.value.faults]
    assert messages[0].startswith(f"{path}, line 6: actions[tea/fill].agents: ")
    for suggestion, message in zip(("cook", "stove", "tea/fill"), (messages[0], messages[2], messages[3]), strict=True):
        assert f"did you mean {suggestion}" in message
    assert "(and 4 more)" in str(caught.value)


def test_unknown_keys_are_reported_with_suggestions(tmp_path: Path) -> None:
    path = written(tmp_path, "k.json", FAULTY.replace('"duration"', '"duraton"').replace('"agents": [', '"agnets": ['))
    locations = faults(path)
    assert (4, "agnets") in locations
    assert (6, "tasks[0].actions[0].duration") in locations
    assert (8, "tasks[0].actions[2].duraton") in locations
    assert [line for line, _ in locations] == sorted(line or 0 for line, _ in locations)
    with pytest.raises(InputError) as caught:
        catalog.single(str(path))
    messages = {fault.field: str(fault) for fault in caught.value.faults}
    assert "did you mean agents?" in messages["agnets"]
    assert "did you mean duration?" in messages["tasks[0].actions[2].duraton"]


def test_at_most_twenty_faults_are_reported() -> None:
    steps = [{"name": str(k), "duration": "long"} for k in range(30)]
    with pytest.raises(FaultsError) as caught:
        instance_from_document(problem(tasks=[{"name": "t", "actions": steps}]), "k.json")
    assert len(caught.value.faults) == MAX_FAULTS
    assert caught.value.more
    assert f"(and at least {MAX_FAULTS} more)" in str(caught.value)


def test_error_with_several_faults_can_be_pickled() -> None:
    with pytest.raises(FaultsError) as caught:
        instance_from_document(problem(colour=1, size=2), "k.json")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert [str(fault) for fault in copy.faults] == [str(fault) for fault in caught.value.faults]
    assert str(copy) == str(caught.value)


@pytest.mark.slow
def test_long_cycle_is_abbreviated() -> None:
    def cycle(count: int) -> str:
        names = [f"step{k}" for k in range(count)]
        follows = {after: before for before, after in pairwise([*names, names[0]])}
        steps = [{"name": name, "duration": 1, "after": [follows[name]]} for name in names]
        with pytest.raises(InputError) as caught:
            instance_from_document(problem(tasks=[{"name": "t", "actions": steps}]), "k.json")
        return str(caught.value)

    assert cycle(12).endswith(" -> ".join(f"t/step{k % 12}" for k in range(13)))
    assert "t/step9 -> 981 more -> t/step991 -> " in cycle(1000)


@pytest.mark.parametrize("name", ["k.yaml", "k.YML", "k.toml"])
def test_yaml_and_toml_are_rejected_with_advice(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"is YAML or TOML; convert the file to JSON$"):
        catalog.read_problems(written(tmp_path, name, 'name = "k"'))


def test_duplicate_key_is_reported_with_its_line(tmp_path: Path) -> None:
    twice = json.dumps(problem(), indent=1).replace('"version": 1,', '"version": 1,\n "version": 1,')
    assert faults(written(tmp_path, "k.json", twice)) == [(4, "version")]


@pytest.mark.parametrize(
    ("unit", "seconds", "warns"),
    [
        ("minute", 1, True),
        ("Minutes", 1, True),
        ("hour", 60, True),
        ("s", 60, True),
        ("minute", 60, False),
        ("minute", None, False),
        ("turn", 7, False),
    ],
)
def test_unit_that_contradicts_seconds_per_tick_gives_a_warning(
    unit: str, seconds: int | None, warns: bool, recwarn: pytest.WarningsRecorder
) -> None:
    instance_from_document(problem(unit=unit, seconds_per_tick=seconds), "k.json")
    messages = [str(one.message) for one in recwarn if issubclass(one.category, InputWarning)]
    assert [one.startswith("k.json: unit ") for one in messages] == [True] * warns


@pytest.mark.parametrize("kind", ["instance", "kitchen"])
def test_schema_key_is_accepted(tmp_path: Path, kind: str) -> None:
    name = {"instance": "timearena/lab1", "kitchen": "robotouille/synchronous/0_cheese_sandwich"}[kind]
    from planoracle.instances.protocol.registry import of

    original = catalog.problem(name)
    document = {"$schema": f"./{kind}.schema.json"} | of(original).document(original)
    (result,) = catalog.read_problems(written(tmp_path, "k.json", json.dumps(document)))
    assert of(result).document(result) | {"$schema": document["$schema"]} == document


def test_unknown_file_folder_or_name_has_a_specific_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "supper.json", json.dumps(problem(name="supper")))
    (tmp_path / "menus").mkdir()
    messages = {
        "super.json": "file super.json does not exist; did you mean supper.json?",
        "menu/supper.json": "neither file menu/supper.json nor folder menu exists",
        "menus": "the folder contains no problem files",
        "supper.json#super": "the file contains no problem of this name; did you mean supper?",
        "timearena/labb": "did you mean timearena/lab",
        "Cobler_Pancakes": "did you mean recipe2plan/timed/Cobbler_Pancakes",
    }
    for name, message in messages.items():
        with pytest.raises(UnknownNameError) as caught:
            [catalog.read_problems(one) for one in catalog.expand([name])]
        assert message in str(caught.value)
    with pytest.raises(UnknownNameError, match="stands for a set of 65 problems"):
        catalog.problem("recipe2plan/timed")


def test_similar_names_are_compared_by_last_component_in_any_case() -> None:
    assert similar("kitchen/x", ["kitchen/a", "kitchen/b"]) == []
    assert similar("STOVE", ["stove", "oven"]) == ["stove"]
    assert similar("lag", ["min_lag", "max_lag", "action"]) == ["min_lag", "max_lag"]
    assert similar("s" * 10_000, ["s" * 10_000]) == []
    assert similar(["stove"], ["stove"]) == []
    assert similar("task7/step_9x", [f"task{k}/step_{j}" for k in range(100) for j in range(100)])


def test_line_numbers_of_json_values_are_those_of_the_text() -> None:
    document = {"a": [1, {"b": 'x\n"{[,:', "c": {}}, []], "d": {"e": [[2], [3]]}, "é": None}
    places = [("a", 1, "b"), ("a", 2), ("d", "e", 1, 0), ("é",), ("nothing",)]
    numbers = json_lines(json.dumps(document, indent=1), places)
    lines = json.dumps(document, indent=1).split("\n")
    assert [lines[numbers[place] - 1].strip()[:3] for place in places[:-1]] == ['"b"', "[]", "3", '"\\u']
    assert places[-1] not in numbers
