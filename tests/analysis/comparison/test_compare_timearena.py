"""The Oracle rows of TimeArena's Table 2 beside the proved optimum."""

from __future__ import annotations

import csv
import io

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.comparison.compare import compare
from planoracle.analysis.comparison.method_tables import summarize
from planoracle.instances.benchmarks.timearena.problems import names
from planoracle.instances.files.catalog import load


@pytest.fixture(scope="module")
def comparisons():
    return [compare(load(name)) for name in names()]


@pytest.fixture(scope="module")
def answers(comparisons):
    """Every comparison, and its entries by method."""
    return [(one, {entry.method: entry for entry in one.entries}) for one in comparisons]


@pytest.fixture(scope="module")
def rows(comparisons):
    return {(row["set"], row["method"]): row for row in summarize(comparisons)}


def label(scenario: str, size: int) -> str:
    return f"timearena/{scenario}/{size}"


@pytest.mark.slow
def test_accepted_claims_are_at_least_the_optimum(answers):
    for one, entries in answers:
        for name in ("released", "printed"):
            if entries[name].accepted:
                assert entries[name].makespan >= one.optimum, one.instance
        assert entries["without_objects"].makespan <= entries["released"].makespan, one.instance
        assert entries["best_heuristic"].makespan is None or entries["best_heuristic"].makespan >= one.optimum


@pytest.mark.slow
def test_released_reservations_bound_the_completion_rate(answers, rows):
    released = {one.instance.removeprefix("timearena/"): entries["released_rules"] for one, entries in answers}
    impossible = {name for name, rules in released.items() if rules.makespan is None}
    assert impossible == {
        "cooking2+cooking3",
        "cooking3+cooking4",
        "cooking10+cooking1",
        "cooking2+cooking3+cooking4",
        "cooking9+cooking10+cooking1",
    }
    assert {released[name].status for name in impossible} == {"infeasible"}
    assert rows[label("cooking", 2), "released rules"]["CR"] == 70
    assert rows[label("cooking", 3), "released rules"]["CR"] == 80


def test_summary_table_has_requested_columns():
    call = ["compare", "timearena/household4", "--summary", "--columns", "method,mean_gap"]
    result = CliRunner().invoke(app, [*call, "--format", "latex"])
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:10] == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Methods compared with the proved optimum}",
        r"\label{tab:compare}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"method & mean gap \\",
        r"\midrule",
        r"optimum & +0.0 \% \\",
        r"released greedy & \textminus{}35.7 \% \\",
    ]
    rows = list(csv.DictReader(io.StringIO(CliRunner().invoke(app, [*call, "--format", "csv"]).stdout)))
    assert [row["method"] for row in rows][:2] == ["optimum", "released greedy"]
    assert set(rows[0]) == {"method", "mean_gap"}
