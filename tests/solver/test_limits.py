"""Large numbers, many interruption points and little time: results stay valid."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from support.exhaustive import general_optimum
from support.random_instances import workshop
from support.samples import sample

from planoracle.heuristics.generation import generate_serial
from planoracle.heuristics.improve import improve
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.protocol.schedule_benchmark import remaining_problem
from planoracle.solver.exact import precedence
from planoracle.solver.exact.bounds import common_tick, windows
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.search import solve
from planoracle.solver.states.state_solver import StateSolver


def jobs(count: int, ticks: int, **options: object) -> tuple[Action, ...]:
    return tuple(Action(f"t/{n}", "t", ticks, ticks, **options) for n in range(count))  # type: ignore[arg-type]


def test_two_maximum_lags_make_one_action_uninterruptible() -> None:
    # Two maximum lags forbid interrupting the pie; a second cook is free to switch on the lamp meanwhile.
    dough, oven = Action("t/dough", "t", 2, 2), Action("t/oven", "t", 2, 0, agents=())
    pie = Action("t/pie", "t", 2, 2, interruptible=True)
    lamp = Action("t/lamp", "t", 1, 0, release=3)
    lags = (Lag("t/dough", "t/pie", 0, 0), Lag("t/oven", "t/pie", 0, 0))
    instance = Instance("k", (dough, oven, pie, lamp), lags, agents=("a", "b"))
    assert solve(instance).makespan == general_optimum(instance, 7) == 4


@pytest.mark.parametrize("limit", [None, 100])
def test_interruptions_off_the_grid_are_reported_by_grid(limit: int | None) -> None:
    # Four jobs of 70 on three agents take 94, with interruptions at any tick, and 140 on the grid of 70 ticks.
    instance = Instance("quarters", jobs(4, 70, interruptible=True), agents=("a", "b", "c"), time_limit=limit)
    assert common_tick(instance) == 70
    coarse, fine = solve(instance), solve(instance, exact_grid=True)
    assert (coarse.makespan, coarse.grid) == (140 if limit is None else None, 70)
    assert (fine.status, fine.makespan, fine.lower_bound, fine.grid) == ("optimal", 94, 94, 1)


def test_setting_may_share_capacity_one_tick_after_the_state_is_set() -> None:
    # Lighting the oven has duration 0; one tick later a setting of the same state shares the capacity of the cake.
    light = Action("t/light", "t", 0, 0, modes=(Mode((Demand("oven", sets="hot"),)),))
    cake = Action("t/cake", "t", 2, 0, modes=(Mode((Demand("oven", 2),)),))
    heat = Action("t/heat", "t", 2, 2, modes=(Mode((Demand("oven", sets="hot"),)),))
    instance = Instance("oven", (light, cake, heat), (Lag("t/light", "t/heat"),), (Resource("oven", 2, "cold"),))
    assert solve(instance).makespan == general_optimum(instance, 6) == 3


def test_time_limit_below_the_work_bound_is_infeasible_on_every_grid() -> None:
    late = Instance("late", jobs(4, 70, interruptible=True), agents=("a", "b", "c"), time_limit=93)
    assert (solve(late).status, solve(late).grid) == ("infeasible", 1)


@pytest.mark.slow
def test_chain_of_more_than_2_to_the_40_ticks_is_solved() -> None:
    # A chain of more than 2**40 ticks, and an action that has to start with it.
    chain = tuple(Action(f"t/{n}", "t", 10**9 - n % 2, 0, agents=()) for n in range(1_150))
    first = Action("t/first", "t", 1, 0, agents=())
    lags = tuple(Lag(one.id, two.id) for one, two in pairwise(chain))
    instance = Instance("long", (first, *chain), (Lag("t/0", "t/first", None, 0), *lags))
    result = solve(instance)
    assert (result.status, result.makespan) == ("optimal", sum(action.duration for action in chain))


def test_heuristics_accept_makespans_above_10_to_the_12() -> None:
    instance = Instance("long", jobs(1_050, 10**9))
    timetable = generate_serial(instance, [0.0] * 1_050)
    assert timetable is not None
    assert timetable.makespan == 1_050 * 10**9


def test_too_many_interruption_points_are_solved_by_heuristics() -> None:
    slow = Action("t/slow", "t", 10**8 + 7, 0, interruptible=True, modes=(Mode((Demand("bench"),)),))
    short = Action("t/short", "t", 5, 0, modes=(Mode((Demand("bench"),)),))
    instance = Instance("slow", (slow, short), resources=(Resource("bench"),))
    result = solve(instance)
    assert (result.status, result.makespan, result.grid) == ("optimal", 10**8 + 12, 1)
    blocked = replace(instance, lags=(Lag("t/slow", "t/short", None, -10),))  # the short one goes first
    result = solve(blocked)
    assert result.status in ("optimal", "feasible")
    assert (result.lower_bound or 0) <= 10**8 + 12 <= (result.makespan or 0)
    never = solve(replace(instance, time_limit=10**8 + 11))
    assert (never.status, never.makespan) == ("infeasible", None)


def test_forced_orders_are_skipped_for_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = Instance("many", jobs(12, 3), (Lag("t/1", "t/0", None, -5),))
    bounds = ordered_windows(instance)
    assert bounds.open
    monkeypatch.setattr(precedence, "_PAIRS", 65)
    assert ordered_windows(instance) == windows(instance)
    monkeypatch.setattr(precedence, "_NODES", 12)
    assert ordered_windows(instance) == windows(instance)
    assert solve(instance).makespan == 36


def test_negative_minimum_lag_applies_after_idle_time() -> None:
    # At 3 it is too late for b, which had to finish at most 3 after the start of a.
    a, b, c = (Action(f"t/{name}", "t", 1, 0) for name in "abc")
    instance = Instance("late", (a, b, c), (Lag("t/b", "t/a", -3),))
    for clock, best in ((2, 4), (3, None)):
        state = PartialSchedule((Piece("t/a", 0, 1, "agent"), Piece("t/c", 3, 1, "agent")), clock)
        value = StateSolver(instance).value(state)
        assert value.makespan == solve(remaining_problem(instance, state)).makespan == best
        assert value.status == ("infeasible" if best is None else "optimal")


def test_heuristics_separate_settings_from_uses_of_duration_0() -> None:
    look = Action("t/look", "t", 0, 0, agents=(), modes=(Mode((Demand("lamp", 0, requires="on"),)),))
    dim = Action("t/dim", "t", 2, 0, agents=(), modes=(Mode((Demand("lamp", 0, sets="off"),)),))
    instance = Instance("lamp", (look, dim), resources=(Resource("lamp", state="on"),))
    timetable = improve(instance)
    assert timetable is not None
    assert list(find_violations(instance, timetable.schedule())) == []
    assert timetable.makespan == solve(instance).makespan == 3


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(4)))
def test_results_without_time_are_valid(block: int) -> None:
    settled = 0
    for seed in range(block, 120, 4):
        instance = workshop(seed)
        best, hasty = solve(instance), solve(instance, time_limit=0.0)
        if best.makespan is None:
            assert hasty.status in ("infeasible", "unknown")
            continue
        assert hasty.status != "infeasible"
        assert hasty.lower_bound is not None
        assert hasty.lower_bound <= best.makespan <= (hasty.makespan or best.makespan)
        assert (hasty.status == "unknown") == (hasty.schedule is None)
        if hasty.status == "optimal":
            assert hasty.makespan == best.makespan
            settled += 1
    assert settled > 5
