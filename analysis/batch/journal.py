"""Journal of a run directory: results that outlive the process, in one SQLite file with a single writer."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from types import TracebackType

from planoracle.analysis.batch.database import MAX_TEXT, connect
from planoracle.analysis.batch.errors import StorageError
from planoracle.instances.digest import FORMAT

#: Name of the file in the directory.
NAME = "results.sqlite"

_APPLICATION = 0x706C0000 + FORMAT
# Seconds between two commits: what a crash can cost.
_COMMIT = 1.0


class Journal:
    """Results by key in a directory, which is created if it is missing.

    Parameters
    ----------
    warn
        Called with what a person should know about the file.

    Raises
    ------
    StorageError
        If the directory cannot be written, another process uses it, or the file is damaged or of another release.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Journal(Path(folder), print) as journal:
    ...     journal.put([("key", "text")])
    ...     journal.get("key"), journal.get("other"), len(journal)
    ('text', None, 1)
    """

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self.path = folder / NAME
        self.is_lost = False  # the file was moved, deleted or emptied while this is open
        self._warn = warn
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
        self._committed = monotonic()

    def __len__(self) -> int:
        return self._count

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, key: str) -> str | None:
        """Return the result that is stored under a key, ``None`` if there is none."""
        try:
            row = self._database.execute(
                "SELECT text FROM entries WHERE key = ? AND typeof(text) = 'text' AND length(text) <= ?",
                (key, MAX_TEXT),
            ).fetchone()
        except sqlite3.Error as error:
            raise self._error(error) from None
        return None if row is None else str(row[0])

    def drop(self, key: str) -> None:
        """Remove a result that cannot be used."""
        self._warn(f"{self.path}: a result is not what it should be; it is computed again")
        try:
            self._database.execute("DELETE FROM entries WHERE key = ?", (key,))
        except sqlite3.Error as error:
            raise self._error(error) from None
        self._count -= 1

    def put(self, results: Iterable[tuple[str, str]]) -> None:
        """Store results by key; the first of equal keys stays. They are committed every second.

        Raises
        ------
        StorageError
            If they cannot be written; what was committed before is safe.
        """
        try:
            for key, text in results:
                if len(text) <= MAX_TEXT:
                    written = self._database.execute("INSERT OR IGNORE INTO entries VALUES (?, ?)", (key, text))
                    self._count += written.rowcount
        except sqlite3.Error as error:
            raise self._error(error) from None
        if not 0 <= monotonic() - self._committed <= _COMMIT:
            self.commit()

    def commit(self) -> None:
        """Write everything to the disk.

        Raises
        ------
        StorageError
            If the disk does not take it, or the file was moved, deleted or emptied.
        """
        try:
            now = os.stat(self.path, follow_symlinks=False)
            self.is_lost = not os.path.samestat(now, self._file) or now.st_size < self._file.st_size
        except OSError:
            self.is_lost = True
        if self.is_lost:
            raise StorageError(f"{self.path}: was moved, deleted or emptied during the run; results are lost")
        try:
            if self._database.in_transaction:
                self._database.execute("COMMIT")
            self._file = os.stat(self.path)
            self._database.execute("BEGIN")
        except (sqlite3.Error, OSError) as error:
            raise self._error(error) from None
        self._committed = monotonic()

    def close(self) -> None:
        """Write everything to the disk and let other processes use the directory."""
        try:
            if not self.is_lost:
                self.commit()
        finally:
            with suppress(sqlite3.Error):  # what was not committed is rolled back, now or by the next process
                self._database.close()

    def _error(self, error: Exception) -> StorageError:
        if "locked" in str(error):
            return StorageError(f"{self.path.parent}: another process is using this run directory")
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return StorageError(f"{self.path}: cannot be read or written: {reason}")
