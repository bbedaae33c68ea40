"""Tables of tasks: dates, clock times, windows, off-times, pauses, and set-up times."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.runner import values_in_this_process
from support.samples import sample
from typer.testing import CliRunner

from planoracle import Model, solve
from planoracle.analysis.cli import app
from planoracle.instances.errors import InputError
from planoracle.instances.files.task_table import table_options
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.task_columns import TableOptions
from planoracle.instances.model.transitions import Transitions
from tests.support.tables import faults, notes, read, table

pytestmark = pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process, since a worker takes half a second."""
    monkeypatch.setattr("planoracle.instances.workers.file_reader.each_in_worker", values_in_this_process)


@contextmanager
def options(**values: Any) -> Iterator[None]:
    """Read tables with options."""
    token = table_options.set(TableOptions(**values))
    try:
        yield
    finally:
        table_options.reset(token)


# --- dates --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("release", "deadline", "ticks"),
    [
        ("2026-11-30 08:00", "2026-11-30 12:00", (480, 720)),
        ("2026-11-30", "2026-11-30", (0, 1440)),
        ("30.11.2026 8:00", "1.12.2026", (480, 2880)),
        ("30.11.2026, 8:00", "Tue 1.12.2026, 6:00", (480, 1800)),
        ("30 Nov 2026", "December 1, 2026", (0, 2880)),
        ("Mon 30 November 2026", "2026-12-01T06:30", (0, 1830)),
        ("2026-11-30 8:00", "18:00", (480, 1080)),
        ("2026/11/30 1:30 pm", "8 pm", (810, 1200)),
        ("30", "2026-11-30 12:00:00", (30, 720)),
    ],
)
def test_dates_and_clock_times_are_ticks_from_the_first_day(
    release: str, deadline: str, ticks: tuple[int, int], tmp_path: Path
) -> None:
    text = table("task;duration (min);release;deadline", f"a;5;{release};{deadline}")
    problem = read(tmp_path, text)
    assert (problem.actions[0].release, problem.actions[0].deadline) == ticks
    assert problem.start_time == datetime(2026, 11, 30)
    assert "t.csv: tick 0 is 2026-11-30 00:00, the first date; --start DATE sets another one" in notes(tmp_path, text)


