"""Averages of models against each other, and the progress of their runs over time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from support.grades import grade_rows
from support.runner import invoke, run_program

from planoracle.analysis.cli.plots import PlotAxes
from planoracle.analysis.figures.model_plots import MAX_MODELS, average_points, progress_lines
from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.statistics.plots import averages_of_models, progress_of_models
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.violations import Replay, ReplayEvent
from planoracle.instances.protocol.scoring import PROGRESS_OVER_TIME

TEA = "timearena/household1"
RUNS = [
    {"id": "1", "model": "a", "instance": TEA, "actions": ["wash cup", "wait"]},
    {"id": "2", "model": "a", "instance": TEA, "actions": ["wash teapot"]},
    {"id": "3", "model": "b", "instance": TEA, "actions": ["wait"]},
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    raw, traced, brief = (tmp_path / f"{name}.jsonl" for name in ("plans", "traced", "brief"))
    rows = [Grader().grade(run).row(trace=True) for run in RUNS]
    raw.write_text("\n".join(map(json.dumps, RUNS)), "utf-8")
    traced.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    for row in rows:
        del row[PROGRESS_OVER_TIME]
    brief.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return raw, traced, brief


def test_progress_of_parallel_actions_follows_their_ends() -> None:
    events = (
        ReplayEvent(0, "oven", 0, 9, accepted=True, progress=0.25),
        ReplayEvent(1, "cup", 0, 2, accepted=True, progress=0.5),
        ReplayEvent(2, "late", 2, 99, accepted=False, progress=0.5),
        ReplayEvent(3, "pot", 2, 9, accepted=True, progress=1.0),
    )
    replay = Replay(events, (), None, 3, 1.0, 1.0, True, 9, {}, ())
    assert replay.progress_over_time == [(2, 0.25), (9, 1.0)]
    assert Replay((), (), None, 0, 0.0, 0.0, False, 4, {}, ()).progress_over_time == [(4, 0.0)]


def test_progress_over_time_is_the_mean_of_the_runs(files: tuple[Path, Path, Path]) -> None:
    for path in files[:2]:
        rows = json.loads(invoke("grade", path, "--plot", "time,progress", "-f", "json").stdout)
        points = [(row["model"], row["time"], row["progress"], row["runs"]) for row in rows]
        # The cup is 3 of 16 minutes of work, the teapot 1. The first run ends in minute 4.
        expected = [("a", 0, 0.0, 2), ("a", 1, 1 / 32, 2), ("a", 3, 1 / 8, 2), ("a", 4, 1 / 8, 2)]
        assert points == [*expected, ("b", 0, 0.0, 1), ("b", 1, 0.0, 1)]


def test_grades_without_progress_over_time_are_refused(files: tuple[Path, Path, Path]) -> None:
    result = run_program("grade", files[2], "--plot", "time,progress")
    assert result.returncode == 1
    assert "progress_over_time: no grade has this field; planoracle grade --trace writes it" in result.stderr


@pytest.mark.parametrize("curve", [3, [3], [[1]], [[1, "x"]], [[-1, 0.5]], [[1.5, 0.5]], [[1, float("inf")]], {"a": 1}])
def test_invalid_progress_over_time_is_refused(curve: Any) -> None:
    grade = Grader().grade(RUNS[0])
    grade.metrics[PROGRESS_OVER_TIME] = curve
    with pytest.raises(InputError, match="must be a list of pairs of a time from 0 and a share"):
        progress_of_models(grade_rows([grade], values=[PROGRESS_OVER_TIME]).frame())


def test_averages_of_models_are_over_all_sets() -> None:
    names = ["similar2/01", "cross2/01", "similar3/01"]
    runs = [{"id": name, "model": "a", "instance": f"asynctool/{name}", "turns": "wait"} for name in names]
    grades = grade_rows(map(Grader().grade, runs))
    (row,) = averages_of_models(grades, grades.tables(), ("overall", "streak"))
    assert row == {"model": "a", "benchmark": "asynctool", "problems": 3, "overall": 0.0, "streak": 0.0}
    with pytest.raises(UnknownNameError, match="asynctool: must be one of func, param"):
        averages_of_models(grades, grades.tables(), ("overall", "CS"))


def test_figures_have_a_line_or_a_point_per_model(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    progress = [
        {"model": model, "benchmark": "b", "time": time, "progress": time / 10, "runs": 2}
        for model in ("x", "y")
        for time in (0, 5)
    ]
    ax = progress_lines(progress, "minute")
    assert ax.get_xlabel() == "time (minutes)"
    assert [list(line.get_ydata()) for line in ax.lines] == [[0, 50], [50]] * 2
    points = [{"model": str(number), "benchmark": "b", "problems": 1, "u": number, "v": 1} for number in range(3)]
    ax = average_points([*points, points[0] | {"model": "?", "v": None}], "u", "v", about="b")
    assert len(ax.lines) == 3
    assert ax.get_label() == "b. Problems per model: 1. Models without a value: 1."
    with pytest.raises(InputError, match="no model has both averages"):
        average_points([points[0] | {"v": None}], "u", "v")
    with pytest.raises(InputError, match="the limit is 40"):
        average_points([points[0] | {"model": str(number)} for number in range(MAX_MODELS + 1)], "u", "v")
    path = tmp_path / "figure.pdf"
    result = invoke("grade", files[0], "--plot", "CR,AS", "-o", path, "--width", "column")
    assert "note: caption of figure.pdf: TimeArena: AS against CR. Problems per model: 1." in result.stderr
    assert path.read_bytes()[:4] == b"%PDF"


def test_invalid_plots_are_rejected(files: tuple[Path, Path, Path]) -> None:
    for text in ("time", "a,b,c", "a,", ""):
        with pytest.raises(typer.BadParameter, match="must be two columns"):
            PlotAxes.of(text)
    assert invoke("grade", files[0], "--plot", "CR,AS", "--by", "task").exit_code == 2
    assert invoke("grade", files[0], "-o", "x.png").exit_code == 2
