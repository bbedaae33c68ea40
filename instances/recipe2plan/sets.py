"""The sets of Recipe2Plan: 65 pairs of recipes, timed and untimed."""

from __future__ import annotations

from planoracle.instances.errors import UnknownNameError
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan import facts

names = facts.names


def covers(name: str) -> bool:
    """Whether a name stands for a bundled problem."""
    return name in names()


def members(name: str) -> tuple[str, ...]:
    """Return ``()``: the sets are prefixes."""
    return ()


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return ``recipe2plan/timed`` or ``recipe2plan/untimed``, and its members."""
    if not covers(name):
        return "", ()
    label = name.rpartition("/")[0]
    return label, tuple(other for other in names() if other.startswith(f"{label}/"))


def load(name: str) -> Instance:
    """Return a bundled problem; raises `UnknownNameError`."""
    if not covers(name):
        raise UnknownNameError("there is no such Recipe2Plan problem", value=name)
    _, setting, pair = name.split("/")
    return facts.load(setting, pair)
