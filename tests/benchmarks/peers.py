"""Compare our solver with its peers on the same instances, in one run.

Run ``PYTHONPATH=. python tests/benchmarks/peers.py SET...`` on a quiet machine, in an environment with the extra
``bench``. A set is ``made/20`` (made here, by number of actions), a name or prefix of bundled problems
(``timearena/lab``), a folder of the literature's instances (``rcpsp_max/j10``), or a path. ``README.md`` says more.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

from planoracle.instances.errors import UnknownNameError
from tests.benchmarks.peers.methods import DEFAULT, METHODS, available
from tests.benchmarks.peers.runner import contradictions, measure, warm_up
from tests.benchmarks.peers.sets import problems
from tests.benchmarks.peers.tables import Row, left_open, summary, verdicts

SETS = ("made/10", "made/20", "made/30", "timearena", "recipe2plan")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS, help=f"default: {' '.join(SETS)}")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(DEFAULT), metavar="METHOD")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for one method on one instance")
    parser.add_argument("--repeats", type=int, default=3, help="the least time counts; slow ones run once")
    parser.add_argument("--cpu", action="store_true", help="processor time instead of wall time, for a busy machine")
    parser.add_argument("--every", type=int, default=1, help="take every n-th instance only")
    parser.add_argument("--rows", metavar="FILE", help="write every measurement, one JSON object a line")
    return parser.parse_args()


def versions() -> str:
    """Name what is compared."""
    found = []
    for name in ("planoracle", "ortools", "pyjobshop"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} absent")
    return ", ".join(found)


def run(label: str, names: Sequence[str], options: argparse.Namespace, warm: bool) -> tuple[list[Row], list[str]]:
    """Measure one set; return the rows and the contradictions."""
    members = problems(label)[:: options.every]
    if not warm:
        warm_up(members[0], names, options.limit)
    rows: list[Row] = []
    wrong: list[str] = []
    for turn, problem in enumerate(members):
        found = measure(problem, names, options.limit, options.repeats, turn, cpu=options.cpu)
        rows.append((problem.name, len(problem.instance.actions), found))
        for line in contradictions(problem, found):
            print(f"CONTRADICTION {line}", file=sys.stderr, flush=True)
            wrong.append(line)
        print(f"\r{label}: {turn + 1} of {len(members)}", end="", file=sys.stderr, flush=True)
        if options.rows:
            with open(options.rows, "a") as file:
                for name, one in found.items():
                    file.write(
                        json.dumps({"set": label, "instance": problem.name, "method": name, **asdict(one)}) + "\n"
                    )
    print(file=sys.stderr)
    reading = [1000 * problem.reading for problem in members]
    print(f"\n{label}: {len(members)} instances, read in {statistics.median(reading):.2f} ms each (median)\n")
    return rows, wrong


def main() -> int:
    options = arguments()
    names = [name for name in dict.fromkeys(options.methods) if available(name)]
    absent = [name for name in options.methods if name not in names]
    if absent:
        print(f"not installed: {', '.join(absent)} (pip install 'planoracle[bench]')", file=sys.stderr)
    clock = "processor time" if options.cpu else "wall time"
    print(f"{versions()}; {options.limit:g} s each, least {clock} of {options.repeats} runs")
    wrong: list[str] = []
    judged: list[str] = []
    unproved: list[str] = []
    done = 0
    for label in options.sets:
        try:
            rows, lines = run(label, names, options, warm=done > 0)
        except UnknownNameError as error:
            print(f"skipped {label}: {error}", file=sys.stderr)
            continue
        done += 1
        wrong += lines
        print("\n".join(summary(label, rows, names)), flush=True)
        unproved += left_open(rows)
        judged += verdicts(label, rows, options.limit)
    print("\n" + "\n".join(f"- {line}" for line in judged))
    if unproved:
        print(
            "\nleft open by ours or a direct model (least..best makespan):\n"
            + "\n".join(f"- {line}" for line in unproved)
        )
    print(f"\ncontradictions: {len(wrong) or 'none'}" + "".join(f"\n- {line}" for line in wrong))
    return 1 if wrong or not done else 0


if __name__ == "__main__":
    sys.exit(main())
