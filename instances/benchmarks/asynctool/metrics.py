"""Metrics of AsyncTool: accuracy of steps, sub-tasks and tasks, turns, causes of failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import NamedTuple

from planoracle.instances.benchmarks.asynctool.calls import Call, canonical
from planoracle.instances.benchmarks.asynctool.encoding import optimal_turns
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, SubTask
from planoracle.instances.benchmarks.asynctool.problems import tasks
from planoracle.instances.benchmarks.asynctool.replay import SubTaskOutcome, Transcript
from planoracle.instances.benchmarks.asynctool.rules import Profile
from planoracle.instances.benchmarks.asynctool.run import AsyncToolRun
from planoracle.instances.benchmarks.asynctool.simulation import SimulatedTurn
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol.scoring import Average, Measured, Metric, Oracle, Row, mean_of

#: Causes in the paper's words; ``wrong_call`` is its erroneous trajectory, a call that is none of the reference calls.
CAUSES = (
    "insufficient_temporal_awareness",
    "tool_confusion",
    "wrong_parameter",
    "format",
    "wrong_call",
    "neglected_task",
)


class Cause(NamedTuple):
    """Cause of a failed sub-task, or a harmless early call (``failed`` is false).

    ``turn`` is that of the message concerned, ``None`` if it is one that is missing.
    """

    task: str
    cause: str
    turn: int | None
    failed: bool
    message: str


def causes(run: Transcript) -> list[Cause]:
    """Return one cause per failed sub-task, in their order, then the early calls of the others.

    The cause is that of the first reference call that was not made, by the first of these that applies:

    - ``insufficient_temporal_awareness``: its function was called with other parameters before the result it
      builds on was known (Figure 13);
    - ``wrong_parameter``: its function was called with other parameters;
    - ``tool_confusion``: for this sub-task a function was called that another one offers (Figure 14), or the
      call was made for another sub-task;
    - ``format``: a message that might have been the call could not be read, or named no existing task. It might
      have been if it names the function or the sub-task; or if it names no sub-task and this one was begun;
    - ``wrong_call``: other calls were made instead;
    - ``neglected_task``: none of these; it was left out or given up (Figure 15).

    If all reference calls were made and the state is wrong all the same, it is the first early call
    (``insufficient_temporal_awareness``), else the first call that is no reference call, else their order
    (``wrong_call``).
    """
    failed, harmless = [], []
    early = frozenset(run.premature)
    for task, outcome in zip(run.problem.tasks, run.outcomes, strict=True):
        calls = [turn for turn in run.turns if turn.kind == "call" and turn.task == task.id]
        if not outcome.accurate:
            failed.append(_cause(run, task, outcome, calls, early))
        else:
            harmless += [
                Cause(task.id, CAUSES[0], turn.number, False, f"{turn.call} was right, but called early: a guess")
                for turn in calls
                if turn.number in early
            ]
    return failed + harmless


def _cause(
    run: Transcript, task: SubTask, outcome: SubTaskOutcome, calls: list[SimulatedTurn], premature: frozenset[int]
) -> Cause:
    others = [turn for turn in calls if turn.step is None]
    early = [turn for turn in calls if turn.number in premature]
    if None not in outcome.turns:
        if early:
            return _at(task, CAUSES[0], early[0], "was called before the last result was known")
        if others:
            return _at(task, "wrong_call", others[0], "is no call of the task and changed what came out")
        return Cause(task.id, "wrong_call", None, True, "the calls were made in an order that changed what came out")
    missing = task.reference_calls[outcome.turns.index(None)]
    for turn in others:
        if turn.call is not None and turn.call.name == missing.name:
            if turn.number in premature:
                return _at(task, CAUSES[0], turn, f"was called before the last result was known, not {missing}")
            return _at(task, "wrong_parameter", turn, f"was called, not {missing}")
    foreign = {name for other in run.problem.tasks if other.id != task.id for name in other.documents}
    for turn in others:
        if turn.call is not None and turn.call.name not in task.documents and turn.call.name in foreign:
            return _at(task, "tool_confusion", turn, "is a call of another task's function")
    for turn in run.turns:
        if turn.kind == "call" and turn.task != task.id and turn.step is None and turn.call == missing:
            return _at(task, "tool_confusion", turn, f"was called for {turn.task}")
    for turn in run.turns:
        if turn.kind == "unreadable" and _might_be(turn, missing.name, task, run, started=bool(calls)):
            return Cause(task.id, "format", turn.number, True, turn.reason)
        if turn.kind == "unknown_task" and turn.call is not None and turn.call.name == missing.name:
            return _at(task, "format", turn, f"was called for {turn.task[:80]!r}, which is no task")
    if others:
        return _at(task, "wrong_call", others[0], f"was called, not {missing}")
    count = sum(turn is None for turn in outcome.turns)
    return Cause(
        task.id,
        "neglected_task",
        None,
        True,
        f"{count} of {len(task.reference_calls)} calls were never made, first {missing}",
    )


def _might_be(turn: SimulatedTurn, function: str, task: SubTask, run: Transcript, *, started: bool) -> bool:
    if function in turn.text or task.id in turn.text:
        return True
    return started and not any(other.id in turn.text for other in run.problem.tasks)


def _at(task: SubTask, cause: str, turn: SimulatedTurn, message: str) -> Cause:
    return Cause(task.id, cause, turn.number, True, f"{str(turn.call)[:200]} {message}"[:500])


@dataclass(frozen=True, slots=True)
class Hits:
    """Counts of labels; F1 is ``2 hits / (2 hits + false positives + missed)``, 1 if there are none."""

    hits: int
    false_positives: int
    missed: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = 2 * self.hits + self.false_positives + self.missed
        return 2 * self.hits / total if total else 1.0

    def counts(self) -> dict[str, int]:
        """Return the counts with the keys of grades."""
        return {"hits": self.hits, "vain": self.false_positives, "missed": self.missed}


def step_level(run: Transcript, rules: Profile) -> tuple[tuple[Hits, Hits], tuple[Hits, Hits]]:
    """Compare the calls of a run with the reference calls by labels.

    Returns
    -------
    tuple
        Hits by the profile's ``f1`` rule, then hits as multisets of all labels, whatever the rule. Each is a pair:
        names of functions; triples of function, parameter and value.
    """
    expected = [call for task in run.problem.tasks for call in task.reference_calls]
    actual = [turn.call for turn in run.turns if turn.call is not None]
    functions, parameters = _functions(expected), _parameters(expected)
    micro = _multiset(functions, _functions(actual)), _multiset(parameters, _parameters(actual))
    if rules.f1 == "micro":
        return micro, micro
    offered = {name for task in run.problem.tasks for name in task.documents}
    offered_calls = [call for call in actual if call.name in offered]
    by_sample = (
        _multiset(set(functions), set(_functions(offered_calls))),
        _multiset(set(parameters), set(_parameters(offered_calls))),
    )
    return by_sample, micro


def _functions(calls: Iterable[Call]) -> list[Hashable]:
    return [call.name for call in calls]


def _parameters(calls: Iterable[Call]) -> list[Hashable]:
    return [(call.name, name, canonical(value)) for call in calls for name, value in call.params.items()]


def _multiset(expected: Iterable[Hashable], actual: Iterable[Hashable]) -> Hits:
    expected_counts, actual_counts = Counter(expected), Counter(actual)
    hits = (expected_counts & actual_counts).total()
    return Hits(hits, actual_counts.total() - hits, expected_counts.total() - hits)


def streak(tasks: Iterable[str]) -> int:
    """Return the length of the longest run of equal entries.

    >>> streak(["a", "a", "b", "a"])
    2
    """
    longest = length = 0
    last = None
    for task in tasks:
        length = length + 1 if task == last else 1
        longest, last = max(longest, length), task
    return longest


def streak_floor(counts: Iterable[int]) -> int:
    """Return the least streak that so many calls per sub-task allow, ``ceil(most / (all others + 1))``.

    >>> streak_floor([5, 1]), streak_floor([2, 2]), streak_floor([])
    (3, 1, 0)
    """
    counts = list(counts)
    most = max(counts, default=0)
    return -(-most // (sum(counts) - most + 1))


def _usable(problem: AsyncToolProblem, run: Transcript, idle: list[int]) -> list[int]:
    """Return the idle turns in which some reference call could have been made."""
    usable = {(turn.task, turn.step): turn.usable for turn in run.turns if turn.step is not None}
    ready: list[tuple[int, int]] = []  # turns from which on, and before which, a reference call could be made
    for task, outcome in zip(problem.tasks, run.outcomes, strict=True):
        for step, turn in enumerate(outcome.turns):
            since = usable.get((task.id, step - 1), 1 if step == 0 else 0)
            if since:
                ready.append((since, turn if turn is not None else len(run.turns) + 1))
    return [number for number in idle if any(since <= number < until for since, until in ready)]


@cache
def published_figures() -> dict[str, float]:
    """Return figures of the paper's Tables 3 and 4, for the bundled tasks and their families."""
    calls: dict[str | None, list[int]] = {}
    for task in tasks().values():
        calls.setdefault(task.family, []).append(len(task.reference_calls))
    per_task = {f"{family}: calls per task": fmean(counts) for family, counts in calls.items()}
    per_task["calls per task"] = fmean(count for counts in calls.values() for count in counts)
    sizes = {f"{family}: tasks": len(counts) for family, counts in calls.items()}
    return {"classes": len(calls), "tasks": len(tasks()), **sizes, **per_task}


