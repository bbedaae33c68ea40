"""Benchmark of batches: time, memory and storage of many submissions, extrapolated to a million.

Run ``python tests/benchmarks/batch.py`` on a quiet machine (``--submissions 100000 --jobs 2``; on Linux). Every
command starts cold, with an empty cache and an empty run directory. ``cpu`` and ``memory`` are of all processes
together, ``memory`` the sum of their peaks. ``--input FILE`` grades copies of one's own submissions. ``--growth``
measures ``grade`` and ``report`` of more and more submissions for all benchmarks, and ``main`` is the peak of the
main process alone.
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

from support.batches import mixed_submissions, submissions

COMMAND = str(Path(sys.executable).parent / "planoracle")
#: Numbers of submissions by command.
GROWTH = {"grade": (1_000, 10_000, 100_000), "report": (100, 1_000, 5_000)}
_PAGE = resource.getpagesize()


class Measured(NamedTuple):
    """Cost: wall and processor seconds; bytes of memory, of results and of the main process."""

    wall: float
    cpu: float
    memory: int
    stored: int
    main: int


def measured(arguments: list[str], folder: Path, output: Path) -> Measured:
    """Run a command and sample the time and memory of its processes."""
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
    # Workers are stopped without a wait: their time is the last sample.
    others = sum(seconds for pid, seconds in busy.items() if pid != process.pid)
    stored = sum(path.stat().st_size for path in folder.glob("run/*"))
    cpu = max(main, busy.get(process.pid, 0.0) + others)
    return Measured(wall, cpu, sum(peaks.values()), stored, peaks.get(process.pid, 0))


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
        submitted = [json.loads(line) for line in source.read_text().splitlines()]
        rows = [row | {"id": f"s{i}"} for i, row in enumerate(islice(cycle(submitted), count))]
    with open(path, "w") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)


def show(label: str, count: int, cost: Measured) -> None:
    print(
        f"{label:38} {count:8} {cost.wall:8.1f} {cost.cpu:8.1f} {1e3 * cost.cpu / count:11.3f} "
        f"{cost.memory / 1e6:8.0f} {cost.stored / count:10.0f}",
        flush=True,
    )


def grow(jobs: list[str]) -> None:
    """Print the cost of grading and of reports by the number of submissions."""
    print(f"{'':10} {'lines':>8} {'cpu s':>8} {'cpu ms/line':>11} {'main MB':>8}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "submissions.jsonl"
        for command, counts in GROWTH.items():
            for count in counts:
                source.write_text("".join(json.dumps(row) + "\n" for row in mixed_submissions(count)))
                output = ["--format", "jsonl", *jobs] if command == "grade" else ["-o", str(folder / "page.html")]
                cost = measured([command, str(source), *output], folder, folder / "out")
                milliseconds = 1e3 * cost.cpu / count
                print(f"{command:10} {count:8} {cost.cpu:8.1f} {milliseconds:11.3f} {cost.main / 1e6:8.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--input", type=Path)
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    jobs = ["--jobs", str(options.jobs)]
    if options.growth:
        grow(jobs)
        return
    print(f"{'':38} {'lines':>8} {'wall s':>8} {'cpu s':>8} {'cpu ms/line':>11} {'MB':>8} {'bytes/line':>10}")
    with tempfile.TemporaryDirectory() as name:
        for count in sorted({options.submissions // 10, options.submissions}):
            for is_stored in (False, True):
                folder = Path(name) / f"{count} {is_stored}"
                folder.mkdir()
                source = folder / "submissions.jsonl"
                write_submissions(source, count, options.input)
                arguments = ["grade", str(source), "--format", "jsonl", *jobs]
                if is_stored:
                    arguments += ["--run", str(folder / "run")]
                grading = measured(arguments, folder, folder / "out")
                show("grade" + " --run" * is_stored, count, grading)
                if is_stored:
                    show("the same, all results stored", count, measured(arguments, folder, folder / "again"))
                    assert (folder / "out").read_bytes() == (folder / "again").read_bytes()
    hours = grading.cpu / options.submissions * 1e6 / 3600
    megabytes = grading.memory / (options.jobs + 1) / 1e6
    stored = grading.stored / options.submissions * 1e6 / 1e9
    print(f"a million submissions: {hours:.2f} core hours, {megabytes:.0f} MB per process, {stored:.2f} GB stored")


if __name__ == "__main__":
    main()
