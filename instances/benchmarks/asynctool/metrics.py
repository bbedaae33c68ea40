"""Metrics of AsyncTool: accuracy of steps, sub-tasks and tasks, turns, causes of failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from itertools import chain, groupby
from operator import attrgetter
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias, cast

from planoracle.instances.benchmarks.asynctool.feedback import causes
from planoracle.instances.benchmarks.asynctool.problem_model import (
    FAMILIES,
    AsyncToolProblem,
    Call,
    canonical,
    optimal_turns,
)
from planoracle.instances.benchmarks.asynctool.problems import names, problem, tasks
from planoracle.instances.benchmarks.asynctool.rules import Profile
from planoracle.instances.benchmarks.asynctool.run import AsyncToolRun
from planoracle.instances.benchmarks.asynctool.simulation import AsyncToolSimulator, Transcript
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.scoring import (
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
    expected: list[_ScopedCall] = []
    for task in run.problem.tasks:
        scope = task.id if in_task else ""
        expected += [(scope, call) for call in task.reference_calls]
    actual: list[_ScopedCall] = []
    for turn in run.turns:
        if turn.call is not None:
            actual.append((turn.task if in_task else "", turn.call))
    functions = _compare(_functions(expected), _functions(actual))
    parameters = _compare(_parameters(expected), _parameters(actual))
    micro = functions, parameters
    if rules.f1 == "micro":
        return micro, micro
    documents = [task.documents for task in run.problem.tasks]
    offered = set[str]().union(*documents)
    actual = [(scope, call) for scope, call in actual if call.name in offered]
    functions = _compare_distinct(_functions(expected), _functions(actual))
    parameters = _compare_distinct(_parameters(expected), _parameters(actual))
    return (functions, parameters), micro


def _compare_distinct(expected: Iterable[Hashable], actual: Iterable[Hashable]) -> Labels:
    """Compare labels as sets."""
    return _compare(set(expected), set(actual))


def _functions(calls: Iterable[_ScopedCall]) -> list[Hashable]:
    return [(scope, call.name) for scope, call in calls]


def _parameters(calls: Iterable[_ScopedCall]) -> list[Hashable]:
    parameters: list[Hashable] = []
    for scope, call in calls:
        for name, value in call.params.items():
            parameters.append((scope, call.name, name, canonical(value)))
    return parameters


def _compare(expected: Iterable[Hashable], actual: Iterable[Hashable]) -> Labels:
    expected_counts, actual_counts = Counter(expected), Counter(actual)
    hits = (expected_counts & actual_counts).total()
    false_positives = actual_counts.total() - hits
    missed = expected_counts.total() - hits
    return Labels(hits, false_positives, missed)


def streak_floor(counts: Iterable[int]) -> int:
    """Return the shortest possible streak for calls per sub-task: ``ceil(longest / (all others + 1))``.

    >>> streak_floor([5, 1]), streak_floor([2, 2]), streak_floor([])
    (3, 1, 0)
    """
    counts = list(counts)
    longest = max(counts, default=0)
    other_calls = sum(counts) - longest
    return -(-longest // (other_calls + 1))


def _usable(problem: AsyncToolProblem, run: Transcript, idle: list[int]) -> list[int]:
    """Return the idle turns in which a reference call was possible."""
    reference_calls = [turn for turn in run.turns if turn.step is not None]
    usable = {(turn.task, turn.step): turn.usable for turn in reference_calls}
    ready: list[tuple[int, int]] = []  # first turn and end (exclusive) in which a reference call was possible
    for task, outcome in zip(problem.tasks, run.outcomes, strict=True):
        for step, turn in enumerate(outcome.turns):
            default = 1 if step == 0 else 0
            since = usable.get((task.id, step - 1), default)
            until = len(run.turns) + 1 if turn is None else turn
            if since:
                ready.append((since, until))

    def is_usable(number: int) -> bool:
        return any(since <= number < until for since, until in ready)

    return list(filter(is_usable, idle))


@cache
def published_figures() -> dict[str, float]:
    """Return figures of the paper's Tables 3 to 5, for the bundled tasks and problems."""
    counts_by_family: dict[str, list[int]] = {family: [] for family in FAMILIES}
    for task in tasks().values():
        if task.family in counts_by_family:
            counts_by_family[task.family].append(len(task.reference_calls))
    all_counts = list(chain.from_iterable(counts_by_family.values()))
    sizes: dict[str, float] = {}
    means: dict[str, float] = {}
    for family, counts in counts_by_family.items():
        sizes[f"{family}: tasks"] = len(counts)
        means[f"{family}: calls per task"] = fmean(counts)
    means["calls per task"] = fmean(all_counts)
    return {"classes": len(counts_by_family), "tasks": len(tasks()), **sizes, **means, **_composition()}


