"""Columns of all frames: content, unit and dtype."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from planoracle.analysis.grading.metrics import METRICS, GradeMetric
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol import registry


class FrameColumn(NamedTuple):
    """Column of a frame: meaning, unit (empty if none), pandas dtype, and values of a category."""

    name: str
    meaning: str
    unit: str = ""
    dtype: str = "string"
    values: tuple[str, ...] = ()

    @property
    def pandas(self) -> Any:
        """The dtype as an object. Text has the same storage whether pyarrow is there or not."""
        import pandas as pd

        if self.dtype == "category":
            return pd.CategoricalDtype(list(self.values))
        return pd.StringDtype("python") if self.dtype == "string" else self.dtype


#: Makers of columns from name, meaning and unit: of text, whole numbers, ticks, numbers, shares (from 0 to 1 as a rule)
#: and truth values.
text = partial(FrameColumn, dtype="string")
count = partial(FrameColumn, dtype="Int64")
ticks = partial(FrameColumn, unit="ticks", dtype="Int64")
number = partial(FrameColumn, dtype="Float64")
share = partial(FrameColumn, unit="share", dtype="Float64")
flag = partial(FrameColumn, dtype="boolean")


def choice(name: str, meaning: str, values: Iterable[str]) -> FrameColumn:
    """Return a column of one of a few values."""
    return FrameColumn(name, meaning, dtype="category", values=tuple(values))


_KINDS = {"flag": flag, "count": count, "ticks": ticks, "share": share, "number": number, "text": text}

_STATUSES = tuple(map(str, Status))


@dataclass(frozen=True, slots=True)
class Schema:
    """Schema of a frame: a sentence about its rows, and its columns in order.

    Attributes
    ----------
    fixed, has_metrics
        Columns that it always has, and whether those of the benchmarks' own metrics come after them.
    """

    name: str
    rows: str
    fixed: tuple[FrameColumn, ...]
    has_metrics: bool = False

    @property
    def columns(self) -> tuple[FrameColumn, ...]:
        """All columns, for the benchmarks that there are now."""
        if _BENCHMARK not in self.fixed and not self.has_metrics:
            return self.fixed
        return _columns(self.fixed, self.has_metrics, registry.names())

    @property
    def names(self) -> list[str]:
        """Names of the columns in order."""
        names = [column.name for column in self.fixed]
        return [*names, *own_metrics()] if self.has_metrics else names


@cache
def _columns(fixed: tuple[FrameColumn, ...], has_metrics: bool, benchmarks: tuple[str, ...]) -> tuple[FrameColumn, ...]:
    columns = []
    for column in fixed:
        columns.append(column._replace(values=benchmarks) if column == _BENCHMARK else column)
    if has_metrics:
        columns += own_metrics().values()
    return tuple(columns)


def own_metrics() -> dict[str, FrameColumn]:
    """Return the columns of the benchmarks' metrics by name; the first benchmark with a name defines it."""
    columns: dict[str, FrameColumn] = {}
    owners: dict[str, list[str]] = {}
    for benchmark in map(registry.get, registry.names()):
        owner = registry.get(benchmark.rules.name)
        is_shared = owner is not benchmark and owner.metrics is benchmark.metrics
        for column in () if is_shared else benchmark.columns:
            owners.setdefault(column.name, []).append(benchmark.title)
            frame_column = _KINDS.get(column.kind, text)(column.name, column.meaning)
            unit = column.unit if column.kind in ("number", "count") else ""
            columns.setdefault(column.name, frame_column._replace(unit=unit))
    for name, frame_column in columns.items():
        titles = ", ".join(owners[name])
        meaning = f"{frame_column.meaning} ({titles})"
        columns[name] = frame_column._replace(meaning=meaning)
    return columns


_INSTANCE = text("instance", "name of the problem")
_BENCHMARK = choice("benchmark", "benchmark whose rules apply", ())  # all that there are, see `Schema.columns`
_SET = text("set", "bundled set that contains the problem")
_UNIT = text("unit", "name of a tick: second, minute, turn or step")
_PROBLEM = (_INSTANCE, _BENCHMARK, _SET)
_SUBMISSION = (
    count("line", "line number of the submission, from 1"),
    text("source", "file of the submission, if there are several files"),
    text("id", "identifier of the submission"),
    *_PROBLEM,
    text("model", "model that wrote the submission"),
    text("sample", "number or name of one of several attempts"),
)


def _interval(name: str, meaning: str, unit: str = "") -> tuple[FrameColumn, ...]:
    return (
        number(name, meaning, unit),
        number(f"{name}_low", "lower end of the confidence interval", unit),
        number(f"{name}_high", "upper end of the confidence interval", unit),
    )


def _column(metric: GradeMetric) -> FrameColumn:
    if metric.kind == "status":
        return choice(metric.name, metric.meaning, (*_STATUSES, "claimed"))
    return _KINDS[metric.kind](metric.name, metric.meaning)


