"""Frames of graded submissions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from planoracle.analysis.frames.columns import own_metrics
from planoracle.analysis.frames.schema import Collector, FrameWithErrors, problem_columns
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.metrics import gap_of


def grades(graded: Iterable[Grade]) -> FrameWithErrors:
    """Put grades into the frame ``grades``; those not scored are there, too, and named among the errors.

    Examples
    --------
    >>> from planoracle.analysis.grading.grader import Grader
    >>> bad = Grader().grade({"id": "1", "instance": "recipe2plan/timed/Cobbler_Pancakes", "plan": "Step(0"})
    >>> frame, errors = grades([bad])
    >>> print(*frame[["id", "success", "violation"]].iloc[0], len(errors))
    1 False no_plan 0
    """
    rows = Collector("grades")
    own = own_metrics()
    for grade in graded:
        _tell(rows, grade)
        row = {name: getattr(grade, name) for name in grade.__slots__ if name not in ("violations", "metrics")}
        row |= {name: grade.metrics.get(name) for name in own}
        row["violations"] = None if grade.violations is None else len(grade.violations)
        row["gap"] = gap_of(grade.makespan, grade.optimal_makespan) if grade.success else None
        rows.add(row | _submission_columns(grade))
    return rows.build()


def violations(graded: Iterable[Grade]) -> FrameWithErrors:
    """List the violations of graded plans: frame ``violations``."""
    rows = Collector("violations")
    for grade in graded:
        _tell(rows, grade)
        if grade.scored and grade.violations is None:
            rows.fail("the grade came without its violations", **_keys(grade))
        fatal = (grade.violation, grade.violation_index)
        for index, one in enumerate(grade.violations or ()):
            ended = grade.violation is not None and (one["kind"], one["index"]) == fatal
            if ended:
                fatal = (None, None)  # only the first one ends the run
            values = {name: json.dumps(value) if isinstance(value, list) else value for name, value in one.items()}
            rows.add(_submission_columns(grade) | values | {"index": index, "position": one["index"], "fatal": ended})
    return rows.build()


def _keys(grade: Grade) -> dict[str, Any]:
    return {"line": grade.line, "source": grade.source, "id": grade.id, "instance": grade.instance}


def _submission_columns(grade: Grade) -> dict[str, Any]:
    names = {name: getattr(grade, name) for name in ("line", "source", "id", "model")}
    sample = None if grade.sample is None else str(grade.sample)
    return problem_columns(grade.instance, grade.benchmark) | names | {"sample": sample}


def _tell(rows: Collector, grade: Grade) -> None:
    if not grade.scored:
        rows.fail(grade.reason or "is not scored", **_keys(grade))
