"""Batch tasks that solve problems, and problem files read in a worker."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from planoracle.analysis.batch.pool import each_in_worker
from planoracle.analysis.batch.tasks import Item, ResultRow
from planoracle.analysis.batch.worker import report
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.cache import FORMAT, digest, fingerprint
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.result import versions
from planoracle.solver.solve import solve

# Files up to this size, in bytes, are read in this process.
_SMALL = 2**19


def read_each(name: str) -> Iterator[Problem | InputError]:
    """Yield the results of `planoracle.instances.files.catalog.read_each`; a worker reads large files.

    Raises
    ------
    InputError
        If nothing can be read, or reading exceeds `PROBLEM_LIMITS`.
    """
    path = Path(catalog.file_path(name))
    try:
        is_large = path.is_file() and path.stat().st_size > _SMALL
    except (OSError, ValueError):  # no path of this system
        is_large = False
    yield from each_in_worker(_read, name) if is_large else catalog.read_each(name)


def read_problems(name: str) -> Iterator[Problem]:
    """Yield the problems of `read_each`; raises the first error."""
    for problem in read_each(name):
        if isinstance(problem, InputError):
            raise problem
        yield problem


def _read(name: str) -> Iterator[Problem | InputError]:
    yield from catalog.read_each(name)


# Keys under which every row has text, and all that every row has.
_TEXTS = ("instance", "status", "unit")
_ROW = {"instance", "status", "makespan", "lower_bound", "unit", "seconds", "proof", "plan", "versions"}


def is_row(row: Any) -> bool:
    """Return whether an object is a row of `Solving`."""
    return isinstance(row, dict) and row.keys() >= _ROW and all(isinstance(row[name], str) for name in _TEXTS)


@dataclass(frozen=True)
class Solving:
    """Batch work: solve one problem per task, with the options of `planoracle.solver.solve.solve`.

    Attributes
    ----------
    profile, rules
        Name of the rule profile, and single rules by name, see `planoracle.analysis.grading.rule_options.profiles`.
        Without a profile the solver chooses the rules.
    """

    time_limit: float = 60.0
    seed: int = 0
    workers: int = 1
    exact_grid: bool = False
    profile: str | None = None
    rules: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = tuple(versions().items())
    min_interruptions: bool = False

    def item(self, problem: Problem, *, is_keyed: bool) -> Item:
        """Return the item of a problem, with a key if its result is to be stored."""
        options: tuple[object, ...] = (self.time_limit, self.seed, self.workers, self.exact_grid)
        if self.profile is not None:
            options += (self.profile, self.rules)
        if self.min_interruptions:
            options += ("min_interruptions",)
        key = digest("solve", FORMAT, options, self.versions, fingerprint(problem)) if is_keyed else None
        return Item(problem, problem, key)

    def start(self) -> Callable[[Problem], ResultRow]:
        """Return the function that solves one problem and reports improvements meanwhile."""
        return self._answer

    @cached_property
    def _profiles(self) -> dict[str, Rules]:
        return profiles(self.profile or "", dict(self.rules))

    def _answer(self, problem: Problem) -> ResultRow:
        options: dict[str, Any] = {"seed": self.seed, "workers": self.workers, "exact_grid": self.exact_grid}
        if self.min_interruptions:
            options["min_interruptions"] = True
        if self.profile is not None:
            rules = self._profiles[problem.benchmark]
            if problem.kind == "schedule":  # its rules are in the problem
                problem = registry.of(problem).under(problem, rules)
            else:
                options["rules"] = rules
        result = solve(problem, time_limit=self.time_limit, on_progress=_report, **options)
        return ResultRow(json.dumps(result.as_dict()))


def _report(makespan: int | None, bound: int) -> None:
    report((makespan, bound))
