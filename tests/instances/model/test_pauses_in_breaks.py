"""Actions that pause exactly while something that they need is off: rules, normal form and checks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import find_violations, referee, violations_of_last
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.model.working_times import breaks_of, worked_pieces
from tests.support.rule_cases import act, kinds, messages, run

LUNCH = Calendar(("agent",), ((4, 6),))
CLOSED = Calendar(("oven",), ((8, 9),))
OVEN = Resource("oven", 2)
#: The first two ticks before lunch, the last one after.
TWO_PIECES = (run("a", 2), run("a", 6, 1))


def pausing(*others: Action, duration: int = 3, **more: Any) -> Instance:
    """Return a problem with an attended action of 3 ticks that pauses in breaks, and other actions."""
    action = act("a", duration, pauses_in_breaks=True)
    return Instance("k", (action, *others), **{"calendars": (LUNCH,), **more})


def test_action_pauses_exactly_while_its_agent_is_off() -> None:
    instance = pausing()
    assert kinds(instance, *TWO_PIECES) == []
    assert kinds(instance, run("a", 0, 3)) == []
    assert kinds(instance, run("a", 2, 3)) == ["off_time"]
    assert messages(instance, run("a", 2), run("a", 7, 1)) == ["pauses from 4 to 7, which is not a break"]
    assert kinds(instance, run("a", 1), run("a", 6, 1)) == ["pause"]
    assert kinds(instance, run("a", 0, 1), run("a", 2)) == ["pause"]


def test_start_is_a_tick_of_work() -> None:
    assert kinds(pausing(), run("a", 4, 1), run("a", 6)) == ["off_time"]
    assert kinds(pausing(), run("a", 6, 3)) == []


def test_last_piece_may_end_where_a_break_begins() -> None:
    assert kinds(pausing(), run("a", 1, 3)) == []


def test_pieces_of_work_lie_between_the_breaks() -> None:
    instance = pausing(act("b", 3))
    for start, duration in ((0, 3), (1, 4), (2, 3), (4, 1), (5, 2)):
        pieces = list(worked_pieces(instance, run("a", start, duration)))
        ticks = [tick for piece in pieces for tick in range(piece.start, piece.end)]
        assert ticks == [tick for tick in range(start, 12) if tick not in (4, 5)][:duration]
        assert len(pieces) == 1 + (start < 4 < start + duration)
        assert {piece._replace(start=start, duration=duration) for piece in pieces} == {run("a", start, duration)}
    for piece in (run("a", 4, 0), run("b", 3, 3)):
        assert list(worked_pieces(instance, piece)) == [piece]


def test_action_is_one_piece_without_a_calendar() -> None:
    assert kinds(pausing(calendars=()), run("a", 2, 3)) == []
    assert kinds(pausing(calendars=()), *TWO_PIECES) == ["pause"]


def test_touching_off_times_of_agent_and_resource_are_one_break() -> None:
    action = act("a", 4, 4, Demand("oven"), pauses_in_breaks=True)
    calendars = (LUNCH, Calendar(("oven",), ((6, 8), (9, 10))))
    instance = Instance("k", (action,), resources=(OVEN,), calendars=calendars)
    assert kinds(instance, run("a", 2), run("a", 8, 1), run("a", 10, 1)) == []
    assert list(breaks_of(instance, run("a", 2)).until(20)) == [(4, 8), (9, 10)]


def test_unattended_action_pauses_while_a_resource_is_off_only() -> None:
    action = act("a", 4, 0, Demand("oven"), pauses_in_breaks=True)
    instance = Instance("k", (action,), resources=(OVEN,), calendars=(LUNCH, CLOSED))
    assert kinds(instance, run("a", 3, 4)) == []
    assert kinds(instance, run("a", 6), run("a", 9)) == []
    assert kinds(instance, run("a", 3, 1), run("a", 6, 2), run("a", 9, 1)) == ["pause"]


def test_starter_has_to_be_on_at_the_first_start_only() -> None:
    action = act("a", 3, 0, Demand("oven"), pauses_in_breaks=True)
    calendars = Calendar(("agent",), ((4, 6), (9, 12))), CLOSED
    instance = Instance("k", (action,), resources=(OVEN,), calendars=calendars)
    assert kinds(instance, run("a", 7, 1), run("a", 9, 2)) == []
    assert kinds(instance, run("a", 4, 3)) == ["off_time"]


def test_later_pieces_of_an_unattended_action_are_no_starts() -> None:
    """At tick 9 the agent attends to something else, and the unattended action goes on."""
    action = act("a", 3, 0, Demand("oven"), pauses_in_breaks=True)
    instance = Instance("k", (action, act("b", 4)), resources=(OVEN,), calendars=(CLOSED,))
    pieces = run("a", 6), run("a", 9, 1), run("b", 7, 4)
    assert kinds(instance, *pieces) == []
    assert kinds(instance, run("a", 6), run("a", 9, 1, None), run("b", 7, 4)) == []
    assert kinds(instance, run("a", 7, 1), run("a", 9), run("b", 6, 4)) == ["start_attended"]


def test_agent_of_an_interruptible_action_is_not_cut_at_a_later_piece() -> None:
    action = act("a", 3, 0, Demand("oven"), pauses_in_breaks=True)
    instance = Instance("k", (action, act("b", 4, interruptible=True)), resources=(OVEN,), calendars=(CLOSED,))
    schedule = Schedule.of(instance, (run("a", 6), run("a", 9, 1), run("b", 7, 4)))
    assert [(piece.action, piece.start, piece.duration) for piece in schedule.pieces] == [
        ("t/a", 6, 2),
        ("t/b", 7, 4),
        ("t/a", 9, 1),
    ]


def test_agent_does_nothing_else_in_the_pause() -> None:
    calendars = (Calendar(("oven",), ((4, 6),)),)
    action = act("a", 3, 3, Demand("oven"), pauses_in_breaks=True)
    instance = Instance("k", (action, act("b", 2), act("c", 2, 0)), resources=(OVEN,), calendars=calendars)
    assert kinds(instance, *TWO_PIECES, run("b", 7), run("c", 9)) == []
    assert kinds(instance, *TWO_PIECES, run("b", 4), run("c", 9)) == ["agent_busy"]
    assert kinds(instance, *TWO_PIECES, run("b", 7), run("c", 5)) == ["start_attended"]
    # Both ends of the span are free.
    assert kinds(instance, *TWO_PIECES, run("b", 0), run("c", 7)) == []


def test_one_agent_does_all_pieces() -> None:
    calendars = (Calendar(("agent", "bob"), ((4, 6),)),)
    instance = pausing(agents=("agent", "bob"), calendars=calendars)
    assert messages(instance, run("a", 2), run("a", 6, 1, "bob")) == ["the agent changes between pieces"]
    assert kinds(instance, run("a", 2), run("a", 6, 1, None)) == ["ineligible_agent"]
    assert kinds(instance, run("a", 2, agent="bob"), run("a", 6, 1, "bob")) == []


def test_resources_stay_reserved_in_the_pause() -> None:
    action = act("a", 3, 3, Demand("oven", 2), pauses_in_breaks=True)
    use = act("b", 1, 0, Demand("oven"), agents=())
    instance = Instance("k", (action, use), resources=(OVEN,), calendars=(LUNCH,))
    assert kinds(instance, *TWO_PIECES, run("b", 7, 1, None)) == []
    assert kinds(instance, *TWO_PIECES, run("b", 4, 1, None)) == ["resource_capacity"]


def test_required_state_holds_in_the_pause() -> None:
    action = act("a", 3, 3, Demand("oven", requires="hot"), pauses_in_breaks=True)
    chill = act("b", 1, 0, Demand("oven", sets="cold"), agents=())
    instance = Instance("k", (action, chill), resources=(Resource("oven", 2, "hot"),), calendars=(LUNCH,))
    assert kinds(instance, *TWO_PIECES, run("b", 7, 1, None)) == []
    assert kinds(instance, *TWO_PIECES, run("b", 5, 1, None)) == ["resource_state"]


def test_state_is_set_once_at_the_start() -> None:
    heat = act("a", 3, 3, Demand("oven", sets="hot"), pauses_in_breaks=True)
    chill = act("b", 1, 0, Demand("oven", sets="cold"), agents=())
    bake = act("c", 1, 0, Demand("oven", requires="cold"), agents=())
    instance = Instance("k", (heat, chill, bake), resources=(Resource("oven", 2, "cold"),), calendars=(LUNCH,))
    # The second piece of the heating at tick 6 does not set the state again.
    assert kinds(instance, *TWO_PIECES, run("b", 3, 1, None), run("c", 8, 1, None)) == []
    assert kinds(instance, *TWO_PIECES, run("b", 1, 1, None), run("c", 8, 1, None)) == ["resource_state"]


@pytest.mark.parametrize("pauses", [False, True])
def test_action_that_pauses_neither_makes_nor_takes_room(pauses: bool) -> None:
    use, setting = (Demand("oven", 2),), (Demand("oven", 2, sets="hot"),)
    resources = (Resource("oven", 2, "hot"),)
    agents = ("agent", "bob")
    expected = ["resource_capacity"] if pauses else []
    makes = act("a", 2, 2, *use, pauses_in_breaks=pauses), act("b", 2, 2, *setting)
    takes = act("a", 2, 2, *use), act("b", 2, 2, *setting, pauses_in_breaks=pauses)
    shares = act("a", 2, 2, *setting), act("b", 2, 2, *setting, pauses_in_breaks=pauses)
    for actions in (makes, takes, shares):
        instance = Instance("k", actions, resources=resources, agents=agents)
        assert kinds(instance, run("a", 0), run("b", 0, agent="bob")) == expected


def test_maximum_lag_to_the_action_counts_to_its_start() -> None:
    instance = pausing(act("b", 2), lags=(Lag("t/b", "t/a", 0, 0),))
    assert kinds(instance, run("b", 0), *TWO_PIECES) == []
    tight = pausing(act("b", 1), lags=(Lag("t/b", "t/a", 0, 0),))
    assert kinds(tight, run("b", 0, 1), *TWO_PIECES) == ["maximum_lag"]


def test_lag_from_the_action_counts_from_its_end() -> None:
    instance = pausing(act("b", 2, agents=("bob",)), lags=(Lag("t/a", "t/b", 0, 0),), agents=("agent", "bob"))
    assert kinds(instance, *TWO_PIECES, run("b", 7, agent="bob")) == []
    assert kinds(instance, *TWO_PIECES, run("b", 4, agent="bob")) == ["minimum_lag"]
    assert kinds(instance, *TWO_PIECES, run("b", 8, agent="bob")) == ["maximum_lag"]


def test_action_of_chosen_duration_0_never_pauses() -> None:
    action = act("a", 3, pauses_in_breaks=True, modes=(Mode(), Mode(duration=0)))
    instance = Instance("k", (action,), calendars=(LUNCH,))
    assert kinds(instance, run("a", 2, 0, mode=1)) == []
    assert kinds(instance, run("a", 4, 0, mode=1)) == ["off_time"]
    assert kinds(instance, run("a", 3, 0, mode=1), run("a", 6, 0, mode=1)) == ["interruptibility"]
    both = replace(instance, actions=(action, act("b", 3, pauses_in_breaks=True)))
    assert kinds(both, run("a", 2, 0, mode=1), run("b", 2), run("b", 7, 1)) == ["pause"]


def test_breaks_of_the_agent_count_only_in_attended_modes() -> None:
    oven = (Demand("oven"),)
    action = act("a", 3, pauses_in_breaks=True, modes=(Mode(oven), Mode(oven, attended=0)))
    instance = Instance("k", (action,), resources=(OVEN,), calendars=(LUNCH,))
    assert kinds(instance, *TWO_PIECES) == []
    assert kinds(instance, run("a", 2, 3, mode=1)) == []
    assert kinds(instance, run("a", 2, mode=1), run("a", 6, 1, mode=1)) == ["pause"]


def test_whole_span_is_one_visit() -> None:
    ways = (Transitions(("agent",), (("home", "home", 2),)),)
    action = act("a", 3, pauses_in_breaks=True, place="home")
    instance = Instance("k", (action, act("b", 1, place="home")), calendars=(LUNCH,), transitions=ways)
    assert kinds(instance, *TWO_PIECES, run("b", 9, 1)) == []
    assert kinds(instance, *TWO_PIECES, run("b", 8, 1)) == ["transition"]


def test_normal_form_joins_work_without_a_break() -> None:
    instance = pausing()
    schedule = Schedule.of(instance, (run("a", 2, 1), run("a", 3, 1), run("a", 6, 1)))
    assert schedule.pieces == TWO_PIECES


def test_normal_form_does_not_cut_at_starts() -> None:
    instance = pausing(act("b", 1, 0))
    schedule = Schedule.of(instance, (run("a", 1, 3), run("b", 2, 1)))
    assert [piece.duration for piece in schedule.pieces] == [3, 1]
    assert [violation.kind for violation in find_violations(instance, schedule)] == ["start_attended"]


def test_valid_schedule_is_finished_with_its_last_piece() -> None:
    replay = referee(pausing(act("b", 1)), Schedule((run("b", 0, 1), *TWO_PIECES)))
    assert [event.progress for event in replay.events] == [0.5, 0.5, 1.0]
    assert replay.makespan == 7
    assert replay.idle == ((1, 2),)


def test_violations_of_the_last_piece_treat_the_span_as_one() -> None:
    instance = pausing(act("b", 2, agents=("agent",)))
    assert [v.kind for v in violations_of_last(instance, [run("a", 2)])] == ["action_duration"]
    assert list(violations_of_last(instance, TWO_PIECES)) == []
    assert [v.kind for v in violations_of_last(instance, [run("a", 2), run("a", 7, 1)])] == ["pause"]
    assert "agent_busy" in [v.kind for v in violations_of_last(instance, [*TWO_PIECES, run("b", 4)])]
    assert list(violations_of_last(instance, [*TWO_PIECES, run("b", 7)])) == []


def test_both_pauses_at_once_are_refused() -> None:
    with pytest.raises(InputError, match=r"actions\[t/a\].pauses_in_breaks: .* set one of the two"):
        Instance("k", (act("a", pauses_in_breaks=True, interruptible=True),))


def test_partly_attended_action_cannot_pause() -> None:
    with pytest.raises(InputError, match=r"attended: must be 0 or the duration 3 for an action that pauses in breaks"):
        Instance("k", (act("a", 3, 2, pauses_in_breaks=True),))
