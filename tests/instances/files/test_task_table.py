"""Tables of tasks: spellings of columns and cells, the resulting problems, and error messages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from support.runner import values_in_this_process
from support.samples import sample
from typer.testing import CliRunner

from planoracle import Model, explain, load, schedule, solve
from planoracle.analysis.cli import app
from planoracle.instances.errors import InputError
from planoracle.instances.files.instance_file import instance_of, to_document
from planoracle.instances.model.instance import Instance, Lag, Resource
from tests.support.tables import faults, notes, read

ROOT = Path(__file__).resolve().parents[3]
WORKSHOP = ROOT / "instances" / "examples" / "workshop.csv"

pytestmark = pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process, since a worker takes half a second; `test_hostile_tables` reads in workers."""
    monkeypatch.setattr("planoracle.instances.workers.file_reader.each_in_worker", values_in_this_process)


# --- the problem of a table -----------------------------------------------------------------------


def test_table_with_machines_needs_no_agents() -> None:
    workshop = load(WORKSHOP)
    assert isinstance(workshop, Instance)
    assert workshop.agents == ()
    assert [resource.name for resource in workshop.resources] == ["saw", "drill", "booth", "sander", "bench"]
    assert solve(workshop).makespan == 14 < sum(action.duration for action in workshop.actions) == 20
    assert schedule(workshop, "serial-lpt").makespan == 14
    assert instance_of(to_document(workshop)) == workshop


@pytest.mark.parametrize(
    "text",
    [
        "job,operation,machine,duration\nA,1,M1,3\nA,2,M2,2\nB,1,M2,4\nB,2,M1,1\n",
        "\ufeffJob;Op;Maschine;Machine;Processing Time\n\nA;1;x;M1;3\nA;2;x;M2;2.0\n;;;;\nB;1;x;M2;4\nB;2;x;M1;1\n",
        "machine\tjob\tdur\nM1\tA\t3\nM2\tA\t2\nM2\tB\t4\nM1\tB\t1\n",
        "job,step,machine,duration\nB,2,M1,1\nA,2,M2,2\nA,1,M1,3\nB,1,M2,4\n",
        "task,step,machine,duration,depends_on\nA,1,M1,3,\nA,2,M2,2,1\nB,1,M2,4,\nB,2,M1,1,1\n",
        "job,id,machine,duration,pred\nA,11,M1,3,\nA,12,M2,2,11\nB,21,M2,4,\nB,22,M1,1,21\n",
    ],
    ids=["usual", "semicolons", "tabs", "unsorted", "after", "ids"],
)
def test_different_tables_give_the_same_job_shop(text: str, tmp_path: Path) -> None:
    shop = read(tmp_path, text)
    assert sorted((action.task, action.duration) for action in shop.actions) == [("A", 2), ("A", 3), ("B", 1), ("B", 4)]
    durations = {action.id: action.duration for action in shop.actions}
    assert sorted((durations[lag.before], durations[lag.after]) for lag in shop.lags) == [(3, 2), (4, 1)]
    assert solve(shop).makespan == 6


def test_all_columns_are_read(tmp_path: Path) -> None:
    text = (
        "id,name,duration (min),predecessors,max_lag,machine,amount,capacity,worker,attended,interruptible,ready,note\n"
        '1,mix,10,,,bowl,,,"ann, ben",,yes,5,\n'
        "2,bake,1 h,1,0,oven,2,3,ann,no,,,hot\n"
        '3,"ice, cut",5 min,1;bake,,,,,any,,no,,\n'
        '4,wait,15,"ice, cut",,,,,,,,,\n'
    )
    cake = read(tmp_path, text)
    assert (cake.unit, cake.seconds_per_tick, cake.agents) == ("minute", 60, ("ann", "ben"))
    assert cake.resources == (Resource("bowl"), Resource("oven", 3))
    mix, bake, ice, wait = cake.actions
    assert (mix.agents, mix.interruptible, mix.release, mix.attended) == (("ann", "ben"), True, 5, 10)
    assert (bake.duration, bake.attended, bake.agents, bake.modes[0].demands[0].amount) == (60, 0, ("ann",), 2)
    assert (ice.id, ice.agents, wait.agents, wait.attended) == ("t/ice, cut", None, (), 0)
    assert set(cake.lags) == {
        Lag(mix.id, bake.id, 0, 0),
        Lag(mix.id, ice.id),
        Lag(bake.id, ice.id),
        Lag(ice.id, wait.id),
    }
    assert notes(tmp_path, text) == [
        "t.csv: ignored columns: note",
        "t.csv: tasks without an agent (1) need no agent; 'any' makes all agents eligible",
    ]


