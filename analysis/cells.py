"""Texts in cells of csv: none that a spreadsheet would run as a formula, and what they were before."""

from __future__ import annotations

import re

# How formulas begin, also as Japanese keyboards write it, behind what spreadsheets pass over; numbers are none. A cell
# is cut at a semicolon or a line break where these, and not commas, are what separates cells.
_NUMBER = r"[+\-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+\-]?[0-9]+)? *(?:[;\t\r\n]|\Z)"
_SIGN = rf"(?:[^\S;\t\r\n]|['\"“”‘’\ufeff])*+(?!{_NUMBER})[=+\-@＝＋－＠]"
_BEGIN = r"(?:\A|(?<=[;\t\r\n]))"
_FORMULA = re.compile(f"{_BEGIN}(?={_SIGN})")
_DEFUSED = re.compile(f"{_BEGIN}'(?={_SIGN})")


def defused(text: str) -> str:
    r"""Return a text with a ``'`` before everything that a spreadsheet would take for a formula.

    >>> defused("=1+1"), defused(' "@SUM(1)'), defused("-1.5"), defused("fine; =cmd|' /C calc'!A0")
    ("'=1+1", '\' "@SUM(1)', '-1.5', "fine;' =cmd|' /C calc'!A0")
    """
    return _FORMULA.sub("'", text)


def restored(text: str) -> str:
    """Return what a text was before it was `defused`.

    >>> restored(defused("'=1")), restored("'quoted'")
    ("'=1", "'quoted'")
    """
    return _DEFUSED.sub("", text)
