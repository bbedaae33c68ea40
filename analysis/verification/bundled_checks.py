"""Bundled optima: list them, derive them again, and write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
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
from planoracle.solver.kinds.registry import kind_of
from planoracle.solver.result import Result, versions
from planoracle.solver.solve import engine_of, has_solver, solve

#: Default work for one problem.
WORK = WorkLimit(240.0)
# Approximate time to expand one state of a kitchen.
_SECONDS_PER_STATE = 0.003


@dataclass(frozen=True, slots=True)
class BundledEntry:
    """Bundled optimum of a problem under some rule profiles.

    Attributes
    ----------
    problem
        The problem as the profiles change it.
    profiles
        Names of the profiles that change it in the same way.
    rules
        Rules that the solver needs beside the problem.
    entry
        The bundled entry; ``None`` if there is none.
    """

    problem: Problem
    profiles: tuple[str, ...]
    rules: Rules | None
    entry: Entry | None

    def result(self) -> Result | None:
        """Return the bundled result; raises an error if its plan fails the replay."""
        if self.entry is None:
            return None
        return engine_of(self.problem).unpack(self.problem, self.rules, self.entry)

    @property
    def effort(self) -> float:
        """Estimated seconds of work to derive the entry again."""
        entry = self.entry or {}
        return float(entry.get("work", entry.get("expanded", 0) * _SECONDS_PER_STATE))

    @property
    def derivable(self) -> bool:
        """True if the current code can derive the entry again; else only its plan is checked."""
        return bool((self.entry or {}).get("derivable", True))

    def row(self) -> dict[str, Any]:
        """Return a row for tables, without the profiles."""
        entry = self.entry or {}
        status, makespan = entry.get("status"), entry.get("makespan")
        return {
            "instance": self.problem.name,
            "status": status,
            "optimum": makespan if status == "optimal" else None,
            "makespan": makespan,
            "bound": entry.get("bound"),
            "claimed": _published_makespan(self.problem),
            "unit": self.problem.unit,
            "proof": entry.get("proof"),
        }


def select_names(patterns: Iterable[str], sample: int | None = None, seed: int = 0) -> list[str]:
    """Return the names that match patterns (default: all bundled problems), or a random sample.

    Problems whose optimum is given by a formula are omitted.
    """
    names = [name for name in catalog.expand(patterns) or catalog.bundled() if not _has_formula(name)]
    drawn = names if sample is None else Random(seed).sample(names, min(sample, len(names)))
    return sorted(drawn, key=names.index)


def _has_formula(name: str) -> bool:
    problem = catalog.problem(name)
    return registry.of(problem).formula_optimum(problem) is not None


def bundled_entries(name: str) -> Iterator[BundledEntry]:
    """Yield the entries of a bundled problem, one for all profiles with the same problem."""
    problem = catalog.problem(name)
    benchmark = registry.of(problem)
    entries = by_key(benchmark.optima.get(problem.name, []))
    seen: dict[str, tuple[Problem, Rules | None, list[str]]] = {}
    for profile, rules in benchmark.rules.profiles.items():
        try:
            judged = benchmark.under(problem, rules)
        except InputError:  # the rules leave no way to complete it
            continue
        deciding = kind_of(problem).rules_for_optimum(rules)
        _, _, profiles = seen.setdefault(key_of(judged, deciding), (judged, deciding, []))
        profiles.append(profile)
    for key, (judged, deciding, profiles) in seen.items():
        yield BundledEntry(judged, tuple(profiles), deciding, entries.get(key))


def _published_makespan(problem: Problem) -> int | None:
    """Return the makespan that a published reference claims."""
    for reference in registry.of(problem).references:
        try:
            claim = None if isinstance(reference.source, str) else reference.source(problem)
        except InputError:  # another problem that cannot be completed
            continue
        if isinstance(claim, Claim):
            return claim.makespan
    return None


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a bundled problem, one for all profiles with equal content."""
    rows: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for bundled_entry in bundled_entries(name):
        row = bundled_entry.row()
        _, profiles = rows.setdefault(str(row), (row, []))
        profiles.extend(bundled_entry.profiles)
    yield from (row | {"profile": ", ".join(profiles)} for row, profiles in rows.values())


def derive(bundled_entry: BundledEntry, work: WorkLimit = WORK) -> Entry:
    """Solve a problem again, regardless of its bundled entry."""
    problem, rules = bundled_entry.problem, bundled_entry.rules
    result = solve(problem, rules=rules, time_limit=work)
    entry = {"of": key_of(problem, rules)} | engine_of(problem).pack(problem, rules, result)
    return entry if result.status.settled else entry | {"work": work.seconds}


def faults_of(bundled_entry: BundledEntry) -> list[str]:
    """Derive a problem new, with the work that an unproved entry states, and list the differences.

    Of an entry that the current code cannot derive, only the plan is replayed.
    """
    entry = bundled_entry.entry
    if entry is None:
        return ["no optimum is bundled for this problem"]
    try:
        bundled_entry.result()
    except Exception as error:  # whatever the file holds
        return [f"does not hold: {type(error).__name__}: {error}"]
    if not bundled_entry.derivable or not has_solver(bundled_entry.problem):
        return []
    new = derive(bundled_entry, WorkLimit(entry.get("work", WORK.seconds)))
    faults = []
    for field in ("status", "makespan", "bound", "weight", "weight_bound"):
        if entry.get(field) != new.get(field):
            faults.append(f"{field} is {entry.get(field)}, but solving gives {new.get(field)}")
    return faults


def writable_path(benchmark: AnyBenchmark, name: str) -> Path:
    """Return the path of a file of bundled data in a writable checkout; its folder is created."""
    path = Path(str(benchmark.bundled_data)) / name
    path.parent.mkdir(exist_ok=True)
    return path


def _entries_by_words(benchmark: AnyBenchmark, name: str) -> list[Entry]:
    """Return the bundled entries of the problem that the words of a goal state, see `Benchmark.by_text`."""
    stated = benchmark.by_text(catalog.problem(name))
    if stated is None:
        return []
    problem = stated[0]
    every_rules = benchmark.rules.profiles.values()
    keys = {key_of(problem, kind_of(problem).rules_for_optimum(rules)) for rules in every_rules}
    return [entry for entry in benchmark.optima.get(name, []) if keys & set(entry["of"].split())]


def write_optima(benchmark: AnyBenchmark, new: Mapping[str, list[Entry]]) -> None:
    """Write entries of problems into the data file of their benchmark, in a writable checkout.

    Former entries of these problems are replaced, but for those of goals by their words; entries of problems that no
    longer exist are dropped.
    """
    entries = {**benchmark.optima}
    for name, derived in new.items():
        entries[name] = [*derived, *_entries_by_words(benchmark, name)]
    with output_file(writable_path(benchmark, OPTIMA_FILE)) as stream:
        existing = {name: list(ways) for name, ways in entries.items() if catalog.names_problem(name)}
        stream.write(optima_text(existing, versions()))
