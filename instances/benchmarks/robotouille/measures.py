"""Metrics of Robotouille (section 4.2 of the paper) computed from the trace of a run."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, GroundAction, State
from planoracle.instances.benchmarks.kitchens.domain import ACTOR
from planoracle.instances.benchmarks.kitchens.effects import GroundEffect
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, natural, split_name
from planoracle.instances.benchmarks.kitchens.simulation import StepRecord
from planoracle.plugin import load_json

_SLOT = re.compile(r"\{(\w+)\}")
#: Predicates that delayed effects make true. All that is created, water, is created by one.
_SLOW = frozenset({"iscooked", "isfried", "isboiling"})


class Foresight(NamedTuple):
    """Use of the time of long-running work, see `foresight`.

    Attributes
    ----------
    prioritised
        True if long-running work started before other work; ``None`` if the goal needs none.
    slow_needed, slow_started
        Minimum pieces of long-running work that the goal needs, and actions that started one.
    first_slow_start
        Steps before the first of these actions, or ``None``.
    other_before
        Actions before it (or all, if there is none) that were other work.
    """

    prioritised: bool | None
    slow_needed: int
    slow_started: int
    first_slow_start: int | None
    other_before: int


def repetitions(run: StepRecord) -> int:
    """Count actions that were tried before in the same state: repeated transitions (4.2.3, Figure 6).

    A refused action is a transition to the same state (section 2). States are equal only with equal timers and turns:
    a wait while something cooks is not a repetition.
    """
    return len(run.steps) - len({(step.state, step.action) for step in run.steps})


def step_limit(reference: float) -> int:
    """Return the step limit of a success, ``floor(1.5 |τ*|)`` (4.2.2, question 1).

    >>> step_limit(21)
    31
    """
    return math.floor(1.5 * reference)


def foresight(run: StepRecord) -> Foresight:
    """Decide whether long-running work started before other work (4.2.4, question 6; our definition).

    Work is *long-running* if its result is a delayed effect: cooked, fried, boiling, water in a pot. The goal *needs*
    such work for a fact that it requires for more objects of a kind than at the start, and for objects that do not
    exist yet. A goal without such work is synchronous: ``prioritised`` is ``None``.

    A run is *prioritised* if an action starts such work, and all previous actions of the same player served it: walking
    and waiting; actions on the thing itself (an onion is cut before it is fried); and clearing the way. Clearing the
    way is handling things held at the start, things on the station of the work, and things on top of any of these.
    Handling, cutting or cooking anything else is other work.
    """
    engine = run.rules
    facts, kinds = _needs(engine.kitchen)
    done = [(at, engine.deeds[step.deed]) for at, step in enumerate(run.steps) if step.deed is not None]
    starts = [
        (place, at, deed)
        for place, (at, deed) in enumerate(done)
        if run.states[at] != run.states[at + 1] and _starts(engine, run.states[at], deed, facts, kinds)
    ]
    needed = sum(facts.values()) + sum(kinds.values())
    if not needed:
        return Foresight(None, 0, 0, None, 0)
    if not starts:
        other = [deed for _, deed in done if _thing(engine, deed) is not None]
        return Foresight(False, needed, 0, None, len(other))
    place, at, first = starts[0]
    before = [deed for _, deed in done[:place] if deed.player == first.player]
    helping = _in_the_way(run, at, first)
    other = [deed for deed in before if (thing := _thing(engine, deed)) is not None and thing not in helping]
    ticks = sum(deed.ticks for _, deed in done[:place])
    return Foresight(not other, needed, len(starts), ticks, len(other))


def _needs(kitchen: Kitchen) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """Return the long-running work that the goal lacks: predicates of kinds, and kinds to be created."""
    facts: Counter[tuple[str, str]] = Counter()
    for condition in kitchen.goal.conditions:
        if condition[0] in _SLOW and len(condition) == 2:
            facts[condition[0], natural(condition[1].partition("#")[0])[0]] += 1
    for fact in kitchen.facts:
        if len(fact) == 2 and (key := (fact[0], split_name(fact[1])[0])) in facts:
            facts[key] -= 1
    kinds = Counter(role.partition("#")[0] for role in kitchen.goal.roles)
    existing = {split_name(name)[0] for name, _ in kitchen.objects}
    return +facts, Counter(
        {kind: count for kind, count in kinds.items() if kind in kitchen.domain.created and kind not in existing}
    )


def _delayed(effect: GroundEffect, inside: bool = False) -> Iterator[GroundEffect]:
    """Yield the delayed effects in an effect, and their nested effects."""
    inside = inside or effect.kind == "delayed"
    if inside:
        yield effect
    for nested in effect.effects:
        yield from _delayed(nested, inside)


def _starts(
    engine: CompiledKitchen, state: State, deed: GroundAction, facts: Counter[tuple[str, str]], kinds: Counter[str]
) -> bool:
    """Return whether a deed starts long-running work that the goal needs and that is not under way."""
    if not deed.effects:
        return False
    running = {each.effect for each in engine.running(state)}
    started = (engine.timers.running[first].effect for _, first in deed.effects)
    delayed = [one for effect in started if effect not in running for one in _delayed(effect)]
    if any(one.creates is not None and one.creates[1] in kinds for one in delayed):
        return True
    changes = (atom for one in delayed if one.creates is None for atom, value in one.changes if value)
    needed = (atom for atom in changes if len(atom) == 2 and (atom[0], split_name(atom[1])[0]) in facts)
    return any(not engine.holds(state, atom) for atom in needed)


def _thing(engine: CompiledKitchen, deed: GroundAction) -> str | None:
    """Return the first thing in the text of a deed that is neither a player nor a station, if any."""
    action = engine.kitchen.domain.actions[deed.position]
    types = dict(action.params)
    for slot in _SLOT.findall(action.text):
        if types[slot] not in (ACTOR, "station"):
            return deed.arguments[[param for param, _ in action.params].index(slot)]
    return None


def _in_the_way(run: StepRecord, at: int, deed: GroundAction) -> set[str]:
    """Return the things whose handling serves a deed: its objects, and things in their way."""
    types = dict(run.rules.kitchen.domain.actions[deed.position].params)
    stations = {name for name, kind in zip(deed.arguments, types.values(), strict=True) if kind == "station"}
    helping = {name for name, kind in zip(deed.arguments, types.values(), strict=True) if kind != ACTOR} - stations
    start = run.rules.facts(run.states[0])
    helping |= {atom[2] for atom in start if atom[0] in ("has_item", "has_container")}
    helping |= {atom[1] for atom in start if atom[0] in ("item_at", "container_at") and atom[2] in stations}
    above = {(atom[2], atom[1]) for atom in start if atom[0] == "atop"}
    # A thing that was put in the way later was handled before, which is other work.
    frontier = set(helping)
    while frontier:
        frontier = {upper for lower, upper in above if lower in frontier} - helping
        helping |= frontier
    return helping


@cache
def published() -> dict[str, int]:
    """Return the published numbers of steps by task."""
    path = files(__package__) / "data" / "published.json"
    rows = (row for row in load_json(path.read_bytes(), path.name)["figures"] if row["ours"][0] == "optimum")
    return {row["ours"][1].rpartition("/")[2]: row["paper"] for row in rows}


def published_steps(name: str) -> int | None:
    """Return the number published for the task of a kitchen's name, ``None`` if there is none.

    The number applies to the released kitchen of the task; variants may need more or fewer steps. Our kitchens have
    none.

    >>> published_steps("3_burger"), published_steps("asynchronous__5_potato_soup__42")
    (10, 19)
    >>> published_steps("robotouille/synchronous/3_burger@42"), published_steps("kitchens/synchronous/3_burger")
    (10, None)
    """
    if name.startswith("kitchens/"):
        return None
    parts = name.rpartition("/")[2].partition("@")[0].split("__")
    return next((published()[part] for part in parts if part in published()), None)
