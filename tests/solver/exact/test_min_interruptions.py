"""Schedules with the minimum number of interruptions, compared with exhaustive search."""

from __future__ import annotations

import pytest
from support import exhaustive
from support.random_agent_instances import agent_workshop, interruption_workshop
from support.random_instances import workshop
from support.samples import sample

from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.lexicographic import minimize_interruptions
from planoracle.solver.exact.search import solve
from planoracle.solver.proofs.certificate import certificate
from planoracle.solver.solve import solve as solved

MEAL = "recipe2plan/timed/Cobbler_Daikon-Radish"


def _choices(instance: Instance, schedule: Schedule) -> int:
    return exhaustive.count_schedules(instance, schedule.makespan)


@pytest.mark.slow
@pytest.mark.parametrize("make", sample([interruption_workshop, agent_workshop, workshop]))
def test_number_of_interruptions_agrees_with_exhaustive_search(make) -> None:
    checked = fewer = 0
    for seed in range(80):
        instance = make(seed)
        first = solve(instance, exact_grid=True)
        if first.schedule is None or first.grid != 1 or _choices(instance, first.schedule) > 10_000:
            continue
        whole = minimize_interruptions(instance, first.schedule)
        if whole.grid > 1:
            continue
        least = exhaustive.min_interruptions(instance, first.schedule.makespan)
        assert (len(whole.schedule.pieces), whole.proved) == (least, True), instance.name
        assert not list(find_violations(instance, whole.schedule))
        assert whole.schedule.makespan == first.schedule.makespan
        checked += 1
        fewer += len(whole.schedule.pieces) < len(first.schedule.pieces)
    assert checked > 20
    assert fewer > 2


@pytest.mark.parametrize("name", sample([MEAL, "recipe2plan/timed/Cobbler_Pancakes", "timearena/cooking1"], 2))
def test_makespan_proof_and_certificate_do_not_change(name: str) -> None:
    problem = load(name)
    one, two = solved(problem), solved(problem, min_interruptions=True)
    assert one.schedule is not None
    assert two.schedule is not None
    assert (one.status, one.makespan, one.lower_bound, one.grid) == (
        two.status,
        two.makespan,
        two.lower_bound,
        two.grid,
    )
    assert two.proof == f"{one.proof}, interruptions proved minimal"
    assert two.plan == certify(problem, two.schedule)
    assert len(two.schedule.pieces) <= len(one.schedule.pieces)
    assert certificate(problem, one.makespan) == certificate(problem, two.makespan)


def test_useless_interruption_is_removed() -> None:
    read = Action("t/read", "t", 4, 4, interruptible=True)
    kettle = Action("t/kettle", "t", 1, 0, release=2)  # an early start interrupts the reading without need
    calm = Instance("calm", (read, kettle, Action("t/bake", "t", 9, 0)))
    first = solve(calm)
    assert first.schedule is not None
    assert [len(first.schedule.pieces), len(minimize_interruptions(calm, first.schedule).schedule.pieces)] == [4, 3]
    # An interruption that the makespan needs is retained.
    hasty = Instance("hasty", (read, Action("t/sign", "t", 1, 1, release=2), Action("t/ring", "t", 3, 0, release=2)))
    needed = solved(hasty, min_interruptions=True)
    assert needed.schedule is not None
    assert (needed.makespan, len(needed.schedule.pieces)) == (5, 4)


def test_without_time_the_schedule_is_returned_without_a_claim() -> None:
    problem = load(MEAL)
    schedule = solve(problem).schedule
    assert schedule is not None
    for limit in (0.0, WorkLimit(1e-9)):
        result = minimize_interruptions(problem, schedule, time_limit=limit)
        assert len(result.schedule.pieces) <= len(schedule.pieces)
        assert (result.schedule.makespan, result.proved) == (schedule.makespan, False)
    whole = Schedule.of(problem, [Piece("Cobbler/0", 0, 300, "cook")])
    assert minimize_interruptions(problem, whole).schedule is whole