def _composition() -> dict[str, float]:
    """Return numbers and shares of the bundled problems by kind and number of sub-tasks."""
    counts = Counter(problem(name).size for name in names())
    figures: dict[str, float] = {}
    for size, count in counts.items():
        figures[f"{size}: problems"] = count
        figures[f"{size}: share"] = 100 * count / len(names())
    return figures


class CallMeasurement(Measurement[AsyncToolRun]):
    """Run with its labels, causes of failure, and turns."""

    def __init__(self, run: AsyncToolRun, oracle: Oracle) -> None:
        super().__init__(run, oracle)
        self.record = run.record
        self.outcomes = run.record.outcomes
        labels, all_labels = step_level(self.record, run.rules)
        self.functions, self.parameters = labels
        self.all_functions, self.all_parameters = all_labels
        self.causes = causes(self.record)
        calls = [turn for turn in self.record.turns if turn.call is not None]
        #: Calls of one sub-task without a call of another one between them.
        groups = groupby(calls, attrgetter("task"))
        self.streaks = [list(turns) for _, turns in groups]
        self.streak_calls = max(map(len, self.streaks), default=0)
        calls_by_task = Counter(turn.task for turn in calls)
        self.min_streak = streak_floor(calls_by_task.values())
        idle_kinds = ("wait", "unreadable", "unknown_task")
        self.idle = [turn.number for turn in self.record.turns if turn.kind in idle_kinds]

    @property
    def char_matches(self) -> list[bool]:
        """Path matching by sub-task."""
        return [outcome.char for outcome in self.outcomes]

    @property
    def env_matches(self) -> list[bool]:
        """State matching by sub-task."""
        return [outcome.env for outcome in self.outcomes]

    @property
    def accurate(self) -> list[bool]:
        """Success by sub-task."""
        return [outcome.accurate for outcome in self.outcomes]

    def share(self, values: Sequence[bool]) -> float:
        """Return the share of the sub-tasks with a property."""
        return sum(values) / len(self.outcomes)

    @property
    def streak(self) -> int:
        """Longest streak in turns, from its first turn to its last; waits between its calls count."""
        lengths = []
        for calls in self.streaks:
            first = calls[0].number
            last = calls[-1].number
            lengths.append(last - first + 1)
        return max(lengths, default=0)

    @property
    def turn_efficiency(self) -> float | None:
        """Optimal turns divided by turns, ``None`` for a failure.

        It is at most 1: a guessed call saves turns that waiting for its input would have taken.
        """
        if not self.record.success or not self.optimum.makespan:
            return None
        return min(1.0, self.optimum.makespan / self.record.length)

    @property
    def usable_idle(self) -> list[int]:
        """Idle turns in which a reference call was possible."""
        return _usable(self.run.task, self.record, self.idle)

    @property
    def first_cause(self) -> str | None:
        """First cause of failure."""
        return next((cause.cause for cause in self.causes if cause.failed), None)

    @property
    def cause_rows(self) -> list[dict[str, Any]]:
        """Causes as JSON objects."""
        return [cause._asdict() for cause in self.causes]

    @property
    def label_counts(self) -> dict[str, dict[str, int]]:
        """Counts of all labels by level."""
        levels = {"functions": self.all_functions, "parameters": self.all_parameters}
        counts = {}
        for level, labels in levels.items():
            counts[level] = dict(zip(_COUNTS, labels, strict=True))
        return counts


_Metric: TypeAlias = Metric[CallMeasurement]


def declare(rules: Profile) -> Declarations[CallMeasurement]:
    """Return the columns of the paper's Tables 1 and 12 and Figure 4, and our own.

    Path and state matching of sub-tasks are defined in appendix B.1 of the paper, streaks in its section 3.2, and turns
    in Table 12. By the rule ``f1`` the step level is averaged over runs, or pools all labels.
    """
    func = Average("func", "step level")
    param = Average("param", "step level")
    func_micro = Average("func_micro", "F1 of all functions, pooled", _pool("functions"), is_shown=False)
    param_micro = Average("param_micro", "F1 of all parameters, pooled", _pool("parameters"), is_shown=False)
    if rules.f1 == "micro":
        func = func_micro._replace(name="func", is_shown=True)
        param = param_micro._replace(name="param", is_shown=True)
    steps = _step_metrics(func, param)
    pooled_steps = _pooled_step_metrics(func_micro, param_micro)
    work = *_subtask_metrics(), *_run_metrics(), *_streak_metrics()
    time = *_turn_metrics(), *_idle_metrics()
    return *steps, *work, *time, *pooled_steps, *_failure_metrics()