COLUMNS = (
    Metric("func_f1", "F1 of the functions called", "share"),
    Metric("param_f1", "F1 of functions, parameters and values", "share"),
    Metric("subtask_char", "sub-tasks whose path of calls matches", "share"),
    Metric("subtask_env", "sub-tasks whose state matches", "share"),
    Metric("subtask_acc", "sub-tasks solved", "share", is_shown=True),
    Metric("task_char", "all paths match", kind="flag"),
    Metric("task_env", "all states match", kind="flag"),
    Metric("overall", "all sub-tasks are solved and the run is closed", kind="flag"),
    Metric("streak", "longest run of calls of one sub-task", kind="count"),
    Metric("streak_excess", "beyond what was needed", kind="count"),
    Metric("turns", "turns taken", "turns", "count"),
    Metric("optimal_turns", "least turns", "turns", "count"),
    Metric("optimal_calls", "least turns if no call waited", "turns", "count"),
    Metric("turn_efficiency", "optimal turns by turns of a success", "share"),
    Metric("premature_calls", "calls before their result was there", kind="count"),
    Metric("idle_turns", "turns without a call", kind="count"),
    Metric("usable_idle_turns", "those in which a call could have been made", kind="count"),
    Metric("func_f1_micro", "F1 of all functions as multisets", "share"),
    Metric("param_f1_micro", "F1 of all parameters as multisets", "share"),
    Metric("cause", "first cause of failure", kind="text", is_shown=True),
    Metric("subtasks", "number of sub-tasks", kind="count"),
    Metric("closed", "whether the run was closed", kind="flag"),
)


