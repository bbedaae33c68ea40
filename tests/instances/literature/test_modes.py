"""Flexible job shops, multi-mode projects and problems of PyJobShop."""

from __future__ import annotations

import copy
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.files import catalog
from planoracle.instances.literature import pyjobshop, reader
from planoracle.instances.model.instance import Instance, Lag, Resource
from planoracle.instances.model.transitions import Transitions
from planoracle.solver.exact.search import solve

SHOP = """2 3 1.5
2 2 1 4 2 6 1 3 3
2 1 2 5 3 1 1 2 2 3 2
"""
PROJECT = """projects                      :  1
jobs (incl. supersource/sink ):  4
horizon                       :  9
RESOURCES
  - renewable                 :  1   R
  - nonrenewable              :  1   N
  - doubly constrained        :  0   D
PRECEDENCE RELATIONS:
jobnr.    #modes  #successors   successors
   1        1          2           2   3
   2        2          1           4
   3        1          1           4
   4        1          0
REQUESTS/DURATIONS:
jobnr. mode duration  R 1  N 1
------------------------------------------------------------------------
  1      1     0       0    0
  2      1     2       1    6
         2     5       1    0
  3      1     3       1    1
  4      1     0       0    0
RESOURCEAVAILABILITIES:
  R 1  N 1
    2    4
"""
PROBLEM: dict[str, Any] = {
    "jobs": [{"tasks": [0, 1], "name": "chair", "weight": 1, "release_date": 2, "deadline": 2**42, "due_date": None}],
    "resources": [
        {"type": "machine", "name": "saw", "breaks": [[4, 6], [6, 7]], "no_idle": False},
        {"type": "renewable", "name": "hall", "capacity": 3, "breaks": []},
        {"type": "consumable", "name": "glue", "capacity": 5, "breaks": []},
    ],
    "tasks": [
        {"job": 0, "name": "cut", "latest_start": 3},
        {"job": 0, "name": "glue", "earliest_end": 6, "allow_breaks": True},
        {"name": "clean"},
    ],
    "modes": [
        {"task": 0, "resources": [0], "duration": 2, "demands": [0]},
        {"task": 1, "resources": [1, 2], "duration": 4, "demands": [2, 3]},
        {"task": 1, "resources": [1], "duration": 6, "demands": [1], "name": "by hand"},
        {"task": 2, "resources": [0], "duration": 1, "demands": [0]},
    ],
    "constraints": {
        "end_before_start": [{"task1": 0, "task2": 1, "delay": 1}],
        "start_before_start": [{"task1": 1, "task2": 2, "delay": 2}],
        "setup_times": [{"machine": 0, "task1": 0, "task2": 2, "duration": 3}],
        "consecutive": [],
    },
    "objective": {"weight_makespan": 1, "weight_tardy_jobs": 0},
}


def modes_of(instance: Instance) -> dict[str, list[tuple[int, dict[str, int]]]]:
    """Return duration and amounts in every mode, by action."""
    modes = {}
    for action, variants in instance.variants.items():
        rows = []
        for variant in variants:
            rows.append((variant.duration, {demand.resource: demand.amount for demand in variant.demands}))
        modes[action] = rows
    return modes


