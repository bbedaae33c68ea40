"""Formats of the literature: conversion to our model, recognition, and error messages."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.files import catalog
from planoracle.instances.literature import jobshop, rcpsp, reader
from planoracle.instances.model.instance import Instance, Lag, Resource
from planoracle.solver.exact.search import solve
from tests.support.start_times import sch_text

SCH = """3\t2\t0\t0
0\t1\t2\t1\t2\t[0]\t[2]
1\t1\t2\t2\t3\t[4]\t[1]
2\t1\t2\t1\t4\t[-6]\t[2]
3\t1\t1\t4\t[5]
4\t1\t0
0\t1\t0\t0\t0
1\t1\t3\t1\t0
2\t1\t2\t1\t2
3\t1\t5\t0\t1
4\t1\t0\t0\t0
1\t3
"""
SM = """************************************************************************
file with basedata            : ours.bas
initial value random generator: 1
************************************************************************
projects                      :  1
jobs (incl. supersource/sink ):  4
horizon                       :  5
RESOURCES
  - renewable                 :  1   R
  - nonrenewable              :  0   N
  - doubly constrained        :  0   D
************************************************************************
PROJECT INFORMATION:
pronr.  #jobs rel.date duedate tardcost  MPM-Time
    1      2      0        5        0        5
************************************************************************
PRECEDENCE RELATIONS:
jobnr.    #modes  #successors   successors
   1        1          2           2   3
   2        1          1           4
   3        1          1           4
   4        1          0
************************************************************************
REQUESTS/DURATIONS:
jobnr. mode duration  R 1
------------------------------------------------------------------------
  1      1     0       0
  2      1     2       2
  3      1     3       1
  4      1     0       0
************************************************************************
RESOURCEAVAILABILITIES:
  R 1
    2
************************************************************************
"""
RCP = """4 2
2 9