def averages(rules: Profile) -> tuple[Average, ...]:
    """Return the columns of the paper's Tables 1 and 12 and Figure 4, and ours.

    By the rule ``f1`` the step level is averaged over runs, or pools all labels.
    """

    def pooled(level: str) -> Average:
        def of(row: Row) -> tuple[float, float]:
            hits, false_positives, missed = (row["labels"][level].get(key, 0) for key in ("hits", "vain", "missed"))
            return 2 * hits, 2 * hits + false_positives + missed

        short = {"functions": "func", "parameters": "param"}[level]
        return Average(f"{short}_micro", f"F1 of all {level}, pooled", of, is_shown=False)

    def of_subtasks(name: str) -> Average:
        def of(row: Row) -> tuple[float, float]:
            return row[f"subtask_{name}"] * row["subtasks"], row["subtasks"]

        return Average(name, "share of the sub-tasks", of, role=("main",) if name == "acc" else ())

    def finished(name: str, key: str) -> Average:
        def of(row: Row) -> tuple[float, float] | None:
            done = row["overall"] and row["closed"] and row[key] is not None
            return (row[key], 1) if done else None

        return Average(name, "over the runs that succeed", of)

    def failed(row: Row) -> list[str]:
        return [cause["cause"] for cause in row["causes"] if cause["failed"]]

    micro = pooled("functions"), pooled("parameters")
    first = mean_of("func", "step level", key="func_f1"), mean_of("param", "step level", key="param_f1")
    if rules.f1 == "micro":
        first = micro[0]._replace(name="func", is_shown=True), micro[1]._replace(name="param", is_shown=True)
    return (
        *first,
        *map(of_subtasks, ("char", "env", "acc")),
        mean_of("task_char", "share of the runs"),
        mean_of("task_env", "share of the runs"),
        mean_of("overall", "share of the runs", role=("success",)),
        mean_of("streak", "longest run of calls of one sub-task"),
        mean_of("streak_excess", "beyond what was needed"),
        finished("turns", "turns"),
        finished("efficiency", "turn_efficiency"),
        mean_of("premature", "calls before their result was there", key="premature_calls"),
        mean_of("idle", "turns without a call", key="idle_turns", is_shown=False),
        mean_of("usable_idle", "of these, usable ones", key="usable_idle_turns"),
        *micro,
        Average("causes", "failed sub-tasks by cause", failed, tally=True),
    )


