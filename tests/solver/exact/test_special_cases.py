"""Special cases of the scheduling model in the exact search, with optima found by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.transition_rules import MAX_TIED_VISITS
from planoracle.instances.model.transitions import Transitions
from planoracle.solver.exact.bounds import grid_matters, horizon
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


#: Saw that is on in 8 of 24 ticks, and an agent that is on in 2 of them.
SAW_OFF, ANN_OFF = Calendar(("saw",), ((8, 24),), 24), Calendar(("ann",), ((2, 24),), 24)
#: A job that pauses in breaks, and work on the bench that does not.
JOB = Action("t/job", "t", 20, 20, modes=(Mode((Demand("saw"),)),), pauses_in_breaks=True)
WORK = Action("t/work", "t", 3, 3, place="hall", modes=(Mode((Demand("saw", family="oak"),)),))
WAYS = Transitions(("ann",), (("hall", "yard", 5),)), Transitions(("saw",), (("oak", "fir", 3), ("fir", "oak", 2)))


@pytest.mark.parametrize(
    ("action", "fields", "expected"),
    [
        (JOB, {}, 20),
        (JOB, {"calendars": (SAW_OFF,)}, 4 * 24 + 23),
        (JOB, {"calendars": (SAW_OFF, ANN_OFF)}, 11 * 24 + 23),
        (replace(JOB, attended=0), {"calendars": (SAW_OFF, ANN_OFF)}, 4 * 24 + 23),
        (replace(JOB, pauses_in_breaks=False), {"calendars": (SAW_OFF,)}, 20 + 23),
        (replace(WORK, place=None, release=4), {"transitions": WAYS[1:]}, 4 + 3 + 3),
        (WORK, {"transitions": WAYS}, 3 + 5 + 3),
        (WORK, {"transitions": (Transitions(("ann", "saw"), WAYS[0].times),)}, 3 + 2 * 5),
        (replace(WORK, interruptible=True), {"transitions": WAYS}, 3 + 3 * (5 + 3)),
        (replace(WORK, windows=((1, 5), (7, 11))), {"transitions": WAYS}, 7 + 3 + 5 + 3),
    ],
)
def test_latest_end_adds_idle_ticks_and_ways_to_the_longest_spans(
    action: Action, fields: dict[str, Any], expected: int
) -> None:
    instance = Instance("shop", (action,), resources=(Resource("saw"),), agents=("ann", "bob"), **fields)
    assert latest_end(instance) == expected


def test_use_begins_a_tick_after_a_setting_if_neither_takes_time() -> None:
    heat = Action("t/heat", "t", 0, 0, agents=(), modes=(Mode((Demand("kiln", sets="hot"),)),))
    fire = Action("t/fire", "t", 0, 0, agents=(), modes=(Mode((Demand("kiln", requires="hot"),)),))
    instance = Instance("pottery", (heat, fire), resources=(Resource("kiln"),))
    assert horizon(instance) >= 1
    assert makespan(instance) == 1


@pytest.mark.parametrize(("kinds", "expected"), [((True, False), True), ((False, True), True), ((False, False), False)])
def test_grid_matters_if_an_interruptible_action_follows_a_maximum_lag(kinds: tuple[bool, ...], expected: bool) -> None:
    first = Action("t/first", "t", 60, 60)
    later = tuple(Action(f"t/{n}", "t", 60, 60, interruptible=kind) for n, kind in enumerate(kinds))
    lags = tuple(Lag("t/first", action.id, 0, 60) for action in later)
    assert grid_matters(Instance("grid", (first, *later), lags)) == expected


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


def test_too_many_off_times_leave_the_status_unknown() -> None:
    calendars = Calendar(("agent",), ((1, 2),), 2), Calendar(("agent",), ((0, 1),), 9_999_998)
    actions = Action("t/saw", "t", 1, 1), Action("t/glue", "t", 1, 1)
    result = solve(Instance("shifts", actions, calendars=calendars))
    assert (result.status, result.makespan, result.lower_bound) == ("unknown", None, 5)


def test_member_that_is_always_off_leaves_no_schedule() -> None:
    calendars = Calendar(("agent",), ((0, 1),), 2), Calendar(("agent",), ((1, 2),), 2)
    for pauses_in_breaks in (False, True):
        action = Action("t/saw", "t", 2, 2, pauses_in_breaks=pauses_in_breaks)
        assert solve(Instance("strike", (action,), calendars=calendars)).status == "infeasible"
        nobody = Action("t/dry", "t", 2, 0, agents=(), pauses_in_breaks=pauses_in_breaks)
        assert makespan(Instance("strike", (nobody,), calendars=calendars)) == 2


#: A fired pot needs the kiln to be hot, which the optional task makes it.
FIRE = Action("pot/fire", "pot", 2, 2, modes=(Mode((Demand("kiln", requires="hot"),)),))
HEAT = Action("kiln/heat", "kiln", 1, 1, modes=(Mode((Demand("kiln", sets="hot"),)),))


@pytest.mark.parametrize(("limit", "expected"), [(3, ("optimal", 4, 3)), (2, ("infeasible", None, None))])
def test_optional_task_may_set_a_state_that_a_mandatory_one_requires(limit: int, expected: object) -> None:
    instance = Instance("pots", (FIRE, HEAT), resources=(Resource("kiln"),), optional=(("kiln", 4),), time_limit=limit)
    result = solve(instance)
    assert (result.status, result.weight, result.makespan) == expected


def test_optional_task_may_lie_on_the_only_way() -> None:
    actions = Action("t/pick", "t", 1, 1, place="far"), Action("u/rest", "u", 1, 1, place="middle")
    ways = (Transitions(("agent",), (("home", "middle", 1), ("middle", "far", 1)), (("agent", "home"),)),)
    result = solve(Instance("path", actions, transitions=ways, optional=(("u", 1),)))
    assert (result.status, result.weight, result.makespan) == ("optimal", 1, 4)


def test_nothing_is_executed_where_no_optional_task_fits() -> None:
    actions = Action("t/long", "t", 5, 5), Action("u/late", "u", 1, 1, release=4, deadline=3)
    result = solve(Instance("none", actions, optional=(("t", 2), ("u", 1)), time_limit=4))
    assert (result.status, result.weight, result.weight_bound) == ("optimal", 0, 0)
    assert (result.makespan, result.lower_bound) == (0, 0)


def test_order_through_a_left_out_task_is_void_for_the_solver() -> None:
    """The paint comes first, although the sign would come between the wall and the paint."""
    actions = Action("m/wall", "m", 2, 2), Action("o/sign", "o", 9, 9), Action("m/paint", "m", 1, 1, deadline=1)
    lags = Lag("m/wall", "o/sign"), Lag("o/sign", "m/paint")
    result = solve(Instance("house", actions, lags, optional=(("o", 3),)))
    assert (result.status, result.weight, result.makespan) == ("optimal", 0, 3)


def _hot(*actions: Action, capacity: int = 1, **fields: Any) -> Instance:
    return Instance("hot", actions, resources=(Resource("oven", capacity, "hot"),), **fields)


def _oven(name: str, duration: int, *modes: Mode, sets: str | None = None, **fields: Any) -> Action:
    """Return an action that uses the oven, unattended unless it has agents."""
    agents = fields.pop("agents", ())
    modes = modes or (Mode((Demand("oven", sets=sets),)),)
    return Action(f"t/{name}", "t", duration, duration if agents else 0, modes=modes, agents=agents, **fields)


@pytest.mark.parametrize("duration", [0, 2])
def test_setting_to_another_state_ends_the_first_one(duration: int) -> None:
    spoil = _oven("spoil", 1, sets="cold")
    use = Action("t/use", "t", duration, 0, modes=(Mode((Demand("oven", requires="hot"),)),), agents=())
    assert solve(_hot(spoil, use, lags=(Lag("t/spoil", "t/use"),))).status == "infeasible"
    at_once = (Lag("t/use", "t/spoil", 0, 0),)
    assert solve(_hot(spoil, use, lags=at_once)).makespan == (None if duration == 0 else 3)


def test_setting_shares_no_room_of_an_absent_use_or_an_action_that_pauses() -> None:
    use, setting = _oven("use", 3), _oven("set", 2, sets="hot")
    two_modes = _oven("both", 2, Mode((Demand("oven"),)), Mode())
    assert solve(_hot(use, setting, two_modes)).makespan == 5
    for pauses, expected in ((True, 4), (False, 2)):
        pausing = _oven("set", 2, sets="hot", pauses_in_breaks=pauses)
        assert solve(_hot(_oven("use", 2), pausing)).makespan == expected


def test_setting_takes_no_room_through_another_one() -> None:
    use, attended = _oven("use", 2, agents=("ann",)), _oven("set", 2, sets="hot", agents=("bob",))
    alone = _oven("alone", 2, sets="hot")
    assert solve(_hot(use, attended, agents=("ann", "bob"))).makespan == 2
    assert solve(_hot(use, attended, alone, agents=("ann", "bob"))).makespan == 4
