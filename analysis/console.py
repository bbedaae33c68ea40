"""Output on the standard streams, even if these are closed or full; spreadsheet formulas."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TypeVar

from planoracle.instances.errors import kind_of_warning
from planoracle.instances.text import to_json, visible

_T = TypeVar("_T")
#: Functions that erase displays on the terminal, such as progress bars, before lines are written to it.
active_displays: list[Callable[[], None]] = []


@contextmanager
def set_variable(variable: ContextVar[_T], value: _T) -> Iterator[None]:
    """Give a context variable a value in a context."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def clear() -> None:
    """Erase all displays on the terminal."""
    while active_displays:
        erase = active_displays.pop()
        erase()


def say(text: str) -> None:
    """Write lines of text to standard output, escaped by `visible`."""
    clear()
    print(visible(text, keep="\n"))


def say_json(value: Any, indent: int | None = None) -> None:
    """Write a value to standard output as JSON."""
    clear()
    print(to_json(value, indent))


def tell(message: object, kind: str = "") -> None:
    """Write a message to standard error in one line; ``kind`` is ``error``, ``warning`` or ``note``."""
    text = f"{kind}: {message}" if kind else str(message)
    print(visible(text), file=sys.stderr)


# By kind, text and noun of the messages of a command the first place and the number of places; None outside a command.
_groups: ContextVar[dict[tuple[str, str, str], tuple[str, int]] | None] = ContextVar("groups", default=None)
# Maximum number of different messages in memory.
_MAX_GROUPS = 10_000


@contextmanager
def grouped_messages() -> Iterator[None]:
    """Collect the messages of `collect` in a context, which writes them at its end, also after a signal.

    Examples
    --------
    >>> from contextlib import redirect_stderr
    >>> with redirect_stderr(sys.stdout), grouped_messages():
    ...     for line in range(3, 63):
    ...         collect(f"line {line}", "plan: is missing", "submissions")
    ...     collect("line 63", "is not JSON", "submissions")
    error: 60 submissions (first: line 3): plan: is missing
    error: line 63: is not JSON
    """
    token = _groups.set({})
    try:
        yield
    finally:
        write_groups()
        _groups.reset(token)


def write_groups() -> None:
    """Write the collected messages in the order of their first places, equal ones as one line."""
    groups = _groups.get() or {}
    while groups:
        key = next(iter(groups))
        first_place, count = groups.pop(key)
        kind, text, many = key
        location = first_place
        if count > 1 and first_place:
            location = f"{count} {many} (first: {first_place})"
        elif count > 1 and kind != "note":
            location = f"{count} times"
        tell(f"{location}: {text}" if location else text, kind)


def collect(place: object, text: str, many: str = "", kind: str = "error") -> None:
    """Write a message about one of many places; in a context of `grouped_messages` equal ones together.

    Parameters
    ----------
    place
        First words of the message, such as a file and a line; may be empty.
    many
        Noun for several places: submissions, problems.
    """
    groups = _groups.get()
    if groups is None:
        tell(f"{place}: {text}" if place else text, kind)
    else:
        key = kind, text, many
        first_place, count = groups.get(key, (str(place), 0))
        groups[key] = first_place, count + 1
        if len(groups) > _MAX_GROUPS:
            write_groups()


def show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any
) -> None:
    """Write warnings about files and installations as messages; other warnings are for developers."""
    kind = kind_of_warning(category)
    if kind is None:
        tell(warnings.formatwarning(message, category, filename, lineno).rstrip())
    else:
        collect("", str(message), kind=kind)


# First characters of formulas, full-width forms included, after characters that spreadsheets skip; numbers are no
# formulas. Semicolons and line breaks separate cells in some locales.
_NUMBER = r"[+\-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+\-]?[0-9]+)? *(?:[;\t\r\n]|\Z)"
_SIGN = rf"(?:[^\S;\t\r\n]|['\"“”‘’\ufeff])*+(?!{_NUMBER})[=+\-@＝＋－＠]"
_BEGIN = r"(?:\A|(?<=[;\t\r\n]))"
_FORMULA = re.compile(f"{_BEGIN}(?={_SIGN})")


def complain(message: object, many: str = "") -> None:
    """Write an error to standard error, one line for each fault of a file.

    With ``many``, the noun for several places, equal faults are written together, see `collect`.
    """
    faults = list(getattr(message, "faults", None) or (message,))
    if getattr(message, "more", False):
        faults.append("there are more")
    for fault in faults:
        if not many:
            tell(fault, "error")
            continue
        place = getattr(fault, "place", "")
        collect(place, str(fault).removeprefix(f"{place}: "), many)


def escape_formulas(text: str) -> str:
    r"""Return a text with a ``'`` before everything that a spreadsheet reads as a formula.

    >>> [escape_formulas(text) for text in ("=1+1", ' "@SUM(1)', "-1.5", "fine; =cmd|' /C calc'!A0")]
    ["'=1+1", '\' "@SUM(1)', '-1.5', "fine;' =cmd|' /C calc'!A0"]
    """
    return _FORMULA.sub("'", text)


def mend() -> None:
    """Open the standard streams of this process that are closed.

    Reading from a closed input and writing to a closed output is an `OSError`, as with any file. Diagnostics that
    cannot be written are lost.
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
    r"""Set a stream to write characters outside its encoding as escapes (``\u2026``).

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
    """File that ignores write errors, such as a full disk or a closed pipe."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or len(data)
        except OSError:
            return len(data)


# Descriptors of standard output and standard error.
_STANDARD = 1, 2


@contextmanager
def output_file(path: str | Path) -> Iterator[TextIOWrapper]:
    r"""Open a file that replaces an old one after its content is flushed to the disk.

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
        draft_name = f".{os.urandom(8).hex()}.part"
        draft = os.path.join(os.path.dirname(target), draft_name)
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
    """Return True for a file to be written in place: a pipe, a device, or standard output."""
    if not stat.S_ISREG(old.st_mode):
        return True
    for number in _STANDARD:
        with suppress(OSError):
            if os.path.samestat(old, os.fstat(number)):
                return True
    return False
