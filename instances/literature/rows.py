"""Lines of whole numbers, with errors that name the line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from planoracle.instances.errors import InputError
from planoracle.instances.validate import MAX_TICKS

#: Largest number in a file; what is computed from several of them stays within what an instance may hold.
LARGEST: Final = MAX_TICKS // 4

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def whole(token: str, field: str, least: int = 0) -> int:
    """Return the whole number that a token is; raises `InputError`."""
    if not _NUMBER.fullmatch(token):
        raise InputError("must be a whole number", field=field, value=token)
    number = int(token)
    if not least <= number <= LARGEST:
        raise InputError(f"must lie between {least} and {LARGEST}", field=field, value=number)
    return number


class Rows:
    """The lines of a text that are not blank, one after the other.

    Attributes
    ----------
    number
        Of the line that was read last, from 1.
    """

    def __init__(self, text: str, comment: str | tuple[str, ...] = ()) -> None:
        self._lines: Iterator[tuple[int, str]] = (
            (number, line)
            for number, line in enumerate(text.splitlines(), 1)
            if line and not line.isspace() and not (comment and line.lstrip().startswith(comment))
        )
        self.number = 0

    def line(self, what: str) -> str:
        """Return the next line; raises `InputError` if the file ends where ``what`` should stand."""
        found = next(self._lines, None)
        if found is None:
            raise InputError(f"the file ends where {what} should stand", field=f"after line {self.number}")
        self.number, line = found
        return line

    def rest(self) -> Iterator[str]:
        """Return the lines that are left."""
        for number, line in self._lines:
            self.number = number
            yield line

    def end(self) -> None:
        """Raise `InputError` if there is another line."""
        for line in self.rest():
            raise self.fault("nothing more should stand here", line)

    def fault(self, message: str, *value: Any) -> InputError:
        """Return an error at the line that was read last."""
        return InputError(message, field=f"line {self.number}", **({"value": value[0]} if value else {}))

    def numbers(self, what: str, count: int | None = None, least: int = 0) -> list[int]:
        """Return the next line as ``count``, or at least so many, whole numbers; raises `InputError`."""
        return self.whole(self.line(what), what, count, least)

    def whole(self, line: str, what: str, count: int | None = None, least: int = 0) -> list[int]:
        """Return (part of) the line read last as ``count``, or at least so many, numbers; raises `InputError`."""
        tokens = line.split()
        try:
            if "_" in line or not line.isascii():
                raise ValueError("int() would take these")
            found = list(map(int, tokens))
            if max(map(abs, found), default=0) > LARGEST:
                raise ValueError("too large")
        except ValueError:
            found = [whole(token, f"line {self.number}: {what}", -LARGEST) for token in tokens]
        if count is not None and len(found) != count:
            raise self.fault(f"must be {count} number{'s' * (count != 1)} ({what})", line.strip())
        if len(found) < least:
            raise self.fault(f"must be at least {least} numbers ({what})", line.strip())
        return found