0 0 0 2 2
3
2 2 0 1 4 3 1 5
1 4
0 0 0 0
"""
JSS = """# a comment
# instance pair
2 2
0 3  1 2
1 4  0 1
"""


def uses(instance: Instance) -> dict[str, list[tuple[str, int]]]:
    return {a.id: [(d.resource, d.amount) for mode in a.modes for d in mode.demands] for a in instance.actions}


# --- meaning --------------------------------------------------------------------------------------


def test_distances_between_starts_become_lags() -> None:
    instance = rcpsp.read_sch(SCH, "ours")
    assert [(a.id, a.duration, a.release) for a in instance.actions] == [
        ("project/1", 3, 0),
        ("project/2", 2, 2),
        ("project/3", 5, 0),
    ]
    # 4 after the start of 1 is 1 after its end; the 6 at most end there too. 3 may start while 1 still runs.
    assert instance.lags == (Lag("project/1", "project/2", 1, 3), Lag("project/1", "project/3", -2))
    assert instance.resources == (Resource("R1", 1), Resource("R2", 3))
    assert uses(instance) == {"project/1": [("R1", 1)], "project/2": [("R1", 1), ("R2", 2)], "project/3": [("R2", 1)]}
    assert (instance.agents, instance.benchmark, instance.unit, instance.time_limit) == ((), "generic", "tick", None)
    assert all(a.agents == () and not a.attended for a in instance.actions)
    assert solve(instance).makespan == 6


def test_sm_file_is_read_as_project() -> None:
    instance = rcpsp.read_sm(SM, "ours")
    assert [(a.id, a.duration) for a in instance.actions] == [("project/2", 2), ("project/3", 3)]
    assert (instance.lags, uses(instance)) == ((), {"project/2": [("R1", 2)], "project/3": [("R1", 1)]})
    assert solve(instance).makespan == 5


def test_rcp_file_is_read_independently_of_line_breaks() -> None:
    instance = rcpsp.read_rcp(RCP, "ours")
    assert [(a.id, a.duration) for a in instance.actions] == [("project/2", 2), ("project/3", 3)]
    assert uses(instance) == {"project/2": [("R1", 2)], "project/3": [("R1", 1), ("R2", 5)]}
    assert (instance.resources, solve(instance).makespan) == ((Resource("R1", 2), Resource("R2", 9)), 5)
    head, capacities, *rest = RCP.split("\n")
    one_line = "\n".join([head, capacities, " ".join(rest)])
    assert rcpsp.read_rcp(one_line, "ours") == instance
    chain = RCP.replace("1 4 3 1 5", "1 3 3 1 5")
    assert rcpsp.read_rcp(chain, "ours").lags == (Lag("project/2", "project/3", 0),)
    assert solve(rcpsp.read_rcp(chain.replace("1 4\n", "1 2\n"), "circle")).status == "infeasible"
    assert solve(rcpsp.read_rcp(RCP.replace("2 2 0", "2 3 0"), "too much")).status == "infeasible"


def test_job_shop_file_is_read_as_chains_of_operations() -> None:
    (instance,) = jobshop.read_text(JSS, "file")
    assert instance.name == "pair"
    assert uses(instance) == {
        "job1/1": [("machine0", 1)],
        "job1/2": [("machine1", 1)],
        "job2/1": [("machine1", 1)],
        "job2/2": [("machine0", 1)],
    }
    assert instance.lags == (Lag("job1/1", "job1/2"), Lag("job2/1", "job2/2"))
    assert solve(instance).makespan == 6


def sch(arcs: dict[tuple[int, int], int], durations: tuple[int, ...], demand: int = 1, capacity: int = 9) -> Instance:
    """Return a project of one resource, read from its text."""
    text = sch_text(arcs, [0, *durations, 0], [[0], *([demand] for _ in durations), [0]], [capacity])
    return rcpsp.read_sch(text, "ours")


def test_demand_above_capacity_is_infeasible_instead_of_invalid() -> None:
    instance = sch({}, (2, 0), demand=5, capacity=2)
    assert uses(instance) == {"project/1": [("R1", 2)], "project/1+R1": [("R1", 2)], "project/2": [("R1", 2)]}
    assert solve(instance).status == "infeasible"
    assert solve(sch({}, (2,), demand=1, capacity=0)).status == "infeasible"
    assert solve(sch({}, (0,), demand=5, capacity=2)).makespan == 0  # without duration, it uses nothing


@pytest.mark.parametrize(
    "arcs",
    [
        {(1, 2): 3, (2, 1): 0},
        {(1, 2): 3, (2, 1): 3},
        {(1, 2): 2, (2, 3): 2, (3, 1): 2},
        {(1, 2): 1, (2, 1): -0, (2, 3): -1},
        {(2, 0): 1},
        {(3, 0): -1, (0, 3): 2},
        {(4, 0): 1},
    ],
)
def test_contradictory_distances_are_infeasible_instead_of_invalid(arcs: dict[tuple[int, int], int]) -> None:
    assert solve(sch(arcs, (2, 2, 2))).status == "infeasible"


def test_cycle_of_activities_without_duration_is_feasible() -> None:
    instance = sch({(1, 2): 0, (2, 1): 0, (1, 3): 0, (3, 1): 0, (2, 3): 0}, (0, 0, 0))
    assert solve(instance).makespan == 0


def test_beginning_and_end_are_omitted_unless_they_constrain() -> None:
    def names(arcs: dict[tuple[int, int], int]) -> list[str]:
        return [a.id.removeprefix("project/") for a in sch(arcs, (2, 3)).actions]

    assert names({(0, 1): 0, (0, 2): 7, (1, 3): 2, (2, 3): 1}) == ["1", "2"]
    assert names({(1, 3): 5}) == ["1", "2", "3"]
    assert names({(2, 0): -4}) == ["0", "1", "2"]
    assert names({(3, 1): -4}) == ["1", "2", "3"]
    assert names({(0, 3): 0, (3, 0): -8}) == ["1", "2"]
    assert names({(0, 3): 9}) == ["1", "2", "3"]


def test_distances_from_beginning_and_end_constrain_schedules() -> None:
    assert solve(sch({(0, 2): 7}, (2, 3))).makespan == 10
    assert solve(sch({(1, 3): 5}, (2, 3))).makespan == 5
    assert solve(sch({(0, 3): 9}, (2, 3))).makespan == 9
    assert sch({(3, 0): -8}, (2, 3)).time_limit == 8
    assert solve(sch({(3, 0): -2}, (2, 3))).status == "infeasible"
    # With a capacity of one, a deadline determines the first activity, and a distance from the end the last one.
    one = {"demand": 1, "capacity": 1}
    for arcs, first in (({(2, 0): -1}, "project/2"), ({(3, 1): -2}, "project/2"), ({(1, 0): -2}, "project/1")):
        result = solve(sch(arcs, (2, 3), **one))
        assert result.makespan == 5
        assert result.schedule is not None
        starts = {piece.action: piece.start for piece in result.schedule.pieces}
        assert starts[first] == 0


def test_larger_of_two_distances_between_the_same_activities_counts() -> None:
    text = SCH.replace("1\t1\t2\t2\t3\t[4]\t[1]", "1\t1\t3\t2\t2\t3\t[4]\t[3]\t[1]")
    assert rcpsp.read_sch(text, "ours") == rcpsp.read_sch(SCH, "ours")


def test_several_job_shops_in_one_text_are_read() -> None:
    text = f"""This file holds two problems.

 instance first

 +++++++++++++++++++++++++++++
 One machine, two jobs
 2 1
 0 3
 0 4
 +++++++++++++++++++++++++++++
{JSS.replace("# instance pair", "").replace("# a comment", "")}"""
    assert [one.name for one in jobshop.read_text(text, "file")] == ["first", "file-2"]
    assert [solve(one).makespan for one in jobshop.read_text(text, "file")] == [7, 6]


def test_job_shop_in_two_tables_is_read_with_machines_from_one() -> None:
    text = "Nb of jobs, Nb of Machines, Time seed\n 2 2 840612802\nTimes\n 3 2\n 4 1\nMachines\n 1 2\n 2 1\n"
    (instance,) = jobshop.read_text(text.replace("840612802", "8406128"), "file")
    assert [solve(instance).makespan, *sorted(instance.resource)] == [6, "machine1", "machine2"]


# --- recognition ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (SCH, rcpsp.read_sch),
        (SM, rcpsp.read_sm),
        (RCP, rcpsp.read_rcp),
        (JSS, jobshop.read_text),
        (JSS.partition("pair\n")[2], jobshop.read_text),
    ],
)
@pytest.mark.parametrize(
    "change", [str, lambda text: text.replace("\n", "\r\n"), lambda text: f"\ufeff\n\n{text}\n \n"]
)
def test_file_is_recognised_by_its_content(
    text: str, read: Callable[[str, str], object], change: Callable[[str], str], tmp_path: Path
) -> None:
    path = tmp_path / "set" / "anything.txt"
    path.parent.mkdir()
    path.write_text(change(text), encoding="utf-8", newline="")
    (instance,) = catalog.read_problems(str(path))
    name = "pair" if "pair" in text else "set/anything"
    plain = read(text, name)
    assert instance == (plain[0] if isinstance(plain, list) else plain)
    assert instance.name == name


def test_single_problem_is_read_from_a_file_of_several(tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    path.write_text(f"{JSS}\n instance other\n1 1\n0 5\n")
    assert [one.name for one in catalog.read_problems(str(path))] == ["pair", "other"]
    assert [one.name for one in catalog.read_problems(f"{path}#other")] == ["other"]


@pytest.mark.parametrize("text", ["", "5", "a,b\n1,2\n", "1 2 3\n", "\n" * 10_000, "x" * 10_000, "1 " * 10_000])
def test_text_in_another_format_is_not_recognised(text: str) -> None:
    assert reader.read_text(text, "other") == []


# --- faults ---------------------------------------------------------------------------------------

FAULTS = [
    (SCH, "3\t2\t0\t0\n", "3 2 0 1\n", "line 1: must be a number of activities"),
    (SCH, "3\t2\t0\t0\n", "0 2 0 0\n", "line 1: must be a number of activities"),
    (
        SCH,
        "3\t2\t0\t0\n",
        "4 2 0 0\n",
        "line 7: number, modes, successors, distances|line 7: must begin with activity 5",
    ),
    (SCH, "2\t1\t2\t1\t4", "2\t2\t2\t1\t4", "line 4: must begin with activity 2 and its number of modes, 1"),
    (SCH, "[4]\t[1]", "[4]", "line 3: must list 2 successors"),
    (SCH, "[4]", "4", "line 3: must list 2 successors"),
    (SCH, "[4]", "[4.5]", "line 3: .*must be a whole number \\(got '4.5'\\)"),
    (SCH, "[4]", "[1_0]", "line 3: .*must be a whole number \\(got '1_0'\\)"),
    (SCH, "[4]", "[٤]", "line 3: .*must be a whole number"),
    (SCH, "[4]", f"[{10**12}]", "line 3: .*must lie between -250000000 and 250000000"),
    (SCH, "[4]", f"[{'9' * 5000}]", "line 3: .*must be a whole number"),
    (SCH, "2\t3\t[4]", "2\t7\t[4]", "line 3: a successor of activity 1 must be another activity, 0 to 4 \\(got 7\\)"),
    (SCH, "2\t3\t[4]", "1\t3\t[4]", "line 3: a successor of activity 1 must be another activity"),
    (SCH, "1\t1\t3\t1\t0", "1\t1\t3\t1", "line 8: must be 5 numbers"),
    (SCH, "1\t1\t3\t1\t0", "1\t1\t-3\t1\t0", "line 8: neither a duration nor a demand may be negative"),
    (SCH, "1\t1\t3\t1\t0", "1\t2\t3\t1\t0", "line 8: must begin with activity 1, mode 1"),
    (SCH, "1\t3\n", "1\n", "line 12: must be 2 numbers"),
    (SCH, "1\t3\n", "1 -3\n", "line 12: a capacity must not be negative"),
    (SCH, "1\t3\n", "1\t3\nmore\n", "line 13: expected the end of the file"),
    (SCH, "1\t3\n", "", "line 11: expected capacities, but the file ends"),
    (SM, "projects                      :  1", "projects : 2", "line 5: projects: must be 1"),
    (SM, "nonrenewable              :  0", "nonrenewable : 3", "line 27: must be 7 numbers"),
    (
        SM,
        "jobs (incl. supersource/sink ):  4",
        "jobs (incl. supersource/sink ):  many",
        "line 6: jobs: must be a whole",
    ),
    (SM, "jobs (incl. supersource/sink ):  4", "", "line 18: expected the number of jobs before"),
    (SM, "jobs (incl. supersource/sink ):  4", "jobs (incl. supersource/sink ):  5", "line 24: job, modes, successors"),
    (SM, "    1      2      0  ", "    1      2      3  ", "line 15: the release date of the project must be 0"),
    (
        SM,
        "   2        1          1",
        "   2        3          1",
        "line 29: must begin with job 2, mode 2",
    ),
    (
        SM,
        "   3        1          1           4",
        "   3        1          2           4",
        "line 21: must list 2 successors",
    ),
    (
        SM,
        "   3        1          1           4",
        "   3        1          1           5",
        "line 21: a successor of job 3",
    ),
    (SM, "  3      1     3       1", "  3      1     3", "line 29: must be 4 numbers"),
    (SM, "  3      1     3       1", "  3      1     3      -1", "line 29: neither a duration nor a request"),
    (SM, "REQUESTS/DURATIONS:", "REQUESTS:", "line 24: expected the heading REQUESTS/DURATIONS"),
    (SM, "    2\n***", "    2  2\n***", "line 34: must be 1 number "),
    (RCP, "4 2\n", "0 2\n", "line 1: must be the numbers of jobs and resources, both at least 1 \\(got \\[0, 2\\]\\)"),
    (RCP, "2 9\n", "2 -9\n", "line 2: capacities: must lie between 0 and 250000000 \\(got -9\\)"),
    (RCP, "2 9\n", "2 x\n", "line 2: capacities: must be a whole number \\(got 'x'\\)"),
    (RCP, "3\n2 2 0", "3\n-2 2 0", "line 6: duration of job 2: must lie between 0 and 250000000 \\(got -2\\)"),
    (RCP, "3 1 5\n", "3 -1 5\n", "line 6: demands of job 3: must lie between 0 and 250000000 \\(got -1\\)"),
    (RCP, "3 1 5\n1 4", "3 1 5\n1.5 4", "line 7: number of successors of job 3: must be a whole number"),
    (RCP, "1 4\n0", "1 7\n0", "line 7: a successor of job 3 must be another job, 1 to 4 \\(got 7\\)"),
    (RCP, "1 4\n0", "1 3\n0", "line 7: a successor of job 3 must be another job, 1 to 4 \\(got 3\\)"),
    (RCP, "0 0 0 2 2\n3", "0 0 0 2 9\n3", "line 4: a successor of job 1 must be another job, 1 to 4 \\(got 9\\)"),
    (RCP, "0 0 0 0\n", "0 0 0\n", "line 8: expected number of successors of job 4, but the file ends"),
    (RCP, "0 0 0 0\n", "0 0 0 2 1\n", "line 8: expected successors of job 4, but the file ends"),
    (RCP, "0 0 0 0\n", "0 0 0 0 5\n", "line 8: expected the end of the file \\(got '?5'?\\)"),
    (JSS, "2 2\n", "2 2 2\n", "line 3: must be 2 numbers"),
    (JSS, "2 2\n", "3 2\n", "line 5: expected job 3, but the file ends"),
    (JSS, "2 2\n", "1 2\n", "line 5: must be 2 numbers \\(jobs, machines\\)"),
    (JSS, "2 2\n", "0 2\n", "line 3: must be the numbers of jobs and machines"),
    (JSS, "2 2\n", "", "line 3: must be"),
    (JSS, "1 4  0 1", "1 4  0", "line 5: must be pairs of machine and duration"),
    (JSS, "0 3  1 2", "0 3  1", "line 4: must be pairs of machine and duration"),
    (JSS, "1 4  0 1", "1 4  7 1", "line 5: machines must be numbered from 0 to 1 or from 1 to 2"),
    (JSS, "1 4  0 1", "1 4  2 1", "line 5: machines must be numbered from 0 to 1 or from 1 to 2"),
    (JSS, "1 4  0 1", "1 4  0 -1", "line 5: a duration must not be negative"),
    (JSS, "1 4  0 1", "1 4  0 x", "line 5: .*must be a whole number \\(got 'x'\\)"),
]


@pytest.mark.parametrize(("text", "right", "wrong", "expected"), FAULTS)
def test_error_names_the_line(text: str, right: str, wrong: str, expected: str, tmp_path: Path) -> None:
    assert right in text
    path = tmp_path / "wrong.txt"
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        catalog.read_problems(str(path))
    assert re.match(f"{re.escape(str(path))}, ({expected})", str(caught.value)), caught.value
    assert len(str(caught.value)) < 400 + len(str(path))


def test_project_without_activities_is_rejected() -> None:
    text = re.sub(r"(?m)^ +[34] {5,}1 .*\n", "", SM).replace(":  4", ":  2")
    text = text.replace("2           2   3", "1           2").replace(
        "2        1          1           4", "2        1          0"
    )
    with pytest.raises(InputError, match="needs at least one activity between the first and the last"):
        rcpsp.read_sm(text, "none")


def outcome(read: Callable[[], object]) -> InputError | None:
    """Return the error that reading raises, if it is of the right type; any other fails the test."""
    try:
        read()
    except InputError as error:
        return error
    return None


@pytest.mark.parametrize("text", [SCH, SM, RCP, JSS])
def test_truncated_file_is_rejected(text: str) -> None:
    lines = text.splitlines()
    required = max(k for k, line in enumerate(lines) if line[:1] != "*") + 1
    recognised = [part for k in range(required) if (part := "\n".join(lines[:k])) and "\n" in part]
    errors = [outcome(lambda part=part: reader.read_text(part, "part")) for part in recognised]  # type: ignore[misc]
    assert (
        sum(error is not None for error in errors) >= len(errors) - 5
    )  # without a complete head, the format is not recognised
    assert errors[-1] is not None
    assert outcome(lambda: reader.read_text("\n".join(lines[:required]), "whole")) is None


@given(st.binary(max_size=200), st.sampled_from([SCH, SM, RCP, JSS]))
def test_arbitrary_bytes_are_read_or_rejected(junk: bytes, text: str) -> None:
    for data in (junk, text.encode() + junk, text.encode()[: len(junk)] + junk):
        error = outcome(lambda data=data: reader.read_data(data, "nowhere/junk.sch"))  # type: ignore[misc]
        assert error is None or (error.source or "").startswith("nowhere/")


# --- originals and the command line ----------------------------------------------------------------


def published_values(table: Path, column: str) -> dict[str, str]:
    with table.open(newline="", encoding="utf-8") as stream:
        return {row[0]: dict(zip(("file", column), row, strict=False))[column] for row in csv.reader(stream)}


ORIGINALS = [
    *(("rcpsp_max/j10/optimum.csv", f"rcpsp_max/j10/psp{k}.sch") for k in (1, 2, 17, 119, 145, 201, 239, 270)),
    *(("rcpsp_max/ubo10/optimum.csv", f"rcpsp_max/ubo10/psp{k}.sch") for k in (1, 2, 3, 18, 60, 90)),
    *(("rcpsp/j30/best_known.csv", f"rcpsp/j30/{name}.sm") for name in ("j3010_1", "j3012_3", "j3014_5", "j3030_1")),
    *(("jobshop/optimum.csv", f"jobshop/{name}.jss") for name in ("ft06", "la01", "la05", "la06", "la09")),
]


@pytest.mark.parametrize(("table", "file"), ORIGINALS)
def test_published_optimum_is_consistent_with_solver(shared: Path, table: str, file: str) -> None:
    folder = shared / "literature"
    if not (folder / file).is_file():
        pytest.skip(f"{file} is not among the originals here")
    expected = published_values(folder / table, "optimum")[Path(file).name]
    (instance,) = catalog.read_problems(str(folder / file))
    result = solve(instance, time_limit=5)
    allowed = {"infeasible", "unknown"} if expected == "unsat" else {"optimal", "feasible", "unknown"}
    assert result.status in allowed
    if expected != "unsat":
        assert (result.lower_bound or 0) <= int(expected) <= (result.makespan or int(expected))
        assert result.status != "optimal" or result.makespan == int(expected)


@pytest.mark.slow
def test_every_original_file_is_read(shared: Path) -> None:
    folders = shared / "literature", shared / "large"
    endings = ("sch", "sm", "rcp", "jss", "fjs", "mm")
    files = [path for folder in folders for ending in endings for path in sorted(folder.rglob(f"*.{ending}"))]
    if not files:
        pytest.skip("the literature's files are not among the originals here")
    for path in files:
        (instance,) = catalog.read_problems(str(path))
        assert instance.benchmark == "generic"
        assert len(instance.actions) >= 4


@pytest.mark.parametrize(
    ("text", "durations"),
    [
        ("3 3\n0 4 1 3 2 2\n0 1 2 2 1 5\n1 3 2 4\n", [[4, 3, 2], [1, 2, 5], [3, 4]]),
        ("2 3\n3 0 4 1 3 2 2\n1 1 3\n", [[4, 3, 2], [3]]),
        ("2 2\n0 3 1 2 0 2 1 1\n1 2 0 1 1 4 0 3\n", [[3, 2, 2, 1], [2, 1, 4, 3]]),
        ("2 2\n0 3\n1 2\n", [[3], [2]]),
        (
            "Nb of jobs, Nb of Machines, Time seed, Machine seed, Upper bound, Lower bound\n"
            "2 2 901234567 1312345678 9 9\nTimes\n3 2\n2 1\nMachines\n1 2\n2 1\n",
            [[3, 2], [2, 1]],
        ),
        (
            "#Num of jobs: 2\n  job id    machine    dur    machine    dur\n--------  ---------  -----\n"
            "0 1 11 0 2\n1 0 4\n",
            [[11, 2], [4]],
        ),
    ],
    ids=["unequal", "counted", "reentrant", "one operation", "large seeds", "table"],
)
@pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")
def test_job_shops_of_other_shapes_are_read(text: str, durations: list[list[int]], tmp_path: Path) -> None:
    path = tmp_path / "shop.txt"
    path.write_text(text, encoding="utf-8")
    (problem,) = catalog.read_problems(str(path))
    read = [[action.duration for action in problem.actions if action.task == task] for task in problem.tasks]
    assert read == durations


PAIR = "2 2\n0 3 1 2\n1 4 0 1\n"
TAILLARD = "Nb of jobs, Nb of machines\n2 2 9 9\nTimes\n3 2\n4 1\nMachines\n1 2\n2 1\n"


@pytest.mark.parametrize(
    "text",
    [
        f"# a comment\n#\n{PAIR}",
        f"// a comment\n; another\n{PAIR}",
        PAIR.replace("\n", " # jobs\n"),
        PAIR.replace("\n1", "\n\n# job 2\n1"),
        PAIR.replace(" ", "\t").replace("\n", "\r\n"),
        f" +++++\n instance la99\n +++++\n Lawrence 2x2 instance\n{PAIR} +++++\n",
        TAILLARD,
        f"# {TAILLARD}",
        TAILLARD.replace("Times", "TIMES :").replace("Machines\n", "machines:\n"),
    ],
)
def test_comments_and_headings_do_not_change_a_job_shop(text: str) -> None:
    (problem,) = reader.read_text(text, "shop")
    assert [action.duration for action in problem.actions] == [3, 2, 4, 1]
    assert solve(problem).makespan == 6


def test_several_problems_of_taillard_in_one_text_are_read() -> None:
    assert [problem.name for problem in reader.read_text(TAILLARD * 2, "shops")] == ["shops-1", "shops-2"]


def test_fault_after_comments_names_its_line() -> None:
    with pytest.raises(InputError, match=r"line 4: .*must be a whole number"):
        reader.read_text("# a comment\n2 2\n0 3 1 2 # job 1\n1 4 0 x\n", "shop")


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("3 2\n2 9\n0 0 0 1 2 4\n1 1 1 3\n0 0 0 0\n", "project"),  # also pairs of machine and duration
        ("3 2\n0 9\n0 2 1 2\n1 4 0 1\n", "job1"),
    ],
)
@pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")
def test_project_and_job_shop_with_equally_long_second_lines_are_told_apart(text: str, task: str) -> None:
    (problem,) = reader.read_text(text, "ours")
    assert problem.actions[0].task == task


def test_jobs_of_unequal_length_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "shop.txt"
    path.write_text("2 2\n0 3 1 2\n1 2\n", encoding="utf-8")
    with pytest.warns(InputNote, match="jobs have from 1 to 2 operations"):
        catalog.read_problems(str(path))


MATRICES = {"name": "m", "duration_matrix": [[3, 2], [4]], "machines_matrix": [[0, 1], [1]]}


@pytest.mark.parametrize("document", [MATRICES, {"m": MATRICES}], ids=["one", "by name"])
def test_matrices_of_durations_and_machines_are_a_job_shop(document: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    (problem,) = catalog.read_problems(str(path))
    uses = [(action.duration, action.modes[0].demands[0].resource) for action in problem.actions]
    assert (problem.name, uses) == ("m", [(3, "machine0"), (2, "machine1"), (4, "machine1")])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machines_matrix": [[0, 1], [[]]]}, r"machines_matrix\[1\]\[0\]: must be a machine, or a list of machines"),
        ({"machines_matrix": [[0, 1], [[0, 0]]]}, r"machines_matrix\[1\]\[0\]: lists a machine twice"),
        ({"duration_matrix": [[3, [1, 2]], [4]]}, r"duration_matrix\[0\]\[1\]: must be a number, or one for each"),
        ({"machines_matrix": [[0, 1]]}, "machines_matrix: must have a row for each of the 2 jobs"),
        ({"duration_matrix": [[3, 2.5], [4]]}, r"duration_matrix\[0\]\[1\]: must be a whole number"),
        ({"deadlines_matrix": [[9, None], [9]]}, "deadlines_matrix: is not read from a job shop"),
        ({"setup": 3}, "setup: is not read from a job shop"),
    ],
)
def test_faulty_matrices_are_refused_by_field(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(MATRICES | change), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        catalog.read_problems(str(path))


def test_matrices_without_values_and_metadata_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(MATRICES | {"deadlines_matrix": [[None, None], [None]], "metadata": {"optimum": 5}}))
    (problem,) = catalog.read_problems(str(path))
    assert len(problem.actions) == 3


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", "is empty; accepted are problem files"),
        ("a.json", " \n", "is empty"),
        ("a.txt", "[jobs]\nfirst = 3\n", "is in no format that is read"),
        ("a.txt", "2 2 6\n0 3 1 2\n1 4 0 1\n", "is in no format that is read"),
        ("a.mm", "", "is empty"),
        ("a.dzn", "n = 3;", "is MiniZinc"),
        ("a.txt", "n = 3;\nd = [1, 2, 3];", "is MiniZinc"),
        ("a.xml", '<?xml version="1.0"?><a/>', "is XML"),
        ("a.xml", '<Project xmlns="http://schemas.microsoft.com/project"/>', "is a project of Microsoft Project"),
        ("a.txt", "chop 3 minutes, then boil", "is in no format that is read; accepted are problem files"),
        ("a.txt", "number of jobs, number of machines, initial seed, upper bound:\n 5 5 1 2 3", "is a flow shop"),
    ],
)
def test_formats_that_are_not_read_are_named(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        catalog.read_problems(str(path))
    assert "JSON" not in str(caught.value)
