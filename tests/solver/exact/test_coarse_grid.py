"""Coarse grids for problems with many interruption points: a plan comes first, and claims stay valid."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from support.random_instances import kitchen, workshop
from support.samples import sample

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import Deadline
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact import search_state, stages
from planoracle.solver.exact.bounds import common_divisor, common_tick, steps
from planoracle.solver.exact.coarse_grid import coarse_schedule, coarsened, refined
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.search_params import EffortParams, SearchParams
from planoracle.solver.exact.search_state import SearchState
from planoracle.solver.result import Result

GRIDS = (41, 60)


def scaled(instance: Instance, factor: int, random: Random | None = None) -> Instance:
    """Return an instance with all times multiplied by a factor; ``random`` adds a few ticks."""

    def stretched(ticks: int, more: int = 0) -> int:
        return ticks * factor + (more + random.randint(0, factor // 3) if random is not None else 0)

    actions = []
    for action in instance.actions:
        duration = stretched(action.duration) if action.duration else 0
        attended = duration if action.attended == action.duration else action.attended * factor
        actions.append(replace(action, duration=duration, attended=attended, release=action.release * factor))
    lags = []
    for lag in instance.lags:
        least = None if lag.minimum is None else lag.minimum * factor
        lags.append(
            replace(lag, minimum=least, maximum=None if lag.maximum is None else stretched(lag.maximum, factor))
        )
    limit = None if instance.time_limit is None else 2 * instance.time_limit * factor
    return replace(instance, actions=tuple(actions), lags=tuple(lags), time_limit=limit)


def solve_with_little_effort(monkeypatch: pytest.MonkeyPatch, instance: Instance) -> Result:
    """Solve with a minimal search on the fine grid, which finds no schedule and no proof."""
    with monkeypatch.context() as patch:
        patch.setattr(stages, "schedule_in_order", lambda instance, bounds, step, least, *others: (None, least))
        patch.setattr(SearchState, "prove", lambda self, model, runs: self.without_search("no effort"))
        return solve(instance, params=SearchParams(effort=EffortParams(look=1e-9, look_with_pauses=1e-9)))


def on_grid(monkeypatch: pytest.MonkeyPatch, instance: Instance, step: int) -> Result:
    with monkeypatch.context() as patch:
        patch.setattr(search_state, "common_tick", lambda _: step)
        return solve(instance)


@pytest.mark.parametrize(
    ("family", "seeds"),
    sample([(workshop, range(0, 60, 4)), (workshop, range(60)), (kitchen, range(60))], 3, several=True),
)
def test_instance_with_a_plan_on_the_coarse_grid_is_never_unknown(family, seeds, monkeypatch):
    rough = 0
    for seed in seeds:
        factor = GRIDS[seed % len(GRIDS)]
        instance = scaled(family(seed), factor)
        if steps(instance, common_tick(instance)) < 101:
            continue
        coarse, fine = (
            on_grid(monkeypatch, instance, common_divisor(instance)),
            solve_with_little_effort(monkeypatch, instance),
        )
        if coarse.makespan is None:
            assert fine.status in ("infeasible", "unknown", "feasible")
            continue
        assert fine.status in ("feasible", "optimal"), seed
        assert fine.lower_bound <= fine.makespan <= coarse.makespan, seed
        rough += fine.status == "feasible"
    assert rough >= 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "seeds"),
    sample([(workshop, range(0, 120, 4)), (workshop, range(120)), (kitchen, range(120))], 3, several=True),
)
def test_times_without_common_divisor_have_a_coarse_plan(family, seeds, monkeypatch):
    """Durations and windows are a few ticks longer than multiples of a grid on which there is a plan."""
    counts = {"feasible": 0, "optimal": 0}
    for seed in seeds:
        random = Random(seed)
        instance = scaled(family(seed), random.randint(30, 70), random)
        if steps(instance, common_tick(instance)) < 101 or solve(family(seed)).makespan is None:
            continue
        result = solve_with_little_effort(monkeypatch, instance)
        counts[result.status] += 1
        certify(instance, result.schedule)
        assert result.lower_bound <= result.makespan
    assert min(counts.values()) > 3


@pytest.mark.parametrize("seed", range(0, 150, 3))
def test_plans_on_any_grid_pass_the_rules_and_are_no_better_than_the_optimum(seed):
    """Compare schedules rounded to a grid of two or three ticks with the exact optimum."""
    instance = workshop(seed)
    best = solve(instance)
    for cell in (2, 3):
        try:
            coarse = solve(coarsened(instance, cell))
        except InputError:
            continue
        if coarse.schedule is None:
            continue
        schedule = refined(instance, coarse.schedule, cell)
        kinds = {violation.kind for violation in find_violations(instance, schedule)}
        shares = any(d.sets for a in instance.actions for m in a.modes for d in m.demands)
        assert not kinds or (shares and kinds <= {"resource_capacity", "resource_state"})
        if not kinds:
            assert best.makespan is not None
            assert best.makespan <= schedule.makespan


def windowed() -> Instance:
    """Return four steps with maximum lags and 180 ticks at which two of them can be interrupted."""
    microwave, stove = (Mode((Demand(name),)) for name in ("microwave", "stove"))
    actions = (
        Action("A/0", "A", 60, 0, modes=(microwave,)),
        Action("A/1", "A", 120, 120, interruptible=True, modes=(microwave,)),
        Action("A/2", "A", 60, 60, interruptible=True, modes=(stove,)),
        Action("B/0", "B", 120, 120),
    )
    lags = (Lag("A/0", "A/1", 0, 60), Lag("A/0", "A/2", 0, 60))
    resources = (Resource("microwave"), Resource("stove"))
    return Instance("windowed", actions, lags, resources, benchmark="recipe2plan", unit="second", seconds_per_tick=1)


@pytest.mark.slow
def test_coarse_plan_of_four_steps_is_returned_without_time(monkeypatch):
    instance = windowed()
    first = solve_with_little_effort(monkeypatch, instance)
    assert (first.status, first.makespan, first.plan is not None, first.grid) == ("feasible", 360, True, 1)
    assert solve(instance, time_limit=0).makespan == 360
    second = solve_with_little_effort(monkeypatch, instance)
    assert replace(second, seconds=first.seconds) == first


def test_no_coarse_schedule_without_interruptions_or_with_many_actions():
    plain = Instance("plain", (Action("t/0", "t", 60, 60),))
    assert coarse_schedule(plain, 1, Deadline(9.0)) is None
    many = tuple(Action(f"t/{n}", "t", 60, 60, interruptible=True) for n in range(101))
    assert coarse_schedule(Instance("many", many), 1, Deadline(9.0)) is None


@pytest.mark.parametrize("ticks", [500, 2_000, 100_000])
def test_no_model_is_built_if_a_list_schedule_reaches_the_bound(ticks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    knead, oven = Action("t/knead", "t", ticks, ticks, interruptible=True), Action("t/oven", "t", ticks // 3, 0)
    fold, glaze = Action("t/fold", "t", ticks // 10, ticks // 10), Action("t/glaze", "t", 7, 7)
    lags = (Lag("t/oven", "t/glaze", 0, 5), Lag("t/fold", "t/glaze"))
    instance = Instance("bread", (knead, oven, fold, glaze), lags)
    monkeypatch.setattr(search_state, "ScheduleModel", lambda *_, **__: pytest.fail("a model is made"))
    result = solve(instance)
    assert (result.status, result.makespan) == ("optimal", ticks + ticks // 10 + 7)
