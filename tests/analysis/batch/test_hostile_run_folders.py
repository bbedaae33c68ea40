"""Run directories from elsewhere: refused by name, without a change outside and without a hang."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest
from support.samples import sample

from planoracle.analysis.batch.entry_files import FORMER_RESULTS, RESULTS, FileFormat
from planoracle.analysis.batch.journal import NAME, Journal
from planoracle.analysis.cli.commands import run_app
from planoracle.instances.errors import StorageError

PROBLEM = "timearena/household1"
#: First bytes of a rollback journal, and last ones of a journal that names a super-journal.
MAGIC = bytes.fromhex("d9d505f920a163d7")
PAGE = 4096


def filled(path: Path) -> Path:
    with Journal(path.parent, pytest.fail) as journal:
        for number in range(200):
            journal.put(f"key{number}", json.dumps({"number": number, "text": "x" * 100}))
    return path


def execute(path: Path, *statements: str) -> None:
    database = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        database.execute(statement)
    database.close()


def other_schema(*statements: str) -> Callable[[Path, Path], None]:
    """Return a function that makes a file with our number in its header and other contents."""
    return lambda path, outside: execute(path, f"PRAGMA application_id = {RESULTS.application}", *statements)


def added(*statements: str) -> Callable[[Path, Path], None]:
    """Return a function that adds something to a file of ours."""
    return lambda path, outside: execute(filled(path), *statements)


def super_journal(path: Path, outside: Path, first: bytes = MAGIC) -> None:
    """Write a rollback journal after which SQLite deletes a file outside of the folder."""
    pages = filled(path).stat().st_size // PAGE
    header = struct.pack(">8sIIIII", first, 0, 1, pages, 512, PAGE).ljust(512, b"\x00")
    name = os.fsencode(outside / "precious")
    page = struct.pack(">I", 2**30 // PAGE + 1)  # the page that a database never uses
    end = struct.pack(">II", len(name), sum(name)) + MAGIC
    path.with_name(f"{NAME}-journal").write_bytes(header + page + name + end)


def growing_journal(path: Path, outside: Path) -> None:
    """Write a rollback journal that extends the database to 16 TB."""
    header = struct.pack(">8sIIIII", MAGIC, 0, 1, 2**32 - 2, 512, PAGE).ljust(512, b"\x00")
    filled(path).with_name(f"{NAME}-journal").write_bytes(header)


def endless_schema(path: Path, outside: Path) -> None:
    """Write a schema whose pages lead 400 ways to the next one, 15 times; only its index is repeated."""
    other_schema("CREATE TABLE t (a UNIQUE)")(path, outside)
    pages = [path.read_bytes()[at : at + PAGE] for at in range(0, path.stat().st_size, PAGE)]
    first, count, depth = pages[0], len(pages), 15
    content, *cells = struct.unpack(">H", first[105:107]) + struct.unpack(">HH", first[108:112])
    leaves = [
        (struct.pack(">BHHHBH", 13, 0, 1, content, 0, cell).ljust(content, b"\x00") + first[content:]) for cell in cells
    ]

    def inner(children: list[int], start: int = 0) -> bytes:
        page = bytearray(first[:start].ljust(PAGE, b"\x00"))
        place = PAGE - 5 * len(children)
        struct.pack_into(">BHHHBI", page, start, 5, 0, len(children), place, 0, children[-1])
        for number, child in enumerate(children):
            struct.pack_into(">IB", page, place + 5 * number, child, 1)
            struct.pack_into(">H", page, start + 12 + 2 * number, place + 5 * number)
        return bytes(page)

    pages[0] = inner([count + 1, *[count + 3] * 300], 100)
    chain = [inner([count + 3 + number] * 400) for number in range(1, depth)]
    data = bytearray(b"".join([*pages, *leaves, *chain, inner([count + 2] * 400)]))
    struct.pack_into(">I", data, 28, len(data) // PAGE)
    path.write_bytes(data)


def write_ahead_log(path: Path, outside: Path) -> None:
    execute(filled(path), "PRAGMA journal_mode = WAL")


def with_file(end: str, make: Callable[[Path, Path], object]) -> Callable[[Path, Path], None]:
    """Return a function that makes one more file beside a file of ours."""

    def create(path: Path, outside: Path) -> None:
        make(filled(path).with_name(f"{NAME}{end}"), outside / "precious")

    return create


def some_file(path: Path, precious: Path) -> None:
    path.write_bytes(b"x")


def link_of_submissions(path: Path, outside: Path) -> None:
    path.with_name("submissions.jsonl").symlink_to(outside / "precious")


def hard_link_of_submissions(path: Path, outside: Path) -> None:
    path.with_name("submissions.jsonl").hardlink_to(outside / "precious")


def link_of_logs(path: Path, outside: Path) -> None:
    path.with_name("logs").symlink_to(outside)


def link_among_logs(path: Path, outside: Path) -> None:
    logs = path.with_name("logs")
    logs.mkdir()
    (logs / "log.eval").symlink_to(outside / "precious")


def of_another_folder(path: Path, outside: Path) -> None:
    path.hardlink_to(filled(outside / NAME))


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
SCHEMA = "has other tables, views or triggers than planoracle writes"
HOSTILE: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "super-journal": (super_journal, "names another file, which SQLite would delete"),
    "inactive super-journal": (partial(super_journal, first=bytes(8)), "names another file, which SQLite would delete"),
    "journal of a larger file": (growing_journal, "belongs to another file"),
    "endless view": (
        other_schema(f"CREATE VIEW entries AS {ENDLESS} x AS key, 'x' AS text, 'x' AS checksum FROM n"),
        SCHEMA,
    ),
    "endless trigger": (
        added(f"CREATE TRIGGER t BEFORE INSERT ON entries BEGIN SELECT count(*) FROM ({ENDLESS} x FROM n); END"),
        SCHEMA,
    ),
    "trigger that swallows": (
        added("CREATE TRIGGER t BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END"),
        SCHEMA,
    ),
    "failing check": (other_schema(RESULTS.schema.replace("NOT NULL,", "NOT NULL CHECK (0),", 1)), SCHEMA),
    "expression index": (added("CREATE UNIQUE INDEX i ON entries (lower(key))"), SCHEMA),
    "another type": (other_schema(RESULTS.schema.replace("text TEXT", "text REAL")), SCHEMA),
    "one more table": (added("CREATE TABLE more (x)"), SCHEMA),
    "empty schema": (other_schema(), SCHEMA),
    "endless schema": (endless_schema, "has a schema without end"),
    "write-ahead log": (write_ahead_log, "has a write-ahead log"),
    "write-ahead log beside it": (with_file("-wal", some_file), "write-ahead log"),
    "link for shared memory": (with_file("-shm", Path.symlink_to), "is not a regular file"),
    "link for a journal": (with_file("-journal", Path.symlink_to), "is not a regular file"),
    "hard link for a journal": (with_file("-journal", Path.hardlink_to), "hard link"),
    "hard link of another folder": (of_another_folder, "hard link"),
    "link for submissions": (link_of_submissions, "submissions.jsonl: is not a regular file"),
    "hard link for submissions": (hard_link_of_submissions, "submissions.jsonl: is the same file"),
    "link for logs": (link_of_logs, "logs: is not a folder"),
    "link among logs": (link_among_logs, "is not a regular file"),
}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("case", sample(HOSTILE, 4))
def test_hostile_run_folder_is_refused_and_changes_nothing_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    run, outside = tmp_path / "run", tmp_path / "outside"
    run.mkdir()
    outside.mkdir()
    (outside / "precious").write_text("precious")
    make, reason = HOSTILE[case]
    make(run / NAME, outside)
    before = contents(outside)
    monkeypatch.setattr(sys, "argv", ["planoracle", "run", PROBLEM, "-a", "greedy", "--run", str(run)])
    assert run_app() == 1
    message = capsys.readouterr().err
    assert contents(outside) == before
    assert message.startswith(f"error: {run}/")
    assert reason in message
    assert message.count("\n") == 1


@pytest.mark.parametrize("case", ["super-journal", "trigger that swallows", "failing check"])
def test_grade_refuses_a_hostile_run_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    (tmp_path / "s.jsonl").write_text(json.dumps({"id": "a", "instance": PROBLEM, "plan": ["wait"]}))
    (tmp_path / "precious").touch()
    make, reason = HOSTILE[case]
    (tmp_path / "run").mkdir()
    make(tmp_path / "run" / NAME, tmp_path)
    monkeypatch.setattr(sys, "argv", ["planoracle", "grade", str(tmp_path / "s.jsonl"), "--run", str(tmp_path / "run")])
    assert run_app() == 1
    assert reason in capsys.readouterr().err
    assert (tmp_path / "precious").exists()


# --- damage ---------------------------------------------------------------------------------------


def read(folder: Path, warnings: list[str]) -> dict[str, str | None] | None:
    """Return the results of a journal by key, ``None`` if it is refused."""
    try:
        with Journal(folder, warnings.append) as journal:
            return {f"key{number}": journal.get(f"key{number}") for number in range(200)}
    except StorageError:
        return None


@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes_change_no_result(tmp_path: Path, seed: int) -> None:
    """Each of 40 damaged files is refused, or lacks some of its results."""
    path, random = filled(tmp_path / NAME), Random(seed)
    sound, expected = path.read_bytes(), read(tmp_path, [])
    assert expected is not None
    for _ in range(40):
        data, warnings = bytearray(sound), []
        for place in random.sample(range(100, len(data)), random.choice([1, 4, 30])):
            data[place] = random.randrange(256)
        path.write_bytes(data)
        results = read(tmp_path, warnings)
        path.with_name(f"{NAME}-journal").unlink(missing_ok=True)
        if results is not None:
            assert {key for key in expected if results[key] not in (expected[key], None)} == set()


@pytest.mark.parametrize("change", ["text = 'other'", "text = CAST(x'ff' AS TEXT)", "text = x'00'", "checksum = 'x'"])
def test_result_without_its_checksum_is_dropped_with_a_warning(tmp_path: Path, change: str) -> None:
    path = filled(tmp_path / NAME)
    execute(path, f"UPDATE entries SET {change} WHERE key = 'key7'")
    warnings: list[str] = []
    with Journal(tmp_path, warnings.append) as journal:
        assert [journal.get("key7"), journal.get("key7")] == [None, None]
        assert journal.get("key8") is not None
        journal.put("key7", "{}")
        assert journal.get("key7") == "{}"
    assert warnings == [f"{path}: a stored result is invalid; it is computed again"]


# --- folders of release 0.11 ----------------------------------------------------------------------


def former(path: Path, form: FileFormat = FORMER_RESULTS) -> Path:
    values = "INSERT INTO entries VALUES ('a', '{\"n\": 1}'), ('b', x'00'), ('c', 'text')"
    execute(path, form.schema, f"PRAGMA application_id = {form.application}", values)
    return path


def test_results_of_release_0_11_are_read_and_get_checksums(tmp_path: Path) -> None:
    former(tmp_path / NAME)
    for _ in range(2):
        with Journal(tmp_path, pytest.fail) as journal:
            assert [journal.get(key) for key in "ab"] == ['{"n": 1}', None]
            assert len(journal) == 2


def test_changed_table_of_release_0_11_is_refused(tmp_path: Path) -> None:
    execute(former(tmp_path / NAME), "CREATE TRIGGER t BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END")
    with pytest.raises(StorageError, match=SCHEMA):
        Journal(tmp_path, pytest.fail)