_ALL = (
    Schema(
        "schedules",
        "one per piece of a schedule, or per action of a plan in a kitchen",
        (
            *_PROBLEM,
            text("method", "method or model that made the schedule"),
            _UNIT,
            count("position", "position of the command, from 0"),
            text("action", "id of the action; in a kitchen the action as written"),
            text("task", "task of the action"),
            text("label", "description of the action"),
            text("agent", "agent that carries out the piece; missing if it is unattended"),
            text("resources", "resources in use; amounts above 1 in brackets"),
            count("mode", "index of the chosen mode, from 0"),
            text("mode_name", "name of the mode"),
            ticks("start", "start of the piece"),
            ticks("end", "end of the piece"),
            ticks("duration", "length of the piece"),
            ticks("attended", "time for which the piece occupies its agent"),
            ticks("agent_until", "time until which the piece occupies its agent; resources are in use until the end"),
            text("start_date", "date and local time of the start, if tick 0 has a clock time"),
            text("end_date", "date and local time of the end, if tick 0 has a clock time"),
            text("agent_until_date", "date and local time of `agent_until`, if tick 0 has a clock time"),
        ),
    ),
    Schema(
        "comparisons",
        "one per problem and method",
        (
            *_PROBLEM,
            _UNIT,
            count("actions", "number of actions"),
            text(
                "method", "`optimum`, `reference`, `best_heuristic`, or the name of a reference, a heuristic or a model"
            ),
            choice("status", "status of the answer of the method; heuristics prove nothing", _STATUSES),
            ticks("makespan", "makespan of the schedule; of a reference its claim"),
            flag("accepted", "true if the rules accept the schedule; missing if there is only a number"),
            ticks("optimum", "proved optimal makespan"),
            ticks("lower_bound", "proved lower bound on every makespan at the greatest weight of optional tasks"),
            count("weight", "total weight of the optional tasks that the schedule executes"),
            count("weight_bound", "proved upper bound of this weight; schedules of less weight have no gap"),
            choice("settled", "status of the exact solve of the problem", _STATUSES),
            choice(
                "proof_grade",
                "proof of the exact solve: checked certificate or DRCP proof, two runs, or one; missing if unproved",
                ("certificate", "drcp", "two solvers", "solver"),
            ),
            share("gap", "optimality gap: makespan / optimum - 1; missing if the optimum is not proved"),
            share("gap_bound", "upper bound on the gap: makespan / lower_bound - 1"),
            number("seconds", "wall time of the method", "seconds"),
            text("reason", "reason of a missing answer, or of its rejection by the rules"),
            text("outcome", "result: optimal, feasible, refused, claimed, failed, infeasible or unknown"),
        ),
    ),
    Schema(
        "grades",
        "one per submission",
        (
            *_SUBMISSION,
            *map(_column, METRICS),
            count("weight", "total weight of the optional tasks that a successful plan executes"),
            count("best_weight", "proved greatest weight; plans of another weight have no optimum and no gap"),
        ),
        has_metrics=True,
    ),
    Schema(
        "errors",
        "one per result that is missing or incomplete",
        (
            text("frame", "frame in which the row is missing or incomplete"),
            count("line", "line number of the submission, from 1"),
            text("source", "file of the submission, if there are several files"),
            text("id", "identifier of the submission"),
            _INSTANCE,
            text("error", "class of the error"),
            text("reason", "message of the error"),
        ),
    ),
    Schema(
        "pairings",
        "one per pair of methods (or models)",
        (
            text("a", "first method or model"),
            text("b", "second method or model"),
            text("value", "column that is compared"),
            choice("better", "direction of better values", ("lower", "higher")),
            count("pairs", "number of problems compared"),
            count("wins", "number of problems where a is better"),
            count("ties", "number of problems where a and b are equally good, or both fail"),
            count("losses", "number of problems where b is better"),
            count("failed_a", "number of problems without an answer of a"),
            count("failed_b", "number of problems without an answer of b"),
            count("failed_both", "number of problems without an answer of either"),
            count("left_out", "number of problems not compared: proved infeasible, not scored, or skipped"),
            *_interval("mean_difference", "mean of a - b over problems with both answers"),
            *_interval("median_difference", "median of a - b; a failure counts as infinitely bad"),
            *_interval(
                "mean_ratio", "geometric mean of a / b over problems with both answers; missing unless all are positive"
            ),
            *_interval("median_ratio", "median of a / b; a failure counts as infinitely bad"),
            share("p_sign", "p value of the two-sided sign test of wins against losses"),
            share("p_adjusted", "p value after Holm's correction for all pairs of the group"),
        ),
    ),
    Schema(
        "causes",
        "one per model and cause of its failures, the most frequent cause of all models first",
        (
            text("model", "model that wrote the submissions"),
            text("failure_cause", "cause of the failure, as in the frame `grades`"),
            count("count", "number of submissions with this cause"),
            share("share", "share of all submissions of the model"),
        ),
    ),
    Schema(
        "profiles",
        "one per step of a performance profile",
        (
            text("method", "method or model"),
            number("ratio", "ratio to the best answer or to the optimum; larger is worse"),
            share("share", "share of the problems within this ratio"),
            share("share_low", "lower end of the confidence interval"),
            share("share_high", "upper end of the confidence interval"),
            count("problems", "number of problems in the group"),
            count("left_out", "number of problems left out: proved infeasible, not scored, or skipped"),
        ),
    ),
)

#: Every frame by name.
SCHEMAS: dict[str, Schema] = {schema.name: schema for schema in _ALL}
