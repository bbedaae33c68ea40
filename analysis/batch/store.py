"""A folder of small results by key, one file each, that any number of processes and machines may share.

Every file is written apart and then put in place at once, so that nobody sees half of one; a check tells what was
damaged later. A folder that others can write is not used. Nothing here stops the work: on any trouble a word on
standard error, and the result is worked out.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from functools import cache
from pathlib import Path
from typing import Any

from planoracle.analysis.batch.checksum import checksum
from planoracle.analysis.spoken import tell

__all__ = ["VARIABLE", "Store", "default_store", "warn"]

#: Environment variable that names the folder; empty: there is none.
VARIABLE = "PLANORACLE_CACHE"

# No entry of ours is larger, in bytes.
_LARGEST = 16 * 2**20
# A link is not followed, and nothing waits for who writes into a pipe; where a system has no such flags, it has none
# of the users that they are against.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Store:
    """Results that are JSON objects, in ``folder``.

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
        self.folder = folder
        self._private = os.name == "posix"
        self._readable = self._writable = True
        self._looked = False
        self._stuck: set[str] = set()  # what cannot be removed

    def get(self, key: str) -> dict[str, Any] | None:
        """Return what is kept under a key; a damaged entry is dropped."""
        if not self._usable() or key in self._stuck:
            return None
        try:
            return self._read(self._path(key), key)
        except FileNotFoundError:
            pass
        except OSError as error:
            self._readable = False
            warn(f"{self.folder}: cannot be read: {error.strerror}; what it holds is worked out anew")
        except _DamagedError as error:
            self.drop(key, str(error))
        return None

    def put(self, key: str, entry: dict[str, Any]) -> None:
        """Keep an entry, in place of any other."""
        if not self._usable() or not self._writable or key in self._stuck:
            return
        path = self._path(key)
        text = json.dumps(entry, separators=(",", ":")).encode()
        apart = path.with_name(f"{key}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700 if self._private else 0o777, exist_ok=True)
            try:
                apart.touch(mode=0o644, exist_ok=False)
                apart.write_bytes(checksum(key.encode(), text) + b"\n" + text)
                apart.replace(path)
            finally:
                apart.unlink(missing_ok=True)
        except OSError as error:
            self._writable = False
            warn(f"{self.folder}: cannot be written: {error.strerror}; optima are not kept")

    def drop(self, key: str, why: str) -> None:
        """Remove an entry that cannot be used, and say why."""
        path = self._path(key)
        warn(f"{path}: {why}; solved anew")
        try:
            path.unlink(missing_ok=True)
        except OSError:
            self._stuck.add(key)  # it stays, and the next process will tell again

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _usable(self) -> bool:
        """Whether what the folder holds may be read; whose folder it is is looked at once."""
        if not self._looked:
            self._looked = True
            self._readable = self._readable and not self._refused()
        return self._readable

    def _refused(self) -> bool:
        if not self._private:
            return False
        try:
            why = _strange(self.folder.stat())
        except OSError:  # it is not there yet, or told of when it is read
            return False
        if why:
            warn(
                f"{self.folder}: {why}, and is not used: what it holds cannot be trusted (chmod 700 it, or choose "
                f"another by {VARIABLE})"
            )
        return bool(why)

    def _read(self, path: Path, key: str) -> dict[str, Any]:
        try:
            file = os.open(path, _FLAGS)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO) or path.is_symlink():  # a link, or a socket
                raise _DamagedError("is no regular file") from None
            raise
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise _DamagedError("is no regular file")
            why = _strange(found) if self._private else ""
            if why:
                raise _DamagedError(why)
            if found.st_size > _LARGEST:
                raise _DamagedError(f"is larger than {_LARGEST} bytes")
            with open(file, "rb", closefd=False) as stream:
                data = stream.read(_LARGEST)  # no more, also if it grows
        finally:
            os.close(file)
        check, _, text = data.partition(b"\n")
        try:
            entry = json.loads(text) if check == checksum(key.encode(), text) else None
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict):
            raise _DamagedError("is damaged")
        return entry


class _DamagedError(Exception):
    """What stands in the place of an entry is none."""


def _strange(found: os.stat_result) -> str:
    """Return why somebody else may have written a file or into a folder, if so."""
    if found.st_uid != os.geteuid():
        return "belongs to somebody else"
    return "can be written by others" if found.st_mode & 0o022 else ""


def default_store() -> Store | None:
    """Return the store in the user's cache folder, or where `VARIABLE` says; ``None`` if that is empty."""
    folder = os.environ.get(VARIABLE)
    if folder is None:
        from platformdirs import user_cache_dir

        folder = user_cache_dir("planoracle", appauthor=False)
    return _store(Path(folder)) if folder else None


@cache
def _store(folder: Path) -> Store:
    return Store(folder / "optima")


def warn(message: str) -> None:
    """Say on standard error what does not stop the work."""
    tell(message, "warning")
