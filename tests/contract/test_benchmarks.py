"""Contract suite on all registered benchmarks and on a package from the template."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis.cli import app
from planoracle.analysis.contract import suite
from planoracle.analysis.contract.suite import CHECKS, HOSTILE_CHECKS, cases_of, check_benchmark
from planoracle.analysis.contract.suite import sample as sample_problems
from planoracle.analysis.template import write
from planoracle.instances.files.catalog import problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.solver.solve import has_solver

WITHOUT_MODEL = {"schedules"}
NO_FILES = {"documents"}
#: Checks that need a solver or a heuristic, which a kind with a reason in `no_solver` lacks.
WITHOUT_SOLVER = {"heuristic plans", "continuations", "regrets", "repairs"}
#: Cheats that need times in plans.
WITHOUT_TIMES = {"divided times", "changed durations", "overlaps", "negative times", "fractional times"}
#: Checks that do not apply, by benchmark. An unexpected entry means that a check lost its effect.
NOT_APPLICABLE = {
    "asynchow": {"generated", *NO_FILES},
    "generic": {"names"},
    "naturalplan": {"generated", *NO_FILES},
    "kitchens": {"generated", "pickles", "heuristic plans", *WITHOUT_MODEL, *WITHOUT_TIMES},
    "paracook": WITHOUT_MODEL,
    "paracook_abstract": {"names", *WITHOUT_TIMES},
    "robotouille": {"pickles", "heuristic plans", *WITHOUT_MODEL, *WITHOUT_TIMES},
    "tea_room": {"generated"},
    "timearena": {*NO_FILES, *WITHOUT_TIMES},
}


#: Problems with features that a sample may lack: windows, pairs of objects, random delays, several cooks.
FURTHER = {
    "asynchow": "asynchow/parallel/101",
    "asynctool": "asynctool/cross2/01@0-2:3",
    "kitchens": "kitchens/synchronous/3_burger~3",
    "naturalplan": "naturalplan/meeting/6",
    "recipe2plan": "recipe2plan/timed/Cobbler_Pancakes",
    "robotouille": "robotouille/asynchronous/5_potato_soup@42",
    "timearena": "timearena/household1+cooking1",
}
#: Problems beside a sample of one whose states have no values.
WITH_VALUES = {"asyncplanning": "asyncplanning/xxl/5/1", "naturalplan": "naturalplan/meeting/6"}
#: Reasons for which runs of the optimal agent end.
ENDS = {
    "asynchow/async/829": "completed",
    "asynctool/cross2/01": "closed",
    "naturalplan/meeting/389": "finished",
    "naturalplan/meeting/6": "completed",
    "naturalplan/trip/21": "answered",
    "paracook/abstract/own/seed_2/orders_num_2~2": "completed",
    "recipe2plan/timed/Cobbler_Pancakes": "finished",
    "recipe2plan/timed/Cobbler_Pancakes~2": "completed",
    "robotouille/synchronous/0_cheese_sandwich": "completed",
    "timearena/household1": "completed",
}


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AnyBenchmark:
    write("tea_room", tmp_path / "package")
    monkeypatch.syspath_prepend(str(tmp_path / "package"))
    benchmark: AnyBenchmark = import_module("planoracle_tea_room").benchmark
    monkeypatch.setitem(registry._registered, "tea_room", benchmark)
    return benchmark


def assert_passes_all_checks(benchmark: AnyBenchmark, count: int, seed: int, further: str = "") -> None:
    results = list(check_benchmark(benchmark, count, seed, [problem(further)] if further else ()))
    assert [(one.check, one.details) for one in results if one.status == "failed"] == []
    skipped = {one.check for one in results if one.status == "not applicable"}
    is_solved = all(map(has_solver, sample_problems(benchmark, count, seed)))
    assert skipped == NOT_APPLICABLE.get(benchmark.name, set()) | (set() if is_solved else WITHOUT_SOLVER)
    assert len(results) == len(CHECKS) - len(HOSTILE_CHECKS) + len(suite.HOSTILE_CHECKS)


@pytest.fixture
def without_hostile_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the checks that take most of the time, which the slow tests run on all benchmarks."""
    monkeypatch.setattr(suite, "HOSTILE_CHECKS", ())


@pytest.mark.usefixtures("without_hostile_checks")
@pytest.mark.parametrize("name", sample(registry.names()))
def test_benchmark_passes_checks_on_one_problem(name: str) -> None:
    assert_passes_all_checks(registry.get(name), 1, 0, WITH_VALUES.get(name, ""))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", registry.names())
def test_benchmark_passes_all_checks_on_several_problems(name: str, seed: int) -> None:
    assert_passes_all_checks(registry.get(name), 4, 1 + seed, FURTHER.get(name, "") if seed == 0 else "")


@pytest.mark.parametrize("name", ENDS)
def test_optimal_run_ends_with_the_expected_reason(name: str) -> None:
    (case, *_) = cases_of([problem(name)], 0)
    run, _ = case.optimal_run
    assert run.observation.over == ENDS[name]


@pytest.mark.slow
def test_template_passes_all_checks(template: AnyBenchmark) -> None:
    assert_passes_all_checks(template, 2, 0)


@pytest.mark.slow
@pytest.mark.usefixtures("without_hostile_checks")
def test_check_command_prints_a_row_per_check_and_fails_with_a_failed_check(
    template: AnyBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["benchmark", "check", "tea_room", "--problems", "1", "--format", "csv"]
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, done.stdout.count("passed")) == (0, len(CHECKS) - len(HOSTILE_CHECKS) - 1)
    monkeypatch.setattr(type(template), "render", lambda self, problem, schedule: "0 boil")
    broken = CliRunner().invoke(app, arguments)
    assert broken.exit_code == 1
    assert "plans" in broken.stdout
