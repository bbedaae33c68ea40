"""A folder of small results by key, one file each, that any number of processes and machines may share.

Every file is written apart and then put in place at once, so that nobody sees half of one; a check tells what was
damaged later. Nothing here stops the work: on any trouble a word on standard error, and the result is worked out.
"""

from __future__ import annotations

import json
import os
import stat
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from planoracle.analysis.spoken import tell

__all__ = ["VARIABLE", "Store", "default_store", "warn"]

#: Environment variable that names the folder; empty: there is none.
VARIABLE = "PLANORACLE_CACHE"

# No entry of ours is larger, in bytes.
_LARGEST = 16 * 2**20


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
        self._readable = self._writable = True
        self._stuck: set[str] = set()  # what cannot be removed

    def get(self, key: str) -> dict[str, Any] | None:
        """Return what is kept under a key; a damaged entry is dropped."""
        if not self._readable or key in self._stuck:
            return None
        try:
            return _read(self._path(key), key)
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
        if not self._writable or key in self._stuck:
            return
        path = self._path(key)
        text = json.dumps(entry, separators=(",", ":")).encode()
        apart = path.with_name(f"{key}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                apart.write_bytes(_check(key, text) + b"\n" + text)
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


class _DamagedError(Exception):
    """What stands in the place of an entry is none."""


def _read(path: Path, key: str) -> dict[str, Any]:
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):  # to read a pipe or a device might never end
        raise _DamagedError("is no regular file")
    if found.st_size > _LARGEST:
        raise _DamagedError(f"is larger than {_LARGEST} bytes")
    check, _, text = path.read_bytes().partition(b"\n")
    try:
        entry = json.loads(text) if check == _check(key, text) else None
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        raise _DamagedError("is damaged")
    return entry


def _check(key: str, text: bytes) -> bytes:
    return blake2b(key.encode() + text, digest_size=16).hexdigest().encode()


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
