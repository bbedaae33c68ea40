"""Strategies of CP-SAT: sequences of settings, each with a limit of effort.

Efforts are in CP-SAT's deterministic time, see `planoracle.solver.exact.search_params`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from planoracle.solver.exact.search_params import CrowdedParams, EffortParams


class CpRun(NamedTuple):
    """One call of CP-SAT.

    Attributes
    ----------
    name
        Name of the proof.
    settings
        Settings of CP-SAT.
    effort
        Limit of effort, ``None`` for no limit.
    local_effort
        Effort of the local search before it.
    """

    name: str
    settings: dict[str, Any]
    effort: float | None
    local_effort: float = 0.0


_CORE: dict[str, Any] = {"light": True, "core": True}
_DYNAMIC_CORE: dict[str, Any] = {"core": True, "dynamic": True}
_HALVING: dict[str, Any] = {"halving": True, "dynamic": True}
_PRESOLVED: dict[str, Any] = {"presolve": True}
_PRESOLVED_CORE: dict[str, Any] = {"presolve": True, "core": True}

# Settings of restarts for many actions and agents.
_RESTARTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("core search", {"light": True, "core": True, "energetic": False}),
    ("search by earliest starts", {"presolve": True, "fixed_search": True, "probing": False, "energetic": False}),
    ("branch and bound", {"light": True, "energetic": False}),
    ("branch and bound with presolve", {"presolve": True, "probing": False, "energetic": False}),
    ("branch and bound with presolve", {"presolve": True, "probing": False}),
)


def core_search(effort: float) -> Iterator[CpRun]:
    """Yield a short core search."""
    yield CpRun("core search", _CORE, effort)


def without_presolve(effort: EffortParams) -> Iterator[CpRun]:
    """Yield the runs on the model with orders, without presolve."""
    yield CpRun("core search", _CORE, effort.core)
    yield CpRun("branch and bound", {"light": True}, effort.branching)


def with_presolve(effort: EffortParams, workers: int) -> Iterator[CpRun]:
    """Yield the last runs, without a limit of effort at the end; with one worker they are deterministic."""
    yield CpRun("core search with presolve", _PRESOLVED_CORE, effort.presolved_core_before)
    yield CpRun("branch and bound with presolve", _PRESOLVED, effort.presolved)
    yield CpRun("core search with presolve", _PRESOLVED_CORE, effort.presolved_core_after)
    name = "branch and bound with presolve" if workers == 1 else "several workers"
    yield CpRun(name, _PRESOLVED | {"linearization": 1, "workers": workers}, None)


def any_schedule(first_effort: float) -> Iterator[CpRun]:
    """Yield searches for any schedule with growing effort, without an end: first in the order of time."""
    effort = first_effort
    while True:
        yield CpRun("search in the order of time", {"light": True, "fixed_search": True}, effort)
        yield CpRun("search without presolve", {}, effort)
        yield CpRun("search with presolve", _PRESOLVED | {"linearization": 1}, effort)
        effort *= 4


def proofs(effort: float, local_effort: float, workers: int) -> Iterator[CpRun]:
    """Yield a core search and a branch and bound with presolve."""
    yield CpRun("core search with presolve", _PRESOLVED_CORE, effort, local_effort)
    settings = _PRESOLVED | {"linearization": 1, "workers": workers}
    yield CpRun("branch and bound with presolve", settings, effort, local_effort)


def last_proof() -> CpRun:
    """Return a core search without a limit of effort."""
    return CpRun("core search with presolve", _PRESOLVED_CORE, None)


def rounds(efforts: tuple[float, ...]) -> Iterator[CpRun]:
    """Yield all settings with growing effort: on problems of hundreds of actions no setting is best.

    One setting finds in a tenth of a second a schedule that another does not find in ten, and the incumbent cuts off
    longer schedules for the next. Orders are left out, for models would be large, and presolve does not probe, which
    takes seconds.
    """
    for effort in efforts:
        for name, settings in _RESTARTS:
            yield CpRun(name, settings, effort)


def in_turns(params: CrowdedParams, decisions: int, *, loaded: bool, local_share: float = 0.0) -> Iterator[CpRun]:
    """Yield the runs for crowded problems.

    ``loaded``: the work of one resource is far longer than any path. If one resource determines the makespan, core
    search proves it at once, or with dynamic precedences in tenths of a second, or not for a long time. On other
    problems binary search on the makespan is several times as fast as either search without it. ``local_share``: effort
    of the local search before each run, per effort of the run.
    """
    for turn in range(params.turns):
        share = decisions * params.growth**turn
        if not loaded:
            yield _after_local_search("branch and bound", _HALVING, params.turn * share, local_share)
            yield _after_local_search("core search", _CORE, params.short_turn * share, local_share)
            continue
        first = max(params.loaded_core * share, params.min_loaded_core)
        yield _after_local_search("core search", _CORE, params.turn * share if turn else first, local_share)
        yield _after_local_search("core search", _DYNAMIC_CORE, params.loaded_dynamic * share, local_share)
        yield _after_local_search("branch and bound", _HALVING, params.loaded_halving * share, local_share)


def _after_local_search(name: str, settings: dict[str, Any], effort: float, local_share: float) -> CpRun:
    return CpRun(name, settings, effort, local_share * effort)


def neighbourhood_settings(*, is_crowded: bool, is_windowed: bool) -> dict[str, Any]:
    """Return the settings of large-neighbourhood search; ``is_windowed``: there are maximum lags."""
    if is_crowded:
        return _HALVING | {"energetic": False}
    return {"presolve": not is_windowed, "energetic": False}
