"""The problems of AsyncHow by name: one set for each of the released files."""

from __future__ import annotations

from functools import cache

from planoracle.instances.asynchow import facts
from planoracle.instances.asynchow.encode import load as load


@cache
def names() -> tuple[str, ...]:
    """Names of the 1,998 problems, in the order of the released files."""
    return tuple(f"asynchow/{name}" for name in facts.names())


def covers(name: str) -> bool:
    """Whether a name stands for a bundled problem."""
    return name.startswith("asynchow/") and facts.covers(name.removeprefix("asynchow/"))


def members(name: str) -> tuple[str, ...]:
    """Return ``()``: the sets are prefixes."""
    return ()


@cache
def _set(label: str) -> tuple[str, ...]:
    return tuple(name for name in names() if name.startswith(f"{label}/"))


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return ``asynchow/async``, ``asynchow/parallel`` or ``asynchow/sequential``, and its members.

    >>> set_of("asynchow/async/829")[0], len(set_of("asynchow/async/829")[1])
    ('asynchow/async', 1598)
    """
    label = name.rpartition("/")[0]
    return (label, _set(label)) if covers(name) else ("", ())
