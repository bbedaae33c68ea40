"""General rules: every kind of violation by itself, and valid schedules."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import KINDS, find_violations, referee
from planoracle.instances.model.transitions import Transitions
from planoracle.solver.exact.search import solve


def act(name: str, duration: int = 2, attended: int | None = None, *uses: Demand, **more: Any) -> Action:
    modes = {"modes": (Mode(uses),)} if uses else {}
    return Action(f"t/{name}", "t", duration, duration if attended is None else attended, **modes, **more)


def make(*actions: Action, **more: Any) -> Instance:
    return Instance("k", actions, **more)


def run(action: str, start: int, duration: int = 2, agent: str | None = "agent", mode: int = 0) -> Piece:
    return Piece(f"t/{action}", start, duration, agent, mode)


@dataclass(frozen=True)
class Case:
    """Valid schedule, and a schedule that breaks one rule."""

    kind: str
    about: str
    instance: Instance
    good: tuple[Piece, ...]
    bad: tuple[Piece, ...]


A, B, C = act("a"), act("b"), act("c")
AUTO, AUTO_B, AUTO_C = act("a", 2, 0), act("b", 2, 0), act("c", 2, 0)
CUTTABLE, CUTTABLE_AUTO = act("a", interruptible=True), act("a", 4, 0, interruptible=True)
TWO_WAYS = act("a", interruptible=True, modes=(Mode(), Mode()))
COOK = act("a", agents=("cook",))
OVEN = Resource("oven", 1, "cold")
HEAT, CHILL = act("heat", 2, 0, Demand("oven", sets="hot")), act("chill", 2, 0, Demand("oven", sets="cold"))
HOT, USE = Resource("oven", 1, "hot"), act("use", 2, 0, Demand("oven"))
BAKE = act("bake", 4, 0, Demand("oven", requires="hot"))
KITCHEN = make(HEAT, BAKE, resources=(OVEN,))
WIDE = make(HEAT, BAKE, CHILL, resources=(Resource("oven", 2, "cold"),))
PAN = {"resources": (Resource("pan", 3),)}
PANS = make(act("a", 2, 0, Demand("pan", 2)), act("b", 2, 0, Demand("pan", 2)), act("c", 2, 0, Demand("pan")), **PAN)
ONE = (run("a", 0),)
RED, BLUE = (act(family, 2, 0, Demand("oven", family=family)) for family in ("red", "blue"))
STOPS = [act(name, 2, 0, place=name) for name in ("a", "b", "c")]
TO_SHOP = Transitions(("agent",), (("home", "shop", 3),))
LUNCH = {"calendars": (Calendar(("agent",), ((4, 6),)),)}

CASES = [
    Case("unknown_action", "unknown name", make(A), ONE, (*ONE, run("ghost", 2))),
    Case("wrong_mode", "beyond the last", make(A), ONE, (run("a", 0, mode=1),)),
    Case("wrong_mode", "before the first", make(A), ONE, (run("a", 0, mode=-1),)),
    Case(
        "wrong_mode",
        "changed between pieces",
        make(TWO_WAYS),
        (run("a", 0, 1, mode=1), run("a", 1, 1, mode=1)),
        (run("a", 0, 1, mode=1), run("a", 1, 1)),
    ),
    Case(
        "ineligible_agent",
        "another agent",
        make(COOK, agents=("cook", "help")),
        (run("a", 0, agent="cook"),),
        (run("a", 0, agent="help"),),
    ),
    Case("ineligible_agent", "no agent", make(A), ONE, (run("a", 0, agent=None),)),
    Case("ineligible_agent", "no agent to start it", make(AUTO), ONE, (run("a", 0, agent=None),)),
    Case(
        "ineligible_agent",
        "an agent where none is needed",
        make(act("a", 2, 0, agents=())),
        (run("a", 0, agent=None),),
        ONE,
    ),
    Case("release", "a tick early", make(act("a", release=3)), (run("a", 3),), (run("a", 2),)),
    Case("release", "before time begins", make(A), ONE, (run("a", -1),)),
    Case("deadline", "a tick late", make(act("a", deadline=2)), ONE, (run("a", 1),)),
    Case("window", "between two", make(act("a", windows=((1, 4), (6, 8)))), (run("a", 6),), (run("a", 3),)),
    Case("off_time", "a tick too long", make(A, **LUNCH), (run("a", 2),), (run("a", 3),)),
    Case(
        "pause",
        "longer than the break",
        make(act("a", pauses_in_breaks=True), **LUNCH),
        (run("a", 3, 1), run("a", 6, 1)),
        (run("a", 3, 1), run("a", 7, 1)),
    ),
    Case(
        "budget",
        "used up by two",
        make(
            act("a", 2, 0, Demand("gold", 2)),
            act("b", 2, 0, modes=(Mode((Demand("gold", 2),)), Mode((Demand("gold"),)))),
            resources=(Resource("gold", 3, renewable=False),),
        ),
        (run("a", 0), run("b", 4, mode=1)),
        (run("a", 0), run("b", 4)),
    ),
    Case(
        "transition",
        "on the way",
        make(
            act("a", place="home"),
            act("b", place="shop"),
            transitions=(Transitions(("agent",), (("home", "shop", 3),)),),
        ),
        (run("a", 0), run("b", 5)),
        (run("a", 0), run("b", 4)),
    ),
    Case(
        "transition",
        "a set-up",
        make(RED, BLUE, resources=(Resource("oven"),), transitions=(Transitions(("oven",), (("red", "blue", 3),)),)),
        (run("red", 0), run("blue", 5)),
        (run("red", 0), run("blue", 4)),
    ),
    Case(
        "transition",
        "three starts at one instant",
        make(*STOPS, transitions=(Transitions(("agent",), (("a", "b", 1), ("b", "c", 1))),)),
        (run("a", 0), run("b", 1), run("c", 2)),
        (run("a", 0), run("b", 0), run("c", 0)),
    ),
    Case("time_limit", "a tick late", make(A, time_limit=2), ONE, (run("a", 1),)),
    Case("action_duration", "too long", make(A), ONE, (run("a", 0, 3),)),
    Case("action_duration", "too short", make(A), ONE, (run("a", 0, 1),)),
    Case(
        "action_duration",
        "work missing in the last piece",
        make(CUTTABLE_AUTO),
        (run("a", 0, 1), run("a", 5, 3)),
        (run("a", 0, 1), run("a", 5, 2)),
    ),
    Case("action_duration", "an empty piece", make(CUTTABLE), ONE, (*ONE, run("a", 5, 0))),
    Case("interruptibility", "in two pieces", make(A), ONE, (run("a", 0, 1), run("a", 4, 1))),
    Case(
        "interruptibility",
        "beside itself",
        make(CUTTABLE_AUTO),
        (run("a", 0), run("a", 2)),
        (run("a", 0), run("a", 1)),
    ),
    Case("missing_action", "one of two", make(A, B), (run("a", 0), run("b", 2)), ONE),
    Case("missing_action", "of no duration", make(A, act("b", 0)), (*ONE, run("b", 0, 0)), ONE),
    Case("agent_busy", "two at once", make(A, B), (run("a", 0), run("b", 2)), (run("a", 0), run("b", 1))),
    Case(
        "agent_busy",
        "attended at its start",
        make(act("a", 4, 1), B),
        (run("a", 0, 4), run("b", 1)),
        (run("a", 0, 4), run("b", 0)),
    ),
    Case(
        "agent_busy",
        "in the second piece",
        make(CUTTABLE, B),
        (run("a", 0, 1), run("b", 1), run("a", 3, 1)),
        (run("a", 0, 1), run("b", 1), run("a", 2, 1)),
    ),
    Case(
        "agent_busy",
        "with a long action around a short one",
        make(act("a", 9), act("b", 1), C, agents=("x", "y")),
        (run("a", 0, 9, "x"), run("b", 1, 1, "y"), run("c", 4, agent="y")),
        (run("a", 0, 9, "x"), run("b", 1, 1, "x"), run("c", 4, agent="x")),
    ),
    Case(
        "start_attended",
        "in the middle of another",
        make(A, AUTO_B),
        (run("b", 0), run("a", 0)),
        (run("a", 0), run("b", 1)),
    ),
    Case(
        "resource_capacity",
        "two at once",
        PANS,
        (run("a", 0), run("c", 0), run("b", 2)),
        (run("a", 0), run("b", 1), run("c", 4)),
    ),
    Case(
        "resource_capacity",
        "two uses over the same interval",
        PANS,
        (run("a", 0), run("b", 2), run("c", 2)),
        (run("a", 0), run("b", 0), run("c", 2)),
    ),
    Case(
        "resource_capacity",
        "one of two simultaneous settings uses capacity",
        make(HEAT, act("again", 2, 0, Demand("oven", sets="hot")), USE, resources=(OVEN,)),
        (run("heat", 0), run("again", 0), run("use", 2)),
        (run("heat", 0), run("again", 0), run("use", 1)),
    ),
    Case(
        "resource_capacity",
        "heated twice, not simultaneously",
        make(HEAT, act("again", 2, 0, Demand("oven", sets="hot")), resources=(OVEN,)),
        (run("heat", 0), run("again", 0)),
        (run("heat", 0), run("again", 1)),
    ),
    Case(
        "resource_capacity",
        "two states at once",
        make(HEAT, CHILL, resources=(OVEN,)),
        (run("heat", 0), run("chill", 2)),
        (run("heat", 1), run("chill", 2)),
    ),
    Case(
        "resource_state",
        "in its initial state",
        KITCHEN,
        (run("heat", 0), run("bake", 2, 4)),
        (run("bake", 0, 4), run("heat", 4)),
    ),
    Case(
        "resource_state",
        "in no state",
        make(HEAT, BAKE, resources=(Resource("oven"),)),
        (run("heat", 0), run("bake", 2, 4)),
        (run("bake", 0, 4), run("heat", 4)),
    ),
    Case(
        "resource_capacity",
        "two simultaneous settings, one larger than the other",
        make(
            act("small", 2, 0, Demand("oven", 1, sets="hot")),
            act("large", 2, 0, Demand("oven", 2, sets="hot")),
            act("other", 2, 0, Demand("oven")),
            resources=(Resource("oven", 3),),
        ),
        (run("small", 0), run("large", 0), run("other", 0)),
        (run("small", 0), run("large", 1), run("other", 1)),
    ),
    Case(
        "resource_state",
        "of no length, at the instant of another setting",
        make(HEAT, act("look", 0, 0, Demand("oven", requires="cold")), resources=(OVEN,)),
        (run("look", 0, 0), run("heat", 1)),
        (run("look", 0, 0), run("heat", 0)),
    ),
    Case(
        "resource_capacity",
        "a setting without capacity of its own shares none",
        make(
            act("use", 2, 2, Demand("oven", 2)),
            act("large", 2, 1, Demand("oven", 2, sets="hot")),
            act("small", 2, 0, Demand("oven", 1, sets="hot")),
            resources=(Resource("oven", 2, "hot"),),
            agents=("x", "y", "z"),
        ),
        (run("use", 0, agent="x"), run("large", 0, agent="y"), run("small", 2, agent="z")),
        (run("use", 0, agent="x"), run("large", 0, agent="y"), run("small", 0, agent="z")),
    ),
    Case(
        "resource_capacity",
        "no shared capacity while another state is set",
        make(
            act("use", 2, 2, Demand("oven", 2)),
            act("heat", 2, 2, Demand("oven", 1, sets="hot")),
            act("chill", 0, 0, Demand("oven", 1, sets="cold")),
            resources=(Resource("oven", 2, "hot"),),
            agents=("x", "y", "z"),
        ),
        (run("use", 0, agent="x"), run("heat", 0, agent="y"), run("chill", 2, 0, agent="z")),
        (run("use", 0, agent="x"), run("heat", 0, agent="y"), run("chill", 1, 0, agent="z")),
    ),
    Case(
        "resource_capacity",
        "set to its current state, not simultaneous with a use",
        make(USE, HEAT, resources=(HOT,)),
        (run("use", 0), run("heat", 0)),
        (run("use", 0), run("heat", 1)),
    ),
    Case(
        "resource_capacity",
        "set to another state during a use",
        make(USE, CHILL, resources=(HOT,)),
        (run("use", 0), run("chill", 2)),
        (run("use", 0), run("chill", 0)),
    ),
    Case(
        "resource_capacity",
        "unattended setting during an attended use",
        make(act("use", 2, 2, Demand("oven")), HEAT, resources=(HOT,)),
        (run("use", 0), run("heat", 2)),
        (run("use", 0), run("heat", 0)),
    ),
    Case(
        "resource_state",
        "set at the same instant",
        WIDE,
        (run("heat", 0), run("bake", 2, 4), run("chill", 6)),
        (run("heat", 0), run("bake", 0, 4), run("chill", 4)),
    ),
    Case(
        "resource_state",
        "another setting came last",
        WIDE,
        (run("chill", 0), run("heat", 2), run("bake", 4, 4)),
        (run("heat", 0), run("chill", 2), run("bake", 4, 4)),
    ),
    Case(
        "resource_state",
        "another setting while it runs",
        WIDE,
        (run("heat", 0), run("bake", 2, 4), run("chill", 6)),
        (run("heat", 0), run("bake", 2, 4), run("chill", 5)),
    ),
    Case(
        "minimum_lag",
        "too early",
        make(A, B, lags=(Lag("t/a", "t/b", 3),)),
        (run("a", 0), run("b", 5)),
        (run("a", 0), run("b", 4)),
    ),
    Case(
        "minimum_lag",
        "before its predecessor",
        make(A, B, lags=(Lag("t/a", "t/b"),)),
        (run("a", 0), run("b", 2)),
        (run("b", 0), run("a", 2)),
    ),
    Case(
        "minimum_lag",
        "beyond what a negative lag allows",
        make(AUTO, B, lags=(Lag("t/a", "t/b", -1),)),
        (run("a", 0), run("b", 1)),
        (run("a", 0), run("b", 0)),
    ),
    Case(
        "maximum_lag",
        "too late",
        make(A, B, lags=(Lag("t/a", "t/b", 0, 3),)),
        (run("a", 0), run("b", 5)),
        (run("a", 0), run("b", 6)),
    ),
    Case(
        "maximum_lag",
        "resumed too late",
        make(B, CUTTABLE, lags=(Lag("t/b", "t/a", 0, 3),)),
        (run("b", 0), run("a", 2, 1), run("a", 5, 1)),
        (run("b", 0), run("a", 2, 1), run("a", 6, 1)),
    ),
    Case(
        "maximum_lag",
        "without an order",
        make(A, B, lags=(Lag("t/a", "t/b", None, 3),)),
        (run("b", 0), run("a", 2)),
        (run("a", 0), run("b", 6)),
    ),
]

each_case = pytest.mark.parametrize("case", CASES, ids=[f"{case.kind}: {case.about}" for case in CASES])


#: Violations of all cases: message, resource, required and actual value, other actions.
VIOLATIONS = """
1 unknown_action: t/ghost there is no such action [None, None, None]
0 wrong_mode: t/a mode must be from 0 to 0, not 1 [None, 0, 1]
0 wrong_mode: t/a mode must be from 0 to 0, not -1 [None, 0, -1]
1 wrong_mode: t/a the mode changes between pieces [None, 1, 0]
0 ineligible_agent: t/a needs one of cook, not help [None, ('cook',), 'help']
0 ineligible_agent: t/a needs one of agent, not None [None, ('agent',), None]
0 ineligible_agent: t/a needs one of agent, not None [None, ('agent',), None]
0 ineligible_agent: t/a needs no agent, not agent [None, (), 'agent']
0 release: t/a starts at 2, before 3 [None, 3, 2]
0 release: t/a starts at -1, before 0 [None, 0, -1]
0 deadline: t/a ends at 3, after the deadline 2 [None, 2, 3]
0 window: t/a lies in none of the windows 1 to 4, 6 to 8 [None, ('1 to 4', '6 to 8'), 3]
0 off_time: t/a runs while agent is off from 4 to 6 [agent, 6, 4]
1 pause: t/a pauses from 4 to 7, which is not a break [None, 4, 7] t/a 3-4
1 budget: t/b 4 units of gold would be used up, of 3 [gold, 3, 4] t/a 0-2
1 transition: t/b starts at 4, but agent needs 3 ticks after t/a, not 2 [agent, 3, 2] t/a 0-2
1 transition: t/blue starts at 4, but oven needs 3 ticks after t/red, not 2 [oven, 3, 2] t/red 0-2
2 transition: t/c agent cannot make the 3 visits at 0 in any order [agent, None, 3]
0 time_limit: t/a ends at 3, after 2 [None, 2, 3]
0 action_duration: t/a runs 3 ticks, needs 2 [None, 2, 3]
0 action_duration: t/a runs 1 ticks, needs 2 [None, 2, 1]
1 action_duration: t/a runs 3 ticks, needs 4 [None, 4, 3]
1 action_duration: t/a a piece must last at least one tick [None, 1, 0]
1 interruptibility: t/a must run in one piece [None, 1, 2] t/a 0-1
1 interruptibility: t/a two pieces of the action overlap [None, None, None] t/a 0-2
None missing_action: t/b is never carried out [None, 2, 0]
None missing_action: t/b is never carried out [None, 0, 0]
1 agent_busy: t/b agent is still busy with t/a until 2 [agent, 2, 1] t/a 0-2
1 agent_busy: t/b agent is still busy with t/a until 1 [agent, 1, 0] t/a 0-1
2 agent_busy: t/a agent is still busy with t/b until 3 [agent, 3, 2] t/b 1-3
1 agent_busy: t/b x is still busy with t/a until 9 [x, 9, 1] t/a 0-9
2 agent_busy: t/c x is still busy with t/a until 9 [x, 9, 4] t/a 0-9
1 start_attended: t/b agent cannot start it during t/a (0 to 2) [agent, 2, 1] t/a 0-2
1 resource_capacity: t/b 4 units of pan would be in use, capacity 3 [pan, 3, 4] t/a 0-2
0 resource_capacity: t/a 4 units of pan would be in use, capacity 3 [pan, 3, 4] t/b 0-2
1 resource_capacity: t/b 4 units of pan would be in use, capacity 3 [pan, 3, 4] t/a 0-2
2 resource_capacity: t/use 2 units of oven would be in use, capacity 1 [oven, 1, 2] t/heat 0-2
1 resource_capacity: t/again 2 units of oven would be in use, capacity 1 [oven, 1, 2] t/heat 0-2
1 resource_capacity: t/chill 2 units of oven would be in use, capacity 1 [oven, 1, 2] t/heat 1-3
0 resource_state: t/bake needs oven to be hot, not cold [oven, 'hot', 'cold']
0 resource_state: t/bake needs oven to be hot, not None [oven, 'hot', None]
1 resource_capacity: t/large 4 units of oven would be in use, capacity 3 [oven, 3, 4] t/small 0-2, t/other 1-3
2 resource_capacity: t/other 4 units of oven would be in use, capacity 3 [oven, 3, 4] t/small 0-2, t/large 1-3
0 resource_state: t/look needs oven to be cold, not cold or hot [oven, 'cold', 'cold or hot'] t/heat 0-2
0 resource_capacity: t/use 3 units of oven would be in use, capacity 2 [oven, 2, 3] t/small 0-2
2 resource_capacity: t/small 3 units of oven would be in use, capacity 2 [oven, 2, 3] t/use 0-2
0 resource_capacity: t/use 3 units of oven would be in use, capacity 2 [oven, 2, 3] t/heat 0-2
1 resource_capacity: t/heat 3 units of oven would be in use, capacity 2 [oven, 2, 3] t/use 0-2
1 resource_capacity: t/heat 2 units of oven would be in use, capacity 1 [oven, 1, 2] t/use 0-2
0 resource_capacity: t/use 2 units of oven would be in use, capacity 1 [oven, 1, 2] t/chill 0-2
1 resource_capacity: t/chill 2 units of oven would be in use, capacity 1 [oven, 1, 2] t/use 0-2
0 resource_capacity: t/use 2 units of oven would be in use, capacity 1 [oven, 1, 2] t/heat 0-2
1 resource_capacity: t/heat 2 units of oven would be in use, capacity 1 [oven, 1, 2] t/use 0-2
1 resource_state: t/bake needs oven to be hot, not cold or hot [oven, 'hot', 'cold or hot'] t/heat 0-2
2 resource_state: t/bake needs oven to be hot, not cold [oven, 'hot', 'cold'] t/chill 2-4
1 resource_state: t/bake needs oven to be hot, not cold or hot [oven, 'hot', 'cold or hot'] t/heat 0-2, t/chill 5-7
1 minimum_lag: t/b starts at 4, but 5 is the earliest start after t/a [None, 3, 2] t/a 0-2
0 minimum_lag: t/b starts at 0, but 4 is the earliest start after t/a [None, 0, -4] t/a 2-4
1 minimum_lag: t/b starts at 0, but 1 is the earliest start after t/a [None, -1, -2] t/a 0-2
1 maximum_lag: t/b starts at 6, but 5 is the latest start after t/a [None, 3, 4] t/a 0-2
2 maximum_lag: t/a starts at 6, but 5 is the latest start after t/b [None, 3, 4] t/b 0-2
1 maximum_lag: t/b starts at 6, but 5 is the latest start after t/a [None, 3, 4] t/a 0-2
"""


def test_violations_have_their_values_and_other_actions() -> None:
    rows = []
    for case in CASES:
        for violation in referee(case.instance, Schedule(case.bad)).violations:
            others = ", ".join(f"{other.subject} {other.start}-{other.end}" for other in violation.others)
            values = f"[{violation.resource}, {violation.required!r}, {violation.actual!r}] {others}".rstrip()
            rows.append(f"{violation.position} {violation.kind}: {violation.subject} {violation.message} {values}")
    assert rows == VIOLATIONS.strip().splitlines()


def test_cases_cover_every_violation_kind() -> None:
    assert {case.kind for case in CASES} == set(KINDS)


@each_case
def test_valid_schedule_is_accepted(case: Case) -> None:
    schedule = Schedule(case.good)
    replay = referee(case.instance, schedule)
    assert replay.violations == ()
    assert replay.fatal is None
    assert replay.success
    assert replay.makespan == schedule.makespan
    assert replay.progress == replay.goal_ratio == 1
    assert replay.remaining == {}


@each_case
def test_invalid_schedule_is_rejected_with_exactly_one_kind(case: Case) -> None:
    replay = referee(case.instance, Schedule(case.bad))
    assert {violation.kind for violation in replay.violations} == {case.kind}
    assert replay.fatal == replay.violations[0]
    assert not replay.success
    assert replay.progress == replay.makespan == replay.executed == 0


@each_case
def test_verdict_does_not_depend_on_order_of_pieces(case: Case) -> None:
    backwards = Schedule(case.bad[::-1])
    assert {violation.kind for violation in find_violations(case.instance, backwards)} == {case.kind}
    assert list(find_violations(case.instance, Schedule(case.good[::-1]))) == []


@pytest.mark.parametrize(
    ("instance", "pieces"),
    [
        # An unattended action can start at both ends of an attended piece.
        (make(A, AUTO_B), (run("a", 0), run("b", 0))),
        (make(A, AUTO_B), (run("a", 0), run("b", 2))),
        # Another agent can start it during the piece.
        (make(A, AUTO_B, agents=("x", "y")), (run("a", 0, agent="x"), run("b", 1, agent="y"))),
        # An action without eligible agents needs no agent to start.
        (make(A, act("b", 2, 0, agents=())), (run("a", 0), run("b", 1, agent=None))),
        # An unattended action does not occupy its agent.
        (make(AUTO, AUTO_B), (run("a", 0), run("b", 1))),
        # The whole capacity may be used, and an empty demand fits beside it.
        (make(act("a", 2, 0, Demand("pan", 3)), act("b", 2, 0, Demand("pan", 0)), **PAN), (run("a", 0), run("b", 0))),
        # An attended setting shares the capacity of an attended use by another agent.
        (
            make(
                act("use", 2, 2, Demand("oven")),
                act("heat", 2, 2, Demand("oven", sets="hot")),
                resources=(HOT,),
                agents=("x", "y"),
            ),
            (run("use", 0, agent="x"), run("heat", 0, agent="y")),
        ),
        # A setting that shares the capacity of another setting does not need that of a use.
        (
            make(
                act("use", 2, 2, Demand("oven", 2)),
                act("heat", 2, 1, Demand("oven", sets="hot")),
                act("keep", 2, 2, Demand("oven", sets="hot")),
                resources=(Resource("oven", 2, "hot"),),
                agents=("x", "y", "z"),
            ),
            (run("use", 0, agent="x"), run("heat", 0, agent="y"), run("keep", 0, agent="z")),
        ),
        # A setting of the same state is allowed.
        (make(HEAT, BAKE, resources=(Resource("oven", 2, "hot"),)), (run("bake", 0, 4), run("heat", 1))),
        # A maximum lag alone does not order.
        (make(A, B, lags=(Lag("t/a", "t/b", None, 0),)), (run("b", 0), run("a", 2))),
        # An action without duration uses no capacity, even during another one.
        (
            make(act("a", 2, 0, Demand("pan", 3)), act("b", 0, 0, Demand("pan", 3)), **PAN),
            (run("b", 0, 0), run("a", 0)),
        ),
    ],
)
def test_valid_schedule_at_a_limit_is_accepted(instance: Instance, pieces: tuple[Piece, ...]) -> None:
    assert list(find_violations(instance, Schedule(pieces))) == []


def test_replay_reports_progress_and_idle_time() -> None:
    instance = make(CUTTABLE, act("b", 5, 1), AUTO_C, agents=("x", "y"))
    pieces = (run("a", 1, 1, "x"), run("b", 1, 5, "y"), run("c", 2, agent="x"), run("a", 4, 1, "x"))
    replay = referee(instance, Schedule(pieces))
    assert [(e.position, e.subject, e.start, e.end, e.accepted) for e in replay.events] == [
        (0, "t/a", 1, 2, True),
        (1, "t/b", 1, 6, True),
        (2, "t/c", 2, 4, True),
        (3, "t/a", 4, 5, True),
    ]
    assert [event.progress for event in replay.events] == [0, 1 / 3, 2 / 3, 1]
    assert replay.idle == ((0, 1), (2, 4), (5, 6))
    assert replay.executed == 4


def test_rejected_schedule_leaves_all_work_remaining() -> None:
    replay = referee(make(A, B), Schedule((run("a", 0),)))
    assert replay.remaining == {"t/a": 2, "t/b": 2}
    assert [(event.accepted, event.progress) for event in replay.events] == [(False, 0)]


def test_no_idle_time_while_an_agent_is_always_busy() -> None:
    assert referee(make(A, B), Schedule((run("a", 0), run("b", 2)))).idle == ()


def test_idle_interval_is_not_split_by_start_of_unattended_action() -> None:
    pieces = (run("a", 0, 1), run("c", 3), run("a", 4, 1))
    assert referee(make(CUTTABLE, AUTO_C), Schedule(pieces)).idle == ((1, 4),)


def test_violations_are_sorted_by_kind() -> None:
    pieces = (run("a", 0, 1), run("a", 1, 1), run("b", 2, 3))
    violations = find_violations(make(AUTO, AUTO_B), Schedule(pieces))
    assert [(v.kind, v.subject) for v in violations] == [("action_duration", "t/b"), ("interruptibility", "t/a")]


def test_violations_of_several_kinds_are_all_reported() -> None:
    instance = make(A, act("b", release=9), act("c"))
    replay = referee(instance, Schedule((run("a", 0, 3), run("b", 1))))
    assert [v.kind for v in replay.violations] == ["release", "action_duration", "missing_action", "agent_busy"]


def test_empty_schedule_reports_every_action_as_missing() -> None:
    replay = referee(make(A, B), Schedule(()))
    assert [(v.kind, v.subject) for v in replay.violations] == [("missing_action", "t/a"), ("missing_action", "t/b")]


def least_load(resource: Resource, uses: list[tuple[Action, Demand]]) -> int:
    """Return the minimum load of uses over one interval, by exhaustive search of shared capacity."""
    states = {demand.sets for _, demand in uses if demand.sets} | {resource.state}

    def fits(guest: int, host: int) -> bool:
        (one, setting), (other, use) = uses[guest], uses[host]
        if guest == host or setting.sets is None or use.amount < setting.amount:
            return False
        if use.sets is not None:
            return use.sets == setting.sets
        return states == {setting.sets} and bool(one.attended or not other.attended) and not other.interruptible

    choices = [[None, *(host for host in range(len(uses)) if fits(guest, host))] for guest in range(len(uses))]
    loads = []
    for hosts in itertools.product(*choices):
        if all(
            host is None or hosts[host] is None for host in hosts
        ):  # a use without capacity of its own cannot share it
            loads.append(sum(demand.amount for (_, demand), host in zip(uses, hosts, strict=True) if host is None))
    return min(loads)


@pytest.mark.slow
def test_load_of_simultaneous_uses_equals_exhaustive_minimum() -> None:
    random = Random(0)
    seen: Counter[tuple[bool, bool]] = Counter()
    for _ in range(3000):
        resource = Resource("oven", random.randint(1, 5), random.choice((None, "hot", "hot")))
        states = [random.choice((None, "hot", "hot", "cold")) for _ in range(random.randint(1, 4))]
        states = [state if state != "cold" or random.random() < 0.3 else "hot" for state in states]
        actions = []
        for number, state in enumerate(states):
            use = Demand("oven", random.randint(1, min(3, resource.capacity)), sets=state)
            attended = random.choice((0, 1, 2))
            pausable = state is None and attended == 2 and random.random() < 0.3
            actions.append(act(str(number), 2, attended, use, interruptible=pausable))
        instance = make(*actions, resources=(resource,), agents=("a", "b", "c", "d"))
        pieces = [Piece(a.id, 3, 2, agent) for a, agent in zip(actions, instance.agents, strict=False)]
        random.shuffle(pieces)
        uses = [(instance.by_id[piece.action], instance.by_id[piece.action].modes[0].demands[0]) for piece in pieces]
        load = least_load(resource, uses)
        kinds = [violation.kind for violation in find_violations(instance, Schedule(tuple(pieces)))]
        assert set(kinds) == ({"resource_capacity"} if load > resource.capacity else set()), instance
        seen[load > resource.capacity, load < sum(demand.amount for _, demand in uses)] += 1
    assert min(seen.values()) > 200
    assert len(seen) == 4


@pytest.mark.parametrize("ticks", [1, 2, 60])
def test_interruptible_actions_do_not_share_capacity_with_state_settings(ticks: int) -> None:
    oven = Resource("oven", state="hot")
    heat = act("heat", ticks, ticks, Demand("oven", sets="hot"))
    for interruptible in (False, True):
        keep = act("keep", ticks, ticks, Demand("oven"), interruptible=interruptible)
        both = make(heat, keep, resources=(oven,), agents=("a", "b"))
        schedule = Schedule.of(both, (run("keep", 0, ticks, "a"), run("heat", 0, ticks, "b")))
        assert bool(list(find_violations(both, schedule))) is interruptible
        assert solve(both).makespan == (2 * ticks if interruptible else ticks)
