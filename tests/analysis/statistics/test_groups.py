"""Averages and counts of grades by task, size, delay, cause and bin, as in the papers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.grades import grade_rows
from support.runner import invoke
from support.samples import sample

from planoracle.analysis.figures.grouped_bars import MAX_GROUPS, grouped_bars
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.intake.record_fields import holds_plan
from planoracle.analysis.statistics.groupings import groupings
from planoracle.analysis.statistics.groups import _add_drops, group_runs, quartiles
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.catalog import problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Metric
from planoracle.solver.solve import solve

SANDWICH, BURGER = "robotouille/synchronous/0_cheese_sandwich", "robotouille/synchronous/3_burger"
TASKS = ["synchronous/0_cheese_sandwich", "synchronous/3_burger"]


@pytest.fixture(scope="module")
def submissions() -> list[dict[str, Any]]:
    rows = [("good", f"{SANDWICH}@{seed}", solve(problem(f"{SANDWICH}@{seed}")).plan) for seed in (42, 84)]
    rows += [("good", f"{BURGER}@42", "Do nothing"), ("bad", f"{SANDWICH}@42", "Do nothing")]
    rows += [("bad", "timearena/lab10+lab1", "wash cup"), ("bad", "nowhere", "wait")]
    return [
        {"id": str(i), "model": model, "instance": name, "plan": plan} for i, (model, name, plan) in enumerate(rows)
    ]


@pytest.fixture(scope="module")
def graded(submissions: list[dict[str, Any]]) -> list[Grade]:
    return [Grader().grade(one, i) for i, one in enumerate(submissions, 1)]


@pytest.fixture
def files(submissions: list[dict[str, Any]], graded: list[Grade], tmp_path: Path) -> tuple[Path, Path]:
    raw, stored = tmp_path / "plans.jsonl", tmp_path / "grades.jsonl"
    raw.write_text("\n".join(map(json.dumps, submissions)), "utf-8")
    stored.write_text("\n".join(json.dumps(grade.row()) for grade in graded), "utf-8")
    return raw, stored


@pytest.mark.parametrize(
    ("owner", "name", "groups"),
    [
        ("robotouille", f"{BURGER}@42", {"task": ["synchronous/3_burger"]}),
        ("kitchens", "kitchens/multi_agent/1_lettuce_burger@7", {"task": ["multi_agent/1_lettuce_burger"]}),
        ("timearena", "timearena/lab1+cooking10", {"task": ["lab1", "cooking10"], "size": ["2"]}),
        ("recipe2plan", "mine.json/untimed/Vada_Okra-Fry", {"task": ["untimed/Vada", "untimed/Okra-Fry"]}),
        (
            "asynctool",
            "asynctool/files_1+text_2@1-2:7",
            {"task": ["files", "text"], "size": ["cross 2"], "tasks": ["2"], "delay": ["1-2"]},
        ),
        (
            "asynctool",
            "asynctool/similar3/01",
            {"task": ["numbers"], "size": ["similar 3"], "tasks": ["3"], "delay": ["1"]},
        ),
        ("asynchow", "asynchow/async/829", {"task": ["asynchow/async/829"], "size": ["4"]}),
        ("paracook", "paracook/cook/burger/seed_42/agent_num_2@a+b", {"task": ["burger"], "size": ["2"]}),
        ("paracook_abstract", "paracook/abstract/own/seed_1/orders_num_3", {"task": ["own"], "size": ["3"]}),
        ("generic", "tea.json#tea", {"task": ["tea.json#tea"]}),
    ],
)
def test_groups_follow_from_name_of_problem(owner: str, name: str, groups: dict[str, list[str]]) -> None:
    assert registry.get(owner).groups(name) == groups


def test_averages_by_task_agree_with_summary(graded: list[Grade]) -> None:
    rows = group_runs(grade_rows(graded), "robotouille", "task")
    assert [(row["model"], row["task"]) for row in rows] == [("bad", TASKS[0]), *(("good", task) for task in TASKS)]
    assert [row["success"] for row in rows] == [0.0, 1.0, 0.0]
    assert [(row["submissions"], row["missing"]) for row in rows] == [(1, 9), (2, 8), (1, 9)]
    whole = {row["model"]: row for row in summarize(grade_rows(graded[:2])).sets}["good"]
    assert {key: rows[1][key] for key in ("success", "main_score", "optimality", "gap", "runs")} == {
        key: whole[key] for key in ("success", "main_score", "optimality", "gap", "runs")
    }


def test_run_of_several_tasks_counts_for_each_task(graded: list[Grade]) -> None:
    grades = grade_rows(graded[4:5])
    (benchmark,) = grades.tables()
    rows = [(row["task"], row["submissions"], row["missing"]) for row in group_runs(grades, benchmark, "task")]
    assert rows == [("lab1", 1, 1), ("lab10", 1, 1)]  # lab1+lab2, and lab9+lab10
    assert [(row["size"], row["missing"]) for row in group_runs(grades, benchmark, "size")] == [("2", 9)]


def test_bins_contain_their_upper_ends(graded: list[Grade]) -> None:
    def with_metrics(success: bool, **metrics: float) -> Grade:
        return replace(graded[0], success=success, metrics=graded[0].metrics | metrics)

    runs = [with_metrics(True, optimality=value) for value in (1, 1.01, 1.25, 1.5)]
    runs += [with_metrics(False, optimality=None, steps_to_go=value) for value in (0.5, 0.75, 1, 1.2)]
    grades = grade_rows(runs)
    rows = group_runs(grades, "robotouille", "optimality")
    assert {row["optimality"]: row["succeeded"] for row in rows} == {
        "<= 1": 1,
        "(1, 1.25]": 2,
        "(1.25, 1.5]": 1,
        "> 1.5": 0,
    }
    assert sum(row["share_of_succeeded"] for row in rows) == 1
    failed = {row["steps_to_go"]: row["share_of_failed"] for row in group_runs(grades, "robotouille", "steps_to_go")}
    assert failed == {"<= 0.5": 0.25, "(0.5, 1]": 0.5, "> 1": 0.25}
    (row,) = quartiles(grades, "robotouille", "optimality")
    assert (row["runs"], row["count"], row["median"], row["upper_quartile"]) == ("succeeded", 4, 1.13, 1.3125)
    assert quartiles(grades, "robotouille", "cause") == []


def test_causes_and_named_events_are_counted_by_set(graded: list[Grade]) -> None:
    grades = grade_rows(graded)
    rows = group_runs(grades, "robotouille", "cause")
    assert [(row["model"], row["cause"], row["count"], row["share"]) for row in rows] == [
        ("bad", "unfinished", 1, 1.0),
        ("good", "unfinished", 1, 1.0),
    ]
    assert [row["failures"] for row in group_runs(grades, "robotouille", "failures")] == [
        graded[3].metrics["failure"]
    ] * 2
    assert [row["cause"] for row in group_runs(grades, "", "cause")] == ["not scored"]


@pytest.mark.parametrize("form", sample(["table", "csv", "json", "jsonl", "markdown", "latex"]))
def test_raw_submissions_and_stored_grades_give_the_same_table(files: tuple[Path, Path], form: str) -> None:
    raw, stored = (invoke("grade", path, "--by", "task", "-f", form) for path in files)
    assert raw.stdout == stored.stdout
    assert "lab10" in stored.stdout
    assert "nowhere" not in stored.stdout
    assert (raw.exit_code, stored.exit_code) == (1, 0)  # one submission cannot be graded


def test_unknown_group_is_rejected(files: tuple[Path, Path], tmp_path: Path) -> None:
    mixed = invoke("grade", files[1], "--by", "size", "-f", "csv")
    assert mixed.exit_code == 1
    assert "error: --by: Robotouille: must be one of task, cause, optimality, steps_to_go" in mixed.stderr
    assert mixed.stdout.count("\n") == 2
    for by, message in (("delay", "Robotouille: must be one of task, cause"), ("tsk", "did you mean task?")):
        error = invoke("grade", files[1], "--by", by).exception
        assert isinstance(error, UnknownNameError)  # status 2
        assert message in str(error)
    assert invoke("grade", files[1], "-o", tmp_path / "x.png").exit_code == 2


def test_histogram_has_quartiles_in_every_format(files: tuple[Path, Path]) -> None:
    rows = json.loads(invoke("grade", files[1], "--by", "optimality", "-f", "json").stdout)
    counts = [(row["level"], row["count"]) for row in rows]
    assert counts == [*(("optimality", count) for count in (2, 0, 0, 0)), ("quartiles", 2)]
    table = invoke("grade", files[1], "--by", "optimality", "-f", "markdown").stdout
    assert "**Quartiles of optimality**" in table
    assert "| good | robotouille/synchronous@\\* | succeeded | 2 | 1.000 | 1.000 | 1.000 |" in table


@pytest.mark.parametrize(
    ("by", "suffix"), sample([("task", "png"), ("optimality", "pdf"), ("cause", "svg")], several=True)
)
def test_figure_of_groups_is_written(files: tuple[Path, Path], tmp_path: Path, by: str, suffix: str) -> None:
    path = tmp_path / f"figure.{suffix}"
    result = invoke("grade", files[1], "--by", by, "-o", path, "--width", "column")
    assert f"note: caption of figure.{suffix}: " in result.stderr
    assert path.read_bytes()[:4] in (b"\x89PNG", b"%PDF", b"<?xm")


def test_figure_has_a_bar_per_group_and_model(graded: list[Grade]) -> None:
    ax = grouped_bars(group_runs(grade_rows(graded), "robotouille", "task"), "task")
    assert sorted(bar.get_width() for bar in ax.patches if bar.get_width() == bar.get_width()) == [0, 0, 100]
    assert [text.get_text() for text in ax.get_yticklabels()] == TASKS
    with pytest.raises(InputError):
        grouped_bars([{"model": "m", "by": str(i), "success": 1.0} for i in range(MAX_GROUPS + 1)], "by")


def test_averages_by_value_of_metric_are_of_the_runs_with_it(graded: list[Grade]) -> None:
    values = (True, False, None)
    runs = [replace(graded[0], metrics=graded[0].metrics | {"prioritised": value}) for value in values]
    runs[1] = replace(runs[1], success=False, metrics=runs[1].metrics | {"within_limit": False})
    rows = group_runs(grade_rows(runs, values=["prioritised"]), "robotouille", "prioritised")
    about = [(row["prioritised"], row["submissions"], row["success"], row["missing"]) for row in rows]
    assert about == [("no", 1, 0.0, 0), ("yes", 1, 1.0, 0)]
    assert "drop" not in rows[1]
    # The group takes the place of the average of the same name, here of a metric with bins of its own.
    counted = group_runs(grade_rows(runs, values=["invalid_actions"]), "robotouille", "invalid_actions")
    assert [(row["invalid_actions"], row["submissions"]) for row in counted] == [("0", 3)]
    assert "invalid_actions" not in counted[0]["over"]


def test_drop_is_loss_of_success_against_the_previous_number() -> None:
    names = ["similar2/01", "similar2/02", "cross2/01", "similar3/01", "cross3/01"]
    grades = [Grader().grade({"instance": f"asynctool/{name}", "id": name, "turns": "wait"}) for name in names]
    for position in (0, 1, 3):
        metrics = grades[position].metrics | {"overall": True, "closed": True}
        grades[position] = replace(grades[position], metrics=metrics)
    rows = group_runs(grade_rows(grades), "asynctool", "tasks")
    assert [(row["tasks"], row["success"]) for row in rows] == [("2", 2 / 3), ("3", 1 / 2)]
    assert "drop" not in rows[0]
    assert rows[1]["drop"] == pytest.approx(1 / 4)
    others = [replace(grade, model="b") for grade in grades]
    drops = [row.get("drop") for row in group_runs(grade_rows([*grades, *others]), "asynctool", "tasks")]
    assert drops == [None, pytest.approx(1 / 4)] * 2


def test_problems_weigh_as_much_as_they_have_subtasks() -> None:
    grades = []
    for name, scores in (("similar2/01", (0.5, 0.0)), ("similar3/01", (1 / 3, 1.0))):
        grade = Grader().grade({"instance": f"asynctool/{name}", "id": name, "turns": "wait"})
        grades += [replace(grade, metrics=grade.metrics | {"subtask_acc": score}) for score in scores]
    (row,) = group_runs(grade_rows(grades), "asynctool", "task")
    assert row["main_score"] == row["best@1"] == pytest.approx((2 * 0.25 + 3 * 2 / 3) / 5)
    assert row["best@2"] == pytest.approx((2 * 0.5 + 3 * 1.0) / 5)
    # The mean sub-task weighs 2.5: the two problems contribute 0.5 / 2.5 + 0.5 * (1 - 2 / 2.5), and as much less.
    assert (row["main_score_low"], row["main_score_high"]) == pytest.approx((0.3, 0.7))


def test_unscored_run_is_no_failed_one(graded: list[Grade]) -> None:
    lost = replace(graded[0], success=False, failure_cause="late")
    rows = group_runs(grade_rows([lost, replace(lost, scored=False)]), "robotouille", "cause")
    assert [(row["count"], row["failed"]) for row in rows] == [(1, 1), (1, 0)]


def test_unknown_rate_of_success_leaves_the_next_number_without_a_drop() -> None:
    rates = {"2": 0.5, "3": 0.4, "4": None, "5": 0.2, "6": 0.1}
    rows: list[dict[str, Any]] = [{"model": "a", "set": name, "success": rate} for name, rate in rates.items()]
    _add_drops(rows)
    assert [row.get("drop") for row in rows] == [None, pytest.approx(0.2), None, None, pytest.approx(0.5)]


def test_mapping_of_counts_is_summed(graded: list[Grade]) -> None:
    kinds = {"unknown_action": 3, "unknown_object": 0, "not_your_turn": 0, "precondition": 1}
    runs = [replace(graded[0], metrics=graded[0].metrics | {"invalid_kinds": kinds})] * 2
    rows = group_runs(grade_rows(runs), "robotouille", "invalid_kinds")
    shares = {row["invalid_kinds"]: (row["count"], row["share"]) for row in rows}
    assert list(shares.items()) == [("unknown_action", (6, 0.75)), ("precondition", (2, 0.25))]
    assert summarize(grade_rows(runs)).sets[0]["invalid_kinds"] == {"precondition": 2, "unknown_action": 6}


def test_no_metric_has_the_name_of_a_plan() -> None:
    # A row of a grade with such a field would be read as a submission.
    for benchmark in map(registry.get, registry.names()):
        declared = benchmark.metrics.declare(benchmark.rules.profile())
        metrics = [metric for metric in declared if isinstance(metric, Metric) and metric.kind in ("json", "text")]
        assert not any(holds_plan({metric.name: ["x"]}) for metric in metrics), metrics


def test_groupings_have_units_or_meanings() -> None:
    units = {"task": "", "size": "tasks", "tasks": "", "delay": "turns", "cause": "failed runs"}
    assert list(groupings("asynctool").items())[:5] == list(units.items())
    assert groupings("unknown") == groupings("generic") == {"task": "", "cause": "failed runs"}
    names = ["task", "size", "cause", "kinds", "end", "total_time", "best_time", "necessary_waits", "unnecessary_waits"]
    assert list(groupings("timearena")) == names
    assert groupings("timearena")["end"] == "reason for the end of the run"
    assert groupings("robotouille")["optimality"].startswith("steps divided by the minimum number of steps")
