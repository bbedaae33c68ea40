"""How fast AsyncTool problems are solved and transcripts graded: ``python tests/benchmarks/asynctool.py``."""

from __future__ import annotations

import json
from random import Random
from statistics import median
from time import perf_counter

from planoracle.analysis.grade import Grader
from planoracle.heuristics.registry import run
from planoracle.instances.asynctool import sets
from planoracle.instances.catalogue import load
from planoracle.solver.exact.solve import solve


def main(count: int = 10_000) -> None:
    """Solve the bundled problems with four kinds of delay; grade optimal, sequential and damaged transcripts."""
    plays: list[tuple[str, list[object]]] = []
    for delay in ("", "@2", "@0-1", "@1-2"):
        seconds = []
        for name in sets.names():
            result = solve(load(name + delay))
            assert result.status == "optimal"
            seconds.append(result.seconds)
            for plan in (result.plan, run(load(name + delay), "asynctool-sequential").plan):
                plays.append((name + delay, [json.loads(line) for line in (plan or "").splitlines()]))
        print(f"solve, delay {delay or '1'}: total {sum(seconds):.2f} s, median {1e3 * median(seconds):.1f} ms")
    random = Random(0)
    lines = []
    for number in range(count):
        name, turns = random.choice(plays)
        if random.random() < 0.7:
            turns = random.sample(turns, len(turns) - random.randint(0, 2))
        lines.append(json.dumps({"id": str(number), "instance": name, "turns": turns}))
    grader = Grader()
    began = perf_counter()
    successes = sum(bool(grader.grade(json.loads(line)).success) for line in lines)
    seconds = perf_counter() - began
    print(f"grade: {count} transcripts in {seconds:.1f} s ({count / seconds:.0f} a second), {successes} successful")


if __name__ == "__main__":
    main()
