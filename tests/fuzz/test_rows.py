"""Rows of grades with hostile values in every field; other rows stay unaffected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.hostile_inputs import VALUES, encode_json
from support.runner import CliRunner

from planoracle.analysis import frames
from planoracle.analysis.cli import app
from planoracle.analysis.grading.grade_row import read_grades
from planoracle.analysis.grading.grader import Grader
from planoracle.instances.text import visible

NAMES = (
    *("timearena/lab1", "recipe2plan/timed/Cobbler_Pancakes", "asynctool/files_1+text_2", "asynchow/async/1"),
    *("robotouille/synchronous/0_cheese_sandwich", "paracook/cook/own/seed_1/agent_num_1/orders_num_1"),
)


@pytest.fixture(
    params=[pytest.param(NAMES[0], id="timearena")]
    + [pytest.param(name, id=name.partition("/")[0], marks=pytest.mark.slow) for name in NAMES[1:]]
)
def rows(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a file of hostile rows with a valid last row."""
    grade = Grader().grade({"id": "a", "model": "m", "instance": request.param, "plan": "wait"}).row()
    whole = grade | {"scored": True, "success": True, "reason": None, "makespan": 5, "main_score": 0.5}
    lines = [encode_json(row | {field: value}) for row in (grade, whole) for field in grade for value in VALUES]
    path = tmp_path / "rows.jsonl"
    sound = Grader().grade({"id": "sound", "model": "sound", "instance": "timearena/lab2", "plan": "wait"}).row()
    path.write_bytes(b"\n".join([*lines, encode_json(sound)]))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        ("grade", "{rows}", "-f", "jsonl"),
        ("audit", "{rows}", "-f", "jsonl"),
        ("grade", "{rows}", "--collect", "-"),
    ],
    ids=lambda call: "-".join((call[0], *call[3:4])),
)
def test_commands_read_hostile_rows(rows: Path, call: tuple[str, ...]) -> None:
    plans = rows.with_name("plans.jsonl")
    plans.write_text(json.dumps({"id": "sound", "instance": "timearena/lab2", "plan": ["wait"]}) + "\n")
    done = CliRunner().invoke(app, [part.format(rows=rows, plans=plans) for part in call])
    assert done.exit_code in (0, 1), done.exception
    assert isinstance(done.exception, SystemExit | None)
    assert "internal error" not in done.stdout + done.stderr
    assert visible(done.stdout, "\n") == done.stdout
    assert "sound" in done.stdout or "timearena/lab2" in done.stdout


@pytest.mark.slow
def test_frames_contain_no_internal_errors(rows: Path) -> None:
    grades = list(read_grades(rows))
    frame, errors = frames.grades(grades)
    assert not errors["reason"].str.startswith("internal error").any()
    assert (frame["line"] <= len(grades)).all()
