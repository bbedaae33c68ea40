"""Items of a batch and their rows, from the journal or computed by a pool; batches of problems."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

from planoracle.analysis.batch.cluster import DaskCluster
from planoracle.analysis.batch.journal import Journal
from planoracle.analysis.grading.rule_options import profiles
from planoracle.heuristics.improve import Budget
from planoracle.heuristics.package_heuristics import package_heuristics
from planoracle.heuristics.registry import HeuristicAnswer
from planoracle.heuristics.registry import run as apply
from planoracle.instances.errors import InputError, RefusedPlanError
from planoracle.instances.model.cache import FORMAT, digest, fingerprint
from planoracle.instances.model.limits import Deadline, Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import replay_rules
from planoracle.instances.workers.pool import Ready, WorkerPool
from planoracle.instances.workers.worker import on_interrupt, report
from planoracle.solver.result import Result, SolveOptions, infeasible_result, refused_result, versions
from planoracle.solver.solve import load_or_solve


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
    def rules_by_benchmark(self) -> Mapping[str, Rules]:
        """Rules of each benchmark; raises `UnknownNameError` for unknown rules."""
        return profiles(self.profile, dict(self.rules))

    def key(self, *content: object) -> str:
        """Return the key of a row in a journal: a digest of content, options, versions and packages."""
        packages = registry.packages()
        sources = (registry.source_digest(packages),) if packages else ()
        return digest(type(self).__name__, FORMAT, versions(), self, *content, *sources)

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
_ROW = {"instance", "status", "makespan", "unit", "seconds", "plan"}


class Improvement(NamedTuple):
    """Best makespan and lower bound of a running solve, ``None`` if unknown, and the share of the work."""

    instance: str
    makespan: int | None
    lower_bound: int | None = None
    share: str = ""


def is_solved(row: Any) -> bool:
    """Return whether an object is a row of `Solving`."""
    if not isinstance(row, dict) or not row.keys() >= _ROW:
        return False
    return all(isinstance(row[name], str) for name in _TEXTS)


@dataclass(frozen=True)
class Solving(Work):
    """Batch work: solve or schedule one problem per task, with options of `planoracle.solver.solve`.

    With an empty ``profile`` the solver chooses the rules.

    Attributes
    ----------
    time_limit
        Seconds per problem; ``None``, of heuristics only, for no limit.
    recompute
        Solve problems even if their optimum is bundled.
    heuristic, iterations, nodes
        Name of a heuristic that replaces the solver, and its `Budget.iterations` and `Budget.nodes`.
    """

    profile: str = ""
    time_limit: float | None = 60.0
    seed: int = 0
    workers: int = 1
    exact_grid: bool = False
    min_interruptions: bool = False
    engine: str = "auto"
    recompute: bool = False
    heuristic: str | None = None
    iterations: int = 0
    nodes: int = 20_000

    def item(self, problem: Problem) -> Item:
        """Return the item of a problem."""
        content = [fingerprint(problem)]
        heuristic = None if self.heuristic is None else package_heuristics().get(self.heuristic)
        if heuristic is not None:  # of another package
            module = str(getattr(heuristic, "__module__", ""))
            content.append(registry.source_digest((module.partition(".")[0],)))
        return Item(problem, problem, self.key(*content))

    def start(self) -> Callable[[Problem], ResultRow]:
        """Return the function that solves one problem."""
        return self.answer

    def answer(self, task: Problem) -> ResultRow:
        """Solve a problem, and report improvements meanwhile.

        After an interruption the row has the incumbent.
        """
        try:
            task, rules = self.under_rules(task)
        except InputError as error:
            return ResultRow(json.dumps(self._excluded(task, error)))
        deadline = Deadline(inf if self.time_limit is None else self.time_limit)
        on_interrupt(deadline.stopped.set)
        if self.heuristic is not None:
            row = self._schedule(task, self.heuristic, deadline, rules)
        else:
            row = replace(self._solve(task, deadline, rules), problem=task).as_dict()
        is_cut = deadline.stopped.is_set()
        if is_cut and not Status(row["status"]).settled:
            row["reason" if self.heuristic else "proof"] = "interrupted"
        # An interrupted solve may prove the optimum of another plan than a whole one.
        return ResultRow(json.dumps(row), is_lasting=not is_cut)

    def _excluded(self, task: Problem, error: InputError) -> dict[str, Any]:
        """Return the row of a problem that no plan completes by the rules, see `Benchmark.under`."""
        reason = f"excluded by the rules of the profile {self.profile}: {error}"
        if self.heuristic is not None:
            return _heuristic_row(task, HeuristicAnswer(task.name, self.heuristic, None, None, None, reason, 0.0))
        return infeasible_result(task, reason).as_dict()

    def _solve(self, task: Problem, deadline: Deadline, rules: Rules | None) -> Result:
        """Return the result of a problem; its status is unknown if a rule refuses the plan."""

        def report_progress(makespan: int | None, lower_bound: int) -> None:
            report(Improvement(task.name, makespan, lower_bound))

        options = SolveOptions(
            rules,
            deadline,
            self.seed,
            self.workers,
            self.exact_grid,
            min_interruptions=self.min_interruptions,
            engine=self.engine,
            on_progress=report_progress,
        )
        try:
            return load_or_solve(task, options, recompute=self.recompute)
        except RefusedPlanError as error:
            return refused_result(task, error)

    def under_rules(self, problem: Problem) -> tuple[Problem, Rules | None]:
        """Return the problem, and the rules of its plans unless they are in the problem."""
        if not self.profile:
            return problem, None
        rules = self.rules_by_benchmark[problem.benchmark]
        return registry.of(problem).under(problem, rules), replay_rules(problem, rules)

    def _schedule(self, task: Problem, heuristic: str, deadline: Deadline, rules: Rules | None) -> dict[str, Any]:
        """Return the row of a heuristic."""

        def report_tries(makespan: int, tries: int) -> None:
            report(Improvement(task.name, makespan, share=f"{tries:,} of {self.iterations:,} iterations"))

        budget = Budget(self.seed, self.iterations, deadline, nodes=self.nodes, on_progress=report_tries)
        try:
            answer = apply(task, heuristic, budget, rules=rules)
        except InputError as error:
            # The heuristic is for other problems: a row without a schedule, as if it had found none.
            answer = HeuristicAnswer(task.name, heuristic, None, None, None, str(error), 0.0)
        return _heuristic_row(task, answer)


def _heuristic_row(task: Problem, answer: HeuristicAnswer) -> dict[str, Any]:
    status = Status.unknown if answer.makespan is None else Status.feasible
    schedule = answer.schedule and [piece._asdict() for piece in answer.schedule.pieces]
    return {
        "instance": answer.instance,
        "heuristic": answer.heuristic,
        "status": status,
        "makespan": answer.makespan,
        "unit": task.unit,
        "seconds": round(answer.seconds, 6),
        "reason": answer.reason or None,
        "plan": answer.plan,
        "schedule": schedule,
    }
