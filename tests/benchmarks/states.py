"""Compare the values of random states, prices and advice with a solve from scratch and a search through the rules.

Run ``python tests/benchmarks/states.py [COUNT [SEED]]``: COUNT (20,000) states of small problems with several agents,
pauses, starts inside of what others have begun, and lags of every sign. Printed are numbers of comparisons, the first
differences, and the processor's time. The exit status is 1 if there was a difference.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import count
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.random_crews import pauseshop
from support.values import compared_advice, compared_prices, compared_states

#: Differences that are printed.
SHOWN = 10


def main() -> int:
    """Compare until there are enough states; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", nargs="?", type=int, default=20_000, help="states")
    parser.add_argument("seed", nargs="?", type=int, default=0, help="of the first instance")
    options = parser.parse_args()
    made: Counter[str] = Counter()
    differ: Counter[str] = Counter()
    for seed in count(options.seed):
        instance = pauseshop(seed)
        for rows in (
            compared_states(instance, seed, search=3_000),
            compared_prices(instance, seed),
            compared_advice(instance, seed),
        ):
            for one in rows:
                made[one.kind] += 1
                if one.found != one.wanted:
                    differ[one.kind] += 1
                    if differ.total() <= SHOWN:
                        print(f"seed {seed}: {one.kind} {one.found}, not {one.wanted}: {one.where}")
        if made["scratch"] >= options.count:
            break
    for kind in made:
        print(f"{kind:10} {made[kind]:8} compared {differ[kind]:6} differ")
    print(f"{process_time():.0f} s of processor time")
    return int(differ.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
