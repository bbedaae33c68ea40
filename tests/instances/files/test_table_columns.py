"""Tables of tasks: columns that restrict schedules, names of machines and agents, units, and dates."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.runner import values_in_this_process
from support.samples import sample
from typer.testing import CliRunner

from planoracle import Model, load, solve
from planoracle.analysis.cli import app
from planoracle.instances.errors import InputError
from tests.support.tables import faults, notes, read, table

pytestmark = pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process, since a worker takes half a second; `test_hostile_tables` reads in workers."""
    monkeypatch.setattr("planoracle.instances.workers.file_reader.each_in_worker", values_in_this_process)


# --- columns that the model cannot express --------------------------------------------------------


@pytest.mark.parametrize(
    ("heading", "harmless", "restricting"),
    [
        ("Tear-down", "0", "10"),
        ("Cleaning time", "0 min", "5 min"),
        ("Skip", "no", "yes"),
        ("active", "yes", "no"),
        ("calendar", "-", "early shift"),
        ("Shift", "", "A"),
        ("Opening hours", "", "9-17"),
        ("Max workers", "0", "1"),
        ("Machine 2", "", "M2"),
        ("Machine group", "", "mills"),
        ("Consumption", "", "3"),
        ("no-wait", "no", "yes"),
        ("batch size", "1", "4"),
        ("skill", "", "welder"),
        ("conflicts with", "", "b"),
        ("mode", "1", "2"),
        ("Repeat", "1", "3"),
        ("Constraint type", "As soon as possible", "Must start on"),
        ("link type", "FS", "SS"),
        ("before", "", "b"),
        ("Requires", "", "saw"),
        ("Transport time", "0", "3"),
        ("Shelf life", "", "9"),
    ],
)
def test_column_that_restricts_schedules_is_refused(
    heading: str, harmless: str, restricting: str, tmp_path: Path
) -> None:
    lines = table(f"task,duration,{heading}", f"a,1,{harmless}", "b,2,{}")
    assert solve(read(tmp_path, lines.format(harmless))).makespan == 2
    (fault,) = faults(tmp_path, lines.format(restricting))
    assert fault.startswith(f"t.csv, line 3: {heading}: ")
    assert fault.endswith(f"; --ignore {heading!r} reads the table without it (got {restricting!r})")


def test_blank_cell_of_a_column_of_mandatory_tasks_is_refused(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, table("task,duration,mandatory", "a,1,yes", "b,2,"))
    assert fault == "t.csv, line 3: mandatory: must be yes or no (got '')"


@pytest.mark.parametrize(
    ("heading", "cells"), [("workers", "2"), ("crew", "3"), ("worker", "1"), ("Staff", "2 people"), ("people", "2x")]
)
def test_mixture_of_numbers_and_names_of_agents_is_refused(heading: str, cells: str, tmp_path: Path) -> None:
    lines = table(f"task,duration,{heading}", "a,1,{}", "b,2,Ann")
    (fault,) = faults(tmp_path, lines.format(cells))
    assert "the column has names of agents and numbers of workers; write either of them" in fault
    assert fault.endswith(f"--names agent (got {cells!r})")
    assert read(tmp_path, lines.format("Ben")).agents == ("Ben", "Ann")
    assert read(tmp_path, table("task,duration,agent", "a,1,1", "b,1,2")).agents == ("1", "2")


def test_crew_of_size_one_is_read_beside_names_of_agents(tmp_path: Path) -> None:
    assert read(tmp_path, table("task,duration,worker,crew size", "a,1,Ann,1")).agents == ("Ann",)


# --- names of columns -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "heading", ["Start", "Finish", "End date", "Completion", "Actual Start", "Late Finish", "Stop", "Planned end"]
)
def test_planned_times_are_ignored_with_a_note(heading: str, tmp_path: Path) -> None:
    text = "; times are restricted by release, deadline, fixed_start and fixed_end"
    assert notes(tmp_path, table(f"task,duration,machine,{heading}", "a,1,m,9")) == [
        f"t.csv: ignored columns: {heading}{text}"
    ]


@pytest.mark.parametrize("heading", ["State", "Progress", "Priority", "weight", "Quality", "Machine hours", "Location"])
def test_column_without_a_meaning_is_ignored_with_a_note(heading: str, tmp_path: Path) -> None:
    assert notes(tmp_path, table(f"task,duration,machine,{heading}", "a,1,m,9")) == [
        f"t.csv: ignored columns: {heading}"
    ]


