"""Heuristics and the features of problems: they respect a feature, or refuse it by name."""

import pytest
from support.model_search import best_schedule
from support.random_model_instances import model_mix

from planoracle.analysis.comparison.compare import compare
from planoracle.heuristics.improve import IMPROVER, LIST_HEURISTICS
from planoracle.heuristics.registry import names, run
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.transitions import Transitions

OPTIONAL = Instance("orders", (Action("a/work", "a", 2, 2), Action("b/work", "b", 3, 3)), optional=(("b", 5),))


@pytest.mark.parametrize("name", [*names(), "greedy"])
def test_refused_feature_is_the_reason_for_no_schedule(name):
    answer = run(OPTIONAL, name)
    assert (answer.schedule, answer.plan) == (None, None)
    assert answer.reason.endswith("cannot respect optional tasks")


def test_comparison_shows_refused_features():
    entries = compare(OPTIONAL, ("best_heuristic", "serial-lpt")).entries
    reasons = {entry.method: entry.reason for entry in entries}
    assert reasons["best_heuristic"] == "the improver cannot respect optional tasks"
    assert reasons["serial-lpt"] == "the list heuristics cannot respect optional tasks"


@pytest.mark.parametrize("seed", range(80))
def test_schedules_of_random_problems_are_accepted_and_not_below_the_optimum(seed):
    instance = model_mix(seed)
    accepted = [name for name in ("serial-lst", "parallel-lst") if not LIST_HEURISTICS.refusal(instance)]
    accepted += ["improve"] if not IMPROVER.refusal(instance) else []
    makespans = [run(instance, name).makespan for name in accepted]  # schedules that break a rule are errors
    shortest = min((makespan for makespan in makespans if makespan is not None), default=None)
    if shortest is not None:
        optimum = best_schedule(instance).makespan
        assert optimum is not None
        assert shortest >= optimum


def pieces_of(instance, name="serial-lst"):
    """Return start, duration, agent and mode of the pieces of a heuristic's schedule."""
    schedule = run(instance, name).schedule
    return [(piece.start, piece.duration, piece.agent, piece.mode) for piece in schedule.pieces]


def test_fastest_mode_and_agent_are_chosen():
    modes = (Mode(duration=6), Mode(duration=4, agents=("bob",)), Mode(duration=4, agents=("ann",)))
    action = Action("t/saw", "t", 6, 6, modes=modes)
    assert pieces_of(Instance("shop", (action,), agents=("ann", "bob"))) == [(0, 4, "bob", 1)]


def test_later_start_on_the_faster_machine_is_chosen_if_it_ends_sooner():
    machines = (Resource("old"), Resource("new"))
    modes = (Mode((Demand("old"),), duration=9), Mode((Demand("new"),), duration=3))
    busy = Action("t/first", "t", 4, 0, modes=(Mode((Demand("new"),)),), agents=())
    action = Action("t/second", "t", 9, 0, modes=modes, agents=())
    instance = Instance("shop", (busy, action), (Lag(busy.id, action.id, -4),), machines)
    assert pieces_of(instance) == [(0, 4, None, 0), (4, 3, None, 1)]


def test_mode_above_a_capacity_is_never_chosen():
    modes = (Mode((Demand("crane", 2),), duration=1), Mode((Demand("crane", 1),), duration=5))
    action = Action("t/lift", "t", 5, 0, modes=modes, agents=())
    assert pieces_of(Instance("site", (action,), resources=(Resource("crane", 1),))) == [(0, 5, None, 1)]


def test_budget_is_kept_for_the_remaining_actions():
    dear = Mode((Demand("money", 3),), duration=1)
    cheap = Mode((Demand("money", 1),), duration=5)
    actions = tuple(Action(f"t/{n}", "t", 5, 0, modes=(dear, cheap), agents=()) for n in range(3))
    budget = Resource("money", 5, renewable=False)
    modes = [mode for *_, mode in pieces_of(Instance("site", actions, resources=(budget,)))]
    assert sorted(modes) == [0, 1, 1]


def test_two_budgets_that_no_cheapest_mode_serves_are_kept():
    modes = (Mode((Demand("money", 2),)), Mode((Demand("paint", 2),)))
    actions = tuple(Action(f"t/{n}", "t", 1, 0, modes=modes, agents=()) for n in range(4))
    budgets = (Resource("money", 4, renewable=False), Resource("paint", 4, renewable=False))
    chosen = [mode for *_, mode in pieces_of(Instance("site", actions, resources=budgets))]
    assert sorted(chosen) == [0, 0, 1, 1]


