"""First schedules of the search with features: heuristics and neighbourhoods change no answer."""

from __future__ import annotations

import pytest
from support.model_search import best_schedule
from support.random_model_instances import model_mix

from planoracle.heuristics.generation import blocks_of, generate_serial
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import NO_LIMIT, Status
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.bounds import common_tick, windows_of_paths
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.feature_search import FeatureSearch
from planoracle.solver.exact.neighbourhood import NeighbourhoodSearch
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search_params import FeatureParams

#: Both searches come before the proof, also in small problems.
EAGER = FeatureParams(first_schedule=1, priority_lists=1, first_neighbourhood=1, neighbourhood=0.01)


def searched(instance: Instance, params: FeatureParams) -> FeatureSearch:
    """Return a search that has ended."""
    search = FeatureSearch(instance, params, 60.0, seed=0, workers=1)
    search.run()
    return search


@pytest.mark.parametrize("seed", [*range(24), 1056])  # 1056: refuted for a short horizon first
def test_first_schedules_change_no_optimum(seed: int) -> None:
    instance = model_mix(seed)
    search = searched(instance, EAGER)
    optimum = best_schedule(instance)
    makespan = None if search.schedule is None else search.schedule.makespan
    assert (search.status.name, search.weight, makespan) == (optimum.status, optimum.weight, optimum.makespan)


def workshop(count: int) -> Instance:
    """Return jobs with a choice of machines, a budget, deadlines, nights, and work that pauses in them."""
    machines = (Resource("old"), Resource("new"), Resource("power", 3 * count, renewable=False))
    actions = []
    for n in range(count):
        slow = Mode((Demand("old"), Demand("power", 1)), duration=3 + n % 4)
        fast = Mode((Demand("new"), Demand("power", 4)), duration=2 + n % 2)
        actions.append(Action(f"j{n}/cut", f"j{n}", 3, 0, modes=(slow, fast), agents=(), deadline=400))
        assemble = Action(f"j{n}/assemble", f"j{n}", 2 + n % 3, 2 + n % 3, pauses_in_breaks=True)
        actions.append(assemble)
    lags = tuple(Lag(f"j{n}/cut", f"j{n}/assemble") for n in range(count))
    nights = Calendar(("ann", "bob"), ((8, 12),), 12)
    return Instance("workshop", tuple(actions), lags, machines, ("ann", "bob"), calendars=(nights,))


def first_schedule(instance: Instance) -> Schedule:
    """Return a schedule by a poor list."""
    blocks = blocks_of(instance).members
    timetable = generate_serial(instance, [float(-len(blocks) * (n % 3) - n) for n in range(len(blocks))])
    assert timetable is not None
    return timetable.schedule()


def test_model_accepts_the_values_of_a_schedule_with_modes_and_pauses() -> None:
    instance = workshop(6)
    schedule = first_schedule(instance)
    step = common_tick(instance)
    model = ScheduleModel(instance, windows_of_paths(instance, NO_LIMIT), step, 0, schedule.makespan)
    values = model.values(schedule)
    assert values is not None
    for variable, value in values.items():
        model.model.restrict(variable, value, value)
    outcome = run(model.model, deadline=NO_LIMIT)
    assert outcome.status == Status.optimal
    assert model.schedule(outcome.solution) == schedule


def test_neighbourhood_search_shortens_a_schedule_with_modes_and_pauses() -> None:
    instance = workshop(10)
    schedule = first_schedule(instance)
    step = common_tick(instance)
    model = ScheduleModel(instance, windows_of_paths(instance, NO_LIMIT), step, 0, schedule.makespan)
    values = model.values(schedule)
    assert values is not None
    search = NeighbourhoodSearch(model, values, {"presolve": True}, 0)
    search.search(NO_LIMIT, 0, 0.1)
    assert search.makespan < schedule.makespan
    assert next(find_violations(instance, search.schedule()), None) is None
