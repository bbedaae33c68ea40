"""How fast kitchens are proved: ``python tests/benchmarks/robotouille.py [NAME_OR_FILE ...]``, ours by default.

Processor time.
"""

from __future__ import annotations

import sys
from time import process_time

from planoracle.instances import catalogue
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.solver.kitchens.planner import plan


def main(names: list[str]) -> None:
    """Plan every kitchen for at most a minute and print what came of it."""
    total, proved = 0.0, 0
    problems = [one for name in catalogue.expand(names) for one in catalogue.read_problems(name)]
    for kitchen in problems:
        assert isinstance(kitchen, Kitchen)
        began = process_time()
        result = plan(kitchen, time_limit=60)
        seconds = process_time() - began
        total += seconds
        proved += result.status == "optimal"
        steps = "-" if result.makespan is None else result.makespan
        print(
            f"{result.status:9} {steps:>4} {result.lower_bound:>4} {result.expanded:>7} {seconds:7.2f} s  "
            f"{kitchen.name}"
        )
    print(f"{proved} of {len(problems)} proved, {total:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:] or ["kitchens/synchronous", "kitchens/asynchronous"])
