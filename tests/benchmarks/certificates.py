"""Print which share of the bundled problems is explained by a proof to follow by hand, and of which kind.

Run ``python tests/benchmarks/certificates.py``; one process, one worker. Sizes are steps of a proof, milliseconds those
to find, write down and check it once the optimum is known.
"""

from __future__ import annotations

import statistics
from collections import Counter
from time import perf_counter

from planoracle.instances.catalogue import expand, load
from planoracle.solver.exact.solve import solve
from planoracle.solver.explain.certificate import KINDS, certificate

SETS = (
    "recipe2plan/timed",
    "recipe2plan/untimed",
    "timearena/cooking",
    "timearena/household",
    "timearena/lab",
    "asynctool",
)


def main() -> None:
    head = ["set", "problems", "explained", *KINDS, "steps: median", "most", "ms: median", "most"]
    print(f"| {' | '.join(head)} |\n|---|{'---:|' * (len(head) - 1)}")
    for name in SETS:
        kinds: Counter[str] = Counter()
        sizes, seconds, explained = [], [], 0
        members = expand([name])
        for member in members:
            instance = load(member)
            best = solve(instance).makespan
            began = perf_counter()
            shown = certificate(instance, best)
            seconds.append(1000 * (perf_counter() - began))
            kinds[shown.kind] += 1
            sizes.append(shown.size)
            explained += shown.explained
        row = [name, len(members), explained, *(kinds[kind] for kind in KINDS)]
        row += [f"{statistics.median(sizes):g}", max(sizes), f"{statistics.median(seconds):.0f}", f"{max(seconds):.0f}"]
        print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
