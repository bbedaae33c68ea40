"""Papers' tables about their benchmarks beside ours: figures that are known, what differs, the command."""

from __future__ import annotations

import json

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.published import rows_of, with_tables
from planoracle.instances.errors import InputError
from planoracle.instances.model import Action, Instance, Lag
from planoracle.instances.published import Figure, mean_of
from planoracle.instances.recipe2plan.language import Command
from planoracle.instances.recipe2plan.tables import executable

#: Figures that agree with the papers, to the decimals printed.
SAME = {
    "recipe2plan": {
        ("Table 2", "instances"): 65,
        ("Table 2", "minutes per action"): 5.7,
        ("Table 2", "executable actions per step"): 3.1,
        ("Table 2", "efficiency without time constraints, %"): 86.1,
        ("Table 2", "efficiency with time constraints, %"): 73.7,
    },
    "timearena": {
        ("Table 1", "cooking: shortest completion, minutes"): 18.9,
        ("Table 1", "lab: shortest completion, minutes"): 16.1,
        ("Table 2", "household: Oracle's CT, 3 tasks"): 35.4,
    },
    "asynctool": {("Table 4", "machines (MO): calls per task"): 3.0},
    "robotouille": {("Table 1", "tasks"): 30, ("Table 3", "asynchronous [2]"): 27},
}
#: Figures that do not: ours less theirs.
OTHER = {
    "recipe2plan": {("Table 2", "recipes"): -5, ("Table 2", "actions per recipe"): -0.6},
    "timearena": {
        ("Table 1", "household: shortest completion, minutes"): 0.4,
        ("Table 2", "lab: Oracle's CT, 2 tasks"): -0.2,
    },
    "asynctool": {("Table 5", "samples"): -612, ("Table 3", "classes of tools"): -2},
    "robotouille": {("Table 1", "longest horizon, steps"): -2, ("Table 3", "synchronous [9]"): -24},
}


@pytest.mark.parametrize("whose", SAME)
def test_known_figures(whose: str) -> None:
    rows = {(row["table"], row["figure"]): row for row in rows_of(whose)}
    for key, value in SAME[whose].items():
        assert (rows[key]["paper"], rows[key]["ours"], rows[key]["difference"]) == (value, value, 0)
    for key, value in OTHER[whose].items():
        assert rows[key]["difference"] == value
        assert rows[key]["note"]  # what differs has a reason


def test_all_benchmarks_with_tables_are_told_by_default() -> None:
    assert set(with_tables()) == SAME.keys()
    result = CliRunner().invoke(app, ["tables", "--format", "jsonl"])
    assert result.exit_code == 0
    assert {json.loads(line)["benchmark"] for line in result.stdout.splitlines()} == SAME.keys()


def test_a_table_for_a_paper() -> None:
    result = CliRunner().invoke(app, ["tables", "recipe2plan", "--format", "latex"])
    assert result.stdout.startswith(r"\begin{tabular}{llrrrl}")
    assert r"Table 2 & instances & 65 & 65 & 0 &  \\" in result.stdout


def test_a_benchmark_without_tables_is_refused() -> None:
    result = CliRunner().invoke(app, ["tables", "generic"])
    assert isinstance(result.exception, InputError)
    assert "timearena" in str(result.exception)


def test_executable_actions_by_hand() -> None:
    three = Instance("i", tuple(Action(f"t/{n}", "t", 2, 2) for n in range(3)), (Lag("t/0", "t/1"),))
    order = (Command(2, "t", 2, 4), Command(0, "t", 2, 0), Command(1, "t", 2, 2))
    assert executable(three, order) == mean_of([2, 2, 1])  # 0 or 2, then 1 or 2, then 2
    early = (Command(0, "t", 2, 0), Command(2, "t", 2, 1), Command(1, "t", 2, 3))
    assert executable(three, early) == mean_of([2, 1, 1])  # 0 is not finished when 2 starts


def test_what_is_not_known_has_no_difference() -> None:
    assert Figure("x", None, 3).row() == {"figure": "x", "paper": None, "ours": 3, "difference": None, "note": ""}
    assert Figure("x", 2.7, 2.75, 1).difference in (0.0, 0.1)
