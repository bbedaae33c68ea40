"""Domain and kitchens of Robotouille: bundled files, simulator files, our format, and faults in each."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen
from planoracle.instances.benchmarks.kitchens.problems import json_schema, kitchen_from_document, to_document
from planoracle.instances.benchmarks.kitchens.robotouille import Robotouille
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.benchmarks.kitchens.simulator_files import environment_from_document
from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import fingerprint
from planoracle.solver.kitchens.astar import plan
from tests.support.robotouille import KITCHENS, document, kitchen, min_steps_of
from tests.support.robotouille_originals import load_kitchen


def raw(**more: Any) -> dict[str, Any]:
    """Return an environment file without numbers in names, in arbitrary order."""
    return {
        "version": "1.0.0",
        "width": 4,
        "config": {"cook_time": {"patty": 9, "default": 3}},
        "stations": [
            {"name": "table", "x": 3, "y": 0, "id": "serve"},
            {"name": "stove", "x": 1, "y": 2},
            {"name": "table", "x": 1, "y": 0},
        ],
        "items": [
            {"name": "patty", "x": 1, "y": 2, "stack-level": 0, "predicates": ["iscookable"]},
            {"name": "topbun", "x": 1, "y": 0, "stack-level": 1},
            {"name": "bottombun", "x": 1, "y": 0, "stack-level": 0},
            {"name": "cheese", "x": 0, "y": 3, "stack-level": 0},
        ],
        "players": [{"name": "robot", "x": 3, "y": 1, "direction": [0, -1]}],
        "containers": [{"name": "pot", "x": 3, "y": 1}, {"name": "bowl", "x": 3, "y": 0}],
        "meals": [{"name": "water", "x": 3, "y": 1}],
        "goal_description": "A burger for the guest",
        "goal": [
            {"predicate": "atop", "args": ["patty", "bottombun"], "ids": [1, 2]},
            {"predicate": "item_at", "args": ["patty", "table"], "ids": ["1", "serve"]},
        ],
    } | more


def read(entry: Any) -> Kitchen:
    return environment_from_document(entry, "file.json", "test")


def test_every_original_file_round_trips(shared: Path) -> None:
    paths = sorted((shared / "benchmarks" / "robotouille").glob("*/*.json"))
    assert len(paths) == 72
    for path in paths:
        original = load_kitchen(path)
        written = to_document(original)
        assert kitchen_from_document(json.loads(json.dumps(written)), "copy") == original
        assert not {"more", "less", "elsewhere"} & written.keys(), path.name
        assert all(original.candidates.values())
        assert trace(original, ["Do nothing"]).steps[0].valid


@pytest.mark.parametrize("name", KITCHENS)
def test_kitchen_files_round_trip(name: str, tmp_path: Path) -> None:
    written = to_document(KITCHENS[name])
    path = tmp_path / "kitchen.json"
    path.write_text(json.dumps(written))
    assert load_kitchen(path) == KITCHENS[name]
    assert hash(load_kitchen(path)) == hash(KITCHENS[name])
    assert to_document(load_kitchen(path)) == written


def test_simulator_environment_is_converted() -> None:
    converted = read(raw())
    assert to_document(converted) == {
        "format": "planoracle/kitchen",
        "version": 1,
        "name": "test",
        "benchmark": "robotouille",
        "text": "A burger for the guest",
        "stations": {"stove1": ["patty1"], "table1": ["bottombun1", "topbun1"], "table2": ["bowl1"]},
        "players": {"robot1": {"at": "table2", "holds": "pot1"}},
        "containers": {"pot1": ["water1"]},
        "elsewhere": ["cheese1"],
        "traits": {"patty1": ["iscookable"]},
        "goal": [["atop", "patty#1", "bottombun#2"], ["item_at", "patty#1", "table2"]],
        "config": {"cook_time": {"default": 3, "patty": 9}},
    }
    assert ("clear", "topbun1") in converted.facts
    assert ("clear", "bottombun1") not in converted.facts
    assert {("vacant", "table1"), ("station_empty", "table2")} & converted.facts == {("vacant", "table1")}
    assert ("container_empty", "bowl1") in converted.facts


def test_config_sets_numbers_of_cuts_and_steps() -> None:
    usual = {"num_cuts": {"default": 3, "lettuce": 3}, "cook_time": {"default": 3, "patty": 3}}
    standard = read(raw(config=usual, _task="burger"))
    assert (standard, fingerprint(standard)) == (read(raw(config={})), fingerprint(read(raw(config={}))))
    stations = {"stove1": ["patty1"], "stove2": ["chicken1"], "board1": ["lettuce1"], "board2": ["tomato1"]}
    traits = {name: ["iscookable", "iscuttable"] for (name,) in stations.values()}
    config = {"num_cuts": {"default": 2, "lettuce": 5}, "cook_time": {"patty": 1}}
    for goal, steps in (("iscut lettuce", 6), ("iscut tomato", 3), ("iscooked patty", 2), ("iscooked chicken", 5)):
        one = kitchen(stations, traits=traits, config=config, goal=[f"{goal}#1".split()])
        assert plan(one).makespan == min_steps_of(one, PROFILES["released"]) == steps, goal


def test_numbered_names_keep_their_order() -> None:
    numbered = deepcopy(raw())
    numbered["players"] = [
        {"name": "robot2", "x": 3, "y": 1, "direction": [0, -1]},
        {"name": "robot1", "x": 1, "y": 1, "direction": [0, 1]},
    ]
    numbered["stations"] = [
        {"name": "table7", "x": 3, "y": 0, "id": "serve"},
        {"name": "stove1", "x": 1, "y": 2},
        {"name": "table2", "x": 1, "y": 0},
    ]
    converted = read(numbered)
    assert converted.players == ("robot2", "robot1")
    assert [name for name, its_type in converted.objects if its_type == "station"] == ["stove1", "table2", "table7"]
    assert ("loc", "robot1", "stove1") in converted.facts
    assert ("item_at", "patty#1", "table7") in converted.goal.conditions


def test_role_candidates_include_objects_created_later() -> None:
    soup = kitchen(
        {"table1": ["bread1", "bread2"]},
        goal=[["in", "water#a", "bowl#1"], ["clear", "bread#1"], ["in", "water#b", "bowl#2"]],
        elsewhere=["bowl1"],
    )
    assert soup.candidates == {
        "bread#1": ("bread1", "bread2"),
        "water#a": ("water1", "water2"),
        "water#b": ("water1", "water2"),
        "bowl#1": (),
        "bowl#2": (),
    }


def test_id_of_two_kinds_belongs_to_the_first_kind() -> None:
    goal = [
        {"predicate": "iscut", "args": ["lettuce"], "ids": [3]},
        {"predicate": "atop", "args": ["bread", "cheese"], "ids": [4, 3]},
    ]
    converted = read(raw(goal=goal)).goal
    assert converted.conditions == (("atop", "bread#4", "lettuce#3"), ("iscut", "lettuce#3"))
    assert converted.extra_roles == ("cheese#3",)


def test_text_id_names_an_object_of_any_kind() -> None:
    goal = [{"predicate": "loc", "args": ["robot", "station"], "ids": [1, "serve"]}]
    assert read(raw(goal=goal)).goal.conditions == (("loc", "robot#1", "table2"),)


def test_facts_outside_the_layout_round_trip() -> None:
    odd = kitchen({"table1": ["bread1"]}, more=[["clear", "bread2"]], less=[["vacant", "table1"]], elsewhere=["bread2"],
                  players={"robot1": {}})  # fmt: skip
    assert ("vacant", "table1") not in odd.facts
    assert kitchen_from_document(to_document(odd), "copy") == odd
    both = read(raw(players=[{"name": "robot", "x": 1, "y": 0, "direction": [0, 1]}]))  # stands on the burger
    assert {("has_item", "robot1", "topbun1"), ("atop", "topbun1", "bottombun1")} <= both.facts
    assert kitchen_from_document(to_document(both), "copy") == both


def _fault(entry: Any, location: str, word: str, reader: Any = read) -> None:
    with pytest.raises(InputError) as caught:
        reader(entry)
    assert location in str(caught.value), str(caught.value)
    assert word in str(caught.value), str(caught.value)


@pytest.mark.parametrize(
    ("change", "location", "word"),
    [
        ({"stations": 3}, "stations", "list"),
        ({"config": {"cook_times": {"patty": 2}}}, "config", "cook_time"),
        ({"config": {"num_cuts": {"sofa": 2}}}, "config.num_cuts", "sofa"),
        ({"config": {"fry_time": {"default": 0}}}, "config.fry_time.default", "1"),
        ({"cofig": {}}, "cofig", "did you mean"),
        ({"stations": [{"name": "table", "x": 1, "y": 0, "cook_time": 3}]}, "stations[0].cook_time", "unknown key"),
        ({"version": "2.0.0"}, "version", "1.0.0"),
        ({"players": []}, "objects", "player"),
        ({"players": [{"name": "robot", "x": 0, "y": 0}]}, "players[0].direction", "two whole numbers"),
        ({"items": [{"name": "sofa", "x": 0, "y": 0}]}, "items[0].name", "sofa"),
        ({"items": [{"name": "item", "x": 0, "y": 0}]}, "items[0].name", "random"),
        ({"items": [{"name": "stove", "x": 0, "y": 0}]}, "items[0].name", "type item"),
        ({"items": [{"name": "bread", "x": 0.5, "y": 0}]}, "items[0].x", "0.5"),
        ({"items": [{"name": "bread", "x": 1, "y": 0}]}, "items[0].stack-level", "missing"),
        ({"items": [{"name": "bread1", "x": 9, "y": 0}, {"name": "bread", "x": 9, "y": 0}]}, "items", "number"),
        ({"items": [{"name": "bread1", "x": 9, "y": 0}] * 2}, "items[1].name", "twice"),
        ({"items": [{"name": "bread", "x": 9, "y": 0, "predicates": ["isboiling"]}]}, "items[0].pred", "isboiling"),
        ({"stations": [{"name": "table", "x": 1, "y": 1}] * 2}, "stations[1]", "already"),
        ({"goal": [{"predicate": "atop", "args": ["patty"], "ids": [1]}]}, "goal", "2 arguments"),
        ({"goal": [{"predicate": "atop", "args": ["patty", "bread"], "ids": [1]}]}, "goal[0].ids", "as many"),
        ({"goal": [{"predicate": "ison", "args": ["patty"], "ids": [1]}]}, "goal", "no such predicate"),
        ({"goal": [{"predicate": "iscut", "args": ["sofa"], "ids": [1]}]}, "goal[0].args", "sofa"),
        ({"goal": [{"predicate": "iscut", "args": ["item"], "ids": [1]}]}, "goal[0].args", "item"),
        ({"goal": [{"predicate": "iscut", "args": ["patty"], "ids": ["x"]}]}, "goal[0].ids", "this id"),
        ({"goal": [{"predicate": "iscut", "args": ["patty"], "ids": [1.5]}]}, "goal[0].ids[0]", "1.5"),
        ({"goal": [{"predicate": "item_on", "args": ["patty", "table"], "ids": [1, 1]}]}, "goal", "type item"),
    ],
)
def test_faulty_environments_are_rejected(change: dict[str, Any], location: str, word: str) -> None:
    _fault(raw(**change), f"file.json: {location}", word)


@pytest.mark.parametrize(
    ("change", "location", "word"),
    [
        ({"version": 2}, "version", "must be 1"),
        ({"colour": 1}, "colour", "unknown key"),
        ({"stations": {"table1": "bread1"}}, "stations.table1", "list"),
        ({"stations": {"table": []}}, "stations", "like stove2"),
        ({"stations": {"sofa1": []}}, "stations", "sofa1"),
        ({"stations": {"bread1": []}}, "stations", "type station"),
        ({"stations": {"table1": ["table2"]}}, "stations.table1", "type item or container"),
        ({"players": {"pot1": {}}}, "players", "type player"),
        ({"players": {"robot1": {"holds": "water1"}}}, "players.robot1.holds", "water1"),
        ({"containers": {"pot1": ["bread1"]}}, "containers.pot1", "type meal"),
        ({"stations": {"table1": ["bread1", "bread1"]}}, "stations.table1", "already"),
        ({"players": {"robot1": {"at": "table9"}}}, "players.robot1.at", "table9"),
        ({"players": {}}, "objects", "player"),
        ({"elsewhere": ["table2"]}, "elsewhere", "table2"),
        ({"traits": {"bread7": ["iscut"]}}, "traits", "bread7"),
        ({"traits": {"bread1": ["isnice"]}}, "facts", "isnice"),
        ({"goal": [["item_on", "bread#1"]]}, "goal", "2 arguments"),
        ({"goal": [["clear", "bread#"]]}, "goal", "label"),
        ({"goal": [["clear", "bread9"]]}, "goal", "not an object"),
        ({"roles": ["sofa#1"]}, "goal", "sofa#1"),
        ({"more": [["clear", "bread1"]]}, "more[0]", "already"),
        ({"less": [["clear", "table1"]]}, "less[0]", "not follow"),
    ],
)
def test_faulty_kitchen_files_are_rejected(change: dict[str, Any], location: str, word: str) -> None:
    entry = document({"table1": ["bread1"]}) | change
    _fault(entry, f"own.json: {location}", word, lambda content: kitchen_from_document(content, "own.json"))


@pytest.mark.parametrize("entry", [None, [], 3, "x", {}, {"stations": []}])
def test_documents_that_are_not_kitchens_are_rejected(entry: Any, tmp_path: Path) -> None:
    path = tmp_path / "kitchen.json"
    path.write_text(json.dumps(entry))
    with pytest.raises(InputError, match=r"kitchen\.json"):
        load_kitchen(path)


def test_documented_example_round_trips() -> None:
    example = json.loads((Robotouille.__doc__ or "").split("```json")[1].split("```")[0])
    toast = kitchen_from_document(example, "example")
    assert to_document(toast) == example | {"goal": sorted(example["goal"])}


def test_json_schema_contains_every_field() -> None:
    assert set(json_schema()["properties"]) == {
        *("$schema", "format", "version", "name", "benchmark", "text", "stations", "players", "containers"),
        *("elsewhere", "traits", "goal", "roles", "more", "less", "config", "domain"),
    }
