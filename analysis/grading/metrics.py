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
    "completion of every task without a fatal violation",
    average="success rate, as the benchmark defines it",
    role="success",
    of_all=True,
)
_MAIN_SCORE = GradeMetric(
    "main_score",
    "number",
    "main metric of the benchmark, usually from 0 to 1",
    average="mean of the main metric of the benchmark, usually from 0 to 1",
    role="main",
    interval=True,
    of_all=True,
)


def _gap_of_success(row: Row) -> float | None:
    return gap_of(row["makespan"], row["optimal_makespan"]) if row["success"] else None


def _lost_of_failure(row: Row) -> float | None:
    return None if row["success"] else row.get("lost")


_GAP = GradeMetric(
    "gap",
    "share",
    "optimality gap of a successful plan: makespan / optimal_makespan - 1",
    average="mean optimality gap of successful plans: makespan / optimal_makespan - 1",
    of=_gap_of_success,
    among="succeeded",
)
_LOST = GradeMetric(
    "lost",
    "share",
    "regret of a failed run at its end: best completion / optimum - 1",
    average="mean regret of failed runs at their end: best completion / optimum - 1",
    of=_lost_of_failure,
    among="failed",
)
_FAULTS = GradeMetric(
    "faults",
    "count",
    "number of violations of the whole plan",
    average="mean number of violations per plan",
    of=lambda row: row.get("faults"),
)

#: Metrics of a single grade, in the order of the columns of the frame ``grades``.
METRICS: Final = (
    GradeMetric("scored", "flag", "true if the submission could be graded"),
    GradeMetric("reason", "text", "reason why the submission is not scored"),
    GradeMetric("foreign", "count", "number of commands of a failed plan with names that the problem does not have"),
    GradeMetric("other_problem", "text", "reason why the plan is probably for another problem"),
    GradeMetric("read", "count", "number of steps read from the submission"),
    GradeMetric("read_from", "text", "part of the submission that the steps were read from"),
    GradeMetric("ignored", "count", "number of ignored lines that look like steps"),
    _SUCCESS,
    GradeMetric("failure_cause", "text", "cause of the failure in words; `not scored`; missing for a success"),
    GradeMetric("violation", "text", "kind of the violation that ended the run, or fault of an answer without a plan"),
    GradeMetric("violation_index", "count", "index of the command with this violation, from 0"),
    _FAULTS._replace(name="violations"),
    GradeMetric("executed", "count", "number of commands carried out"),
    GradeMetric("progress", "share", "share of the actions carried out"),
    GradeMetric("goal_ratio", "share", "share of the tasks completed"),
    GradeMetric("makespan", "ticks", "latest end of a command carried out, also for failed plans"),
    GradeMetric("optimal_makespan", "ticks", "proved optimal makespan under the rules of the grade"),
    GradeMetric("optimum_status", "status", "status of the optimum under these rules"),
    GradeMetric("optimum_bound", "ticks", "proved lower bound on the makespan of every plan"),
    _GAP,
    _MAIN_SCORE,
)
#: Averages of summaries, in the order of their columns.
SUMMARY: Final = (_SUCCESS, _MAIN_SCORE, _GAP, _LOST)
#: Averages that only the report has.
REPORTED: Final = (_FAULTS,)
