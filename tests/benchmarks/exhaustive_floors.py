"""Compare best plans and bounds on random tiny floors with what an exhaustive search through the rules finds.

Run ``python tests/benchmarks/exhaustive_floors.py [--count 300] [--first 0] [--cooks 1 2] [--profiles paper]``: a
line for each floor on which they differ, and for each profile and number of cooks how many were compared. Floors on
which there is too much to be tried do not count.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.exhaustive_floors import differences
from support.floors import PAPER, RELEASED
from support.random_floors import random_floor


def main() -> int:
    """Compare and print; the exit status is 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300, help="floors for each profile and number of cooks")
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--cooks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--profiles", nargs="+", default=["released", "paper"], choices=["released", "paper"])
    parser.add_argument("--most", type=int, default=20_000, help="runs that are tried at most on a floor")
    options = parser.parse_args()
    wrong = 0
    for profile in options.profiles:
        rules = {"released": RELEASED, "paper": PAPER}[profile]
        for cooks in options.cooks:
            found: Counter[str] = Counter()
            for seed in range(options.first, options.first + options.count):
                floor = random_floor(seed, cooks)
                status, faults = differences(floor, rules, most=options.most)
                found[status] += 1
                wrong += len(faults)
                for fault in faults:
                    print(profile, floor.name, fault, flush=True)
                if (seed + 1 - options.first) % 20 == 0 or seed + 1 == options.first + options.count:
                    compared = found.total() - found["too much"]
                    print(f"{profile}, {cooks} cooks: {compared} compared, {dict(found)}", flush=True)
    print(f"{wrong} differences")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
