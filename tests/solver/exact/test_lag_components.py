"""Components of the lags: the search by them changes no answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import NO_LIMIT, Status
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact import stages
from planoracle.solver.exact.lag_components import lag_components, part_of
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.search_params import DEFAULT_PARAMS, SizeParams
from planoracle.solver.exact.search_state import SearchState
from tests.support.random_instances import kitchen
from tests.support.random_projects import project
from tests.support.samples import sample

#: Small problems have the stages of large ones.
AS_LARGE = replace(DEFAULT_PARAMS, sizes=SizeParams(large=2, larger=4))


def lag(before: str, after: str, minimum: int | None = 0, maximum: int | None = None) -> Lag:
    return Lag(f"task/{before}", f"task/{after}", minimum, maximum)


def test_a_component_holds_the_actions_that_lags_bind_in_both_directions() -> None:
    actions = tuple(Action(f"task/{name}", "task", 2, 2) for name in "abcdef")
    lags = (lag("a", "b"), lag("b", "c"), lag("a", "c", None, 9), lag("c", "d"), lag("f", "e", -1, 3))
    assert lag_components(Instance("lags", actions, lags)) == [[4, 5], [0, 1, 2]]


@pytest.mark.parametrize("initial_state", ["cold", None])
def test_actions_that_prepare_a_state_are_no_component(initial_state: str | None) -> None:
    oven = Resource("oven", 1, initial_state)
    heat = Action("task/heat", "task", 2, 0, modes=(Mode((Demand("oven", sets="hot"),)),))
    bake = Action("task/bake", "task", 2, 0, modes=(Mode((Demand("oven", requires="hot"),)),))
    wash = Action("task/wash", "task", 1, 1)
    lags = (lag("heat", "bake", 0, 5), lag("bake", "wash"))
    assert lag_components(Instance("bread", (heat, bake, wash), lags, (oven,))) == []


@pytest.mark.parametrize("seeds", sample([range(12), range(12, 60)]))
def test_search_by_components_changes_no_answer(seeds: range) -> None:
    for seed in seeds:
        instance = project(8, seed)
        expected, result = solve(instance), solve(instance, params=AS_LARGE)
        assert (result.status, result.makespan) == (expected.status, expected.makespan)


@pytest.mark.parametrize("seeds", sample([range(12), range(12, 60)]))
def test_components_of_kitchens_change_no_answer(seeds: range) -> None:
    for instance in map(kitchen, seeds):
        expected, result = solve(instance), solve(instance, params=AS_LARGE)
        assert (result.status, result.makespan) == (expected.status, expected.makespan)


def pairs(count: int, longest_lag: int) -> Instance:
    """Return pairs of long actions on one machine, of which the second starts soon after the first."""
    actions = []
    for n in range(count):
        for part in ("roast", "cut"):
            actions.append(Action(f"t{n}/{part}", f"t{n}", 5 + n % 3, 0, modes=(Mode((Demand("oven"),)),), agents=()))
    lags = tuple(Lag(f"t{n}/roast", f"t{n}/cut", 2, longest_lag) for n in range(count))
    return Instance("pairs", tuple(actions), lags, (Resource("oven"),))


def test_components_that_keep_their_distances_are_a_schedule() -> None:
    instance = pairs(30, 3)
    search = SearchState(instance, DEFAULT_PARAMS, NO_LIMIT, seed=0, workers=1)
    search.build_model()
    assert stages.schedule_by_components(search) is None
    schedule = search.incumbent.schedule
    assert schedule is not None
    assert next(find_violations(instance, schedule), None) is None


def test_a_component_without_schedule_refutes_the_problem() -> None:
    instance = pairs(30, 3)
    late = Lag("t7/cut", "t8/roast", None, -40)  # binds two pairs to each other that cannot overlap so far
    early = Lag("t8/cut", "t7/roast", None, -40)
    contradictory = replace(instance, lags=(*instance.lags, late, early))
    result = solve(contradictory, time_limit=20.0)
    assert result.status == Status.infeasible
    part = part_of(contradictory, lag_components(contradictory)[-1])
    assert solve(part).status == Status.infeasible
