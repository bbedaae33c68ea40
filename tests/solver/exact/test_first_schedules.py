"""First schedules of the search with features: heuristics and neighbourhoods change no answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.model_search import best_schedule
from support.random_model_instances import model_mix
from support.random_tours import tour

from planoracle.heuristics.generation import blocks_of, generate_serial
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import NO_LIMIT, Status
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.bounds import common_tick, windows_of_paths
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.feature_search import FeatureSearch
from planoracle.solver.exact.model_of_transitions import in_order_of_agents
from planoracle.solver.exact.neighbourhood import NeighbourhoodSearch
from planoracle.solver.exact.problem_shape import is_flexible
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.search_params import FeatureParams

#: Both searches come before the proof, also in small problems.
EAGER = FeatureParams(
    first_schedule=1,
    first_schedule_with_ways=1,
    priority_lists=1,
    first_neighbourhood=1,
    first_neighbourhood_with_ways=1,
    neighbourhood=0.01,
    neighbourhood_with_ways=0.01,
)


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


def test_neighbourhood_search_shortens_tours() -> None:
    """Agents have changed their names first, as the model orders them."""
    instance = tour(0, 14, agents=3)
    schedule = in_order_of_agents(instance, first_schedule(instance))
    model = ScheduleModel(instance, windows_of_paths(instance, NO_LIMIT), 1, 0, schedule.makespan)
    values = model.values(schedule)
    assert values is not None
    search = NeighbourhoodSearch(model, values, {}, 0)
    search.search(NO_LIMIT, 0, 0.2)
    assert search.makespan < schedule.makespan
    assert next(find_violations(instance, search.schedule()), None) is None


def test_agents_change_names_so_that_the_first_one_does_the_first_action() -> None:
    instance = tour(1, 3, agents=2)
    schedule = first_schedule(instance)
    renamed = {"agent 1": "agent 2", "agent 2": "agent 1"}
    swapped = Schedule.of(instance, [piece._replace(agent=renamed[str(piece.agent)]) for piece in schedule.pieces])
    assert in_order_of_agents(instance, swapped) == in_order_of_agents(instance, schedule)
    first = min(in_order_of_agents(instance, swapped).pieces, key=lambda piece: instance.index[piece.action])
    assert first.agent == "agent 1"


def optional_jobs(limit: int) -> Instance:
    """Return three optional jobs of one agent, and a limit of time."""
    actions = tuple(Action(f"j{n}/work", f"j{n}", 2, 2) for n in range(3))
    weights = tuple((f"j{n}", n + 1) for n in range(3))
    return Instance("jobs", actions, agents=("ann",), optional=weights, time_limit=limit)


@pytest.mark.parametrize(("limit", "weight", "makespan"), [(6, 6, 6), (5, 5, 4), (1, 0, 0)])
def test_all_optional_tasks_are_tried_first(limit: int, weight: int, makespan: int) -> None:
    search = searched(optional_jobs(limit), FeatureParams())
    assert search.schedule is not None
    assert (search.status, search.weight, search.weight_bound) == (Status.optimal, weight, weight)
    assert (search.schedule.makespan, search.lower_bound) == (makespan, makespan)


def flexible_shop(jobs: int) -> Instance:
    """Return jobs of two operations, each on one of two machines."""
    modes = (Mode((Demand("old"),)), Mode((Demand("new"),)))
    actions = []
    for job in range(jobs):
        actions += [Action(f"j{job}/{k}", f"j{job}", 2 + (job + k) % 3, 0, modes=modes, agents=()) for k in range(2)]
    lags = tuple(Lag(f"j{job}/0", f"j{job}/1") for job in range(jobs))
    return Instance("shop", tuple(actions), lags, (Resource("old"), Resource("new")))


def test_only_large_problems_of_choices_are_flexible_shops() -> None:
    shop = flexible_shop(15)
    assert is_flexible(shop, FeatureParams())
    assert not is_flexible(flexible_shop(14), FeatureParams())
    single_mode = [replace(action, modes=action.modes[:1]) for action in shop.actions]
    assert not is_flexible(replace(shop, actions=tuple(single_mode)), FeatureParams())
    result = solve(shop, time_limit=60.0)
    work = sum(action.duration for action in shop.actions)
    assert (result.status, result.makespan) == (Status.optimal, work // 2)
