"""Off-times of agents and resources: rules and checks."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import FOREVER, Calendar, OffTimes, working_spans
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from tests.support.rule_cases import act, kinds, messages, run

LUNCH = Calendar(("agent",), ((4, 6),))
CLOSED = Calendar(("oven",), ((4, 6),))
OVEN = Resource("oven", 2)


def planned(*actions: Action, calendars: tuple[Calendar, ...] = (LUNCH,), **more: Any) -> Instance:
    return Instance("k", actions, calendars=calendars, **more)


def starts(instance: Instance, duration: int, agent: str | None = "agent") -> list[int]:
    """Return the starts before tick 12 of the only action that the rules allow."""
    return [start for start in range(12) if not kinds(instance, run("a", start, duration, agent))]


def test_agent_is_held_only_while_on() -> None:
    assert starts(planned(act("a", 2)), 2) == [0, 1, 2, 6, 7, 8, 9, 10, 11]
    assert messages(planned(act("a", 2)), run("a", 3)) == ["runs while agent is off from 4 to 6"]


def test_agent_may_be_off_after_the_attended_ticks() -> None:
    assert starts(planned(act("a", 5, 2)), 5) == [0, 1, 2, 6, 7, 8, 9, 10, 11]


def test_agent_off_starts_nothing() -> None:
    instance = planned(act("a", 3, 0))
    assert starts(instance, 3) == [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]
    assert messages(instance, run("a", 5, 3)) == ["is started while agent is off from 5 to 6"]


def test_action_without_agent_ignores_off_times_of_agents() -> None:
    assert starts(planned(act("a", 3, 0, agents=())), 3, None) == list(range(12))


def test_other_agents_are_not_off() -> None:
    instance = planned(act("a", 2), agents=("agent", "bob"))
    assert kinds(instance, run("a", 4, 2, "bob")) == []
    assert kinds(instance, run("a", 4, 2, "agent")) == ["off_time"]


def test_action_without_duration_does_not_start_while_its_starter_is_off() -> None:
    assert starts(planned(act("a", 0)), 0) == [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]


def test_action_without_duration_does_not_start_while_a_used_resource_is_off() -> None:
    instance = planned(act("a", 0, 0, Demand("oven"), agents=()), calendars=(CLOSED,), resources=(OVEN,))
    assert starts(instance, 0, None) == [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize("amount", [0, 1])
def test_resource_is_used_only_while_on(amount: int) -> None:
    """A use of amount 0 is a use."""
    instance = planned(act("a", 2, 0, Demand("oven", amount)), calendars=(CLOSED,), resources=(OVEN,))
    assert starts(instance, 2) == [0, 1, 2, 6, 7, 8, 9, 10, 11]
    assert messages(instance, run("a", 3)) == ["runs while oven is off from 4 to 6"]


def test_mode_decides_which_resource_is_used() -> None:
    modes = Mode((Demand("oven"),)), Mode(duration=3)
    instance = planned(act("a", modes=modes), calendars=(CLOSED,), resources=(OVEN,))
    assert kinds(instance, run("a", 4)) == ["off_time"]
    assert kinds(instance, run("a", 4, 3, mode=1)) == []


def test_each_piece_of_an_interruptible_action_is_checked() -> None:
    instance = planned(act("a", 4, interruptible=True))
    assert kinds(instance, run("a", 2), run("a", 6)) == []
    assert kinds(instance, run("a", 2), run("a", 5)) == ["off_time"]
    unattended = planned(act("a", 4, 0, interruptible=True))
    assert kinds(unattended, run("a", 3), run("a", 6)) == []
    assert kinds(unattended, run("a", 2), run("a", 5)) == ["off_time"]


def test_states_persist_while_a_resource_is_off() -> None:
    heat, bake = act("heat", 2, 0, Demand("oven", sets="hot")), act("bake", 2, 0, Demand("oven", requires="hot"))
    instance = planned(heat, bake, calendars=(CLOSED,), resources=(Resource("oven", 1, "cold"),))
    assert kinds(instance, run("heat", 2), run("bake", 6)) == []


def test_off_times_do_not_count_into_the_makespan() -> None:
    instance = planned(act("a", 4))
    assert kinds(instance, run("a", 0, 4)) == []


def test_several_calendars_add_up() -> None:
    instance = planned(act("a", 2), calendars=(LUNCH, Calendar(("agent",), ((5, 8),))))
    assert starts(instance, 2) == [0, 1, 2, 8, 9, 10, 11]
    assert messages(instance, run("a", 3)) == ["runs while agent is off from 4 to 8"]


def test_periodic_off_times_repeat_in_both_directions() -> None:
    """A night from 20 to 30 of days of 24 ticks also covers the first morning."""
    instance = planned(act("a", 2), calendars=(Calendar(("agent",), ((20, 30),), 24),))
    assert [start for start in range(60) if not kinds(instance, run("a", start))] == [
        *range(6, 19),
        *range(30, 43),
        *range(54, 60),
    ]


def test_off_times_may_overlap_those_of_the_next_period() -> None:
    instance = planned(act("a", 1), calendars=(Calendar(("agent",), ((0, 2), (9, 13)), 10),))
    assert [start for start in range(20) if not kinds(instance, run("a", start, 1))] == [*range(3, 9), *range(13, 19)]


def test_member_may_always_be_off() -> None:
    instance = planned(act("a", 1), calendars=(Calendar(("agent",), ((0, 5), (5, 9)), 9),))
    assert starts(instance, 1) == []
    assert messages(instance, run("a", 0, 1)) == ["runs while agent is off from 0 on"]
    [span] = OffTimes(instance.calendars).until(50)
    assert span[1] == FOREVER


@pytest.mark.parametrize(
    ("calendar", "field", "message"),
    [
        (Calendar(("agent",), ((3, 3),)), "off", "at least one tick (got [3, 3])"),
        (Calendar(("agent",), ((5, 3),)), "off", "must not end before it begins"),
        (Calendar(("agent",), ((-1, 3),)), "off", "between 0 and"),
        (Calendar(("agent",), ((5, 8), (1, 3))), "off", "sorted and disjoint; the one before ends at 8 (got [1, 3])"),
        (Calendar(("agent",), ((1, 4), (3, 8))), "off", "sorted and disjoint"),
        (Calendar(("agent",), ((1, 11),), 10), "off", "shorter than the period 10"),
        (Calendar(("agent",), ((1, 2),), 0), "period", "between 1 and"),
        (Calendar(("agent",), ((1, 2),), 1.5), "period", "whole number"),  # type: ignore[arg-type]
        (Calendar(("eve",), ((1, 2),)), "members", "must be one of agent, oven, pan (got 'eve')"),
        (Calendar(("agent", "agent"), ((1, 2),)), "members", "unique"),
        (Calendar(("pan",), ((1, 2),)), "members", "agent and of a resource; rename one (got 'pan')"),
        (Calendar(("agent",), tuple((3 * i, 3 * i + 1) for i in range(10_001))), "off", "at most 10000 entries"),
    ],
)
def test_fault_of_a_calendar_names_field_and_value(calendar: Calendar, field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        planned(act("a"), calendars=(calendar,), agents=("agent", "pan"), resources=(OVEN, Resource("pan")))
    assert caught.value.field == f"calendars[0].{field}"
    assert message in str(caught.value).replace("agent, pan, oven, pan", "agent, oven, pan")


def test_touching_off_times_are_accepted() -> None:
    assert planned(act("a"), calendars=(Calendar(("agent",), ((1, 3), (3, 5))),))


def test_off_time_as_long_as_the_period_is_refused() -> None:
    with pytest.raises(InputError, match="shorter than the period 10"):
        planned(act("a"), calendars=(Calendar(("agent",), ((0, 10),), 10),))


def test_common_period_of_all_calendars_is_limited() -> None:
    def build(*periods: int) -> Instance:
        calendars = tuple(Calendar(("agent",), ((0, 1),), period) for period in periods)
        return planned(act("a"), calendars=calendars)

    assert build(10**7, 10)
    with pytest.raises(
        InputError, match="calendars: the least common multiple of all periods must be at most 10000000"
    ):
        build(3163, 3167)


def drawn_calendar(random: Random) -> Calendar:
    """Return up to three off-times, which may touch, of a period or once."""
    period = random.choice((None, 3, 4, 6))
    latest = 12 if period is None else period
    ticks = sorted(random.sample(range(latest + 1), 2 * random.randint(1, min(3, latest // 2))))
    off = tuple(zip(ticks[::2], ticks[1::2], strict=True))
    return Calendar(("agent",), () if off[0] == (0, period) else off, period)


def is_off(calendar: Calendar, tick: int) -> bool:
    """Return whether a tick is in an off-time, by definition."""
    tick = tick if calendar.period is None else tick % calendar.period
    return any(begin <= tick < end for begin, end in calendar.off)


def runs_of_ticks(ticks: list[int]) -> list[tuple[int, int]]:
    """Return begin and end of each run of consecutive ticks."""
    begins = [tick for tick in ticks if tick - 1 not in ticks]
    ends = [tick + 1 for tick in ticks if tick + 1 not in ticks]
    return list(zip(begins, ends, strict=True))


def test_off_times_and_work_between_them_equal_those_by_ticks() -> None:
    random = Random(0)
    for _ in range(60):
        calendars = [drawn_calendar(random) for _ in range(random.randint(0, 3))]
        times = OffTimes(calendars)
        flags = [any(is_off(calendar, tick) for calendar in calendars) for tick in range(99)]
        on = [tick for tick in range(99) if not flags[tick]]
        for start in range(13):
            lengths = range(-1, 5)
            overlaps = [times.overlaps(start, start + length) for length in lengths]
            assert overlaps == [any(flags[start : max(start, start + length)]) for length in lengths], calendars
            duration = random.randint(1, 5)
            worked = [tick for tick in on if tick >= start][:duration]
            assert list(working_spans(times, start, duration)) == runs_of_ticks(worked), (calendars, start, duration)
