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
from planoracle.instances.files.strict_json import load_json

_SLOT = re.compile(r"\{(\w+)\}")


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
    legal_actions = _legal_actions(run)
    start_numbers = []
    for number, (position, action) in enumerate(legal_actions):
        state = run.states[position]
        if state != run.states[position + 1] and _starts(engine, state, action, facts, kinds):
            start_numbers.append(number)
    needed = sum(facts.values()) + sum(kinds.values())
    if not needed:
        return Foresight(None, 0, 0, None, 0)
    if not start_numbers:
        other_work = [action for _, action in legal_actions if _thing(engine, action) is not None]
        return Foresight(False, needed, 0, None, len(other_work))
    first_position, first_start = legal_actions[start_numbers[0]]
    earlier = [action for _, action in legal_actions[: start_numbers[0]]]
    helpful_things = _in_the_way(run, first_start)
    other_work = []
    for action in earlier:
        thing = _thing(engine, action) if action.player == first_start.player else None
        if thing is not None and thing not in helpful_things:
            other_work.append(action)
    refused = first_position - len(earlier)
    ticks = sum(action.ticks for action in earlier) + refused * engine.rules.count_refused
    return Foresight(not other_work, needed, len(start_numbers), ticks, len(other_work))


def _legal_actions(run: StepRecord) -> list[tuple[int, GroundAction]]:
    """Return the positions and the actions of the steps that were carried out."""
    actions = []
    for position, step in enumerate(run.steps):
        if step.action_number is not None:
            actions.append((position, run.rules.actions[step.action_number]))
    return actions


def _needs(kitchen: Kitchen) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """Return the long-running work that the goal lacks: predicates of kinds, and kinds to be created."""
    facts: Counter[tuple[str, str]] = Counter()
    for condition in kitchen.goal.conditions:
        if condition[0] in kitchen.domain.slow and len(condition) == 2:
            kind, _, _ = natural(condition[1].partition("#")[0])
            facts[condition[0], kind] += 1
    for fact in kitchen.facts:
        if len(fact) == 2 and (key := (fact[0], split_name(fact[1])[0])) in facts:
            facts[key] -= 1
    kinds = Counter(role.partition("#")[0] for role in kitchen.goal.roles)
    to_create = kitchen.domain.created - {split_name(name)[0] for name, _ in kitchen.objects}
    return +facts, Counter({kind: count for kind, count in kinds.items() if kind in to_create})


def _delayed_effects(effect: GroundEffect, inside: bool = False) -> Iterator[GroundEffect]:
    """Yield the delayed effects in an effect, and their nested effects."""
    inside = inside or effect.kind == "delayed"
    if inside:
        yield effect
    for nested in effect.effects:
        yield from _delayed_effects(nested, inside)


def _starts(
    engine: CompiledKitchen, state: State, action: GroundAction, facts: Counter[tuple[str, str]], kinds: Counter[str]
) -> bool:
    """Return whether an action starts long-running work that the goal needs and that is not under way."""
    if not action.effects:
        return False
    running = {effect.effect for effect in engine.running(state)}
    delayed: list[GroundEffect] = []
    for _, first in action.effects:
        effect = engine.timers.running[first].effect
        if effect not in running:
            delayed += _delayed_effects(effect)
    if any(effect.creates is not None and effect.creates[1] in kinds for effect in delayed):
        return True
    for effect in delayed:
        if effect.creates is not None:
            continue
        for atom, value in effect.changes:
            is_needed = value and len(atom) == 2 and (atom[0], split_name(atom[1])[0]) in facts
            if is_needed and not engine.holds(state, atom):
                return True
    return False


def _thing(engine: CompiledKitchen, action: GroundAction) -> str | None:
    """Return the first thing in the text of an action that is neither a player nor a station, if any."""
    template = engine.kitchen.domain.actions[action.position]
    types = dict(template.params)
    for slot in _SLOT.findall(template.text):
        if types[slot] not in (ACTOR, "station"):
            slots = [param for param, _ in template.params]
            return action.arguments[slots.index(slot)]
    return None


def _in_the_way(run: StepRecord, action: GroundAction) -> set[str]:
    """Return the things whose handling serves an action: its objects, and things in their way."""
    types = dict(run.rules.kitchen.domain.actions[action.position].params)
    arguments = list(zip(action.arguments, types.values(), strict=True))
    stations = {name for name, object_type in arguments if object_type == "station"}
    helpful_things = {name for name, object_type in arguments if object_type not in (ACTOR, "station")}
    start = run.rules.facts(run.states[0])
    helpful_things |= {atom[2] for atom in start if atom[0] in ("has_item", "has_container")}
    helpful_things |= {atom[1] for atom in start if atom[0] in ("item_at", "container_at") and atom[2] in stations}
    above = {(atom[2], atom[1]) for atom in start if atom[0] == "atop"}
    # A thing that was put in the way later was handled before, which is other work.
    frontier = set(helpful_things)
    while frontier:
        frontier = {upper for lower, upper in above if lower in frontier} - helpful_things
        helpful_things |= frontier
    return helpful_things


@cache
def published() -> dict[str, int]:
    """Return the published numbers of steps by task."""
    path = files(__package__) / "data" / "robotouille" / "published.json"
    rows = load_json(path.read_bytes(), path.name)["figures"]
    optima = [row for row in rows if row["ours"][0] == "optimum"]
    return {row["ours"][1].rpartition("/")[2]: row["paper"] for row in optima}


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
