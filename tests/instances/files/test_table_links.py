"""Tables of tasks: links with types and lags, successors, fixed times, and outlines with summary rows."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from ortools.sat.python import cp_model

from planoracle import solve
from planoracle.instances.model.instance import Lag
from tests.support.table_models import best_makespan, draw_links
from tests.support.tables import faults, notes, read, table

pytestmark = pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")


@pytest.mark.parametrize(
    ("link", "minimum"),
    [
        ("1", 0),
        ("1FS", 0),
        ("1fs+2", 2),
        ("1 FS - 2 min", -2),
        ("1SS", -5),
        ("1: SS 2", -3),
        ("1FF+1", -2),
        ("1SF-1", -9),
        ("dig SS+1", -4),
    ],
)
def test_link_with_type_and_lag_is_a_minimum_lag(link: str, minimum: int, tmp_path: Path) -> None:
    problem = read(tmp_path, table("id,task,duration (min),predecessors", "1,dig,5,", f"2,pour,3,{link}"))
    assert problem.lags == (Lag("t/dig", "t/pour", minimum),)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("1FS+50%", "a lag in percent of a duration is not supported"),
        ("1FS+2 edays", "elapsed time is not supported"),
        ("7FS+2", "'7FS+2' is not a task of the table; a type and a lag follow the task, as in 3FS+2, 3SS"),
        ("1+2", "'1+2' is not a task of the table; a type and a lag follow"),
        ("1FS+1.5", "must be a whole number of minutes; head the column duration (s)"),
        ("passes", "'passes' is not a task of the table (got"),
        ("soak SS", "links of type SS are not supported between tasks that may be interrupted"),
    ],
)
def test_link_that_the_model_cannot_express_is_refused(link: str, message: str, tmp_path: Path) -> None:
    lines = table("id,task,duration (min),predecessors,interruptible", "1,pa,5,,", "2,soak,9,,yes", f"3,x,3,{link},")
    (fault,) = faults(tmp_path, lines)
    assert fault.startswith(f"t.csv, line 4: predecessors: {message}")


def test_links_between_the_same_tasks_are_joined(tmp_path: Path) -> None:
    text = table("id,task,duration,predecessors", "1,a,5,", "2,b,3,1SS+1;1FF+4;1FS-3")
    assert read(tmp_path, text).lags == (Lag("t/a", "t/b", 1),)


def test_successors_reverse_predecessors(tmp_path: Path) -> None:
    problem = read(tmp_path, table("task,duration,successors", "a,3,b;c", "b,2,d", "c,4,dSS+1", "d,1,"))
    assert solve(problem).makespan == 7
    (fault,) = faults(tmp_path, table("task,duration,successors,lag", "a,3,b,2", "b,2,,"))
    assert fault.startswith("t.csv, line 2: lag: is ambiguous in a table with successors; write predecessors")


def test_lag_column_concerns_plain_predecessors_only(tmp_path: Path) -> None:
    lines = "id,task,duration,predecessors,lag"
    assert read(tmp_path, table(lines, "1,a,5,,", "2,b,3,1,2")).lags == (Lag("t/a", "t/b", 2),)
    for link in ("1SS", "1FS+2"):
        (fault,) = faults(tmp_path, table(lines, "1,a,5,,", f"2,b,3,{link},2"))
        assert fault.startswith("t.csv, line 3: lag: concerns plain predecessors; write lags of links as in 3SS+2")


def test_lag_without_a_unit_beside_several_units_is_refused(tmp_path: Path) -> None:
    lines = "id,task,duration,predecessors"
    assert solve(read(tmp_path, table(lines, "1,a,5 d,", "2,b,3 d,1FS+2"))).makespan == 10
    (fault,) = faults(tmp_path, table(lines, "1,a,5 h,", "2,b,30 min,1FS+2"))
    assert "a lag needs a unit of time, as the durations have several" in fault


def test_fixed_and_latest_starts_are_met(tmp_path: Path) -> None:
    text = table("task,duration,{},machine", "a,5,6,M", "b,3,,M")
    assert solve(read(tmp_path, text.format("fixed_start"))).makespan == 11
    assert solve(read(tmp_path, text.format("Fixed end"))).makespan == 9
    assert solve(read(tmp_path, text.format("latest start"))).makespan == 8
    note = "t.csv: tasks at a fixed time (1) count into the makespan: t/a"
    assert note in notes(tmp_path, text.format("must_start_on"))


@pytest.mark.parametrize(
    ("columns", "cells", "message"),
    [
        ("fixed_start,release", "5,6", "fixed_start: is too early: the task starts no earlier than 6 (got '5')"),
        ("fixed_end,release", "5,4", "fixed_end: is too early: the task starts no earlier than 4 (got '5')"),
        ("fixed_start,fixed_end", "5,8", "fixed_start: contradicts another column for the start of the task (got '5')"),
        ("fixed_start,deadline", "5,6", "deadline: is earlier than the earliest end of the task, 7 (got '6')"),
        (
            "latest_start,interruptible",
            "5,yes",
            "latest_start: is not supported for tasks that may be interrupted (got '5')",
        ),
    ],
)
def test_contradicting_times_are_refused(columns: str, cells: str, message: str, tmp_path: Path) -> None:
    assert faults(tmp_path, table(f"task,duration,{columns}", f"a,2,{cells}")) == [f"t.csv, line 2: {message}"]


# --- outlines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        table("WBS,name,duration,pred", "1,House,9,", "1.1,dig,2,", "1.2,pour,3,1.1", "2,roof,4,1"),
        table("outline number,name,duration,pred", "1,House,,", "1.1,dig,2,", "1.2,pour,3,1.1", "2,roof,4,1"),
        table("id,name,duration,pred", "1,House,,", "1.1,dig,2,", "1.2,pour,3,1.1", "2,roof,4,1"),
        table("indent,name,duration,pred", "0,House,0,", "1,dig,2,", "1,pour,3,dig", "0,roof,4,House"),
        table("outline level,name,duration,pred", "1,House,5 d,", "2,dig,2 d,", "2,pour,3 d,dig", "1,roof,4 d,House"),
        table("name,duration,pred", "House,,", "  dig,2,", "  pour,3,dig", "roof,4,House"),
        table("name,duration,pred,parent", "House,,,", "dig,2,,House", "pour,3,dig,House", "roof,4,House,"),
        table("summary,name,duration,pred", "yes,House,5,", "no,dig,2,", "no,pour,3,dig", "no,roof,4,pour"),
    ],
    ids=["wbs", "outline", "ids", "indent", "level", "blanks", "parent", "summary"],
)
def test_summary_row_stands_for_the_tasks_below_it(text: str, tmp_path: Path) -> None:
    problem = read(tmp_path, text)
    assert [action.id for action in problem.actions] == ["t/dig", "t/pour", "t/roof"]
    assert solve(problem).makespan == 9
    assert "t.csv: summary rows are not tasks (1): House" in notes(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "makespan"),
    [
        (table("task,duration,machine", "a,3,M", "b,4,M", "Total,7,"), 7),
        (table("job,operation,duration", "J,a,3", "J,b,4", "Total:,,7"), 7),
        (table("task,duration", "a,3", "Total,4", "b,5"), 5),
        (table("task,duration,machine", "a,3,M", "Total,4,M"), 7),
    ],
    ids=["task", "job", "not last", "on a machine"],
)
def test_last_row_with_the_total_is_no_task(text: str, makespan: int, tmp_path: Path) -> None:
    assert solve(read(tmp_path, text)).makespan == makespan


def test_links_and_times_of_a_summary_row_hold_for_its_tasks(tmp_path: Path) -> None:
    lines = "id,outline level,name,duration,pred,release"
    text = table(lines, "1,1,A,,,2", "2,2,a,3,,", "3,1,B,,1FS+1,", "4,2,b,1,,", "5,2,c,2,,")
    assert solve(read(tmp_path, text)).makespan == 8


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("1,1,A,1,,", "2,2,a,3,,"), "line 2: duration: is shorter than a task below it in the outline (3)"),
        (("1,1,A,,,M", "2,2,a,3,,"), "line 2: machine: a row with tasks below it in the outline cannot have this"),
        (("1,1,A,,,", "2,2,a,3,,", "3,2,b,3,,", "4,1,c,1,1SS,"), "line 5: pred: a link of type SS joins two tasks"),
    ],
)
def test_summary_row_that_is_not_one_is_refused(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    text = table("id,outline level,name,duration,pred,machine", *lines)
    assert faults(tmp_path, text)[0].startswith(f"t.csv, {message}")


def test_summary_row_without_an_outline_cannot_be_a_predecessor(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, table("summary,name,duration,pred", "yes,House,,", "no,dig,2,", "no,roof,4,House"))
    assert "no tasks are below the summary row t/House" in fault


def test_activities_that_share_a_work_package_are_tasks(tmp_path: Path) -> None:
    text = table("id,wbs,name,duration,machine", "1,P.1,a,5,M", "2,P.1,b,2,M", "3,P.1.2,c,3,M")
    assert solve(read(tmp_path, text)).makespan == 10


# --- optima ---------------------------------------------------------------------------------------


def test_optima_agree_with_a_plain_model(tmp_path: Path) -> None:
    random_source = random.Random(58)
    solved = 0
    for _ in range(25):
        text, makespan = _random_table(random_source)
        result = solve(read(tmp_path, text))
        assert result.status == ("infeasible" if makespan is None else "optimal"), text
        assert result.makespan == makespan, text
        solved += makespan is not None
    assert solved > 10


def _random_table(random_source: random.Random) -> tuple[str, int | None]:
    """Return a table of five tasks, and its makespan by a model with starts and ends."""
    model = cp_model.CpModel()
    durations = [random_source.randint(0, 5) for _ in range(5)]
    starts = [model.new_int_var(0, 60, "") for _ in durations]
    ends = [start + duration for start, duration in zip(starts, durations, strict=True)]
    intervals: dict[str, list[cp_model.IntervalVar]] = {"A": [], "B": []}
    lines = ["id,name,duration,machine,predecessors,release,fixed_start,latest_start"]
    for i, duration in enumerate(durations):
        links = draw_links(random_source, 0.4, model, starts[: i + 1], ends)
        machine = random_source.choice(["", "A", "B"])
        if machine and duration:  # uses of no length take no room
            intervals[machine].append(model.new_fixed_size_interval_var(starts[i], duration, ""))
        bounds = [random_source.choice(["", "", "", "", str(random_source.randint(2, 12))]) for _ in range(3)]
        release, fixed, latest = bounds if fixed_after_release(bounds) else ["", "", ""]
        if release:
            model.add(starts[i] >= int(release))
        if fixed:
            model.add(starts[i] == int(fixed))
        if latest:
            model.add(starts[i] <= int(latest))
        lines.append(f"{i},t{i},{duration},{machine},{';'.join(links)},{release},{fixed},{latest}")
    return table(*lines), best_makespan(model, ends, intervals.values())


def fixed_after_release(bounds: list[str]) -> bool:
    """Return whether the times of a row agree; the reader refuses others."""
    release, fixed, latest = (int(bound) if bound else None for bound in bounds)
    start = max(release or 0, fixed or 0)
    return all(bound is None or bound >= start for bound in (fixed, latest))


# --- exports of project tools ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "makespan", "unit"),
    [
        (
            table(
                "ID,Name,Duration,Start,Finish,Predecessors,Resource Names",
                "1,Survey plot,3 days,Mon 02/03/26,Wed 04/03/26,,Ines",
                "2,Order steel,1 day,Thu 05/03/26,Thu 05/03/26,1,Omar",
                "3,Dig footing,4 days,Thu 05/03/26,Tue 10/03/26,1,Crew A",
                "4,Pour footing,1 day,Wed 11/03/26,Wed 11/03/26,3,Crew A",
                '5,Erect frame,5 days,Mon 16/03/26,Fri 20/03/26,"2FS+6 days,4FS+2 days",Crew A',
                "6,Roof,4 days,Wed 18/03/26,Mon 23/03/26,5SS+2 days,Crew B",
                '7,Handover,0 days,Mon 23/03/26,Mon 23/03/26,"5,6",',
            ),
            16,
            "day",
        ),
        (
            table(
                "Activity ID,Activity Name,Original Duration,Start,Finish,Predecessors,Resource Names,Budgeted Units",
                "B200,Shuttering,5,2026-03-02,2026-03-06,,Carpenters[200%],80",
                "B210,Bars,3,2026-03-09,2026-03-11,B200,Fixers; Helpers,48",
                "B220,Concrete,1,2026-03-12,2026-03-12,B210,Helpers,",
                "B230,Strip,2,2026-03-17,2026-03-18,B220SS+3,Carpenters,",
            ),
            13,
            "tick",
        ),
        (
            table(
                "ID,Outline Level,Name,Duration (days),Predecessors,Resource Names,Milestone",
                "1,1,Shed,,,,No",
                "2,2,Plan,,,,No",
                "3,3,Kick-off,1d,,Lea,No",
                "4,3,Drawings,5d,3,Lea,No",
                "5,3,Permit,1d,4,Council,Yes",
                "6,2,Build,,,,No",
                "7,3,Base,8d,5,Max,No",
                "8,3,Walls,2d,7,Max,No",
                "9,3,Done,0d,8,,Yes",
            ),
            17,
            "day",
        ),
    ],
    ids=["lags", "shares", "outline"],
)
def test_export_of_a_project_tool_is_read(text: str, makespan: int, unit: str, tmp_path: Path) -> None:
    problem = read(tmp_path, text)
    result = solve(problem)
    assert (result.status, result.makespan, problem.unit) == ("optimal", makespan, unit)
