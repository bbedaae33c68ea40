"""Journal of a run directory: results survive faults of the process, the file and the disk."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planoracle.analysis.batch import journal as module
from planoracle.analysis.batch import submission_tasks
from planoracle.analysis.batch import tasks as work
from planoracle.analysis.batch.entry_files import RESULTS
from planoracle.analysis.batch.journal import NAME, Journal
from planoracle.instances.errors import StorageError
from planoracle.instances.model.cache import digest

ROWS = {digest(number): f'{{"n": {number}, "text": "é\\n"}}' for number in range(50)}


def put(journal: Journal, rows: dict[str, str]) -> None:
    for key, text in rows.items():
        journal.put(key, text)


def filled(folder: Path, rows: dict[str, str] = ROWS) -> Path:
    with Journal(folder, pytest.fail) as journal:
        put(journal, rows)
    return folder / NAME


def stored(path: Path) -> dict[str, str]:
    """Return the entries of a file that another process could read."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        return dict(database.execute("SELECT key, text FROM entries"))


# --- content --------------------------------------------------------------------------------------


def test_stored_results_are_read_by_the_next_run(tmp_path: Path) -> None:
    with Journal(tmp_path / "deep" / "run", pytest.fail) as journal:
        put(journal, ROWS)
        assert len(journal) == 0  # committed results
    assert stored(journal.path) == ROWS
    with Journal(journal.path.parent, pytest.fail) as journal:
        assert len(journal) == len(ROWS)
        assert {key: journal.get(key) for key in ROWS} == ROWS
        assert journal.get(digest("other")) is None


def test_the_first_result_of_a_key_stays_until_it_is_dropped(tmp_path: Path) -> None:
    warnings: list[str] = []
    with Journal(tmp_path, warnings.append) as journal:
        put(journal, {"a": "1"})
        put(journal, {"a": "3", "b": "4"})
        assert journal.get("a") == "1"
        journal.drop("a")
        assert journal.get("a") is None
        journal.put("a", "5")
    assert stored(tmp_path / NAME) == {"a": "5", "b": "4"}
    assert warnings == [f"{tmp_path / NAME}: a stored result is invalid; it is computed again"]


def test_texts_that_are_too_long_are_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path, {"a": "x" * 1000})
    monkeypatch.setattr(module, "MAX_TEXT", 100)
    with Journal(tmp_path, pytest.fail) as journal:
        put(journal, {"b": "x" * 101, "c": "x"})
        assert [journal.get(key) for key in "abc"] == [None, None, "x"]
    assert stored(path).keys() == {"a", "c"}


