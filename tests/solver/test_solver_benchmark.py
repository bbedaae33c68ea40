"""Comparison of solvers in `tests/benchmarks`: direct models, results, and the page of tables."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given

from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.search import solve
from tests.benchmarks.direct_models import Answer, solve_plain, solve_pyjobshop
from tests.benchmarks.solver_table import page
from tests.strategies import instances
from tests.support.random_projects import project
from tests.support.samples import examples

SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "solvers.py"


def supported(instance: Instance) -> Instance:
    """Return an instance without the features that direct models leave out."""
    actions = []
    for action in instance.actions:
        modes = tuple(
            replace(mode, demands=tuple(replace(demand, requires=None, sets=None) for demand in mode.demands))
            for mode in action.modes
        )
        agents = None if action.attended and action.agents != () else ()
        actions.append(replace(action, modes=modes, agents=agents, interruptible=False))
    return replace(instance, actions=tuple(actions))


def check_same_optimum(instance: Instance, answer: Answer) -> None:
    result = solve(instance, time_limit=20)
    assert (answer.status, answer.makespan) == (result.status, result.makespan)
    if answer.schedule is not None:
        assert list(find_violations(instance, answer.schedule)) == []
        assert answer.lower_bound == answer.schedule.makespan


NEGATIVE_MAXIMUM = Instance(
    "k",
    tuple(Action(f"t/{i}", "t", duration=0, attended=0, agents=()) for i in range(2)),
    (Lag("t/0", "t/1", None, -2),),
)


@examples(300)
@given(instances())
@example(NEGATIVE_MAXIMUM)
def test_plain_model_has_the_optimum_of_solve(drawn: Instance) -> None:
    instance = supported(drawn)
    check_same_optimum(instance, solve_plain(instance, 20))


@pytest.mark.parametrize("seed", range(3))
def test_direct_models_of_a_project_have_the_optimum_of_solve(seed: int) -> None:
    instance = project(12, seed)
    check_same_optimum(instance, solve_plain(instance, 20, core=True))
    if find_spec("pyjobshop") is not None:
        check_same_optimum(instance, solve_pyjobshop(instance, 20))


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """Return the script as a function, with a set ``tiny`` of two job shops."""
    folder = tmp_path / "large" / "tiny"
    folder.mkdir(parents=True)
    (folder / "one1.jss").write_text("2 2\n0 3  1 2\n1 4  0 1\n")
    (folder / "two2.jss").write_text("2 1\n0 3\n0 4\n")
    (folder.parent / "best_known.csv").write_text("set,file,best_known\ntiny,one1.jss,5..6\ntiny,two2.jss,5\n")

    def run(*arguments: str) -> str:
        command = [sys.executable, str(SCRIPT), *arguments]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=tmp_path).stdout

    return run


@pytest.mark.slow
def test_interrupted_run_is_continued_and_tabulated(script: Callable[..., str], tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    command = ("run", "tiny", "--shared", str(tmp_path), "--methods", "ours,plain", "--results", str(results))
    script(*command)
    lines = results.read_text().splitlines(keepends=True)
    rows = [json.loads(line) for line in lines]
    assert [(row["file"], row["method"], row["status"], row["makespan"], row["best_known"]) for row in rows] == [
        ("one1.jss", "ours", "optimal", 6, 6),
        ("one1.jss", "plain", "optimal", 6, 6),
        ("two2.jss", "ours", "optimal", 7, 5),
        ("two2.jss", "plain", "optimal", 7, 5),
    ]
    results.write_text("".join(lines[:3]) + lines[3][:20])
    script(*command)
    continued = results.read_text().splitlines(keepends=True)
    assert continued[:3] == lines[:3]
    assert [(row["file"], row["method"]) for row in map(json.loads, continued[3:])] == [("two2.jss", "plain")]
    table = script("table", str(results))
    assert "| tiny | ours | 2 | 2 | 0 | - | - | 20.0% |" in table


def result_row(method: str, file: str, status: str, makespan: int | None, **others: Any) -> dict[str, Any]:
    row = {"set": "s", "file": file, "method": method, "status": status, "makespan": makespan, "seconds": 10.0}
    row |= {"lower_bound": 10, "wall": 10.0, "processor": 10.0, "actions": 90, "best_known": 100, "peak_mb": None}
    return row | {"commit": "abc", "ortools": "9"} | others


def test_page_of_results_lists_exceptions() -> None:
    text = page(
        [
            result_row("ours", "older", "feasible", 500, commit="older"),
            result_row("ours", "long", "feasible", 120),
            result_row("plain", "long", "feasible", 100),
            result_row("ours", "lost", "unknown", None),
            result_row("plain", "lost", "optimal", 101, lower_bound=101, processor=1.0),
            result_row("ours", "late", "feasible", 90, wall=11.0),
            result_row("plain", "late", "feasible", 100),
            result_row("ours", "slow", "optimal", 50, lower_bound=50, processor=0.03, stage="core search"),
            result_row("core", "slow", "optimal", 50, lower_bound=50, processor=0.01),
            result_row("ours", "wrong", "feasible", 40),
            result_row("core", "wrong", "infeasible", None, lower_bound=None),
            result_row("plain", "wrong", "error", None, message="crash"),
        ]
    )
    for exception in (
        "long: 120, plain 100 (+20.0%)",
        "lost: unknown, plain 101",
        "lost: unknown, plain 1,000 ms",
        "slow: 30.0 ms, core 10.0 ms",
        "late: wall 11.00 s, processor 10.00 s",
        "wrong: infeasible by core, schedule of ours",
        "wrong: plain: crash",
    ):
        assert f"- s/{exception}\n" in text
    assert "| s | ours | 5 | 1 | 1 | 1.039 | 1.200 | -25.0% |" in text  # 120 and 90 of 100
    assert "| s | core search | 1 | 30.0 | 30 |" in text
    assert "older" not in text
