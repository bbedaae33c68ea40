"""Tables that take much memory or time are refused within limits, and honest ones read."""

from __future__ import annotations

import bz2
import signal
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2

import pytest
from support.batches import session_processes, within
from support.runner import run_program, values_in_this_process
from support.workbooks import HEAD, SHEET, TASK, sheet, text_cell, with_entry, workbook

from planoracle import load, solve
from planoracle.instances.errors import InputError
from planoracle.instances.files.excel import MAX_EXCEL
from planoracle.instances.files.tables import read_parquet
from planoracle.instances.workers import file_reader, pool
from planoracle.instances.workers.worker import TaskLimits
from tests.support.tables import faults, read

pytestmark = pytest.mark.filterwarnings("ignore::planoracle.instances.errors.InputNote")
LIMITED = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
COMMAND = [sys.executable, "-c", "from planoracle.analysis.cli import main; main()"]
ENTITIES = '<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]>'
ACCEPTED = "accepted are tables of at most 10000 tasks and 500 columns, see .docs/limits.md"


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process: the reader refuses the file before it needs a limit of the worker."""
    monkeypatch.setattr(file_reader, "each_in_worker", values_in_this_process)


@pytest.fixture
def fresh_worker() -> Iterator[None]:
    """End idle workers before and after the test: a worker that lacked memory is retried in a new one."""
    _end_idle_workers()
    yield
    _end_idle_workers()


def _end_idle_workers() -> None:
    while pool._idle:
        pool._idle.pop().process.kill()


def numbered(count: int, cells: str) -> str:
    """Return rows with a task, and more cells."""
    rows = (
        f'<row r="{i}">{text_cell(f"A{i}", f"t{i}")}<c r="B{i}"><v>1</v></c>{cells.format(i)}</row>'
        for i in range(2, count + 2)
    )
    return HEAD + "".join(rows)


def row(number: int) -> str:
    return f'<row r="{number}">{text_cell(f"A{number}", "b")}<c r="B{number}"><v>1</v></c></row>'


# --- Excel ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (workbook(sheet(HEAD + TASK + row(2_000_000_000))), ", line 2000000000: must have at most 1048576 rows"),
        (workbook(sheet(HEAD + row(3) + TASK)), ", line 2: numbers of rows must increase"),
        (
            workbook(sheet(numbered(9, '<c r="XFD{}"><v>1</v></c>'))),
            ", line 2: has 16384 cells, but the header has 2 columns",
        ),
        (
            workbook(sheet(HEAD.replace("</row>", text_cell("XFD1", "x") + "</row>") + TASK)),
            ": must have at most 500 columns (got 16384)",
        ),
        (
            workbook(sheet(HEAD + "<row>" + "<c/>" * 5_000_001 + "</row>")),
            f": {SHEET}: must have at most 5000000 cells",
        ),
        (
            workbook(sheet(HEAD + TASK.replace(">a<", f">{'a' * 32_768}<"))),
            ", line 2: a cell must have at most 32767 characters",
        ),
        (
            workbook(sheet(HEAD + TASK, head=f'<?xml version="1.0"?>{ENTITIES}')),
            f": {SHEET}: has a document type definition",
        ),
        (workbook(sheet(HEAD + TASK), parts=10_000), ": must have at most 10000 sheets and other parts (got 10006)"),
        (
            with_entry(workbook(sheet(HEAD + TASK)), SHEET, size=2**31),
            f": is larger than {MAX_EXCEL} bytes when unpacked",
        ),
        (with_entry(workbook(sheet(HEAD + TASK)), SHEET, size=100), ": is damaged or not an Excel file: Bad CRC-32"),
        (
            with_entry(workbook(bz2.compress(bytes(10**6)), stored=True), SHEET, method=ZIP_BZIP2),
            f": {SHEET}: is compressed by a method that Excel does not use",
        ),
    ],
    ids=["far", "order", "last-column", "wide", "cells", "long", "entities", "parts", "large", "size", "bzip2"],
)
def test_hostile_workbook_is_refused_by_name(data: bytes, message: str, tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    (fault,) = faults(tmp_path, data, "t.xlsx")
    assert fault.startswith(f"t.xlsx{message}")


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize(
    "data",
    [
        workbook(sheet(HEAD + TASK, before='<dimension ref="A1:XFD1048576"/>')),
        workbook(sheet(HEAD + TASK.replace("</row>", '<c r="XFD2"/></row>'))),
        workbook(sheet(HEAD + TASK + '<row r="1048576"/>')),
        workbook(sheet(HEAD + TASK.replace("<row r", "<row spans='1:16384' r"))),
    ],
    ids=["dimension", "last-column", "last-row", "spans"],
)
def test_workbook_with_a_wrong_size_is_read(data: bytes, tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    assert solve(read(tmp_path, data, "t.xlsx")).makespan == 3


@pytest.mark.usefixtures("fresh_worker")
@pytest.mark.parametrize(
    ("limits", "message"),
    [
        pytest.param(TaskLimits(9.0, 120, is_option=False), "needs more than 120 MB of memory", marks=LIMITED),
        (TaskLimits(0.5, None, is_option=False), "takes more than 0.5 s of processor time"),
    ],
)
def test_error_about_a_limit_names_limit_and_accepted_tables(
    limits: TaskLimits, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openpyxl")
    monkeypatch.setattr(file_reader, "READ_LIMITS", limits)
    data = workbook(sheet(HEAD + "<row>" + "<c/>" * 600_000 + "</row>"), strings="<si><t/></si>" * 100_000)
    assert faults(tmp_path, data, "t.xlsx") == [f"t.xlsx: {message} to be read; {ACCEPTED}"]


@pytest.mark.parametrize("text", ["out of memory: line 1", "malloc of size 64 failed", "std::bad_alloc"])
def test_lack_of_memory_in_a_library_is_no_damage(text: str) -> None:
    with pytest.raises(MemoryError):
        file_reader.raise_memory_error(OSError(text))
    file_reader.raise_memory_error(OSError("Couldn't deserialize thrift"))


@pytest.mark.slow
def test_interruption_ends_command_and_reader(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    slow = workbook(sheet(HEAD + TASK), strings="<si><t/></si>" * 2_000_000)
    (tmp_path / "t.xlsx").write_bytes(slow)
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, "compare", "t.xlsx"], cwd=tmp_path, start_new_session=True, **pipes) as process:
        assert within(30, lambda: len(session_processes(process.pid)) > 1)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert within(10, lambda: not session_processes(process.pid))


# --- Parquet and text -----------------------------------------------------------------------------


def parquet_file(columns: dict[str, Any], **options: Any) -> bytes:
    """Return a Parquet file."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    stream = BytesIO()
    parquet.write_table(pyarrow.table(columns), stream, **options)
    return stream.getvalue()