# --- flexible job shops ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shop.fjs", SHOP),
        ("shop.txt", SHOP),
        ("shop.txt", "# six operations\n" + SHOP),
        ("shop.fjs", SHOP.replace(" 1.5\n", "\n")),
        ("shop.txt", SHOP.replace(" 1.5\n", "\n")),
        ("shop.fjs", SHOP.replace(" ", "\t")),
    ],
)
def test_each_machine_of_an_operation_is_a_mode_with_its_duration(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (instance,) = catalog.read_problems(str(path))
    assert modes_of(instance) == {
        "job1/1": [(4, {"machine1": 1}), (6, {"machine2": 1})],
        "job1/2": [(3, {"machine3": 1})],
        "job2/1": [(5, {"machine2": 1})],
        "job2/2": [(1, {"machine1": 1}), (2, {"machine2": 1}), (2, {"machine3": 1})],
    }
    assert instance.lags == (Lag("job1/1", "job1/2"), Lag("job2/1", "job2/2"))


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("2 2 1 4 2 6 1 3 3", "2 2 1 4 2 6 1 3", "line 2: must be the number of operations of job 1"),
        ("2 2 1 4 2 6 1 3 3", "2 2 1 4 1 6 1 3 3", r"line 2: an operation of job 1 lists a machine twice \(got 1\)"),
        ("2 2 1 4 2 6 1 3 3", "2 2 1 4 2 6 1 7 3", "line 2: machines must be numbered"),
        ("2 2 1 4 2 6 1 3 3", "2 2 1 4 2 -6 1 3 3", "line 2: a duration must not be negative"),
        ("2 2 1 4 2 6 1 3 3", "0 1", "line 2: must be the number of operations of job 1"),
        ("2 3 1.5", "3 3 1.5", "line 3: expected job 3, but the file ends"),
        ("2 3 1.5", "1 3 1.5", "line 3: expected the end of the file"),
        ("2 3 1.5", "2 3 many", "line 1: .*must be a whole number"),
    ],
)
def test_fault_in_a_flexible_job_shop_names_its_line(right: str, wrong: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.fjs"
    path.write_text(SHOP.replace(right, wrong), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        catalog.read_problems(str(path))


def test_shortest_duration_may_be_zero() -> None:
    (instance,) = reader.read_text("1 2\n1 2 1 0 2 4", "shop", ".fjs")
    assert [variant.duration for variant in instance.variants["job1/1"]] == [0, 4]


def test_matrices_have_machines_to_choose_from(tmp_path: Path) -> None:
    document = {"duration_matrix": [[3, [4, 6]], [2]], "machines_matrix": [[[0, 1], [1, 2]], [0]]}
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    (instance,) = catalog.read_problems(str(path))
    assert modes_of(instance) == {
        "job1/1": [(3, {"machine0": 1}), (3, {"machine1": 1})],
        "job1/2": [(4, {"machine1": 1}), (6, {"machine2": 1})],
        "job2/1": [(2, {"machine0": 1})],
    }


# --- multi-mode projects ------------------------------------------------------------------------------


def test_modes_of_a_project_have_durations_and_budgets() -> None:
    with pytest.warns(InputNote, match="p: never chosen, .* budget: mode 0 of project/2$"):
        (instance,) = reader.read_text(PROJECT, "p")
    assert modes_of(instance) == {
        "project/2": [(2, {"R1": 1, "N1": 6}), (5, {"R1": 1})],
        "project/3": [(3, {"R1": 1, "N1": 1})],
    }
    assert instance.resources == (Resource("R1", 2), Resource("N1", 4, renewable=False))


def test_capacity_of_zero_makes_a_mode_impossible() -> None:
    text = PROJECT.replace("    2    4\n", "    0    6\n")
    with pytest.warns(InputNote, match="mode 0 of project/2, mode 1 of project/2, mode 0 of project/3$"):
        (instance,) = reader.read_text(text, "p")
    capacities = {resource.name: resource.capacity for resource in instance.resources}
    assert capacities == {"R1": 1, "N1": 6}
    assert modes_of(instance)["project/3"] == [(3, {"R1": 2, "N1": 1})]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("         2     5 ", "         3     5 ", r"line 19: must begin with mode 2 \(got \[3\]\)"),
        ("  3      1     3 ", "         3     3 ", "line 20: must be 5 numbers"),
        ("  3      1     3 ", "  2      3     3 ", "line 20: must begin with job 3, mode 1"),
        ("doubly constrained        :  0", "doubly constrained : 1", "line 7: doubly constrained: must be 0"),
        ("    2    4\n", "    2\n", r"line 24: must be 2 numbers \(availabilities\)"),
        ("         2     5       1 ", "         2     5       -1 ", "line 19: neither a duration nor a request"),
    ],
)
def test_fault_in_a_multi_mode_project_names_its_line(right: str, wrong: str, message: str) -> None:
    assert right in PROJECT
    with pytest.raises(InputError, match=message):
        reader.read_text(PROJECT.replace(right, wrong), "p")


