"""Solve every problem of AsyncHow with all hands that can be of use, and with one, two and three.

Run ``python tests/benchmarks/asynchow.py``; one process, one worker.
"""

from __future__ import annotations

from time import perf_counter

from planoracle.instances import catalogue
from planoracle.instances.asynchow.encode import least
from planoracle.instances.asynchow.sets import names
from planoracle.instances.status import Status
from planoracle.solver.exact.solve import solve


def main() -> None:
    print("hands  problems  proved  bounded  longer  worst factor  seconds  slowest  of")
    for hands in ("all", "3", "2", "1"):
        seconds: dict[str, float] = {}
        factors = []
        proved = bounded = 0
        for name in names():
            instance = catalogue.load(name if hands == "all" else f"{name}~{hands}")
            longest = least(instance)
            began = perf_counter()
            found = solve(instance)
            seconds[name] = perf_counter() - began
            proved += found.status == Status.optimal
            bounded += found.status == Status.feasible and found.lower_bound is not None
            factors.append((found.makespan or 0) / longest if longest else 1.0)
        slowest = max(seconds, key=lambda name: seconds[name])
        print(
            f"{hands:>5}  {len(seconds):8}  {proved:6}  {bounded:7}  {sum(one > 1 for one in factors):6}"
            f"  {max(factors):12.2f}  {sum(seconds.values()):7.2f}  {seconds[slowest]:7.3f}  {slowest}"
        )


if __name__ == "__main__":
    main()
