"""Kinds of problems of other packages: registration, requests and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from support.blocking_shop import benchmark
from support.blocking_shop.kind import KIND, BlockingShopKind
from support.blocking_shop.shop import BlockingShop, Job, Operation

from planoracle import (
    compare,
    critique,
    environment,
    explain,
    gantt,
    grade,
    load,
    register,
    regret,
    repair,
    schedule,
    solve,
)
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.heuristics import package_heuristics
from planoracle.instances.errors import InputError, NoSolverError
from planoracle.instances.protocol import registry
from planoracle.plugin import Budget, check_benchmark
from planoracle.solver.kinds.registry import CONTRIBUTIONS, UnknownKind, find
from planoracle.solver.solve import engine_of, has_solver

LINE, OPPOSITE = "blocking_shop/line", "blocking_shop/opposite"
PLAN = ["red", "red", "blue", "blue", "raw"]


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> BlockingShop:
    """The shop of a registered benchmark and kind."""
    monkeypatch.setattr(CONTRIBUTIONS, "_registered", {})
    monkeypatch.setattr(registry, "_registered", {})
    register(KIND)
    register(benchmark)
    return load(LINE)


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(("name", "makespan"), [(LINE, 9), (OPPOSITE, 10)])
def test_problem_of_a_registered_kind_is_solved_by_it(name: str, makespan: int) -> None:
    problem = load(name)
    assert has_solver(problem)
    result = solve(problem)
    assert (result.status, result.makespan) == ("optimal", makespan)
    assert "grid" not in result.as_dict()
    kind = engine_of(problem)
    entry = json.loads(json.dumps(kind.pack(problem, None, result)))
    assert kind.unpack(problem, None, entry).plan == result.plan
    with pytest.raises(ValueError, match="stored makespan"):
        kind.unpack(problem, None, entry | {"makespan": makespan - 1})


def test_optimum_is_that_of_all_orders(shop: BlockingShop) -> None:
    assert solve(shop).makespan == _best_makespan(shop, [])


def _best_makespan(shop: BlockingShop, plan: list[str]) -> int:
    """Return the least makespan of the completions of a plan."""
    run = benchmark.run(shop, {"plan": plan})
    if run.makespan is not None:
        return run.makespan
    rules = benchmark.simulator(shop, run.rules)
    return min((_best_makespan(shop, [*plan, command.text]) for command in rules.legal(run.state)), default=10**6)


def test_plan_for_a_problem_of_a_registered_kind_is_graded(shop: BlockingShop) -> None:
    def row_of(plan: object) -> dict[str, Any]:
        return grade({"id": "a", "instance": LINE, "plan": plan}).row()

    row = row_of(PLAN)
    assert (row["success"], row["makespan"], row["optimal_makespan"]) == (True, 12, 9)
    assert row_of("1. red\n2. red\n3. blue\n4. blue\n5. raw")["makespan"] == 12
    blocked = row_of(["blue", "red", "blue"])
    assert (blocked["success"], [violation["kind"] for violation in blocked["violations"]]) == (False, ["blocked"])
    assert grade({"id": "a", "instance": LINE, "plan": 7}).row()["scored"] is False
    review = critique(shop, {"plan": ["blue", "red"]})
    assert "Job blue blocks the saw, which job red needs." in review.prose()


def test_problem_of_a_registered_kind_is_compared_and_drawn(shop: BlockingShop) -> None:
    comparison = compare(shop, ["optimum"])
    assert (comparison.optimum, comparison.actions) == (9, 5)
    result = solve(shop)
    axes = gantt(shop, result.plan)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["saw", "paint"]
    frame = result.to_frame()
    assert frame["task"].tolist().count("red") == 2
    assert "saw" in str(result)
    assert "<svg" in result._repr_html_()


def test_problem_of_a_registered_kind_is_run_live(shop: BlockingShop) -> None:
    run = environment(shop)
    assert [command.text for command in run.legal()] == ["red", "blue", "raw"]
    assert run.step("I start blue.").observation.text == "blue: 0 to 2"
    assert run.step("red").observation.text == "Refused: job blue blocks the saw, which job red needs"
    assert not run.step("blue").done
    for command in ("red", "red", "raw"):
        last = run.step(command)
    assert (last.done, last.observation.over) == (True, "completed")
    assert grade({"id": "a", **run.submission()}).row()["makespan"] == run.verdict().makespan
    deadlock = environment(load(OPPOSITE))
    deadlock.step("there")
    assert deadlock.step("back").observation.over == "deadlock"


@pytest.mark.slow
def test_contract_holds_for_a_benchmark_of_a_registered_kind(shop: BlockingShop) -> None:
    checks = check_benchmark(benchmark)
    assert [check for check in checks if check.status == "failed"] == []


def job_by_job(shop: BlockingShop, budget: Budget) -> list[str]:
    """Return the plan that finishes each job before the next one."""
    plan = []
    for job in shop.jobs:
        plan += [job.name] * len(job.operations)
    return plan


job_by_job.kind = "blocking-shop"  # type: ignore[attr-defined]


def all_at_once(shop: BlockingShop, budget: Budget) -> list[str]:
    """Return a plan in which jobs block each other."""
    return [job.name for job in shop.jobs]


all_at_once.kind = "blocking-shop"  # type: ignore[attr-defined]


def test_heuristic_declares_the_kind_of_its_problems(shop: BlockingShop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_heuristics.CONTRIBUTIONS, "_registered", {})
    register(job_by_job, "job-by-job")
    result = schedule(shop, "job-by-job")
    assert (result.status, result.makespan, len(result.to_frame())) == ("feasible", 12, 5)
    entries = {entry.method: entry.makespan for entry in compare(shop, ["job-by-job", "best_heuristic"]).entries}
    assert set(entries.values()) == {12}
    with pytest.raises(InputError, match="is for problems of kind blocking-shop, not for a schedule"):
        schedule(load("timearena/household1"), "job-by-job")
    register(all_at_once, "all-at-once")
    with pytest.raises(package_heuristics.HeuristicError, match="all-at-once: its plan breaks the rule 'blocked'"):
        schedule(shop, "all-at-once")


_SHOP = BlockingShop(LINE, (Job("red", (Operation("saw", 1),)),))
_SUBMISSION = {"instance": LINE, "plan": ["red"]}

#: Requests that the kind does not define, with the error.
REFUSED: dict[str, Callable[[], object]] = {
    "has no explanation: problems of kind 'blocking-shop' have none": partial(explain, _SHOP),
    "has no values of states: problems of kind 'blocking-shop' have none": partial(regret, _SHOP, _SUBMISSION),
    "has no repair: problems of kind 'blocking-shop' have none": partial(repair, _SHOP, _SUBMISSION),
    "is for scheduling problems": partial(schedule, _SHOP),
    "has no interval model": partial(solve, _SHOP, engine="cp-sat"),
    "has machines and no agents": partial(load, f"{LINE}~2"),
}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("message", REFUSED)
def test_request_that_a_kind_does_not_define_is_refused_by_name(message: str) -> None:
    with pytest.raises(InputError, match=message):
        REFUSED[message]()


def test_rest_of_a_run_says_that_its_kind_has_no_values_of_states(shop: BlockingShop) -> None:
    run = registry.of(shop).run(shop, PLAN[:1], registry.of(shop).rules.profiles["paper"])
    rest = SolverOracle().rest(run)
    assert rest.makespan is None
    assert rest.proof == "has no values of states: problems of kind 'blocking-shop' have none"
    assert SolverOracle().values(run) == [None] * (len(run.steps) + 1)


def test_kind_that_no_package_defines_refuses_every_request() -> None:
    kind = find("blocking-shop")
    assert isinstance(kind, UnknownKind)
    with pytest.raises(NoSolverError, match="no solver accepts problems of kind 'blocking-shop'"):
        kind.unpack(_SHOP, None, {})


@pytest.mark.usefixtures("shop")
def test_name_of_another_kind_is_refused() -> None:
    register(KIND)
    with pytest.raises(InputError, match="is the name of another kind"):
        register(BlockingShopKind())
    for name in ("schedule", "kitchen"):
        kind = BlockingShopKind()
        kind.name = name
        with pytest.raises(InputError, match="is the name of another kind"):
            register(kind)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("blocking-shop", "support.blocking_shop.kind:KIND", ""),
        ("other", "support.blocking_shop.kind:KIND", "must be the name of the kind"),
        ("blocking-shop", "support.blocking_shop:SHOP", "cannot be loaded from support.blocking_shop:SHOP"),
        ("blocking-shop", "planoracle:solve", "must be an object of a class derived from"),
    ],
)
def test_entry_points_are_checked_by_name(name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [EntryPoint(name, value, group)])
    monkeypatch.setattr(CONTRIBUTIONS, "_from_packages", CONTRIBUTIONS._load)
    if not message:
        assert find(name) is KIND
        return
    with pytest.raises(InputError, match=message) as caught:
        find("riddle")
    assert "planoracle.kinds" in str(caught.value)
