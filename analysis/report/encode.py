"""What goes into the page: text that can be stored and shown, numbers that a browser can hold."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from planoracle.instances.visible import visible

# Browsers count with 53 bits.
_MOST = 2**53


def plain(text: str, limit: int = 200) -> str:
    r"""Cut a text, and write what cannot be seen as escapes, see `visible`; line breaks and tabulators stay.

    Markup stays: the page shows text as text.

    >>> plain("<b>\x1b[31m\ud800", 20), plain("abcdef", 4)
    ('<b>\\x1b[31m\\ud800', 'abc…')
    """
    shown = visible(text[: limit + 1], keep="\n\t")
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def whole(number: int) -> int:
    """Return a whole number, or the nearest one that a browser holds exactly.

    >>> whole(10**400) == 2**53
    True
    """
    return max(-_MOST, min(_MOST, number))


def packed(value: Any) -> str:
    """Write JSON as short as it gets; numbers that JSON does not know are null."""
    return json.dumps(_known(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _known(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6) if isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_known(one) for one in value]
    if isinstance(value, dict):
        return {key: _known(one) for key, one in value.items()}
    return value
