"""What a solve tells of its way: plans only get better, bounds only rise, and the result is what it is anyhow."""

from __future__ import annotations

import pytest
from support.random_instances import job_shop

from planoracle.instances.files.catalog import problem
from planoracle.instances.model.limits import WorkLimit
from planoracle.solver.solve import solve

NAMES = ["timearena/household1", "kitchens/synchronous/3_burger", "kitchens/multi_agent/1_lettuce_burger"]
FLOORS = ["paracook/cook/own/seed_1/agent_num_2/orders_num_1"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in FLOORS)])
def test_what_is_told_gets_better_and_ends_with_the_result(name: str) -> None:
    heard: list[tuple[int | None, int]] = []
    found = solve(problem(name), time_limit=WorkLimit(3.0), on_progress=lambda best, bound: heard.append((best, bound)))
    again = solve(problem(name), time_limit=WorkLimit(3.0))
    assert (found.plan, found.status, found.lower_bound) == (again.plan, again.status, again.lower_bound)
    assert found.status == "optimal" or name in FLOORS
    assert heard
    assert all(bound <= found.makespan and (best is None or best >= found.makespan) for best, bound in heard)
    plans, bounds = [best for best, _ in heard if best is not None], [bound for _, bound in heard]
    assert bounds == sorted(bounds)
    assert plans == sorted(plans, reverse=True)
    assert plans[-1] == found.makespan


@pytest.mark.slow
def test_long_searches_report_and_report_changes_nothing() -> None:
    heard: list[tuple[int | None, int]] = []
    shop, limit = job_shop(), WorkLimit(4.0)
    found = solve(shop, time_limit=limit, on_progress=lambda best, bound: heard.append((best, bound)))
    again = solve(shop, time_limit=limit)
    assert (found.plan, found.status, found.lower_bound) == (again.plan, again.status, again.lower_bound)
    assert len(heard) > 3
    assert heard[-1] == (found.makespan, found.lower_bound)
    assert [bound for _, bound in heard] == sorted(bound for _, bound in heard)