def test_start_is_tick_0_and_makes_times_of_day_of_texts(tmp_path: Path) -> None:
    text = table("task,duration (min),release,deadline", "a,5,2026-11-29,2026-12-01 8:00", "b,5,10:00,12:30:00")
    with options(start="2026-11-30 08:00"):
        problem = read(tmp_path, text)
        assert [(action.release, action.deadline) for action in problem.actions] == [(0, 1440), (120, 270)]
        assert notes(tmp_path, text) == ["t.csv: no column agent or machine: tasks wait only for their predecessors"]
        for cell in ("2026-11-30 7:00", "2026-11-29"):
            (fault,) = faults(tmp_path, table("task,duration (min),deadline", f"a,5,{cell}"))
            assert fault == f"t.csv, line 2: deadline: is before the start at 2026-11-30 08:00:00 (got {cell!r})"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ("task,duration,release", "a,5,2026-11-30"),
            "duration: dates need a unit of time; head the column duration (min)",
        ),
        (
            ("task,duration (h),release", "a,5,2026-11-30 8:30"),
            "line 2: release: lies between two ticks of 3600 seconds",
        ),
        (("task,duration (h),release", "a,5,2026-02-30"), "line 2: release: is a date that does not exist"),
        (("task,duration (h),release", "a,5,2026-02-03 8:00+01:00"), "line 2: release: must be a date such as"),
        (("task,duration (h),release", "a,2026-02-03,5"), "line 2: duration (h): must be a length of time in hours"),
        (("task,duration (h),release", "a,5,13:00 pm"), "line 2: release: must be a length of time"),
        (("task,duration (h),release", "a,5,Mo 30.11.2026"), "line 2: release: must be a date such as 2026-03-02"),
        (
            ("task,duration (h),release", "a,5,Tue 2026-11-30"),
            "line 2: release: the day of the week contradicts the date, which is a Monday",
        ),
        (
            ("task,duration (h),release", "a,5,20261130"),
            "line 2: release: is ambiguous; write 2026-11-30 for a date, 20261130 hours for a number of ticks",
        ),
        (
            ("task,duration (h),fixed_start,release", "a,5,2026-02-03,2026-02-04"),
            "line 2: fixed_start: is too early: the task starts no earlier than 2026-02-04 00:00 (tick 24)",
        ),
    ],
)
def test_date_that_is_no_tick_is_refused(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert faults(tmp_path, table(*lines))[0].removeprefix("t.csv, ").removeprefix("t.csv: ").startswith(message)


def test_time_of_day_has_no_day_of_the_week(tmp_path: Path) -> None:
    with options(start="2026-11-30 08:00"):
        for field, cell in (("release", "Tue 9:00"), ("deadline", "Friday 4 pm")):
            (fault,) = faults(tmp_path, table(f"task,duration (min),{field}", f"a,5,{cell}"))
            assert fault.startswith(f"t.csv, line 2: {field}: must be a date such as 2026-03-02 or 2026-03-02 08:30")


def test_planned_dates_set_no_start(tmp_path: Path) -> None:
    problem = read(tmp_path, table("task,duration (d),Start,Finish,machine", "a,5,2026-03-02,2026-03-06,m"))
    assert problem.start_time is None


def test_frames_and_sheets_store_dates_at_midnight(tmp_path: Path) -> None:
    days = pd.to_datetime(["2026-11-30", "2026-12-01"])
    frame = pd.DataFrame({"task": ["a", "b"], "minutes": [5, 7], "ready": days, "due": days})
    problem = Model.from_frame(frame, "t").build()
    assert [(action.release, action.deadline) for action in problem.actions] == [(0, 1440), (1440, 2880)]
    timed = frame.assign(due=days + pd.Timedelta("6h"))
    assert [action.deadline for action in Model.from_frame(timed, "t").build().actions] == [360, 1800]
    frame.to_parquet(tmp_path / "t.parquet")
    assert read(tmp_path, (tmp_path / "t.parquet").read_bytes(), "t.parquet").actions == problem.actions
    pytest.importorskip("openpyxl")
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert read(tmp_path, (tmp_path / "t.xlsx").read_bytes(), "t.xlsx").actions == problem.actions


# --- windows and pauses -----------------------------------------------------------------------------


def test_windows_are_spans_in_which_a_task_fits(tmp_path: Path) -> None:
    lines = ("task,duration (min),time window,machine", "a,5,{},M", "b,4,,M")
    problem = read(tmp_path, table(*lines).format("2-8;20-30"))
    assert problem.actions[0].windows == ((2, 8), (20, 30))
    assert solve(problem).makespan == 11
    with options(start="2026-11-30 08:00"):
        dated = read(tmp_path, table(*lines).format("8:10-8:20|2026-12-01 8:00 - 12:00"))
        assert dated.actions[0].windows == ((10, 20), (1440, 1680))
        for cell, message in (
            ("22:00-6:00", "a window over midnight needs dates, as in 2026-03-02 22:00 - 2026-03-03 6:00"),
            ("9-12", "is ambiguous; write 9:00-12:00 for times of day, or dates"),
            ("Tue 9:00-12:00", "must be a date and no day of the week"),
        ):
            (fault,) = faults(tmp_path, table(*lines).format(cell))
            assert fault.startswith(f"t.csv, line 2: time window: {message}")
    (fault,) = faults(tmp_path, table(*lines).format("8:10-8:20"))
    assert fault.startswith("t.csv, line 2: time window: a clock time needs the time of tick 0; --start DATE sets it")
    (fault,) = faults(tmp_path, table(*lines).format("mornings"))
    assert fault.startswith("t.csv, line 2: time window: must be spans such as 8:00-12:00")


def test_pauses_say_when_a_task_may_stop(tmp_path: Path) -> None:
    lines = ("task,duration,machine,unavailable,pauses", "a,6,press,4-6,{}", "b,1,press,,never")
    makespans = {}
    for pauses in ("never", "breaks", "anywhere"):
        problem = read(tmp_path, table(*lines).format(pauses))
        makespans[pauses] = solve(problem).makespan
    assert makespans == {"never": 12, "breaks": 9, "anywhere": 9}
    (fault,) = faults(tmp_path, table(*lines).format("sometimes"))
    assert fault.startswith("t.csv, line 2: pauses: must be one of never, breaks, anywhere")
    (fault,) = faults(tmp_path, table("task,duration,pauses,interruptible", "a,6,breaks,yes"))
    assert fault.startswith("t.csv, line 2: pauses: contradicts the column interruptible")


def test_fixed_start_of_a_task_that_pauses_in_breaks_is_its_first_tick(tmp_path: Path) -> None:
    lines = ("task,duration,machine,unavailable,pauses,{}", "a,6,press,4-6,breaks,2", "b,1,press,,never,")
    assert solve(read(tmp_path, table(*lines).format("fixed_start"))).makespan == 10
    assert solve(read(tmp_path, table(*lines).format("latest_start"))).makespan == 9
    late = table(*lines).replace("breaks,2", "breaks,10").format("fixed_end")
    assert solve(read(tmp_path, late)).makespan == 10


# --- off-times ------------------------------------------------------------------------------------------


def test_column_of_off_times_concerns_the_machine_or_the_agent_of_its_row(tmp_path: Path) -> None:
    problem = read(tmp_path, table("task,duration,machine,unavailable", "a,3,M,0-2;1-4", "b,3,N,9-12", "c,2,N,no"))
    assert problem.calendars == (Calendar(("M",), ((0, 4),)), Calendar(("N",), ((9, 12),)))
    problem = read(tmp_path, table("task,duration,agent,breaks", "a,3,Ann,0-2"))
    assert problem.calendars == (Calendar(("Ann",), ((0, 2),)),)
    problem = read(
        tmp_path, table("task,duration,agent,machine,machine unavailable,worker breaks", "a,3,Ann,M,0-2,5-6")
    )
    assert problem.calendars == (Calendar(("M",), ((0, 2),)), Calendar(("Ann",), ((5, 6),)))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("task,duration,unavailable", "a,3,0-2"), "line 2: unavailable: concerns no machine and no agent"),
        (("task,duration,machine,agent,unavailable", "a,3,M,Ann,0-2"), "line 2: unavailable: could concern M or Ann"),
        (("task,duration,machine,unavailable", "a,3,M/N2,0-2", "b,1,M,"), "line 2: unavailable: could concern M or N2"),
        (
            ("task,duration,machine,unavailable", "a,3,M,5-2"),
            "line 2: unavailable: an off-time must end after its begin",
        ),
        (
            ("task,duration,machine,unavailable", "a,3,M,12:00-12:30"),
            "line 2: unavailable: a clock time needs the time",
        ),
        (("task,duration,machine,unavailable", "a,3,M,lunch"), "line 2: unavailable: must be spans such as"),
    ],
)
def test_off_time_without_a_meaning_is_refused(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert faults(tmp_path, table(*lines))[0].removeprefix("t.csv, ").startswith(message)


TASKS = table("task,duration (min),machine,agent", "a,30,M,Ann", "b,30,N,Ben")


@pytest.mark.parametrize(
    ("lines", "calendars"),
    [
        (
            ("machine,begin,end", "M,50,60", "N,50,60", "M,70,80"),
            [(("M",), ((50, 60), (70, 80)), None), (("N",), ((50, 60),), None)],
        ),
        (("name,off", "Ann;M,12:00-12:30"), [(("Ann", "M"), ((240, 270),), 1440)]),
        (("who,from,to", "all,16:00,8:00"), [(("M", "N", "Ann", "Ben"), ((480, 1440),), 1440)]),
        (("name,off", "M,2026-12-01"), [(("M",), ((960, 2400),), None)]),
        (("name,from,to", "M,2026-12-01 8:00,2026-12-02"), [(("M",), ((1440, 2400),), None)]),
        (("name,off,reason", "M,2026-12-01 8:00 - 16:00,repair"), [(("M",), ((1440, 1920),), None)]),
        (("name,days", "M,Sat-Sun"), [(("M",), ((6720, 8160), (8160, 9600)), 10080)]),
        (("name,days,off", "M,Tue,8:00-16:00"), [(("M",), ((1440, 1920),), 10080)]),
        (("name,off,every", "M,20-30,60"), [(("M",), ((20, 30),), 60)]),
        (("name,off,every", "M,2026-11-30 10:00 - 12:00,week"), [(("M",), ((120, 240),), 10080)]),
    ],
)
def test_table_of_off_times_is_read(lines: tuple[str, ...], calendars: list[Any], tmp_path: Path) -> None:
    (tmp_path / "off.csv").write_text(table(*lines))
    with options(calendar=str(tmp_path / "off.csv"), start="2026-11-30 08:00"):
        problem = read(tmp_path, TASKS)
    assert problem.calendars == tuple(Calendar(*calendar) for calendar in calendars)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("name,off", "Max,10-20"), "off.csv, line 2: name: 'Max' is neither a machine nor an agent of the table"),
        (("name,off", ",10-20"), "off.csv, line 2: name: must name a machine or an agent, or be all"),
        (("name,begin", "M,10"), "off.csv, line 2: begin: has no end; an off-time needs a begin and an end"),
        (("name,begin,end", "M,60,50"), "off.csv, line 2: end: an off-time must end after its begin (got '50')"),
        (("name,begin,end", "M,12,13"), "off.csv, line 2: begin: is ambiguous; write 12:00-13:00 for times of day"),
        (("name,off", "M,12-13"), "off.csv, line 2: off: is ambiguous; write 12:00-13:00 for times of day, or dates"),
        (("name,begin,end", "M,Tue 8:00,Tue 16:00"), "off.csv, line 2: begin: must be a date such as 2026-03-02"),
        (("name,off", "M,Tue 8:00-16:00"), "off.csv, line 2: off: must be a date and no day of the week; a table of"),
        (("name,off", "M,Tuesday"), "off.csv, line 2: off: must be a date and no day of the week; a table of"),
        (("name,off,begin,end", "M,1-2,3,4"), "off.csv, line 2: off: contradicts begin and end"),
        (("name,off,every", "M,21-29,5"), "off.csv, line 2: off: an off-time must be shorter than its period"),
        (("name,off,every", "M,21-29,moon"), "off.csv, line 2: every: must be day, week, or a number of ticks"),
        (("name,days", "M,someday"), "off.csv, line 2: days: must be days such as Sat, Sun or Mon-Fri"),
        (("name,days,off", "M,Tue,20-30"), "off.csv, line 2: off: must be clock times beside days of the week"),
        (("name,off,colour", "M,1-2,red"), "off.csv: colour: is not a column of a table of off-times; accepted are"),
        (("off,note", "1-2,x"), "off.csv: member: column is missing"),
        (("name,note", "M,x"), "off.csv: begin: column is missing; accepted are begin and end, off, or days"),
        (("name,machine,off", "M,M,1-2"), "off.csv: member: columns name and machine have this meaning"),
        (("name,off",), "off.csv: contains no rows"),
    ],
)
def test_faulty_table_of_off_times_is_refused_by_its_file(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "off.csv").write_text(table(*lines))
    with options(calendar=str(tmp_path / "off.csv"), start="2026-11-30 08:00"):
        assert faults(tmp_path, TASKS)[0].startswith(message)