@pytest.mark.parametrize(
    ("heading", "field"),
    [("machnie", "machine"), ("predecesors", "predecessor"), ("Optinal", "optional"), ("relase", "release")],
)
def test_misspelled_heading_is_refused_unless_the_column_is_there(heading: str, field: str, tmp_path: Path) -> None:
    assert faults(tmp_path, table(f"task,duration,{heading}", "a,1,x")) == [
        f"t.csv: {heading}: unknown column; did you mean {field}?"
    ]
    if field != "optional":
        read(tmp_path, table(f"task,duration,{field},{heading}", "a,1,,"))


@pytest.mark.parametrize(
    ("heading", "field"),
    [("Predecessor IDs", "after"), ("Owner", "agent"), ("Est. duration (h)", "duration"), ("Machine no", "machine")],
)
def test_unusual_heading_is_read_with_a_note(heading: str, field: str, tmp_path: Path) -> None:
    usual = "" if field == "duration" else ",duration"
    text = table(f"task,{heading}{usual}", "a,1,1" if field == "duration" else "a,,1")
    assert f"t.csv: column {heading} is read as {field}" in notes(tmp_path, text.replace("a,1,1", "a,1"))


def test_summary_with_texts_is_ignored(tmp_path: Path) -> None:
    assert "t.csv: ignored columns: Summary" in notes(tmp_path, table("task,duration,Summary", "a,1,Cut the wood"))


def test_column_without_heading_is_noted(tmp_path: Path) -> None:
    text = table("task,duration,", "a,1,b", "b,2,a")
    assert "t.csv: a column without a heading is ignored" in notes(tmp_path, text)
    assert read(tmp_path, text).lags == ()


def test_step_numbers_and_operations_of_jobs_are_both_read(tmp_path: Path) -> None:
    shop = read(tmp_path, table("Job,Step,Operation,Machine,Duration", "J,2,paint,P,3", "J,1,mill,M,4", "K,1,mill,M,5"))
    assert [action.id for action in shop.actions] == ["J/paint", "J/mill", "K/mill"]
    assert [(lag.before, lag.after) for lag in shop.lags] == [("J/mill", "J/paint")]
    assert faults(tmp_path, table("job,step,operation,duration", "J,1,mill,3", "J,1,paint,3")) == [
        "t.csv, line 3: step: another row of the job has this number; a column after sets the order (got '1')"
    ]


def test_amounts_without_machines_are_noted(tmp_path: Path) -> None:
    assert "t.csv: ignored columns: qty" in notes(tmp_path, table("task,duration,qty", "a,1,50"))


def test_due_dates_are_noted_once_as_deadlines(tmp_path: Path) -> None:
    text = table("task,duration,machine,Due date", "a,1,m,9", "b,1,m,9")
    assert notes(tmp_path, text) == ["t.csv: Due date: taken as deadlines that must be met"]


# --- machines and agents --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        ("any of the mills", "is ambiguous; write any for all machines of the table, or the machines to choose from"),
        ("all", "is ambiguous; write any for all machines of the table"),
        ("M1 or 2 x M2", "a number of machines is written in a column amount"),
        ("M1 + M2", "several machines that are all needed are separated by ';'"),
        ("Drill and M2", "several machines that are all needed"),
        ("Drill Lathe", "several machines that are all needed"),
        ("TBD", "is no name; leave the cell empty for a task without machine"),
        ("2 x Mill", "a number of machines is written in a column amount"),
        ("Drill[2]", "is ambiguous; write Drill[200%] for units of Drill"),
        ("Sand[3 t]", "resources that are used up are not read from tables, see .docs/limits.md"),
    ],
)
def test_machine_cell_with_several_machines_is_refused(machine: str, message: str, tmp_path: Path) -> None:
    text = table("task,duration,machine", f"a,1,{machine}", "b,2,Drill", "c,3,Lathe")
    (fault,) = faults(tmp_path, text)
    assert fault.startswith(f"t.csv, line 2: machine: {message}")
    frame = pd.DataFrame({"task": ["a"], "duration": [1], "machine": [machine]})
    assert Model.from_frame(frame, names=["machine"]).build().resources[0].name == machine


def test_joint_name_of_a_machine_is_noted(tmp_path: Path) -> None:
    text = table("task,duration,machine", "a,1,Saw/Mill", "b,2,Saw/Mill")
    assert notes(tmp_path, text) == ["t.csv: each of these is one machine: Saw/Mill; ';' separates several"]
    assert solve(read(tmp_path, text)).makespan == 3


def test_agents_to_choose_from_are_read_and_several_at_once_refused(tmp_path: Path) -> None:
    lines = table("task,duration,worker", "a,5,{}", "b,5,Ann")
    assert solve(read(tmp_path, lines.format("Ann or Ben"))).makespan == 5
    messages = {
        "Ann/Ben": "is ambiguous",
        "Ann & Ben": "several agents for one task",
        "Ann[50%]": "a share of an agent",
    }
    for cell, message in messages.items():
        assert faults(tmp_path, lines.format(cell))[0].startswith(f"t.csv, line 2: worker: {message}")


