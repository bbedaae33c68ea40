"""Speed-up curves: figures that can be worked out by hand, means that leave out what is not proved."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.comparison.speedup import curve, is_proved, summarize_agents
from planoracle.instances.errors import InputError
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Action, Instance, Lag, Mode, Resource
from planoracle.instances.model.instance import Demand as Use

#: Six jobs of an hour, two of them one after the other, three at the same bench.
BENCH = Mode((Use("bench"),))
JOBS = Instance(
    "jobs",
    tuple(Action(f"t/{n}", "t", 6, 6, modes=(BENCH if n < 3 else Mode(),)) for n in range(6)),
    (Lag("t/4", "t/5"),),
    (Resource("bench"),),
    unit="minute",
)


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.stdout


def test_curve_by_hand() -> None:
    rows = curve(JOBS, 4)
    assert [row["makespan"] for row in rows] == [36, 18, 18, 18]
    assert {(row["critical_path"], row["limit"]) for row in rows} == {(12, 18)}
    assert [row["speedup"] for row in rows] == [1, 2, 2, 2]
    assert is_proved(rows)


def test_means_by_hand() -> None:
    free = replace(JOBS, name="free", actions=tuple(replace(a, modes=(Mode(),)) for a in JOBS.actions))
    curves = [[row | {"set": "both"} for row in curve(one, 3)] for one in (JOBS, free)]
    assert [[row["makespan"] for row in one] for one in curves] == [[36, 18, 18], [36, 18, 12]]
    one, two, three = summarize_agents(curves)
    assert (one["mean_speedup"], two["mean_speedup"], three["mean_speedup"]) == (1, 2, 2.5)
    assert (three["mean_makespan"], three["low"], three["high"]) == (15, 2.25, 2.75)
    assert (two["at_critical_path"], three["at_critical_path"]) == (0, 0.5)
    assert (two["at_limit"], three["at_limit"]) == (0.5, 1)
    assert three["limit_speedup"] == 2.5


def test_unproved_curves_are_counted_and_excluded() -> None:
    proved = curve(JOBS, 2)
    open_ = [proved[0], proved[1] | {"status": "feasible", "makespan": 35}]
    (_, two) = summarize_agents([proved, open_])
    assert (two["problems"], two["proved"], two["mean_speedup"]) == (2, 1, 2)
    (_, none) = summarize_agents([open_])
    assert (none["proved"], none["mean_speedup"], none["at_limit"], none["mean_makespan"]) == (0, None, None, None)


def test_infeasible_problem_has_rows_without_speedup() -> None:
    rows = curve(replace(JOBS, time_limit=20), 2)
    assert [(row["status"], row["makespan"]) for row in rows] == [("infeasible", None), ("optimal", 18)]
    assert rows[1]["speedup"] is None
    assert not is_proved(rows)


def test_curve_reads_the_modes_of_actions() -> None:
    """The fast mode of the slow action is on the critical path; the others need an agent each."""
    slow = Action("t/slow", "t", 9, 9, modes=(Mode(), Mode(duration=3)))
    alone = [Action(f"t/{n}", "t", 2, 0, modes=(Mode(attended=2),)) for n in range(2)]
    rows = curve(Instance("modes", (slow, *alone)), 2)
    assert [(row["makespan"], row["critical_path"], row["limit"]) for row in rows] == [(7, 3, 3), (4, 3, 3)]


def test_makespans_at_different_weights_are_not_compared() -> None:
    orders = replace(JOBS, actions=(Action("t/a", "t", 3, 3), Action("u/b", "u", 3, 3)), lags=(), optional=(("u", 1),))
    rows = curve(replace(orders, time_limit=4), 2)
    assert [(row["speedup"], row["critical_path"], row["limit"]) for row in rows] == [(1, 0, None), (None, 0, 3)]
    assert not is_proved(rows)


def test_different_agents_have_no_curve() -> None:
    differ = replace(JOBS, agents=("a", "b"), actions=(replace(JOBS.actions[0], agents=("b",)), *JOBS.actions[1:]))
    with pytest.raises(InputError, match="identical"):
        curve(differ)


@pytest.mark.slow
def test_agents_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps(to_document(JOBS)))
    code, out = run("solve", str(path), "--agents", "2", "--format", "jsonl", "--jobs", "1")
    row = json.loads(out)
    assert (code, row["instance"], row["makespan"], row["status"]) == (0, "jobs~2", 18, "optimal")
    assert {piece["agent"] for piece in row["schedule"]} == {"agent1", "agent2"}
    only = ["--only", "agent2=t/0"]
    code, out = run("solve", str(path), "--agents", "2", *only, "--format", "jsonl", "--jobs", "1")
    assert (json.loads(out)["makespan"], json.loads(out)["instance"]) == (30, "jobs~2~agent2=t/0")
    assert run("solve", str(path), "--agents", "0")[0] == 2
    submission = tmp_path / "plans.jsonl"
    plan = json.dumps(row["schedule"])
    submission.write_text(json.dumps({"id": "a", "instance": f"{path}~2", "plan": plan}) + "\n")
    code, out = run("grade", str(submission), "--format", "jsonl", "--trust-paths")
    graded = json.loads(out.splitlines()[0])
    assert (code, graded["success"], graded["makespan"], graded["optimal_makespan"]) == (0, True, 18, 18)
