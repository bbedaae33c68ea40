"""Strategies of CP-SAT: sequences of settings, each with a limit of effort.

Efforts are in CP-SAT's deterministic time, so that results do not depend on the machine's speed. One unit is some two
to ten seconds of a search on small models.

"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planoracle.instances.model.instance import Instance

#: Name of the proof, settings of CP-SAT, limit of effort.
Stage = tuple[str, dict[str, Any], float | None]

#: Actions or decisions from which on core search comes before models with orders, and neighbourhood search takes place;
#: from which on the first search in order and models with orders are left out.
LARGE, LARGER = 50, 100
#: Decisions of crowded problems from which on hardly any search in order ends.
VAST = 160

# Search in order: effort without and with interruptions; on crowded problems per decision, or where one resource
# determines the makespan.
_LOOK, _LOOK_WITH_PAUSES = 0.0003, 0.004
_LOOK_CROWDED_EACH, _LOOK_LOADED = 2.5e-6, 0.0007
# Core search before orders are stated: with pauses, and for every decision where there are many.
_PLAIN_WITH_PAUSES, _PLAIN_EACH = 0.005, 2.5e-5
_CORE, _BRANCHING = 0.02, 0.1
_PRESOLVED_CORE = 0.3, 2.0  # before the branch and bound, which profits from its lower bound, and after it
_PRESOLVED = 4.0
# Pairs of uses that exclude each other, for every action, from which on a problem is crowded.
_PAIRS_EACH = 2
# Uses of anything else, for every one of these, from which on it is not.
_SHARED = 0.2
# Turns on crowded problems: first effort per decision, of short and other stages; growth factor; number of turns.
_SHORT_TURN, _TURN, _GROWTH, _TURNS = 1.3e-5, 1e-4, 4, 5
# The same where one resource determines the makespan: core search (with its minimum), core search with dynamic
# precedences, binary search.
_LOADED_TURNS, _LOADED_LEAST = (2e-5, 6e-5, 1.5e-4), 0.006

_CORE_SEARCH: dict[str, Any] = {"light": True, "core": True}


def first_look(decisions: int, *, pauses: bool, crowded: bool, loaded: bool) -> float | None:
    """Return the effort of a first search in order; ``None`` if it is left out."""
    if pauses:
        return _LOOK_WITH_PAUSES
    if decisions >= LARGER:
        return None
    if crowded:
        return _LOOK_LOADED if loaded else _LOOK_CROWDED_EACH * decisions
    return _LOOK


def crowded(instance: Instance) -> bool:
    """Return whether the main difficulty is the order of actions that exclude each other, as in job shops.

    There are several such pairs for every action then, little else is used, and no action needs an agent.
    """
    users = dict.fromkeys((resource.name for resource in instance.resources), 0)
    shared = 0
    for action in instance.actions:
        if action.attended or len(action.modes) > 1:
            return False
        for demand in action.modes[0].demands:
            alone = 2 * demand.amount > instance.resource[demand.resource].capacity
            users[demand.resource] += alone
            shared += not alone
    pairs = sum(n * (n - 1) // 2 for n in users.values())
    return pairs > _PAIRS_EACH * len(instance.actions) and shared < _SHARED * sum(users.values())


def core_search(decisions: int, *, pauses: bool = False) -> Iterator[Stage]:
    """Yield a short core search on the model without orders."""
    yield "core search", _CORE_SEARCH, _PLAIN_WITH_PAUSES if pauses else _PLAIN_EACH * decisions


def without_presolve() -> Iterator[Stage]:
    """Yield the stages on the model with orders, without presolve."""
    yield "core search", _CORE_SEARCH, _CORE
    yield "branch and bound", {"light": True}, _BRANCHING


def in_turns(decisions: int, *, loaded: bool) -> Iterator[Stage]:
    """Yield the stages for crowded problems.

    ``loaded``: the work of one resource is far longer than any path. If one resource determines the makespan, core
    search proves it at once, or with dynamic precedences in tenths of a second, or not for a long time. On other
    problems binary search on the makespan is several times as fast as either search without it.
    """
    for turn in range(_TURNS):
        share = decisions * _GROWTH**turn
        if loaded:
            short, dynamic, halving = (each * share for each in _LOADED_TURNS)
            yield "core search", _CORE_SEARCH, _TURN * share if turn else max(short, _LOADED_LEAST)
            yield "core search", {"core": True, "dynamic": True}, dynamic
            yield "branch and bound", {"halving": True}, halving
        else:
            yield "branch and bound", {"halving": True}, _TURN * share
            yield "core search", _CORE_SEARCH, _SHORT_TURN * share


def with_presolve(workers: int) -> Iterator[Stage]:
    """Yield the last stages, without a limit of effort at the end; with one worker they are deterministic."""
    options: dict[str, Any] = {"presolve": True}
    yield "core search with presolve", options | {"core": True}, _PRESOLVED_CORE[0]
    yield "branch and bound with presolve", options, _PRESOLVED
    yield "core search with presolve", options | {"core": True}, _PRESOLVED_CORE[1]
    name = "branch and bound with presolve" if workers == 1 else "several workers"
    yield name, options | {"linearization": 1, "workers": workers}, None


#: Effort per decision of a search for any schedule of many actions with maximum lags.
FIRST_EFFORT_EACH = 2e-4
# Effort of the first of many proofs, among which large-neighbourhood search takes place.
_FIRST_PROOF = 0.05


def neighbourhood_settings(*, crowded: bool, windowed: bool) -> dict[str, Any]:
    """Return the settings of large-neighbourhood search; ``windowed``: there are maximum lags."""
    if crowded:
        return {"halving": True, "energetic": False}
    return {"presolve": not windowed, "energetic": False}


def growing(workers: int) -> Iterator[Stage]:
    """Yield proofs with growing effort, without an end."""
    options: dict[str, Any] = {"presolve": True}
    effort = _FIRST_PROOF
    while True:
        yield "core search with presolve", options | {"core": True}, effort
        yield "branch and bound with presolve", options | {"linearization": 1, "workers": workers}, effort
        effort *= 2


# Restarts for many actions and agents: actions from which on they pay, efforts of the rounds, settings of each.
_MANY_ACTIONS = 50
_ROUND_EFFORTS = 0.03, 0.12, 0.48
_ROUND_SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("core search", {"light": True, "core": True, "energetic": False}),
    ("search by earliest starts", {"presolve": True, "fixed_search": True, "probing": False, "energetic": False}),
    ("branch and bound", {"light": True, "energetic": False}),
    ("branch and bound with presolve", {"presolve": True, "probing": False, "energetic": False}),
    ("branch and bound with presolve", {"presolve": True, "probing": False}),
)


def of_many_actions(instance: Instance) -> bool:
    """Return whether an instance has many actions, and actions that need agents: restarts pay there."""
    return len(instance.actions) >= _MANY_ACTIONS and any(a.attended and a.agents != () for a in instance.actions)


def rounds() -> Iterator[Stage]:
    """Yield all settings with growing effort: on problems of hundreds of actions no setting is best.

    One setting finds in a tenth of a second a schedule that another does not find in ten, and the incumbent cuts off
    longer schedules for the next. Orders are left out, for models would be large, and presolve does not probe, which
    takes seconds.
    """
    for effort in _ROUND_EFFORTS:
        for name, options in _ROUND_SETTINGS:
            yield name, options, effort
