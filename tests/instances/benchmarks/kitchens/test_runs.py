"""Runs as schedules, and the errors of kitchens that are built from Python."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planoracle.instances.benchmarks.kitchens.domain import bundled
from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen
from planoracle.instances.benchmarks.kitchens.run import as_schedule
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry
from tests.support.robotouille import kitchen

BENCHMARK = registry.get("robotouille")
TOAST = kitchen(
    {"table1": ["bread1"], "stove1": ["patty1"], "board1": []},
    players={"robot1": {"at": "table1"}, "robot2": {"at": "board1"}},
    traits={"patty1": ["iscookable"]},
    goal=[["atop", "patty#1", "bread#1"]],
)
PICK, PLACE = "Pick up bread1 from table1 using robot2", "Place bread1 on table1 using robot2"
PLAN = [
    *("Move robot1 from table1 to stove1", "Move robot2 from board1 to table1", "Cook patty1 on stove1 using robot1"),
    *("Fly", PICK, "Do nothing", PLACE, "Do nothing", PICK),
]


def test_legal_actions_of_a_run_are_a_schedule_with_stations_as_resources() -> None:
    run = BENCHMARK.run(TOAST, {"id": "1", "instance": "test", "plan": PLAN}, BENCHMARK.rules.profile("released"))
    instance, schedule = as_schedule(run)
    rows = []
    for action in instance.actions:
        stations = [demand.resource for demand in action.modes[0].demands]
        rows.append((action.id, action.task, action.duration, action.attended, action.label, stations))
    assert rows == [
        ("move/1", "move", 1, 1, PLAN[0], []),
        ("move/2", "move", 1, 1, PLAN[1], []),
        ("cook/3", "cook", 1, 1, PLAN[2], ["stove1"]),
        ("pick-up-item/4", "pick-up-item", 1, 1, PICK, ["table1"]),
        ("wait/5", "wait", 1, 1, "Do nothing", []),
        ("place-item/6", "place-item", 1, 1, PLACE, ["table1"]),
    ]
    assert (instance.name, instance.agents, instance.unit, instance.lags) == ("test", TOAST.agents, "step", ())
    assert [resource.name for resource in instance.resources] == ["stove1", "table1"]
    pieces = [(piece.action.partition("/")[2], piece.start, piece.duration, piece.agent) for piece in schedule.pieces]
    numbers = "12345654"
    assert pieces == [(number, tick, 1, f"robot{1 + tick % 2}") for tick, number in enumerate(numbers)]


def test_run_without_a_legal_action_is_no_schedule() -> None:
    run = BENCHMARK.run(TOAST, {"id": "1", "instance": "test", "plan": ["Fly"]}, BENCHMARK.rules.profile("released"))
    with pytest.raises(InputError, match="no action was carried out"):
        as_schedule(run)


@pytest.mark.parametrize(
    ("objects", "goal", "message", "field", "value"),
    [
        (["robot1", "table1", "spoon1"], Goal.of([]), "no predicate isspoon", "objects", "spoon1"),
        (["robot1", "table1", "robot1"], Goal.of([]), "given twice", "objects", "robot1"),
        (["table1"], Goal.of([]), "must contain a player", "objects", None),
        (
            ["robot1", *(f"table{number}" for number in range(1_000))],
            Goal.of([]),
            "must be at most 1000",
            "objects",
            1_001,
        ),
        (
            ["robot1", *(f"bread{number}" for number in range(450))],
            Goal.of([["atop", "bread#1", "bread#2"]]),
            "more than 200000 ways",
            "goal",
            450**2,
        ),
        (
            ["robot1", "table1"],
            Goal.of([["item_at", f"bread#{number}", "table1"] for number in range(201)]),
            "must be at most 200",
            "goal",
            201,
        ),
    ],
)
def test_kitchens_that_cannot_be_are_refused(
    objects: list[str], goal: Goal, message: str, field: str, value: Any
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Kitchen.of("k", bundled(), objects, (), goal)
    assert (caught.value.field, caught.value.value) == (field, value)


def test_players_keep_their_order_and_other_objects_have_one() -> None:
    objects = ["table10", "robot2", "table9", "robot1", "bread1"]
    built = Kitchen.of("k", bundled(), objects, (), Goal.of([]))
    assert built.players == ("robot2", "robot1")
    tables = [name for name, kind in built.objects if kind == "station"]
    assert tables == ["table9", "table10"]
    assert replace(built, name="other").objects == built.objects
