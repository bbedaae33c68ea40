"""Readers and writers of frames as CSV and Parquet, with the same values and dtypes."""

from __future__ import annotations

from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import pandas as pd

from planoracle.analysis.console import escape_formulas, output_file, unescape_formulas
from planoracle.analysis.frames.columns import Schema
from planoracle.analysis.frames.schema import check, from_rows, is_missing, schema
from planoracle.instances.errors import InputError

_FLAGS = {"True": True, "False": False}


def write_csv(frame: pd.DataFrame, path: str | Path, name: str) -> None:
    """Write a frame as CSV (UTF-8, lines end as RFC 4180 says); what is missing is an empty field.

    A text that a spreadsheet would run gets a ``'`` in front, see `planoracle.analysis.console.escape_formulas`;
    `read_csv` removes it.

    Parameters
    ----------
    name
        Of the schema, which the frame must have.

    Raises
    ------
    InputError
        If the frame is not as the schema says, or the file cannot be written.
    """
    checked = check(frame, name)
    for column in schema(name).columns:
        if column.dtype not in _PARSE:
            checked = checked.assign(**{column.name: checked[column.name].map(escape_formulas, na_action="ignore")})
    # With this line end every field that holds either of its characters is quoted.
    _write(path, lambda stream: checked.to_csv(stream, index=False, lineterminator="\r\n"))


def read_csv(path: str | Path, name: str) -> pd.DataFrame:
    """Read what `write_csv` wrote.

    Raises
    ------
    InputError
        If the file cannot be read, or its columns or a value are not as the schema says.
    """
    options: dict[str, Any] = {"keep_default_na": False, "na_values": [""], "index_col": False}
    options["dtype"] = pd.StringDtype("python")
    frame_read = _with_input_errors(path, lambda: pd.read_csv(path, encoding="utf-8", **options), "read")
    expected = schema(name)
    _match(frame_read, expected, path)
    parsers = {column.name: _PARSE[column.dtype] for column in expected.columns if column.dtype in _PARSE}
    rows = _rows(frame_read)
    for number, values in enumerate(rows):
        values |= {
            key: unescape_formulas(value) for key, value in values.items() if key not in parsers and value is not None
        }
        for key, parse in parsers.items():
            if values[key] is not None:
                try:
                    values[key] = parse(values[key])
                except (ValueError, KeyError):
                    raise _wrong(path, number, f"{key}: is not of the column's dtype", values[key]) from None
    frame, faults = from_rows(name, rows)
    if faults:
        raise _wrong(path, *faults[0])
    return frame


def write_parquet(frame: pd.DataFrame, path: str | Path, name: str) -> None:
    """Write a frame as Parquet, see `write_csv`; needs pyarrow (``pip install planoracle[frames]``)."""
    _need_pyarrow()
    checked = check(frame, name)
    _write(path, lambda stream: stream.buffer.write(checked.to_parquet(None, engine="pyarrow", index=False)))


def read_parquet(path: str | Path, name: str) -> pd.DataFrame:
    """Read what `write_parquet` wrote, see `read_csv`."""
    _need_pyarrow()
    frame_read = _with_input_errors(path, lambda: pd.read_parquet(path, engine="pyarrow"), "read")
    _match(frame_read, schema(name), path)
    frame, faults = from_rows(name, _rows(frame_read))
    if faults:
        raise _wrong(path, *faults[0])
    return frame


def _match(frame: pd.DataFrame, expected: Schema, path: str | Path) -> None:
    if list(frame.columns) != expected.names:
        columns = [str(column) for column in frame.columns]
        raise InputError(f"must be {', '.join(expected.names)}", source=str(path), field="columns", value=columns)


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    names = [str(name) for name in frame.columns]
    return [
        {name: None if is_missing(value) else value for name, value in zip(names, row, strict=True)}
        for row in frame.itertuples(index=False, name=None)
    ]


def _wrong(path: str | Path, row: int, message: str, *value: Any) -> InputError:
    return InputError(message, source=str(path), field=f"row {row}", **({"value": value[0]} if value else {}))


def _write(path: str | Path, write: Callable[[TextIOWrapper], Any]) -> None:
    def act() -> None:
        with output_file(path) as stream:
            write(stream)

    _with_input_errors(path, act, "written")


def _with_input_errors(path: str | Path, act: Callable[[], Any], done: str) -> Any:
    """Call a function that reads or writes a file; raise its errors as `InputError`."""
    try:
        return act()
    except OSError as error:
        raise InputError(f"cannot be {done}: {error.strerror or error}", source=str(path)) from None
    except (ValueError, TypeError, NotImplementedError) as error:  # of the parsers
        raise InputError(f"cannot be {done}: {error}"[:300], source=str(path)) from None


def _need_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InputError("Parquet needs pyarrow: pip install 'planoracle[frames]'", field="pyarrow") from None


_PARSE: dict[str, Callable[[str], Any]] = {"Int64": int, "Float64": float, "boolean": _FLAGS.__getitem__}