# --- PyJobShop ------------------------------------------------------------------------------------------


def test_problem_of_pyjobshop_is_read_as_meant() -> None:
    instance = pyjobshop.read(PROBLEM, "p")
    assert modes_of(instance) == {
        "chair/cut": [(2, {"saw": 1})],
        "chair/glue": [(4, {"hall": 2, "glue": 3}), (6, {"hall": 1})],
        "chair/glue start": [(0, {})],
        "chair/glue end": [(0, {})],
        "task3/clean": [(1, {"saw": 1})],
    }
    assert [mode.name for mode in instance.by_id["chair/glue"].modes] == ["hall, glue", "by hand"]
    assert [(a.release, a.deadline, a.pauses_in_breaks) for a in instance.actions] == [
        (2, 5, False),
        (2, None, True),
        (0, None, False),
        (6, None, False),
        (0, None, False),
    ]
    assert set(instance.lags) == {
        Lag("chair/cut", "chair/glue", 1),
        Lag("chair/glue", "chair/glue end", None, 0),
        Lag("chair/glue start", "chair/glue", None, 0),
        Lag("chair/glue start", "task3/clean", 2),
    }
    assert instance.resources == (Resource("saw"), Resource("hall", 3), Resource("glue", 5, renewable=False))
    assert [(calendar.members, calendar.off) for calendar in instance.calendars] == [(("saw",), ((4, 7),))]
    times = (("chair/cut", "task3/clean", 3), ("task3/clean", "chair/cut", 0))
    assert instance.transitions == (Transitions(("saw",), times),)


