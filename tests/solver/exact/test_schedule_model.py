"""Interval models of small instances: their solutions are the feasible schedules on the grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from support.all_schedules import QUICK_MAKERS, SLACK, Small, breaks, small_instances
from support.random_instances import scale
from support.random_model_instances import model_mix
from support.samples import sample

from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.limits import NO_LIMIT
from planoracle.instances.model.schedule import Schedule, variant_of
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.model.transitions import Transitions
from planoracle.solver.exact.bounds import windows, windows_of_paths
from planoracle.solver.exact.cp_model import CpModel, run
from planoracle.solver.exact.model_of_loads import load_of_crew, load_of_resource
from planoracle.solver.exact.model_of_transitions import in_order_of_agents
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel

#: Ticks of a step of the models.
STEP = 2
#: Schedules of an instance that are tried, and random objectives.
FEW_SCHEDULES, OBJECTIVES = 4, 3


def every_task(seed: int) -> Instance:
    """Return an instance with all features but optional tasks."""
    return replace(model_mix(seed), optional=())


def journeys(seed: int) -> Instance:
    """Return actions at two places, some with a short mode; some pause in the breaks of one agent."""
    instance, random = breaks(seed), Random(seed)
    actions = []
    for action in instance.actions:
        short = replace(action.modes[0], duration=1, attended=min(action.attended, 1))
        modes = (*action.modes, short)[: random.choice((1, 2))]
        actions.append(replace(action, place=random.choice(("hall", "yard")), modes=modes))
    agents = "ann", "bob"
    ways = Transitions(agents, (("hall", "yard", 1), ("yard", "hall", 1)))
    off = replace(instance.calendars[0], members=("ann",))
    return replace(instance, actions=tuple(actions), agents=agents, calendars=(off,), transitions=(ways,))


def fine_model(instance: Instance, optimum: int, *, relaxed: bool = False) -> ScheduleModel:
    """Return the model of an instance in steps of some ticks, with redundant constraints."""
    fine = scale(instance, STEP)
    bounds = windows_of_paths(fine) if features_of(fine) else ordered_windows(fine)
    return ScheduleModel(fine, bounds, STEP, 0, (optimum + SLACK) * STEP, ordering=True, loads=True, relaxed=relaxed)


def solution(model: CpModel) -> list[int]:
    """Return a best solution of a model; nothing if there is none."""
    return run(model, deadline=NO_LIMIT).solution


def fixed_solutions(model: ScheduleModel, small: Small) -> Iterator[tuple[Schedule, list[int]]]:
    """Yield feasible schedules, and solutions with the makespan, starts, modes and agents of each."""
    for schedule in small.schedules[:FEW_SCHEDULES]:
        pieces = []
        for piece in in_order_of_agents(model.instance, schedule).pieces:
            pieces.append(piece._replace(start=piece.start * STEP, duration=piece.duration * STEP))
        values = model.values(Schedule(tuple(pieces)))
        assert values is not None
        copy = model.model.copy()
        for variable, value in values.items():
            copy.restrict(variable, value, value)
        yield schedule, solution(copy)


@pytest.mark.parametrize("block", sample(range(40)))
def test_solutions_of_a_model_are_the_feasible_schedules(block: int) -> None:
    random = Random(block)
    for small in (*small_instances(block, 2, (*QUICK_MAKERS, every_task)), *small_instances(block, 6, (journeys,))):
        model = fine_model(small.instance, small.optimum)
        assert solution(model.model)[model.makespan] == small.optimum, small.instance
        for schedule, values in fixed_solutions(model, small):
            assert values, (small.instance, schedule)
            check_loads(model, schedule, values)
        for _ in range(OBJECTIVES):
            model.model.minimize_sum([(variable, random.randint(-2, 2)) for variable in model.decisions])
            schedule = model.schedule(solution(model.model))
            assert not list(find_violations(model.instance, schedule)), (small.instance, schedule)
            assert schedule.makespan <= model.last_tick
        model.model.minimize(model.makespan)
        model.break_symmetry()
        assert solution(model.model)[model.makespan] == small.optimum, small.instance
        relaxation = fine_model(small.instance, small.optimum, relaxed=True)
        assert all(values for _, values in fixed_solutions(relaxation, small)), small.instance


def check_loads(model: ScheduleModel, schedule: Schedule, values: list[int]) -> None:
    """Compare the loads of resources and crews in a solution with the work in its schedule."""
    work = dict.fromkeys((*model.instance.resource, *model.instance.agents), 0)
    for piece in schedule.pieces:
        action, variant = model.instance.by_id[piece.action], variant_of(model.instance, piece)
        for demand in variant.demands:
            if demand.sets is None:
                work[demand.resource] += demand.amount * piece.duration
        if piece.agent is not None and variant.attended:
            is_whole = action.interruptible and variant.duration > 1
            work[model.head_of[piece.agent]] += piece.duration if is_whole else variant.attended // STEP
    loads = {resource: load_of_resource(model, resource) for resource in model.instance.resource}
    loads |= {crew[0]: load_of_crew(model, crew[0]) for crew in model.crews}
    # Work of several conditions is left out: a mode with one of several crews, or one of some modes of equal duration.
    has_groups = any(len(versions) > 1 and any(len(v.modes) > 1 for v in versions) for versions in model.versions)
    is_exact = not has_groups and not any(action.pauses_in_breaks for action in model.instance.actions)
    for name, load in loads.items():
        total = load.constant + sum(ticks for literal, ticks in load.terms if values[literal])
        assert total == work[name] if is_exact else total <= work[name], (model.instance, schedule, name)


@pytest.mark.parametrize(("is_rigid", "makespan"), [(True, 8), (False, 7)])
def test_relaxed_step_needs_no_agent_but_never_overlaps_rigid_work(is_rigid: bool, makespan: int) -> None:
    # A step of the pie at the last moment of its lag may need no agent, unless its agent cannot pause other work.
    begin, pie = Action("t/begin", "t", 1, 1), Action("t/pie", "t", 4, 4, interruptible=True)
    wash = Action("t/wash", "t", 3, 3, interruptible=not is_rigid)
    instance = Instance("pie", (begin, pie, wash), (Lag("t/begin", "t/pie", 0, 0),))
    model = ScheduleModel(instance, windows(instance), 1, 0, 20, relaxed=True)
    assert solution(model.model)[model.makespan] == makespan


@pytest.mark.parametrize(("gap", "makespan"), [(1, None), (2, 4)])
def test_step_that_goes_on_has_the_agent_of_the_step_before(gap: int, makespan: int | None) -> None:
    # The pie may not be resumed later; bob works in its first tick, and ann in its second one or after it.
    begin, pie = Action("t/begin", "t", 1, 0, agents=()), Action("t/pie", "t", 2, 2, interruptible=True)
    works = Action("t/bob", "t", 1, 1, agents=("bob",)), Action("t/ann", "t", 1, 1, agents=("ann",))
    lags = Lag("t/begin", "t/pie", 0, 0), Lag("t/begin", "t/bob", 0, 0), Lag("t/begin", "t/ann", gap, gap)
    instance = Instance("pie", (begin, pie, *works), lags, agents=("ann", "bob"))
    model = ScheduleModel(instance, windows(instance), 1, 0, 9)
    values = solution(model.model)
    assert (values[model.makespan] if values else None) == makespan


@pytest.mark.parametrize(("agents", "makespan"), [("ab", 5), ("abc", 4)])
def test_start_needs_an_agent_that_is_not_inside_a_job_with_a_break(agents: str, makespan: int) -> None:
    job = Action("t/0", "t", 3, 3, pauses_in_breaks=True, deadline=4)
    ring = Action("t/ring", "t", 1, 0, release=1)
    off = Calendar(tuple(agents), ((2, 3),))
    instance = Instance("bell", (job, replace(job, id="t/1"), ring), agents=tuple(agents), calendars=(off,))
    model = ScheduleModel(instance, windows_of_paths(instance), 1, 0, 9)
    assert solution(model.model)[model.makespan] == makespan
