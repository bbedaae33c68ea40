"""Cache of optima in one SQLite file that any number of processes may share.

A fault of the file never stops the work: it is reported once, and the cache is not used any more. Entries are not
trusted, see `planoracle.analysis.grading.oracle`.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from functools import cache
from pathlib import Path
from typing import Any

from planoracle.analysis.batch.journal import MAX_TEXT, StorageError, connect
from planoracle.analysis.console import tell
from planoracle.instances.model.cache import FORMAT

#: Environment variable that names the folder of the cache; if it is empty, there is no cache.
VARIABLE = "PLANORACLE_CACHE"

_APPLICATION = 0x706D0000 + FORMAT
# Seconds to wait for another process that writes.
_TIMEOUT = 5.0


class Store:
    """Entries that are JSON objects, by key, in a file of a folder.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder))
    ...     store.put("0123", {"makespan": 10})
    ...     store.get("0123"), store.get("4567")
    ({'makespan': 10}, None)
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "optima.sqlite"
        self._connections: dict[int, sqlite3.Connection] = {}  # by process: a connection must not cross a fork
        self._is_usable = True

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the entry of a key; an entry that is no JSON object is removed."""
        row = self._execute("SELECT text FROM entries WHERE key = ? AND length(text) <= ?", key, MAX_TEXT)
        if row is None:
            return None
        try:
            entry = json.loads(row[0])
        except (TypeError, ValueError, RecursionError):
            entry = None
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
        """Remove an entry that cannot be used, and report the reason."""
        warn(f"{self.path}: an entry {reason}; the problem is solved again")
        self._execute("DELETE FROM entries WHERE key = ?", key)

    def _execute(self, statement: str, *values: object) -> Any:
        if not self._is_usable:
            return None
        try:
            database = self._connections.get(os.getpid()) or self._open()
            return database.execute(statement, values).fetchone()
        except (StorageError, sqlite3.Error, OSError) as error:
            self._is_usable = False
            reason = str(error).removeprefix(f"{self.path}: ")
            warn(f"{self.path}: {reason}; the cache of optima is not used")
            return None

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for place in (self.path.parent, self.path):
            if place.exists() and (reason := _foreign(place.stat())):
                raise StorageError(f"{reason} (chmod 700 its folder, or name another one by {VARIABLE})")
        database = connect(self.path, _APPLICATION, timeout=_TIMEOUT)
        self._connections = {os.getpid(): database}
        return database


def _foreign(status: os.stat_result) -> str:
    """Return why other users may have written to a place, ``""`` if they cannot."""
    if os.name != "posix":
        return ""
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    return "can be written by other users" if stat.S_IMODE(status.st_mode) & 0o022 else ""


def default_store() -> Store | None:
    """Return the cache in the user's cache folder, or where `VARIABLE` says; ``None`` if that is empty."""
    folder = os.environ.get(VARIABLE)
    if folder is None:
        from platformdirs import user_cache_dir

        folder = user_cache_dir("planoracle", appauthor=False)
    return _store(Path(folder)) if folder else None


@cache
def _store(folder: Path) -> Store:
    return Store(folder)


def warn(message: str) -> None:
    """Report on standard error what does not stop the work."""
    tell(message, "warning")