@pytest.mark.parametrize("cell", ["any of Ann;Ben", "Unassigned", "both", "Ann Ben"])
def test_agent_cell_without_a_single_meaning_is_refused(cell: str, tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, table("task,duration,worker", f"a,5,{cell}", "b,5,Ann", "c,5,Ben"))
    assert fault.startswith("t.csv, line 2: worker: ")


def test_shares_of_a_machine_become_amounts(tmp_path: Path) -> None:
    text = table("task,duration,resource names", "a,5,Joiners[200%]", "b,3,Joiners", "c,4,Kim[50%]", "d,4,Kim[50%]")
    problem = read(tmp_path, text)
    assert [(resource.name, resource.capacity) for resource in problem.resources] == [("Joiners", 2), ("Kim", 2)]
    assert [action.modes[0].demands[0].amount for action in problem.actions] == [2, 1, 1, 1]
    note = "t.csv: capacity taken from the largest share in use: Joiners; a column capacity sets it"
    assert note in notes(tmp_path, text)


@pytest.mark.parametrize(
    ("cells", "message"), [(("2", "3"), "another row gives M the capacity 2"), (("0", ""), "1 or")]
)
def test_contradicting_capacities_are_refused(cells: tuple[str, str], message: str, tmp_path: Path) -> None:
    lines = table("task,duration,machine,capacity", f"a,1,M,{cells[0]}", f"b,1,M,{cells[1]}")
    assert message in faults(tmp_path, lines)[0]


# --- times ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "unit", "makespan"),
    [
        (("3 days", "16 d"), "day", 19),
        (("2h 30m", "1.5 h"), "minute", 240),
        (("1:30:00", "15 min"), "minute", 105),
        (("2 wks", "1 week"), "week", 3),
        (("1 day?", "0"), "day", 1),
        (("1 day", "2 hours"), "hour", 26),
    ],
)
def test_units_in_cells_set_the_tick(cells: tuple[str, str], unit: str, makespan: int, tmp_path: Path) -> None:
    text = table("task,duration,machine", f"a,{cells[0]},m", f"b,{cells[1]},m")
    problem = read(tmp_path, text)
    assert (problem.unit, solve(problem).makespan) == (unit, makespan)
    has_note = "t.csv: days are read as 24 hours" in notes(tmp_path, text)
    assert has_note == (unit == "hour")


@pytest.mark.parametrize(
    ("heading", "cell", "message"),
    [
        ("duration (h)", "1.5", "must be a whole number of hours; head the column duration (min) and write 90"),
        ("Hours", "0.75", "must be a whole number of hours; head the column duration (min) and write 45"),
        ("duration [min]", '"2,5"', "must be a whole number of minutes; head the column duration (s) and write 150"),
        ("duration", "1.5", "must be a whole number, if need be in a finer unit: head the column duration (min)"),
        ("duration", "1:30", "is ambiguous; write 1:30:00 for hours and minutes, 0:01:30 for minutes"),
        ("duration (min)", "1 week", "a week may have five or seven days; write days"),
        ("duration (d)", "1 wk", "a week may have five or seven days; write days"),
        ("duration (min)", "1 mon", "a month or a year has no fixed length; write days"),
        ("duration (min)", "-5 min", "must be a whole number, 0 or more"),
        ("duration (min)", "99999999999", "must be at most 1000000000 (got"),
    ],
)
def test_duration_that_is_not_whole_ticks_is_refused_with_advice(
    heading: str, cell: str, message: str, tmp_path: Path
) -> None:
    (fault,) = faults(tmp_path, table(f"task,{heading}", f"a,{cell}"))
    assert fault.startswith(f"t.csv, line 2: {heading}: {message}")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("Mon 02/03/26", "a date must begin with the year, as in 2026-03-02 or 2026-03-02 08:30"),
        ("3 March", "a date must begin with the year"),
        ("30.11.", "a date must begin with the year"),
        (
            "8:00 AM",
            "must be a length of time in minutes; a clock time needs the time of tick 0, which --start DATE sets",
        ),
        ("4:00", "is ambiguous; write 4:00:00 for hours and minutes, 0:04:00 for minutes"),
        ("1772438400", "must be at most 1000000000; count minutes from the first day, not from 1970"),
        ("99999999999999999999", "must be at most 1000000000; count minutes from the first day"),
    ],
)
def test_unclear_dates_and_clock_times_are_refused_once_a_column(cell: str, message: str, tmp_path: Path) -> None:
    lines = table("task,duration (min),Ready,Due date", f"a,1,{cell},{cell}", f"b,1,{cell},{cell}")
    first, second = faults(tmp_path, lines)
    assert first.startswith(f"t.csv, line 2: Ready: {message}")
    assert second.startswith(f"t.csv, line 2: Due date: {message}")


