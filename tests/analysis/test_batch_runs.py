"""Batches on the command line: order, processes, resuming after every kind of end, faults of disks.

``PLANORACLE_KILLS`` makes the test that kills processes longer: the number of seeds for each verb.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import time
from hashlib import blake2b
from pathlib import Path
from random import Random

import pytest
from support.batches import EAGER, finished, gone, kill, start, submissions, write
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis.batch import pool
from planoracle.analysis.batch.journal import NAME
from planoracle.analysis.cli import app
from planoracle.analysis.grade import Grade
from planoracle.instances import catalogue, files

KILLS = int(os.environ.get("PLANORACLE_KILLS", "1"))
OWN = {
    "format": "planoracle/instance",
    "version": 1,
    "name": "supper",
    "unit": "minute",
    "tasks": [{"name": "soup", "actions": [{"name": "boil", "duration": 9, "attended": 0}]}],
}


def appears(path):
    until = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.02)


def invoke(*args, stdin=None):
    return CliRunner().invoke(app, [str(arg) for arg in args], input=stdin)


def graded(folder, count, problems=None):
    """A file of submissions, with lines among them that cannot be read or judged, and its grades."""
    rows = submissions(count, problems=problems)
    rows[-300 * count // 1000]["instance"] = "recipe2plan/timed/Nothing"
    lines = [json.dumps(row) for row in rows]
    lines[3] = "{"
    lines[-200 * count // 1000] = "[" * 900 + "]" * 900
    path = folder / "many.jsonl"
    path.write_text("\n".join(lines))
    result = invoke("grade", path, "--format", "jsonl", "--jobs", "1")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == len(lines)
    return path, result.stdout.encode(), result.stderr


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return graded(tmp_path_factory.mktemp("many"), 1000)


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    return graded(tmp_path_factory.mktemp("some"), 250, problems=15)


@pytest.fixture(scope="module")
def instances(tmp_path_factory):
    """A folder of instances in files."""
    folder = tmp_path_factory.mktemp("instances")
    names = [name for name in catalogue.bundled() if name.startswith("recipe2plan/")][:40]
    for number, name in enumerate(names):
        (folder / f"{number:03}.json").write_text(json.dumps(files.to_document(catalogue.load(name))))
    return sorted(folder.iterdir())


def timeless(output):
    return [json.loads(line) | {"seconds": None} for line in output.splitlines()]


def kept(folder):
    lines = [json.loads(line) for line in (folder / NAME).read_bytes().splitlines()]
    return [line | {"check": None, "row": line["row"] | {"seconds": None}} if "row" in line else line for line in lines]


# --- order and processes -------------------------------------------------------------------------


@pytest.mark.slow
def test_grades_are_the_same_and_in_order_whoever_works(some):
    path, expected, diagnostics = some
    status, out, err = finished("grade", path, "--format", "jsonl", "--jobs", "3")
    assert (status, out) == (1, expected)
    assert err == diagnostics
    assert [json.loads(line)["line"] for line in out.splitlines()] == list(range(1, 251))


@pytest.mark.slow
def test_solutions_are_the_same_and_in_order_whoever_works(instances):
    args = ["solve", *instances[:20], "timearena/household1", "kitchens/synchronous/0_cheese_sandwich"]
    alone = invoke(*args, "--format", "jsonl", "--jobs", "1")
    status, out, err = finished(*args, "--format", "jsonl", "--jobs", "2")
    assert (alone.exit_code, status, err) == (0, 0, alone.stderr)
    assert timeless(out) == timeless(alone.stdout)
    assert len(timeless(out)) == 22


@pytest.mark.slow
def test_a_long_first_problem_does_not_hold_up_the_others(tmp_path):
    # The first problem takes all of its time; meanwhile processes solve the others, and all come in order.
    code = (
        f"{EAGER}\nimport time\nfrom planoracle.solver.exact import solve as module\nexact = module.solve\n"
        "def slow(instance, **options):\n    time.sleep(3 * (instance.name == 'supper'))\n"
        "    return exact(instance, **options)\nmodule.solve = slow"
    )
    (tmp_path / "own.json").write_text(json.dumps(OWN))
    run = tmp_path / "run"
    names = [tmp_path / "own.json", "recipe2plan/timed/Co*"]
    status, out, _ = finished("solve", *names, "--jobs", "2", "--format", "jsonl", "--run", run, before=code)
    assert status == 0
    assert [row["instance"] for row in timeless(out)] == ["supper", *catalogue.expand(["recipe2plan/timed/Co*"])]


@pytest.mark.slow
def test_names_come_from_standard_input(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps(OWN))
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    result = invoke("solve", "-", "-f", "jsonl", stdin=f"{path}\n{broken}\n\ntimearena/household1\r\n")
    assert result.exit_code == 1
    assert [row["instance"] for row in timeless(result.stdout)] == ["supper", "timearena/household1"]
    assert "broken.json: is not JSON" in result.stderr


# --- runs that go on -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(KILLS))
@pytest.mark.parametrize("verb", ["grade", "solve"])
@pytest.mark.slow
def test_killed_at_random_moments_a_run_goes_on_to_the_same_bytes(many, instances, tmp_path, verb, seed):
    random = Random(f"{verb} {seed}")
    args = ["grade", many[0]] if verb == "grade" else ["solve", *instances]
    args += ["--format", "jsonl", "--jobs", "2", "--run"]
    began = time.monotonic()
    status, out, _ = finished(*args, tmp_path / "whole")
    lasted = time.monotonic() - began
    for _ in range(2):
        process = start(*args, tmp_path / "run")
        time.sleep(random.uniform(0.3, 1) * lasted)
        kill(process)
        assert gone(process.pid)
    ended, again, err = finished(*args, tmp_path / "run")
    assert ended == status == (verb == "grade")
    assert "damaged" not in err
    if verb == "grade":
        assert again == out == many[1]
        assert (tmp_path / "run" / NAME).read_bytes() == (tmp_path / "whole" / NAME).read_bytes()
    else:
        assert timeless(again) == timeless(out)
        assert kept(tmp_path / "run") == kept(tmp_path / "whole")
    # Nothing is left to do: rerunning needs no workers and prints the same.
    assert finished(*args, tmp_path / "run", before="")[1] == again


@pytest.mark.slow
def test_a_run_does_only_what_is_missing(tmp_path, monkeypatch):
    from planoracle.analysis.grade import Grader

    graded = []
    judge = Grader.run

    def counted(self, submission):
        graded.append(submission["id"])
        return judge(self, submission)

    monkeypatch.setattr(Grader, "run", counted)
    monkeypatch.setattr(pool, "guarding", lambda: False)  # in this process, where they are counted
    rows = submissions(9)
    path = write(tmp_path / "s.jsonl", rows[:5])
    first = invoke("grade", path, "--format", "jsonl", "--run", tmp_path / "run")
    assert graded == ["s0", "s1", "s2", "s3", "s4"]
    # In another file, on other lines, with new ones among them and one twice.
    moved = write(tmp_path / "moved.jsonl", [rows[7], *rows[:5], rows[8], rows[7]])
    graded.clear()
    second = invoke("grade", moved, "--format", "jsonl", "--run", tmp_path / "run")
    assert set(graded) == {"s7", "s8"}
    again = [json.loads(line) for line in second.stdout.splitlines()]
    assert [row["line"] for row in again] == list(range(1, 9))
    assert [row | {"line": row["line"] - 1} for row in again[1:6]] == list(map(json.loads, first.stdout.splitlines()))
    # Other options have other results; both are kept side by side.
    for options, expected in ((("--profile", "released"), 5), (("--rule", "zero_duration=accepted"), 5), ((), 0)):
        graded.clear()
        assert invoke("grade", path, "--format", "jsonl", "--run", tmp_path / "run", *options).exit_code == 0
        assert len(graded) == expected


@pytest.mark.slow
def test_results_belong_to_the_content_of_instances_not_to_their_files(tmp_path):
    path, moved = tmp_path / "own.json", tmp_path / "moved.json"
    for place in (path, moved):
        place.write_text(json.dumps(OWN))
    args = ["--format", "jsonl", "--run", tmp_path / "run"]
    first = timeless(invoke("solve", path, *args).stdout)
    invoke("solve", moved, *args)
    assert len((tmp_path / "run" / NAME).read_text().splitlines()) == 2
    path.write_text(json.dumps(OWN).replace("9", "11"))
    (row,) = timeless(invoke("solve", path, *args).stdout)
    assert (first[0]["makespan"], row["makespan"]) == (9, 11)
    line = {
        "id": "x",
        "instance": str(path),
        "plan": [{"action": "soup/boil", "start": 0, "duration": 11, "agent": "agent"}],
    }
    graded = write(tmp_path / "s.jsonl", [line])
    args += ["--instances", tmp_path]
    assert timeless(invoke("grade", graded, *args).stdout)[0]["success"]
    path.write_text(json.dumps(OWN))
    assert not timeless(invoke("grade", graded, *args).stdout)[0]["success"]


@pytest.mark.slow
def test_faults_of_ours_and_unreadable_lines_are_not_kept(tmp_path, monkeypatch):
    from planoracle.analysis.grade import Grader

    path = write(tmp_path / "s.jsonl", submissions(2))
    path.write_text(path.read_text() + "{\n")
    with monkeypatch.context() as broken:
        broken.setattr(Grader, "run", lambda *_: 1 // 0)
        failed = invoke("grade", path, "--format", "jsonl", "--run", tmp_path / "run")
    assert failed.exit_code == 1
    assert failed.stderr.count("internal error: ZeroDivisionError") == 2
    found = invoke("grade", path, "--format", "jsonl", "--run", tmp_path / "run")
    assert [row["scored"] for row in timeless(found.stdout)] == [True, True, False]
    assert len((tmp_path / "run" / NAME).read_text().splitlines()) == 3


def forge(run, change):
    """Change the row of the first result of a run, with a check that fits."""
    lines = (run / NAME).read_bytes().splitlines(keepends=True)
    line = json.loads(lines[1])
    key, row = line["key"].encode(), change(line["row"])
    check = blake2b(key + row, digest_size=8).hexdigest().encode()
    lines[1] = b'{"key":"%s","check":"%s","row":%s}\n' % (key, check, row)
    (run / NAME).write_bytes(b"".join(lines))


def other(**values):
    return lambda row: json.dumps(row | values).encode()


ROWS = {
    "no JSON": lambda row: b"{oops",
    "no text": lambda row: b'"\xff"',
    "brackets": lambda row: b"[" * 100_000,
    "a list": lambda row: b"[]",
    "null": lambda row: b"null",
    "nothing in it": lambda row: b"{}",
    "a list for a name": other(instance=["x"]),
    "a list for a unit or a verdict": other(unit=[], scored=[]),
    "text for a number": other(progress="all", status=None),
    "a key less": lambda row: json.dumps({k: v for k, v in row.items() if k not in ("scored", "status")}).encode(),
}


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("verb", ["grade", "solve"])
@pytest.mark.parametrize("form", sample(["jsonl", "table"], 2))
def test_a_kept_row_that_is_none_is_told_and_done_again(tmp_path, verb, row, form):
    path = write(tmp_path / "s.jsonl", submissions(3))
    call = [verb, path if verb == "grade" else "recipe2plan/timed/Cobbler_P*", "--run", tmp_path / "run"]
    first = invoke(*call, "--format", "jsonl")
    forge(tmp_path / "run", ROWS[row])
    for said in (1, 0):
        result = invoke(*call, "--format", form)
        assert result.exit_code == 0, result.exception
        assert result.stderr.count("a result is not what it should be; its work is done again") == said
    assert timeless(invoke(*call, "--format", "jsonl").stdout) == timeless(first.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["timearena", "robotouille", "asynctool"])
@pytest.mark.parametrize("value", [None, "x", [], {}])
def test_a_kept_grade_without_what_its_averages_need_is_no_end(tmp_path, name, value):
    row = {"id": "a", "instance": catalogue.expand([name])[0], "turns" if name == "asynctool" else "actions": []}
    call = ["grade", write(tmp_path / "s.jsonl", [row]), "--format", "jsonl", "--run", tmp_path / "run"]
    first = invoke(*call)
    assert json.loads(first.stdout)["scored"]
    common = Grade.__slots__
    forge(tmp_path / "run", lambda row: json.dumps({key: row[key] if key in common else value for key in row}).encode())
    result = invoke(*call)
    assert result.exit_code == 0, result.exception
    assert value is None or result.stdout == first.stdout


# --- being stopped -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", sample([signal.SIGINT, signal.SIGTERM], 2))
def test_interrupts_end_all_processes_and_say_how_to_go_on(some, tmp_path, number):
    path, expected, _ = some
    args = ["grade", path, "--format", "jsonl", "--jobs", "2", "--run", tmp_path / "run"]
    random = Random()  # at another moment every time
    process = start(*args)
    while not (tmp_path / "run" / NAME).exists():
        time.sleep(0.01)
    time.sleep(random.uniform(0, 0.5))
    for _ in range(2):  # by somebody impatient
        if number == signal.SIGINT:  # a terminal sends it to the workers, too
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
    _, err = process.communicate(timeout=30)
    if process.returncode == 128 + number:
        # And nothing else, of semaphores that nobody put away, say.
        assert re.fullmatch(
            r"(error: line .*\n)*interrupted: (\d+ results are in|nothing was added to) .*; .* goes on from there\n",
            err.decode(),
        )
    else:  # it had just finished
        assert process.returncode == 1
    assert "Traceback" not in err.decode()
    assert gone(process.pid)
    assert finished(*args)[1] == expected


@pytest.mark.slow
def test_on_a_terminal_the_progress_bar_is_gone_before_the_last_word(tmp_path):
    code = (
        "import os, time\nfrom planoracle.solver.exact import solve\n"
        f"solve.solve = lambda *_, **__: os.mkdir({str(tmp_path / 'here')!r}) or time.sleep(60)"
    )
    own, other = os.openpty()
    with open(own, "rb", 0) as screen, open(other, "wb", 0) as terminal:
        process = start("solve", "recipe2plan/timed/Co*", "--jobs", "1", before=code, stderr=terminal)
        appears(tmp_path / "here")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        shown = screen.read(100_000).decode()
    assert process.returncode == 130
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1  # the cursor is there again
    assert shown.endswith("\x1b[2Kinterrupted: nothing is kept; with --run DIR, what is done would be\r\n")


@pytest.mark.slow
def test_a_reader_who_leaves_ends_a_search_at_once(tmp_path):
    code = (
        "import time\nfrom planoracle.solver.exact import solve\ntrue, calls = solve.solve, []\n"
        "solve.solve = lambda *a, **b: calls.append(0) or (true(*a, **b) if len(calls) < 3 else time.sleep(60))"
    )
    process = start("solve", "recipe2plan/timed/Co*", "--format", "jsonl", "--jobs", "1", before=code)
    process.stdout.close()
    assert process.wait(timeout=30) == 1
    with process.stderr:
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_an_interrupt_ends_a_search_at_once(tmp_path):
    code = (
        "import os, time\nfrom planoracle.solver.exact import solve\n"
        f"solve.solve = lambda *_, **__: os.mkdir({str(tmp_path / 'here')!r}) or time.sleep(60)"
    )
    process = start("solve", "recipe2plan/timed/Co*", "--jobs", "1", before=code)
    appears(tmp_path / "here")
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)  # and not after the minute that the search would take
    assert process.returncode == 130
    assert err.decode() == "interrupted: nothing is kept; with --run DIR, what is done would be\n"


@pytest.mark.slow
def test_two_processes_do_not_share_a_run(many, tmp_path):
    process = start("grade", many[0], "--run", tmp_path / "run", "--format", "jsonl")
    while not (tmp_path / "run" / NAME).exists():
        time.sleep(0.01)
    status, out, err = finished("grade", many[0], "--run", tmp_path / "run", before="")
    kill(process)
    assert (status, out) == (1, b"")
    assert err == f"error: {tmp_path}/run: another process is at work in this run directory\n"


# --- disks ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_file_that_may_not_grow_loses_nothing(many, tmp_path):
    path, expected, _ = many
    args = ["grade", path, "--format", "jsonl", "--jobs", "2", "--run", tmp_path / "run"]
    limit = 200_000

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    status, out, err = finished(*args, preexec_fn=small)
    assert status == 1
    assert f"{NAME}: cannot be written: File too large; " in err
    assert err.endswith(f" results are in {tmp_path / 'run'}; the same command goes on from there\n")
    assert "Traceback" not in err
    file = tmp_path / "run" / NAME
    assert 0 < file.stat().st_size <= limit
    assert expected.startswith(out)
    count = int(err.partition("File too large; ")[2].split()[0])
    assert count == len(file.read_bytes().splitlines()) - 1 > 0
    status, out, err = finished(*args)
    assert (status, out) == (1, expected)
    assert "torn" not in err


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("form", sample(["jsonl", "csv"], 2))
def test_output_to_a_full_disk_is_an_error(tmp_path, form):
    path = write(tmp_path / "s.jsonl", submissions(30))
    with open("/dev/full", "wb") as full:
        status, _, err = finished("grade", path, "--format", form, "--run", tmp_path / "run", stdout=full)
    assert status == 1
    count = len((tmp_path / "run" / NAME).read_bytes().splitlines()) - 1
    assert count > 0
    kept = f"{count} results are in {tmp_path / 'run'}; the same command goes on from there"
    assert err.endswith(f"error: the output cannot be written: No space left on device; {kept}\n")
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    if os.geteuid() == 0:
        place = Path("/proc/planoracle")  # not even the superuser writes there
    else:
        place = tmp_path / "locked" / "run"
        place.parent.mkdir(mode=0o500)
    status, _, err = finished("solve", "recipe2plan/timed/Co*", "--run", place, before="")
    assert status == 1
    assert err.startswith(f"error: {place}: cannot be made a run directory: ")
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize("verb", sample(["grade", "solve"], 2))
def test_a_run_directory_that_goes_away_is_an_error(tmp_path, verb):
    path = write(tmp_path / "s.jsonl", submissions(3))
    before = (
        "import shutil\nfrom planoracle.analysis.batch import pool\nend = pool.Pool.__exit__\npool.Pool.__exit__ = "
    )
    code = before + f"lambda *args: (shutil.rmtree({str(tmp_path / 'run')!r}), end(*args))[1]"
    call = [verb, path if verb == "grade" else "recipe2plan/timed/Cobbler_P*", "--run", tmp_path / "run"]
    status, _, err = finished(*call, before=code)
    assert status == 1
    assert err == f"error: {tmp_path}/run/{NAME}: was moved or deleted while at work; results are kept there no more\n"


@pytest.mark.slow
def test_a_broken_file_is_told_and_mended(many, tmp_path):
    path, expected, _ = many
    args = ["grade", path, "--format", "jsonl", "--jobs", "1", "--run", tmp_path / "run"]
    assert invoke(*args).stdout.encode() == expected
    file = tmp_path / "run" / NAME
    lines = file.read_bytes().splitlines(keepends=True)
    lines[100] = lines[100].replace(b'"progress": ', b'"progress": 1')
    file.write_bytes(b"".join(lines)[:-20])
    result = invoke(*args)
    assert result.stdout.encode() == expected
    assert f"warning: {file}: the last line was torn when a process ended, and is dropped\n" in result.stderr
    assert (
        f"warning: {file}: line 101 is damaged; its work is done again, unless a later line has the result\n"
        in result.stderr
    )
    assert len(file.read_bytes().splitlines()) == len(lines) + 1
