"""Commands on a workshop with every feature: schedules in dates, features, and charts."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from support.runner import invoke
from support.workshops import workshop

from planoracle.instances.files.instance_file import to_document


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("shop") / "workshop.json"
    file.write_text(json.dumps(to_document(workshop())))
    return file


def test_schedule_has_dates_and_the_objective(path: Path) -> None:
    lines = invoke("solve", path, "--schedule").stdout.splitlines()
    assert lines[0].split()[:4] == ["start", "date", "end", "date"]
    assert lines[2].startswith("2026-03-02 08:00   2026-03-02 09:")
    assert "weight        5 of at most 5; the greatest weight first, then the least makespan" in lines
    assert "end           2026-03-02 16:00" in lines


def test_rows_have_ticks_and_dates(path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(invoke("solve", path, "--schedule", "-f", "csv").stdout)))
    last = max(rows, key=lambda row: int(row["end"]))
    assert (last["end"], last["end_date"]) == ("960", "2026-03-02 16:00")
    table = invoke("solve", path, "--schedule", "--columns", "action,start,start_date").stdout
    assert "480" in table
    assert "2026-03-02 08:00" in table


def test_records_name_the_tasks_that_are_left_out(path: Path, tmp_path: Path) -> None:
    document = json.loads(path.read_text())
    (sign,) = [task for task in document["tasks"] if task["name"] == "sign"]
    sign["actions"][1]["deadline"] = 500  # too early for an agent who begins at 480
    hasty = tmp_path / "hasty.json"
    hasty.write_text(json.dumps(document))
    record = json.loads(invoke("solve", hasty, "-f", "jsonl").stdout)
    assert (record["weight"], record["weight_bound"], record["left_out"]) == (2, 2, {"sign": 3})
    table = invoke("solve", hasty, "--columns", "weight,left_out").stdout
    assert table.splitlines()[2].split() == ["2", "sign"]


def test_instances_list_features(path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(invoke("instances", path, "-f", "csv").stdout)))
    assert rows[0]["features"] == "modes, windows, calendars, breaks, optional, transitions"
    plain = invoke("instances", "timearena/household1", "-f", "csv").stdout
    assert "features" not in plain


def test_generated_workshops_list_their_features(tmp_path: Path) -> None:
    options = ("--tasks", 2, "--actions", 2, "--off-time", 0.3, "--optional", 0.5, "--budgets", 1)
    table = invoke("generate", "generic", "--count", 1, *options, "--out", tmp_path, "-f", "csv").stdout
    (row,) = csv.DictReader(io.StringIO(table))
    assert row["features"] == "budgets, calendars, optional"
    assert invoke("solve", row["file"], "--columns", "status").stdout.splitlines()[2].strip() == "optimal"


def test_chart_is_drawn(path: Path, tmp_path: Path) -> None:
    picture = tmp_path / "chart.svg"
    assert invoke("gantt", path, "-o", picture).exit_code == 0
    assert picture.read_text().startswith("<?xml")


def test_number_of_workers_without_a_column_of_workers_is_noted(path: Path) -> None:
    result = invoke("solve", path, "--workers", "4")
    assert "note: --workers has no effect: no table has a column of workers" in result.stderr
    assert "--workers" not in invoke("solve", path).stderr