def test_attendance_column_implies_one_agent(tmp_path: Path) -> None:
    tea = read(tmp_path, "task,duration,unattended\nboil,5,yes\nchop,3,\n")
    assert (tea.agents, [action.attended for action in tea.actions]) == (("agent",), [0, 3])
    assert solve(tea).makespan == 5


def test_tasks_without_machines_and_agents_wait_only_for_predecessors(tmp_path: Path) -> None:
    text = "task,hours,after\na,3,\nb,4,\nc,1,a|b\n"
    assert solve(read(tmp_path, text)).makespan == 5
    assert notes(tmp_path, text) == ["t.csv: no column agent or machine: tasks wait only for their predecessors"]


def test_job_as_predecessor_means_all_its_tasks(tmp_path: Path) -> None:
    house = read(tmp_path, "job,task,duration,after\nA,x,1,\nA,y,2,\nB,x,3,A\n")
    assert [lag.before for lag in house.lags] == ["A/x", "A/y"]


def test_deadlines_are_met_and_named_in_explanations(tmp_path: Path) -> None:
    text = "task,duration,after,agent,release,deadline,interruptible\na,2,,ann,,,\nb,3,,ann,2,{},{}\nc,2,a,ann,,9,\n"
    for interruptible in ("", "yes"):
        assert solve(read(tmp_path, text.format(5, interruptible))).makespan == 7
        shop = read(tmp_path, text.format(5, interruptible))
        ends = {piece.action: piece.end for piece in solve(shop).schedule.pieces}  # type: ignore[union-attr]
        assert ends["t/b"] == 5
        conflict = explain(read(tmp_path, text.format(5, interruptible).replace(",9,", ",6,"))).lines()
        assert any(line == "- t/c must be finished by tick 6" for line in conflict), conflict
        assert not [line for line in conflict if "begin" in line or "done" in line]
    times = explain(read(tmp_path, "task,duration,after,due\na,4,,\nb,5,a,8\n", "u.csv")).lines()
    assert times[1:4] == [
        "- u/b must be finished by tick 8",
        "- u/b cannot start before u/a is finished",
        "4 ticks (u/a) + 5 ticks (u/b) = 9 ticks, more than 8 ticks (the deadline of u/b)",
    ]


# --- faults ---------------------------------------------------------------------------------------


