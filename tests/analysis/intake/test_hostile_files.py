"""Compressed files, logs and tables of submissions that unfold to any size, beside honest ones."""

from __future__ import annotations

import bz2
import gzip
import json
import struct
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from support.runner import run_program
from support.workbooks import with_entry

from planoracle.analysis.intake import byte_streams
from planoracle.analysis.intake.formats import read_entries
from planoracle.analysis.intake.inspect_logs import read_archive
from planoracle.instances.errors import InputError
from planoracle.instances.files import tables

HOUSE = "timearena/household1"
GOOD = f"instance,plan\n{HOUSE},wait\n".encode()
COMMAND = [sys.executable, "-c", "from planoracle.analysis.cli import main; main()"]


def entries_of(data: bytes, end: str = ".csv") -> list[Any]:
    """Return the entries of a file, with errors as texts."""
    rows = read_entries(BytesIO(data), "t", end=end)
    return [str(entry) if isinstance(entry, InputError) else entry for _, entry in rows]


@pytest.fixture
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "USUAL_BYTES", 2**20)
    monkeypatch.setattr(byte_streams, "USUAL_ROWS", 100)


@pytest.mark.usefixtures("_small_limits")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD + f"{HOUSE},".encode() + b"w" * 3_000_000, "is larger than 1048576 bytes when decompressed"),
        (GOOD + b"a,b\n" * 200_000, "has more than 100 lines and is more than 200 times larger when decompressed"),
    ],
    ids=["line", "rows"],
)
def test_compressed_table_that_repeats_itself_is_refused_by_name(content: bytes, message: str) -> None:
    assert any(isinstance(entry, str) and message in entry for entry in entries_of(gzip.compress(content)))


@pytest.mark.usefixtures("_small_limits")
def test_compressed_table_in_many_parts_is_read() -> None:
    honest = b"".join(gzip.compress(b"%s,wait %d\n" % (HOUSE.encode(), number)) for number in range(200))
    empty = gzip.compress(b"") * 1000
    entries = entries_of(gzip.compress(GOOD) + empty + honest)
    assert [entry["plan"] for entry in entries] == ["wait", *(f"wait {number}" for number in range(200))]


def test_table_without_the_end_of_a_row_and_with_many_columns_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    (error,) = entries_of(b"instance,plan" + b",x" * 20_000 + b"\n")
    assert error == "t: must have at most 16384 columns"
    monkeypatch.setattr(tables, "MAX_BYTES", 1000)
    _, error = entries_of(GOOD + b'a,"' + b'\n","' * 1000)
    assert error.startswith("t: a row is longer than 2000 bytes at line ")


def log(**members: bytes) -> bytes:
    """Return a log of inspect_ai with a good sample and others, which are stored as they are."""
    stream = BytesIO()
    sample = {"id": "timearena__household1", "epoch": 1, "output": {"completion": "wait"}, "messages": []}
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {"model": "m"}}))
        archive.writestr("samples/z_epoch_1.json", json.dumps(sample))
        for name, data in members.items():
            archive.writestr(f"samples/{name}_epoch_1.json", data)
    return stream.getvalue()


def test_large_member_of_a_log_is_an_error_of_its_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    large = bz2.compress(bytes(20 * 2**20))
    data = with_entry(log(a=large), "samples/a_epoch_1.json", method=zipfile.ZIP_BZIP2)
    (_, bad), (_, good) = read_archive(BytesIO(data), "t")
    assert "samples/a_epoch_1.json: is larger than 16777216 bytes when decompressed" in str(bad)
    assert good["instance"] == HOUSE

    def lacking(*_: object, **__: object) -> None:
        raise MemoryError

    lzma_member = struct.pack("<BBHBI", 9, 4, 5, 0x5D, 2**32 - 1) + bytes(100)
    data = with_entry(log(a=lzma_member), "samples/a_epoch_1.json", method=zipfile.ZIP_LZMA)
    monkeypatch.setattr(zipfile.lzma, "LZMADecompressor", lacking)  # type: ignore[attr-defined]
    (_, bad), (_, good) = read_archive(BytesIO(data), "t")
    assert "samples/a_epoch_1.json: needs more than 1000 MB of memory when decompressed" in str(bad)
    assert good["instance"] == HOUSE


@pytest.mark.slow
def test_hostile_tables_do_not_stop_the_other_files_of_a_folder(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    zeros = pyarrow.array([0] * 150_000, pyarrow.int8())
    column = pyarrow.DictionaryArray.from_arrays(zeros, pyarrow.array([HOUSE]))
    (tmp_path / "model").mkdir()
    parquet.write_table(pyarrow.table({"instance": column, "plan": column}), tmp_path / "model" / "b.parquet")
    (tmp_path / "model" / "a.csv").write_bytes(GOOD)
    (tmp_path / "model" / "c.csv.gz").write_bytes(gzip.compress(b"instance,plan" + b",x" * 20_000))
    (tmp_path / "model" / "d.eval").write_bytes(log())
    process = run_program("grade", tmp_path, "--format", "jsonl")
    assert process.returncode == 1
    assert "b.parquet" in process.stderr
    assert "must have at most 20000 rows" in process.stderr
    assert "must have at most 16384 columns" in process.stderr
    assert "Traceback" not in process.stderr
    sources = [json.loads(line).get("source") for line in process.stdout.splitlines()]
    assert {"model/a.csv", "model/d.eval"} <= set(sources)
