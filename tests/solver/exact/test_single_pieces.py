"""Problems without interruptions: all their schedules are valid, and the best is an incumbent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from support.random_instances import job_shop, kitchen, ovens, presses, workshop
from support.samples import sample

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import Deadline, WorkLimit, deadline_of
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.single_pieces import without_interruptions

FAMILIES = [kitchen, workshop, ovens, presses]


def with_interruptions(instance: Instance) -> Instance:
    """Return an instance with every action interruptible."""
    actions = tuple(replace(action, interruptible=True) for action in instance.actions)
    return replace(instance, actions=actions)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", sample(range(40), 8))
def test_every_schedule_of_the_restriction_is_a_schedule_of_the_problem(
    family: Callable[[int], Instance], seed: int
) -> None:
    instance = family(seed)
    restriction = without_interruptions(instance)
    if restriction is None:
        assert solve(instance).status in ("optimal", "infeasible")
        return
    best, restricted = solve(instance), solve(restriction)
    if restricted.schedule is not None:
        assert list(find_violations(instance, restricted.schedule)) == []
        assert best.makespan is not None
        assert best.makespan <= restricted.makespan


def test_action_beside_a_setting_stays_interruptible() -> None:
    """In one piece it would make room for the setting, which no schedule of the problem does."""
    keep = Action("t/keep", "t", 4, 4, interruptible=True, modes=(Mode((Demand("oven"),)),))
    heat = Action("t/heat", "t", 4, 4, modes=(Mode((Demand("oven", sets="hot"),)),))
    read = Action("t/read", "t", 3, 3, interruptible=True, modes=(Mode((Demand("lamp"),)),))
    resources = Resource("oven", 1, "hot"), Resource("lamp")
    instance = Instance("heat", (keep, heat, read), (), resources, agents=("x", "y"), origin="file")
    restriction = without_interruptions(instance)
    assert restriction is not None
    assert restriction.origin is None  # its plans are not those of the file
    assert [action.interruptible for action in restriction.actions] == [True, False, False]
    assert without_interruptions(restriction) is None
    assert solve(instance).makespan == solve(restriction).makespan == 8


def test_problem_without_interruptions_has_no_restriction() -> None:
    assert without_interruptions(job_shop(3, 3)) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "shop",
    sample(
        [
            with_interruptions(job_shop(6, 6)),
            replace(with_interruptions(job_shop(7, 4)), lags=(*job_shop(7, 4).lags, Lag("j0/0", "j1/0", None, 100))),
        ]
    ),
    ids=["job shop", "job shop with a maximum lag"],
)
def test_incumbent_is_at_most_the_optimum_without_interruptions(shop: Instance) -> None:
    restriction = without_interruptions(shop)
    assert restriction is not None
    optimum = solve(restriction, time_limit=WorkLimit(5.0))
    assert optimum.status == "optimal"
    makespans: list[int | None] = []
    first = solve(shop, time_limit=WorkLimit(0.2), on_progress=lambda makespan, bound: makespans.append(makespan))
    second = solve(shop, time_limit=WorkLimit(0.2))
    assert first.makespan is not None
    assert optimum.makespan in makespans  # before the long search for schedules with interruptions
    assert first.makespan <= optimum.makespan
    assert (first.schedule, first.status, first.lower_bound) == (second.schedule, second.status, second.lower_bound)


def test_optimum_without_interruptions_that_reaches_the_bound_is_proved() -> None:
    """Three jobs on one machine, with too many instants for a model of interruptions."""
    use = (Mode((Demand("press"),)),)
    actions = tuple(
        Action(f"{job}/press", job, 6_001, 0, interruptible=True, modes=use, agents=(), release=release)
        for job, release in (("a", 0), ("b", 5), ("c", 9))
    )
    result = solve(Instance("press", actions, (), (Resource("press"),), agents=()))
    assert (result.status, result.makespan) == ("optimal", 18_003)


def test_counted_part_of_a_wall_time_ends_with_it() -> None:
    part = Deadline(0.0).counting(5.0)
    assert (part.remaining(), part.over(), part.wall_seconds()) == (0.0, True, 0.0)
    part = Deadline(1_000.0).counting(5.0)
    assert part.remaining() == 5.0
    assert 0 < part.wall_seconds() <= 1_000.0
    assert deadline_of(WorkLimit(3.0)).counting(5.0).remaining() == 3.0
