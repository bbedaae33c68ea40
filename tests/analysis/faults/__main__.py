"""Table of faults survived: ``python -m tests.analysis.faults [--tries N] [--seed N] [FAULT ...]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.support.fault_trials import Command, commands
from tests.support.faults import FAULTS, FULL_DISK, Tally, can_mount
from tests.support.model_server import model_server


def tallies(by_name: dict[str, Command], faults: list[str], count: int, seed: int) -> Iterator[tuple[str, str, Tally]]:
    """Yield the numbers of each command under each fault."""
    for fault in faults:
        if fault == FULL_DISK and not can_mount():
            print("full disk: this user cannot mount a small disk", file=sys.stderr)
            continue
        names, cell = FAULTS[fault]
        for name in names:
            if not by_name[name].rows:
                by_name[name].measure()
            yield fault, name, cell(by_name[name], count, Random(f"{seed} {fault} {name}"))


def main() -> int:
    """Print the table; return 1 if a result is lost, doubled or wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("faults", nargs="*", default=list(FAULTS), help=", ".join(FAULTS))
    parser.add_argument("--tries", type=int, default=10, help="tries of each command under each fault")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    print("| fault | command | tries | lost | doubled | wrong |\n|---|---|--:|--:|--:|--:|")
    total = Tally()
    with TemporaryDirectory() as folder, model_server() as server:
        by_name = commands(Path(folder), server)
        for fault, name, tally in tallies(by_name, options.faults, options.tries, options.seed):
            print(f"| {fault} | {name} | {tally.tries} | {tally.lost} | {tally.doubled} | {tally.wrong} |", flush=True)
            total.add(tally)
    print(f"| all | | {total.tries} | {total.lost} | {total.doubled} | {total.wrong} |")
    return int(total.damage != (0, 0, 0))


if __name__ == "__main__":
    sys.exit(main())
