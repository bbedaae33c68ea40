"""Commands under faults: each trial is compared with a run of the same command without one.

A command is run with a fault, once or several times, and then without: it resumes its run directory. A result is
*lost* if it was stored and is no longer, or if the resumed command does not print it; *doubled* if it was stored and is
computed again, or is printed twice; *wrong* if it differs from the result of the command without a fault.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from planoracle.analysis.batch.journal import NAME
from tests.support.batches import (
    has_ended,
    in_workers,
    kill,
    run_to_end,
    start,
    stored_rows,
    submissions,
    within,
    write,
)
from tests.support.model_server import CLIENT, ModelServer

#: Workers answer slowly enough for a fault to come in between.
SLOWLY = """
import time
from planoracle.instances.workers import worker
fast = worker.answer
worker.answer = lambda *task: time.sleep(0.05) or fast(*task)
"""
#: Logs the key of each result that is stored, and commits results often, so that a fault meets more transactions.
LOGGING = """
import os
from planoracle.analysis.batch import journal
from planoracle.analysis.batch.journal import Journal
journal._COMMIT = 0.05
put = Journal.put
def logged(self, key, text):
    with open(os.environ["STORED_KEYS"], "a") as log:
        log.write(key + "\\n")
    put(self, key, text)
Journal.put = logged
"""
MODEL = "run of a model"
#: Problems without a bundled optimum.
UNBUNDLED = ("timearena/household1+lab2", "timearena/household2+lab1")
PROBLEMS = [f"timearena/household{number}" for number in (1, 2, 3)]
#: Fields of rows that differ between two runs of a command.
RUN_FIELDS = ("seconds", "source", "line")

Rows = Mapping[str, Mapping[str, Any]]


@dataclass
class Tally:
    """Numbers of tries, and of results that are lost, doubled and wrong, of one command under one fault."""

    tries: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0

    def add(self, other: Tally) -> None:
        """Add the numbers of other tries."""
        self.tries += other.tries
        self.lost += other.lost
        self.doubled += other.doubled
        self.wrong += other.wrong

    @property
    def damage(self) -> tuple[int, int, int]:
        """Numbers of lost, doubled and wrong results."""
        return self.lost, self.doubled, self.wrong


def rows_of(output: bytes) -> tuple[dict[str, dict[str, Any]], int]:
    """Return the rows of an output by name, and the number of doubled ones; without `RUN_FIELDS`."""
    rows = [json.loads(line) for line in output.splitlines()]
    names = [row.get("id") or row.get("instance") or f"line {row['line']}" for row in rows]
    for row in rows:
        for name in RUN_FIELDS:
            row.pop(name, None)
    return dict(zip(names, rows, strict=True)), len(rows) - len(set(names))


def messages_of(errors: str, run: Path) -> list[str]:
    """Return the lines of standard error, without the name of the run directory."""
    lines = errors.replace(str(run), "RUN").splitlines()
    # A full disk may leave an empty file.
    return [
        line for line in lines if not line.endswith(": was empty; results stored earlier, if any, are computed again")
    ]


def stored_in(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the stored results of a run directory by key; the directory itself is not opened."""
    if not (folder / NAME).exists():
        return {}
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        tables = Path(copy, NAME).stat().st_size
        rows = stored_rows(Path(copy)) if tables else {}
    return {key: {name: row[name] for name in row if name not in RUN_FIELDS} for key, row in rows.items()}


