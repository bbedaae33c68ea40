"""Commands over many inputs: order, limits, resumption, signals, full disks, code in the folder."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from support.batches import (
    EAGER,
    execute,
    has_ended,
    in_workers,
    run_to_end,
    start,
    stored_rows,
    submissions,
    within,
    write,
)
from support.runner import invoke
from support.samples import sample

from planoracle.analysis.batch.entry_files import checksum
from planoracle.analysis.batch.journal import NAME
from planoracle.analysis.grading.grader import Grade
from planoracle.instances.files import catalog

COBBLERS = "recipe2plan/timed/Cobbler_P*"
OWN = {
    "format": "planoracle/instance",
    "version": 1,
    "name": "supper",
    "unit": "minute",
    "tasks": [{"name": "soup", "actions": [{"name": "boil", "duration": 9, "attended": 0}]}],
}
# Workers grade slowly enough for a signal to come in between.
SLOWLY = "import time\nfrom planoracle.analysis.grading.grader import Grader\ntrue = Grader.run\n" + (
    "Grader.run = lambda self, one: time.sleep(0.01) or true(self, one)"
)
# Workers search for a minute after a mark.
SEARCHING = "import os, time\nfrom planoracle.analysis.batch import tasks\n" + (
    "tasks.load_or_solve = lambda *_, **__: os.mkdir({!r}) or time.sleep(60)"
)


def graded(folder, count):
    """Return a file of submissions, some of them unreadable, with its grades and messages."""
    rows = submissions(count, problems=15)
    rows[-300 * count // 1000]["instance"] = "recipe2plan/timed/Nothing"
    lines = [json.dumps(row) for row in rows]
    lines[3] = "{"
    lines[-200 * count // 1000] = "[" * 900 + "]" * 900
    path = folder / "s.jsonl"
    path.write_text("\n".join(lines))
    result = invoke("grade", path, "--format", "jsonl", "--jobs", "1")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == len(lines)
    return path, result.stdout.encode(), result.stderr


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    return graded(tmp_path_factory.mktemp("some"), 60)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return graded(tmp_path_factory.mktemp("many"), 400)


def timeless(output):
    return [json.loads(line) | {"seconds": None} for line in output.splitlines()]


def rows_of(folder):
    """Return the rows of a run directory by key, without the seconds that they took."""
    return {key: row | {"seconds": None} for key, row in stored_rows(folder).items()}


# --- order, limits, code of others ----------------------------------------------------------------


@pytest.mark.slow
def test_results_are_the_same_and_in_order_with_any_number_of_workers(many, tmp_path):
    assert run_to_end("grade", many[0], "--format", "jsonl", "--jobs", "3", before=EAGER) == (1, *many[1:])
    (tmp_path / "own.json").write_text(json.dumps(OWN))
    names = [tmp_path / "own.json", "recipe2plan/timed/Co*", "kitchens/synchronous/0_cheese_sandwich"]
    alone, shared = (run_to_end("solve", *names, "--format", "jsonl", "--jobs", jobs, before=EAGER) for jobs in (1, 2))
    assert (alone[0], timeless(alone[1]), alone[2]) == (0, timeless(shared[1]), shared[2])
    assert [row["instance"] for row in timeless(alone[1])] == ["supper", *catalog.expand(names[1:])]


# Modules that the command and its workers import, of Python, of libraries and of planoracle.
MODULES = (
    *("json", "multiprocessing", "numpy", "ortools", "pickle", "planoracle", "queue", "random", "resource", "signal"),
    *("sitecustomize", "sqlite3", "stat", "struct", "subprocess", "threading", "typer", "usercustomize", "loky"),
    *("distributed", "rich", "tempfile", "types", "enum", "copyreg", "dataclasses"),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    sample(
        [
            ("grade", "s.jsonl", "--format", "jsonl", "--run", "run"),
            ("report", "s.jsonl", "-o", "page.html", "--regret-seconds", "1"),
            ("run", "timearena/household1", "--agent", "greedy", "--run", "run"),
            ("solve", "timearena/household1", "--format", "jsonl"),
        ]
    ),
    ids=lambda call: call[0],
)
def test_no_code_in_the_current_folder_is_run(tmp_path, call):
    write(tmp_path / "s.jsonl", [{"id": "a", "instance": "timearena/household1", "plan": ["wait"]}])
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'a').write({name!r})")
    script = Path(sys.executable).with_name("planoracle")
    if not script.exists():
        pytest.skip("planoracle is not installed beside this interpreter")
    done = subprocess.run([script, *call], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not (tmp_path / "mark").exists(), (tmp_path / "mark").read_text()
    assert done.returncode == 0, done.stderr
    if call[0] == "grade":
        assert json.loads(done.stdout)["optimal_makespan"] == 13
    if call[0] == "solve":
        assert json.loads(done.stdout)["makespan"] == 13


SPINNING = "from planoracle.analysis.grading.problem_loader import Problems\ntrue = Problems.find\n" + (
    "Problems.find = lambda self, name: sum(range(10**12)) if 'lab1' in name else true(self, name)"
)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["grade", "audit", "regret", "critique", "repair", "report"])
def test_submission_over_the_time_limit_is_unscored_and_the_others_are_graded(tmp_path, command):
    names = {"a": "timearena/household1", "b": "timearena/lab1", "c": "timearena/household1"}
    rows = [{"id": name, "instance": instance, "plan": ["wash cup", "wait"]} for name, instance in names.items()]
    path, page = write(tmp_path / "s.jsonl", rows), tmp_path / "page.html"
    options = ("-o", page, "--regret-seconds", "1") if command == "report" else ("--format", "jsonl")
    status, out, err = run_to_end(command, path, *options, "--line-seconds", "1.5", env=in_workers(SPINNING))
    assert status == 1
    message = "takes more than 1.5 s of processor time (--line-seconds)"
    assert f"line 2: {message}" in err
    if command != "report":
        assert {"a", "c"} <= {json.loads(line)["id"] for line in out.splitlines()}


# --- resumption -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_command_resumes_a_run_with_some_results(some, tmp_path):
    path, expected, _ = some
    half = tmp_path / "half.jsonl"
    half.write_text("\n".join(path.read_text().splitlines()[:30]))
    call = ("--format", "jsonl", "--jobs", "1", "--run", tmp_path / "run")
    invoke("grade", half, *call)
    stored = rows_of(tmp_path / "run")
    assert 20 < len(stored) < 30  # unreadable lines are not stored
    for key in sorted(stored)[::2]:
        execute(tmp_path / "run", "DELETE FROM entries WHERE key = ?", key)
    assert invoke("grade", path, *call).stdout.encode() == expected
    resumed = rows_of(tmp_path / "run")
    assert resumed == resumed | stored


@pytest.mark.slow
def test_resumed_run_computes_only_missing_results(tmp_path):
    log, run = tmp_path / "log", tmp_path / "run"
    counted = (
        f"from planoracle.analysis.grading.grader import Grader\ntrue, log = Grader.run, open({str(log)!r}, 'a', 1)\n"
        + ("Grader.run = lambda self, one: log.write(one['id'] + ' ') and log.flush() or true(self, one)")
    )

    def grade(path, *options):
        log.write_text("")
        call = ("grade", path, "--format", "jsonl", "--jobs", "1", "--run", run, *options)
        status, out, err = run_to_end(*call, env=in_workers(counted))
        assert status == 0, err
        return log.read_text().split(), [json.loads(line) for line in out.splitlines()]

    rows = submissions(9)
    path = write(tmp_path / "s.jsonl", rows[:5])
    computed, first = grade(path)
    assert computed == ["s0", "s1", "s2", "s3", "s4"]
    # In another file, on other lines, with new ones among them and one twice.
    computed, second = grade(write(tmp_path / "moved.jsonl", [rows[7], *rows[:5], rows[8], rows[7]]))
    assert set(computed) == {"s7", "s8"}
    assert [row["line"] for row in second] == list(range(1, 9))
    assert [row | {"line": row["line"] - 1} for row in second[1:6]] == first
    # Other options have other results; all are stored.
    for options in ("--profile", "released"), ("--rule", "zero_duration=accepted"), ("--line-seconds", "99"):
        assert len(grade(path, *options)[0]) == 5
    assert grade(path) == ([], first)


@pytest.mark.slow
def test_stored_results_depend_on_the_content_of_problems_only(tmp_path):
    for name, duration, count in ("own", 9, 1), ("moved", 9, 1), ("own", 11, 2):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(OWN).replace("9", str(duration)))
        (row,) = timeless(invoke("solve", path, "--format", "jsonl", "--run", tmp_path / "run").stdout)
        assert (row["makespan"], len(stored_rows(tmp_path / "run"))) == (duration, count)
    piece = {"action": "soup/boil", "start": 0, "duration": 11, "agent": "agent"}
    graded = write(tmp_path / "s.jsonl", [{"id": "x", "instance": str(path), "plan": [piece]}])
    for duration in (11, 9):
        path.write_text(json.dumps(OWN).replace("9", str(duration)))
        call = ("grade", graded, "--format", "jsonl", "--run", tmp_path / "run", "--instances", tmp_path)
        assert json.loads(invoke(*call).stdout)["success"] is (duration == 11)


@pytest.mark.slow
def test_internal_errors_and_unreadable_lines_are_not_stored(tmp_path):
    path = write(tmp_path / "s.jsonl", submissions(2))
    path.write_text(path.read_text() + "{\n")
    call = ("grade", path, "--format", "jsonl", "--run", tmp_path / "run")
    broken = "from planoracle.analysis.grading.grader import Grader\nGrader.run = lambda *_: 1 // 0"
    status, _, err = run_to_end(*call, env=in_workers(broken))
    assert status == 1
    assert "2 submissions (first: " in err
    assert err.count("internal error: ZeroDivisionError") == 1
    assert stored_rows(tmp_path / "run") == {}
    assert [row["scored"] for row in timeless(run_to_end(*call)[1])] == [True, True, False]
    assert len(stored_rows(tmp_path / "run")) == 2


def other(**values):
    return lambda row: json.dumps(row | values)


ROWS = {
    "no JSON": lambda row: "{oops",
    "nesting": lambda row: "[" * 100_000,
    "a list": lambda row: "[]",
    "nothing in it": lambda row: "{}",
    "a list for a name": other(instance=["x"]),
    "a list for a unit or a verdict": other(unit=[], scored=[]),
    "text for a number": other(progress="all", status=None),
    "a key less": lambda row: json.dumps({k: v for k, v in row.items() if k not in ("scored", "status")}),
}


def forge(run, change):
    """Change the first row of a run."""
    ((key, text), *_) = execute(run, "SELECT key, text FROM entries")
    changed = change(json.loads(text))
    values = changed, checksum(key.encode(), changed.encode()), key
    execute(run, "UPDATE entries SET text = ?, checksum = ? WHERE key = ?", *values)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("command", ["grade", "solve"])
def test_invalid_stored_row_is_reported_and_computed_again(tmp_path, command, row):
    path = write(tmp_path / "s.jsonl", submissions(3))
    call = [command, path if command == "grade" else COBBLERS, "--run", tmp_path / "run", "--format", "jsonl"]
    first = invoke(*call)
    forge(tmp_path / "run", ROWS[row])
    for count in (1, 0):
        result = invoke(*call)
        assert result.exit_code == 0, result.exception
        assert result.stderr.count("a stored result is invalid; it is computed again") == count
        assert timeless(result.stdout) == timeless(first.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["timearena", "robotouille", "asynctool"])
@pytest.mark.parametrize("value", [None, "x", [], {}])
def test_stored_grade_without_fields_of_averages_is_computed_again(tmp_path, name, value):
    row = {"id": "a", "instance": catalog.expand([name])[0], "turns" if name == "asynctool" else "actions": []}
    call = ["grade", write(tmp_path / "s.jsonl", [row]), "--format", "jsonl", "--run", tmp_path / "run"]
    first = invoke(*call)
    assert json.loads(first.stdout)["scored"]
    common = Grade.__slots__
    forge(tmp_path / "run", lambda row: json.dumps({key: row[key] if key in common else value for key in row}))
    result = invoke(*call)
    assert result.exit_code == 0, result.exception
    assert value is None or result.stdout == first.stdout


# --- signals --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", sample([signal.SIGINT, signal.SIGTERM], 2))
def test_interrupts_end_all_processes_and_print_that_the_command_resumes(many, tmp_path, number):
    path, expected, _ = many
    args = ["grade", path, "--format", "jsonl", "--jobs", "2", "--run", tmp_path / "run"]
    process = start(*args, before=EAGER, env=in_workers(SLOWLY))
    assert within(30, (tmp_path / "run" / NAME).exists)
    time.sleep(Random().uniform(0, 1.5))  # at another moment every time
    for _ in range(2):  # several times in a row
        os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert re.fullmatch(
        r"((error|note): .*\n)*interrupted: (\d+ results are in|no results were added to) .*; .* resumes from there\n",
        err.decode(),
    )
    if match := re.search(rb"(\d+) results", err):
        assert int(match[1]) == len(stored_rows(tmp_path / "run"))
    assert has_ended(process.pid)
    assert run_to_end(*args)[1] == expected


@pytest.mark.slow
def test_an_interrupt_ends_a_search_at_once_and_removes_the_progress_bar(tmp_path):
    own, other = os.openpty()
    env = in_workers(SEARCHING.format(str(tmp_path / "mark")))
    with open(own, "rb", 0) as screen, open(other, "wb", 0) as terminal:
        process = start("solve", COBBLERS, "--jobs", "1", env=env, stderr=terminal)
        assert within(30, (tmp_path / "mark").exists)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=30)  # not after the minute of the search
        assert has_ended(process.pid)
        output = screen.read(100_000).decode()
    assert process.returncode == 130
    assert output.count("\x1b[?25l") == output.count("\x1b[?25h") == 1  # the cursor is shown again
    assert output.endswith("\x1b[2Kinterrupted: no results are stored; --run DIR stores them\r\n")


# --- disks ----------------------------------------------------------------------------------------


def limited(size):
    """Return a function that limits the size of files of a process, as a full disk does."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.slow
