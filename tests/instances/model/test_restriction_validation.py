"""Checks of transitions, start times and absolute times of instances."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.restriction_validation import has_absolute_times
from planoracle.instances.model.transitions import Transitions
from tests.support.rule_cases import act

PRESS = Resource("press")
HOME = act("a", place="home")


def used(family: str | None = "red", duration: int = 2, **demand: Any) -> Action:
    return act("a", duration, 0, Demand("press", family=family, **demand))


def agent_table(times: Any = (("home", "shop", 3),), start: Any = ()) -> tuple[Transitions, ...]:
    return (Transitions(("agent",), times, start),)


def press_table(times: Any = (("red", "blue", 3),)) -> tuple[Transitions, ...]:
    return (Transitions(("press",), times),)


USE = "actions[t/a].modes[0].uses[press]"
PLACE = "actions[t/a].place"
MEMBERS = "transitions[0].members"

#: Actions, further keywords of an invalid instance, the field of the error, and a part of the message.
FAULTS: dict[str, tuple[Action, dict[str, Any], str, str]] = {
    "unknown member": (
        HOME,
        {"transitions": (Transitions(("eve",), ()),)},
        MEMBERS,
        "must be one of agent (got 'eve')",
    ),
    "member twice": (HOME, {"transitions": (Transitions(("agent", "agent"), ()),)}, MEMBERS, "unique (got 'agent')"),
    "member of two tables": (
        HOME,
        {"transitions": (*agent_table(), *agent_table())},
        "transitions[1].members",
        "has transitions already (got 'agent')",
    ),
    "member that names an agent and a resource": (
        HOME,
        {"agents": ("agent", "press"), "resources": (PRESS,), "transitions": (Transitions(("agent", "press"), ()),)},
        MEMBERS,
        "the name of an agent and of a resource; rename one (got 'press')",
    ),
    "time twice": (
        HOME,
        {"transitions": agent_table((("home", "shop", 3), ("home", "shop", 3)))},
        "transitions[0].times[home -> shop]",
        "has a time already",
    ),
    "negative time": (
        HOME,
        {"transitions": agent_table((("home", "shop", -3),))},
        "transitions[0].times[home -> shop]",
        "between 0 and",
    ),
    "time between places that are no text": (
        HOME,
        {"transitions": agent_table((("home", 7, 3),))},
        "transitions[0].times[home -> 7]",
        "non-empty text (got 7)",
    ),
    "start of no member": (
        HOME,
        {"transitions": agent_table(start=(("bob", "home"),))},
        "transitions[0].start",
        "must be one of agent (got 'bob')",
    ),
    "start twice": (
        HOME,
        {"transitions": agent_table(start=(("agent", "home"), ("agent", "shop")))},
        "transitions[0].start",
        "unique",
    ),
    "start without a place": (
        HOME,
        {"transitions": agent_table(start=(("agent", ""),))},
        "transitions[0].start[agent]",
        "non-empty text",
    ),
    "action without a place": (act("a"), {"transitions": agent_table()}, PLACE, "agent has transitions"),
    "action with an eligible agent that has transitions in one mode": (
        act("a", modes=(Mode(agents=("bob",)), Mode(agents=("agent",)))),
        {"agents": ("agent", "bob"), "transitions": agent_table()},
        PLACE,
        "is missing; agent has transitions",
    ),
    "place of an action that no agent does": (
        act("a", 2, 0, agents=(), place="home"),
        {"transitions": agent_table()},
        PLACE,
        "no agent does the action, so it has no place (got 'home')",
    ),
    "place where no agent has transitions": (HOME, {}, PLACE, "no agent that can do the action has transitions"),
    "place where another agent has transitions": (
        act("a", agents=("bob",), place="home"),
        {"agents": ("agent", "bob"), "transitions": agent_table()},
        PLACE,
        "no agent that can do the action has transitions",
    ),
    "place without a name": (act("a", place=""), {"transitions": agent_table()}, PLACE, "non-empty text"),
    "place of an action that may pause anywhere without an agent": (
        act("a", 2, 0, interruptible=True, place="home"),
        {"transitions": agent_table()},
        PLACE,
        "may pause anywhere and is unattended cannot have a place (got 'home')",
    ),
    "place of an action that may pause anywhere without an agent in one mode": (
        act("a", interruptible=True, place="home", modes=(Mode(), Mode(attended=0))),
        {"transitions": agent_table()},
        PLACE,
        "may pause anywhere and is unattended cannot have a place (got 'home')",
    ),
    "time between visits of one interruptible action": (
        act("a", interruptible=True, place="home"),
        {"transitions": agent_table((("home", "home", 1),))},
        PLACE,
        "needs transition time 0 from home to itself",
    ),
    "time between uses of one interruptible action": (
        act("a", 2, 2, Demand("press", family="red"), interruptible=True),
        {"resources": (PRESS,), "transitions": press_table((("red", "red", 1),))},
        f"{USE}.family",
        "needs transition time 0 from red to itself",
    ),
    "use without a family": (
        used(None),
        {"resources": (PRESS,), "transitions": press_table()},
        f"{USE}.family",
        "is missing; press has transitions",
    ),
    "family without transitions": (used(), {"resources": (PRESS,)}, f"{USE}.family", "press has no transitions"),
    "family without a name": (
        used(""),
        {"resources": (PRESS,), "transitions": press_table()},
        f"{USE}.family",
        "non-empty text",
    ),
    "transitions of a resource with an initial state": (
        used(),
        {"resources": (Resource("press", 1, "cold"),), "transitions": press_table()},
        MEMBERS,
        "has states",
    ),
    "transitions of a resource whose state is set": (
        used(sets="hot"),
        {"resources": (PRESS,), "transitions": press_table()},
        USE,
        "it cannot have states",
    ),
    "transitions of a resource of another capacity": (
        used(),
        {"resources": (Resource("press", 2),), "transitions": press_table()},
        MEMBERS,
        "has capacity 2",
    ),
    "use of another amount": (
        used(amount=0),
        {"resources": (PRESS,), "transitions": press_table()},
        f"{USE}.amount",
        "must be 1; press has transitions (got 0)",
    ),
    "use of no duration": (
        used(duration=0),
        {"resources": (PRESS,), "transitions": press_table()},
        USE,
        "a mode of duration 0 cannot use it",
    ),
    "start time without ticks in seconds": (
        act("a"),
        {"start_time": datetime(2026, 3, 2)},
        "seconds_per_tick",
        "needs the length of a tick",
    ),
    "start time with a zone": (
        act("a"),
        {"start_time": datetime(2026, 3, 2, tzinfo=UTC), "seconds_per_tick": 60},
        "start_time",
        "without a zone (got '2026-03-02T00:00:00+00:00')",
    ),
    "start time as text": (
        act("a"),
        {"start_time": "2026-03-02", "seconds_per_tick": 60},
        "start_time",
        "must be a date with a clock time (got '2026-03-02')",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_names_field_and_value(name: str) -> None:
    action, more, field, message = FAULTS[name]
    with pytest.raises(InputError) as caught:
        Instance("k", (action,), **more)
    assert caught.value.faults[0].field == field
    assert message in str(caught.value.faults[0])


@pytest.mark.parametrize(
    ("action", "more"),
    [
        (HOME, {"transitions": agent_table((("home", "home", 1),))}),
        (HOME, {"transitions": agent_table(start=(("agent", "elsewhere"),))}),
        (act("a", place="nowhere"), {"transitions": agent_table()}),
        (act("a", 2, 0, agents=()), {"transitions": agent_table()}),
        (act("a", agents=("bob",)), {"agents": ("agent", "bob"), "transitions": agent_table()}),
        (act("a", place="home", interruptible=True), {"transitions": agent_table()}),
        (act("a", place="home", pauses_in_breaks=True), {"transitions": agent_table((("home", "home", 1),))}),
        (act("a", 3, 0, place="home", pauses_in_breaks=True), {"transitions": agent_table()}),
        (used(), {"resources": (PRESS,), "transitions": press_table()}),
        (act("a"), {"start_time": datetime(2026, 3, 2, 8), "seconds_per_tick": 60}),
    ],
)
def test_valid_instance_is_accepted(action: Action, more: dict[str, Any]) -> None:
    assert Instance("k", (action,), **more).actions == (action,)


def from_beginning(*actions: Action, deadline: int | None = None, lag: int | None = 5, **more: Any) -> Instance:
    """Return a problem with a beginning before an action, and a maximum lag between the two."""
    beginning = act("begin", 0, 0, agents=(), deadline=deadline)
    return Instance("k", (beginning, *actions), (Lag("t/begin", "t/a", 0, lag),), **more)


@pytest.mark.parametrize(
    ("action", "more"),
    [
        (act("a", deadline=9), {}),
        (act("a", windows=((1, 9),)), {}),
        (act("a"), {"calendars": (Calendar(("agent",), ((1, 2),)),)}),
        (HOME, {"transitions": agent_table(start=(("agent", "home"),))}),
    ],
)
def test_absolute_times_need_a_beginning_at_tick_0(action: Action, more: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"actions\[t/begin\].deadline: .* give this action the deadline 0"):
        from_beginning(action, **more)
    assert has_absolute_times(from_beginning(action, deadline=0, **more))
    assert has_absolute_times(from_beginning(action, lag=None, **more))


def test_times_without_a_tick_0_need_no_deadline_of_the_beginning() -> None:
    assert not has_absolute_times(from_beginning(act("a", release=3)))
    assert not has_absolute_times(from_beginning(HOME, transitions=agent_table()))
