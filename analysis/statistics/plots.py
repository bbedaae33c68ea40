"""Points of figures: an average of each model against another, and mean progress over time."""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite
from typing import TYPE_CHECKING, Any

from planoracle.analysis.statistics.grade_columns import VALUE, GradeRows
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.protocol.scoring import PROGRESS_OVER_TIME
from planoracle.instances.text import one_of

if TYPE_CHECKING:
    import pandas as pd

#: Averages of every benchmark that have a number per model.
_COMMON_AVERAGES = ("success", "main_score", "gap")


def averages_of_models(grades: GradeRows, benchmarks: Collection[str], names: tuple[str, str]) -> list[dict[str, Any]]:
    """Return two averages of each model and benchmark, over all problems of its sets.

    Parameters
    ----------
    benchmarks
        Names of benchmarks of the grades.
    names
        Names of two averages of the benchmarks.

    Returns
    -------
    list of dict
        ``model, benchmark, problems``, and the averages, ``None`` where they are undefined.

    Raises
    ------
    UnknownNameError
        If a benchmark lacks one of the averages.
    """
    for benchmark in benchmarks:
        numbers = [figure.name for figure in grades.figures(benchmark) if figure.aggregate != "counts"]
        accepted = dict.fromkeys([*numbers, *_COMMON_AVERAGES])
        for name in names:
            if name not in accepted:
                raise UnknownNameError(f"{benchmark}: {one_of(name, accepted)}", field="--plot", value=name)
    columns = ("model", "benchmark", "problems", *names)
    summary = summarize(grades, by="", benchmarks=benchmarks)
    return [{column: row[column] for column in columns} for row in summary.sets]


def progress_of_models(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the mean progress of the runs of each model and benchmark over time.

    A run keeps its progress after its end.

    Parameters
    ----------
    frame
        The frame of a `planoracle.analysis.statistics.grade_columns.GradeRows` with values of ``progress_over_time``.

    Returns
    -------
    list of dict
        ``model, benchmark, time, progress, runs``, a row for time 0 and for each time at which the mean changes.

    Raises
    ------
    InputError
        If no grade has its progress over time.
    """
    curves = frame.dropna(subset=f"{VALUE}{PROGRESS_OVER_TIME}")
    if curves.empty:
        message = "no grade has this field; planoracle grade --trace writes it"
        raise InputError(message, field=PROGRESS_OVER_TIME)
    rows: list[dict[str, Any]] = []
    for (model, benchmark), part in curves.groupby(["model", "benchmark"]):
        runs = len(part)
        about = {"model": model, "benchmark": benchmark}
        gains: dict[int, float] = {0: 0.0}
        for curve in part[f"{VALUE}{PROGRESS_OVER_TIME}"]:
            before = 0.0
            for time, progress in _points(curve):
                gains[time] = gains.get(time, 0.0) + progress - before
                before = progress
        total = 0.0
        for time, gain in sorted(gains.items()):
            total += gain
            rows.append(about | {"time": time, "progress": round(total / runs, 9), "runs": runs})
    return rows


def _points(curve: Any) -> list[tuple[int, float]]:
    """Return the points of a curve; raises `InputError` for another value, as a file may have."""
    points: list[tuple[int, float]] = []
    for point in curve if isinstance(curve, list) else [curve]:
        if not isinstance(point, list | tuple) or len(point) != 2:
            raise _not_a_curve(curve)
        time, progress = point
        if type(time) is not int or time < 0 or not isinstance(progress, int | float) or not isfinite(progress):
            raise _not_a_curve(curve)
        points.append((time, progress))
    return points


def _not_a_curve(value: Any) -> InputError:
    message = "must be a list of pairs of a time from 0 and a share"
    return InputError(message, field=PROGRESS_OVER_TIME, value=value)