def _step_metrics(func: Average, param: Average) -> Declarations[CallMeasurement]:
    """Return the metrics of single calls."""
    meaning = "F1 of the functions called"
    functions: _Metric = Metric("func_f1", meaning, attrgetter("functions.f1"), "share", average=func)
    meaning = "F1 of functions, parameters and values"
    parameters: _Metric = Metric("param_f1", meaning, attrgetter("parameters.f1"), "share", average=param)
    return functions, parameters


def _pooled_step_metrics(func: Average, param: Average) -> Declarations[CallMeasurement]:
    """Return the F1 of all labels of a run."""
    meaning = "F1 of all functions as multisets"
    functions: _Metric = Metric("func_f1_micro", meaning, attrgetter("all_functions.f1"), "share", average=func)
    meaning = "F1 of all parameters as multisets"
    parameters: _Metric = Metric("param_f1_micro", meaning, attrgetter("all_parameters.f1"), "share", average=param)
    return functions, parameters


def _subtask_metrics() -> Declarations[CallMeasurement]:
    """Return the metrics of sub-tasks."""
    average = Average("char", "share of the sub-tasks", _of_subtasks("subtask_char"))
    char: _Metric = Metric(
        "subtask_char",
        "sub-tasks whose path of calls matches",
        lambda measurement: measurement.share(measurement.char_matches),
        "share",
        average=average,
    )
    average = Average("env", "share of the sub-tasks", _of_subtasks("subtask_env"))
    env: _Metric = Metric(
        "subtask_env",
        "sub-tasks whose state matches",
        lambda measurement: measurement.share(measurement.env_matches),
        "share",
        average=average,
    )
    average = Average("acc", "share of the sub-tasks", _of_subtasks("subtask_acc"), role=("main",))
    accuracy: _Metric = Metric(
        "subtask_acc",
        "sub-tasks solved",
        lambda measurement: measurement.share(measurement.accurate),
        "share",
        is_shown=True,
        average=average,
    )
    return char, env, accuracy


def _run_metrics() -> Declarations[CallMeasurement]:
    """Return the metrics of all sub-tasks together."""
    average = Average("task_char", "share of the runs")
    char: _Metric = Metric(
        "task_char",
        "all paths match",
        lambda measurement: all(measurement.char_matches),
        kind="flag",
        average=average,
    )
    average = Average("task_env", "share of the runs")
    env: _Metric = Metric(
        "task_env",
        "all states match",
        lambda measurement: all(measurement.env_matches),
        kind="flag",
        average=average,
    )
    average = Average("overall", "share of the runs", role=("success",))
    overall: _Metric = Metric(
        "overall",
        "all sub-tasks are solved and the run is closed, see the rule closing",
        attrgetter("record.success"),
        kind="flag",
        average=average,
    )
    return char, env, overall


def _streak_metrics() -> Declarations[CallMeasurement]:
    """Return the metrics of the Same-task Streak."""
    meaning = "longest sequence of turns with one sub-task, from its first call to its last"
    average = Average("streak", meaning)
    streak: _Metric = Metric("streak", meaning, attrgetter("streak"), "turns", "count", average=average)
    average = Average("streak_turns", "streak, by its earlier name", is_shown=False)
    turns: _Metric = Metric(
        "streak_turns", "streak, by its earlier name", attrgetter("streak"), "turns", "count", average=average
    )
    meaning = "longest sequence of calls of one sub-task"
    average = Average("streak_calls", meaning)
    calls: _Metric = Metric("streak_calls", meaning, attrgetter("streak_calls"), kind="count", average=average)
    meaning = "streak in calls minus the shortest possible one"
    average = Average("streak_excess", meaning)
    excess: _Metric = Metric(
        "streak_excess",
        meaning,
        lambda measurement: measurement.streak_calls - measurement.min_streak,
        kind="count",
        average=average,
    )
    return streak, turns, calls, excess