def repeated(value: str, count: int) -> Any:
    """Return a column of one value."""
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * count, pyarrow.int8()), pyarrow.array([value]))


@pytest.mark.slow
@pytest.mark.usefixtures("no_worker")
def test_hostile_parquet_is_refused_by_name(tmp_path: Path) -> None:
    many = parquet_file({"task": repeated("a", 200_000), "duration": repeated("1", 200_000)})
    (fault,) = faults(tmp_path, many, "t.parquet")
    assert fault == (
        "t.parquet: must have at most 20000 rows, which are 20000 or one for each byte of the file (got 200000)"
    )
    long = parquet_file({"task": repeated("a" * 10**7, 20), "duration": repeated("1", 20)}, compression="zstd")
    assert "t.parquet: is larger than 67108864 bytes when decompressed" in faults(tmp_path, long, "t.parquet")[0]
    wide = parquet_file({f"c{i}": [1] for i in range(501)})
    assert faults(tmp_path, wide, "t.parquet") == ["t.parquet: must have at most 500 columns (got 501)"]


def test_parquet_that_unpacks_to_many_times_its_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = parquet_file({"plan": ["a" * 10**6]}, compression="zstd", use_dictionary=False)
    assert len(list(read_parquet(BytesIO(data), "t.parquet"))) == 1
    monkeypatch.setattr("planoracle.instances.files.tables.USUAL_BYTES", 1000)
    with pytest.raises(InputError, match=r"t.parquet: is larger than \d+ bytes when decompressed; accepted are 1000"):
        list(read_parquet(BytesIO(data), "t.parquet"))


def test_text_with_too_many_columns_or_an_endless_row_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert faults(tmp_path, "task,duration" + ",x" * 20_000) == ["t.csv: must have at most 500 columns"]
    columns = "".join(f",x{i}" for i in range(600))
    assert faults(tmp_path, f"task,duration{columns}\na,1\n") == ["t.csv: must have at most 500 columns (got 602)"]
    monkeypatch.setattr("planoracle.instances.files.tables.MAX_BYTES", 1000)
    endless = 'task,duration\na,"' + '\n","' * 1000
    assert faults(tmp_path, endless)[0].startswith("t.csv: a row is longer than 2000 bytes at line ")


# --- honest tables --------------------------------------------------------------------------------


@pytest.mark.slow
def test_hostile_table_does_not_stop_the_other_problems_of_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    for name in "a", "c":
        (tmp_path / f"{name}.xlsx").write_bytes(workbook(sheet(HEAD + TASK)))
    (tmp_path / "b.xlsx").write_bytes(workbook(sheet(HEAD + TASK + row(2_000_000_000))))
    for command in "solve", "compare":
        process = run_program(command, tmp_path)
        assert process.returncode == 1
        assert "b.xlsx, line 2000000000: must have at most 1048576 rows" in process.stderr
        assert "Traceback" not in process.stderr
        assert all(any(line.startswith(name) for line in process.stdout.splitlines()) for name in "ac")


@pytest.mark.slow
def test_table_of_ten_thousand_rows_is_the_same_in_every_format(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    pd = pytest.importorskip("pandas")
    columns = {f"note {i}": [f"text {i * k}" for k in range(10_000)] for i in range(16)}
    tasks = {"task": [f"t{k}" for k in range(10_000)], "duration": [k % 9 + 1 for k in range(10_000)]}
    frame = pd.DataFrame({**tasks, "machine": [f"m{k % 7}" for k in range(10_000)], **columns})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    expected = load(tmp_path / "t.csv")
    assert load(tmp_path / "t.xlsx") == load(tmp_path / "t.parquet") == expected
