"""Tasks of TimeArena: facts of the original, and combination, numbering and reservation of objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.timearena import replay

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.language import parse
from planoracle.instances.benchmarks.timearena.problems import Scenario, _facts, task_names, world
from planoracle.instances.benchmarks.timearena.rules import PROFILES
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.files import catalog
from planoracle.solver.exact.search import solve

RELEASED = PROFILES["released"]


@pytest.fixture(scope="session")
def originals(shared: Path) -> Path:
    folder = shared / "benchmarks" / "timearena"
    if not folder.is_dir():
        pytest.skip(f"no originals in {folder}")
    return folder


def original(folder: Path, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    return document


def bundled_form(task: dict[str, Any]) -> dict[str, Any]:
    """Convert an original task to the form of the bundled facts, without empty fields of roles."""

    def role(entry: dict[str, Any]) -> dict[str, Any]:
        needs = [[need[key] for key in ("object", "verb", "slot") if need[key] is not None] for need in entry["needs"]]
        states = [entry["before"], entry["after"]] if entry["before"] is not None else None
        fields = {"verb": entry["verb"], "slot": entry["slot"], "minutes": entry["minutes"]}
        return {key: value for key, value in (fields | {"needs": needs, "states": states}).items() if value}

    return {
        "label": task["label"],
        "occupying": [action["verb"] for action in task["actions"] if action["occupies_agent"]],
        "autonomous": [action["verb"] for action in task["actions"] if not action["occupies_agent"]],
        "objects": [{"name": one["name"], "roles": list(map(role, one["roles"]))} for one in task["objects"]],
    }


def reserved(scene: Scenario) -> list[str]:
    return [name for name, thing in scene.objects.items() if thing.reserved]


def test_three_scenarios_have_thirty_tasks() -> None:
    assert set(task_names()) == {f"{scenario}{n}" for scenario in problems.SCENARIOS for n in range(1, 11)}
    assert len(task_names()) == 30


def test_bundled_facts_equal_the_original(originals: Path) -> None:
    tasks = original(originals, "tasks.json")
    assert list(tasks) == list(task_names())
    for name, task in tasks.items():
        assert bundled_form(task) == _facts()[name], name


def test_durations_and_actions_agree_with_the_dependency_graph(originals: Path) -> None:
    graph = original(originals, "dependencygraph.json")
    assert set(graph) == set(task_names())
    for name, (minutes, _) in graph.items():
        scene = world(f"timearena/{name}")
        timed = [role.minutes for thing in scene.objects.values() for role in thing.roles.values() if role.minutes]
        assert scene.minutes == sum(minutes.values()), name
        assert sorted(timed) == sorted(minutes.values()), name


def test_dependency_graph_differs_from_tasks_in_five_listed_actions_only(originals: Path) -> None:
    """The environment uses tasks.json, so the bundled facts follow tasks.json where the graph differs."""
    spelling = {
        "fryer_1": "fryer",
        "pot_1": "pot",
        "water fruit_tree": "water fruit",
        "stir beaker with": "stir solution with",
    }
    differing = set()
    for name, (minutes, prerequisites) in original(originals, "dependencygraph.json").items():
        problem = problems.load(f"timearena/{name}", RELEASED)
        texts = {}
        for action in problem.actions:
            texts[action.id] = problems.command(action, 0)
            for ours, theirs in spelling.items():
                texts[action.id] = texts[action.id].replace(ours, theirs)
        # A trailing * marks autonomous actions.
        theirs_by_name = {key.removesuffix("*"): key for key in minutes}
        assert set(texts.values()) == theirs_by_name.keys(), name
        for action in problem.actions:
            key = theirs_by_name[texts[action.id]]
            before = [lag.before for lag in problem.lags if lag.after == action.id] + list(action.modes[0].after)
            if {texts[b] for b in before} != {need.removesuffix("*") for need in prerequisites.get(key, ())}:
                differing.add((name, texts[action.id], "prerequisites"))
            if problem_autonomous(name, action.id) != key.endswith("*"):
                differing.add((name, texts[action.id], "type"))
            assert action.duration == minutes[key]
    assert differing == {
        ("cooking6", "bake dish in oven", "prerequisites"),
        ("household6", "put suit on ironing_board", "prerequisites"),
        ("household6", "set_up ironing_board", "prerequisites"),
        ("household7", "pour coffee_machine into cup", "prerequisites"),
        ("lab5", "add aluminum_foil to beaker", "prerequisites"),
    }


def problem_autonomous(task: str, action: str) -> bool:
    """Return whether an action, named task/verb object [preposition], is of type 2."""
    words = action.partition("/")[2].split()
    return not world(f"timearena/{task}").verbs[" ".join(words[::2])]


def test_objects_are_numbered_in_order_of_occurrence_and_reserved_when_renamed() -> None:
    scene = world("timearena/cooking1+cooking2", RELEASED)
    expected = "rice beef pot_1 fryer_1 dish_1 noodle mushroom shrimp fryer_2 fryer_3 pot_2 dish_2"
    assert list(scene.objects) == expected.split()
    assert reserved(scene) == ["dish_1", "dish_2"]
    assert [thing.task for thing in scene.objects.values()] == ["cooking1"] * 5 + ["cooking2"] * 7


def test_prerequisites_refer_to_renamed_objects_of_their_task() -> None:
    scene = world("timearena/cooking2+cooking3")
    assert reserved(scene) == ["noodle_1", "dish_1", "noodle_2", "dish_2"]
    for number in "12":
        role = scene.objects[f"noodle_{number}"].roles["cook in", 1]
        assert role.needs == ((f"noodle_{number}", "pick", 0),)
        assert scene.objects[f"dish_{number}"].roles["add to", 2].needs == ((f"dish_{number}", "wash", 0),)
    kettles = world("timearena/household1+lab2+household3")
    for thing in kettles.objects.values():
        for role in thing.roles.values():
            for name, verb, slot in role.needs:
                assert kettles.objects[name].task == thing.task
                assert (verb, slot) in kettles.objects[name].roles


def test_shared_combinations_have_one_pot_fryer_and_oven() -> None:
    scene = world("timearena/shared/cooking1+cooking2")
    assert list(scene.objects) == ["rice", "beef", "pot", "fryer", "dish_1", "noodle", "mushroom", "shrimp", "dish_2"]
    assert reserved(scene) == ["dish_1", "dish_2"]
    ovens = world("timearena/shared/cooking4+cooking6")
    assert sum(thing.base == "oven" for thing in ovens.objects.values()) == 1
    assert "oven" in ovens.objects


def test_cooking2_and_cooking5_have_one_fryer_in_the_paper_profile() -> None:
    scene = world("timearena/cooking2", RELEASED)
    assert list(scene.objects) == ["noodle", "mushroom", "shrimp", "fryer_1", "fryer_2", "pot", "dish"]
    assert reserved(scene) == []
    assert list(world("timearena/cooking2").objects) == ["noodle", "mushroom", "shrimp", "fryer", "pot", "dish"]
    table_6 = world("timearena/cooking4+cooking5")
    assert sorted(table_6.objects) == sorted(
        ["dish_1", "dish_2", "dough", "cheese", "tomato", "oven", "chicken", "potato", "fryer"]
    )
    assert "fryer_2" in world("timearena/cooking7").objects  # the paper shows no prompt of it
    assert "fryer" in world("timearena/shared/cooking2").objects
    # Logs of the released environment number the single fryer.
    pair = world("timearena/cooking2+cooking5")
    assert parse("fry potato in fryer_4", pair) == ["fry potato in fryer_2"]
    assert parse(["fry shrimp in fryer_2"], world("timearena/cooking2")) == ["fry shrimp in fryer"]
    assert parse(["fry shrimp in fryer_2"], scene, RELEASED) == ["fry shrimp in fryer_2"]
    assert parse(["fry shrimp in fryer_3"], world("timearena/cooking2")) == ["fry shrimp in fryer_3"]


def test_second_object_must_be_prepared_in_the_paper_profile() -> None:
    decisions = ["activate kettle", "wash cup", "pour kettle into cup", "brew tea with teapot"]
    run, released = (replay("timearena/household1", decisions, rules=rules) for rules in PROFILES.values())
    assert (run.steps[-1].violation.kind, released.steps[-1].violation) == ("dependency_violation", None)
    washed = replay("timearena/household1", [*decisions[:3], "wash teapot", decisions[3]])
    assert not washed.verdict.violations
    plan = solve(problems.load("timearena/household1")).plan.split("\n")
    assert plan.index("wash teapot") < plan.index("brew tea with teapot")


def test_sets_contain_ninety_combinations() -> None:
    assert len(problems.names()) == len(set(problems.names())) == 90
    assert problems.scenario_set("cooking", 1)[0] == "timearena/cooking1"
    assert problems.scenario_set("cooking", 2)[-1] == "timearena/cooking10+cooking1"
    assert problems.scenario_set("lab", 3)[8:] == ("timearena/lab9+lab10+lab1", "timearena/lab10+lab1+lab2")
    assert all(problems.covers(name) for name in problems.names())


@pytest.mark.parametrize(
    "name",
    [
        "",
        "timearena",
        "timearena/",
        "timearena/shared",
        "timearena/shared/",
        "timearena/cooking11",
        "timearena/cooking0",
        "timearena/Cook1",
        "timearena/cooking1+",
        "timearena/+cooking1",
        "timearena/cooking1 + cooking2",
        "timearena/cooking1+cooking1",
        "timearena/cooking1+cooking2+cooking1",
        "timearena/cooking1/",
        "timearena//cooking1",
        "timearena/private/cooking1",
        "timearena/shared/shared/cooking1",
        "shared/cooking1",
        "cooking1",
        "recipe2plan/cooking1",
        "timearena/cooking1\0",
        "timearena/\ud800",
        "timearena/" + "+".join(["cooking1"] * 10_000),
    ],
)
def test_names_of_other_forms_are_rejected(name: str) -> None:
    with pytest.raises(UnknownNameError):
        world(name)
    assert not problems.covers(name)
    with pytest.raises(UnknownNameError):
        catalog.load(name)


def test_catalogue_loads_combinations() -> None:
    assert catalog.expand(["timearena"]) == list(problems.names())
    name, among = "timearena/lab2+cooking3+household10", "timearena/shared/cooking1+cooking2"
    assert catalog.expand([name, among, name]) == [name, among]
    assert len(catalog.expand(["timearena/lab*"])) == 30
    for each in (name, among):
        problem = catalog.load(each)
        assert problem.name == each
        assert problem.benchmark == "timearena"
        assert problem.time_limit == 40 * len(world(each).tasks)
        assert sum(action.duration for action in problem.actions) == world(each).minutes
    with pytest.raises(UnknownNameError, match="no problem, set or file has this name"):
        catalog.expand(["timearena/cooking1+cooking99"])
