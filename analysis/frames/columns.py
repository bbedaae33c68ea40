"""The columns of every frame: what is in them, in which unit, of which dtype."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import pandas as pd

from planoracle.instances import registry
from planoracle.instances.status import Status

__all__ = ["SCHEMAS", "SIZES", "Column", "Schema"]

#: Problems by number of actions; the last class has no upper end.
SIZES = ("1-10", "11-20", "21-40", "41-80", "81+")

_STATUSES = tuple(map(str, Status))


class Column(NamedTuple):
    """One column: its pandas dtype, its unit (empty if it has none), what it says, and its values if they are few."""

    name: str
    dtype: str
    unit: str
    meaning: str
    values: tuple[str, ...] = ()

    @property
    def pandas(self) -> Any:
        """The dtype as an object. Text has the same storage whether pyarrow is there or not."""
        if self.dtype == "category":
            return pd.CategoricalDtype(list(self.values))
        return pd.StringDtype("python") if self.dtype == "string" else self.dtype


@dataclass(frozen=True, slots=True)
class Schema:
    """What one frame holds: a sentence about its rows, and its columns in order.

    Attributes
    ----------
    fixed, own
        Columns that it always has, and whether those of the benchmarks' own metrics come after them.
    """

    name: str
    rows: str
    fixed: tuple[Column, ...]
    own: bool = False

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, for the benchmarks that there are now."""
        return _columns(self.fixed, self.own, registry.names())

    @property
    def names(self) -> list[str]:
        """Names of the columns in order."""
        return [column.name for column in self.columns]


def _text(name: str, meaning: str) -> Column:
    return Column(name, "string", "", meaning)


def _count(name: str, meaning: str, unit: str = "") -> Column:
    return Column(name, "Int64", unit, meaning)


def _ticks(name: str, meaning: str) -> Column:
    return _count(name, meaning, "ticks")


def _number(name: str, meaning: str, unit: str = "") -> Column:
    return Column(name, "Float64", unit, meaning)


def _share(name: str, meaning: str) -> Column:
    return _number(name, meaning, "share")


def _flag(name: str, meaning: str) -> Column:
    return Column(name, "boolean", "", meaning)


def _choice(name: str, meaning: str, values: Iterable[str]) -> Column:
    return Column(name, "category", "", meaning, tuple(values))


_KINDS = {"number": _number, "count": _count}


@cache
def _columns(fixed: tuple[Column, ...], own: bool, benchmarks: tuple[str, ...]) -> tuple[Column, ...]:
    known = [one._replace(values=benchmarks) if one == _BENCHMARK else one for one in fixed]
    return (*known, *own_metrics().values()) if own else tuple(known)


def own_metrics() -> dict[str, Column]:
    """Return the columns of the benchmarks' own metrics by name; of one name that several have, the first counts."""
    found: dict[str, Column] = {}
    owners: dict[str, list[str]] = {}
    for benchmark in map(registry.get, registry.names()):
        for column in () if benchmark.rules_as else benchmark.columns:
            owners.setdefault(column.name, []).append(benchmark.title)
            plain = _flag(column.name, column.meaning) if column.kind == "flag" else _text(column.name, column.meaning)
            numeric = _KINDS.get(column.kind)
            made = plain if numeric is None else numeric(column.name, column.meaning, column.unit)
            found.setdefault(column.name, made)
    return {
        name: column._replace(meaning=f"{column.meaning} ({', '.join(owners[name])})") for name, column in found.items()
    }


_INSTANCE = _text("instance", "name of the problem")
_BENCHMARK = _choice("benchmark", "whose rules apply", ())  # all that there are, see `Schema.columns`
_SET = _text("set", "bundled set that the problem is of")
_UNIT = _text("unit", "what a tick is")
_WHERE = (_INSTANCE, _BENCHMARK, _SET)
_SUBMISSION = (
    _count("line", "line of the submission, from 1"),
    _text("source", "file of the submission, if there are several"),
    _text("id", "of the submission"),
    *_WHERE,
    _text("model", "who submitted it"),
    _text("sample", "which of several attempts"),
)
_GROUP = (_BENCHMARK, _SET, _choice("size", "class by number of actions", SIZES))


def _interval(name: str, meaning: str, unit: str = "") -> tuple[Column, ...]:
    return (
        _number(name, meaning, unit),
        _number(f"{name}_low", "lower end of its interval", unit),
        _number(f"{name}_high", "upper end of its interval", unit),
    )


_SUMMED = (
    _choice("level", "all sets of a model, or one set", ("model", "set")),
    _text("model", "who submitted"),
    _BENCHMARK,
    _text("set", "bundled set"),
)

