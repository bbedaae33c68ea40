"""Metrics of all benchmarks, each declared once: name, kind, help text, and how it is averaged.

Rows of grades are checked by this table. The frame ``grades``, the summaries on the terminal and the
report take their columns from it. Those of a single benchmark are in its `MetricSet`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from planoracle.instances.protocol.scoring import Row


class GradeMetric(NamedTuple):
    """Metric of all benchmarks.

    Attributes
    ----------
    name, kind, meaning
        Field of a row of a grade and column of frames, the kind of its values, and its help text.
    average
        Help text of the average in summaries, empty for a metric without one.
    of, role
        Function of the row of one run that returns its value, ``None`` for none; or the role of the benchmark's
        own figure that the average is, see `planoracle.instances.protocol.scoring.Average`.
    among
        Name of a count of runs, to which those with the metric belong; ``""`` for none.
    interval, of_all
        True if summaries have the columns ``NAME_low`` and ``NAME_high``; ``NAME_of_all``, which counts every problem
        without a scored run as failed.
    """

    name: str
    kind: Literal["flag", "count", "ticks", "share", "number", "text", "status"]
    meaning: str
    average: str = ""
    of: Callable[[Row], float | None] | None = None
    role: str = ""
    among: str = ""
    interval: bool = False
    of_all: bool = False


def gap_of(makespan: int | None, optimum: int | None) -> float | None:
    """Return the relative excess of a makespan over the optimum; ``None`` if not comparable.

    A makespan below the optimum leaves out what the optimum counts, such as the wait for a result that was guessed.

    Examples
    --------
    >>> gap_of(9, 6), gap_of(5, 6), gap_of(6, None)
    (0.5, None, None)
    """
    if makespan is None or not optimum or makespan < optimum:
        return None
    return makespan / optimum - 1


_SUCCESS = GradeMetric(
    "success",
    "flag",
    "every task complete, no fatal violation",
    average="rate of success, as the benchmark defines it",
    role="success",
    of_all=True,
)
_MAIN_SCORE = GradeMetric(
    "main_score",
    "number",
    "the benchmark's main figure, from 0 to 1",
    average="the benchmark's main figure, from 0 to 1",
    role="main",
    interval=True,
    of_all=True,
)
_GAP = GradeMetric(
    "gap",
    "share",
    "makespan / optimal_makespan - 1 of a success",
    average="makespan / optimal_makespan - 1 of successful runs",
    of=lambda row: gap_of(row["makespan"], row["optimal_makespan"]) if row["success"] else None,
    among="succeeded",
)
_LOST = GradeMetric(
    "lost",
    "share",
    "best completion / optimum - 1 where a failing run failed",
    average="best completion / optimum - 1 where failing runs failed",
    of=lambda row: None if row["success"] else row.get("lost"),
    among="failed",
)
_FAULTS = GradeMetric(
    "faults",
    "count",
    "violations of the whole plan",
    average="mean number of violations of a plan",
    of=lambda row: row.get("faults"),
)

#: Metrics of a single grade, in the order of the columns of the frame ``grades``.
METRICS: Final = (
    GradeMetric("scored", "flag", "whether it could be graded"),
    GradeMetric("reason", "text", "why it is not scored"),
    GradeMetric("foreign", "count", "commands of a failed plan that name what the problem does not have"),
    GradeMetric("other_problem", "text", "why the plan is probably for another problem"),
    GradeMetric("read", "count", "steps taken from what was handed in"),
    GradeMetric("read_from", "text", "the part that they were taken from"),
    GradeMetric("ignored", "count", "lines that look like steps and were not taken"),
    _SUCCESS,
    GradeMetric("failure_cause", "text", "why it failed, in words; `not scored`; missing for a success"),
    GradeMetric("violation", "text", "kind of the violation that ended the run, or why the answer is no plan"),
    GradeMetric("violation_index", "count", "its command, from 0"),
    _FAULTS._replace(name="violations"),
    GradeMetric("executed", "count", "commands carried out"),
    GradeMetric("progress", "share", "actions done"),
    GradeMetric("goal_ratio", "share", "tasks done"),
    GradeMetric("makespan", "ticks", "latest end of a command carried out, also of failed plans"),
    GradeMetric("optimal_makespan", "ticks", "proved optimum under the rules that grade"),
    GradeMetric("optimum_status", "status", "what is known of the best plans under these rules"),
    GradeMetric("optimum_bound", "ticks", "what any plan takes at least, proved"),
    _GAP,
    _MAIN_SCORE,
)
#: Averages of summaries, in the order of their columns.
SUMMARY: Final = (_SUCCESS, _MAIN_SCORE, _GAP, _LOST)
#: Averages that only the report has.
REPORTED: Final = (_FAULTS,)
