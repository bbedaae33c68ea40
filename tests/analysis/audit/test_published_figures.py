"""Published figures about benchmarks, compared with recomputed ones: all rows, the command."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.instances.benchmarks.recipe2plan.metrics import executable
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance, Lag

FROZEN = Path(__file__).parents[1] / "data" / "published.jsonl"


@pytest.mark.slow
def test_rows_agree_with_the_recorded_ones() -> None:
    result = CliRunner().invoke(app, ["audit", "--tables", "--format", "jsonl"])
    assert result.exit_code == 0
    assert sorted(result.stdout.splitlines()) == sorted(FROZEN.read_text(encoding="utf-8").splitlines())


@pytest.mark.slow
def test_table_in_latex() -> None:
    result = CliRunner().invoke(app, ["audit", "--tables", "recipe2plan", "--format", "latex"])
    assert result.stdout.startswith(r"\begin{table}")
    assert r"\begin{tabular}{llrrrl}" in result.stdout
    assert r"Table 2 & instances & 65 & 65 & 0 &  \\" in result.stdout


def test_benchmark_without_tables_is_rejected() -> None:
    result = CliRunner().invoke(app, ["audit", "--tables", "generic"])
    assert isinstance(result.exception, InputError)
    assert "timearena" in str(result.exception)


def test_executable_actions_by_hand() -> None:
    three = Instance("i", tuple(Action(f"t/{n}", "t", 2, 2) for n in range(3)), (Lag("t/0", "t/1"),))
    order = (StepCommand(2, "t", 2, 4), StepCommand(0, "t", 2, 0), StepCommand(1, "t", 2, 2))
    assert executable(three, order) == mean([2, 2, 1])  # 0 or 2, then 1 or 2, then 2
    early = (StepCommand(0, "t", 2, 0), StepCommand(2, "t", 2, 1), StepCommand(1, "t", 2, 3))
    assert executable(three, early) == mean([2, 1, 1])  # 0 is not finished when 2 starts
