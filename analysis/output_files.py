"""Output files, each complete or not there: the only place where commands and exports write files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path

# Descriptors of standard output and standard error.
_STANDARD = 1, 2


@contextmanager
def output_file(path: str | Path) -> Iterator[TextIOWrapper]:
    r"""Open a file for writing that replaces an old one only after everything is written and flushed to the disk.

    The new file is written beside the old one and renamed. If writing fails or the process ends, the old file stays as
    it was. A symbolic link stays, and the file that it leads to is replaced; permissions are kept. What is no regular
    file (a pipe, ``/dev/stdout``), and a file that is standard output, is written directly.

    Returns
    -------
    TextIOWrapper
        Stream for UTF-8 text with line ends as given; its ``buffer`` takes bytes.

    Raises
    ------
    OSError
        If the file cannot be written; ``filename`` is the path.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "result.txt")
    ...     with output_file(path) as stream:
    ...         written = stream.write("a line\n")
    ...     path.read_bytes(), len(os.listdir(folder))
    (b'a line\n', 1)
    """
    target = os.path.realpath(path)
    try:
        try:
            old = os.stat(path)
        except FileNotFoundError:
            old = None
        if old is not None and _is_direct(old):
            with open(path, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
            return
        if old is not None and not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied")
        draft = os.path.join(os.path.dirname(target), f".{os.urandom(8).hex()}.part")
        number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with open(number, "w", encoding="utf-8", newline="\n") as stream:
                if old is not None and hasattr(os, "fchmod"):
                    os.fchmod(number, stat.S_IMODE(old.st_mode))
                yield stream
                stream.flush()
                os.fsync(number)
            os.replace(draft, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft)
            raise
    except OSError as error:
        error.filename = str(path)
        raise


def _is_direct(old: os.stat_result) -> bool:
    """Whether a file is written in place: a pipe or a device, or where standard output goes."""
    if not stat.S_ISREG(old.st_mode):
        return True
    for number in _STANDARD:
        with suppress(OSError):
            if os.path.samestat(old, os.fstat(number)):
                return True
    return False
