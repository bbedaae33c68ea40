"""The reader of Recipe2Plan's own files, on small recipes made up here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.recipe2plan.problems import read, recognises
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource


def step(number: int, time: Any = "2 min", **more: Any) -> dict[str, Any]:
    fields = {"physical": {}, "text": "-", "prequisites": [], "time_constraint": {}, "interrupt": 0, "parallel": 0}
    return fields | {"step": number, "time": time} | more


def recipe(name: Any, *steps: Any) -> dict[str, Any]:
    return {"recipe": name, "steps": list(steps)}


def uses(tool: str, **states: int) -> dict[str, Any]:
    return {tool: {key: {"temperature": degrees} for key, degrees in states.items()}}


def cooking(folder: Path, *pairs: Any) -> Path:
    path = folder / "cooking.json"
    path.write_text(json.dumps(pairs), encoding="utf-8")
    return path


def read_file(path: Path) -> list[Instance]:
    return read(json.loads(path.read_text(encoding="utf-8")), str(path))


def test_good_file_gives_the_expected_instance(tmp_path: Path) -> None:
    tea = recipe(
        "Tea",
        step(0, "30 sec", interrupt=1),
        step(1, "1 hour", prequisites=[0], parallel=1, physical=uses("kettle")),
        step(2, prequisites=[1, 0], time_constraint={"1": "5 min"}),
    )
    pie = recipe(
        "Apple-Pie",
        step(0, "3 min", parallel=1, physical=uses("oven", update=200)),
        step(1, "9 min", physical=uses("oven", require=200, update=250), time_constraint={"0": "90 sec"}),
    )
    assert read_file(cooking(tmp_path, [tea, pie]))[:1] == [
        Instance(
            name="cooking.json/timed/Tea_Apple-Pie",
            actions=(
                Action("Tea/0", "Tea", 30, 30, interruptible=True),
                Action("Tea/1", "Tea", 3600, 0, modes=(Mode((Demand("kettle"),)),)),
                Action("Tea/2", "Tea", 120, 120),
                Action("Apple-Pie/0", "Apple-Pie", 180, 0, modes=(Mode((Demand("oven", sets="200"),)),)),
                Action(
                    "Apple-Pie/1", "Apple-Pie", 540, 540, modes=(Mode((Demand("oven", requires="200", sets="250"),)),)
                ),
            ),
            lags=(
                Lag("Tea/0", "Tea/1"),
                Lag("Tea/1", "Tea/2", 0, 300),
                Lag("Tea/0", "Tea/2"),
                Lag("Apple-Pie/0", "Apple-Pie/1", None, 90),
            ),
            resources=(Resource("oven"), Resource("microwave"), Resource("stove"), Resource("kettle")),
            benchmark="recipe2plan",
            unit="second",
            seconds_per_tick=1,
        )
    ]


def test_every_combination_becomes_an_instance(tmp_path: Path) -> None:
    a, b, c = (recipe(name, step(0)) for name in "ABC")
    found = read_file(cooking(tmp_path, [a, b], [c], [c, a, b]))[:3]
    assert [instance.name for instance in found] == [f"cooking.json/timed/{name}" for name in ("A_B", "C", "C_A_B")]
    assert [len(instance.actions) for instance in found] == [2, 1, 3]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ([[{"recipe": "A"}]], True),
        ([], False),
        ([[]], False),
        ([{"recipe": "A"}], False),
        ([[{"recipe": "A"}], [{"name": "A"}]], False),
        ({"recipe": "A"}, False),
        (None, False),
    ],
)
def test_outline_is_recognised(document: Any, expected: bool) -> None:
    assert recognises(document) is expected


# Keywords of step 1 of the second recipe of the second combination, the field named (below that
# step), and a part of the message.
STEP_FAULTS: list[tuple[dict[str, Any], str, str]] = [
    ({"colour": "red"}, "", "must be an object with the keys ['interrupt', 'parallel'"),
    ({"step": 2}, ".step", "must be 1 (got 2)"),
    ({"step": "1"}, ".step", "must be 1 (got '1')"),
    ({"step": True}, ".step", "must be 1 (got True)"),
    ({"step": 1.0}, ".step", "must be 1 (got 1.0)"),
    ({"time": 120}, ".time", "'1 hour' (got 120)"),
    ({"time": "soon"}, ".time", "(got 'soon')"),
    ({"time": "5"}, ".time", "(got '5')"),
    ({"time": "5 days"}, ".time", "(got '5 days')"),
    ({"time": None}, ".time", "(got None)"),
    ({"time": "1 hour 30 min"}, ".time", "(got '1 hour 30 min')"),
    ({"time": "10.5 min"}, ".time", "(got '10.5 min')"),
    ({"time": "10-15 min"}, ".time", "(got '10-15 min')"),
    ({"time": "-5 min"}, ".time", "(got '-5 min')"),
    ({"time": "5 min\n"}, ".time", "(got '5 min\\n')"),
    ({"time": "٥ min"}, ".time", "(got '٥ min')"),
    ({"time": "1234567890 sec"}, ".time", "(got '1234567890 sec')"),
    ({"interrupt": 2}, ".interrupt", "must be 0 or 1 (got 2)"),
    ({"interrupt": "yes"}, ".interrupt", "must be 0 or 1 (got 'yes')"),
    ({"interrupt": 1.0}, ".interrupt", "must be 0 or 1 (got 1.0)"),
    ({"parallel": True}, ".parallel", "must be 0 or 1 (got True)"),
    ({"parallel": None}, ".parallel", "must be 0 or 1 (got None)"),
    ({"parallel": []}, ".parallel", "must be 0 or 1 (got [])"),
    ({"physical": ["oven"]}, ".physical", "must be an object (got ['oven'])"),
    ({"physical": {"oven": 200}}, ".physical.oven", "'require' and 'update' (got 200)"),
    ({"physical": {"oven": {"set": {}}}}, ".physical.oven", "'require' and 'update' (got {'set': {}})"),
    ({"physical": {"oven": {"update": 200}}}, ".physical.oven.update", "a temperature (got 200)"),
    ({"physical": {"oven": {"require": {"heat": 1}}}}, ".physical.oven.require", "(got {'heat': 1})"),
    ({"physical": {"oven": {"update": {"temperature": "hot"}}}}, ".physical.oven.update", "(got 'hot')"),
    ({"physical": {"oven": {"update": {"temperature": 99.5}}}}, ".physical.oven.update", "(got 99.5)"),
    ({"physical": {"oven": {"update": {"temperature": True}}}}, ".physical.oven.update", "(got True)"),
    ({"prequisites": 0}, "", "prequisites must be a list"),
    ({"prequisites": [3]}, ".prequisites", "must be a step from 0 to 2 (got 3)"),
    ({"prequisites": [-1]}, ".prequisites", "must be a step from 0 to 2 (got -1)"),
    ({"prequisites": ["0"]}, ".prequisites", "must be a step from 0 to 2 (got '0')"),
    ({"prequisites": [False]}, ".prequisites", "must be a step from 0 to 2 (got False)"),
    ({"time_constraint": ["0"]}, "", "time_constraint an object"),
    ({"time_constraint": {"9": "1 min"}}, ".time_constraint", "must be a step from 0 to 2 (got 9)"),
    ({"time_constraint": {"first": "1 min"}}, ".time_constraint", "must be a step from 0 to 2 (got 'first')"),
    ({"time_constraint": {"-1": "1 min"}}, ".time_constraint", "must be a step from 0 to 2 (got '-1')"),
    ({"time_constraint": {"0": 60}}, ".time_constraint[0]", "'1 hour' (got 60)"),
    ({"time_constraint": {"0": "1 min", "00": "2 min"}}, ".time_constraint", "(got '00')"),
    ({"time_constraint": {"٠": "1 min"}}, ".time_constraint", "(got '٠')"),
    ({"time_constraint": {"9" * 5000: "1 min"}}, ".time_constraint", "must be a step from 0 to 2 (got '999"),
]


@pytest.mark.parametrize(
    ("keywords", "field", "message"), STEP_FAULTS, ids=[ascii(fault[0])[:60] for fault in STEP_FAULTS]
)
def test_faulty_step_is_named(tmp_path: Path, keywords: dict[str, Any], field: str, message: str) -> None:
    faulty = recipe("B", step(0), step(1) | keywords, step(2, interrupt=1))
    path = cooking(tmp_path, [recipe("A", step(0))], [recipe("A", step(0)), faulty])
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert caught.value.field == f"[1][1].steps[1]{field}"
    assert str(caught.value).startswith(f"{path}: [1][1].steps[1]{field}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("degrees", [float("inf"), float("-inf"), float("nan")])
def test_temperature_that_is_no_number_is_named(degrees: float) -> None:
    faulty = recipe("A", step(0, physical={"oven": {"update": {"temperature": degrees}}}))
    with pytest.raises(InputError, match=r"^x\.json: \[0\]\[0\]\.steps\[0\]\.physical\.oven\.update: .*degrees"):
        read([[faulty]], "x.json")


def test_fault_without_a_value_shows_none() -> None:
    with pytest.raises(InputError, match=r"time_constraint an object$"):
        read([[recipe("A", step(0, prequisites="0"))]], "x.json")


@pytest.mark.parametrize(
    ("entry", "field", "message"),
    [
        (recipe("A B", step(0)), "[0][0].recipe", "word characters and hyphens (got 'A B')"),
        (recipe("", step(0)), "[0][0].recipe", "(got '')"),
        (recipe("A/B", step(0)), "[0][0].recipe", "(got 'A/B')"),
        (recipe(5, step(0)), "[0][0].recipe", "(got 5)"),
        (recipe("A"), "[0][0].steps", "must be a non-empty list (got [])"),
        ({"recipe": "A"}, "[0][0].steps", "must be a non-empty list"),
        ({"recipe": "A", "steps": {"0": {}}}, "[0][0].steps", "must be a non-empty list"),
        (recipe("A", step(0), "stir"), "[0][0].steps[1]", "must be an object with the keys"),
        (recipe("A", step(0, time_constraint={"1": "1 min"}), "stir"), "[0][0].steps[1]", "must be an object with"),
        (recipe("A", {"step": 0}), "[0][0].steps[0]", "must be an object with the keys"),
    ],
)
def test_faulty_recipe_is_named(tmp_path: Path, entry: Any, field: str, message: str) -> None:
    path = cooking(tmp_path, [entry])
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}: {field}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("steps", "field", "message"),
    [
        ([step(0, prequisites=[1]), step(1, prequisites=[0])], "lags", "cycle: A/0 -> A/1 -> A/0"),
        ([step(0, prequisites=[0])], "lags[A/0 -> A/0]", "cannot precede itself (got 'A/0')"),
        (
            [step(0, physical=uses("oven", require=200))],
            "actions[A/0].modes[0].uses[oven].requires",
            "no action sets this state",
        ),
        (
            [step(0, interrupt=1, physical=uses("oven", update=200))],
            "actions[A/0].interruptible",
            "cannot set a state",
        ),
        ([step(0, "0 min")], "actions[A/0]", "last some time"),
        (
            [step(0, interrupt=1), step(1, time_constraint={"0": "1 min"})],
            "lags[A/0 -> A/1]",
            "none after a step that cannot be paused",
        ),
    ],
)
def test_senseless_recipe_is_named(tmp_path: Path, steps: list[Any], field: str, message: str) -> None:
    path = cooking(tmp_path, [recipe("A", step(0))], [recipe("B", step(0)), recipe("A", *steps)])
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}: [1][1].{field}: ")
    assert message in str(caught.value)


def test_a_step_that_runs_by_itself_cannot_be_paused(tmp_path: Path) -> None:
    path = cooking(tmp_path, [recipe("A", step(0, interrupt=1), step(1, parallel=1, interrupt=1))])
    with pytest.raises(InputError) as caught:
        read_file(path)
    message = "a step that runs by itself (parallel 1) cannot be paused; must be 0 (got 1)"
    assert str(caught.value) == f"{path}: [0][0].steps[1].interrupt: {message}"


def test_recipe_twice_in_a_combination_is_named(tmp_path: Path) -> None:
    a, b = recipe("A", step(0)), recipe("B", step(0))
    path = cooking(tmp_path, [a, b], [a, a])
    with pytest.raises(InputError) as caught:
        read_file(path)
    assert str(caught.value) == f"{path}: [1].actions: names must be unique (got 'A/0')"


@pytest.mark.parametrize("document", [{}, [], [[]], ["A"], [[1]], [[{"steps": []}]], 5, None])
def test_what_is_no_cooking_file_is_refused(tmp_path: Path, document: Any) -> None:
    path = tmp_path / "cooking.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="must be a list of combinations") as caught:
        read_file(path)
    assert caught.value.source == str(path)