@dataclass
class Command:
    """A command with the results of an uninterrupted run.

    Attributes
    ----------
    before
        Code that its main process runs at the start.
    server
        Server of the model that it runs.
    seconds
        Time that an uninterrupted run takes.
    rows
        Rows that it prints, by name.
    messages
        Lines that it writes to standard error.
    """

    name: str
    arguments: list[object]
    folder: Path
    before: str = LOGGING
    environment: dict[str, str] = field(default_factory=dict)
    server: ModelServer | None = None
    status: int = 0
    seconds: float = 0.0
    messages: list[str] = field(default_factory=list)
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    def measure(self) -> None:
        """Run the command without a fault."""
        began = time.monotonic()
        run = self.folder / "reference"
        self.status, output, errors = self.run(run)
        self.messages = messages_of(errors, run)
        self.seconds = time.monotonic() - began
        self.rows, doubled = rows_of(output)
        assert self.rows, errors
        assert not doubled

    @property
    def log(self) -> Path:
        """File with the keys of all results that were stored since it was removed."""
        return self.folder / "keys"

    def call(self, run: Path) -> list[object]:
        """Return the arguments of the command with a run directory."""
        return [*self.arguments, "--format", "jsonl", "--run", run]

    def options(self, code: str = "") -> dict[str, Any]:
        """Return options of the process; ``code`` is run by the main process and its workers."""
        environment = in_workers(SLOWLY + code) | {"STORED_KEYS": str(self.log)} | self.environment
        return {"before": self.before + code, "env": environment}

    def run(self, run: Path, code: str = "", **options: Any) -> tuple[int, bytes, str]:
        """Run the command to its end."""
        return run_to_end(*self.call(run), timeout=600, **self.options(code), **options)

    def computed(self) -> list[str]:
        """Return the keys of the log."""
        return self.log.read_text().split() if self.log.exists() else []

    def kill(self, run: Path, random: Random, number: int) -> None:
        """Send a signal after a random number of results, or at a random moment before the first."""
        results = random.randrange(len(self.rows))
        seconds = 60.0 if results else random.random() * self.seconds
        process = start(*self.call(run), **self.options())
        within(seconds, lambda: process.poll() is not None or 0 < results <= len(self.computed()))
        time.sleep(random.uniform(0, 0.1))
        kill(process, number)
        assert has_ended(process.pid)

    def compare(self, output: bytes) -> Tally:
        """Compare the output of a run with the uninterrupted one."""
        rows, doubled = rows_of(output)
        different = [name for name in rows if name in self.rows and rows[name] != self.rows[name]]
        unknown = rows.keys() - self.rows.keys()
        return Tally(0, len(self.rows.keys() - rows.keys()), doubled, len(different) + len(unknown))


def commands(folder: Path, server: ModelServer) -> dict[str, Command]:
    """Return the commands by name, without their results."""
    address = server.address
    rows = submissions(24, problems=6)
    rows += [{"id": name, "instance": name, "plan": "wait"} for name in UNBUNDLED]
    path = write(folder / "s.jsonl", rows)
    path.write_text(path.read_text() + "{\n")
    arguments: dict[str, list[object]] = {
        "grade": ["grade", path, "--jobs", 2],
        # The limit is longer than any jump of the clock.
        "solve": ["solve", "recipe2plan/timed/Co*", "--recompute", "--time-limit", 10**9, "--jobs", 2],
        "run": ["run", *PROBLEMS, "--agent", "random", "--samples", 4, "--jobs", 2],
        MODEL: ["run", *PROBLEMS, "-m", "mockllm/model", "-k", 2, "-c", 2, "--model-base-url", address],
    }
    by_name = {}
    for name, call in arguments.items():
        place = folder / name.replace(" ", "_")
        place.mkdir()
        environment = {"XDG_DATA_HOME": str(folder / "data"), "PLANORACLE_CACHE": str(folder / "cache")}
        before = LOGGING + CLIENT if name == MODEL else LOGGING
        by_name[name] = Command(name, call, place, before, environment, server)
    return by_name


#: Fault that a command meets in a run directory; it may end with an error.
Fault = Callable[[Command, Path, Random], None]


def strike(command: Command, run: Path, fault: Fault, random: Random) -> Tally:
    """Let a command meet a fault once, and compare the stored results before and after."""
    before = stored_in(run)
    command.log.unlink(missing_ok=True)
    fault(command, run, random)
    after = stored_in(run)
    computed = Counter(command.computed())
    tally = Tally(tries=1)
    for key, row in before.items():
        tally.lost += key not in after
        tally.wrong += key in after and after[key] != row
        tally.doubled += computed[key]
    return tally


def tries(command: Command, fault: Fault, count: int, random: Random, *, per_run: int = 1) -> Tally:
    """Let a command meet a fault several times; after every few it resumes without the fault to its end."""
    total = Tally()
    for first in range(0, count, per_run):
        run = Path(tempfile.mkdtemp(dir=command.folder)) / "run"
        for _ in range(min(per_run, count - first)):
            total.add(strike(command, run, fault, random))
        total.add(resumption(command, run))
    return total


def resumption(command: Command, run: Path) -> Tally:
    """Resume a run without a fault; compare its output and what it computes again."""
    output = b""

    def resume(command: Command, run: Path, _: Random) -> None:
        nonlocal output
        status, output, errors = command.run(run)
        assert status == command.status, errors
        assert command.name == MODEL or messages_of(errors, run) == command.messages, errors

    tally = strike(command, run, resume, Random())
    tally.tries = 0
    tally.add(command.compare(output))
    return tally


def signalled(*numbers: int) -> Fault:
    """Return the fault of one of these signals at a random moment."""
    return lambda command, run, random: command.kill(run, random, random.choice(numbers))
