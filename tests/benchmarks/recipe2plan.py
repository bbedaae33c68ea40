"""Measure what users wait for on Recipe2Plan: solving, scheduling, grading, cold starts.

Run ``python tests/benchmarks/recipe2plan.py``; one process, one worker. Figures are milliseconds of processor time (for
what has a budget of time, of wall time) unless said otherwise; on a busy machine they are up to half as much again.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time

from planoracle.analysis.grade import Grader
from planoracle.heuristics.budget import Budget
from planoracle.heuristics.registry import run
from planoracle.instances.catalogue import load
from planoracle.instances.recipe2plan import facts
from planoracle.instances.recipe2plan.profile import PROFILES
from planoracle.solver.exact.solve import solve

COMMAND = str(Path(sys.executable).parent / "planoracle")


def spread(label: str, seconds: list[float]) -> None:
    """Print total, median and worst of some durations."""
    values = [1000 * value for value in seconds]
    print(f"{label:34} total {sum(values):8.0f}   median {statistics.median(values):7.2f}   worst {max(values):7.2f}")


def timed(function, *args, clock=process_time, **options):
    """Return the result of a call and its seconds."""
    began = clock()
    result = function(*args, **options)
    return result, clock() - began


def of_children() -> float:
    """Return the processor time of processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def main() -> None:
    instances = [load(name) for name in facts.names()]
    solve(instances[0])
    results = [timed(solve, instance) for instance in instances]
    spread("solve 130 problems", [seconds for _, seconds in results])
    assert all(result.status == "optimal" for result, _ in results)

    budget = Budget(iterations=10**6, seconds=0.1)
    answers = [timed(run, i, "improve", budget, clock=perf_counter) for i in instances]
    gaps = [a.makespan / r.makespan - 1 for (a, _), (r, _) in zip(answers, results, strict=True)]
    spread("improve, 0.1 s each", [seconds for _, seconds in answers])
    print(f"{'':34} mean gap {statistics.mean(gaps):.3%}   worst {max(gaps):.2%}")

    lines = [{"id": str(n), "instance": result.instance, "plan": result.plan} for n, (result, _) in enumerate(results)]
    for name, rules in PROFILES.items():
        grader = Grader({"recipe2plan": rules})
        for line in lines:
            grader.grade(line)
        began = process_time()
        for _ in range(5):
            for line in lines:
                json.dumps(grader.grade(json.loads(json.dumps(line))).row())
        print(f"{'grade, profile ' + name:34} {5 * len(lines) / (process_time() - began):8.0f} plans/s")

    for arguments in (["--help"], ["solve", "recipe2plan/timed/Cobbler_Pancakes"]):
        call = [COMMAND, *arguments]
        seconds = [timed(subprocess.run, call, clock=of_children, capture_output=True, check=True)[1] for _ in range(7)]
        spread("cold: " + " ".join(arguments)[:26], seconds)


if __name__ == "__main__":
    main()
