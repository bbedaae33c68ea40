"""The settings in which CP-SAT searches, one after the other, and what each may cost.

Efforts are in CP-SAT's deterministic time, so that results do not depend on the machine's speed. One unit is some two
to ten seconds of a search on small models.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["LARGE", "LARGER", "Stage", "canonical_effort", "first_look", "plain", "presolved", "unpresolved"]

#: What proves a makespan, settings of CP-SAT, effort.
Stage = tuple[str, dict[str, Any], float | None]

#: Decisions from which on core search proves what is easy sooner than orders are stated, and from which on a first look
#: finds nothing.
LARGE, LARGER = 50, 100

# Searches in order: a first look, and what the proof took besides where the best makespan is known.
_LOOK, _LOOK_WITH_PAUSES = 0.0003, 0.004
_CANONICAL, _CANONICAL_WITH_PAUSES = 0.1, 0.05
# Core search before orders are stated: with pauses, and for every decision where there are many.
_PLAIN_WITH_PAUSES, _PLAIN_EACH = 0.005, 2.5e-5
_CORE, _BRANCHING = 0.02, 0.1
_PRESOLVED_CORE = 0.3, 2.0  # before the branch and bound, which profits from its lower bound, and after it
_PRESOLVED = 4.0

_CORE_SEARCH: dict[str, Any] = {"light": True, "core": True}


def first_look(decisions: int, *, pauses: bool) -> float | None:
    """Return the effort for a first search in order; ``None`` where it would be in vain."""
    if pauses:
        return _LOOK_WITH_PAUSES
    return _LOOK if decisions < LARGER else None


def canonical_effort(proof: float, *, pauses: bool) -> float:
    """Return the effort for the canonical schedule of a makespan, by that which its proof has taken."""
    return (_CANONICAL_WITH_PAUSES if pauses else _LOOK) + _CANONICAL * proof


def plain(decisions: int, *, pauses: bool) -> Iterator[Stage]:
    """Yield what is tried before orders are stated."""
    if pauses:
        yield "core search", _CORE_SEARCH, _PLAIN_WITH_PAUSES
    elif decisions >= LARGE:
        yield "core search", _CORE_SEARCH, _PLAIN_EACH * decisions


def unpresolved() -> Iterator[Stage]:
    """Yield what is tried with orders, as the model stands."""
    yield "core search", _CORE_SEARCH, _CORE
    yield "branch and bound", {"light": True}, _BRANCHING


def presolved(workers: int) -> Iterator[Stage]:
    """Yield what is tried last; all but the end is the same on every machine."""
    options: dict[str, Any] = {"presolve": True}
    yield "core search with presolve", options | {"core": True}, _PRESOLVED_CORE[0]
    yield "branch and bound with presolve", options, _PRESOLVED
    yield "core search with presolve", options | {"core": True}, _PRESOLVED_CORE[1]
    yield "several workers", options | {"linearization": 1, "workers": max(2, workers)}, None
