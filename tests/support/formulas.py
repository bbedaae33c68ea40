"""Inverse of `planoracle.analysis.console.escape_formulas`."""

from __future__ import annotations

import re

from planoracle.analysis.console import _BEGIN, _SIGN

_ESCAPED = re.compile(f"{_BEGIN}'(?={_SIGN})")


def unescape_formulas(text: str) -> str:
    """Return a text without the ``'`` before formulas."""
    return _ESCAPED.sub("", text)