WRITER = """
import os, signal, sys, time
from pathlib import Path
from planoracle.analysis.batch.journal import Journal
journal = Journal(Path(sys.argv[1]), print)
journal.put("a", "1")
time.sleep(float(sys.argv[2]))  # a long task
journal.put("b", "2")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_results_are_committed_within_a_second_while_a_task_runs(tmp_path: Path) -> None:
    """A killed process loses only results of its last second, and the file can be used at once."""
    done = subprocess.run([sys.executable, "-c", WRITER, tmp_path, "2"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGKILL, b"", b"")
    with Journal(tmp_path, pytest.fail) as journal:
        assert (journal.get("a"), journal.get("b"), len(journal)) == ("1", None, 1)


# --- files that are refused -----------------------------------------------------------------------


def test_second_process_is_refused_until_the_first_closes_the_journal(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from planoracle.analysis.batch.journal import Journal\n"
    other = [sys.executable, "-c", f"{code}Journal(Path(sys.argv[1]), print)", tmp_path]
    with Journal(tmp_path, pytest.fail) as journal:
        with pytest.raises(StorageError, match="another process is using this run directory"):
            Journal(tmp_path, pytest.fail)
        done = subprocess.run(other, capture_output=True, text=True, check=False)
        assert "another process is using this run directory" in done.stderr
        journal.put("a", "1")
    assert subprocess.run(other, capture_output=True, check=True).stderr == b""
    assert stored(tmp_path / NAME) == {"a": "1"}


def other_database(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE entries (key, text)")


def other_release(path: Path) -> None:
    filled(path.parent)
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA application_id = {RESULTS.application + 1}")


def damaged(path: Path) -> None:
    data = bytearray(filled(path.parent).read_bytes())
    data[4096:4200] = os.urandom(104)  # the header of the page that holds the table
    path.write_bytes(data)


def cut_off(path: Path) -> None:
    path.write_bytes(filled(path.parent).read_bytes()[:5000])


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "text": (lambda path: path.write_text("hello " * 1000), "is damaged, or not a file of planoracle"),
    "database of another program": (other_database, "was written by another program or release"),
    "journal of another release": (other_release, "was written by another program or release"),
    "damaged": (damaged, "is damaged"),
    "cut off": (cut_off, "is damaged"),
    "pipe": (os.mkfifo, "is not a regular file"),
    "pipe for a rollback journal": (lambda path: os.mkfifo(f"{filled(path.parent)}-journal"), "is not a regular file"),
    "link": (lambda path: path.symlink_to(filled(path.parent / "other")), "is not a regular file"),
    "link that leads nowhere": (lambda path: path.symlink_to("nothing"), "is not a regular file"),
    "folder": (os.mkdir, "is not a regular file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_file_that_is_not_a_journal_is_refused_and_not_changed(tmp_path: Path, case: str) -> None:
    path = tmp_path / NAME
    make, message = REFUSED[case]
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StorageError, match=message):
        Journal(tmp_path, pytest.fail)
    assert before is None or path.read_bytes() == before
    assert not (tmp_path / "nothing").exists()


def test_unusable_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(StorageError, match="cannot be used as a run directory"):
            Journal(folder, pytest.fail)


# --- files that change ----------------------------------------------------------------------------


def test_journal_emptied_between_runs_is_reported(tmp_path: Path) -> None:
    filled(tmp_path).write_bytes(b"")
    warnings: list[str] = []
    with Journal(tmp_path, warnings.append) as journal:
        assert len(journal) == 0
        put(journal, ROWS)
    assert warnings == [f"{tmp_path / NAME}: was empty; results stored earlier, if any, are computed again"]
    assert stored(tmp_path / NAME) == ROWS


def replaced(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))
    filled(path.parent)


CHANGES: dict[str, Callable[[Path], object]] = {
    "folder moved": lambda path: path.parent.rename(path.parent.with_name("elsewhere")),
    "folder deleted": lambda path: shutil.rmtree(path.parent),
    "folder replaced": replaced,
    "file moved": lambda path: path.rename(path.with_name("elsewhere")),
    "file emptied": lambda path: os.truncate(path, 0),
}


@pytest.mark.parametrize("change", CHANGES)
def test_journal_removed_during_a_run_is_an_error(tmp_path: Path, change: str) -> None:
    journal = Journal(tmp_path / "run", pytest.fail)
    put(journal, ROWS)
    journal.commit()
    CHANGES[change](journal.path)
    for call in (journal.commit, lambda: journal.put("a", "1"), journal.close):
        with pytest.raises(StorageError, match=r"results\.sqlite: was moved, deleted or emptied during the run"):
            call()
    assert journal.is_lost


def test_full_disk_loses_no_committed_result(tmp_path: Path) -> None:
    """A limit on the size of files simulates a full disk."""
    path = filled(tmp_path, {"a": "1"})

    def fill() -> None:
        for number in range(300):
            journal.put(str(number), "x" * 1000)
            journal.commit()

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    journal = Journal(tmp_path, pytest.fail)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, limits[1]))
    try:
        with pytest.raises(StorageError, match=r"results\.sqlite: cannot be read or written: "):
            fill()
        count = len(journal)
        with pytest.raises(StorageError, match="cannot be read or written"):  # again: not everything is stored
            journal.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert 1 < len(stored(path)) == count < 300
    with Journal(tmp_path, pytest.fail) as journal:
        put(journal, ROWS)
    assert len(stored(path)) == count + len(ROWS)


def test_two_versions_share_a_run_directory_but_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = set()
    for version in "12":
        monkeypatch.setattr(work, "versions", lambda version=version: {"planoracle": version})
        settings.add(submission_tasks.Grading().settings)
    assert len(settings) == 2
