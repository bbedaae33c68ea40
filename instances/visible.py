"""Text from files and submissions, safe to show: nothing in it steers a terminal, hides letters or turns them round."""

from __future__ import annotations

import json
from typing import Any

_JOINERS = "\u200c\u200d"


def visible(text: str, keep: str = "") -> str:
    r"""Return a text in which every character that cannot be seen is written as an escape.

    That goes for control characters (and with them the sequences that steer terminals), marks of direction and other
    format characters, separators of lines, lone surrogates, private and unassigned characters, and all spaces but the
    plain one. What people write stays as it is: letters of every script, also of those written from right to left,
    and emoji. The two invisible characters that spelling needs, the zero-width joiner and non-joiner, stay between
    characters beyond ASCII, as in Persian words and emoji of families; between others they are escaped too.

    Parameters
    ----------
    keep
        Characters to be left alone all the same, such as the line breaks of a report.

    Examples
    --------
    >>> print(visible("\x1b[31mred\x07 \u202eevil\ud800"))
    \x1b[31mred\x07 \u202eevil\ud800
    >>> print(visible("naïve שלום 日本語"))
    naïve שלום 日本語
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter in keep or (letter in _JOINERS and _joins(text, place))
        else letter.encode("unicode_escape").decode()
        for place, letter in enumerate(text)
    )


def _joins(text: str, place: int) -> bool:
    """Whether the characters on both sides of a place can be seen and are beyond ASCII."""
    sides = text[place - 1 : place], text[place + 1 : place + 2]
    return all(side > "\x7f" and side.isprintable() for side in sides)


def to_json(value: Any, indent: int | None = None) -> str:
    r"""Write JSON of which every character can be seen; what is read back is the same.

    >>> print(to_json(["\x1b\u202e\x7f", "ä"]))
    ["\u001b\u202e\u007f", "\u00e4"]
    """
    # The one character of ASCII that cannot be seen and that the standard leaves as it is; it occurs in texts only.
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")
