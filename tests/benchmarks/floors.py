"""Solve the settings with one and two cooks and one and two orders of a copy of ParaCook's data; print what is proved.

Run ``python tests/benchmarks/floors.py DIR [--seconds 60] [--cooks 1 2] [--orders 1 2] [--only sashimi] [--every 3]``:
DIR as for ``--data paracook=DIR``. A line for each setting: time of the plan, bound, seconds of the processor, states
looked at. At the end how many are proved, or within a tenth of the bound.
"""

from __future__ import annotations

import argparse
import sys
from time import process_time

from planoracle.instances import copies, registry
from planoracle.instances.deadline import Work
from planoracle.instances.paracook import released, sets
from planoracle.solver.floors.planner import plan


def main() -> int:
    """Solve and print; the exit status is 1 if less than two thirds are proved or within a tenth of the bound."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each, of counted work")
    parser.add_argument("--cooks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--orders", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", default="", help="what the names begin with, after paracook/cook/")
    parser.add_argument("--profile", default="released")
    parser.add_argument("--every", type=int, default=1, help="only each so many-th setting")
    options = parser.parse_args()
    copies.use("paracook", options.folder)
    room = registry.get("paracook")
    copy = released.copy()
    assert copy is not None
    close = proved = count = seen = 0
    for cooks in options.cooks:
        for orders in options.orders:
            for place in copy.maps:
                seed, _, last = place.rpartition("/")
                if (
                    last != f"agent_num_{cooks}"
                    or not place.startswith(options.only)
                    or not copy.orders_of(f"{seed}/orders_num_{orders}")
                ):
                    continue
                seen += 1
                if seen % options.every:
                    continue
                floor = sets.load(f"paracook/cook/{place}/orders_num_{orders}")
                began = process_time()
                found = plan(floor, room.profiles[options.profile], Work(options.seconds))
                near = found.makespan is not None and 10 * (found.makespan - found.bound) <= found.bound
                count, close, proved = count + 1, close + near, proved + (found.status.value == "optimal")
                took = process_time() - began
                values = f"{found.status.value:9} {found.makespan!s:>5} {found.bound:5}"
                print(f"{floor.name:60} {values} {took:6.1f} s {found.expanded:8}", flush=True)
    print(f"{count} settings: {proved} proved, {close} proved or within a tenth of the bound")
    return int(3 * close < 2 * count)


if __name__ == "__main__":
    sys.exit(main())