def test_workers_have_off_times_together(tmp_path: Path) -> None:
    (tmp_path / "off.csv").write_text(table("name,off", "workers,2-5"))
    with options(calendar=str(tmp_path / "off.csv"), workers=2):
        problem = read(tmp_path, table("task,duration,workers", "a,3,2"))
    assert problem.calendars == (Calendar(("workers",), ((2, 5),)),)
    assert solve(problem).makespan == 8


def test_lags_beside_off_times_are_noted_once(tmp_path: Path) -> None:
    text = table(
        "id,task,duration,machine,unavailable,predecessors", "1,a,3,M,4-6,", "2,b,3,M,,1FS+2", "3,c,1,M,,1SS+1"
    )
    note = "t.csv: lags are elapsed time, which also passes while machines and agents are off"
    assert notes(tmp_path, text).count(note) == 1


# --- set-up times ---------------------------------------------------------------------------------------


def test_set_up_precedes_each_operation_also_the_first(tmp_path: Path) -> None:
    problem = read(tmp_path, table("task,duration,machine,setup", "a,3,M,2", "b,4,M,2", "c,1,M,5", "d,2,N,"))
    assert [transitions.members for transitions in problem.transitions] == [("M",)]
    assert solve(problem).makespan == 3 + 4 + 1 + 2 + 2 + 5