def _turn_metrics() -> Declarations[CallMeasurement]:
    """Return the numbers of turns, of the run and of the optimum."""
    average = Average("turns", "turns of successful runs", _of_success("turns"))
    turns: _Metric = Metric("turns", "turns taken", attrgetter("record.length"), "turns", "count", average=average)
    optimal_turns_needed: _Metric = Metric(
        "optimal_turns", "minimum number of turns", attrgetter("optimum.makespan"), "turns", "count"
    )
    optimal_calls: _Metric = Metric(
        "optimal_calls",
        "minimum number of turns if calls need no results",
        lambda measurement: optimal_turns(measurement.run.task, strict=False),
        "turns",
        "count",
    )
    average = Average("efficiency", "optimal turns divided by turns, at most 1", _of_success("turn_efficiency"))
    efficiency: _Metric = Metric(
        "turn_efficiency",
        "optimal turns divided by turns, at most 1, if the run succeeds",
        attrgetter("turn_efficiency"),
        "share",
        average=average,
    )
    return turns, optimal_turns_needed, optimal_calls, efficiency


def _idle_metrics() -> Declarations[CallMeasurement]:
    """Return the metrics of early calls and of idle turns."""
    meaning = "calls made before their input was known"
    average = Average("premature", meaning)
    premature: _Metric = Metric(
        "premature_calls",
        meaning,
        lambda measurement: len(measurement.record.premature),
        kind="count",
        average=average,
    )
    meaning = "turns without a call"
    average = Average("idle", meaning, is_shown=False)
    idle: _Metric = Metric(
        "idle_turns",
        meaning,
        lambda measurement: len(measurement.idle),
        kind="count",
        average=average,
    )
    meaning = "idle turns in which a reference call was possible"
    average = Average("usable_idle", meaning)
    usable_idle: _Metric = Metric(
        "usable_idle_turns",
        meaning,
        lambda measurement: len(measurement.usable_idle),
        kind="count",
        average=average,
    )
    return premature, idle, usable_idle


def _failure_metrics() -> Declarations[CallMeasurement]:
    """Return the causes of failure, and the facts from which averages are computed."""
    cause: _Metric = Metric("cause", "first cause of failure", attrgetter("first_cause"), kind="text", is_shown=True)
    average = Average("causes", "failed sub-tasks by cause", _names_of_causes, "counts")
    all_causes: _Metric = Metric(
        "causes",
        "causes of failed sub-tasks, and early calls of others",
        attrgetter("cause_rows"),
        kind="json",
        average=average,
    )
    subtasks: _Metric = Metric(
        "subtasks", "number of sub-tasks", lambda measurement: len(measurement.outcomes), kind="count"
    )
    meaning = "labels shared with the reference, false positives and missed labels"
    labels: _Metric = Metric("labels", meaning, attrgetter("label_counts"), kind="json")
    closed: _Metric = Metric("closed", "the run was closed", attrgetter("record.closed"), kind="flag")
    return cause, all_causes, subtasks, labels, closed


def _names_of_causes(row: Row) -> list[str]:
    """Return the causes of the failed sub-tasks of a grade."""
    return [cause["cause"] for cause in row["causes"] if cause["failed"]]


def _pool(level: str) -> Callable[[Row], tuple[float, float]]:
    """Return a function that returns the terms of F1 over all labels of a level."""

    def terms(row: Row) -> tuple[float, float]:
        counts = row["labels"][level]
        hits, false_positives, missed = (counts.get(name, 0) for name in _COUNTS)
        return 2 * hits, 2 * hits + false_positives + missed

    return terms


def _of_subtasks(name: str) -> Callable[[Row], tuple[float, float]]:
    """Return a function that weights a share of the sub-tasks by their number."""
    return lambda row: (row[name] * row["subtasks"], row["subtasks"])


def _of_success(name: str) -> Callable[[Row], float | None]:
    """Return a function that returns a metric of a successful run, else ``None``."""

    def value(row: Row) -> float | None:
        is_success = row["overall"] and row["closed"]
        return row[name] if is_success else None

    return value


def _optimal_calls(problem: Any) -> Claim:
    """Return the minimum number of turns if calls need no results."""
    return Claim(optimal_turns(problem.origin, strict=False))


def _live_row(environment: AnyEnvironment, oracle: Oracle) -> Row:
    """Return the share of accurate sub-tasks so far."""
    simulator = cast(AsyncToolSimulator, environment.simulator)
    outcomes = simulator.outcomes(environment.state.world)
    accurate = [outcome.accurate for outcome in outcomes]
    return {"subtask_acc": sum(accurate) / len(accurate), "subtasks": len(accurate)}


METRICS = MetricSet(
    CallMeasurement,
    declare,
    references=(
        Reference("sequential", "sequential", "asynctool-sequential"),
        Reference("optimal_calls", "calls without waiting", _optimal_calls),
    ),
    published_figures=published_figures,
    live_row=_live_row,
)
