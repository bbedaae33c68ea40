"""SQLite files of results by key: the journal of a run directory, and the cache of optima."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from planoracle.analysis.batch.entry_files import FORMER_RESULTS, MAX_TEXT, OPTIMA, RESULTS, checksum, connect
from planoracle.analysis.console import collect
from planoracle.instances.errors import StorageError

#: Name of the file in the directory.
NAME = "results.sqlite"

# Seconds from a result to its commit: what a crash can cost.
_COMMIT = 1.0


class Journal:
    """Results by key in a directory, which is created if it is missing.

    Parameters
    ----------
    warn
        Called with each message about the file for the user.

    Raises
    ------
    StorageError
        If the directory cannot be written, another process uses it, or the file is damaged or of another release.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Journal(Path(folder), print) as journal:
    ...     journal.put("key", "text")
    ...     journal.commit()
    ...     journal.get("key"), journal.get("other"), len(journal)
    ('text', None, 1)
    """

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self.path = folder / NAME
        self._warn = warn
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None  # of the next commit
        self._fault: StorageError | None = None  # nothing can be stored any more
        self._pending = 0  # results since the last commit
        self._file: os.stat_result | None = None  # at the last commit
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{folder}: cannot be used as a run directory: {error.strerror}") from None
        was_empty = self.path.is_file() and not self.path.stat().st_size
        with self._translate_errors():
            self._database = connect(self.path, RESULTS, timeout=0, former=FORMER_RESULTS, is_exclusive=True)
            self._database.execute("BEGIN")
            self._count = int(self._database.execute("SELECT count(*) FROM entries").fetchone()[0])
            self._file = os.stat(self.path)
        if was_empty:
            warn(f"{self.path}: was empty; results stored earlier, if any, are computed again")

    def __len__(self) -> int:
        """Return the number of results that were committed."""
        return self._count

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_lost(self) -> bool:
        """True if the path no longer leads to the file with everything that was committed."""
        if self._file is None:
            return False
        try:
            now = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return True
        return not os.path.samestat(now, self._file) or now.st_size < self._file.st_size

    def get(self, key: str) -> str | None:
        """Return the result that is stored under a key, ``None`` if there is none; a damaged one is removed."""
        statement = "SELECT CAST(text AS BLOB), checksum FROM entries WHERE key = ? AND length(text) <= ?"
        with self._translate_errors():
            row = self._database.execute(statement, (key, MAX_TEXT)).fetchone()
        if row is None:
            return None
        text, expected = row
        if checksum(key.encode(), text) == expected:
            return str(text, "utf-8")
        self.drop(key)
        return None

    def drop(self, key: str) -> None:
        """Remove a result that cannot be used."""
        self._warn(f"{self.path}: a stored result is invalid; it is computed again")
        with self._translate_errors():
            self._database.execute("DELETE FROM entries WHERE key = ?", (key,))
            self._pending -= 1

    def put(self, key: str, text: str) -> None:
        """Store a result, unless its key has one. It is committed within a second.

        Raises
        ------
        StorageError
            If it, or a result before it, cannot be written; what was committed is safe.
        """
        with self._translate_errors():
            if len(text) <= MAX_TEXT:
                entry = key, text, checksum(key.encode(), text.encode())
                written = self._database.execute("INSERT OR IGNORE INTO entries VALUES (?, ?, ?)", entry)
                self._pending += written.rowcount
            if self._timer is None:  # the next result may take minutes
                self._timer = threading.Timer(_COMMIT, self._commit_late)
                self._timer.daemon = True
                self._timer.start()

    def _commit_late(self) -> None:
        with self._lock, suppress(StorageError):  # which the next call raises
            self._timer = None
            self.commit()

    def commit(self) -> None:
        """Write everything to the disk.

        Raises
        ------
        StorageError
            If the disk does not take it, or the file was moved, deleted or emptied.
        """
        with self._translate_errors():
            if self.is_lost:
                raise FileNotFoundError
            if self._database.in_transaction:
                self._database.execute("COMMIT")
            self._file = os.stat(self.path)
            self._database.execute("BEGIN")
            self._count, self._pending = self._count + self._pending, 0

    def close(self) -> None:
        """Write everything to the disk and let other processes use the directory."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            try:
                self.commit()
            finally:
                with suppress(sqlite3.Error):  # what was not committed is rolled back, now or by the next process
                    self._database.close()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Exclude other threads; raise a `StorageError` for a fault of the file, now and in later calls."""
        with self._lock:
            if self._fault is not None:
                raise self._fault
            try:
                yield
            except (sqlite3.Error, OSError) as error:
                if "locked" in str(error):
                    raise StorageError(f"{self.path.parent}: another process is using this run directory") from None
                reason = f"cannot be read or written: {error.strerror if isinstance(error, OSError) else error}"
                lost = "was moved, deleted or emptied during the run; results are lost"
                self._fault = StorageError(f"{self.path}: {lost if self.is_lost else reason}")
                raise self._fault from None


#: Environment variable that names the folder of the cache; if it is empty, there is no cache.
VARIABLE = "PLANORACLE_CACHE"

# Seconds to wait for another process that writes.
_TIMEOUT = 5.0


class OptimumCache:
    """JSON objects by key in a file that any number of processes may share.

    A fault of the file never stops the work: it is reported once, and the file is not used any more. Entries are not
    trusted, see `planoracle.analysis.grading.oracle`; of entries that cannot be used, the first is reported.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = OptimumCache(Path(folder))
    ...     cache.put("0123", {"makespan": 10})
    ...     cache.get("0123"), cache.get("4567")
    ({'makespan': 10}, None)
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "optima.sqlite"
        self._connections: dict[int, sqlite3.Connection] = {}  # by process: a connection must not cross a fork
        self._is_usable = True
        self._has_reported = False

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the entry of a key; an entry that is no JSON object is removed."""
        row = self._execute("SELECT text FROM entries WHERE key = ? AND length(text) <= ?", key, MAX_TEXT)
        if row is None:
            return None
        with suppress(TypeError, ValueError, RecursionError):
            entry = json.loads(row[0])
            if isinstance(entry, dict):
                return entry
        self.drop(key, "is damaged")
        return None

    def put(self, key: str, entry: dict[str, Any]) -> None:
        """Store an entry in place of any other."""
        text = json.dumps(entry, separators=(",", ":"))
        if len(text) <= MAX_TEXT:
            self._execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", key, text)

    def drop(self, key: str, reason: str) -> None:
        """Remove an entry that cannot be used; report the reason of the first, unless another process did."""
        self._execute("DELETE FROM entries WHERE key = ?", key)
        removed = self._execute("SELECT changes()")
        if removed == (1,) and not self._has_reported:
            self._has_reported = True
            collect("", f"{self.path}: an entry {reason}; the problem is solved again", kind="warning")

    def _execute(self, statement: str, *values: object) -> Any:
        if not self._is_usable:
            return None
        try:
            if os.getpid() not in self._connections:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if not all(map(_is_private, (self.path.parent, self.path))):
                    advice = f"run chmod 700 on its folder, or set another folder in {VARIABLE}"
                    raise StorageError(f"belongs to another user, or can be written by other users ({advice})")
                self._connections = {os.getpid(): connect(self.path, OPTIMA, timeout=_TIMEOUT)}
            return self._connections[os.getpid()].execute(statement, values).fetchone()
        except (StorageError, sqlite3.Error, OSError) as error:
            self._is_usable = False
            reason = str(error).removeprefix(f"{self.path}: ")
            collect("", f"{self.path}: {reason}; the cache of optima is not used", kind="warning")
            return None


def _is_private(place: Path) -> bool:
    """Return whether only this user can write to a place, or there is none."""
    if os.name != "posix" or not place.exists():
        return True
    status = place.stat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def default_cache() -> OptimumCache | None:
    """Return the cache in the user's cache folder, or where `VARIABLE` says; ``None`` if that is empty."""
    folder = os.environ.get(VARIABLE)
    if folder is None:
        from platformdirs import user_cache_dir

        folder = user_cache_dir("planoracle", appauthor=False)
    return _cache_in(Path(folder)) if folder else None


@cache
def _cache_in(folder: Path) -> OptimumCache:
    return OptimumCache(folder)
