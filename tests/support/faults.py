"""Faults that commands must survive, and the table of what they lose, double and get wrong.

Moments, sizes and bytes are drawn by a seed. Results that a fault leaves are those of the command without it.
"""

from __future__ import annotations

import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from planoracle.analysis.batch.journal import NAME, VARIABLE
from planoracle.analysis.grading.oracle import optimum
from planoracle.instances.files.catalog import problem
from planoracle.solver.result import Result
from tests.support.batches import start, within
from tests.support.fault_trials import MODEL, UNBUNDLED, Command, Fault, Tally, signalled, tries
from tests.support.model_server import FAILURES
from tests.support.runner import run_program

FULL_DISK = "full disk"
BATCHES = ("grade", "solve", "run")
ALL = (*BATCHES, MODEL)
#: Shares of the size of a whole run directory that a full disk has.
DISKS = (0.1, 0.3, 0.6, 0.9)
#: Bytes of the smallest disk: SQLite needs a page for a file and one for its journal.
SMALLEST_DISK = 8192
#: Runs a command on a disk of a limited size, which nobody else sees, and copies what is on it at the end.
ON_SMALL_DISK = 'mount -t tmpfs -o size="$1" tmpfs "$2" && { "${@:4}"; cp -a "$2/." "$3"; }'
#: Clocks that jump: one reading in ten is an hour ahead of the last, or a second behind.
JUMPING_CLOCKS = """
import random, time
drawn, ahead = random.Random({seed}), [0.0]
def jumping(clock):
    def look():
        if drawn.random() < 0.1:
            ahead[0] += drawn.choice([3600, -1])
        return clock() + ahead[0]
    return look
time.time, time.monotonic, time.perf_counter = map(jumping, (time.time, time.monotonic, time.perf_counter))
"""
#: Random change of a file.
Change = Callable[[Path, Random], None]
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
EVENTS = ("BEFORE INSERT", "AFTER INSERT", "BEFORE DELETE", "AFTER UPDATE")
#: Statements after which a file of entries has more than the table of planoracle, or another one.
SCHEMAS = (
    *(f"CREATE TRIGGER t {event} ON entries BEGIN SELECT RAISE(IGNORE); END" for event in EVENTS),
    *(f"CREATE TRIGGER t {event} ON entries BEGIN DELETE FROM entries; END" for event in EVENTS),
    *(f"CREATE TRIGGER t {event} ON entries BEGIN {ENDLESS} x FROM n; END" for event in EVENTS),
    "CREATE VIEW more AS SELECT * FROM entries",
    f"CREATE VIEW more AS {ENDLESS} x FROM n",
    "CREATE INDEX i ON entries (text)",
    "CREATE UNIQUE INDEX i ON entries (lower(key))",
    "CREATE TABLE more (x)",
    "ALTER TABLE entries ADD COLUMN more TEXT DEFAULT 'x'",
    "ALTER TABLE entries ADD COLUMN more TEXT GENERATED ALWAYS AS (upper(text))",
    "ALTER TABLE entries RENAME COLUMN text TO content",
)


def can_mount() -> bool:
    """Return whether this user may mount a small disk in a namespace of its own."""
    call = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", tempfile.gettempdir()]
    return shutil.which("unshare") is not None and not subprocess.run(call, capture_output=True, check=False).returncode


def size_of(folder: Path) -> int:
    """Return the bytes of the files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def on_a_full_disk(command: Command, run: Path, random: Random) -> None:
    """Run a command on a disk that is too small for its results."""
    share = random.choice(DISKS)
    size = max(SMALLEST_DISK, int(share * size_of(command.folder / "reference")))
    run.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as disk:
        prefix = ["unshare", "-rm", "bash", "-c", ON_SMALL_DISK, "bash", str(size), disk, str(run.parent)]
        command.run(Path(disk) / run.name, prefix=prefix)


def under_a_file_limit(command: Command, run: Path, random: Random) -> None:
    """Run a command with a limit on the size of files."""
    largest = max(path.stat().st_size for path in (command.folder / "reference").rglob("*") if path.is_file())
    size = random.randrange(largest)
    command.run(run, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))


def with_a_jumping_clock(command: Command, run: Path, random: Random) -> None:
    """Run a command with clocks that jump."""
    command.run(run, code=JUMPING_CLOCKS.format(seed=random.randrange(10**6)))


def beside_itself(command: Command, run: Path, random: Random) -> None:
    """Start a command while another process runs the same one in the same folder; the second is refused."""
    first = start(*command.call(run), **command.options())
    assert within(60, (run / NAME).exists)
    _, output, errors = command.run(run)
    if "another process is using this run directory" not in errors:  # the first one has ended
        assert command.compare(output).damage == (0, 0, 0), errors
    _, errors_of_first = first.communicate(timeout=600)
    assert first.returncode == command.status, errors_of_first


def damage(path: Path, random: Random) -> None:
    """Change some bytes of a file."""
    data = bytearray(path.read_bytes())
    for place in random.sample(range(len(data)), random.choice([1, 4, 30])):
        data[place] = random.randrange(256)
    path.write_bytes(data)


def change_schema(path: Path, random: Random) -> None:
    """Add something to the schema of a file, or change its table."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(random.choice(SCHEMAS))