def test_every_fault_has_line_column_value_and_accepted_values(tmp_path: Path) -> None:
    text = "task,time,after,attended,amount,machine\na,1.5,,,,m\nb,x,,1,-1,\n,2,,,,\nc/d,3,,maybe,1,\n"
    assert faults(tmp_path, text) == [
        "t.csv, line 2: time: must be a whole number, if need be in a finer unit: head the column time (min) and write "
        "minutes (got '1.5')",
        "t.csv, line 3: time: must be a whole number, 0 or more; times may be spans such as 90 min (got 'x')",
        "t.csv, line 3: attended: is ambiguous: yes or one tick; write yes or no (got '1')",
        "t.csv, line 3: amount: must be a whole number from 0 to 1000000000 (got '-1')",
        "t.csv, line 5: attended: must be a whole number, 0 or more; times may be spans such as 90 min (got 'maybe')",
    ]
    many = faults(tmp_path, "task,duration\n" + "a,x\n" * 50)
    assert len(many) == 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,duration\na,1\na,2\n", "t.csv, line 3: task: names must be unique (got 't/a')"),
        (
            "task,duration\n,1\n",
            "t.csv, line 2: task: must be task/name; neither part may be empty or contain '/' (got 't/')",
        ),
        (
            "task,duration\na/b,1\n",
            "t.csv, line 2: task: must be task/name; neither part may be empty or contain '/' (got 't/a/b')",
        ),
        (
            "task,duration,after\nglue,1,gleu\n",
            "t.csv, line 2: after: 'gleu' is not a task of the table; did you mean glue? (got 'gleu')",
        ),
        (
            "job,task,duration,after\nA,x,1,\nB,x,1,\nC,y,1,x\n",
            "t.csv, line 4: after: 'x' is ambiguous; write A/x or B/x (got 'x')",
        ),
        ("task,duration,after\na,1,a\n", "t.csv, line 2: after: an action cannot precede itself (got 't/a')"),
        ("task,duration,after\na,1,b\nb,1,a\n", "t.csv: after: the precedences form a cycle: t/a -> t/b -> t/a"),
        ("task,duration,attended\na,1,2\n", "t.csv, line 2: attended: must not exceed the duration 1 (got 2)"),
        (
            "task,duration,due,ready\na,3,4,2\n",
            "t.csv, line 2: due: is earlier than the earliest end of the task, 5 (got '4')",
        ),
        ("task,duration,deadlin\na,1,2\n", "t.csv: deadlin: unknown column; did you mean deadline?"),
        (
            "task,dur,time\na,1,2\n",
            "t.csv: duration: columns dur and time have this meaning; select one with --map duration=COLUMN",
        ),
        ("x,y\na,1\n", "t.csv: task: column is missing; the columns are x, y; select one with --map task=COLUMN"),
        (
            "task,y\na,1\n",
            "t.csv: duration: column is missing; the columns are task, y; select one with --map duration=COLUMN",
        ),
        ("task,minutes,due (h)\na,1,2\n", "t.csv: minutes, due (h): must have the same unit of time"),
        (
            "task,duration_h\na,90 min\n",
            "t.csv, line 2: duration_h: must be a multiple of the tick length, 3600 seconds; head the column "
            "duration (min) and write 90 (got '90 min')",
        ),
        (
            "task,duration\na,90 min\nb,1\n",
            "t.csv, line 2: duration: a time span requires seconds_per_tick or a unit such as minute; in a table, a "
            "column may name the unit, as in duration_min (got '90 min')",
        ),
        ("task,duration\na,1,2\n", "t.csv, line 2: has 3 cells, but the header has 2 columns"),
        ("\n,,\ntask,duration\na,1,2\n", "t.csv, line 4: has 3 cells, but the header has 2 columns"),
        ("job,step,duration\na,1,5\n,2,5\n", "t.csv, line 3: job: is empty; every row names its job (got '')"),
        (
            "task,duration,machine,resource\na,1,m,r\n",
            "t.csv: machine: columns machine and resource have this meaning; select one with --map machine=COLUMN",
        ),
        ("task,duration,task\na,1,2\n", "t.csv: task: two columns have this name"),
        ("task,duration\n,\n", "t.csv: contains no tasks"),
        ("", "t.csv: contains no tasks"),
        (
            ",".join(f"c{i}" for i in range(501)) + "\n" + "1," * 500 + "1",
            "t.csv: must have at most 500 columns (got 501)",
        ),
        (b"task,dauer\xe4\n", "t.csv: is not UTF-8 (invalid continuation byte in line 1); save it as UTF-8"),
    ],
)
def test_invalid_table_is_rejected(text: str | bytes, message: str, tmp_path: Path) -> None:
    assert faults(tmp_path, text) == [message]


@pytest.mark.parametrize("name", ["t.parquet", "t.xlsx"])
def test_damaged_table_is_rejected(name: str, tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, b"PAR1" * 9, name)
    assert "is damaged or not" in fault or "needs openpyxl: pip install 'planoracle[excel]'" in fault


