"""Checks of single values of instances: names, ticks, and spans of ticks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from planoracle.instances.errors import InputError

#: Largest number of ticks anywhere; keeps sums far inside 64 bits (and the solver's domains small).
MAX_TICKS = 10**9
#: Longest name in characters.
MAX_NAME = 500
#: Most windows of an action, and most off-times of a calendar.
MAX_SPANS = 10_000

Faults: TypeAlias = Iterator[InputError]


def number_faults(value: object, field: str, minimum: int = 0, maximum: int = MAX_TICKS) -> Faults:
    """Yield the fault of a value that is no whole number, or out of range.

    Examples
    --------
    >>> print(*number_faults(-1, "duration"), *number_faults(7, "release"))
    duration: must lie between 0 and 1000000000 (got -1)
    """
    if isinstance(value, bool) or not isinstance(value, int):
        yield InputError("must be a whole number", field=field, value=value)
    elif not minimum <= value <= maximum:
        yield InputError(f"must lie between {minimum} and {maximum}", field=field, value=value)


def name_faults(names: Iterable[object], field: str) -> Faults:
    """Yield the faults of names that are no text, empty, too long, or not unique."""
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            yield InputError("names must be non-empty text", field=field, value=name)
            continue
        if len(name) > MAX_NAME:
            yield InputError(f"names must have at most {MAX_NAME} characters", field=field, value=name)
        if name in seen:
            yield InputError("names must be unique", field=field, value=name)
        seen.add(name)


def count_faults(entries: tuple[object, ...], field: str, limit: int) -> Faults:
    """Yield the fault of a list with too many entries."""
    if len(entries) > limit:
        yield InputError(f"must have at most {limit} entries", field=field, value=len(entries))


def span_faults(span: object, field: str) -> Faults:
    """Yield the fault of a value that is no pair of ticks ``(begin, end)`` with ``begin <= end``.

    Examples
    --------
    >>> print(*span_faults((8, 5), "windows"), *span_faults((5, 8), "windows"))
    windows: must not end before it begins (got [8, 5])
    """
    if not isinstance(span, tuple) or len(span) != 2:
        yield InputError("must be a pair of ticks, begin and end", field=field, value=span)
        return
    begin, end = span
    faults = [*number_faults(begin, field), *number_faults(end, field)]
    yield from faults
    if not faults and end < begin:
        yield InputError("must not end before it begins", field=field, value=list(span))
