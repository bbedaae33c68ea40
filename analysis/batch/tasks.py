"""Items of a batch and their rows, from the journal or computed by a pool; batches of problems."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from planoracle.analysis.batch.cluster import DaskCluster
from planoracle.analysis.batch.journal import Journal
from planoracle.analysis.batch.pool import Ready, WorkerPool
from planoracle.analysis.batch.worker import report
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.model.cache import FORMAT, digest, fingerprint
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.result import versions
from planoracle.solver.solve import solve


class ResultRow(NamedTuple):
    """A result as JSON in one line.

    Attributes
    ----------
    is_lasting
        True if the same content, options and versions give the same row again, so that a journal may keep it.
    """

    text: str
    is_lasting: bool = True


@dataclass(frozen=True)
class Work(ABC):
    """Options of the tasks of a batch.

    Attributes
    ----------
    profile, rules
        Name of the rule profile, and single rules by name, see `planoracle.analysis.grading.rule_options.profiles`.
    """

    profile: str = "paper"
    rules: tuple[tuple[str, str], ...] = ()

    @cached_property
    def rules_by_benchmark(self) -> dict[str, Rules]:
        """Rules of each benchmark; raises `UnknownNameError` for unknown rules."""
        return profiles(self.profile, dict(self.rules))

    def key(self, *content: object) -> str:
        """Return a digest of content, options and versions, under which a journal stores the row."""
        return digest(type(self).__name__, FORMAT, versions(), self, *content)

    @abstractmethod
    def start(self) -> Callable[[Any], ResultRow]:
        """Return the function that answers a task; called once in each worker."""


@dataclass(slots=True)
class Item:
    """One unit of work of a batch.

    Attributes
    ----------
    about
        Data of the caller, returned with the answer.
    task
        Task that is sent to a worker.
    key
        Key of the row in a journal; ``None`` if it is not stored.
    answer
        The answer, if no work is needed for it.
    """

    about: Any
    task: Any = None
    key: str | None = None
    answer: Any = None


def answer_items(
    items: Iterable[Item],
    pool: WorkerPool[Any, Any] | DaskCluster,
    journal: Journal | None = None,
    is_row: Callable[[Any], bool] = lambda row: True,
) -> Iterator[tuple[Item, Any]]:
    """Yield every item with its answer, in input order; rows in the journal are not computed again.

    Parameters
    ----------
    is_row
        Predicate for objects from the journal; rows that fail it are computed again.
    """
    waiting: deque[Item] = deque()

    def tasks() -> Iterator[Any]:
        for item in items:
            waiting.append(item)
            if journal is not None and item.key is not None and (stored := journal.get(item.key)) is not None:
                if _is_valid(stored, is_row):
                    item.answer = ResultRow(stored)
                else:
                    journal.drop(item.key)
            yield item.task if item.answer is None else Ready(item.answer)

    for answer in pool.map(tasks()):
        item = waiting.popleft()
        new_key = item.key if item.answer is None else None
        if journal is not None and new_key is not None and isinstance(answer, ResultRow) and answer.is_lasting:
            journal.put(new_key, answer.text)
        yield item, answer


def _is_valid(text: str, is_row: Callable[[Any], bool]) -> bool:
    try:
        return is_row(json.loads(text))
    except (ValueError, RecursionError):
        return False


# Keys under which every row has text, and all that every row has.
_TEXTS = ("instance", "status", "unit")
_ROW = {"instance", "status", "makespan", "lower_bound", "unit", "seconds", "proof", "plan", "versions"}


def is_solved(row: Any) -> bool:
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

    def start(self) -> Callable[[Problem], ResultRow]:
        """Return the function that solves one problem."""
        return self.answer

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