def test_problem_whose_budget_never_suffices_has_a_reason():
    action = Action("t/buy", "t", 1, 0, modes=(Mode((Demand("money", 2),)),), agents=())
    answer = run(Instance("site", (action,), resources=(Resource("money", 1, renewable=False),)), "serial-lst")
    assert answer.schedule is None
    assert "budgets" in answer.reason


def test_piece_lies_in_a_window_and_outside_of_off_times():
    action = Action("t/call", "t", 2, 2, windows=((0, 3), (5, 9)))
    off = Calendar(("agent",), ((1, 6),))
    assert pieces_of(Instance("office", (action,), calendars=(off,))) == [(6, 2, "agent", 0)]


def test_agent_may_be_off_after_the_attended_ticks_but_a_resource_may_not():
    action = Action("t/bake", "t", 4, 1, modes=(Mode((Demand("oven"),)),))
    kitchen = Instance("k", (action,), resources=(Resource("oven"),), calendars=(Calendar(("agent",), ((1, 9),)),))
    assert pieces_of(kitchen) == [(0, 4, "agent", 0)]
    closed = Instance("k", (action,), resources=(Resource("oven"),), calendars=(Calendar(("oven",), ((1, 9),)),))
    assert pieces_of(closed) == [(9, 4, "agent", 0)]


def test_work_pauses_in_breaks_and_holds_its_resources():
    night = Calendar(("agent",), ((8, 12),), 12)
    bench = (Mode((Demand("bench"),)),)
    long = Action("t/long", "t", 10, 10, modes=bench, pauses_in_breaks=True)
    other = Action("t/other", "t", 1, 0, modes=bench, agents=())
    instance = Instance("shop", (long, other), (Lag(long.id, other.id, -12),), (Resource("bench"),), calendars=(night,))
    assert pieces_of(instance) == [(0, 8, "agent", 0), (12, 2, "agent", 0), (14, 1, None, 0)]


def test_interruptible_work_fills_the_time_between_off_times():
    off = Calendar(("agent",), ((2, 5),))
    action = Action("t/sort", "t", 4, 4, interruptible=True)
    assert pieces_of(Instance("office", (action,), calendars=(off,))) == [(0, 2, "agent", 0), (5, 2, "agent", 0)]


def test_member_that_is_never_on_again_leaves_no_schedule():
    off = (Calendar(("agent",), ((0, 1),), 2), Calendar(("agent",), ((1, 2),), 2))
    assert run(Instance("office", (Action("t/call", "t", 2, 2),), calendars=off), "improve").schedule is None


def test_visits_leave_time_for_ways_and_use_gaps_between_other_visits():
    ways = Transitions(("agent",), (("home", "shop", 3), ("shop", "home", 3)), (("agent", "home"),))
    shop = Action("t/shop", "t", 2, 2, place="shop", release=5)
    home = Action("t/home", "t", 2, 2, place="home")
    instance = Instance("errands", (shop, home), transitions=(ways,))
    starts = [(start, duration) for start, duration, *_ in pieces_of(instance, "serial-lpt")]
    assert starts == [(0, 2), (5, 2)]


def test_missing_way_leaves_no_schedule():
    ways = Transitions(("agent",), (("home", "shop", 1),), (("agent", "shop"),))
    action = Action("t/home", "t", 2, 2, place="home")
    answer = run(Instance("errands", (action,), transitions=(ways,)), "serial-lst")
    assert answer.schedule is None
    assert "ways" in answer.reason


def test_visit_of_no_length_comes_before_the_longer_one_at_its_instant():
    ways = Transitions(("agent",), (("shop", "yard", 0), ("yard", "shop", 1)), ())
    start = Action("t/start", "t", 4, 0, place="shop")
    work = Action("t/work", "t", 3, 3, place="yard")
    instance = Instance("errands", (work, start), (Lag(work.id, start.id, -3),), transitions=(ways,))
    assert pieces_of(instance) == [(0, 4, "agent", 0), (0, 3, "agent", 0)]


def test_rules_with_deadlines_begin_with_the_most_urgent_action():
    late = Action("t/late", "t", 5, 5, deadline=20)
    early = Action("t/early", "t", 2, 2, deadline=2)
    instance = Instance("office", (late, early))
    assert pieces_of(instance, "serial-lft") == [(0, 2, "agent", 0), (2, 5, "agent", 0)]
