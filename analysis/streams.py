"""The three standard streams, made such that a closed or full one does no harm.

Python has no object for a stream that is closed, and the next file that is opened gets its number, so that what
libraries say ends up in that file.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any


def mend() -> None:
    """Mend the standard streams of this process.

    Reading from a closed input and writing to a closed output is an `OSError`, as with any file. Diagnostics that
    nobody can take are lost.
    """
    # Numbers 0 to 2 are given in this order. Input can only be written to, and output only be read.
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115  # as long as the process
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
    raw = io.BufferedWriter(_Diagnostics(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(raw, encoding, "backslashreplace", line_buffering=True)


def lenient(stream: Any, encoding: str | None = None) -> None:
    r"""Have a stream take any letter: what its encoding does not know is written as an escape (``\u2026``).

    Parameters
    ----------
    encoding
        Instead of the one it has, unless it is that of a terminal.
    """
    if encoding is None or stream.isatty():
        stream.reconfigure(errors="backslashreplace")
    else:
        stream.reconfigure(encoding=encoding, errors="backslashreplace")


class _Diagnostics(io.FileIO):
    """A file that takes everything, whether it can be written or not (a full disk, a reader who went away)."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or len(data)
        except OSError:
            return len(data)