def test_full_disk_loses_no_stored_result(many, tmp_path):
    path, expected, _ = many
    args = ["grade", path, "--format", "jsonl", "--jobs", "1", "--run"]
    assert run_to_end(*args, tmp_path / "whole")[:2] == (1, expected)
    size = (tmp_path / "whole" / NAME).stat().st_size
    args.append(tmp_path / "run")
    status, out, err = run_to_end(*args, env=in_workers(SLOWLY), preexec_fn=limited(size * 2 // 3))
    assert status == 1
    assert f"{NAME}: cannot be read or written: disk I/O error; " in err
    assert err.endswith(f" results are in {tmp_path / 'run'}; the same command resumes from there\n")
    assert "Traceback" not in err
    assert expected.startswith(out)
    assert int(re.search(r"(\d+) results are in", err)[1]) == len(stored_rows(tmp_path / "run")) > 0
    assert run_to_end(*args)[:2] == (1, expected)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_grading_works_on_a_read_only_machine(some, tmp_path, jobs):
    """Grading needs no cache, home or folder for temporary files."""
    path = write(tmp_path / "s.jsonl", [{"id": "t", "instance": "timearena/household1+lab2", "plan": []}])
    path.write_text(path.read_text() + some[0].read_text())
    args = ["grade", path, "--format", "jsonl", "--jobs", jobs]
    expected = run_to_end(*args)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PLANORACLE", "XDG"))}
    env |= {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
    status, out, err = run_to_end(*args, before=EAGER, env=env, cwd="/", preexec_fn=limited(0))
    assert (status, out) == expected[:2], err
    assert err.count("the cache of optima is not used") in (1, jobs)
    assert "Traceback" not in err
