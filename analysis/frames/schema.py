"""Schemas of frames: frames built from rows, with a frame of errors beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isnan
from typing import Any, NamedTuple

import pandas as pd

from planoracle.analysis.frames.columns import SCHEMAS, Schema
from planoracle.instances.errors import InputError, PlanoracleError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.text import one_of

_MOST = 2**63


def schema(name: str) -> Schema:
    """Return a schema by its name; raises `UnknownNameError`."""
    if name not in SCHEMAS:
        raise UnknownNameError(one_of(name, SCHEMAS, "frames"), field="frame", value=name)
    return SCHEMAS[name]


def describe(name: str) -> str:
    """Return the columns of a frame as a Markdown table, as the documentation has it."""
    lines = ["| column | dtype | unit | meaning |", "|---|---|---|---|"]
    for column in schema(name).columns:
        values = f": {', '.join(column.values)}" if column.values else ""
        lines.append(f"| `{column.name}` | {column.dtype} | {column.unit} | {column.meaning}{values} |")
    return "\n".join(lines)


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


def is_missing(value: Any) -> bool:
    """Return True for a missing value: ``None``, ``pd.NA`` or not a number."""
    return value is None or value is pd.NA or (isinstance(value, float) and isnan(value))


def _as_text(value: Any) -> str | None:
    # pandas before 3 reads text from CSV only as far as a NUL.
    return str(value).replace("\0", "?").encode("utf-8", "replace").decode("utf-8") or None


def _as_count(value: Any) -> int:
    number = int(value)
    if number != value or not -_MOST <= number < _MOST:
        raise ValueError("is no whole number of 64 bits")
    return number


def _as_number(value: Any) -> float | None:
    number = float(value)
    return None if isnan(number) else number  # also of text


def _as_flag(value: Any) -> bool:
    if value not in (True, False):
        raise ValueError("is neither true nor false")
    return bool(value)


_CONVERT: dict[str, Callable[[Any], Any]] = {
    "string": _as_text,
    "category": _as_text,
    "Int64": _as_count,
    "Float64": _as_number,
    "boolean": _as_flag,
}


def check(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a frame with the columns of a schema in its order, without index.

    Raises
    ------
    InputError
        For columns that are missing, unknown or of another dtype.
    """
    expected = schema(name)
    missing = [column for column in expected.names if column not in frame.columns]
    unknown = [str(column) for column in frame.columns if column not in expected.names]
    if missing or unknown or len(frame.columns) > len(expected.names):
        raise InputError(f"must have the columns of {name}: missing {missing}, unknown {unknown}", field="frame")
    for column in expected.columns:
        dtype = frame[column.name].dtype
        if dtype != column.pandas:
            raise InputError(f"must be of dtype {column.pandas}", field=column.name, value=str(dtype))
    return frame[expected.names].reset_index(drop=True)


_KEYS = ("line", "source", "id", "instance", "method")


class FrameWithErrors(NamedTuple):
    """A frame, and the frame ``errors`` of what is missing or incomplete in it."""

    frame: pd.DataFrame
    errors: pd.DataFrame


class Collector:
    """Rows and errors from which a frame is built."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._rows: list[Mapping[str, Any]] = []
        self._errors: list[dict[str, Any]] = []

    def add(self, *rows: Mapping[str, Any]) -> None:
        """Add rows."""
        self._rows += rows

    def fail(self, error: Exception | str, **keys: Any) -> None:
        """Add an error; ``keys`` are ``line``, ``id``, ``instance`` and ``method``, as far as known."""
        kind = "" if isinstance(error, str) else type(error).__name__
        ours = not isinstance(error, str | PlanoracleError)
        reason = f"internal error: {error}" if ours else str(error)
        self._errors.append({"frame": self.name, "error": kind, "reason": reason[:1000], **keys})

    def build(self) -> FrameWithErrors:
        """Return the frame of the rows, and the frame of the errors."""
        frame, faults = from_rows(self.name, self._rows)
        for number, message in faults:
            row = self._rows[number]
            self.fail(InputError(message), **{key: row[key] for key in _KEYS if row.get(key) is not None})
        return FrameWithErrors(frame, from_rows("errors", self._errors)[0])


def problem_columns(name: str | None, benchmark: str | None) -> dict[str, Any]:
    """Return the columns that identify the problem of a row."""
    return {"instance": name, "benchmark": benchmark, "set": catalog.set_of(name or "")[0]}
