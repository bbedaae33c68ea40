"""Frames built from rows by their schemas; the frame of grades, with a frame of errors beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from planoracle.analysis.frames.columns import SCHEMAS, Schema, own_metrics
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.metrics import gap_of
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.text import one_of

if TYPE_CHECKING:
    import pandas as pd

_MOST = 2**63


def schema(name: str) -> Schema:
    """Return a schema by its name; raises `UnknownNameError`."""
    if name not in SCHEMAS:
        raise UnknownNameError(one_of(name, SCHEMAS, "frames"), field="frame", value=name)
    return SCHEMAS[name]


def empty(name: str) -> pd.DataFrame:
    """Return the frame without rows.

    Examples
    --------
    >>> empty("profiles").dtypes["ratio"], len(empty("grades"))
    (Float64Dtype(), 0)
    """
    return from_rows(name, [])[0]


def from_rows(name: str, rows: Iterable[Mapping[str, Any]]) -> tuple[pd.DataFrame, list[tuple[int, str]]]:
    """Build a frame from rows; columns that a row lacks are missing there.

    Text is never empty: that is missing, too, so that files keep the values as they are; characters that no file
    can hold are replaced.

    Returns
    -------
    tuple
        The frame, and for every value that the column cannot hold the number of its row and what is wrong; the
        value is missing in the frame.
    """
    import pandas as pd

    listed = list(rows)
    faults: list[tuple[int, str]] = []
    columns = {}
    for column in schema(name).columns:
        convert = _CONVERT[column.dtype]
        values = []
        for number, row in enumerate(listed):
            value = row.get(column.name)
            try:
                value = None if is_missing(value) else convert(value)
                if column.values and value is not None and value not in column.values:
                    raise ValueError(f"must be one of {', '.join(column.values)}")
            except (ValueError, TypeError, OverflowError) as error:
                faults.append((number, f"{column.name}: {error}"))
                value = None
            values.append(value)
        columns[column.name] = pd.Series(values, dtype=column.pandas)
    return pd.DataFrame(columns), sorted(faults)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame without missing values.

    Examples
    --------
    >>> records(from_rows("causes", [{"failure_cause": "unfinished", "count": 2}])[0])
    [{'failure_cause': 'unfinished', 'count': 2}]
    """
    rows = []
    for row in frame.to_dict("records"):
        rows.append({str(name): value for name, value in row.items() if not is_missing(value)})
    return rows


def is_missing(value: Any) -> bool:
    """Return True for a missing value: ``None``, ``pd.NA`` or not a number."""
    import pandas as pd

    return value is None or value is pd.NA or (isinstance(value, float) and isnan(value))


def as_text(value: Any) -> str | None:
    """Return a text that files can hold, ``None`` for an empty one."""
    # pandas before 3 reads text from CSV only as far as a NUL.
    return str(value).replace("\0", "?").encode("utf-8", "replace").decode("utf-8") or None


def _as_count(value: Any) -> int:
    number = int(value)
    if number != value or not -_MOST <= number < _MOST:
        raise ValueError("must be a whole number of at most 64 bits")
    return number


def _as_number(value: Any) -> float | None:
    number = float(value)
    return None if isnan(number) else number  # also of text


def _as_flag(value: Any) -> bool:
    if value not in (True, False):
        raise ValueError("must be true or false")
    return bool(value)


_CONVERT: dict[str, Callable[[Any], Any]] = {
    "string": as_text,
    "category": as_text,
    "Int64": _as_count,
    "Float64": _as_number,
    "boolean": _as_flag,
}


def problem_columns(name: str | None, benchmark: str | None) -> dict[str, Any]:
    """Return the columns that identify the problem of a row."""
    return {"instance": name, "benchmark": benchmark, "set": catalog.set_of(name or "")[0]}


class FrameWithErrors(NamedTuple):
    """A frame, and the frame ``errors`` of what is missing or incomplete in it."""

    frame: pd.DataFrame
    errors: pd.DataFrame


class Grades(list[Grade]):
    """List of grades that converts itself to a frame."""

    def to_frame(self) -> pd.DataFrame:
        """Return the frame ``grades``, a row per submission; those not scored have a ``reason``."""
        return grades(self).frame


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
    rows = []
    metric_columns = own_metrics()
    faults: list[tuple[int, str, str]] = []
    for number, grade in enumerate(graded):
        if not grade.scored:
            faults.append((number, "", grade.reason or "the submission is not scored"))
        row = {name: getattr(grade, name) for name in grade.__slots__ if name != "metrics"}
        row |= {name: grade.metrics.get(name) for name in metric_columns}
        row |= problem_columns(grade.instance, grade.benchmark)
        row["violations"] = None if grade.violations is None else len(grade.violations)
        row |= {name: grade.metrics.get(name) for name in ("weight", "best_weight")}
        row["gap"] = gap_of(grade.makespan, grade.optimal_makespan) if grade.success else None
        rows.append(row)
    frame, unfit = from_rows("grades", rows)
    faults += [(number, "InputError", message) for number, message in unfit]
    errors = []
    for number, kind, reason in faults:
        error = {key: rows[number][key] for key in ("line", "source", "id", "instance")}
        errors.append(error | {"frame": "grades", "error": kind, "reason": reason[:1000]})
    return FrameWithErrors(frame, from_rows("errors", errors)[0])
