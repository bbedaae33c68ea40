"""Time to solve every problem of some sets: ``python tests/benchmarks/solving.py NAME_OR_FILE ...``.

One process, one worker, at most 30 s a problem; milliseconds of wall time, building and validation included.
"""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter

from planoracle import solve
from planoracle.instances.files.catalog import expand, read_problems


def main(names: list[str]) -> None:
    """Print a row of a Markdown table for each name."""
    print("| set | proved | ms: median | worst | total |\n|---|---:|---:|---:|---:|")
    for name in names:
        times, proved = [], 0
        problems = [problem for member in expand([name]) for problem in read_problems(member)]
        for problem in problems:
            began = perf_counter()
            proved += solve(problem, time_limit=30).status.settled
            times.append(1000 * (perf_counter() - began))
        row = f"{median(times):.1f} | {max(times):.0f} | {sum(times):.0f}"
        print(f"| {name} | {proved} of {len(problems)} | {row} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["recipe2plan", "timearena", "asynctool", "recipe2plan~2", "timearena~2", "asynctool~2"])
