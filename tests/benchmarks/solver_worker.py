"""Worker process of `solvers.py`: ``python tests/benchmarks/solver_worker.py METHOD WARM_UP``.

Reads one JSON object ``{"problem": NAME_OR_FILE, "seconds": LIMIT}`` per line and answers each with one. Only public
names of planoracle are imported here, so that earlier releases can be measured too.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from functools import partial
from inspect import signature
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import planoracle


def solver_of(method: str) -> Callable[[Any, float], Any]:
    """Return the solver of a method; the number of workers may follow its name, as in ``ours-2``."""
    name, _, number = method.partition("-")
    workers = int(number or 1)
    if name in ("ours", "release"):
        # Earlier releases call the keyword `again`, or have no bundled optima in solve.
        keyword = next((name for name in ("recompute", "again") if name in signature(planoracle.solve).parameters), "")
        options = {keyword: True} if keyword else {}
        return lambda problem, seconds: planoracle.solve(problem, time_limit=seconds, workers=workers, **options)
    from tests.benchmarks import direct_models

    if name == "pyjobshop":
        return partial(direct_models.solve_pyjobshop, workers=workers)
    return partial(direct_models.solve_plain, workers=workers, core=name == "core")


def check_schedule(problem: Any, answer: Any) -> None:
    """Raise `ValueError` if the rules reject the schedule of a direct model; planoracle checks its own."""
    if type(answer).__name__ == "Answer" and answer.schedule is not None:
        from planoracle.instances.model.schedule_rules import find_violations

        for violation in find_violations(problem, answer.schedule, 1):
            raise ValueError(f"{violation.kind}: {violation}")


def timed_solve(method: str, problem: Any, seconds: float) -> dict[str, Any]:
    """Solve a problem and return the answer with wall and processor time in seconds."""
    solver = solver_of(method)
    wall, processor = perf_counter(), process_time()
    try:
        answer = solver(problem, seconds)
        times = {"wall": round(perf_counter() - wall, 6), "processor": round(process_time() - processor, 6)}
        check_schedule(problem, answer)
    except Exception as error:  # reported as the status of this run; the next one goes on
        if type(error).__name__ == "UnsupportedError":
            return {"status": "unsupported", "message": str(error)}
        return {"status": "error", "message": f"{type(error).__name__}: {error}"}
    values = {"status": str(answer.status), "makespan": answer.makespan, "lower_bound": answer.lower_bound}
    values["stage"] = getattr(answer, "proof", "")
    return values | times


def main(method: str, warm_up: str) -> None:
    """Answer tasks until standard input ends. Imports happen in a first solve, which is not counted."""
    timed_solve(method, planoracle.load(warm_up), 1.0)
    print(json.dumps({"planoracle": planoracle.__file__}), flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        answer = timed_solve(method, planoracle.load(task["problem"]), task["seconds"])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(answer | {"peak_mb": round(peak)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
