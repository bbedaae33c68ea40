"""Metrics of AsyncTool: accuracy of steps, sub-tasks and tasks, turns, causes of failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from itertools import groupby
from operator import attrgetter
from statistics import fmean
from typing import NamedTuple, TypeAlias

from planoracle.instances.benchmarks.asynctool.feedback import causes
from planoracle.instances.benchmarks.asynctool.problem_model import (
    FAMILIES,
    AsyncToolProblem,
    Call,
    canonical,
    optimal_turns,
)
from planoracle.instances.benchmarks.asynctool.problems import tasks
from planoracle.instances.benchmarks.asynctool.rules import Profile
from planoracle.instances.benchmarks.asynctool.run import AsyncToolRun
from planoracle.instances.benchmarks.asynctool.simulation import Transcript
from planoracle.plugin import (
    Average,
    Claim,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Oracle,
    Reference,
    Row,
)

# Keys of the counts of labels in rows.
_COUNTS = ("hits", "vain", "missed")


class Labels(NamedTuple):
    """Counts of labels; F1 is ``2 hits / (2 hits + false positives + missed)``, 1 if there are none."""

    hits: int
    false_positives: int
    missed: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = 2 * self.hits + self.false_positives + self.missed
        return 2 * self.hits / total if total else 1.0


#: A call and its sub-task, ``""`` if labels count for the run as a whole.
_ScopedCall: TypeAlias = tuple[str, Call]


def step_level(run: Transcript, rules: Profile) -> tuple[tuple[Labels, ...], tuple[Labels, ...]]:
    """Compare the calls of a run with the reference calls by labels.

    Returns
    -------
    tuple
        Labels by the profile's ``f1`` rule, then labels as multisets of all labels. Each is a pair:
        names of functions; triples of function, parameter and value. By the rule ``f1_scope`` they have their sub-task.
    """
    in_task = rules.f1_scope == "task"
    expected = [(task.id if in_task else "", call) for task in run.problem.tasks for call in task.reference_calls]
    actual = [(turn.task if in_task else "", turn.call) for turn in run.turns if turn.call is not None]
    micro = tuple(_compare(labels(expected), labels(actual)) for labels in (_functions, _parameters))
    if rules.f1 == "micro":
        return micro, micro
    offered = {name for task in run.problem.tasks for name in task.documents}
    actual = [(scope, call) for scope, call in actual if call.name in offered]
    return tuple(_compare(set(labels(expected)), set(labels(actual))) for labels in (_functions, _parameters)), micro


def _functions(calls: Iterable[_ScopedCall]) -> list[Hashable]:
    return [(scope, call.name) for scope, call in calls]


def _parameters(calls: Iterable[_ScopedCall]) -> list[Hashable]:
    return [(scope, call.name, name, canonical(value)) for scope, call in calls for name, value in call.params.items()]


def _compare(expected: Iterable[Hashable], actual: Iterable[Hashable]) -> Labels:
    expected_counts, actual_counts = Counter(expected), Counter(actual)
    hits = (expected_counts & actual_counts).total()
    return Labels(hits, actual_counts.total() - hits, expected_counts.total() - hits)


def streak_floor(counts: Iterable[int]) -> int:
    """Return the shortest possible streak for calls per sub-task: ``ceil(most / (all others + 1))``.

    >>> streak_floor([5, 1]), streak_floor([2, 2]), streak_floor([])
    (3, 1, 0)
    """
    counts = list(counts)
    most = max(counts, default=0)
    return -(-most // (sum(counts) - most + 1))


def _usable(problem: AsyncToolProblem, run: Transcript, idle: list[int]) -> list[int]:
    """Return the idle turns in which a reference call was possible."""
    usable = {(turn.task, turn.step): turn.usable for turn in run.turns if turn.step is not None}
    ready: list[tuple[int, int]] = []  # first turn and end (exclusive) in which a reference call was possible
    for task, outcome in zip(problem.tasks, run.outcomes, strict=True):
        for step, turn in enumerate(outcome.turns):
            since = usable.get((task.id, step - 1), 1 if step == 0 else 0)
            if since:
                ready.append((since, turn if turn is not None else len(run.turns) + 1))
    return [number for number in idle if any(since <= number < until for since, until in ready)]


@cache
def published_figures() -> dict[str, float]:
    """Return figures of the paper's Tables 3 and 4, for the bundled tasks and their families."""
    calls = {name: [len(one.reference_calls) for one in tasks().values() if one.family == name] for name in FAMILIES}
    per_task = {f"{family}: calls per task": fmean(counts) for family, counts in calls.items()}
    per_task["calls per task"] = fmean(count for counts in calls.values() for count in counts)
    sizes = {f"{family}: tasks": len(counts) for family, counts in calls.items()}
    return {"classes": len(calls), "tasks": len(tasks()), **sizes, **per_task}


