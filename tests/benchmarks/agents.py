"""Prove every bundled scheduling problem with two, three and four agents: run ``python tests/benchmarks/agents.py``."""

from __future__ import annotations

from statistics import median

from planoracle.instances.catalogue import expand, load
from planoracle.solver.exact.solve import solve


def main() -> None:
    """Print a table in Markdown: problems proved, milliseconds, proofs that hold on a grid of pauses only."""
    print("| benchmark | agents | proved | ms: median | worst | on a grid |\n|---|---:|---:|---:|---:|---:|")
    for benchmark in ("recipe2plan", "timearena", "asynctool"):
        for agents in (2, 3, 4):
            found = [solve(load(name), time_limit=30) for name in expand([f"{benchmark}~{agents}"])]
            proved = sum(result.status == "optimal" for result in found)
            times = sorted(1000 * result.seconds for result in found)
            coarse = sum(result.grid > 1 for result in found)
            row = f"{proved} of {len(found)} | {median(times):.1f} | {times[-1]:.0f} | {coarse}"
            print(f"| {benchmark} | {agents} | {row} |", flush=True)


if __name__ == "__main__":
    main()
