"""Special cases of the scheduling model in the exact search, with optima found by hand."""

from __future__ import annotations

import pytest

from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.transition_rules import MAX_TIED_VISITS
from planoracle.instances.model.transitions import Transitions
from planoracle.solver.exact.latest_end import latest_end
from planoracle.solver.exact.search import solve


def makespan(instance: Instance) -> int | None:
    result = solve(instance)
    assert (result.status == "optimal") == (result.makespan is not None)
    return result.makespan


def test_horizon_counts_the_pieces_of_the_longest_mode() -> None:
    """The agent is on in one of ten ticks, and the mode of one tick needs more than there is."""
    modes = Mode((Demand("saw", 2),)), Mode(duration=5)
    action = Action("t/cut", "t", 1, 1, interruptible=True, modes=modes)
    off = Calendar(("agent",), ((1, 10),), 10)
    instance = Instance("nights", (action,), resources=(Resource("saw"),), calendars=(off,))
    assert latest_end(instance) >= 41
    assert makespan(instance) == 41


def test_use_begins_a_tick_after_a_setting_in_a_mode_of_no_length() -> None:
    """All times are multiples of ten, but the use need not wait for so long."""
    heat = Action("t/heat", "t", 10, 0, agents=(), modes=(Mode((Demand("kiln", sets="hot"),), duration=0),))
    fire = Action("t/fire", "t", 10, 0, agents=(), modes=(Mode((Demand("kiln", requires="hot"),)),))
    assert makespan(Instance("pottery", (heat, fire), resources=(Resource("kiln"),))) == 11


@pytest.mark.parametrize(("count", "expected"), [(MAX_TIED_VISITS, 10), (MAX_TIED_VISITS + 1, 11)])
def test_no_more_visits_begin_at_one_instant_than_the_rules_accept(count: int, expected: int) -> None:
    actions = tuple(Action(f"t/{number}", "t", 10, 0, place="hall") for number in range(count))
    instance = Instance("lamps", actions, transitions=(Transitions(("agent",), ()),))
    assert makespan(instance) == expected


def test_visits_at_one_instant_come_in_any_order_whatever_the_lags() -> None:
    """From the yard no way leads to the hall, so the agent is in the hall first."""
    actions = Action("t/sign", "t", 0, 0, place="yard"), Action("t/greet", "t", 0, 0, place="hall")
    ways = (Transitions(("agent",), (("hall", "yard", 0),)),)
    assert makespan(Instance("visit", actions, (Lag("t/sign", "t/greet"),), transitions=ways)) == 0
