"""Expressions of Python in texts of others: parsed, never evaluated."""

from __future__ import annotations

import ast
import warnings

# Bytes that the expression of a text of the length that readers allow does not need.
_ROOM = 2**25


def parsed(text: str) -> ast.Expression:
    """Parse an expression.

    Python says `MemoryError` as well where a text is nested more deeply than its parser can go. That is a fault of the
    text, a `SyntaxError`; a lack of memory is none, and must not be taken for a verdict.

    Raises
    ------
    SyntaxError, ValueError, RecursionError
        If it is none.

    Examples
    --------
    >>> parsed("f(a=1)").body.func.id
    'f'
    >>> parsed("-" * 10_000 + "1")
    Traceback (most recent call last):
    SyntaxError: is nested too deeply
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of escapes such as \d
        try:
            return ast.parse(text, mode="eval")
        except MemoryError:
            bytearray(_ROOM)  # which fails if it is memory that is lacking
        try:
            return ast.parse(text, mode="eval")
        except MemoryError:
            raise SyntaxError("is nested too deeply") from None
