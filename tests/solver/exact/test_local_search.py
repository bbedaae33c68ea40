"""Local searches around the incumbent: valid schedules, in turns and beside proofs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NO_LIMIT, WorkLimit
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.local_search import HeuristicSearch, Neighbourhoods, local_searches
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.search_params import DEFAULT_PARAMS, SizeParams
from planoracle.solver.exact.search_state import SearchState
from tests.support.random_instances import workshop
from tests.support.random_projects import job_shop, project

#: Small problems have local searches beside the proofs.
AS_LARGE = replace(DEFAULT_PARAMS, sizes=SizeParams(large=2, very_crowded=4))


def without_maximum_lags(instance: Instance) -> Instance:
    lags = tuple(replace(lag, minimum=max(0, lag.minimum or 0), maximum=None) for lag in instance.lags)
    return replace(instance, lags=lags)


PROBLEMS = {
    "job shop": job_shop(10, 10, 1),
    "project": without_maximum_lags(project(60, 3)),
    "maximum lags": project(60, 15),
}


def state_of(instance: Instance) -> SearchState:
    """Return a search with an incumbent that is as long as a list makes it."""
    search = SearchState(instance, DEFAULT_PARAMS, NO_LIMIT, seed=0, workers=1)
    search.schedule_by_heuristics(search.deadline.counting(0.3))
    assert search.incumbent.schedule is not None
    return search


@pytest.mark.parametrize("name", PROBLEMS)
def test_turns_never_lengthen_the_incumbent(name: str) -> None:
    instance = PROBLEMS[name]
    search = state_of(instance)
    lengths = []
    for _ in range(3):
        search.search_around(0.05, search.deadline)
        assert search.incumbent.schedule is not None
        assert next(find_violations(instance, search.incumbent.schedule), None) is None
        lengths.append(search.incumbent.schedule.makespan)
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("job shop", [HeuristicSearch, Neighbourhoods]),
        ("project", [HeuristicSearch, HeuristicSearch, Neighbourhoods]),
        ("maximum lags", [Neighbourhoods, Neighbourhoods]),
    ],
)
def test_kinds_of_local_search_take_turns(name: str, kinds: list[type]) -> None:
    search = state_of(PROBLEMS[name])
    assert search.incumbent.schedule is not None
    searches = local_searches(search, search.incumbent.schedule)
    assert [type(next(searches)) for _ in kinds] == kinds


@pytest.mark.parametrize("seed", range(6))
def test_proofs_beside_local_searches_find_the_same_optimum(seed: int) -> None:
    for instance in (job_shop(4, 4, seed), project(9, seed), workshop(seed)):
        expected, result = solve(instance), solve(instance, workers=2, params=AS_LARGE)
        assert (result.status, result.makespan) == (expected.status, expected.makespan)


@pytest.mark.parametrize("name", PROBLEMS)
def test_counted_work_gives_the_same_schedule_twice(name: str) -> None:
    first, second = (solve(PROBLEMS[name], time_limit=WorkLimit(0.3)) for _ in range(2))
    assert (first.schedule, first.lower_bound) == (second.schedule, second.lower_bound)
