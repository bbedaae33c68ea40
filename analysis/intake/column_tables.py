"""Tables in Parquet, as rows of named values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from planoracle.analysis.intake.byte_streams import MAX_LINE, MAX_UNPACKED
from planoracle.instances.errors import InputError
from planoracle.instances.files.delimited import check_names
from planoracle.instances.files.strict_json import load_json

# Rows of Parquet in memory at a time, and bytes that each row counts beside its values.
_ROWS, _OVERHEAD = 64, 400


def read_parquet(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and the values of every row, a few in memory at a time; needs pyarrow.

    Texts stay in the dictionary of their column until a row needs them: a small file may repeat a large text often.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("Parquet needs pyarrow: pip install 'planoracle[frames]'", source=source) from None
    number = size = 0
    try:
        metadata = parquet.read_metadata(stream)
        leaves = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        stream.seek(0)
        opened = parquet.ParquetFile(stream, metadata=metadata, read_dictionary=texts, pre_buffer=False)
        check_names(opened.schema_arrow.names, source)
        for group in range(metadata.num_row_groups):
            for batch in opened.iter_batches(batch_size=_ROWS, row_groups=[group]):
                for i in range(batch.num_rows):
                    number += 1
                    length, row = _row(batch, i, source)
                    size += length + _OVERHEAD
                    if size > MAX_UNPACKED:
                        raise InputError(f"is larger than {MAX_UNPACKED} bytes when decoded", source=source)
                    yield number, row
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise InputError(f"is damaged, or no Parquet that can be read: {error}"[:500], source=source) from None


def _row(batch: Any, number: int, source: str) -> tuple[int, Any | InputError]:
    """Return the length of a row as JSON, and its values by name or an error."""
    length = 0
    try:
        columns = zip(batch.columns, batch.schema.names, strict=True)
        values = {name: column[number].as_py() for column, name in columns}
        text = json.dumps(values, default=_plain, ensure_ascii=False)
        length = len(text)
        if length > MAX_LINE:
            raise InputError(f"is longer than {MAX_LINE} bytes", source=source)
        return length, load_json(text, source, constants=True)
    except InputError as error:
        return length, error
    except (ValueError, OverflowError) as error:
        return length, InputError(f"has a value that cannot be read: {error}"[:300], source=source)


def _plain(value: object) -> str | None:
    """Return a value of a type that JSON lacks as text; ``None`` for bytes that are no text."""
    try:
        return value.decode() if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError:
        return None
