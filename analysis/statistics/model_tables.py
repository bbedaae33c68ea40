"""Tables of models: their causes of failure and their paired comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from planoracle.analysis import statistics
from planoracle.analysis.frames.schema import as_text
from planoracle.analysis.grading.grader import NOT_SCORED
from planoracle.analysis.statistics.grade_columns import GradeRows
from planoracle.analysis.statistics.groupings import UNNAMED


def causes_of_models(grades: GradeRows) -> list[dict[str, Any]]:
    """Return the rows of the frame ``causes``, see `planoracle.analysis.statistics.groups.failure_causes`."""
    failures: Counter[tuple[str, str]] = Counter()
    runs: Counter[str] = Counter()
    for table in grades.tables().values():
        for part, outcome, count in table.counted_outcomes():
            model = as_text(part.model) or UNNAMED
            runs[model] += count
            if outcome.failure_cause is not None:
                failures[model, outcome.failure_cause] += count
    return rows_of_causes(failures, runs)


def rows_of_causes(failures: Mapping[tuple[str, str], int], runs: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return rows of the frame ``causes``.

    Parameters
    ----------
    failures
        Number of failed runs by model and cause.
    runs
        Number of all runs by model.
    """
    totals: Counter[str] = Counter()
    for (_, cause), count in failures.items():
        totals[cause] += count

    def order(key: tuple[str, str]) -> tuple[bool, int, str, str]:
        model, cause = key
        return cause == NOT_SCORED, -totals[cause], cause, model

    rows = []
    for model, cause in sorted(failures, key=order):
        count = failures[model, cause]
        share = count / runs[model]
        rows.append({"model": model, "failure_cause": as_text(cause), "count": count, "share": share})
    return rows


def pairs_of_models(grades: GradeRows, models: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows of the frame ``pairings``: all pairs of models, of many only those with the first.

    Parameters
    ----------
    models
        Names, the best first, which is ``a`` of its pairs. Fewer than two have no pairs.
    """
    if len(models) < 2:
        return []
    # Only comparisons need numpy and pandas, which start slowly.
    rows: list[dict[str, Any]] = statistics.pairs.pairs_of_models(grades.outcomes(), models)
    return rows
