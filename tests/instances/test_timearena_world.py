"""The tasks of TimeArena: the same facts as the original's, combined, numbered and reserved as by its rules."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances import catalogue
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.timearena import encode, sets
from planoracle.instances.timearena.reader import GraphAction, read_dependency_graph, read_tasks
from planoracle.instances.timearena.world import World, _facts, task_names, world


@pytest.fixture(scope="session")
def originals(shared: Path) -> Path:
    folder = shared / "benchmarks" / "timearena"
    if not folder.is_dir():
        pytest.skip(f"no originals in {folder}")
    return folder


def reserved(scene: World) -> list[str]:
    return [name for name, thing in scene.objects.items() if thing.reserved]


def test_there_are_thirty_tasks_in_three_scenarios() -> None:
    assert set(task_names()) == {f"{scenario}{n}" for scenario in sets.SCENARIOS for n in range(1, 11)}
    assert len(task_names()) == 30


def test_bundled_facts_are_those_of_the_original(originals: Path) -> None:
    read = read_tasks(originals / "tasks.json")
    assert list(read) == list(task_names())
    for name, task in read.items():
        assert task == _facts()[name], name


def test_minutes_and_actions_agree_with_the_dependency_graph(originals: Path) -> None:
    graph = read_dependency_graph(originals / "dependencygraph.json")
    assert set(graph) == set(task_names())
    for name, actions in graph.items():
        scene = world(f"timearena/{name}")
        timed = [role.minutes for thing in scene.objects.values() for role in thing.roles.values() if role.minutes]
        assert scene.minutes == sum(action.minutes for action in actions), name
        assert sorted(timed) == sorted(action.minutes for action in actions), name


def test_the_dependency_graph_contradicts_the_environment_in_known_places_only(originals: Path) -> None:
    """The environment runs on tasks.json; where the graph says otherwise, tasks.json holds."""
    spelling = {
        "fryer_1": "fryer",
        "pot_1": "pot",
        "water fruit_tree": "water fruit",
        "stir beaker with": "stir solution with",
    }
    differing = set()
    for name, actions in read_dependency_graph(originals / "dependencygraph.json").items():
        problem = encode.load(f"timearena/{name}")
        said = {}
        for action in problem.actions:
            said[action.id] = encode.command(action, 0)
            for ours, theirs in spelling.items():
                said[action.id] = said[action.id].replace(ours, theirs)
        assert set(said.values()) == {action.name for action in actions}, name
        theirs_by_name = {action.name: action for action in actions}
        for action in problem.actions:
            graph = theirs_by_name[said[action.id]]
            before = [lag.before for lag in problem.lags if lag.after == action.id] + list(action.modes[0].after)
            if {said[b] for b in before} != set(graph.after):
                differing.add((name, graph.name, "prerequisites"))
            if problem_autonomous(name, action.id) != graph.autonomous:
                differing.add((name, graph.name, "type"))
            assert action.duration == graph.minutes
    assert differing == {
        ("cooking6", "bake dish in oven", "prerequisites"),
        ("household6", "put suit on ironing_board", "prerequisites"),
        ("household6", "set_up ironing_board", "prerequisites"),
        ("household7", "pour coffee_machine into cup", "prerequisites"),
        ("lab5", "add aluminum_foil to beaker", "prerequisites"),
    }


def problem_autonomous(task: str, action: str) -> bool:
    """Whether an action, named task/verb object [preposition], is of type 2."""
    words = action.partition("/")[2].split()
    return not world(f"timearena/{task}").verbs[" ".join(words[::2])]


def test_objects_are_numbered_in_order_of_occurrence_and_reserved_when_renamed() -> None:
    scene = world("timearena/cooking1+cooking2")
    expected = "rice beef pot_1 fryer_1 dish_1 noodle mushroom shrimp fryer_2 fryer_3 pot_2 dish_2"
    assert list(scene.objects) == expected.split()
    assert reserved(scene) == ["dish_1", "dish_2"]
    assert [thing.task for thing in scene.objects.values()] == ["cooking1"] * 5 + ["cooking2"] * 7


def test_prerequisites_follow_the_renaming_inside_their_task() -> None:
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


def test_shared_leaves_one_pot_fryer_and_oven() -> None:
    scene = world("timearena/shared/cooking1+cooking2")
    assert list(scene.objects) == ["rice", "beef", "pot", "fryer", "dish_1", "noodle", "mushroom", "shrimp", "dish_2"]
    assert reserved(scene) == ["dish_1", "dish_2"]
    ovens = world("timearena/shared/cooking4+cooking6")
    assert sum(thing.base == "oven" for thing in ovens.objects.values()) == 1
    assert "oven" in ovens.objects


def test_two_fryers_of_one_task() -> None:
    scene = world("timearena/cooking2")
    assert list(scene.objects) == ["noodle", "mushroom", "shrimp", "fryer_1", "fryer_2", "pot", "dish"]
    assert reserved(scene) == []
    assert "fryer" in world("timearena/shared/cooking2").objects


def test_minutes_of_a_combination_are_those_of_its_tasks() -> None:
    for name in sets.names():
        scene = world(name)
        assert scene.minutes == sum(world(f"timearena/{task}").minutes for task in scene.tasks)


def test_the_ninety_sets() -> None:
    assert len(sets.names()) == len(set(sets.names())) == 90
    assert sets.scenario_set("cooking", 1)[0] == "timearena/cooking1"
    assert sets.scenario_set("cooking", 2)[-1] == "timearena/cooking10+cooking1"
    assert sets.scenario_set("lab", 3)[8:] == ("timearena/lab9+lab10+lab1", "timearena/lab10+lab1+lab2")
    assert all(sets.covers(name) for name in sets.names())


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
        "timearena/Cooking1",
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
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UnknownNameError):
        world(name)
    assert not sets.covers(name)
    with pytest.raises(UnknownNameError):
        catalogue.load(name)


def test_catalogue_knows_combinations() -> None:
    assert catalogue.expand(["timearena"]) == list(sets.names())
    name, among = "timearena/lab2+cooking3+household10", "timearena/shared/cooking1+cooking2"
    assert catalogue.expand([name, among, name]) == [name, among]
    assert len(catalogue.expand(["timearena/lab*"])) == 30
    for each in (name, among):
        problem = catalogue.load(each)
        assert problem.name == each
        assert problem.benchmark == "timearena"
        assert problem.time_limit == 40 * len(world(each).tasks)
        assert sum(action.duration for action in problem.actions) == world(each).minutes
    with pytest.raises(UnknownNameError, match="names no problem"):
        catalogue.expand(["timearena/cooking1+cooking99"])


TEA: dict[str, Any] = {
    "scenario": "household",
    "label": "tea",
    "actions": [
        {"verb": "boil", "usage": "boil OBJ", "occupies_agent": False},
        {"verb": "pour into", "usage": "pour OBJ1 into OBJ2", "occupies_agent": True},
    ],
    "objects": [
        {
            "name": "water",
            "roles": [
                {"verb": "boil", "slot": None, "minutes": 3, "needs": [], "before": "cold", "after": "hot"},
                {
                    "verb": "pour into",
                    "slot": 1,
                    "minutes": 1,
                    "needs": [{"object": "water", "verb": "boil", "slot": None}],
                    "before": None,
                    "after": None,
                },
            ],
        },
        {
            "name": "cup",
            "roles": [{"verb": "pour into", "slot": 2, "minutes": 0, "needs": [], "before": "empty", "after": "full"}],
        },
    ],
}


def written(folder: Path, document: Any) -> Path:
    path = folder / "original.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_good_tasks_are_read(tmp_path: Path) -> None:
    assert read_tasks(written(tmp_path, {"tea": TEA})) == {
        "tea": {
            "label": "tea",
            "occupying": ["pour into"],
            "autonomous": ["boil"],
            "objects": [
                {
                    "name": "water",
                    "roles": [
                        {"verb": "boil", "minutes": 3, "states": ["cold", "hot"]},
                        {"verb": "pour into", "slot": 1, "minutes": 1, "needs": [["water", "boil"]]},
                    ],
                },
                {"name": "cup", "roles": [{"verb": "pour into", "slot": 2, "states": ["empty", "full"]}]},
            ],
        }
    }


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ([], [], "document"),
        (["tea"], 5, "tea"),
        (["tea", "more"], 5, "tea"),
        (["tea", "label"], 5, "tea.label"),
        (["tea", "actions"], {}, "tea.actions"),
        (["tea", "actions"], [], "tea.actions"),
        (["tea", "actions", 0, "verb"], "boil it up", "tea.actions[0].verb"),
        (["tea", "actions", 0, "verb"], "pour into", "tea.actions[1].verb"),
        (["tea", "actions", 0, "occupies_agent"], 1, "tea.actions[0].occupies_agent"),
        (["tea", "objects"], None, "tea.objects"),
        (["tea", "objects", 1, "name"], "big cup", "tea.objects[1].name"),
        (["tea", "objects", 1, "roles"], [], "tea.objects[1].roles"),
        (["tea", "objects", 1, "roles", 0], "x", "tea.objects[1].roles[0]"),
        (["tea", "objects", 1, "roles", 0, "verb"], "fry", "tea.objects[1].roles[0].verb"),
        (["tea", "objects", 1, "roles", 0, "verb"], ["fry"], "tea.objects[1].roles[0].verb"),
        (["tea", "objects", 1, "roles", 0, "slot"], None, "tea.objects[1].roles[0].slot"),
        (["tea", "objects", 1, "roles", 0, "slot"], True, "tea.objects[1].roles[0].slot"),
        (["tea", "objects", 1, "roles", 0, "slot"], 3, "tea.objects[1].roles[0].slot"),
        (["tea", "objects", 0, "roles", 0, "minutes"], -1, "tea.objects[0].roles[0].minutes"),
        (["tea", "objects", 0, "roles", 0, "minutes"], 1.5, "tea.objects[0].roles[0].minutes"),
        (["tea", "objects", 0, "roles", 0, "minutes"], True, "tea.objects[0].roles[0].minutes"),
        (["tea", "objects", 0, "roles", 0, "before"], 7, "tea.objects[0].roles[0].before"),
        (["tea", "objects", 0, "roles", 1, "needs"], "boil", "tea.objects[0].roles[1].needs"),
        (["tea", "objects", 0, "roles", 1, "needs", 0, "slot"], "1", "tea.objects[0].roles[1].needs[0]"),
        (["tea", "objects", 0, "roles", 1, "needs", 0, "object"], None, "tea.objects[0].roles[1].needs[0]"),
        (["tea", "objects", 0, "roles", 1, "needs", 0, "object"], "milk", "tea.objects[0].roles[1].needs"),
    ],
)
def test_faults_in_tasks_are_named(tmp_path: Path, path: list[Any], value: Any, field: str) -> None:
    check_fault(tmp_path, read_tasks, {"tea": TEA}, path, value, field)


GRAPH: dict[str, Any] = {
    "tea": [{"boil water*": 3, "pour water into cup": 1}, {"pour water into cup": ["boil water*"]}]
}


def test_good_graph_is_read(tmp_path: Path) -> None:
    assert read_dependency_graph(written(tmp_path, GRAPH)) == {
        "tea": (
            GraphAction("boil water", 3, True, ()),
            GraphAction("pour water into cup", 1, False, ("boil water",)),
        )
    }


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ([], None, "document"),
        (["tea"], {}, "tea"),
        (["tea"], [{}], "tea"),
        (["tea", 0], [], "tea[0]"),
        (["tea", 0, "boil water"], 3, "tea[0]"),
        (["tea", 0, "boil water*"], 0, "tea[0].boil water*"),
        (["tea", 0, "boil water*"], "3", "tea[0].boil water*"),
        (["tea", 1, "drink"], [], "tea[1].drink"),
        (["tea", 1, "pour water into cup"], "boil water*", "tea[1].pour water into cup"),
        (["tea", 1, "pour water into cup"], ["boil water"], "tea[1].pour water into cup"),
        (["tea", 1, "pour water into cup"], [[]], "tea[1].pour water into cup"),
    ],
)
def test_faults_in_graphs_are_named(tmp_path: Path, path: list[Any], value: Any, field: str) -> None:
    check_fault(tmp_path, read_dependency_graph, GRAPH, path, value, field)


def check_fault(folder: Path, read: Any, good: Any, path: list[Any], value: Any, field: str) -> None:
    document = {"document": deepcopy(good)}
    at: Any = document
    *above, last = ["document", *path]
    for step in above:
        at = at[step]
    at[last] = value
    file = written(folder, document["document"])
    with pytest.raises(InputError) as caught:
        read(file)
    assert caught.value.source == str(file)
    assert str(caught.value.field).startswith(field)


@pytest.mark.parametrize("read", [read_tasks, read_dependency_graph])
def test_files_that_are_no_json_or_absent_are_refused(tmp_path: Path, read: Any) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "absent.json")
    (tmp_path / "broken.json").write_text('{"tea": ', encoding="utf-8")
    with pytest.raises(InputError, match="is not JSON"):
        read(tmp_path / "broken.json")
