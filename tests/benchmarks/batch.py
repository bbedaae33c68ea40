"""Measure batches: time, memory and storage of many submissions, and what a million would take.

Run ``python tests/benchmarks/batch.py`` on a quiet machine (``--submissions 100000 --jobs 2``; on Linux). Every
command starts cold, with an empty cache and an empty run directory. ``cpu`` and ``memory`` are of all processes
together, ``memory`` the sum of their peaks. ``--input FILE`` grades copies of one's own submissions.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.batches import submissions

COMMAND = str(Path(sys.executable).parent / "planoracle")
_PAGE = resource.getpagesize()


class Measured(NamedTuple):
    """What one command took: seconds, seconds of processor, bytes of memory and of output and stored results."""

    wall: float
    cpu: float
    memory: int
    stored: int


def measured(arguments: list[str], folder: Path, output: Path) -> Measured:
    """Run a command to its end and watch it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    peaks: dict[int, int] = {}
    with open(output, "wb") as out, open(folder / "diagnostics", "wb") as err:
        process = subprocess.Popen(
            [COMMAND, *arguments],
            stdout=out,
            stderr=err,
            start_new_session=True,
            env=os.environ | {"PLANORACLE_CACHE": str(folder / "cache")},
        )
        busy: dict[int, float] = {}
        while process.poll() is None:
            for pid, size, seconds in _members(process.pid):
                peaks[pid] = max(peaks.get(pid, 0), size)
                busy[pid] = seconds
            time.sleep(0.05)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    main = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Workers are stopped without being waited for: their time is that seen last.
    others = sum(seconds for pid, seconds in busy.items() if pid != process.pid)
    stored = sum(path.stat().st_size for path in folder.glob("run/*"))
    return Measured(wall, max(main, busy.get(process.pid, 0.0) + others), sum(peaks.values()), stored)


def _members(session: int) -> Iterator[tuple[int, int, float]]:
    """Yield number, resident bytes and seconds of processor of the processes of a session."""
    tick = os.sysconf("SC_CLK_TCK")
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            yield int(entry.parent.name), int(fields[21]) * _PAGE, (int(fields[11]) + int(fields[12])) / tick


def write_submissions(path: Path, count: int, source: Path | None) -> None:
    if source is None:
        rows = submissions(count)
    else:
        given = [json.loads(line) for line in source.read_text().splitlines()]
        rows = [row | {"id": f"s{i}"} for i, row in enumerate(islice(cycle(given), count))]
    with open(path, "w") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)


def show(label: str, count: int, found: Measured) -> None:
    print(
        f"{label:38} {count:8} {found.wall:8.1f} {found.cpu:8.1f} {1e3 * found.cpu / count:10.3f} "
        f"{found.memory / 1e6:8.0f} {found.stored / count:10.0f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--input", type=Path)
    options = parser.parse_args()
    jobs = ["--jobs", str(options.jobs)]
    print(f"{'':38} {'number':>8} {'wall s':>8} {'cpu s':>8} {'cpu ms/one':>10} {'MB':>8} {'bytes/one':>10}")
    with tempfile.TemporaryDirectory() as name:
        for count in sorted({options.submissions // 10, options.submissions}):
            for kept in (False, True):
                folder = Path(name) / f"{count} {kept}"
                folder.mkdir()
                source = folder / "submissions.jsonl"
                write_submissions(source, count, options.input)
                arguments = ["grade", str(source), "--format", "jsonl", *jobs]
                if kept:
                    arguments += ["--run", str(folder / "run")]
                grading = measured(arguments, folder, folder / "out")
                show("grade" + " --run" * kept, count, grading)
                if kept:
                    show("the same again, all kept", count, measured(arguments, folder, folder / "again"))
                    assert (folder / "out").read_bytes() == (folder / "again").read_bytes()
    hours = grading.cpu / options.submissions * 1e6 / 3600
    megabytes = grading.memory / (options.jobs + 1) / 1e6
    stored = grading.stored / options.submissions * 1e6 / 1e9
    print(f"a million: {hours:.2f} core hours, {megabytes:.0f} MB a process, {stored:.2f} GB in the run directory")


if __name__ == "__main__":
    main()
