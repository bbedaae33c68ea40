"""One `solve` and one `Result` for problems of every kind."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES
from planoracle.instances.benchmarks.timearena.rules import PROFILES as OTHERS
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.files import catalog
from planoracle.instances.model.agents import with_agents
from planoracle.instances.model.cache import CacheHolder
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import Status, WorkLimit
from planoracle.solver.exact import search as exact
from planoracle.solver.kitchens import astar
from planoracle.solver.result import Result, SolveOptions
from planoracle.solver.solve import bundled_proof, bundled_result, engine_of, load_or_solve, solve

SCHEDULE = "recipe2plan/timed/Cobbler_Pancakes"
KITCHEN = "kitchens/synchronous/0_cheese_sandwich"
HASTY = Instance("hasty", (Action("t/a", "t", 4, 4), Action("t/b", "t", 4, 4)), time_limit=5)


def same(one: Result, other: Result) -> bool:
    return replace(one, seconds=0.0) == replace(other, seconds=0.0)


def test_each_kind_is_solved_by_its_engine() -> None:
    schedule, kitchen = catalog.load(SCHEDULE), catalog.problem(KITCHEN)
    assert same(solve(schedule, seed=3), exact.solve(schedule, seed=3))
    assert same(solve(kitchen), astar.plan(kitchen))
    paper = PROFILES["paper"]
    assert same(solve(kitchen, rules=paper), astar.plan(kitchen, rules=paper))
    first, *_ = solve(kitchen).actions
    rest = solve(kitchen, after=[first])
    assert (rest.status, rest.makespan) == ("optimal", solve(kitchen).makespan - 1)
    assert solve(schedule, time_limit=0).status != "optimal"
    assert solve(kitchen, time_limit=0).status != "optimal"


def test_options_of_another_kind_are_refused() -> None:
    schedule, kitchen = catalog.load(SCHEDULE), catalog.problem(KITCHEN)
    with pytest.raises(InputError, match=r"^rules: is for kitchens"):
        solve(schedule, rules=PROFILES["paper"])
    with pytest.raises(InputError, match=r"^after: is for kitchens"):
        solve(schedule, after=["wait"])
    with pytest.raises(InputError, match=r"^rules: must be a profile of kitchens"):
        solve(kitchen, rules=OTHERS["paper"])
    with pytest.raises(InputError, match=r"^after\[0\]: is not a legal action in this state"):
        solve(kitchen, after=["fly away"])


def test_a_kind_without_an_engine_is_unknown() -> None:
    @dataclass(frozen=True)
    class Riddle(CacheHolder):
        name: str = "riddle"
        kind: str = "riddle"
        benchmark: str = "generic"
        unit: str = "mile"

    result = solve(Riddle())
    assert (result.status, result.makespan, result.lower_bound) == (Status.unknown, None, None)
    assert result.proof == "has no solver: no solver accepts problems of kind 'riddle'"


@pytest.mark.parametrize("problem", [SCHEDULE, KITCHEN, HASTY], ids=str)
def test_a_result_is_packed_and_unpacked(problem: str | Instance) -> None:
    problem = catalog.problem(problem) if isinstance(problem, str) else problem
    engine, result = engine_of(problem), solve(problem)
    assert result.status.settled
    entry = json.loads(json.dumps(engine.pack(problem, None, result)))
    assert same(engine.unpack(problem, None, entry), result)
    with pytest.raises((ValueError, KeyError)):
        engine.unpack(problem, None, entry | {"status": "feasible"})


def test_a_stored_result_has_the_weights_of_optional_tasks() -> None:
    actions = (Action("ann/meet", "ann", 5, 5, deadline=6), Action("bo/call", "bo", 4, 4, deadline=7))
    problem = Instance("day", actions, optional=(("ann", 2), ("bo", 1)))
    engine, result = engine_of(problem), solve(problem)
    entry = json.loads(json.dumps(engine.pack(problem, None, result)))
    restored = engine.unpack(problem, None, entry)
    assert (restored.weight, restored.weight_bound, restored.plan) == (2, 2, result.plan)
    for change in ({"weight": 3, "weight_bound": 3}, {"weight_bound": 3}, {"weight": None, "weight_bound": None}):
        with pytest.raises(ValueError, match="weight"):
            engine.unpack(problem, None, entry | change)


def test_one_tick_is_printed_in_the_singular() -> None:
    assert str(Result("n", Status.optimal, 1, 1, "a")).splitlines()[:2] == ["n: optimal", "makespan      1 tick"]


def test_row_of_a_result_has_the_fields_of_its_kind() -> None:
    shared = [
        "instance",
        "status",
        "makespan",
        "lower_bound",
        "unit",
        "seconds",
        "proof",
        "proof_grade",
        "source",
        "plan",
    ]
    schedule, kitchen = solve(catalog.load(SCHEDULE)).as_dict(), solve(catalog.problem(KITCHEN)).as_dict()
    assert list(schedule) == [*shared, "grid", "schedule", "seed", "versions"]
    assert list(kitchen) == [*shared, "rounds", "expanded", "versions"]
    assert (schedule["unit"], kitchen["unit"]) == ("second", "step")
    assert json.loads(json.dumps(schedule))["schedule"][0]["action"] == "Cobbler/0"
    assert solve(HASTY).as_dict()["schedule"] is None


@pytest.mark.parametrize("name", [SCHEDULE, KITCHEN])
def test_bundled_optimum_is_read_unless_recompute_is_set(name: str) -> None:
    bundled = load_or_solve(catalog.problem(name), SolveOptions(time_limit=0))
    assert (bundled.status, bundled.source, bundled.proof[:9]) == ("optimal", "bundled", "bundled, ")
    solved = load_or_solve(catalog.problem(name), SolveOptions(time_limit=WorkLimit(20)), recompute=True)
    assert (solved.makespan, solved.source) == (bundled.makespan, "solved")


def test_search_begins_from_a_bundled_plan_without_proof_and_its_bound() -> None:
    kitchen = catalog.problem("kitchens/multi_agent/10_potato_tomato_chicken_soup_potato_cheese_onion_soup")
    bundled = bundled_result(kitchen, PROFILES["released"])
    assert bundled is not None
    reports: list[tuple[int | None, int]] = []
    options = SolveOptions(time_limit=WorkLimit(0.01), on_progress=lambda *values: reports.append(values))
    best = load_or_solve(kitchen, options)
    assert (best.status, best.makespan, best.source) == ("feasible", bundled.makespan, "bundled")
    assert reports[0] == (bundled.makespan, bundled.lower_bound)
    assert best.proof.endswith("; bundled plan")
    retry = load_or_solve(kitchen, options, recompute=True)
    assert (retry.makespan, retry.source) == (None, "solved")


def test_search_improves_the_plan_from_which_it_begins() -> None:
    kitchen = catalog.problem(KITCHEN)
    optimum = solve(kitchen)
    idle = ("Do nothing", "Do nothing", *optimum.actions)
    longer = replace(optimum, actions=idle, makespan=len(idle), lower_bound=3)
    assert solve(kitchen, start=longer).makespan == optimum.makespan


def test_changed_problems_and_options_are_solved_again() -> None:
    schedule, kitchen = catalog.load(SCHEDULE), catalog.problem(KITCHEN)
    assert load_or_solve(schedule, SolveOptions()).proof == "bundled, certificate checked"
    for problem, options in (
        (replace(schedule, lags=schedule.lags[1:]), SolveOptions()),
        (with_agents(schedule, 2), SolveOptions()),
        (schedule, SolveOptions(seed=1)),
        (schedule, SolveOptions(min_interruptions=True)),
        (schedule, SolveOptions(engine="cp-sat")),
        (kitchen, SolveOptions(replace(PROFILES["released"], moves="joint"))),
    ):
        assert load_or_solve(problem, options).source == "solved"


@pytest.mark.parametrize("change", [{"bound": 9}, {"steps": []}, None])
def test_a_bundled_certificate_that_does_not_hold_is_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any] | None
) -> None:
    schedule = catalog.load(SCHEDULE)
    bundled = bundled_result(schedule)
    assert bundled is not None
    if change is None:
        longer = replace(bundled, makespan=99, lower_bound=99)
        monkeypatch.setattr("planoracle.solver.solve.bundled_result", lambda *_: longer)
    else:
        wrong = (bundled_proof(schedule) or {}) | change
        monkeypatch.setattr("planoracle.solver.solve.bundled_proof", lambda *_: wrong)
    with pytest.raises(InternalError, match=r"bundled optimum of .*certificate"):
        load_or_solve(schedule, SolveOptions())