def test_zero_with_a_colon_is_zero_in_both_readings(tmp_path: Path) -> None:
    problem = read(tmp_path, table("task,duration (min),Ready", "a,3,0:00", "b,2,00:00"))
    assert [action.release for action in problem.actions] == [0, 0]


def test_column_with_the_unit_of_time_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, table("task,duration,unit", "a,1,h", "b,2,h")).unit == "hour"
    assert read(tmp_path, table("task,duration,unit", "a,1,pieces", "b,2,pieces")).unit == "tick"
    (fault,) = faults(tmp_path, table("task,duration,unit", "a,1,h", "b,20,min"))
    assert fault.startswith("t.csv: unit: must have the same unit of time in all rows")


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", sample(["csv", "parquet", "xlsx"]))
def test_tasks_below_thousands_of_blank_rows_are_read(ending: str, tmp_path: Path) -> None:
    pytest.importorskip({"parquet": "pyarrow", "xlsx": "openpyxl"}.get(ending, "pandas"))
    blank: list[Any] = [None] * 10_017
    frame = pd.DataFrame({"task": ["a", *blank, "b"], "duration": [3, *blank, 5], "machine": ["m", *blank, "m"]})
    path = tmp_path / f"t.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_excel(path, index=False)
    assert solve(load(path)).makespan == 8


def test_more_rows_than_an_instance_has_actions_are_refused(tmp_path: Path) -> None:
    rows = "".join(f"t{i},1\n" for i in range(10_001))
    assert faults(tmp_path, f"task,duration\n\n{rows}") == [
        "t.csv, line 10003: must have at most 10000 rows that are not blank"
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["task", "duration"], ["a", "=2*2"]], "t.xlsx, line 2: has a formula without a stored value"),
        ([["task", "duration"], ["a", "#REF!"]], "t.xlsx, line 2: is an error value of a formula"),
        ([["task", "duration"], ["a", 1, "x"]], "t.xlsx, line 2: has 3 cells, but the header has 2 columns"),
        ([["task", "duration", "task"], ["a", 1, "x"]], "t.xlsx: task: two columns have this name"),
        ([["task", "duration", "due"], ["a", 1, datetime(2026, 1, 1)]], "t.xlsx: duration: dates need a unit of time"),
    ],
)
def test_sheet_that_cannot_be_read_is_refused(rows: list[list[Any]], message: str, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.Workbook()
    for row in rows:
        workbook.active.append(row)
    workbook.save(tmp_path / "t.xlsx")
    (fault,) = faults(tmp_path, (tmp_path / "t.xlsx").read_bytes(), "t.xlsx")
    assert fault.startswith(message)


def test_sheet_may_begin_with_blank_rows_and_have_times(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.Workbook()
    for row in ([], ["Task", "Duration (min)", "Ready"], ["a", timedelta(minutes=5), time(0, 30)], [], ["b", 2.0]):
        workbook.active.append(row)
    workbook.create_sheet("more").append(["x"] * 3)
    workbook.active.append(["c", 1])
    workbook["more"].append(["y"])
    workbook.save(tmp_path / "t.xlsx")
    data = (tmp_path / "t.xlsx").read_bytes()
    assert solve(read(tmp_path, data, "t.xlsx")).makespan == 35
    assert "t.xlsx: only the first sheet is read, not more" in notes(tmp_path, data, "t.xlsx")


# --- options --------------------------------------------------------------------------------------


def test_options_ignore_columns_and_take_names_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table("task,duration,cleaning,machine", "a,3,5,M1/M2", "b,4,,M1/M2"))
    call = ["solve", str(path), "--columns", "makespan", "--ignore", "cleaning", "--names", "machine"]
    assert "7" in CliRunner().invoke(app, call).stdout
    unknown_column = CliRunner().invoke(app, [*call, "--ignore", "cost"])
    assert "cost: column is missing; the columns are task, duration, cleaning, machine" in unknown_column.stderr
    unknown_field = CliRunner().invoke(app, [*call, "--names", "duration"])
    assert "must be one of machine, agent, after" in str(unknown_field.exception)


def test_frame_ignores_columns_and_names_the_row_of_a_restriction() -> None:
    frame = pd.DataFrame({"task": ["a", "b"], "duration": [1, 2], "teardown": [0, 3]})
    assert len(Model.from_frame(frame, ignore=["teardown"]).build().actions) == 2
    with pytest.raises(InputError, match=r"^rows\[1\].teardown: is not the column of set-up times"):
        Model.from_frame(frame)
    with pytest.raises(InputError, match="names: must be one of machine, agent, after"):
        Model.from_frame(frame, names="machines")
