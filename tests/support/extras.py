"""Modules of ours that import a library which not everybody has."""

from __future__ import annotations

from importlib.util import find_spec

_NEEDED = {
    "planoracle.analysis.adapters.gym_spaces": "gymnasium",
    "planoracle.analysis.adapters.gym": "pettingzoo",
    "planoracle.analysis.adapters.inspect_": "inspect_ai",
}


def missing(module: str) -> str | None:
    """Return the library that a module needs and that is not there, if so."""
    needed = next((library for name, library in _NEEDED.items() if module.startswith(name)), None)
    return needed if needed and find_spec(needed) is None else None