def changed(*path: Any, value: Any) -> dict[str, Any]:
    """Return the problem with another value at a path."""
    document = copy.deepcopy(PROBLEM)
    place: Any = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("constraints", "consecutive"), [{"task1": 0, "task2": 2}], "constraints.consecutive: this constraint is not"),
        (("constraints", "select_exactly_one"), [{"tasks": [0]}], "constraints.select_exactly_one: this constraint is"),
        (("objective", "weight_tardy_jobs"), 2, "objective.weight_tardy_jobs: this objective is not supported"),
        (("objective", "weight_makespan"), 0, "objective.weight_makespan: the makespan must be the objective"),
        (("tasks", 0, "optional"), True, r"tasks\[0\].optional: optional tasks are not supported in this format"),
        (("tasks", 0, "allow_idle"), True, r"tasks\[0\].allow_idle: tasks that may occupy a resource longer"),
        (("tasks", 0, "fixed_duration"), False, r"tasks\[0\].fixed_duration: is not read from a problem of PyJobShop"),
        (("resources", 0, "no_idle"), True, r"resources\[0\].no_idle: machines without idle time are not supported"),
        (("resources", 2, "breaks"), [[1, 2]], r"resources\[2\].breaks: breaks of a resource that is used up"),
        (("resources", 0, "type"), "robot", r"resources\[0\].type: must be one of machine, renewable, consumable"),
        (("modes", 0, "duration"), 1.5, r"modes\[0\].duration: must be a whole number"),
        (("modes", 0, "task"), 7, r"modes\[0\].task: must be a position from 0 to 2"),
        (("modes", 3, "task"), 0, r"tasks\[2\]: has no mode"),
        (("modes", 1, "demands"), [2], r"modes\[1\].demands: must have a demand for each of its resources"),
        (("modes", 0, "duration"), 0, r"modes\[0\].duration: a mode of duration 0 that uses a machine"),
        (("constraints", "setup_times", 0, "machine"), 1, r"setup_times\[0\].machine: set-up times need a machine"),
        (("tasks", 2, "job"), 4, r"tasks\[2\].job: must be a position from 0 to 0"),
        (("metadata",), {"source": 1}, "metadata: is not read from a problem of PyJobShop; accepted are jobs"),
        (("constraints", "setup_times", 0, "cost"), 3, r"setup_times\[0\].cost: is not read from a problem"),
        (("constraints", "end_before_end"), [{"task1": 0, "task2": 1, "max_delay": 3}], r"max_delay: is not read"),
        (("resources", 0, "capacity"), 1, r"resources\[0\].capacity: a machine has none"),
        (("resources", 0, "breaks"), 4, r"resources\[0\].breaks: must be a list"),
        (("modes", 0, "resources"), 0, r"modes\[0\].resources: must be a list"),
        (("jobs",), [{"tasks": [0]}, {"tasks": [0, 1]}], r"jobs\[1\].tasks: another job has this task"),
    ],
)
def test_unsupported_field_is_refused_by_name(path: tuple[Any, ...], value: Any, message: str, tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(changed(*path, value=value)), encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        catalog.read_problems(str(file))
    assert error.value.source == str(file)


def test_last_of_two_set_up_times_counts() -> None:
    entries = [*PROBLEM["constraints"]["setup_times"], {"machine": 0, "task1": 0, "task2": 2, "duration": 0}]
    assert pyjobshop.read(changed("constraints", "setup_times", value=entries), "p").transitions == ()


def test_mode_above_a_capacity_is_noted_once() -> None:
    with pytest.warns(InputNote) as notes:
        pyjobshop.read(changed("modes", 1, "demands", value=[4, 3]), "p")
    text = "p: never chosen, since an amount exceeds a capacity or budget: mode 0 of chair/glue"
    assert [str(note.message) for note in notes] == [text]


def test_fixed_distances_are_minimum_and_maximum() -> None:
    constraints = {"start_at_end": [{"task1": 2, "task2": 0, "delay": 4}]}
    instance = pyjobshop.read(changed("constraints", value=constraints), "p")
    # clean starts 4 ticks before cut ends, which takes 2.
    assert set(instance.lags) - {Lag("chair/glue", "chair/glue end", None, 0)} == {
        Lag("task3/clean", "chair/cut", 1),
        Lag("chair/cut", "task3/clean", -4),
    }


def test_due_dates_are_noted() -> None:
    with pytest.warns(InputNote, match="due dates do not concern the makespan"):
        pyjobshop.read(changed("jobs", 0, "due_date", value=4), "p")


# --- originals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("folder", "ending", "count"), [("flexible", "fjs", 59), ("multimode", "mm", 25)])
@pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")
def test_every_original_file_has_modes(shared: Path, folder: str, ending: str, count: int) -> None:
    files = sorted((shared / "literature" / folder).glob(f"*.{ending}"))
    if not files:
        pytest.skip(f"literature/{folder} is not among the originals here")
    assert len(files) == count
    instances = [instance for path in files for instance in catalog.read_problems(str(path))]
    assert len(instances) == count
    assert all(len(instance.actions) >= 4 for instance in instances)


@pytest.mark.parametrize(
    ("folder", "file"),
    [
        *(("flexible", f"fattahi{number}.fjs") for number in (2, 5, 6, 9)),
        *(
            ("flexible", "kacem2.fjs"),
            ("multimode", "m01_10.mm"),
            ("multimode", "m19_10.mm"),
            ("multimode", "c154_3.mm"),
        ),
        ("multimode", "m15_16.mm"),
    ],
)
@pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")
def test_best_known_makespan_is_consistent_with_solver(shared: Path, folder: str, file: str) -> None:
    path = shared / "literature" / folder / file
    if not path.is_file():
        pytest.skip(f"{file} is not among the originals here")
    with (path.parent / "best_known.csv").open(newline="", encoding="utf-8") as stream:
        (expected,) = [row["makespan"] for row in csv.DictReader(stream) if row["file"] == file]
    (instance,) = catalog.read_problems(str(path))
    result = solve(instance, time_limit=5)
    if expected == "infeasible":
        assert result.status in ("infeasible", "unknown")
        return
    assert result.status in ("optimal", "feasible", "unknown")
    assert (result.lower_bound or 0) <= int(expected) <= (result.makespan or int(expected))
    assert result.status != "optimal" or result.makespan == int(expected)