def failing_server(failure: str) -> Fault:
    """Return the fault of a server that fails after some answers; it answers again afterwards."""

    def fail(command: Command, run: Path, random: Random) -> None:
        assert command.server is not None
        command.server.fail_after(random.randrange(1, 2 * len(command.rows)), failure)
        try:
            command.run(run)
        finally:
            command.server.recover()

    return fail


def tries_with_a_changed_file(command: Command, change: Change, count: int, random: Random) -> Tally:
    """Run a finished command again with a changed file of results: it is refused, or prints equal rows."""
    total = Tally()
    for _ in range(count):
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            shutil.copytree(command.folder / "reference", run)
            change(run / NAME, random)
            process = run_program(*command.call(run))
        total.tries += 1
        is_refused = process.returncode == 1 and process.stderr.startswith(f"error: {run}/{NAME}: ")
        if not is_refused:
            assert process.returncode == command.status, process.stderr
            total.add(command.compare(process.stdout.encode()))
    return total


def filled_cache(folder: Path) -> tuple[Path, list[Result]]:
    """Return the file of a cache with the optima of a few problems, and these."""
    results = optima(folder)
    return folder / "optima.sqlite", results


def optima(cache: Path) -> list[Result]:
    """Return results of problems that this process has not solved, with a cache in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(cache))
        results = [optimum(replace(problem(name))) for name in UNBUNDLED]
    return [replace(result, seconds=0.0) for result in results]


def tries_with_a_changed_cache(folder: Path, change: Change, count: int, random: Random) -> Tally:
    """Compute optima with a changed cache, which is not used or has equal results."""
    path, expected = filled_cache(folder / "sound")
    total = Tally()
    for number in range(count):
        copy = folder / str(number)
        shutil.copytree(path.parent, copy)
        change(copy / path.name, random)
        results = optima(copy)
        total.add(Tally(1, wrong=sum(result != right for result, right in zip(results, expected, strict=True))))
    return total


def sharing_a_cache(command: Command, run: Path, random: Random) -> None:
    """Run a command beside another process with an empty cache that both use."""
    cache = run.parent / "shared_cache"
    shutil.rmtree(cache, ignore_errors=True)
    shared = replace(command, environment=command.environment | {VARIABLE: str(cache)})
    other = start(*shared.call(run.parent / "other"), **shared.options())
    status, *_ = shared.run(run)
    output, errors = other.communicate(timeout=600)
    assert (status, other.returncode) == (command.status, command.status), errors
    assert command.compare(output).damage == (0, 0, 0)


#: Tries of one command under one fault.
Cell = Callable[[Command, int, Random], Tally]


def repeated(fault: Fault, per_run: int = 1) -> Cell:
    """Return the tries of a fault of process, disk or server; a run meets it ``per_run`` times."""
    return lambda command, count, random: tries(command, fault, per_run * count, random, per_run=per_run)


def with_changed_files(change: Change) -> Cell:
    """Return the tries of changed results; they cost little, so that there are ten times as many."""
    return lambda command, count, random: tries_with_a_changed_file(command, change, 10 * count, random)


def with_changed_caches(change: Change) -> Cell:
    """Return the tries of a changed cache, ten times as many."""

    def cell(command: Command, count: int, random: Random) -> Tally:
        folder = Path(tempfile.mkdtemp(dir=command.folder))
        return tries_with_a_changed_cache(folder, change, 10 * count, random)

    return cell


#: Commands that meet each fault, and the tries of one of them.
FAULTS: dict[str, tuple[tuple[str, ...], Cell]] = {
    "SIGKILL": (ALL, repeated(signalled(signal.SIGKILL), 2)),
    "SIGINT, SIGTERM": (ALL, repeated(signalled(signal.SIGINT, signal.SIGTERM), 2)),
    FULL_DISK: (ALL, repeated(on_a_full_disk)),
    "limit on the size of files": (ALL, repeated(under_a_file_limit)),
    "two processes, one run directory": (ALL, repeated(beside_itself)),
    "two processes, one cache": (("grade",), repeated(sharing_a_cache)),
    **{f"model server {failure}": ((MODEL,), repeated(failing_server(failure))) for failure in FAILURES},
    "clocks jump": (BATCHES, repeated(with_a_jumping_clock)),
    "damaged results": (BATCHES, with_changed_files(damage)),
    "hostile schema of results": (BATCHES, with_changed_files(change_schema)),
    "damaged cache": (("grade",), with_changed_caches(damage)),
    "hostile schema of the cache": (("grade",), with_changed_caches(change_schema)),
}
