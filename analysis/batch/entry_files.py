"""SQLite files of texts by key, opened so that a file from elsewhere has no effect outside its folder.

SQLite follows what it reads: a rollback journal may name a file to delete, and a schema may hold triggers and views.
So links and journals are checked before SQLite opens the file, and the schema before any other statement.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from itertools import count
from pathlib import Path
from struct import Struct
from typing import NamedTuple
from urllib.parse import quote

from planoracle.instances.errors import StorageError
from planoracle.instances.model.cache import FORMAT

#: Longest text of an entry, in characters; a longer one is not stored.
MAX_TEXT = 2**26


class FileFormat(NamedTuple):
    """Format of a file of entries.

    Attributes
    ----------
    application
        Number in the header of the file (SQLite's ``application_id``).
    schema
        The statement that created the only table.
    """

    application: int
    schema: str


_UNCHECKED = "CREATE TABLE entries (key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID"
_CHECKED = "CREATE TABLE entries (key TEXT PRIMARY KEY, text TEXT NOT NULL, checksum BLOB NOT NULL) WITHOUT ROWID"
#: Results of a run directory, with a checksum each; those of release 0.11 have none.
RESULTS = FileFormat(0x706E0000 + FORMAT, _CHECKED)
FORMER_RESULTS = FileFormat(0x706C0000 + FORMAT, _UNCHECKED)
#: The cache of optima, in which plans and certificates are checked instead.
OPTIMA = FileFormat(0x706D0000 + FORMAT, _UNCHECKED)

# Header of a rollback journal: magic, records, nonce, pages of the database before, sector size, page size.
_JOURNAL_HEADER = Struct(">8sIIIII")
# The magic is also the end of the journal of a transaction over several files, after the name of its super-journal.
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
# Longest statement of a schema, and thousands of steps to read it: both are far above those of one table.
_LONGEST_SCHEMA, _SCHEMA_STEPS = 10_000, 100
_ADVICE = "remove it or use another folder"


def checksum(key: bytes, text: bytes) -> bytes:
    """Return the checksum of an entry."""
    return blake2b(key + b"\x00" + text, digest_size=16).digest()


def refuse_links(*paths: Path) -> None:
    """Raise `StorageError` if a path exists and is no regular file, or has several names (hard links)."""
    for path in paths:
        try:
            status = path.lstat()
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode):
            raise StorageError(f"{path}: is not a regular file (symbolic links are not followed)")
        if status.st_nlink > 1:
            raise StorageError(f"{path}: is the same file as another one (a hard link); replace it by a copy")


def refuse_links_below(folder: Path) -> None:
    """Raise `StorageError` if a folder is or contains a link, or anything but folders and files."""
    if folder.is_symlink():
        raise StorageError(f"{folder}: is not a folder (symbolic links are not followed)")
    for parent, folders, names in os.walk(folder):
        linked = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        refuse_links(*(Path(parent, name) for name in (*linked, *names)))


def connect(
    path: Path,
    form: FileFormat,
    *,
    timeout: float,
    former: FileFormat | None = None,
    is_exclusive: bool = False,
) -> sqlite3.Connection:
    """Open a file of entries, or create it.

    Parameters
    ----------
    timeout
        Seconds to wait for other processes that use the file.
    former
        Format of an earlier release, to which the file is converted; needs ``is_exclusive``.
    is_exclusive
        Check the whole file, and lock it until it is closed.

    Raises
    ------
    StorageError
        If the path is not a regular file, or the file is damaged, of another kind, or has more than our table.
    sqlite3.Error
        If the file cannot be used, for example because of a full disk or another process.
    """
    accepted = [form] if former is None else [form, former]
    _check_files(path)
    database = sqlite3.connect(
        f"file:{quote(str(path))}", uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
    )
    try:
        # Damaged text is no error of SQLite, whose message would quote it: those who read an entry check it.
        database.text_factory = partial(str, encoding="utf-8", errors="replace")
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA cell_size_check = ON")
        if is_exclusive:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")  # the lock stays until the file is closed
        database.execute("BEGIN EXCLUSIVE" if is_exclusive else "BEGIN")
        actual_format = _format_of(database, path, accepted)
        if actual_format is None and not is_exclusive:
            database.execute("COMMIT")
            database.execute("BEGIN IMMEDIATE")  # another process may have created the table
            actual_format = _format_of(database, path, accepted)
        if actual_format is None:
            _create_table(database, form)
        if is_exclusive:
            _check_pages(database)
        if actual_format not in (None, form):
            _add_checksums(database, form)
        database.execute("COMMIT")
    except BaseException as error:
        database.close()
        is_damage = isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError)  # a message may quote the file
        if is_damage and not isinstance(error, sqlite3.OperationalError):
            raise StorageError(f"{path}: is damaged, or not a file of planoracle ({error}); remove it") from None
        raise
    return database


def _check_files(path: Path) -> None:
    """Raise `StorageError` if SQLite should not open a file, or the files beside it that belong to it.

    The database itself is not opened here: closing it would release the lock of another connection of this process.
    """
    journal, *logs = (Path(f"{path}{end}") for end in ("-journal", "-wal", "-shm"))
    refuse_links(path, journal, *logs)
    for log in logs:
        if log.exists():
            raise StorageError(f"{log}: is part of a write-ahead log, which planoracle does not write; {_ADVICE}")
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        size = 0
    with suppress(FileNotFoundError):
        _check_rollback_journal(journal, size)


def _check_rollback_journal(journal: Path, size: int) -> None:
    """Raise `StorageError` for a rollback journal that is not of a file of this size alone.

    SQLite deletes the file that a journal names at its end, and gives the database the size that its header states. A
    file of entries never shrinks, and no transaction of it has a second file.
    """
    with open(journal, "rb") as stream:
        header = stream.read(_JOURNAL_HEADER.size)
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - len(_JOURNAL_MAGIC)))
        end = stream.read()
    if end == _JOURNAL_MAGIC:
        raise StorageError(f"{journal}: names another file, which SQLite would delete; {_ADVICE}")
    if len(header) < _JOURNAL_HEADER.size:
        return  # SQLite ignores it
    magic, _, _, pages, _, page_size = _JOURNAL_HEADER.unpack(header)
    if magic == _JOURNAL_MAGIC and pages * page_size > size > 0:  # SQLite deletes the journal of an empty file
        raise StorageError(f"{journal}: belongs to another file; {_ADVICE}")


def _format_of(database: sqlite3.Connection, path: Path, accepted: Sequence[FileFormat]) -> FileFormat | None:
    """Return the format of a file, ``None`` for an empty one; raise `StorageError` for another file."""
    # Reading a schema parses its statements, and a damaged one may be endless.
    database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_SCHEMA)
    steps = count()
    database.set_progress_handler(lambda: next(steps) >= _SCHEMA_STEPS, 1000)
    try:
        (mode,) = database.execute("PRAGMA journal_mode").fetchone()
        (application,) = database.execute("PRAGMA application_id").fetchone()
        tables = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 2").fetchall()
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
        raise StorageError(f"{path}: has a schema without end; {_ADVICE}") from None
    database.set_progress_handler(None, 0)
    if not application and not tables:
        return None
    form = next((candidate for candidate in accepted if candidate.application == application), None)
    if form is None:
        raise StorageError(f"{path}: was written by another program or release; {_ADVICE}")
    if tables != [("table", "entries", "entries", form.schema)]:
        raise StorageError(f"{path}: has other tables, views or triggers than planoracle writes; {_ADVICE}")
    if mode != "delete":
        raise StorageError(f"{path}: has a write-ahead log, which planoracle does not write; {_ADVICE}")
    return form


def _create_table(database: sqlite3.Connection, form: FileFormat) -> None:
    database.execute(form.schema)
    database.execute(f"PRAGMA application_id = {form.application:d}")


def _check_pages(database: sqlite3.Connection) -> None:
    """Raise `sqlite3.DatabaseError` if the pages of a file contradict each other."""
    (fault,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if fault != "ok":
        raise sqlite3.DatabaseError(fault)


def _add_checksums(database: sqlite3.Connection, form: FileFormat) -> None:
    """Convert a file of release 0.11, whose entries cannot be checked."""
    database.create_function("checksum_of", 2, checksum, deterministic=True)
    database.execute("ALTER TABLE entries RENAME TO former_entries")
    _create_table(database, form)
    database.execute(
        "INSERT INTO entries SELECT key, text, checksum_of(CAST(key AS BLOB), CAST(text AS BLOB)) "
        "FROM former_entries WHERE typeof(key) = 'text' AND typeof(text) = 'text'"
    )
    database.execute("DROP TABLE former_entries")