_ALL = (
    Schema(
        "instances",
        "one per problem; what does not apply to kitchens is missing there",
        (
            *_WHERE,
            _UNIT,
            _count("seconds_per_tick", "length of a tick", "seconds"),
            _count("tasks", "number of tasks"),
            _count("actions", "number of actions"),
            _count("agents", "number of agents"),
            _count("resources", "number of resources that some action can use"),
            _count("autonomous", "actions that hold no agent"),
            _count("interruptible", "actions that may be cut"),
            _count("alternatives", "actions with more than one mode"),
            _count("precedences", "time lags with a minimum"),
            _count("windows", "time lags with a maximum"),
            _ticks("time_limit", "no action may end later"),
            _ticks("work", "sum of the durations"),
            _ticks("attended", "sum of the times that hold an agent"),
            _ticks("critical_path", "longest chain of releases, time lags and durations"),
            _number("parallelism", "work / critical_path"),
            _share("agent_load", "attended / (agents * critical_path)"),
            _share(
                "resource_load",
                "largest use of a resource (ticks * units, in modes that use it least) / (capacity * critical_path)",
            ),
            _text("busiest", "the resource with the largest load"),
            _count("objects", "objects in a kitchen"),
        ),
    ),
    Schema(
        "schedules",
        "one per piece of a schedule, or action of a plan in a kitchen",
        (
            *_WHERE,
            _text("method", "whose schedule it is"),
            _UNIT,
            _count("position", "order of the commands, from 0"),
            _text("action", "action's id; in a kitchen the action as written"),
            _text("task", "task that the action is of"),
            _text("label", "the action in words"),
            _text("agent", "who carries it out; missing if nobody does"),
            _count("mode", "chosen mode, from 0"),
            _text("mode_name", "name of the mode"),
            _ticks("start", "start of the piece"),
            _ticks("end", "end of the piece"),
            _ticks("duration", "length of the piece"),
            _ticks("attended", "for how long the piece holds its agent"),
        ),
    ),
    Schema(
        "comparisons",
        "one per problem and method",
        (
            *_WHERE,
            _UNIT,
            _count("actions", "number of actions"),
            _text("method", "`optimum`, `reference`, `best_heuristic`, a reference's or a heuristic's name"),
            _choice("status", "what the method's answer is; a heuristic never proves anything", _STATUSES),
            _ticks("makespan", "of the method's schedule; of a reference what it claims"),
            _flag("accepted", "whether the rules accept the schedule; missing if there is only a number"),
            _ticks("optimum", "proved least makespan"),
            _ticks("lower_bound", "proved bound on every makespan"),
            _choice("settled", "status of the exact solve of the problem", _STATUSES),
            _share("gap", "makespan / optimum - 1; missing if the optimum is not proved"),
            _share("gap_bound", "makespan / lower_bound - 1: the gap is no larger"),
            _number("seconds", "wall time of the method", "seconds"),
            _text("reason", "why there is no answer, or why the rules refuse it"),
        ),
    ),
    Schema(
        "grades",
        "one per submission",
        (
            *_SUBMISSION,
            _flag("scored", "whether it could be judged"),
            _text("reason", "why it is not scored"),
            _count("foreign", "commands of a failed plan that name what the problem does not have"),
            _text("other_problem", "why the plan is probably for another problem"),
            _count("read", "steps taken from what was handed in"),
            _text("read_from", "the part that they were taken from"),
            _count("ignored", "lines that look like steps and were not taken"),
            _flag("success", "every task complete, no fatal violation"),
            _text("violation", "kind of the violation that ended the run"),
            _count("violation_index", "its command, from 0"),
            _count("violations", "violations of the whole plan"),
            _count("executed", "commands carried out"),
            _share("progress", "actions done"),
            _share("goal_ratio", "tasks done"),
            _ticks("makespan", "latest end of a command carried out, also of failed plans"),
            _ticks("optimal_makespan", "proved optimum under the rules that grade"),
            _choice("optimum_status", "what is known of the best plans under these rules", Status),
            _ticks("optimum_bound", "what any plan takes at least, proved"),
            _share("gap", "makespan / optimal_makespan - 1 of a success"),
            _number("main_score", "the benchmark's main figure, from 0 to 1"),
        ),
        own=True,
    ),
    Schema(
        "metrics",
        "one per submission and number or flag (0, 1) of its grade; nested names are joined by dots",
        (*_SUBMISSION, _text("metric", "name as in the grade"), _number("value", "missing where undefined")),
    ),
    Schema(
        "decisions",
        "one per decision of a submitted plan",
        (
            _count("line", "line of the submission, from 1"),
            _text("source", "file of the submission, if there are several"),
            _text("id", "of the submission"),
            *_WHERE,
            _UNIT,
            _count("index", "of the decision, from 0"),
            _count("position", "of the command, from 0"),
            _text("command", "as written"),
            _choice("kind", "what the decision was", ("act", "wait", "lost")),
            _ticks("start", "when it was made"),
            _ticks("end", "end of the time that it took up"),
            _ticks("before", "best makespan within reach before it, proved"),
            _ticks("after", "best makespan within reach after it, proved"),
            _ticks("cost", "after - before"),
            _choice("status", "of after", _STATUSES),
            _ticks("lower", "lower bound of after"),
            _ticks("upper", "upper bound of after"),
            _text("violation", "kind of the rule that it broke"),
            _flag("no_return", "whether it is the first after which nothing leads to a success"),
        ),
    ),
    Schema(
        "violations",
        "one per violation of a submitted plan",
        (
            *_SUBMISSION,
            _count("index", "of the violation, from 0"),
            _count("position", "of the command, from 0; missing if it is of the plan as a whole"),
            _text("kind", "which rule"),
            _text("subject", "action or name concerned, as written"),
            _text("message", "the same in words"),
            _ticks("start", "when the command begins"),
            _ticks("end", "when it ends"),
            _text("others", "what stands against it, as a JSON list of `[subject, start, end]`"),
            _text("resource", "the agent, object, tool or resource concerned"),
            _text("required", "what the rule asks for: a number, a name, or names in a JSON list"),
            _text("actual", "what the plan has, likewise"),
            _flag("fatal", "whether it ended the run"),
        ),
    ),
    Schema(
        "summaries",
        "one per model, over its sets, and one per model and set; means over runs, then problems, then sets",
        (
            *_SUMMED,
            _count("sets", "sets with a scored run"),
            _count("sets_missing", "sets that only other models have"),
            _count("problems", "problems with a scored run"),
            _count("missing", "problems without any run"),
            _count("submissions", "runs"),
            _count("unscored", "runs that could not be judged; in no mean"),
            _count("repeated", "runs with the name of a sample that was there already"),
            _count("samples_least", "fewest scored runs of a problem"),
            _count("samples_most", "most scored runs of a problem"),
            _share("success", "rate of success, as the benchmark defines it"),
            _share("success_of_all", "the same with every missing problem as failed"),
            *_interval("main_score", "the benchmark's main figure, from 0 to 1"),
            _number("main_score_of_all", "the same with every missing problem as failed"),
            _count("succeeded", "runs that succeed"),
            _share("gap", "makespan / optimal_makespan - 1 of successful runs"),
            _count("gap_runs", "runs that it is of: those with a proved optimum"),
            _count("failed", "runs that fail"),
            _share("lost", "best completion / optimum - 1 where failing runs failed"),
            _count("lost_runs", "runs that it is of: those with a price"),
        ),
    ),
    Schema(
        "passes",
        "one per row of summaries with several samples and number k of samples that all its problems have",
        (
            *_SUMMED,
            _count("k", "samples"),
            _share("pass_at", "pass@k: one of k samples succeeds"),
            _share("pass_hat", "pass^k: all of k samples succeed"),
            _number("best_of", "the best main score of k samples"),
        ),
    ),
    Schema(
        "errors",
        "one per thing that could not be answered",
        (
            _text("frame", "where the row is missing or incomplete"),
            _count("line", "line of the submission, from 1"),
            _text("source", "file of the submission, if there are several"),
            _text("id", "of the submission"),
            _INSTANCE,
            _text("method", "which method failed"),
            _text("error", "kind of the error"),
            _text("reason", "what is wrong"),
        ),
    ),
    Schema(
        "pairings",
        "one per pair of methods (or models) and group of problems; what the groups do not tell apart is missing",
        (
            *_GROUP,
            _text("a", "one method"),
            _text("b", "the other"),
            _text("value", "what is compared"),
            _choice("better", "which values are better", ("lower", "higher")),
            _count("pairs", "problems compared"),
            _count("wins", "problems where a is better"),
            _count("ties", "problems where both are as good, or both fail"),
            _count("losses", "problems where b is better"),
            _count("failed_a", "problems without an answer of a"),
            _count("failed_b", "problems without an answer of b"),
            _count("failed_both", "problems without an answer of either"),
            _count("left_out", "problems not compared: proved infeasible, not scored, or skipped"),
            *_interval("mean_difference", "mean of a - b where both answer"),
            *_interval("median_difference", "median of a - b; failures are infinitely bad"),
            *_interval("mean_ratio", "geometric mean of a / b where both answer; missing unless all are positive"),
            *_interval("median_ratio", "median of a / b; failures are infinitely bad"),
            _share("p_sign", "two-sided sign test of wins against losses"),
            _share("p_adjusted", "the same after Holm's correction for all pairs of the group"),
        ),
    ),
    Schema(
        "averages",
        "one per method (or model) and group of problems",
        (
            *_GROUP,
            _text("method", "method or model"),
            _text("value", "what is averaged"),
            _count("problems", "problems of the group"),
            _count("answered", "problems with an answer"),
            _count("left_out", "problems left out: proved infeasible, not scored, or skipped"),
            *_interval("mean", "over the problems with an answer"),
            *_interval("median", "over all problems; failures are infinitely bad"),
            _number("worst", "largest (or smallest) value answered"),
        ),
    ),
    Schema(
        "profiles",
        "one per step of a performance profile",
        (
            *_GROUP,
            _text("method", "method or model"),
            _number("ratio", "how many times worse than the best"),
            _share("share", "problems within that ratio"),
            _share("share_low", "lower end of its interval"),
            _share("share_high", "upper end of its interval"),
            _count("problems", "problems of the group"),
            _count("left_out", "problems left out: proved infeasible, not scored, or skipped"),
        ),
    ),
)

#: Every frame by name.
SCHEMAS: dict[str, Schema] = {schema.name: schema for schema in _ALL}
