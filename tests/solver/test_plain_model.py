"""A minimal CP-SAT model of the same instances gives the same statuses and makespans as the solver."""

from __future__ import annotations

from contextlib import suppress

import pytest

from planoracle.instances.catalogue import expand, load
from planoracle.instances.model import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.referee import find_violations
from planoracle.solver.exact.solve import solve
from tests.support.made import project
from tests.support.plain_model import UnsupportedError, solve_plainly
from tests.support.random_instances import kitchen

LIMIT = 10.0


def check(instance: Instance) -> None:
    """Compare the two answers and check the plain model's schedule; raises `UnsupportedError`."""
    answer, ours = solve_plainly(instance, LIMIT), solve(instance, time_limit=LIMIT)
    assert (answer.status, answer.makespan) == (ours.status, ours.makespan)
    if answer.schedule is not None:
        assert not list(find_violations(instance, answer.schedule))
        assert answer.schedule.makespan == answer.makespan


@pytest.mark.parametrize("seed", range(8))
def test_projects(seed: int) -> None:
    check(project(7, seed))


PAIR = tuple(Action(f"p/{i}", "p", 2, 0, modes=(Mode((Demand("r"),)),), agents=()) for i in range(2))
LOOP = (Lag("p/0", "p/1", 3, None), Lag("p/1", "p/0", -6, None))
CROWD = (Lag("p/0", "p/1", -2, -1),)


@pytest.mark.parametrize("lags", [LOOP, CROWD])
def test_infeasible_projects(lags: tuple[Lag, ...]) -> None:
    instance = Instance("never", PAIR, lags, (Resource("r"),), agents=())
    assert solve(instance).status == "infeasible"
    check(instance)


def test_kitchens() -> None:
    count = 0
    for seed in (*range(12), *range(20, 32)):
        with suppress(UnsupportedError):
            check(kitchen(seed).without_maximum_lags("plain"))
            count += 1
    assert count >= 3


@pytest.mark.parametrize("name", [*expand(["timearena"])[::15], *expand(["asynctool"])[::25]])
def test_bundled(name: str) -> None:
    check(load(name))
