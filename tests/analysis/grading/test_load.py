"""Independence of grades from the load of the machine, from earlier requests and from caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.samples import sample

from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.diagnosis.regret import next_commands, regret, regret_of
from planoracle.analysis.diagnosis.repair import repair
from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.report.jobs import work_on
from planoracle.analysis.report.work import ReportOptions, entries_of
from planoracle.instances.files import catalog
from planoracle.instances.model import limits as clock
from planoracle.instances.model.limits import WorkLimit, counted_work, deadline_of
from planoracle.instances.protocol import registry
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.solve import solve

PAIR = "recipe2plan/timed/Cobbler_Pancakes"
CASES = [
    (PAIR, "Step(0, Cobbler, 10 min, 00:05:00), Step(0, Cobbler, 10 min, 00:20:00)"),
    ("timearena/household1+lab2", ["activate kettle", "wait", "wash cup", "wait"]),
    ("kitchens/synchronous/1_lettuce_sandwich", ["Wait", "Move robot1 from table1 to table2"]),
    ("asynctool/cross2/01", []),
]


@pytest.fixture
def rushed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what makes time fly: every look at the clock finds it an hour later."""

    def rush() -> None:
        hours = count(1)
        monkeypatch.setattr(clock, "perf_counter", lambda: 3600.0 * next(hours))

    return rush


def answers(name: str, submitted: Any) -> Iterator[Any]:
    """Yield the results of all graders for a plan; problems are read again, because they cache answers."""

    def problem() -> Any:
        fresh = catalog.problem(name)
        fresh.memos.clear()
        return fresh

    row = {"id": "1", "instance": name, "plan": submitted}
    grader = Grader({"robotouille": registry.get("robotouille").rules.profile(price_rest=True)})
    problem()
    yield grader.grade(row).row(trace=True)
    yield regret(problem(), submitted).as_dict()
    yield next_commands(problem(), submitted, all_commands=True)
    yield critique(problem(), submitted).as_dict()
    yield repair(problem(), {"plan": submitted})


@pytest.mark.slow
@pytest.mark.parametrize(("name", "submitted"), sample(CASES, several=True))
def test_grades_do_not_depend_on_wall_time(
    name: str, submitted: Any, rushed: Callable[[], None], monkeypatch: Any
) -> None:
    monkeypatch.setenv("PLANORACLE_CACHE", "")
    calm = list(answers(name, submitted))
    rushed()
    assert list(answers(name, submitted)) == calm
    if name == PAIR:
        assert solve(catalog.problem(name), time_limit=60.0).status != "optimal"  # wall time passes fast


@pytest.mark.slow
def test_counted_work_is_reproducible() -> None:
    kitchen = catalog.problem("kitchens/synchronous/7_two_lettuce_chicken_sandwich")
    results = []
    for _ in range(2):
        before = counted_work()
        result = plan(kitchen, time_limit=WorkLimit(0.1))
        results.append((result.status, result.lower_bound, result.actions, result.expanded, counted_work() - before))
    assert results[0] == results[1]
    assert results[0][0] == "feasible"
    assert results[0][-1] == pytest.approx(1e8, rel=0.05)


def test_work_of_partial_deadline_counts_for_whole_deadline() -> None:
    whole = deadline_of(WorkLimit(1.0))
    assert whole.counted
    assert not whole.over(0.0)
    part = whole.sooner(0.25)
    part.spend(0.25)
    assert part.over(0.0)
    assert whole.remaining() == 0.75
    assert whole.sooner(5.0).remaining() == 0.75
    assert deadline_of(whole) is whole
    assert not deadline_of(60.0).counted


def runs() -> list[Any]:
    """Runs on one problem, so that one may profit from what was asked for another."""
    texts = [
        "Step(1, Cobbler, 2 min, 0:03:00)",
        "Step(0, Pancakes, 00:10:00, 00:00:00)",
        "Step(0, Cobbler, 10 min, 00:05:00), Step(1, Cobbler, 2 min, 00:20:00)",
    ]
    return [registry.get("recipe2plan").run(catalog.problem(PAIR), text) for text in texts]


@pytest.mark.parametrize("seconds", [0.001, 0.01, 0.1])
def test_regrets_do_not_depend_on_earlier_regrets(seconds: float) -> None:
    problem = catalog.problem(PAIR)
    results: list[dict[int, Any]] = []
    for order in ([0, 1, 2], [2, 1, 0], [1, 1, 0, 2]):
        problem.memos.clear()
        regrets: dict[int, Any] = {}
        for number in order:
            before = counted_work()
            regrets[number] = regret_of(runs()[number], seconds=WorkLimit(seconds)).as_dict(), counted_work() - before
        results.append(dict(sorted(regrets.items())))
    assert results[0] == results[1] == results[2]


@pytest.mark.slow
def test_regrets_of_report_do_not_depend_on_number_of_processes() -> None:
    rows = [
        {"id": str(n), "model": "m", "instance": PAIR, "plan": f"Step(0, Cobbler, 10 min, 00:{n:02}:00)"}
        for n in range(24)
    ]
    results = []
    for processes in (1, 2):
        catalog.problem(PAIR).memos.clear()
        work = work_on(entries_of(enumerate(rows, 1)), ReportOptions(), regret_seconds=0.3, processes=processes)
        results.append((sorted(work.priced), [one.sheet for one in work.priced.values()]))
    assert results[0] == results[1]
    assert len(results[0][0]) > 0


@pytest.mark.slow
def test_oracle_result_is_equal_with_warm_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, rules = "kitchens/synchronous/7_two_lettuce_chicken_sandwich", profiles()["robotouille"]
    monkeypatch.setattr("planoracle.analysis.grading.oracle.bundled_result", lambda *_: None)
    monkeypatch.setenv("PLANORACLE_CACHE", str(tmp_path))
    problem = catalog.problem(name)
    results = []
    for seconds in (0.05, 10.0, 0.05):  # more work in between, which is cached
        problem.memos.clear()
        best = SolverOracle(WorkLimit(seconds)).best(problem, rules)
        results.append((best.status, best.makespan, best.lower_bound, best.plan))
    problem.memos.clear()
    assert results[0] == results[2] != results[1]
