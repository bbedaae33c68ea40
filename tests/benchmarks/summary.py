"""Measure what a million grades take to sum up: time, and the memory that grows with them.

Run ``python tests/benchmarks/summary.py [ROWS]``.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from random import Random
from time import perf_counter

from planoracle.analysis.grade import Grade
from planoracle.analysis.statistics import Averages
from planoracle.instances.catalogue import expand


def grades(count: int) -> Iterator[Grade]:
    """Yield runs of four models for all problems of two benchmarks, no two scores the same."""
    random = Random(0)
    names = expand(["recipe2plan", "timearena"])
    for i in range(count):
        name, success, value = random.choice(names), random.random() < 0.4, random.random()
        shared = {"success": success, "progress": value, "goal_ratio": value, "makespan": 30, "optimal_makespan": 24}
        metrics = {"best_score": 100 * value, "best_time": 20, "r_efficiency": value}
        metrics |= {"multitasking_score": value * success, "r_efficiency_optimal": value}
        about = {"benchmark": name.partition("/")[0], "model": f"model{random.randrange(4)}", "sample": i}
        yield Grade(str(i), name, True, **shared, **about, metrics=metrics)


def mebibytes() -> float:
    """Return the most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(count: int) -> None:
    """Print a line."""
    Averages().over(grades(1_000)).summary()  # so that all is imported
    averages, before, began = Averages(), mebibytes(), perf_counter()
    averages.over(grades(count))
    added, middle = perf_counter() - began, mebibytes()
    rows = averages.summary()
    summed = perf_counter() - began - added
    print(f"{count} grades, {len(rows)} rows: {added:.1f} s to take them, {summed:.1f} s to sum them up")
    print(f"{middle - before:.0f} MiB to keep them, {mebibytes() - before:.0f} MiB in all")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
