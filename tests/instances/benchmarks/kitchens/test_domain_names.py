"""Actions in the names of the domain, in every notation in which planners and models write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planoracle.analysis.grading.grader import Grader
from planoracle.instances.benchmarks.kitchens.domain import bundled
from planoracle.instances.benchmarks.kitchens.domain_names import hidden_station
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen
from planoracle.instances.benchmarks.kitchens.language import extract, match, reading
from planoracle.instances.files import catalog
from tests.support.plan_formats import optimal_steps

BURGER = "robotouille/synchronous/3_burger"
SANDWICH = "robotouille/asynchronous/0_cheese_chicken_sandwich"
SOUP = "robotouille/asynchronous/5_potato_soup"
MOVE = "Move robot1 from table1 to stove1"


def kitchen(name: str = SANDWICH) -> Kitchen:
    problem = catalog.problem(name)
    assert isinstance(problem, Kitchen)
    return problem


def commands(plan: object, name: str = SANDWICH, profile: str = "paper") -> list[str]:
    return reading(kitchen(name), plan, PROFILES[profile]).commands


@pytest.mark.parametrize(
    ("entry", "command"),
    [
        ("move robot1 table1 stove1", MOVE),
        ("(move robot1 table1 stove1)", MOVE),
        ("move(robot1, table1, stove1)", MOVE),
        ("Move(robot_1, table_1, stove_1).", MOVE),
        ("MOVE robot-1 table-1 stove-1", MOVE),
        ("move robot 1 table 1 stove 1", MOVE),
        ("(move ?robot1 ?table1 ?stove1)", MOVE),
        ("3. move robot1 table1 stove1", MOVE),
        ("move robot table1 stove1", MOVE),
        ("move table1 stove1", MOVE),
        ("move table1 stove robot1", MOVE),
        (["move", "robot1", "table1", "stove1"], MOVE),
        ({"action": "move", "args": ["robot1", "table1", "stove1"]}, MOVE),
        ({"name": "move", "arguments": {"s1": "table1", "p1": "robot1", "s2": "stove1"}}, MOVE),
        ({"step": 1, "action": "move", "to": "stove1", "from": "table1", "robot": "robot1"}, MOVE),
        ("0: MOVE ROBOT1 TABLE1 STOVE1", MOVE),
        ("0.000: (move robot1 table1 stove1)  [1.000]", MOVE),
        ("Move robot_1 from table_1 to stove 1", MOVE),
        ("pick-up robot1 chicken1 table2", "Pick up chicken1 from table2 using robot1"),
        ("pick_up_item robot1 chicken1 table2", "Pick up chicken1 from table2 using robot1"),
        ("pickup robot1 chicken1 table2", "Pick up chicken1 from table2 using robot1"),
        ("PickUp(robot1, chicken, table2)", "Pick up chicken1 from table2 using robot1"),
        ("pick-up-container robot1 pot1 table2", "Pick up pot1 from table2 using robot1"),
        ("place robot1 chicken1 table2", "Place chicken1 on table2 using robot1"),
        ("unstack robot_1 bread_2 bread_1 table_1", "Unstack bread2 from bread1 using robot1 (at table1)"),
        ("stack robot1 bread2 chicken1", "Stack bread2 on top of chicken1 using robot1"),
        ("fill-pot robot_1 pot_1 water_1 sink_1", "Fill pot1 with water from sink1 using robot1"),
        ("boil-water robot_1 pot_1 water_7 stove_1", "Boil pot1's contents on stove1 using robot1"),
        ("add-to robot_1 potato_1 water_1 pot_1 stove_1", "Add potato1 into pot1 using robot1 (at stove1)"),
        (
            "fill-bowl robot_1 bowl_1 pot_1 water_1 stove_1",
            "Fill bowl1 with pot1's contents using robot1 (at stove1)",
        ),
        ("wait", "Do nothing"),
        ("(wait robot1)", "Do nothing"),
        ("wait()", "Do nothing"),
    ],
)
def test_action_in_the_names_of_the_domain_is_read(entry: Any, command: str) -> None:
    plans = [[entry], json.dumps([entry, entry]), f"1. {entry}" if isinstance(entry, str) else json.dumps([entry])]
    for plan in plans:
        assert set(commands(plan)) == {command}
    as_command = commands([command])
    assert as_command == [command]


@pytest.mark.parametrize(
    "entry",
    [
        "move robot1 table1",
        "cook robot1 stove1",
        "move robot1 table1 chicken1",
        "stack robot1 bread2",
        "place robot1 chicken1 table2 table3",
        "pick-up robot1 bread table1",
        "Wait, let me think.",
        "Cook the patty on the stove",
    ],
)
def test_incomplete_or_ambiguous_action_is_unread(entry: str) -> None:
    row = Grader().grade({"id": "x", "instance": SANDWICH, "actions": [entry, entry]}).row()
    assert not row["scored"]
    assert f"a line that can be read is '{MOVE[:-6]}" in row["reason"]


def test_optimal_plan_in_the_names_of_the_domain_succeeds_with_the_same_makespan() -> None:
    for name in (BURGER, SOUP):
        plan = list(optimal_steps(name).texts)
        row = (
            Grader()
            .grade({"id": "x", "instance": name, "actions": [in_domain_names(name, action) for action in plan]})
            .row()
        )
        assert (row["success"], row["makespan"]) == (True, len(plan))


def in_domain_names(name: str, action: str) -> str:
    """Write an action in the names of the domain, with separators before numbers."""
    schema, binding = match(action, kitchen(name).domain)[0]
    kinds = dict(schema.params)
    order = sorted(binding, key=lambda param: (["player", "item", "container", "station"].index(kinds[param]), param))
    words = [
        binding[param].rstrip("0123456789") + "_" + binding[param].lstrip("abcdefghijklmnopqrstuvwxyz")
        for param in order
    ]
    return " ".join([schema.name, *words])


def test_action_at_another_station_than_stated_is_refused() -> None:
    plan = ["unstack robot1 bread2 bread1 table1", "move robot1 table1 stove1", "place robot1 bread2 stove1"]
    right = Grader().run({"instance": SANDWICH, "actions": plan})
    wrong = Grader().run({"instance": SANDWICH, "actions": ["unstack robot1 bread2 bread1 table2", *plan[1:]]})
    assert not right.verdict.violations
    assert [violation.kind for violation in wrong.verdict.violations] == ["precondition", "precondition"]


def test_profile_released_refuses_the_names_of_the_domain_in_lists_as_the_simulator_does() -> None:
    assert commands(["move robot1 table1 stove1"], profile="released") == ["move robot1 table1 stove1"]


def test_every_action_is_written_and_read_with_its_station() -> None:
    for action in bundled().actions:
        kinds = {"item": "onion", "station": "stove", "container": "pot", "player": "robot", "meal": "water"}
        binding = {param: f"{kinds[kind]}{i}" for i, (param, kind) in enumerate(action.params)}
        station = hidden_station(action)
        text = action.write(binding) + (f" (at {binding[station]})" if station else "")
        assert extract(f"- {text}", bundled()) == [text]
        assert [
            schema for schema, named in match(text, bundled()) if station is None or named[station] == binding[station]
        ]
