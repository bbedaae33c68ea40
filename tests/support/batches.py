"""Submissions in numbers, and the command line as a process that can be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from planoracle.instances.recipe2plan import facts

# Processes are started at once, so that small tests have them at work.
EAGER = "from planoracle.analysis.batch import pool; pool._WORTH = 0.0"
MAIN = "from planoracle.analysis.cli import main; main()"


def submissions(count: int, seed: int = 0, problems: int | None = None) -> list[dict[str, str]]:
    """Return reference plans of Recipe2Plan, of so many problems, with commands swapped, dropped or garbled."""
    random = Random(seed)
    plans = []
    for name in facts.names():
        _, setting, pair = name.split("/")
        plan = facts.reference_plan(setting, pair)
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


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    """Write submissions as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def start(*args: object, before: str = EAGER, **options: object) -> subprocess.Popen[bytes]:
    """Start the command line in a process group of its own."""
    call = [sys.executable, "-c", f"{before}\n{MAIN}", *map(str, args)]
    pipes: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(call, start_new_session=True, **(pipes | options))  # type: ignore[call-overload, no-any-return]


def finished(*args: object, before: str = EAGER, **options: object) -> tuple[int, bytes, str]:
    """Run the command line to its end; return status, output and diagnostics."""
    process = start(*args, before=before, **options)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err.decode()


def gone(group: int, seconds: float = 20) -> bool:
    """Whether all processes of a group end within some time (those that nobody has asked after count as ended)."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not _alive(group):
            return True
        time.sleep(0.1)
    return False


def members(group: int) -> int:
    """How many processes of a group are at work, as /proc says."""
    count = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, own = entry.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        count += int(own) == group and state != "Z"
    return count


def _alive(group: int) -> bool:
    if Path("/proc/self/stat").exists():
        return members(group) > 0
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process the hard way."""
    process.send_signal(signal.SIGKILL)
    process.communicate()