def test_row_without_a_family_needs_its_set_up_each_time(tmp_path: Path) -> None:
    problem = read(tmp_path, table("task,duration,machine,setup,family", "a,3,M,2,set-up 1", "b,4,M,1,", "c,4,M,1,"))
    assert solve(problem).makespan == 15  # set-ups of 2, 1 and 1 ticks


def test_set_up_of_a_family_follows_another_family(tmp_path: Path) -> None:
    problem = read(tmp_path, table("task,duration,machine,setup,family", "a,3,M,2,red", "b,4,M,2,red", "c,1,M,5,blue"))
    assert problem.transitions == (
        Transitions(
            ("M",),
            (("start", "red", 2), ("start", "blue", 5), ("red", "blue", 5), ("blue", "red", 2)),
            (("M", "start"),),
        ),
    )
    assert solve(problem).makespan == 3 + 4 + 1 + 2 + 5


@pytest.mark.parametrize(
    "lines",
    [
        ("from,to,time", "start,red,1", "start,blue,2", "red,blue,3", "blue,red,9"),
        ("colour,red,blue", "start,1,2", "red,,3", "blue,9,"),
    ],
    ids=["list", "matrix"],
)
def test_set_up_times_between_families_are_read(lines: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text(table(*lines))
    text = table("task,duration,machine,colour", "a,3,M,red", "b,4,M,red", "c,1,M,blue")
    with options(setups=str(tmp_path / "times.csv"), columns={"family": "colour"}):
        problem = read(tmp_path, text)
    assert solve(problem).makespan == 3 + 4 + 1 + 1 + 3


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("task,duration,setup", "a,3,2"), "line 2: setup: a set-up concerns a machine, and the row has none"),
        (("task,duration,machine,setup", "a,3,M;N,2"), "line 2: setup: is ambiguous for a row with several machines"),
        (
            ("task,duration,machine,setup,family", "a,3,M,2,red", "b,3,M,4,red"),
            "line 3: setup: must equal that of the other rows of the family 'red': 2 in line 2",
        ),
        (
            ("task,duration,machine,setup,capacity", "a,3,M,2,2"),
            "line 2: machine: set-up times need a machine of capacity 1 that a task uses alone, see .docs/limits.md",
        ),
        (("task,duration,machine,setup", "a,3,M[50%],2"), "line 2: machine: set-up times need a machine of capacity 1"),
        (("task,duration,machine,setup", "a,3,M,some"), "line 2: setup: must be a whole number"),
        (("task,duration,machine,setup", "a,0,M,2", "b,1,M,2"), "line 2: machine: M has transitions, so a mode of"),
        (
            ("task,duration,machine,setup,pauses", "a,3,M,2,anywhere"),
            "line 2: setup: an action that may pause anywhere",
        ),
    ],
)
def test_set_up_without_a_meaning_is_refused(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert faults(tmp_path, table(*lines))[0].removeprefix("t.csv, ").startswith(message)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("from,to,time", "red,blue,3"), "times.csv: time: has no set-up time from blue to red on M; write 0 if there"),
        (("from,to,time", "red,blue,3", "red,blue,4"), "times.csv, line 3: time: another row has this pair"),
        (("x,red,blue", "red,0,3", "red,0,4"), "times.csv, line 3: blue: another row has this pair"),
        (("from,to,time,machine", "red,blue,3,K"), "times.csv, line 2: machine: is not a machine of the table"),
        (("from,to,time", "red,blue,x"), "times.csv, line 2: time: must be a whole number"),
        (("from,to,time (h)", "red,blue,3"), "times.csv: time (h): must have the unit of time of the tasks"),
        (("from,to", "red,blue"), "times.csv: time: column is missing"),
    ],
)
def test_faulty_table_of_set_up_times_is_refused_by_its_file(
    lines: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    (tmp_path / "times.csv").write_text(table(*lines))
    text = table("task,duration (min),machine,family", "a,3,M,red", "c,1,M,blue")
    with options(setups=str(tmp_path / "times.csv")):
        assert faults(tmp_path, text)[0].startswith(message)


def test_set_up_times_need_families(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text(table("from,to,time", "red,blue,3", "blue,red,3"))
    with options(setups=str(tmp_path / "times.csv")):
        assert faults(tmp_path, table("task,duration,machine", "a,3,M"))[0].startswith(
            "t.csv: family: column is missing"
        )
        (fault,) = faults(tmp_path, table("task,duration,machine,family", "a,3,M,red", "b,3,M,"))
        assert fault.startswith("t.csv, line 3: family: is missing; every task on M needs one")
        (fault,) = faults(tmp_path, table("task,duration,machine,family,setup", "a,3,M,red,2"))
        assert fault.startswith("t.csv: setup: contradicts the table of set-up times between families")


def test_families_without_set_up_times_are_noted(tmp_path: Path) -> None:
    text = table("task,duration,machine,family", "a,3,M,red")
    assert notes(tmp_path, text) == ["t.csv: column family has no effect without set-up times"]


# --- a workshop -----------------------------------------------------------------------------------------


def workshop(jobs: int = 20) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the jobs of a workshop for a week, three operations each, and its off-times."""
    random_source = random.Random(11)
    monday = datetime(2026, 11, 30, 8)
    rows = []
    for number in range(1, jobs + 1):
        colour = random_source.choice(["red", "blue", "white"])
        due = monday + timedelta(days=random_source.choice([2, 3, 4]), hours=8)
        is_optional = "yes" if number in (7, 13) else "no"
        weight = random_source.choice([1, 2, 3])
        for step, (operation, machine) in enumerate(
            (("mill", random_source.choice(["CNC1/CNC2", "CNC1", "any mill"])), ("paint", "Paint"), ("assemble", "")), 1
        ):
            rows.append(
                {
                    "Job": f"J{number:02}",
                    "Step": step,
                    "Operation": operation,
                    "Machine": machine.replace("any mill", "CNC2"),
                    "Worker": random_source.choice(["Ann", "Ben or Cem", "any"]),
                    "Duration (min)": random_source.choice([20, 30, 45]),
                    "Release": f"{monday + timedelta(hours=random_source.choice([0, 2, 4])):%Y-%m-%d %H:%M}",
                    "Due date": f"{due:%Y-%m-%d %H:%M}",
                    "Colour": colour if operation == "paint" else "",
                    "Setup (min)": {"red": 15, "blue": 10, "white": 5}[colour] if operation == "paint" else 0,
                    "Optional": is_optional,
                    "Value": weight,
                }
            )
    off = [
        {"name": "all", "off": "12:00-12:30", "days": ""},
        {"name": "all", "off": "16:00-8:00", "days": ""},
        {"name": "CNC1", "off": "2026-12-01 08:00 - 16:00", "days": ""},
        {"name": "Ben", "off": "", "days": "Fri"},
    ]
    return pd.DataFrame(rows), pd.DataFrame(off)


@pytest.mark.parametrize(("count", "seconds"), sample([(3, "20"), (10, "20"), (20, "15")], several=True))
def test_week_of_a_workshop_is_solved_by_a_single_command(count: int, seconds: str, tmp_path: Path) -> None:
    jobs, off = workshop(count)
    jobs.to_csv(tmp_path / "jobs.csv", index=False)
    off.to_csv(tmp_path / "off.csv", index=False)
    call = ["solve", str(tmp_path / "jobs.csv"), "--start", "2026-11-30 08:00"]
    call += ["--calendar", str(tmp_path / "off.csv"), "--time-limit", seconds, "--columns", "status,makespan"]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0, result.output
    assert "optimal" in result.stdout or "feasible" in result.stdout
    with options(columns={"family": "Colour"}, start="2026-11-30 08:00", calendar=str(tmp_path / "off.csv")):
        problem = read(tmp_path, (tmp_path / "jobs.csv").read_text(), "jobs.csv")
    assert len(problem.actions) == 3 * count
    assert [job for job, _ in problem.optional] == ["J07", "J13"][: count // 10]
    assert problem.transitions[0].members == ("Paint",)
    assert {calendar.period for calendar in problem.calendars} == {None, 1440, 10080}


def test_sheets_of_a_workbook_give_the_same_problem_as_files(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    jobs, off = workshop(3)
    with pd.ExcelWriter(tmp_path / "jobs.xlsx") as writer:
        jobs.to_excel(writer, sheet_name="jobs", index=False)
        off.to_excel(writer, sheet_name="Off-times", index=False)
    off.to_csv(tmp_path / "off.csv", index=False)
    csv = jobs.to_csv(index=False)
    with options(columns={"family": "Colour"}, start="2026-11-30 08:00"):
        from_sheets = read(tmp_path, (tmp_path / "jobs.xlsx").read_bytes(), "jobs.xlsx")
    with options(columns={"family": "Colour"}, start="2026-11-30 08:00", calendar=str(tmp_path / "off.csv")):
        from_files = read(tmp_path, csv, "jobs.csv")
        with pytest.raises(InputError, match="--calendar: contradicts the sheet Off-times"):
            read(tmp_path, (tmp_path / "jobs.xlsx").read_bytes(), "jobs.xlsx")
    assert from_sheets == from_files
    frame = Model.from_frame(
        jobs, "jobs", columns={"family": "Colour"}, start_time="2026-11-30 08:00", calendar=off
    ).build()
    assert frame.calendars == from_files.calendars


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--start", "8:00"),
        ("--start", "soon"),
        ("--start", "30.11."),
        ("--workers", "0"),
        ("--calendar", "none.csv"),
        ("--setups", "none.csv"),
    ],
)
def test_invalid_option_is_a_usage_error_that_names_it(option: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table("task,duration", "a,1"))
    result = CliRunner().invoke(app, ["solve", str(path), option, value])
    assert result.exit_code == 2
    assert option in result.stderr


@pytest.mark.parametrize("start", ["2026-11-30 8:00", "30.11.2026 8:00", "Mon 30 Nov 2026, 8 am"])
def test_start_is_written_as_dates_of_tables_are(start: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(table("task,duration (min)", "a,1"))
    result = CliRunner().invoke(app, ["instances", str(tmp_path / "t.csv"), "--export", "--start", start])
    assert '"start_time": "2026-11-30T08:00:00"' in result.stdout


def test_colours_are_families_of_set_ups(tmp_path: Path) -> None:
    text = table("task,duration,machine,setup,Colour", "a,3,M,2,red", "b,3,M,2,red", "c,3,M,5,blue")
    assert read(tmp_path, text).actions[2].modes[0].demands[0].family == "blue"
    assert "t.csv: column Colour is read as family" in notes(tmp_path, text)
    assert solve(read(tmp_path, text)).makespan == 16


def test_results_beside_pieces_name_the_jobs_that_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(table("job,duration,machine,due,optional", "a,3,M,3,no", "b,2,M,3,yes"))
    result = CliRunner().invoke(app, ["solve", str(tmp_path / "t.csv"), "--schedule", "--format", "csv"])
    assert result.stdout.count("\n") == 2
    columns, _, row = result.stderr.splitlines()[1:4]
    assert "left out" in columns
    assert " b " in row
    assert "{" not in row


def test_schedule_omits_names_of_modes_that_are_those_of_their_machines(tmp_path: Path) -> None:
    lines = ("task,duration,machine,alternatives", "a,3,M1 or M2,", "b,3,M1,M3")
    (tmp_path / "t.csv").write_text(table(*lines))
    result = CliRunner().invoke(app, ["solve", str(tmp_path / "t.csv"), "--schedule"])
    assert "M1" in result.stdout
    assert "mode name" not in result.stdout
    every_column = CliRunner().invoke(app, ["solve", str(tmp_path / "t.csv"), "--schedule", "--all-columns"])
    assert "mode name" in every_column.stdout


def test_more_set_up_times_than_pairs_can_be_listed_are_refused(tmp_path: Path) -> None:
    rows = [f"t{number},1,M,{number}" for number in range(1, 302)]
    (fault,) = faults(tmp_path, table("task,duration,machine,setup", *rows))
    assert fault == "t.csv: setup: must have at most 300 different ones on a machine, not 301 as M"


def test_dates_in_reasons_set_no_start(tmp_path: Path) -> None:
    (tmp_path / "off.csv").write_text(table("machine,off,reason", "M,2026-12-01,2020-01-01"))
    with options(calendar=str(tmp_path / "off.csv")):
        assert read(tmp_path, TASKS).start_time == datetime(2026, 12, 1)


def test_faults_of_frames_name_the_frame_and_the_row() -> None:
    frame = pd.DataFrame({"task": ["a", "b"], "minutes": [5, 7], "machine": "M", "family": ["x", "y"]})
    off = pd.DataFrame({"machine": ["M", "N"], "begin": [1, 2], "end": [3, 4]})
    with pytest.raises(InputError, match=r"^calendar\[1\].machine: 'N' is neither a machine nor an agent"):
        Model.from_frame(frame, calendar=off)
    times = pd.DataFrame({"before": ["x"], "after": ["y"], "time": ["soon"]})
    with pytest.raises(InputError, match=r"^setups\[0\].time: must be a whole number"):
        Model.from_frame(frame, setups=times)


def test_exported_table_keeps_calendar_and_start(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TASKS)
    (tmp_path / "off.csv").write_text(table("machine,begin,end", "M,8:30,9:00"))
    call = [
        "instances",
        str(tmp_path / "t.csv"),
        "--start",
        "2026-11-30 08:00",
        "--calendar",
        str(tmp_path / "off.csv"),
    ]
    result = CliRunner().invoke(app, [*call, "--export"])
    assert result.exit_code == 0, result.output
    line = next(line for line in result.stdout.splitlines() if line.startswith("{"))
    problem = read(tmp_path, line, "t.json")
    assert problem.calendars == (Calendar(("M",), ((30, 60),), 1440),)
    assert problem.start_time == datetime(2026, 11, 30, 8)
