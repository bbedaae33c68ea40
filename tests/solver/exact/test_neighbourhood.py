"""Large-neighbourhood search: schedules stay valid, never get longer, and reach small optima."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planoracle.heuristics.generation import blocks_of, generate_serial
from planoracle.heuristics.improve import list_schedule
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import NO_LIMIT, Status, WorkLimit
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.bounds import common_tick, horizon
from planoracle.solver.exact.neighbourhood import NeighbourhoodSearch
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search import solve
from tests.support.random_instances import kitchen, ovens, presses, workshop
from tests.support.samples import sample


def searched(instance: Instance, schedule: Schedule, *, effort: float = 0.01, workers: int = 1) -> Schedule:
    most = max(horizon(instance), schedule.makespan)
    model = ScheduleModel(instance, ordered_windows(instance), common_tick(instance), 0, most)
    values = model.values(schedule)
    assert values is not None
    assert model.schedule([values.get(v, 0) for v in range(model.model.variables)]).makespan == schedule.makespan
    search = NeighbourhoodSearch(model, values, {"presolve": True}, 0)
    search.search(NO_LIMIT, 0, effort, workers)
    return search.schedule() if len(search.values) == model.model.variables else schedule


@pytest.mark.parametrize("family", [kitchen, workshop, ovens, presses])
@pytest.mark.parametrize("seeds", sample([range(6), range(6, 25)]))
def test_neighbourhood_search_never_lengthens_a_schedule(family: Callable[[int], Instance], seeds: range) -> None:
    for instance in map(family, seeds):
        blocks = blocks_of(instance)
        timetable = generate_serial(instance, [float(-n) for n in range(len(blocks.members))])
        result = solve(instance)
        if timetable is None or result.makespan is None or result.grid != 1:
            continue
        first = timetable.schedule()
        if next(find_violations(instance, first), None) is not None:  # later than the time limit
            continue
        schedule = searched(instance, first)
        assert next(find_violations(instance, schedule), None) is None
        assert result.makespan <= schedule.makespan <= first.makespan


def crowded(count: int) -> Instance:
    """Return a problem with modes, agents and maximum lags, and more actions than a window has."""
    press = Resource("press", 2)
    modes = (Mode((Demand("press", 2),), "alone"), Mode((Demand("press"),), "beside"))
    actions = []
    for n in range(count):
        actions.append(Action(f"t{n}/feed", f"t{n}", 1 + n * 7 % 5, 1 + n * 7 % 5, interruptible=n % 3 == 0))
        actions.append(Action(f"t{n}/press", f"t{n}", 2 + n * 5 % 4, 0, modes=modes))
    lags = tuple(Lag(f"t{n}/feed", f"t{n}/press", 0, 9) for n in range(count))
    return Instance("crowded", tuple(actions), lags, (press,), ("ann", "bob"))


@pytest.mark.parametrize("workers", sample([1, 2]))
def test_neighbourhood_search_shortens_a_schedule_of_many_windows(workers: int) -> None:
    instance = crowded(20)
    timetable = list_schedule(instance)
    assert timetable is not None
    first = timetable.schedule()
    schedule = searched(instance, first, effort=0.06, workers=workers)
    assert schedule.makespan < first.makespan
    assert next(find_violations(instance, schedule), None) is None


@pytest.mark.parametrize("work", [0.1, pytest.param(1.5, marks=pytest.mark.slow)])
def test_counted_work_limit_gives_the_same_result_twice(work: float) -> None:
    instance = crowded(51)  # 102 actions
    results = [solve(instance, time_limit=WorkLimit(work)) for _ in range(2)]
    assert results[0].status in (Status.optimal, Status.feasible)
    assert results[0].schedule == results[1].schedule
    assert results[0].lower_bound == results[1].lower_bound


@pytest.mark.slow
@pytest.mark.parametrize("workers", sample([0, 2]))
def test_neighbourhood_search_accepts_any_number_of_workers(workers: int) -> None:
    result = solve(crowded(51), time_limit=1.0, workers=workers)
    assert result.status in (Status.optimal, Status.feasible)
