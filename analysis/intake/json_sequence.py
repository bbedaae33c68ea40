"""JSON values that follow one another: one a line, or objects that are indented over several lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json

#: Line of a value, from 1, and the value or its error.
Entry: TypeAlias = tuple[int, Any | InputError]

# A string, with its closing quote if the line has it, or a bracket.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)|[{}\[\]]', re.DOTALL)
# Characters between values; some programs put commas there.
_BETWEEN = re.compile(rb"[\s,]*")
# Beginning of a text that no further lines make an object.
_NO_OBJECT = re.compile(rb'\{\s*[^"}\s]')
_FIRST_KEY = re.compile(rb'\s*\{\s*("[^"\\]*")')
# Last characters of a text that a value continues.
_BEFORE_VALUES = b"[,:"
_BOM = b"\xef\xbb\xbf"


def json_values(lines: Iterable[tuple[int, bytes | InputError]], longest: int) -> Iterator[Entry]:
    r"""Yield every value with the line of its beginning, or an error.

    A line that is a value is one entry, and so is a damaged line. An object that a line leaves open continues in the
    next lines. It ends at the latest where another object begins, so that a damaged object is one error and the next
    one is read. Objects may also stand in a list, with several in a line.

    Parameters
    ----------
    lines
        Numbers and bytes of lines, or their errors.
    longest
        Maximum length of a value in bytes; no more is in memory.

    Examples
    --------
    >>> text = b'{\n  "id": 1\n}{\n  "id": 2,\n}\n{"id": 3}\n'
    >>> for line, value in json_values(enumerate(text.splitlines(keepends=True), 1), 1000):
    ...     print(line, value)
    1 {'id': 1}
    3 is not JSON: Expecting property name enclosed in double quotes in line 5, column 1
    6 {'id': 3}
    """
    sequence = _Sequence(longest)
    for number, line in lines:
        if isinstance(line, InputError):
            yield from sequence.end()
            yield number, line.at("")
        else:
            yield from sequence.read(number, line)
    yield from sequence.end()


class _OpenValue:
    """Value whose end is not read yet.

    Attributes
    ----------
    start, indent, first_key
        Line, indentation and first key of its beginning.
    """

    def __init__(self, start: int, line: bytes, longest: int) -> None:
        self.start = start
        self.indent = _indent(line)
        self.first_key = _first_key(line)
        self._longest = longest
        self._text = bytearray()
        self._is_too_long = False
        self._brackets = bytearray()  # those that are open, the innermost last
        self._has_more_lines = False
        self._is_indented = True
        self._last_character = b""

    def extend(self, line: bytes, position: int) -> int | None:
        """Add a line from a position on; return the position of the end of the value, or ``None``."""
        text = line.strip()
        if self._text and text:
            self._has_more_lines = True
            self._is_indented &= _indent(line) > self.indent or text[:1] in b"}],"
        end = None
        for token in _TOKEN.finditer(line, position):
            if token[0] in (b"{", b"["):
                self._brackets += token[0]
            elif token[0] in (b"}", b"]"):
                del self._brackets[-1:]
            if not self._brackets:
                end = token.end()
                break
        piece = line[position:end]
        self._last_character = piece.rstrip()[-1:] or self._last_character
        if len(self._text) + len(piece) > self._longest:
            self._is_too_long = True
        else:
            self._text += piece
        return end

    def is_cut_by(self, line: bytes) -> bool:
        """Return True if a line begins the next object, so that the end of this one is missing."""
        text = line.strip()
        if not text.startswith(b"{") or _indent(line) > self.indent:
            return False  # objects of one file have one indentation
        if self._last_character not in _BEFORE_VALUES:
            return True
        is_in_object = self._brackets.endswith(b"{")
        if is_in_object and self._last_character == b",":
            return True  # a key would follow
        if self._has_more_lines and self._is_indented:
            return True
        if self.first_key and self.first_key == _first_key(line):
            return True
        # In a file with a value in each line, a complete one follows a damaged one.
        may_follow_damage = is_in_object or not self.first_key
        return may_follow_damage and not isinstance(_parse(text, 1), InputError)

    def value(self) -> Any | InputError:
        """Return the value, or its error."""
        if self._is_too_long:
            return InputError(f"is longer than {self._longest} bytes")
        return _parse(bytes(self._text.rstrip()), self.start)

    @property
    def has_more_lines(self) -> bool:
        """True if the value continues in a second line."""
        return self._has_more_lines


class _Sequence:
    """Reader of values from lines."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._open: _OpenValue | None = None
        self._list_start = 0  # line of the list whose objects are read
        self._is_first = True
        self._is_indented = False  # some value has several lines
        self._indent = 0  # of the last of these
        self._is_damaged = False  # the last entry is an error

    def read(self, number: int, line: bytes) -> Iterator[Entry]:
        """Yield the values that end in a line, and the errors of what is no value."""
        if self._open is not None:
            if not self._open.is_cut_by(line):
                yield from self._values(number, line)
                return
            yield self._close()
        if not line.strip() or self._is_remainder(line):
            return
        if number == 1:
            line = line.removeprefix(_BOM)
        value = _parse(line.rstrip(b"\r\n"), 1)
        if not isinstance(value, InputError):
            self._is_first = self._is_damaged = False
            yield number, value
            return
        was_in_list = self._list_start > 0
        values = list(self._values(number, line))
        is_continued = was_in_list or self._list_start > 0 or self._open is not None
        is_single = len(values) == 1 and not isinstance(values[0][1], InputError)  # with a comma after it
        if is_continued or is_single:
            yield from values
        else:
            yield number, value

    def end(self) -> Iterator[Entry]:
        """Yield the error of a value or a list without an end."""
        if self._open is not None:
            yield self._close()
        if self._list_start and not self._is_damaged:
            yield self._list_start, InputError("is a list without an end; the file may be cut off")
        self._list_start = 0

    def _is_remainder(self, line: bytes) -> bool:
        """Return True for a line after a damaged value in which no other value begins."""
        if not self._is_damaged or not self._is_indented:
            return False
        return b"{" not in line or _indent(line) > self._indent

    def _values(self, number: int, line: bytes) -> Iterator[Entry]:
        """Yield the values and errors of a line, and keep a value without an end open."""
        position = 0
        while True:
            if self._open is None:
                position = self._next_value(number, line, position)
                character = line[position : position + 1]
                if not character:
                    return
                if character not in b"{[":
                    end = position + 1 if character in b"}]" else len(line)
                    yield from self._garbage(number, line[position:end])
                    position = end
                    continue
                self._open = _OpenValue(number, line, self._longest)
            value_end = self._open.extend(line, position)
            if value_end is None:
                is_first_line = self._open.start == number
                if is_first_line and (_NO_OBJECT.match(line, position) or _ends_in_string(line, position)):
                    yield self._close()  # a damaged line of JSON lines
                return
            yield self._close()
            position = value_end

    def _next_value(self, number: int, line: bytes, position: int) -> int:
        """Return the position of the next value; skip spaces, commas and the brackets of a list of values."""
        position = _end_of_space(line, position)
        if self._is_first and line.startswith(b"[", position):
            self._list_start = number
            position = _end_of_space(line, position + 1)
        elif self._list_start and line.startswith(b"]", position):
            self._list_start = 0
            position = _end_of_space(line, position + 1)
        self._is_first = False
        return position

    def _garbage(self, number: int, text: bytes) -> Iterator[Entry]:
        """Yield one error for consecutive texts between indented values, else one for each text."""
        value = _parse(text.strip().removesuffix(b","), 1)
        if not isinstance(value, InputError):
            value = InputError("must be an object with instance and plan", value=value)
        is_same = self._is_damaged and (self._is_indented or self._list_start > 0)
        self._is_damaged = True
        if not is_same:
            yield number, value

    def _close(self) -> Entry:
        """Return the open value, or its error."""
        assert self._open is not None
        start, value = self._open.start, self._open.value()
        if self._open.has_more_lines:
            self._is_indented = True
            self._indent = self._open.indent
        self._is_damaged = isinstance(value, InputError)
        self._open = None
        return start, value


def _parse(text: bytes, first_line: int) -> Any | InputError:
    """Return a value, or an error that names neither file nor line of the value."""
    try:
        return load_json(text, "", first_line=first_line)
    except InputError as error:
        return error
    except MemoryError:
        return InputError("cannot be read: there is not enough memory")


def _end_of_space(line: bytes, position: int) -> int:
    space = _BETWEEN.match(line, position)
    return position if space is None else space.end()


def _indent(line: bytes) -> int:
    """Return the number of characters before a value, which may be the first of a list."""
    return len(line) - len(line.lstrip(b" \t["))


def _first_key(line: bytes) -> bytes:
    match = _FIRST_KEY.match(line)
    return b"" if match is None else match[1]


def _ends_in_string(line: bytes, position: int) -> bool:
    """Return True if the last string of a line has no closing quote."""
    is_open = False
    for token in _TOKEN.finditer(line, position):
        is_open = token[0].startswith(b'"') and not token[1]
    return is_open