def measure(run: AsyncToolRun, oracle: Oracle) -> Measured:
    """Compute the metrics of a run.

    Path and state matching of sub-tasks are defined in appendix B.1 of the paper, streaks in its section 3.2, and
    turns in Table 12.
    """
    record, outcomes = run.record, run.record.outcomes
    (functions, parameters), (functions_micro, parameters_micro) = step_level(record, run.rules)
    failures = causes(record)
    best = optimal_turns(run.task)
    exact = oracle.best(run.problem, run.rules) if best is None else None
    if exact is not None and exact.status == Status.optimal:
        best = exact.makespan
    called = [turn.task for turn in record.turns if turn.call is not None]
    idle = [turn.number for turn in record.turns if turn.kind in ("wait", "unreadable", "unknown_task")]
    longest = streak(called)
    metrics = {
        "func_f1": functions.f1,
        "param_f1": parameters.f1,
        "subtask_char": sum(outcome.char for outcome in outcomes) / len(outcomes),
        "subtask_env": sum(outcome.env for outcome in outcomes) / len(outcomes),
        "subtask_acc": sum(outcome.accurate for outcome in outcomes) / len(outcomes),
        "task_char": all(outcome.char for outcome in outcomes),
        "task_env": all(outcome.env for outcome in outcomes),
        "overall": record.success,
        "streak": longest,
        "streak_excess": longest - streak_floor(Counter(called).values()),
        "turns": record.length,
        "optimal_turns": best,
        "optimal_calls": optimal_turns(run.task, strict=False),
        "turn_efficiency": best / record.length if record.success and best else None,
        "premature_calls": len(record.premature),
        "idle_turns": len(idle),
        "usable_idle_turns": len(_usable(run.task, record, idle)),
        "func_f1_micro": functions_micro.f1,
        "param_f1_micro": parameters_micro.f1,
        "cause": next((cause.cause for cause in failures if cause.failed), None),
        "causes": [cause._asdict() for cause in failures],
        "subtasks": len(outcomes),
        "labels": {"functions": functions_micro.counts(), "parameters": parameters_micro.counts()},
        "closed": record.closed,
    }
    return Measured(best, metrics) if exact is None else Measured.with_optimum(exact, metrics)
