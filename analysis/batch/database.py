"""SQLite files of key and text, for the journals of run directories and the cache of optima.

They use a rollback journal: write-ahead logs fail on network file systems.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from urllib.parse import quote

from planoracle.analysis.batch.errors import StorageError

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
