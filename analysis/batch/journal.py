"""SQLite file of results by key: the journal of a run directory, and the format of the optimum cache."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from planoracle.instances.errors import PlanoracleError
from planoracle.instances.model.cache import FORMAT


class StorageError(PlanoracleError):
    """Error for a run directory or output file that cannot be used, e.g. because of a full disk or a lock."""


class WorkerError(PlanoracleError):
    """Error for a worker process that cannot be started or reached, or has another version."""


#: Longest text of an entry, in characters; a longer one is not stored.
MAX_TEXT = 2**26


def connect(path: Path, application: int, *, timeout: float) -> sqlite3.Connection:
    """Open a file of entries, or create it.

    Parameters
    ----------
    application
        Number by which a file of this kind and format is recognized (SQLite's ``application_id``).
    timeout
        Seconds to wait for other processes that use the file.

    Raises
    ------
    StorageError
        If the path is no regular file, or the file is damaged or of another kind.
    sqlite3.Error
        If the file cannot be used, for example because of a full disk or another process.
    """
    for end in ("", "-journal", "-wal"):  # SQLite opens all three, and waits for ever for a pipe
        place = Path(f"{path}{end}")
        try:
            mode = os.lstat(place).st_mode
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            raise StorageError(f"{place}: is no regular file (links are not followed)")
    database = sqlite3.connect(
        f"file:{quote(str(path))}", uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
    )
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA cell_size_check = ON")
        # In one transaction: another process may be creating the file.
        database.execute("BEGIN")
        (number,) = database.execute("PRAGMA application_id").fetchone()
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        database.execute("COMMIT")
        if number == application:
            return database
        if number or tables:
            raise StorageError(f"{path}: is a file of another program or release; remove it or name another folder")
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("BEGIN IMMEDIATE")
        database.execute("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID")
        database.execute(f"PRAGMA application_id = {application:d}")
        database.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        database.close()
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise StorageError(f"{path}: is damaged, or no file of planoracle ({error}); remove it") from None
    except BaseException:
        database.close()
        raise
    return database


#: Name of the file in the directory.
NAME = "results.sqlite"

_APPLICATION = 0x706C0000 + FORMAT
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
    ...     journal.put([("key", "text")])
    ...     journal.commit()
    ...     journal.get("key"), journal.get("other"), len(journal)
    ('text', None, 1)
    """

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self.path = folder / NAME
        self.is_lost = False  # the file was moved, deleted or emptied while this is open
        self._warn = warn
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None  # of the next commit
        self._fault: StorageError | None = None  # nothing can be stored any more
        self._pending = 0  # results since the last commit
        self._file: os.stat_result | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{folder}: cannot be used as a run directory: {error.strerror}") from None
        was_empty = self.path.is_file() and not self.path.stat().st_size
        try:
            self._database = connect(self.path, _APPLICATION, timeout=0)
            try:
                self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
                self._database.execute("BEGIN EXCLUSIVE")  # the lock stays until the file is closed
                (fault,) = self._database.execute("PRAGMA quick_check(1)").fetchone()
                if fault != "ok":
                    raise StorageError(f"{self.path}: is damaged ({fault}); remove it to start again")
                self._count = int(self._database.execute("SELECT count(*) FROM entries").fetchone()[0])
                self._file = os.stat(self.path)
            except BaseException:
                self._database.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise self._error(error) from None
        if was_empty:
            warn(f"{self.path}: was empty; all its results, if it had any, are computed again")

    def __len__(self) -> int:
        """Return the number of results that were committed."""
        return self._count

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, key: str) -> str | None:
        """Return the result that is stored under a key, ``None`` if there is none."""
        statement = "SELECT text FROM entries WHERE key = ? AND typeof(text) = 'text' AND length(text) <= ?"
        with self._lock:
            try:
                row = self._database.execute(statement, (key, MAX_TEXT)).fetchone()
            except sqlite3.Error as error:
                raise self._error(error) from None
        return None if row is None else str(row[0])

    def drop(self, key: str) -> None:
        """Remove a result that cannot be used."""
        self._warn(f"{self.path}: a result is not what it should be; it is computed again")
        with self._lock:
            try:
                self._database.execute("DELETE FROM entries WHERE key = ?", (key,))
            except sqlite3.Error as error:
                raise self._error(error) from None
            self._pending -= 1

    def put(self, results: Iterable[tuple[str, str]]) -> None:
        """Store results by key; the first of equal keys stays. They are committed within a second.

        Raises
        ------
        StorageError
            If they, or results before them, cannot be written; what was committed is safe.
        """
        with self._lock:
            if self._fault is not None:
                raise self._fault
            try:
                for key, text in results:
                    if len(text) <= MAX_TEXT:
                        written = self._database.execute("INSERT OR IGNORE INTO entries VALUES (?, ?)", (key, text))
                        self._pending += written.rowcount
            except sqlite3.Error as error:
                raise self._error(error) from None
            if self._timer is None:  # the next result may take minutes
                self._timer = threading.Timer(_COMMIT, self._commit_late)
                self._timer.daemon = True
                self._timer.start()

    def _commit_late(self) -> None:
        with self._lock:
            if self._timer is None:  # the journal was closed
                return
            self._timer = None
            with suppress(StorageError):  # which the next call raises
                self.commit()

    def commit(self) -> None:
        """Write everything to the disk.

        Raises
        ------
        StorageError
            If the disk does not take it, or the file was moved, deleted or emptied.
        """
        with self._lock:
            if self._fault is not None:
                raise self._fault
            if not self._is_in_place():
                raise self._error(FileNotFoundError())
            try:
                if self._database.in_transaction:
                    self._database.execute("COMMIT")
                self._file = os.stat(self.path)
                self._database.execute("BEGIN")
            except (sqlite3.Error, OSError) as error:
                raise self._error(error) from None
            self._count, self._pending = self._count + self._pending, 0

    def close(self) -> None:
        """Write everything to the disk and let other processes use the directory."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            try:
                self.commit()
            finally:
                with suppress(sqlite3.Error):  # what was not committed is rolled back, now or by the next process
                    self._database.close()

    def _error(self, error: Exception) -> StorageError:
        """Return an error of the file, after which nothing is stored any more."""
        if "locked" in str(error):
            return StorageError(f"{self.path.parent}: another process is using this run directory")
        if self._file is not None and not self._is_in_place():
            self.is_lost = True
            message = "was moved, deleted or emptied during the run; results are lost"
        else:
            message = f"cannot be read or written: {error.strerror if isinstance(error, OSError) else error}"
        self._fault = StorageError(f"{self.path}: {message}")
        return self._fault

    def _is_in_place(self) -> bool:
        """Return whether the path still leads to the file, with everything that was committed."""
        assert self._file is not None
        try:
            now = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return False
        return os.path.samestat(now, self._file) and now.st_size >= self._file.st_size
