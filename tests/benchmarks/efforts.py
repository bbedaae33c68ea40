"""What solving takes without a clock, beside what it took when that was stored.

Run ``PYTHONPATH=. python tests/benchmarks/efforts.py`` to see what has changed since, with ``--store`` to keep it;
``tests/solver/test_efforts.py`` fails where an effort has grown.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path

from planoracle.instances.catalogue import expand, load
from planoracle.instances.deadline import Work, worked
from planoracle.instances.generate.styles import generate
from planoracle.instances.model import Instance
from planoracle.instances.problem import of_kind
from planoracle.instances.timearena.world import task_names
from planoracle.solver.exact.cp import counted
from planoracle.solver.exact.solve import solve
from tests.benchmarks.peers.made import job_shop, project

__all__ = ["CASES", "HEAVY", "STORED", "Spent", "grown", "measure", "store", "stored"]

STORED = Path(__file__).with_name("efforts.csv")

#: How much of each effort is no more than before: so many times as much, and so much besides. The calls and the models
#: depend on our own steps only, the branches on the release of CP-SAT too.
SLACK: Mapping[str, tuple[float, float]] = {
    "calls": (1.0, 0),
    "size": (1.1, 0),
    "branches": (1.5, 200),
    "conflicts": (1.5, 100),
    "units": (1.5, 0.0005),
    "work": (1.5, 0.002),
}

# Seconds of counted work for one problem, of which none needs all.
_MOST = Work(20.0)


@dataclass(frozen=True, slots=True)
class Spent:
    """Efforts of CP-SAT (see `planoracle.solver.exact.cp.Efforts`), seconds of all work counted, answers proved."""

    calls: int
    size: int
    branches: int
    conflicts: int
    units: float
    work: float
    proved: int


def _solved(make: Callable[[], Instance]) -> int:
    found = solve(replace(make()), time_limit=_MOST)  # a copy, of which nothing has been worked out
    return int(found.status.settled)


def _loaded(name: str) -> Instance:
    return of_kind(load(name), Instance)


def _drawn(seed: int, **given: float) -> Instance:
    return of_kind(generate("generic", seed, **given).problem, Instance)


def _cases() -> Iterator[tuple[str, Callable[[], int]]]:
    patterns = [("recipe2plan", 13), ("asynctool", 25), ("timearena", 18), ("asynchow", 500)]
    patterns += [("recipe2plan~2", 43), ("timearena~3", 43), ("asynctool~2", 50)]
    for pattern, every in patterns:
        for name in expand([pattern])[::every]:
            yield name, partial(_solved, partial(_loaded, name))
    for count in (5, 10, 20):
        yield (
            f"timearena/{count} tasks",
            partial(_solved, partial(_loaded, "timearena/" + "+".join(task_names()[:count]))),
        )
    for seed in range(0, 30, 4):
        yield f"made/20/{seed}", partial(_solved, partial(project, 20, seed))
    for jobs, machines in ((6, 6), (10, 5), (20, 5), (8, 8), (30, 10)):
        yield f"made/job shop/{jobs}x{machines}", partial(_solved, partial(job_shop, jobs, machines, 0))
    for label, given in _GIVEN.items():
        for seed in (0, 1):
            yield f"generated/{label}/{seed}", partial(_solved, partial(_drawn, seed, **given))


_GIVEN: Mapping[str, Mapping[str, float]] = {
    "24 actions": {},
    "pauses": {"interruptible": 1.0},
    "2 agents": {"agents": 2, "eligibility": 0.5},
    "4 agents": {"agents": 4},
    "160 actions": {"tasks": 20},
    "160 actions, 2 agents": {"tasks": 20, "agents": 2, "eligibility": 0.5},
    "160 actions, 3 agents": {"tasks": 20, "agents": 3, "windows": 0.0, "eligibility": 0.7},
}

#: What is measured, by name: each returns how many answers were proved.
CASES: Mapping[str, Callable[[], int]] = dict(_cases())
#: Those that take over a second.
HEAVY = {"generated/160 actions, 3 agents/0"}


def measure(case: Callable[[], int]) -> Spent:
    """Count what it takes."""
    before = worked()
    with counted() as efforts:
        proved = case()
    return Spent(**asdict(efforts), work=(worked() - before) / 1e9, proved=proved)


def grown(before: Spent, now: Spent) -> list[str]:
    """Say which efforts have grown, beyond slack."""
    found = [] if now.proved >= before.proved else [f"{now.proved} answers are proved, where {before.proved} were"]
    for name, (times, more) in SLACK.items():
        one, two = getattr(before, name), getattr(now, name)
        if two > times * one + more:
            found.append(f"{name}: {two:g}, where {one:g} were enough")
    return found


def stored() -> dict[str, Spent]:
    """Return what was stored, by case; nothing if nothing was."""
    if not STORED.exists():
        return {}
    with STORED.open(newline="", encoding="utf-8") as file:
        return {row["case"]: _spent(row) for row in csv.DictReader(file)}


def _spent(row: Mapping[str, str]) -> Spent:
    whole = {name: int(row[name]) for name in ("calls", "size", "branches", "conflicts", "proved")}
    return Spent(units=float(row["units"]), work=float(row["work"]), **whole)


def store(found: Mapping[str, Spent]) -> None:
    """Store efforts in place of those before."""
    with STORED.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = [field.name for field in fields(Spent)]
        writer.writerow(["case", *names])
        for case, spent in found.items():
            values = [getattr(spent, name) for name in names]
            writer.writerow([case, *(f"{value:.6f}" if isinstance(value, float) else value for value in values)])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", action="store_true", help=f"store what is found in {STORED.name}")
    options = parser.parse_args()
    before = stored()
    found: dict[str, Spent] = {}
    worse = 0
    for name, case in CASES.items():
        now = found[name] = measure(case)
        known = before.get(name)
        said = ["new"] if known is None else grown(known, now)
        worse += bool(known and said)
        if known is not None and not said and grown(now, known):
            said = ["less than before: " + "; ".join(grown(now, known))]
        if said:
            print(f"{name}: {'; '.join(said)}")
    print(f"{len(found)} cases, {worse} worse, {sum(spent.proved for spent in found.values())} answers proved")
    if options.store:
        store(found)
    elif worse:
        sys.exit(1)


if __name__ == "__main__":
    main()
