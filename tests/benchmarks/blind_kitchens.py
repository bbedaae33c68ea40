"""Compare the kitchen planner with blind search in kitchens drawn from fresh seeds.

``python tests/benchmarks/blind_kitchens.py --seeds 250 --start 0`` draws a kitchen for each seed and four goals for
each kitchen. Without ``--start`` the first seed follows from the date; it is printed. Each case that differs is
written to ``--write`` in the format of ``tests/solver/data/kitchens.json``; moved there, it is a test. The exit
status is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.kitchen_cases import Case, write_cases
from tests.support.kitchen_comparison import compare, draw_cases

#: Seeds reserved for each day.
_DAY = 10_000


def main() -> int:
    """Compare random kitchens and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=250, help="kitchens")
    parser.add_argument("--start", type=int, default=_DAY * date.today().toordinal(), help="first seed")
    parser.add_argument("--goals", type=int, default=4, help="goals of each kitchen")
    parser.add_argument("--states", type=int, default=10_000, help="maximum number of states of a kitchen")
    parser.add_argument("--write", type=Path, default=Path("kitchens.json"), help="file for cases that differ")
    options = parser.parse_args()
    print(f"seeds {options.start} to {options.start + options.seeds - 1}", flush=True)
    rows: list[tuple[str, Case, int | None]] = []
    goals: Counter[str] = Counter()
    states = plans = 0
    for seed in range(options.start, options.start + options.seeds):
        for case, graph in draw_cases(seed, options.goals, options.states):
            comparison = compare(case, graph)
            moves = case.rules.get("moves", "turns")
            goals[f"{len(case.kitchen['players'])} cooks, {case.rules['profile']}, {moves}"] += 1
            states, plans = states + comparison.states, plans + comparison.plans
            for difference in comparison.differences:
                label = f"{difference.kind}: {difference.text}"
                rows.append((label, difference.case, difference.case.min_steps()))
                print(f"{case.kitchen['name']}: {difference.text}", flush=True)
                write_cases(options.write, rows)
        if (seed - options.start) % 50 == 49:
            print(f"{goals.total()} goals, {states} states, {plans} plans, {len(rows)} differences", flush=True)
    print(f"{goals.total()} goals, {states} states, {plans} plans, {len(rows)} differences")
    print("; ".join(f"{kind}: {count}" for kind, count in sorted(goals.items())))
    return int(bool(rows))


if __name__ == "__main__":
    sys.exit(main())
