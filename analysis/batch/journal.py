"""The run directory: results that outlive the process, in one file that is only ever appended to.

A line is ``{"key":"<32 digits>","check":"<16 digits>","row":<result>}``: ``key`` stands for everything that the
result depends on, ``check`` is a checksum of both. Whatever ends the process, at most the last line is torn.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import BinaryIO

from planoracle.analysis.batch.checksum import checksum
from planoracle.analysis.batch.errors import StorageError
from planoracle.instances.digest import FORMAT

__all__ = ["NAME", "Journal"]

#: Name of the file in the directory.
NAME = "results.jsonl"

_FORMAT = b'{"format":"planoracle/run","version":'
_HEAD = b"%b%d}\n" % (_FORMAT, FORMAT)
_LINE = re.compile(rb'\{"key":"([0-9a-f]{32})","check":"([0-9a-f]{16})","row":(.*)\}\n', re.DOTALL)
# Longer results are worked out anew every time, so that a broken file cannot ask for any amount of memory.
_LONGEST = 64 * 2**20
# Seconds between two syncs to the disk; a crash of the machine loses no more.
_SYNC = 1.0
# Damaged lines that are told one by one.
_TOLD = 5


class Journal:
    """Results by key in a directory, which is made if need be; locked against other processes until closed.

    Parameters
    ----------
    told
        Called with what a person should know: a torn or damaged line.

    Raises
    ------
    StorageError
        If the directory cannot be written, is in use, or holds a file of another kind.
    """

    def __init__(self, folder: Path, told: Callable[[str], None]) -> None:
        self.path = folder / NAME
        self.lost = False  # whether the file is in its place no more
        self._places: dict[str, tuple[int, int]] = {}  # offset and length of the result
        self._size = 0
        self._told = told
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{folder}: cannot be made a run directory: {error.strerror}") from None
        try:
            new = not self.path.exists()
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):  # a pipe would be read for ever
                raise StorageError(f"{self.path}: is no regular file; name another directory")
            self._lock()
            self._read()
            if not self._size:
                self._append(_HEAD)
            if new:
                _sync_folder(folder)
        except OSError as error:
            self._let_go()
            raise StorageError(f"{self.path}: cannot be read: {error.strerror}") from None
        except BaseException:
            self._let_go()
            raise
        self._synced = monotonic()

    def __len__(self) -> int:
        return len(self._places)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, key: str) -> str | None:
        """Return the result that is kept under a key."""
        place = self._places.get(key)
        if place is None:
            return None
        offset, length = place
        found = b""
        try:
            while len(found) < length and (more := os.pread(self._file, length - len(found), offset + len(found))):
                found += more
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be read: {error.strerror}") from None
        return found.decode(errors="replace")

    def drop(self, key: str) -> None:
        """Forget a result that cannot be used; the next one under its key stands in for it from now on."""
        self._told(f"{self.path}: a result is not what it should be; its work is done again")
        del self._places[key]

    def add(self, results: Iterable[tuple[str, str]]) -> None:
        """Append results, JSON in one line each, under their keys; those that are there already are left alone.

        Raises
        ------
        StorageError
            If they cannot be written. What has been kept before is safe, and no part of the new is left behind.
        """
        lines = []
        at = self._size
        places = {}
        for key, text in results:
            row = text.encode()
            if key in self._places or key in places or len(row) > _LONGEST:
                continue
            start = b'{"key":"%s","check":"%s","row":' % (key.encode(), checksum(key.encode(), row))
            places[key] = (at + len(start), len(row))
            line = b"%s%s}\n" % (start, row)
            lines.append(line)
            at += len(line)
        if lines:
            self._append(b"".join(lines))
            self._places |= places
        if not 0 <= monotonic() - self._synced <= _SYNC:
            self.sync()

    def sync(self) -> None:
        """Wait until the disk has everything, in the place that it was given.

        Raises
        ------
        StorageError
            If it cannot be written, or the directory was moved or deleted.
        """
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._unwritten(error) from None
        try:
            self.lost = not os.path.samestat(os.stat(self.path), os.fstat(self._file))
        except OSError:
            self.lost = True
        if self.lost:
            raise StorageError(f"{self.path}: was moved or deleted while at work; results are kept there no more")
        self._synced = monotonic()

    def close(self) -> None:
        """Write everything to the disk and let others in."""
        try:
            self.sync()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        with suppress(OSError):  # what a file system may say here is about data, which the disk has or has not had
            os.close(self._file)

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:
            raise StorageError(f"{self.path}: run directories need file locks, which this system lacks") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(f"{self.path.parent}: another process is at work in this run directory") from None
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be locked: {error.strerror}") from None

    def _append(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            with suppress(OSError):  # else the torn line is dropped when the file is read again
                os.ftruncate(self._file, self._size)
            raise self._unwritten(error) from None
        self._size += len(data)

    def _unwritten(self, error: OSError) -> StorageError:
        return StorageError(f"{self.path}: cannot be written: {error.strerror}")

    def _read(self) -> None:
        """Find all results; cut off a torn last line."""
        ours = False
        torn: bytes | None = None
        damaged = []
        with open(self._file, "rb", closefd=False) as stream:
            for number, (line, length) in enumerate(_lines(stream), 1):
                if not line.endswith(b"\n"):
                    torn = line
                    break
                match = _LINE.fullmatch(line)
                if number == 1 and line == _HEAD:
                    ours = True
                elif number == 1 and line.startswith(_FORMAT):
                    raise StorageError(f"{self.path}: is of another release of planoracle; name another directory")
                elif match is None or checksum(match[1], match[3]) != match[2]:
                    damaged.append(number)
                else:
                    # The last one counts: it was done again since those before could not be used.
                    self._places[match[1].decode()] = (self._size + match.start(3), len(match[3]))
                self._size += length
        if not ours and not self._places and not (self._size == 0 and _HEAD.startswith(torn or b"")):
            raise StorageError(f"{self.path}: is no file of results of planoracle; name another directory")
        if torn is not None:
            self._told(f"{self.path}: the last line was torn when a process ended, and is dropped")
            os.ftruncate(self._file, self._size)
        for number in damaged[:_TOLD]:
            self._told(
                f"{self.path}: line {number} is damaged; its work is done again, unless a later line has the result"
            )
        if len(damaged) > _TOLD:
            self._told(f"{self.path}: {len(damaged) - _TOLD} more lines are damaged")


def _lines(stream: BinaryIO) -> Iterable[tuple[bytes, int]]:
    """Yield every line with its length; of one longer than any of ours only the end."""
    longest = _LONGEST + 100
    while line := stream.readline(longest):
        length = len(line)
        if length == longest:
            while not line.endswith(b"\n") and (more := stream.readline(longest)):
                line = more[-1:]
                length += len(more)
        yield line, length


def _sync_folder(folder: Path) -> None:
    """Let the disk know that there is a new file."""
    with suppress(OSError):  # some file systems do not do that for folders
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
