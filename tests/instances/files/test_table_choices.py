"""Tables of tasks: machines to choose from, durations on machines, workers, and optional jobs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from ortools.sat.python import cp_model

from planoracle import Model, solve
from planoracle.instances.errors import InputError
from planoracle.instances.files.task_table import table_options
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.task_columns import TableOptions
from tests.support.table_models import best_makespan, draw_links
from tests.support.tables import faults, notes, read, table

pytestmark = pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")


def choices(instance: Instance) -> dict[str, list[tuple[str, int]]]:
    """Return machines and duration of every mode, by action."""
    rows: dict[str, list[tuple[str, int]]] = {}
    for action, variants in instance.variants.items():
        rows[action] = []
        for variant in variants:
            machines = "+".join(demand.resource for demand in variant.demands)
            rows[action].append((machines, variant.duration))
    return rows


@pytest.fixture
def three_workers() -> Iterator[None]:
    """Let there be three workers in tables."""
    token = table_options.set(TableOptions(workers=3))
    yield
    table_options.reset(token)


# --- machines to choose from ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "machines"),
    [
        ("M1 or M2", ["M1", "M2"]),
        ("M1/M2", ["M1", "M2"]),
        ("M1 / M2 / M3", ["M1", "M2", "M3"]),
        ("either M1 or M2", ["M1", "M2"]),
        ("M1 (or M2)", ["M1", "M2"]),
        ("CNC1/2", ["CNC1", "CNC2"]),
        ("Oven A / B", ["Oven A", "Oven B"]),
        ("Saw/Drill", ["Saw", "Drill"]),
        ("any", ["Drill", "Lathe"]),
        ("any machine", ["Drill", "Lathe"]),
        ("M1/M2;Drill", ["M1+Drill", "M2+Drill"]),
    ],
)
def test_each_machine_to_choose_from_is_a_mode(cell: str, machines: list[str], tmp_path: Path) -> None:
    problem = read(tmp_path, table("task,duration,machine", f"a,5,{cell}", "b,2,Drill", "c,3,Lathe"))
    assert choices(problem)["t/a"] == [(machine, 5) for machine in machines]
    assert [mode.name for mode in problem.by_id["t/a"].modes] == [name.replace("+", ", ") for name in machines]


def test_machines_to_choose_from_run_at_the_same_time(tmp_path: Path) -> None:
    problem = read(tmp_path, table("job,task,duration,machine", *(f"{job},cut,5,M1 or M2" for job in "ABC")))
    assert solve(problem).makespan == 10


@pytest.mark.parametrize(
    ("heading", "cells", "machines"),
    [
        ("alternative machines", "M1,M2;M3", ["M1", "M2", "M3"]),
        ("Machine options", ",M2|M3", ["M2", "M3"]),
        ("alternatives", "M1,", ["M1"]),
    ],
)
def test_column_of_alternatives_adds_machines(heading: str, cells: str, machines: list[str], tmp_path: Path) -> None:
    problem = read(tmp_path, table(f"task,duration,machine,{heading}", f"a,5,{cells}"))
    assert [machine for machine, _ in choices(problem)["t/a"]] == machines


def test_alternatives_beside_several_machines_are_refused(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, table("task,duration,machine,alternatives", "a,5,M1;M2,M3"))
    assert fault.startswith("t.csv, line 2: alternatives: is ambiguous beside several machines")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("task,M1,M2", "a,3,5", "b,,4"), {"t/a": [("M1", 3), ("M2", 5)], "t/b": [("M2", 4)]}),
        (
            ("task,machine,duration M1,duration M2", "a,any,3,5", "b,M2,,4", "c,M1/M2,3,3"),
            {"t/a": [("M1", 3), ("M2", 5)], "t/b": [("M2", 4)], "t/c": [("M1", 3), ("M2", 3)]},
        ),
        (
            ("task,machine,duration,time on Saw", "a,Saw or Mill,7,4", "b,Mill,2,"),
            {"t/a": [("Saw", 4), ("Mill", 7)], "t/b": [("Mill", 2)]},
        ),
        (("task,duration,duration M1,duration M2", "a,,3,5"), {"t/a": [("M1", 3), ("M2", 5)]}),
        (
            ("task,duration,machine,M1,M3", "a,,M1,3,", "b,,,2,5"),
            {"t/a": [("M1", 3)], "t/b": [("M1", 2), ("M3", 5)]},
        ),
        (("task,machine,Saw,cost,priority", "a,Saw,3,9,1"), {"t/a": [("Saw", 3)]}),
        (("task,Machine 1 (min),Machine 2 (min)", "a,3,5"), {"t/a": [("Machine 1", 3), ("Machine 2", 5)]}),
        (("task,M1 [h],M2 [h]", "a,90 min,2", "b,1,"), None),
    ],
)
def test_column_of_durations_on_a_machine_is_read(
    lines: tuple[str, ...], expected: dict[str, list[tuple[str, int]]] | None, tmp_path: Path
) -> None:
    if expected is None:
        (fault,) = faults(tmp_path, table(*lines))
        assert fault.startswith("t.csv, line 2: M1 [h]: must be a multiple of the tick length, 3600 seconds")
        return
    assert choices(read(tmp_path, table(*lines))) == expected
    assert any("columns with durations on one machine" in note for note in notes(tmp_path, table(*lines)))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("task,machine,M1,M2", "a,M1/M3,3,5"), "t.csv, line 2: M1: has no duration on M3"),
        (("task,M1,M2", "a,3,x"), "t.csv, line 2: M2: must be a whole number"),
        (("task,M1,M2", "a,x,x"), "t.csv: duration: column is missing"),
        (("task,machine,M1,M2", "a,M1,3,", "b,M2,,x"), "t.csv, line 3: M2: must be a whole number"),
        (("task,M1,M2", "a,3,", "b,,"), "t.csv, line 3: M1: has neither a duration nor a machine"),
        (("task,machine,M1,M2", "a,M1;M2,3,5"), "t.csv, line 2: M1: has a duration on each of M1 and M2"),
        (("task,machine,duration", "a,any,3"), "t.csv, line 2: machine: no row names a machine"),
        (("task,duration,M1 time,M2 time", "a,4,3,"), "t.csv, line 2: duration: is ambiguous beside durations on"),
        (("task,machine,Saw,Mill", "a,Saw,2,3", "b,any,4,1"), "t.csv: Mill: is beside the durations on Saw"),
        (("task,machine,Mill,Saw", "a,Saw,2,3", "b,any,4,1"), "t.csv: Mill: is beside the durations on Saw"),
        (
            ("task,duration,machine", 'a,3,"M1, or M2"'),
            "t.csv, line 2: machine: is no name; a choice has no separators",
        ),
        (("task,duration,agent", 'a,3,"Ann, or Ben"'), "t.csv, line 2: agent: is no name; a choice has no separators"),
        (("task,duration,machine", "a,3,M1;M1 or M2"), "t.csv, line 2: machine: uses a machine twice"),
        (
            ("task,duration,machine", f"a,3,{';'.join(f'A{i}/B{i}' for i in range(10))}"),
            "t.csv, line 2: machine: must have at most 1000 choices of machines, not 1024",
        ),
    ],
)
def test_choice_without_a_meaning_is_refused(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert faults(tmp_path, table(*lines))[0].startswith(message)


def test_names_that_differ_in_capitals_are_noted(tmp_path: Path) -> None:
    text = table("task,duration,machine,agent", "a,3,M1,Ann", "b,3,m1,ann", "c,3,M2,Ben")
    assert [note for note in notes(tmp_path, text) if "capitals" in note] == [
        "t.csv: each of these is one machine, as capitals count: M1, m1",
        "t.csv: each of these is one agent, as capitals count: Ann, ann",
    ]


def test_choice_is_kept_as_a_name_by_an_option() -> None:
    frame = pd.DataFrame({"task": ["a"], "duration": [1], "machine": ["M1 or M2"]})
    assert Model.from_frame(frame, names=["machine"]).build().resources[0].name == "M1 or M2"


def test_links_and_bounds_of_tasks_of_varying_duration_agree_with_a_plain_model(tmp_path: Path) -> None:
    random_source = random.Random(62)
    solved = 0
    for _ in range(20):
        text, makespan = _random_choices(random_source)
        result = solve(read(tmp_path, text))
        assert result.makespan == makespan, text
        solved += makespan is not None
    assert solved > 8


def _random_choices(random_source: random.Random) -> tuple[str, int | None]:
    """Return a table of four tasks with two machines to choose from, and its makespan by a plain model."""
    model = cp_model.CpModel()
    starts = [model.new_int_var(0, 60, "") for _ in range(4)]
    ends = [model.new_int_var(0, 70, "") for _ in range(4)]
    intervals: dict[str, list[cp_model.IntervalVar]] = {"M1": [], "M2": []}
    lines = ["id,name,M1,M2,predecessors,latest_start,fixed_start,fixed_end"]
    for i in range(4):
        durations = [random_source.randint(1, 6) for _ in intervals]
        chosen = [model.new_bool_var("") for _ in intervals]
        model.add_exactly_one(chosen)
        for machine, duration, is_chosen in zip(intervals, durations, chosen, strict=True):
            interval = model.new_optional_interval_var(starts[i], duration, ends[i], is_chosen, "")
            intervals[machine].append(interval)
        links = draw_links(random_source, 0.5, model, starts[: i + 1], ends)
        bounds = ["", "", ""]
        if random_source.random() < 0.4:
            column = random_source.randrange(3)
            value = random_source.randint(6, 12)
            bounds[column] = str(value)
            expressions = (starts[i] <= value, starts[i] == value, ends[i] == value)
            model.add(expressions[column])
        lines.append(f"{i},t{i},{durations[0]},{durations[1]},{';'.join(links)},{','.join(bounds)}")
    return table(*lines), best_makespan(model, ends, intervals.values())


# --- workers ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("three_workers")
@pytest.mark.parametrize("heading", ["workers", "worker", "crew", "Crew size", "No. of people", "Min workers"])
def test_numbers_of_workers_are_amounts_of_a_resource(heading: str, tmp_path: Path) -> None:
    problem = read(tmp_path, table(f"task,duration,{heading}", "a,5,2", "b,3,2", "c,4,1", "d,2,"))
    assert [(resource.name, resource.capacity) for resource in problem.resources] == [("workers", 3)]
    assert [sum(demand.amount for demand in action.modes[0].demands) for action in problem.actions] == [2, 2, 1, 0]
    assert solve(problem).makespan == 8
    assert problem.agents == ()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("task,duration,workers", "a,5,2"), "line 2: workers: numbers of workers need the number that there are"),
        (("task,duration,workers", "a,5,2.5"), "line 2: workers: must be a whole number of workers"),
        (("task,duration,crew", "a,5,2", "b,5,Ann"), "line 2: crew: the column has names of agents and numbers"),
        (("task,duration,workers,crew size", "a,5,2,1"), "workers: columns workers and crew size have this meaning"),
        (
            ("task,duration,agent,crew size", "a,5,Ann,2"),
            "line 2: crew size: several agents for one task are not supported",
        ),
    ],
)
def test_number_of_workers_without_a_meaning_is_refused(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert faults(tmp_path, table(*lines))[0].removeprefix("t.csv, ").removeprefix("t.csv: ").startswith(message)


@pytest.mark.usefixtures("three_workers")
def test_more_workers_than_there_are_make_a_problem_infeasible(tmp_path: Path) -> None:
    text = table("task,duration,workers", "a,5,4", "b,3,1")
    assert "t.csv: need more than there is, and cannot be done so (1): t/a" in notes(tmp_path, text)
    assert solve(read(tmp_path, text)).status == "infeasible"


@pytest.mark.usefixtures("three_workers")
def test_only_needed_workers_conflict_with_a_machine_of_their_name(tmp_path: Path) -> None:
    heading = "task,duration,machine,crew size"
    assert solve(read(tmp_path, table(heading, "a,5,workers,", "b,3,workers,0"))).makespan == 8
    message = "t.csv, line 3: crew size: a machine has the name workers, which the workers have (got '1')"
    assert faults(tmp_path, table(heading, "a,5,workers,", "b,3,,1")) == [message]


@pytest.mark.usefixtures("three_workers")
def test_number_of_workers_without_a_column_is_noted(tmp_path: Path) -> None:
    expected = "t.csv: no column workers: the number of workers has no effect; --map workers=COLUMN sets it"
    assert expected in notes(tmp_path, table("task,duration,machine", "a,5,M"))


def test_frame_has_a_number_of_workers() -> None:
    frame = pd.DataFrame({"task": ["a", "b"], "duration": [5, 5], "workers": [1, 1]})
    assert solve(Model.from_frame(frame, workers=1).build()).makespan == 10


# --- optional jobs ------------------------------------------------------------------------------------


def test_optional_job_is_done_if_it_fits_and_weights_decide(tmp_path: Path) -> None:
    text = table(
        "job,task,duration,machine,deadline,optional,value",
        "A,x,4,M,,no,",
        "B,x,5,M,9,yes,3",
        "C,x,3,M,9,yes,5",
        "D,x,2,M,9,yes,2",
    )
    problem = read(tmp_path, text)
    assert problem.optional == (("B", 3), ("C", 5), ("D", 2))
    result = solve(problem)
    assert (result.status, result.weight, result.makespan) == ("optimal", 8, 12)


def test_optional_rows_without_jobs_are_jobs_of_their_own(tmp_path: Path) -> None:
    problem = read(tmp_path, table("task,duration,after,mandatory", "a,4,,yes", "b,5,a,no", "c,1,b,yes"))
    assert [action.id for action in problem.actions] == ["t/a", "b/b", "t/c"]
    assert problem.optional == (("b", 1),)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("job,task,duration,optional", "A,x,1,yes", "A,y,1,no"), "line 3: optional: must be equal in all rows of the"),
        (
            ("job,task,duration,optional,weight", "A,x,1,yes,2", "A,y,1,yes,3"),
            "line 3: weight: must be equal in all rows of the job A: 2 before",
        ),
        (("task,duration,optional,weight", "a,1,yes,0"), "line 2: weight: must be a whole number above 0"),
        (("task,duration,optional,weight", "a,1,yes,"), "line 2: weight: must be a whole number above 0"),
        (("task,duration,optional,priority", "a,1,yes,1"), "priority: is ambiguous in a table with optional jobs"),
        (("task,duration,optional,Job priority", "a,1,yes,1"), "Job priority: is ambiguous in a table with optional"),
        (
            ("task,duration,optional,value,reward", "a,1,yes,1,2"),
            "weight: columns value and reward have this meaning; select one with --map weight=COLUMN",
        ),
        (("task,duration,optional,mandatory", "a,1,yes,no"), "optional: columns optional and mandatory contradict"),
        (("task,duration,optional", "a,1,maybe"), "line 2: optional: must be yes or no"),
    ],
)
def test_optional_job_without_a_clear_weight_is_refused(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert faults(tmp_path, table(*lines))[0].removeprefix("t.csv, ").removeprefix("t.csv: ").startswith(message)


def test_weight_may_have_a_currency(tmp_path: Path) -> None:
    text = table("task,duration,optional,Profit (EUR),weight (kg)", "a,1,yes,7,3")
    assert read(tmp_path, text).optional == (("a", 7),)


def test_weights_without_optional_jobs_are_ignored_with_a_note(tmp_path: Path) -> None:
    text = table("job,task,duration,machine,optional,weight,value,priority", "A,x,4,M,no,1,2,3")
    assert "t.csv: ignored columns: value, priority, weight" in notes(tmp_path, text)
    assert read(tmp_path, text).optional == ()


def test_deadline_of_an_optional_job_may_be_too_early(tmp_path: Path) -> None:
    text = table("job,task,duration,deadline,optional", "A,x,4,,no", "B,x,5,3,yes")
    result = solve(read(tmp_path, text))
    assert (result.weight, result.makespan) == (0, 4)
    with pytest.raises(InputError, match="is earlier than the earliest end of the task, 5"):
        read(tmp_path, text.replace("yes", "no"))
