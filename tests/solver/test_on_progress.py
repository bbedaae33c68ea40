"""Progress reports: plans get better, bounds rise, and the result does not change."""

from __future__ import annotations

import pytest
from support.random_instances import job_shop

from planoracle.instances.files.catalog import problem
from planoracle.instances.model.limits import WorkLimit
from planoracle.solver.solve import solve

NAMES = ["timearena/household1", "kitchens/synchronous/3_burger", "kitchens/multi_agent/1_lettuce_burger"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_reports_improve_and_end_with_the_result(name: str) -> None:
    reports: list[tuple[int | None, int]] = []
    result = solve(
        problem(name), time_limit=WorkLimit(3.0), on_progress=lambda best, bound: reports.append((best, bound))
    )
    second = solve(problem(name), time_limit=WorkLimit(3.0))
    assert (result.plan, result.status, result.lower_bound) == (second.plan, second.status, second.lower_bound)
    assert result.status == "optimal"
    assert reports
    assert all(bound <= result.makespan and (best is None or best >= result.makespan) for best, bound in reports)
    plans, bounds = [best for best, _ in reports if best is not None], [bound for _, bound in reports]
    assert bounds == sorted(bounds)
    assert plans == sorted(plans, reverse=True)
    assert plans[-1] == result.makespan


@pytest.mark.slow
def test_reports_of_a_long_search_do_not_change_the_result() -> None:
    reports: list[tuple[int | None, int]] = []
    shop, limit = job_shop(), WorkLimit(4.0)
    result = solve(shop, time_limit=limit, on_progress=lambda best, bound: reports.append((best, bound)))
    second = solve(shop, time_limit=limit)
    assert (result.plan, result.status, result.lower_bound) == (second.plan, second.status, second.lower_bound)
    assert len(reports) > 3
    assert reports[-1] == (result.makespan, result.lower_bound)
    assert [bound for _, bound in reports] == sorted(bound for _, bound in reports)
