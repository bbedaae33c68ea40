"""Generated submissions for batch jobs, and the command line as a process that tests can kill."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from planoracle.analysis.batch.journal import NAME
from planoracle.instances.benchmarks.recipe2plan.problems import names, reference_plan
from planoracle.instances.files.catalog import expand, problem
from planoracle.solver.result import SolveOptions
from planoracle.solver.solve import load_or_solve

MAIN = "from planoracle.analysis.cli import main; main()"
#: Code that makes the command start all worker processes at once.
EAGER = "from planoracle.instances.workers import pool; pool._PATIENCE = 0.0"
#: Benchmarks with bundled plans.
MIXED = (
    *("asynchow", "asyncplanning", "asynctool", "kitchens"),
    *("naturalplan", "recipe2plan", "robotouille", "timearena"),
)
_STARTUP = Path(__file__).parent / "startup"


def submissions(count: int, seed: int = 0, problems: int | None = None) -> list[dict[str, str]]:
    """Return reference plans of up to ``problems`` Recipe2Plan problems, some with altered commands."""
    random = Random(seed)
    plans = []
    for name in names():
        plan = reference_plan(name)
        if plan is not None:
            plans.append((name, [command.text for command in plan]))
    rows = []
    for number in range(count):
        name, plan = random.choice(plans[:problems])
        commands = list(plan)
        kind, place = random.randrange(4), random.randrange(len(commands) - 1)
        if kind == 0:
            commands[place], commands[place + 1] = commands[place + 1], commands[place]
        elif kind == 1:
            del commands[place]
        elif kind == 2:
            commands[place] = commands[place].replace("0", str(random.randrange(10)), 1)
        row = {"id": f"s{number}", "model": f"m{number % 3}", "instance": name, "plan": ", ".join(commands)}
        rows.append(row)
    return rows


def mixed_submissions(count: int, seed: int = 0) -> Iterator[dict[str, str]]:
    """Yield plans for a dozen problems of each benchmark with bundled plans, most of them altered."""
    random = Random(seed)
    plans = []
    for benchmark in MIXED:
        problems = expand([benchmark])
        for name in problems[:: max(1, len(problems) // 12)][:12]:
            plan = load_or_solve(problem(name), SolveOptions()).plan or ""
            separator = "\n" if "\n" in plan else ", "
            plans.append((name, separator, plan.split(separator)))
    for number in range(count):
        name, separator, plan = random.choice(plans)
        commands = list(plan)
        for _ in range(random.choice((0, 1, 1, 2, 4))):
            place = random.randrange(len(commands))
            commands[place] = random.choice((random.choice(commands), commands[place].replace("1", "2", 1)))
        row = {"id": f"s{number}", "model": f"m{number % 3}", "instance": name, "plan": separator.join(commands)}
        yield row


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    """Write submissions as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def in_workers(code: str) -> dict[str, str]:
    """Return environment variables that make each worker process run code when it starts."""
    path = os.pathsep.join([str(_STARTUP), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return os.environ | {"PYTHONPATH": path, "PLANORACLE_TEST_CODE": code}


def start(*args: object, before: str = "", prefix: Sequence[str] = (), **options: object) -> subprocess.Popen[bytes]:
    """Start the command line in a new session, after running the code ``before`` in its main process.

    ``prefix`` is a command that runs the command line.
    """
    call = [*prefix, sys.executable, "-c", f"{before}\n{MAIN}", *map(str, args)]
    pipes: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(call, start_new_session=True, **(pipes | options))  # type: ignore[call-overload, no-any-return]


def run_to_end(*args: object, before: str = "", timeout: float = 120, **options: object) -> tuple[int, bytes, str]:
    """Run the command line until it ends; return exit status, standard output and standard error."""
    process = start(*args, before=before, **options)
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err.decode()


def execute(folder: Path, statement: str, *values: object) -> list[tuple[Any, ...]]:
    """Execute an SQL statement on the journal of a run directory and return its rows."""
    database = sqlite3.connect(folder / NAME)
    with database:
        rows = database.execute(statement, values).fetchall()
    database.close()
    return rows


def stored_rows(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of a run directory by key."""
    return {key: json.loads(text) for key, text in execute(folder, "SELECT key, text FROM entries")}


def session_processes(session: int) -> list[int]:
    """Return the process ids of a session from ``ps``; each worker has its own process group."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,sess=,stat="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [int(pid) for pid, own, state, *_ in rows if int(own) == session and not state.startswith("Z")]


def has_ended(session: int, seconds: float = 20) -> bool:
    """Return whether all processes of a session end within some time."""
    return within(seconds, lambda: not session_processes(session))


def within(seconds: float, condition: Callable[[], object]) -> bool:
    """Poll a condition; return whether it holds before the time is up."""
    until = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < until:
        time.sleep(0.02)
    return bool(holds)


def kill(process: subprocess.Popen[bytes], number: int = signal.SIGKILL) -> None:
    """End a process by a signal."""
    process.send_signal(number)
    process.communicate(timeout=60)
