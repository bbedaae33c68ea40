"""Print which share of the bundled problems is explained by a proof to follow by hand, and of which kind.

Run ``PYTHONPATH=. python tests/benchmarks/certificates.py``; one process, one worker. Sizes are steps of a proof,
milliseconds those of processor to find, write down and check it once the optimum is known. A second table shows what
``explain`` takes with a limit of two seconds on instances of up to 10,000 actions.
"""

from __future__ import annotations

import resource
import statistics
from collections import Counter
from time import process_time

from planoracle.analysis.explain import explain
from planoracle.instances.generate.styles import generate
from planoracle.instances.model import Instance
from planoracle.instances.problem import of_kind
from planoracle.solver.exact.solve import solve
from planoracle.solver.explain.certificate import KINDS, certificate
from tests.benchmarks.peers.sets import LITERATURE, problems

SETS = (
    "recipe2plan/timed",
    "recipe2plan/untimed",
    "timearena/cooking",
    "timearena/household",
    "timearena/lab",
    "asynctool",
    *(["rcpsp/j30"] if (LITERATURE / "rcpsp" / "j30").is_dir() else []),
)
#: Actions of each of fifty tasks.
LARGE = (2, 4, 10, 20, 40, 80, 200)


def main() -> None:
    head = ["set", "problems", "explained", *KINDS, "steps: median", "most", "ms: median", "most"]
    print(f"| {' | '.join(head)} |\n|---|{'---:|' * (len(head) - 1)}")
    for name in SETS:
        kinds: Counter[str] = Counter()
        sizes, seconds, explained = [], [], 0
        members = problems(name)
        for instance in (member.instance for member in members):
            best = solve(instance).makespan
            began = process_time()
            shown = certificate(instance, best)
            seconds.append(1000 * (process_time() - began))
            assert shown is not None
            kinds[shown.kind] += 1
            sizes.append(shown.size)
            explained += shown.explained
        row = [name, len(members), explained, *(kinds[kind] for kind in KINDS)]
        row += [f"{statistics.median(sizes):g}", max(sizes), f"{statistics.median(seconds):.0f}", f"{max(seconds):.0f}"]
        print(f"| {' | '.join(map(str, row))} |")
    head = ["actions", "seconds", "memory, MB", "status", "makespan", "bound", "kind", "explained"]
    print(f"\n| {' | '.join(head)} |\n|{'---:|' * len(head)}")
    for actions in LARGE:
        instance = of_kind(generate("generic", 0, tasks=50, actions=actions, agents=3, windows=0.0).problem, Instance)
        began = process_time()
        found = explain(instance, time_limit=2.0)
        taken, memory = process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        row = [len(instance.actions), f"{taken:.1f}", memory, found.status, found.makespan, found.lower_bound]
        print(f"| {' | '.join(map(str, [*row, found.kind, found.explained_bound]))} |")


if __name__ == "__main__":
    main()
