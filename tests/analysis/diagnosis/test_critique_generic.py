"""The critic on problems of our own: every kind of the general rules by itself, and random workshops."""

from __future__ import annotations

from typing import Any

import pytest

from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Demand, Instance, Lag, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import KINDS, referee
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.plan import Plan
from tests.support.critiques import A, B, act, finding_fields, piece


def looked_at(instance: Instance, *pieces: Piece) -> list[Any]:
    schedule = Schedule.of(instance, pieces) if all(p.action in instance.by_id for p in pieces) else Schedule(pieces)
    generic = registry.get("generic")
    examination = generic.examine(generic.replay(instance, Plan(None, schedule)))
    assert [f.violation for f in examination.findings] == list(referee(instance, schedule).violations)
    return [finding_fields(finding) for finding in examination.findings]


OVEN = Resource("oven", 1, "cold")
HEAT = act("heat", 2, 0, Demand("oven", sets="hot"))
BAKE = act("bake", 4, 0, Demand("oven", requires="hot"))
WIDE = (act("p", 2, 0, Demand("pan", 2)), act("q", 2, 0, Demand("pan", 2)))

#: Kind, instance, pieces, and fields of the finding: others, required, actual, excess, words.
CASES: list[tuple[str, Instance, tuple[Piece, ...], dict[str, Any]]] = [
    ("unknown_action", Instance("k", (A,)), (piece("a", 0), piece("ghost", 2)), {"text": '"t/ghost"'}),
    ("wrong_mode", Instance("k", (A,)), (piece("a", 0, mode=1),), {"actual": 1, "required": 0}),
    (
        "ineligible_agent",
        Instance("k", (act("a", agents=("cook",)),), agents=("cook", "help")),
        (piece("a", 0, agent="help"),),
        {"required": ("cook",), "actual": "help"},
    ),
    (
        "release",
        Instance("k", (act("a", release=5),)),
        (piece("a", 2),),
        {"required": 5, "actual": 2, "excess": 3},
    ),
    (
        "deadline",
        Instance("k", (act("a", deadline=5),)),
        (piece("a", 4),),
        {"required": 5, "actual": 6, "excess": 1, "text": "1 tick after its deadline"},
    ),
    (
        "window",
        Instance("k", (act("a", windows=((1, 4), (6, 8))),)),
        (piece("a", 3),),
        {"required": ("1 to 4", "6 to 8"), "actual": 3, "text": "1 to 4, 6 to 8"},
    ),
    ("time_limit", Instance("k", (A,), time_limit=3), (piece("a", 2),), {"required": 3, "actual": 4, "excess": 1}),
    (
        "off_time",
        Instance("k", (A,), calendars=(Calendar(("agent",), ((4, 6),)),)),
        (piece("a", 3),),
        {"resource": "agent", "required": 6, "actual": 4, "text": "off from"},
    ),
    ("action_duration", Instance("k", (A,)), (piece("a", 0, 5),), {"required": 2, "actual": 5, "excess": 3}),
    (
        "interruptibility",
        Instance("k", (A,)),
        (piece("a", 0, 1), piece("a", 4, 1)),
        {"actual": 2, "others": ["t/a"]},
    ),
    (
        "pause",
        Instance("k", (act("a", pauses_in_breaks=True),)),
        (piece("a", 0, 1), piece("a", 4, 1)),
        {"others": ["t/a"], "required": 1, "actual": 4, "text": "pauses from"},
    ),
    ("missing_action", Instance("k", (A, B)), (piece("a", 0),), {"required": 2, "actual": 0, "text": "t/b (2 ticks)"}),
    (
        "budget",
        Instance("k", WIDE, resources=(Resource("pan", 3, renewable=False),)),
        (piece("p", 0), piece("q", 5)),
        {"others": ["t/p"], "resource": "pan", "required": 3, "actual": 4, "text": "above its budget of 3"},
    ),
    (
        "agent_busy",
        Instance("k", (A, B)),
        (piece("a", 0), piece("b", 1)),
        {"others": ["t/a"], "required": 2, "actual": 1, "excess": 1},
    ),
    (
        "start_attended",
        Instance("k", (A, act("b", 2, 0))),
        (piece("a", 0), piece("b", 1)),
        {"others": ["t/a"], "required": 2, "excess": 1},
    ),
    (
        "resource_capacity",
        Instance("k", WIDE, resources=(Resource("pan", 3),)),
        (piece("p", 0), piece("q", 1)),
        {"others": ["t/p"], "resource": "pan", "required": 3, "actual": 4, "excess": 1},
    ),
    (
        "resource_state",
        Instance("k", (HEAT, BAKE), resources=(OVEN,)),
        (piece("bake", 0, 4), piece("heat", 4)),
        {"others": [], "resource": "oven", "required": "hot", "actual": "cold"},
    ),
    (
        "transition",
        Instance(
            "k",
            (act("a", place="home"), act("b", place="shop")),
            transitions=(Transitions(("agent",), (("home", "shop", 3),)),),
        ),
        (piece("a", 0), piece("b", 4)),
        {"others": ["t/a"], "resource": "agent", "required": 3, "actual": 2, "text": "takes 3 ticks after t/a"},
    ),
    (
        "minimum_lag",
        Instance("k", (A, B), lags=(Lag("t/a", "t/b", 3),)),
        (piece("a", 0), piece("b", 4)),
        {"others": ["t/a"], "required": 3, "actual": 2, "excess": 1},
    ),
    (
        "maximum_lag",
        Instance("k", (A, B), lags=(Lag("t/a", "t/b", 0, 1),)),
        (piece("a", 0), piece("b", 6)),
        {"others": ["t/a"], "required": 1, "actual": 4, "excess": 3},
    ),
]


def test_cases_cover_all_kinds_of_general_rules() -> None:
    assert [case[0] for case in CASES] == list(KINDS)


@pytest.mark.parametrize(("kind", "instance", "pieces", "expected"), CASES, ids=[case[0] for case in CASES])
def test_each_kind_of_general_rules(kind: str, instance: Instance, pieces: Any, expected: Any) -> None:
    [finding] = looked_at(instance, *pieces)
    assert finding.kind == kind
    for name, value in expected.items():
        if name == "others":
            assert [other.subject for other in finding.others] == value
        elif name == "text":
            assert value in finding.text
        else:
            assert getattr(finding, name) == value, name


def test_resources_of_one_action_are_distinguished() -> None:
    both = (Demand("pan"), Demand("pot"))
    instance = Instance(
        "k", (act("a", 2, 0, *both), act("b", 2, 0, *both)), resources=(Resource("pan"), Resource("pot"))
    )
    violations = looked_at(instance, piece("a", 0), piece("b", 1))
    assert [finding.resource for finding in violations] == ["pan", "pot"]
