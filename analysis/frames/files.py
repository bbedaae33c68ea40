"""Reader and writer of frames as CSV, with the same values and dtypes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from planoracle.analysis.console import escape_formulas, output_file, unescape_formulas
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
    with _input_errors(path, "written"), output_file(path) as stream:
        checked.to_csv(stream, index=False, lineterminator="\r\n")


def read_csv(path: str | Path, name: str) -> pd.DataFrame:
    """Read what `write_csv` wrote.

    Raises
    ------
    InputError
        If the file cannot be read, or its columns or a value are not as the schema says.
    """
    options: dict[str, Any] = {"keep_default_na": False, "na_values": [""], "index_col": False}
    options["dtype"] = pd.StringDtype("python")
    with _input_errors(path, "read"):
        frame_read = pd.read_csv(path, encoding="utf-8", **options)
    expected = schema(name)
    if list(frame_read.columns) != expected.names:
        columns = [str(column) for column in frame_read.columns]
        raise InputError(f"must be {', '.join(expected.names)}", source=str(path), field="columns", value=columns)
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


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    names = [str(name) for name in frame.columns]
    return [
        {name: None if is_missing(value) else value for name, value in zip(names, row, strict=True)}
        for row in frame.itertuples(index=False, name=None)
    ]


def _wrong(path: str | Path, row: int, message: str, *value: Any) -> InputError:
    return InputError(message, source=str(path), field=f"row {row}", **({"value": value[0]} if value else {}))


@contextmanager
def _input_errors(path: str | Path, done: str) -> Iterator[None]:
    """Raise errors of a file that is read or written as `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be {done}: {error.strerror or error}", source=str(path)) from None
    except (ValueError, TypeError, NotImplementedError) as error:  # of the parsers
        raise InputError(f"cannot be {done}: {error}"[:300], source=str(path)) from None


_PARSE: dict[str, Callable[[str], Any]] = {"Int64": int, "Float64": float, "boolean": _FLAGS.__getitem__}