def test_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert faults(tmp_path, b"PK", "t.xlsx") == ["t.xlsx: Excel needs openpyxl: pip install 'planoracle[excel]'"]


# --- frames and other formats ---------------------------------------------------------------------


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "task": ["a", "b", "c"],
            "duration": pd.to_timedelta([3, 4, 5], unit="min"),
            "after": [None, ["a"], ["a", "b"]],
            "ready": pd.array([1, None, None], dtype="Int64"),
            "worker": ["ann", "ben", None],
        }
    )


def test_frame_and_its_files_give_equal_problems(tmp_path: Path) -> None:
    model = Model.from_frame(frame(), "t", unit="minute")
    problem = model.build()
    assert [action.duration for action in problem.actions] == [3, 4, 5]
    assert [action.release for action in problem.actions] == [1, 0, 0]
    assert problem.agents == ("ann", "ben")
    timed = frame().rename(columns={"duration": "duration_min"})
    timed.to_parquet(tmp_path / "t.parquet")
    timed.assign(after=["", "a", "a;b"]).to_csv(tmp_path / "t.csv", index=False)
    for name in ("t.parquet", "t.csv"):
        assert load(tmp_path / name).actions == problem.actions  # type: ignore[attr-defined]
    assert Model.from_frame(frame().set_index("task"), "t", unit="minute").build() == problem
    renamed = frame().rename(columns={"task": "Vorgang"})
    assert Model.from_frame(renamed, "t", unit="minute", columns={"task": "Vorgang"}).build() == problem


def test_excel_and_csv_give_equal_problems(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    table = pd.read_csv(WORKSHOP)
    table.to_excel(tmp_path / "workshop.xlsx", index=False)
    assert load(tmp_path / "workshop.xlsx") == load(WORKSHOP)
    table.assign(duration=[1.5, *table["duration"][1:]]).to_excel(tmp_path / "workshop.xlsx", index=False)
    with pytest.raises(InputError, match=r"workshop.xlsx, line 2: duration: must be a whole number, .* \(got 1.5\)"):
        load(tmp_path / "workshop.xlsx")


def test_faults_of_a_frame_name_the_row() -> None:
    with pytest.raises(InputError, match=r"^rows\[1\].duration: must be a whole number, .* \(got 0.5\)$"):
        Model.from_frame(pd.DataFrame({"task": ["a", "b"], "duration": [1, 0.5]}))


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", sample(["solve", "compare", "explain", "gantt", "solve --heuristic serial-lpt"], 2))
def test_commands_accept_a_table_and_column_names(command: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Vorgang,Zeit,machine\na,3,m\nb,4,m\n")
    call = [*command.split(), str(path), "--map", "task=Vorgang", "--map", "duration=Zeit"]
    if command == "gantt":
        call += ["-o", str(tmp_path / "t.svg")]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0, result.output
    assert command == "gantt" or "7" in result.stdout
    assert CliRunner().invoke(app, call[: call.index("--map")]).exit_code != 0
    assert CliRunner().invoke(app, [*call, "--map", "tsk=a"]).exit_code != 0


@pytest.mark.parametrize("command", sample(["solve", "explain"]))
def test_commands_print_notes_on_table_and_busy_agent(command: str, tmp_path: Path) -> None:
    """Workers write notes to standard error of their own, so that the command runs in a process."""
    (tmp_path / "t.csv").write_text("task,duration,agent,cost\na,3,ann,1\nb,4,ann,2\n")
    call = [sys.executable, "-c", "from planoracle.analysis.cli import main; main()", command, "t.csv"]
    process = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True)
    first, *others = process.stderr.splitlines()
    assert first == "note: t.csv: ignored columns: cost"
    if command == "solve":
        assert others == ["note: t: the only agent (ann) is busy for all 7 ticks; --agents 2 adds a second agent"]


def test_names_ending_in_decimals_are_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("task,duration,after\nrelease 1.0,3.0,\nrelease 1,2,release 1.0\n4.0,1,\n")
    assert [action.id for action in load(path).actions] == ["t/release 1.0", "t/release 1", "t/4"]
