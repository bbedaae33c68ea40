"""Batch tasks that solve problems, and problem files read in a worker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planoracle.analysis.batch.pool import each_in_worker
from planoracle.analysis.batch.tasks import Item, ResultRow, Work
from planoracle.analysis.batch.worker import report
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.cache import fingerprint
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
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
class Solving(Work):
    """Batch work: solve one problem per task, with the options of `planoracle.solver.solve.solve`.

    With an empty ``profile`` the solver chooses the rules.
    """

    profile: str = ""
    time_limit: float = 60.0
    seed: int = 0
    workers: int = 1
    exact_grid: bool = False
    min_interruptions: bool = False

    def item(self, problem: Problem) -> Item:
        """Return the item of a problem."""
        return Item(problem, problem, self.key(fingerprint(problem)))

    def answer(self, task: Problem) -> ResultRow:
        """Solve a problem, and report improvements meanwhile."""
        rules = self.rules_by_benchmark[task.benchmark] if self.profile else None
        if rules is not None and task.kind == "schedule":  # its rules are in the problem
            task, rules = registry.of(task).under(task, rules), None
        result = solve(
            task,
            rules=rules,
            time_limit=self.time_limit,
            seed=self.seed,
            workers=self.workers,
            exact_grid=self.exact_grid,
            min_interruptions=self.min_interruptions,
            on_progress=lambda makespan, bound: report((makespan, bound)),
        )
        return ResultRow(json.dumps(result.as_dict()))
