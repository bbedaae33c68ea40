"""The optima that ship, see `planoracle.instances.protocol.bundled_results`: listed, derived again, and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from planoracle.analysis.console import output_file
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.bundled_results import OPTIMA_FILE, Entry, by_key, key_of, optima_text
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import Claim
from planoracle.solver.result import Result, versions
from planoracle.solver.solve import engine_of, solve

#: Work for one problem where nothing else is asked for.
WORK = WorkLimit(240.0)
# What expanding a state of a kitchen takes about, with its successors and their bounds.
_SECONDS_PER_STATE = 0.003


@dataclass(frozen=True, slots=True)
class BundledEntry:
    """A problem as some of its benchmark's profiles see it, and the entry that ships about it, if one does.

    ``profiles`` are those that see it so; ``rules`` are those that its engine has to be told.
    """

    problem: Problem
    profiles: tuple[str, ...]
    rules: Rules | None
    entry: Entry | None

    def result(self) -> Result | None:
        """Return what ships, its plan replayed; raises some error if it does not hold."""
        return None if self.entry is None else engine_of(self.problem).unpack(self.problem, self.rules, self.entry)

    @property
    def effort(self) -> float:
        """About what deriving the entry again takes, in seconds of a quiet core, as far as it tells."""
        entry = self.entry or {}
        return float(entry.get("work", entry.get("expanded", 0) * _SECONDS_PER_STATE))

    @property
    def derivable(self) -> bool:
        """Whether the current code can derive the entry again; otherwise only its plan can be checked."""
        return bool((self.entry or {}).get("derivable", True))

    def told(self) -> dict[str, Any]:
        """Return what is shown of it, but the profiles."""
        entry = self.entry or {}
        return {
            "instance": self.problem.name,
            "status": entry.get("status"),
            "optimum": entry.get("makespan") if entry.get("status") == "optimal" else None,
            "makespan": entry.get("makespan"),
            "bound": entry.get("bound"),
            "claimed": _claimed(self.problem),
            "unit": self.problem.unit,
            "proof": entry.get("proof"),
        }


def chosen(patterns: Iterable[str], sample: int | None = None, seed: int = 0) -> list[str]:
    """Return the names behind patterns (none: all bundled problems), or so many of them drawn by a seed.

    Problems whose optimum a formula has are left out.
    """
    names = [name for name in catalog.expand(patterns) or catalog.bundled() if not _has_formula(name)]
    if sample is None or sample >= len(names):
        return names
    drawn = set(Random(seed).sample(names, sample))
    return [name for name in names if name in drawn]


def _has_formula(name: str) -> bool:
    problem = catalog.problem(name)
    return registry.of(problem).formula_optimum(problem) is not None


def ways_of(name: str) -> Iterator[BundledEntry]:
    """Yield a bundled problem in all ways in which the profiles of its benchmark see it; raises `UnknownNameError`."""
    problem = catalog.problem(name)
    benchmark = registry.of(problem)
    entries = by_key(benchmark.optima.get(problem.name, []))
    seen: dict[str, tuple[Problem, Rules | None, list[str]]] = {}
    for profile, rules in benchmark.rules.profiles.items():
        try:
            judged = benchmark.under(problem, rules)
        except InputError:  # the rules leave no way to complete it
            continue
        deciding = None if problem.kind == "schedule" else engine_of(problem).rules_for_optimum(rules)
        seen.setdefault(key_of(judged, deciding), (judged, deciding, []))[2].append(profile)
    for key, (judged, deciding, profiles) in seen.items():
        yield BundledEntry(judged, tuple(profiles), deciding, entries.get(key))


def _claimed(problem: Problem) -> int | None:
    """Return the makespan that somebody else states of a problem."""
    for reference in registry.of(problem).references:
        try:
            found = None if isinstance(reference.source, str) else reference.source(problem)
        except InputError:  # another problem that cannot be completed
            continue
        if isinstance(found, Claim):
            return found.makespan
    return None


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    """Yield what is shown of a bundled problem: a row for all profiles under which the same is known of it."""
    told: list[tuple[dict[str, Any], list[str]]] = []
    for one in ways_of(name):
        row = one.told()
        profiles = next((profiles for known, profiles in told if known == row), None)
        if profiles is None:
            told.append((row, list(one.profiles)))
        else:
            profiles.extend(one.profiles)
    yield from (row | {"profile": ", ".join(profiles)} for row, profiles in told)


def derived(one: BundledEntry, work: WorkLimit = WORK) -> Entry:
    """Solve a problem anew, whatever ships, by so much work."""
    found = solve(one.problem, rules=one.rules, time_limit=work)
    entry = {"of": key_of(one.problem, one.rules)} | engine_of(one.problem).pack(one.problem, one.rules, found)
    return entry if found.status.settled else entry | {"work": work.seconds}


def faults_of(one: BundledEntry) -> list[str]:
    """Derive a problem again, with the work that an unproved entry states, and list the differences.

    Of an entry that the current code cannot derive, only the plan is replayed.
    """
    if one.entry is None:
        return ["nothing ships, or for another problem of that name"]
    try:
        one.result()
    except Exception as error:  # whatever the file holds
        return [f"does not hold: {type(error).__name__}: {error}"]
    if not one.derivable:
        return []
    again = derived(one, WorkLimit(one.entry.get("work", WORK.seconds)))
    return [
        f"{field} is {one.entry[field]}, not {again[field]} as derived"
        for field in ("status", "makespan", "bound")
        if one.entry[field] != again[field]
    ]


def write_optima(benchmark: AnyBenchmark, new: Mapping[str, list[Entry]]) -> None:
    """Write entries of problems into the file of their benchmark, in a checkout whose files can be written.

    They take the place of any other of these problems; entries of problems that do not exist any more are dropped.
    """
    entries = {**benchmark.optima, **new}
    path = Path(str(files(type(benchmark).__module__) / "data" / OPTIMA_FILE))
    path.parent.mkdir(exist_ok=True)
    with output_file(path) as stream:
        known = {name: list(ways) for name, ways in entries.items() if catalog.names_problem(name)}
        stream.write(optima_text(known, versions()))