class CallMeasurement(Measurement[AsyncToolRun]):
    """Run with its labels, causes of failure, and turns."""

    def __init__(self, run: AsyncToolRun, oracle: Oracle) -> None:
        super().__init__(run, oracle)
        self.record = run.record
        self.outcomes = run.record.outcomes
        (self.functions, self.parameters), (self.all_functions, self.all_parameters) = step_level(
            self.record, run.rules
        )
        self.causes = causes(self.record)
        calls = [turn for turn in self.record.turns if turn.call is not None]
        #: Calls of one sub-task without a call of another one between them.
        self.streaks = [list(turns) for _, turns in groupby(calls, attrgetter("task"))]
        self.streak = max(map(len, self.streaks), default=0)
        self.least_streak = streak_floor(Counter(turn.task for turn in calls).values())
        self.idle = [turn.number for turn in self.record.turns if turn.kind in ("wait", "unreadable", "unknown_task")]

    def share(self, values: Iterable[bool]) -> float:
        """Return the share of the sub-tasks with a property."""
        return sum(values) / len(self.outcomes)


def declare(rules: Profile) -> Declarations[CallMeasurement]:
    """Return the columns of the paper's Tables 1 and 12 and Figure 4, and our own.

    Path and state matching of sub-tasks are defined in appendix B.1 of the paper, streaks in its section 3.2, and turns
    in Table 12. By the rule ``f1`` the step level is averaged over runs, or pools all labels.
    """
    func, param = Average("func", "step level"), Average("param", "step level")
    func_micro = Average("func_micro", "F1 of all functions, pooled", _pool("functions"), is_shown=False)
    param_micro = Average("param_micro", "F1 of all parameters, pooled", _pool("parameters"), is_shown=False)
    if rules.f1 == "micro":
        func = func_micro._replace(name="func", is_shown=True)
        param = param_micro._replace(name="param", is_shown=True)
    return (
        Metric("func_f1", "F1 of the functions called", lambda its: its.functions.f1, "share", average=func),
        Metric(
            "param_f1", "F1 of functions, parameters and values", lambda its: its.parameters.f1, "share", average=param
        ),
        Metric(
            "subtask_char",
            "sub-tasks whose path of calls matches",
            lambda its: its.share(one.char for one in its.outcomes),
            "share",
            average=Average("char", "share of the sub-tasks", _of_subtasks("subtask_char")),
        ),
        Metric(
            "subtask_env",
            "sub-tasks whose state matches",
            lambda its: its.share(one.env for one in its.outcomes),
            "share",
            average=Average("env", "share of the sub-tasks", _of_subtasks("subtask_env")),
        ),
        Metric(
            "subtask_acc",
            "sub-tasks solved",
            lambda its: its.share(one.accurate for one in its.outcomes),
            "share",
            is_shown=True,
            average=Average("acc", "share of the sub-tasks", _of_subtasks("subtask_acc"), role=("main",)),
        ),
        Metric(
            "task_char",
            "all paths match",
            lambda its: all(one.char for one in its.outcomes),
            kind="flag",
            average=Average("task_char", "share of the runs"),
        ),
        Metric(
            "task_env",
            "all states match",
            lambda its: all(one.env for one in its.outcomes),
            kind="flag",
            average=Average("task_env", "share of the runs"),
        ),
        Metric(
            "overall",
            "all sub-tasks are solved and the run is closed",
            lambda its: its.record.success,
            kind="flag",
            average=Average("overall", "share of the runs", role=("success",)),
        ),
        Metric(
            "streak",
            "longest sequence of calls of one sub-task",
            lambda its: its.streak,
            kind="count",
            average=Average("streak", "longest sequence of calls of one sub-task"),
        ),
        Metric(
            "streak_excess",
            "streak minus the shortest possible one",
            lambda its: its.streak - its.least_streak,
            kind="count",
            average=Average("streak_excess", "streak minus the shortest possible one"),
        ),
        Metric(
            "streak_turns",
            "longest sequence of calls of one sub-task, from its first turn to its last",
            lambda its: max((calls[-1].number - calls[0].number + 1 for calls in its.streaks), default=0),
            "turns",
            "count",
            average=Average("streak_turns", "longest sequence of calls of one sub-task, in turns"),
        ),
        Metric(
            "turns",
            "turns taken",
            lambda its: its.record.length,
            "turns",
            "count",
            average=Average("turns", "turns of successful runs", _of_success("turns")),
        ),
        Metric("optimal_turns", "minimum number of turns", lambda its: its.optimum.makespan, "turns", "count"),
        Metric(
            "optimal_calls",
            "minimum number of turns if calls need no results",
            lambda its: optimal_turns(its.run.task, strict=False),
            "turns",
            "count",
        ),
        Metric(
            "turn_efficiency",
            "optimal turns divided by turns, if the run succeeds",
            lambda its: (
                its.optimum.makespan / its.record.length if its.record.success and its.optimum.makespan else None
            ),
            "share",
            average=Average(
                "efficiency", "optimal turns divided by turns, successful runs", _of_success("turn_efficiency")
            ),
        ),
        Metric(
            "premature_calls",
            "calls made before their input was known",
            lambda its: len(its.record.premature),
            kind="count",
            average=Average("premature", "calls made before their input was known"),
        ),
        Metric(
            "idle_turns",
            "turns without a call",
            lambda its: len(its.idle),
            kind="count",
            average=Average("idle", "turns without a call", is_shown=False),
        ),
        Metric(
            "usable_idle_turns",
            "idle turns in which a reference call was possible",
            lambda its: len(_usable(its.run.task, its.record, its.idle)),
            kind="count",
            average=Average("usable_idle", "idle turns in which a reference call was possible"),
        ),
        Metric(
            "func_f1_micro",
            "F1 of all functions as multisets",
            lambda its: its.all_functions.f1,
            "share",
            average=func_micro,
        ),
        Metric(
            "param_f1_micro",
            "F1 of all parameters as multisets",
            lambda its: its.all_parameters.f1,
            "share",
            average=param_micro,
        ),
        Metric(
            "cause",
            "first cause of failure",
            lambda its: next((one.cause for one in its.causes if one.failed), None),
            kind="text",
            is_shown=True,
        ),
        Metric(
            "causes",
            "causes of failed sub-tasks, and early calls of others",
            lambda its: [one._asdict() for one in its.causes],
            kind="json",
            average=Average(
                "causes",
                "failed sub-tasks by cause",
                lambda row: [one["cause"] for one in row["causes"] if one["failed"]],
                "counts",
            ),
        ),
        Metric("subtasks", "number of sub-tasks", lambda its: len(its.outcomes), kind="count"),
        Metric(
            "labels",
            "labels shared with the reference, false positives and missed labels",
            lambda its: {
                level: dict(zip(_COUNTS, labels, strict=True))
                for level, labels in (("functions", its.all_functions), ("parameters", its.all_parameters))
            },
            kind="json",
        ),
        Metric("closed", "the run was closed", lambda its: its.record.closed, kind="flag"),
    )


def _pool(level: str) -> Callable[[Row], tuple[float, float]]:
    """Return a function that returns the terms of F1 over all labels of a level."""

    def terms(row: Row) -> tuple[float, float]:
        hits, false_positives, missed = (row["labels"][level].get(name, 0) for name in _COUNTS)
        return 2 * hits, 2 * hits + false_positives + missed

    return terms


def _of_subtasks(name: str) -> Callable[[Row], tuple[float, float]]:
    return lambda row: (row[name] * row["subtasks"], row["subtasks"])


def _of_success(name: str) -> Callable[[Row], float | None]:
    return lambda row: row[name] if row["overall"] and row["closed"] else None


METRICS = MetricSet(
    CallMeasurement,
    declare,
    references=(
        Reference("sequential", "sequential", "asynctool-sequential"),
        Reference(
            "optimal_calls",
            "calls without waiting",
            lambda problem: Claim(optimal_turns(problem.origin, strict=False)),
        ),
    ),
    published_figures=published_figures,
)
