"""JSON cut into its values as it is read, without holding the whole of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from planoracle.instances.errors import InputError

__all__ = ["Scanner"]

_PIECE = 2**16
_SPACE = re.compile(rb"[ \t\r\n]*")
# A whole text, or a bracket; or a quotation mark whose text does not end in what has been read.
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}"]', re.DOTALL)
_SCALAR = re.compile(rb'[^\s,\[\]{}:"]+')
_BOM = b"\xef\xbb\xbf"


class Scanner:
    """Reads values one after the other; brackets and texts are all that it looks at.

    Parameters
    ----------
    longest
        Longest value, in bytes; what is longer is passed over.

    Examples
    --------
    >>> from io import BytesIO
    >>> scanner = Scanner(BytesIO(b'[{"a": "]"}, 2, "x"]'), "<text>", 9)
    >>> list(scanner.elements())
    [None, b'2', b'"x"']
    """

    def __init__(self, stream: IO[bytes], source: str, longest: int) -> None:
        self._stream = stream
        self._source = source
        self._longest = longest
        self._buffer = b""
        self._at = 0
        self._size = _PIECE
        self._more()
        if self._buffer.startswith(_BOM):
            self._at = len(_BOM)

    def peek(self) -> bytes:
        """Return the next letter that is no space, ``b""`` at the end."""
        while True:
            found = _SPACE.match(self._buffer, self._at)
            assert found is not None
            self._at = found.end()
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            if not self._more():
                return b""

    def take(self, letter: bytes) -> bool:
        """Pass over the next letter if it is this one."""
        found = self.peek() == letter
        self._at += found
        return found

    def expect(self, letter: bytes) -> None:
        """Pass over a letter; raises `InputError` if it is not the next one."""
        if not self.take(letter):
            raise self.error(f"{letter.decode()} is missing")

    def error(self, what: str) -> InputError:
        """Return an error that says that nothing more can be read."""
        here = self._buffer[self._at : self._at + 20]
        where = f"before {here.decode(errors='replace')!r}" if here else "at the end"
        return InputError(f"is not JSON, and cannot be read any further: {what} {where}", source=self._source)

    def elements(self) -> Iterator[bytes | None]:
        """Yield the text of every value of a list that begins here, ``None`` for one that is too long."""
        self.expect(b"[")
        if self.take(b"]"):
            return
        yield self.value()
        while not self.take(b"]"):
            self.expect(b",")
            yield self.value()

    def value(self) -> bytes | None:
        """Return the text of the next value, ``None`` if it is too long; raises `InputError` if there is none."""
        first = self.peek()
        if first and first in b'[{"':
            return self._cut(self._end())
        found = self._scalar()
        if not found:
            raise self.error("a value is missing")
        return found

    def _scalar(self) -> bytes:
        while (found := _SCALAR.match(self._buffer, self._at)) and found.end() == len(self._buffer) and self._more():
            pass
        return b"" if found is None else self._cut(found.end()) or b""

    def _cut(self, end: int) -> bytes | None:
        text, self._at = self._buffer[self._at : end], end
        if self._lost or len(text) > self._longest:
            return None
        return text

    _lost = False

    def _end(self) -> int:
        """Return where the value that begins here ends; if it is too long, only the end of it is kept."""
        depth, look, self._lost = 0, self._at, False
        while True:
            for found in _MARK.finditer(self._buffer, look):
                mark = self._buffer[found.start()]
                look = found.end()
                if mark == 0x22 and found.end() - found.start() == 1:
                    look = found.start()  # its end is still to come
                    break
                if mark != 0x22:
                    depth += 1 if mark in b"[{" else -1
                if depth <= 0:
                    return look
            else:
                look = len(self._buffer)
            if len(self._buffer) - self._at > self._longest:
                look = self._forget(look)
            if not self._more():
                raise self.error("the end of a value is missing")
            look -= self._moved

    def _forget(self, look: int) -> int:
        """Drop what has been looked at of a value that is too long."""
        self._lost = True
        if len(self._buffer) - look > self._longest:
            raise self.error("the end of a text is missing, or it is too long,")
        self._at = look
        return look

    _moved = 0

    def _more(self) -> bool:
        """Read on, as much again as is kept, so that what is looked at twice does not add up."""
        self._moved, kept = self._at, self._buffer[self._at :]
        self._size = max(_PIECE, len(kept))
        try:
            piece = self._stream.read(self._size)
        except OSError as error:
            raise InputError(f"cannot be read any further: {error.strerror}", source=self._source) from None
        self._buffer, self._at = kept + piece, 0
        return bool(piece)
