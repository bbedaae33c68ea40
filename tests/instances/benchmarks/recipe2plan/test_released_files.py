"""Reader of Recipe2Plan's files: own recipes, made up here, and the released ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.runner import invoke

from planoracle import environment
from planoracle.instances.benchmarks.recipe2plan import problems, released_files
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.protocol import registry

COBBLER = "recipe2plan/timed/Cobbler_Pancakes"


def step(number: int, time: Any = "2 min", **more: Any) -> dict[str, Any]:
    fields = {"physical": {}, "text": "-", "prequisites": [], "time_constraint": {}, "interrupt": 0, "parallel": 0}
    return fields | {"step": number, "time": time} | more


def recipe(name: Any, *steps: Any) -> dict[str, Any]:
    return {"recipe": name, "steps": list(steps or (step(0),))}


def uses(tool: str, **states: int) -> dict[str, Any]:
    return {tool: {key: {"temperature": degrees} for key, degrees in states.items()}}


TEA = recipe(
    "Tea",
    step(0, "30 sec", interrupt=1),
    step(1, "1 hour", prequisites=[0], parallel=1, physical=uses("kettle")),
    step(2, prequisites=[1, 0], time_constraint={"1": "5 min"}, text="Pour."),
)
PIE = recipe(
    "Apple-Pie",
    step(0, "3 min", parallel=1, physical=uses("oven", update=200)),
    step(1, "9 minutes", physical=uses("oven", require=200, update=250), time_constraint={"0": "90 sec"}),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(registry.data_variable("recipe2plan"), str(tmp_path))
    return tmp_path


def write(folder: Path, recipes: Any, plans: Any = None) -> str:
    path = folder / "cooking.json"
    path.write_text(json.dumps(recipes, indent=1))
    if plans is not None:
        (folder / "plan.json").write_text(json.dumps(plans, indent=1))
    return str(path)


def message_of(path: str) -> str:
    with pytest.raises(InputError) as caught:
        catalog.read_problems(path)
    return str(caught.value)


# --- recipes --------------------------------------------------------------------------------------


def test_combination_of_own_recipes_is_a_problem(folder: Path) -> None:
    write(folder, [[TEA, PIE]])
    heat = Mode((Demand("oven", sets="200"),))
    bake = Mode((Demand("oven", requires="200", sets="250"),))
    assert problems.load("recipe2plan/timed/Tea_Apple-Pie") == Instance(
        name="recipe2plan/timed/Tea_Apple-Pie",
        actions=(
            Action("Tea/0", "Tea", 30, 30, interruptible=True, label="-"),
            Action("Tea/1", "Tea", 3600, 0, modes=(Mode((Demand("kettle"),)),), label="-"),
            Action("Tea/2", "Tea", 120, 120, label="Pour."),
            Action("Apple-Pie/0", "Apple-Pie", 180, 0, modes=(heat,), label="-"),
            Action("Apple-Pie/1", "Apple-Pie", 540, 540, modes=(bake,), label="-"),
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
    untimed = problems.load("recipe2plan/untimed/Tea_Apple-Pie")
    assert untimed.lags == (Lag("Tea/0", "Tea/1"), Lag("Tea/1", "Tea/2"), Lag("Tea/0", "Tea/2"))


def test_names_are_those_of_the_combinations_in_the_file(folder: Path) -> None:
    a, b, c = (recipe(name) for name in ("A", "B_1", "C"))
    write(folder, [[a, b], [c], [c, a, b]])
    timed = [f"recipe2plan/timed/{name}" for name in ("A_B_1", "C", "C_A_B_1")]
    assert catalog.expand(["recipe2plan/timed"]) == timed
    assert problems.names() == (*timed, *(name.replace("/timed/", "/untimed/") for name in timed))
    assert catalog.set_of("recipe2plan/timed/C") == ("recipe2plan/timed", tuple(timed))
    groups = registry.get("recipe2plan").groups("recipe2plan/timed/A_B_1")
    assert groups == {"task": ["timed/A", "timed/B_1"]}


@pytest.mark.parametrize(
    ("plans", "pairs"),
    [
        (None, ["A_B", "A_C", "B_C"]),
        ({"C_A": {}, "B_C": {"plan_w_restriction": None}, "X_Y": {}}, ["C_A", "B_C"]),
        ({"X_Y": {}}, ["A_B", "A_C", "B_C"]),
    ],
)
def test_list_of_recipes_gives_all_pairs_or_those_with_plans(folder: Path, plans: Any, pairs: list[str]) -> None:
    write(folder, [recipe(name) for name in "ABC"], plans)
    assert catalog.expand(["recipe2plan/untimed"]) == [f"recipe2plan/untimed/{pair}" for pair in pairs]


def test_own_recipes_replace_bundled_ones_of_the_same_name(folder: Path) -> None:
    write(folder, [[recipe("Cobbler", step(0, "7 min")), recipe("Pancakes")]])
    assert [action.duration for action in problems.load(COBBLER).actions] == [420, 120]
    assert problems.reference_plan(COBBLER) is None
    assert len(problems.load_bundled(COBBLER).actions) == 24
    other = "recipe2plan/timed/Vada_Daikon-Radish"
    assert problems.load(other) is problems.load_bundled(other)
    assert (problems.names()[0], catalog.set_of(other)) == (COBBLER, ("", ()))
    assert "released recipe" in catalog.note(other)
    write(folder, [[recipe("Vada"), recipe("Daikon-Radish")]])
    released_files.cookbook_in.cache_clear()
    assert catalog.note(other) == ""


def test_reference_plan_is_that_of_the_folder(folder: Path) -> None:
    rows = [[0, "A", 120, 0], [0, "B", 120, 120]]
    write(folder, [[recipe("A"), recipe("B")]], {"A_B": {"plan_w_restriction": rows, "plan_wo_restriction": None}})
    plan = problems.reference_plan("recipe2plan/timed/A_B")
    assert [list(command) for command in plan or ()] == rows
    assert problems.reference_plan("recipe2plan/untimed/A_B") is None


def test_file_of_recipes_is_a_problem_file(tmp_path: Path) -> None:
    path = write(tmp_path, [TEA, PIE])
    names = [problem.name for problem in catalog.read_problems(path)]
    assert names == ["recipe2plan/timed/Tea_Apple-Pie", "recipe2plan/untimed/Tea_Apple-Pie"]
    assert not catalog.names_problem(names[0])


def test_long_sentences_are_not_cut_in_prompts(folder: Path) -> None:
    sentence = f"Stir {'slowly ' * 20}until it thickens."
    write(folder, [[recipe("A", step(0, text=sentence)), recipe("B")]])
    assert f"Step 0 (2 min): {sentence}" in environment(problems.load("recipe2plan/timed/A_B")).introduction()


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_commands_accept_own_recipes(tmp_path: Path) -> None:
    rows = [[0, "Tea", 30, 0], [1, "Tea", 3600, 30], [0, "Apple-Pie", 180, 30], [1, "Apple-Pie", 540, 240]]
    plans = {"Tea_Apple-Pie": {"plan_w_restriction": [*rows, [2, "Tea", 120, 3700]], "plan_wo_restriction": None}}
    write(tmp_path, [[TEA, PIE]], plans)
    name = "recipe2plan/timed/Tea_Apple-Pie"
    data = ["--data", f"recipe2plan={tmp_path}"]

    def rows_of(*call: str) -> list[dict[str, Any]]:
        result = invoke(*call, *data, "--format", "jsonl", catch_exceptions=False)
        return [json.loads(line) for line in result.stdout.splitlines()]

    assert [(row["status"], row["makespan"]) for row in rows_of("solve", name)] == [("optimal", 3750)]
    methods = rows_of("compare", name, "--methods", "optimum,reference")
    assert [row["makespan"] for row in methods] == [3750, 3820]
    assert [row["claimed"] for row in rows_of("audit", name)] == [3820]
    (state,) = rows_of("next", name, "--all")
    assert "Step(0, Tea, 00:00:30, 00:00:00)" in [option["command"] for option in state["options"]]
    assert "Step 2 (2 min): Pour." in invoke("run", name, "--show-prompts", *data).stdout
    submissions = tmp_path / "runs.jsonl"
    plan = [[0, "Tea", 30, 0], [1, "Tea", 3600, 30], *rows[2:], [2, "Tea", 120, 3630]]
    submissions.write_text("".join(json.dumps({"instance": name, "plan": plan}) + "\n" for _ in range(3)))
    for profile in ("paper", "released"):
        grades = rows_of("grade", str(submissions), "--profile", profile, "--jobs", "2")
        assert [(grade["success"], grade["optimal_makespan"], grade["reference"]) for grade in grades] == [
            (True, 3750, "heuristic")
        ] * 3
    assert not catalog.names_problem(name)


def test_data_option_refuses_a_folder_without_recipes(tmp_path: Path) -> None:
    call = ["instances", "recipe2plan", "--data", f"recipe2plan={tmp_path}"]
    result = invoke(*call, env={"COLUMNS": "400"})
    assert (result.exit_code, result.stdout) == (2, "")
    assert "lacks cooking.json" in result.stderr
    path = write(tmp_path, [[recipe("A", step(0, "soon"))]])
    result = invoke(*call, env={"COLUMNS": "400"})
    words = " ".join(result.stderr.replace("│", " ").split())
    assert f"{path}, line 14: [0][0].steps[0].time: must be text such as '10 min'" in words


# --- errors ---------------------------------------------------------------------------------------

# Keywords of step 1 of the second recipe of the second combination, the field named (below that
# step), and a part of the message.
STEP_FAULTS: list[tuple[dict[str, Any], str, str]] = [
    ({"colour": "red"}, ".colour", "unknown key (got 'red')"),
    ({"step": 2}, ".step", "must be 1, as in a list (got 2)"),
    ({"step": "1"}, ".step", "must be a whole number (got '1')"),
    ({"time": 120}, ".time", "'1 hour' (got 120)"),
    ({"time": "5"}, ".time", "(got '5')"),
    ({"time": "5 days"}, ".time", "(got '5 days')"),
    ({"time": "1 h"}, ".time", "(got '1 h')"),
    ({"time": "1 hour 30 min"}, ".time", "(got '1 hour 30 min')"),
    ({"time": "10-15 min"}, ".time", "(got '10-15 min')"),
    ({"time": "5 min\n"}, ".time", "(got '5 min\\n')"),
    ({"time": "٥ min"}, ".time", "(got '٥ min')"),
    ({"time": "1234567890 sec"}, ".time", "(got '1234567890 sec')"),
    ({"interrupt": 2}, ".interrupt", "must be 0 or 1 (got 2)"),
    ({"parallel": 1, "interrupt": 1}, ".interrupt", "must be 0 for an autonomous step (parallel 1) (got 1)"),
    ({"parallel": None}, ".parallel", "must be 0 or 1 (got None)"),
    ({"physical": ["oven"]}, ".physical", "must be an object (got ['oven'])"),
    ({"physical": {"oven": {"set": {}}}}, ".physical.oven.set", "unknown key (got {})"),
    ({"physical": {"oven": {"update": 200}}}, ".physical.oven.update", "degrees} (got 200)"),
    ({"physical": {"pot": {"require": {"volume": 1}}}}, ".physical.pot.require", "(got {'volume': 1})"),
    ({"physical": {"oven": {"update": {"temperature": 99.5}}}}, ".physical.oven.update", "whole number of degrees"),
    ({"physical": {"oven": {"update": {"temperature": True}}}}, ".physical.oven.update", "whole number of degrees"),
    ({"prequisites": 0}, ".prequisites", "must be a list (got 0)"),
    ({"prequisites": [3]}, ".prequisites", "must be a step from 0 to 2 (got 3)"),
    ({"prequisites": ["0"]}, ".prequisites[0]", "must be a whole number (got '0')"),
    ({"time_constraint": ["0"]}, ".time_constraint", "must be an object (got ['0'])"),
    ({"time_constraint": {"9": "1 min"}}, ".time_constraint", "must be a step from 0 to 2 (got '9')"),
    ({"time_constraint": {"0": "1 min", "00": "2 min"}}, ".time_constraint", "must be a step from 0 to 2 (got '00')"),
    ({"time_constraint": {"٠": "1 min"}}, ".time_constraint", "must be a step from 0 to 2 (got '٠')"),
    ({"time_constraint": {"0": 60}}, ".time_constraint.0", "'1 hour' (got 60)"),
]


@pytest.mark.parametrize(
    ("keywords", "field", "message"), STEP_FAULTS, ids=[ascii(fault[0])[:60] for fault in STEP_FAULTS]
)
def test_faulty_step_is_named(tmp_path: Path, keywords: dict[str, Any], field: str, message: str) -> None:
    faulty = recipe("B", step(0), step(1) | keywords, step(2, interrupt=1))
    path = write(tmp_path, [[recipe("A")], [recipe("A"), faulty]])
    error = message_of(path)
    assert error.startswith(f"{path}, line ")
    assert f": [1][1].steps[1]{field}: " in error
    assert message in error


@pytest.mark.parametrize(
    ("entry", "field", "message"),
    [
        (recipe("A B"), "recipe", "letters, digits, _ and - (got 'A B')"),
        (recipe("A/B"), "recipe", "(got 'A/B')"),
        (recipe(5), "recipe", "(got 5)"),
        ({"recipe": "A", "steps": []}, "steps", "must not be empty (got [])"),
        ({"recipe": "A"}, "steps", "is missing"),
        ({"recipe": "A", "steps": {"0": {}}}, "steps", "must be a list"),
        (recipe("A", "stir"), "steps[0]", "must be an object (got 'stir')"),
        (recipe("A", {"step": 0}), "steps[0].text", "is missing (and 6 more)"),
        (recipe("A", step(0, interrupt=1, parallel=1)), "steps[0].interrupt", "must be 0"),
    ],
)
def test_faulty_recipe_is_named(tmp_path: Path, entry: Any, field: str, message: str) -> None:
    for recipes, place in (([[entry]], "[0][0]"), ([recipe("C"), entry], "[1]")):
        error = message_of(write(tmp_path, recipes))
        assert f": {place}.{field}: " in error
        assert message in error


@pytest.mark.parametrize(
    ("steps", "field", "message"),
    [
        ([step(0, prequisites=[1]), step(1, prequisites=[0])], "lags", "cycle: A/0 -> A/1 -> A/0"),
        ([step(0, physical=uses("oven", require=200))], "actions[A/0].modes[0].uses[oven].requires", "no action sets"),
        ([step(0, "0 min")], "actions[A/0]", "a positive duration"),
        ([step(0, interrupt=1), step(1, time_constraint={"0": "1 min"})], "lags[A/0 -> A/1]", "interrupted"),
    ],
)
def test_impossible_recipe_is_named(tmp_path: Path, steps: list[Any], field: str, message: str) -> None:
    error = message_of(write(tmp_path, [[recipe("A")], [recipe("B"), recipe("A", *steps)]]))
    assert f": B_A.{field}: " in error
    assert message in error


def test_recipe_or_combination_that_occurs_twice_is_named(tmp_path: Path) -> None:
    a, b = recipe("A"), recipe("B")
    assert "A_A.actions: names must be unique (got 'A/0')" in message_of(write(tmp_path, [[a, b], [a, a]]))
    assert "two combinations have this name; names must differ (got 'A_B')" in message_of(
        write(tmp_path, [[a, b], [a, b]])
    )
    assert "must be at most 100 recipes" in message_of(write(tmp_path, [a] * 101))


@pytest.mark.parametrize(
    ("plans", "field", "message"),
    [
        ([], "document", "must be an object (got [])"),
        ({"A_B": {"plan": []}}, "A_B.plan", "unknown key"),
        ({"A_B": {"plan_w_restriction": [[0, "A", 1]]}}, "A_B.plan_w_restriction[0][3]", "is missing"),
        ({"A_B": {"plan_w_restriction": [[0, "A", -1, 0]]}}, "A_B.plan_w_restriction[0][2]", "greater than or equal"),
        ({"A_B": {"plan_wo_restriction": [[0, "A", 1, 0], [1, "B", 1, 0]]}}, "A_B.plan_wo_restriction[1]", "A or B"),
        ({"A_B": {"plan_wo_restriction": [[0, "C", 1, 0]]}}, "A_B.plan_wo_restriction[0]", "A or B (got [0, 'C'])"),
    ],
)
def test_faulty_reference_plan_is_named(folder: Path, plans: Any, field: str, message: str) -> None:
    write(folder, [[recipe("A"), recipe("B")]], plans)
    with pytest.raises(InputError) as caught:
        problems.names()
    assert str(folder / "plan.json") in str(caught.value)
    assert f": {field}: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("document", [{}, [], [[]], ["A"], [[1]], [[{"steps": []}]], 5, None])
def test_file_without_recipes_is_refused(folder: Path, document: Any) -> None:
    path = write(folder, document)
    assert not released_files.recognises(document)
    with pytest.raises(InputError) as caught:
        problems.names()
    assert str(caught.value) == f"{path}: must be a list of combinations, each a list of recipes, or a list of recipes"


# --- released files -------------------------------------------------------------------------------


@pytest.fixture
def released(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shared / "benchmarks" / "recipe2plan"
    if not path.is_dir():
        pytest.skip(f"the original files of Recipe2Plan are missing ({path})")
    monkeypatch.setenv(registry.data_variable("recipe2plan"), str(path))


def unlabelled(problem: Instance) -> Instance:
    actions = [replace(action, label="") for action in problem.actions]
    return replace(problem, actions=tuple(actions))


@pytest.mark.usefixtures("released")
def test_released_files_give_the_bundled_problems_and_plans() -> None:
    assert problems.names() == problems.bundled_names()
    for name in problems.names():
        assert unlabelled(problems.load(name)) == unlabelled(problems.load_bundled(name))
        assert problems.reference_plan(name) == problems.bundled_plan(name)


@pytest.mark.usefixtures("released")
def test_released_files_give_the_sentences_of_the_steps() -> None:
    labels = [action.label for action in problems.load(COBBLER).actions]
    bundled_labels = [action.label for action in problems.load_bundled(COBBLER).actions]
    assert all(labels)
    assert not set(labels) & set(bundled_labels)
