"""Kitchens in words: states, conditions, goals and actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.domain import Effect, KitchenDomain, Literal
from planoracle.instances.benchmarks.kitchens.effects import Running
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, natural
from planoracle.instances.benchmarks.kitchens.kitchen_layout import KitchenLayout, places
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import clean, listed

# What an item or meal has become.
_STATES = ("iscut", "iscooked", "isfried", "isboiling")


@dataclass(frozen=True, slots=True)
class Timer:
    """Effect under way on a thing, with its remaining steps (``ticks``) or repetitions."""

    thing: str
    makes: str
    remaining: int
    ticks: bool
    paused: bool


@dataclass(frozen=True, slots=True)
class ObjectView:
    """A state, by objects.

    Attributes
    ----------
    layout
        Where everything is.
    states
        States of things: ``{"lettuce1": ["cut"]}``.
    added
        What has been added to meals.
    timers
        What is under way.
    """

    layout: KitchenLayout
    states: dict[str, list[str]]
    added: dict[str, list[str]]
    timers: tuple[Timer, ...]


def look(engine: CompiledKitchen, state: State) -> ObjectView:
    """Take in a state."""
    facts = engine.facts(state)
    layout = places(sorted(engine.objects(state).items(), key=lambda each: _rank(engine, each[0])), facts)
    states: dict[str, list[str]] = {}
    added: dict[str, list[str]] = {}
    decisive = (fact for fact in facts if fact[0] in _STATES or fact[0] == "addedto")
    for fact in sorted(decisive, key=lambda atom: [natural(part) for part in atom]):
        if fact[0] in _STATES:
            states.setdefault(fact[1], []).append(fact[0].removeprefix("is"))
        elif fact[0] == "addedto":
            added.setdefault(fact[2], []).append(fact[1])
    timers = dict.fromkeys(_timers(engine.running(state), facts, paused=False))
    return ObjectView(layout, states, added, tuple(timers))


def _rank(engine: CompiledKitchen, name: str) -> tuple[bool, int, tuple[str, int, str]]:
    players = engine.kitchen.players
    return name not in players, players.index(name) if name in players else 0, natural(name)


def _timers(effects: Iterable[Running], facts: frozenset[tuple[str, ...]], *, paused: bool) -> Iterator[Timer]:
    for running in effects:
        effect = running.effect
        is_paused = paused or any((atom in facts) != value for atom, value in effect.conditions)
        if effect.count and not running.done:
            results = [atom[0].removeprefix("is") for atom, value in sorted(effect.changes) if value]
            results += [inner.effect.creates[1] for inner in running.nested if inner.effect.creates is not None]
            remaining = effect.count - running.count
            yield Timer(
                effect.argument, " and ".join(results) or "done", remaining, effect.kind == "delayed", is_paused
            )
        else:
            yield from _timers(running.nested, facts, paused=is_paused)


def describe(engine: CompiledKitchen, state: State) -> str:
    """Write a state for people: players, then stations with what is on them from the bottom up.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.compiled_kitchen import compiled
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> engine = compiled(kitchen("kitchens/synchronous/1_lettuce_sandwich"))
    >>> print(describe(engine, engine.start()))
    robot1 at table1, hands empty
      board1: bread1
      table1: empty
      table2: lettuce1
      table3: bread2
    """
    view = look(engine, state)
    players = engine.kitchen.players
    lines = []
    for player, (at, in_hand) in view.layout.players.items():
        turn = "* " if len(players) > 1 and player == engine.player(state) else ""
        hands = "hands empty" if in_hand is None else f"holds {_thing_in_words(view, in_hand)}"
        lines.append(f"{turn}{player} at {at or 'no station'}, {hands}")
    for station, things in view.layout.stations.items():
        lines.append(f"  {station}: {' < '.join(_thing_in_words(view, thing) for thing in things) or 'empty'}")
    nowhere = [
        name
        for name in view.layout.unplaced
        if not any(name in parts for parts in view.added.values()) and name not in view.layout.containers
    ]
    if nowhere:
        lines.append(f"  nowhere: {', '.join(nowhere)}")
    return "\n".join(lines)


def _thing_in_words(view: ObjectView, thing: str) -> str:
    """Return a thing with what it has become, what is in it and what is under way with it."""
    words = list(view.states.get(thing, ()))
    for timer in view.timers:
        if timer.thing == thing:
            unit = "step" if timer.ticks else "time"
            remaining = f"{timer.remaining} {unit}{'s' if timer.remaining > 1 else ''}"
            words.append(f"{timer.makes} {'after' if timer.paused else 'in'} {remaining}{', paused' * timer.paused}")
            if not timer.ticks:
                words[-1] = f"{remaining} more until {timer.makes}"
    meals = [
        _thing_in_words(view, meal) + (f" with {', '.join(view.added[meal])}" if meal in view.added else "")
        for meal in view.layout.containers.get(thing, ())
    ]
    inside = f" of {' and '.join(meals)}" if meals else ""
    return f"{thing}{' (' + '; '.join(words) + ')' if words else ''}{inside}"


# How conditions of the usual domains are written; others are written as they are.
_WORDS = {
    "loc": "{0} at {1}",
    "item_at": "{0} at {1}",
    "item_on": "{0} directly on {1}",
    "container_at": "{0} at {1}",
    "atop": "{0} on top of {1}",
    "has_item": "{0} holding {1}",
    "has_container": "{0} holding {1}",
    "nothing": "{0} with empty hands",
    "clear": "nothing on top of {0}",
    "station_empty": "nothing on {0}",
    "container_empty": "nothing in {0}",
    "vacant": "nobody at {0}",
    "in": "{0} in {1}",
    "addedto": "{0} added to {1}",
}


def condition_in_words(words: Sequence[str], verb: str = "to be") -> str:
    """Write a condition: predicate and names, perhaps behind ``not``.

    >>> condition_in_words(["atop", "bread1", "lettuce2"]), condition_in_words(["not", "iscut", "lettuce2"])
    ('bread1 on top of lettuce2', 'lettuce2 not to be cut')
    """
    if words[0] == "not":
        if len(words) == 3 and words[1].startswith("is"):
            return condition_in_words(words[1:], "is not" if verb == "is" else f"not {verb}")
        return f"that it is not so: {condition_in_words(words[1:], verb)}"
    predicate, *names = (clean(word) for word in words)
    if predicate in _WORDS and len(names) == _WORDS[predicate].count("{"):
        return _WORDS[predicate].format(*names)
    if len(names) == 1 and predicate.startswith("is"):
        return f"{names[0]} {verb} {predicate.removeprefix('is')}"
    return " ".join((predicate, *names))


def refusal_in_words(refusal: Violation, limit: int = 80) -> str:
    """Write why an action is refused; ``limit`` is that of the text other than conditions."""
    if refusal.kind == "precondition" and isinstance(refusal.required, tuple):
        return f"needs {listed([condition_in_words(part.split()) for part in refusal.required])}"
    return clean(refusal.message, limit)


def goal_in_words(kitchen: Kitchen) -> str:
    """Write the goal: its name, if it has one, and its conditions.

    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> print(goal_in_words(kitchen("kitchens/asynchronous/5_potato_soup")))
    Soup of a whole potato, in a bowl on a table: potato A added to water A; bowl A at table A; water A in bowl A; water A is boiling. (Letters stand for any different objects.)
    """  # noqa: E501
    letters: dict[str, str] = {}
    for role in kitchen.goal.roles:
        kind = role.partition("#")[0]
        count = sum(other.startswith(f"{kind} ") for other in letters.values())
        letters[role] = f"{kind} {ascii_uppercase[count] if count < 26 else count + 1}"
    named = [[letters.get(part, part) for part in condition] for condition in kitchen.goal.conditions]
    conditions = [condition_in_words(condition, "is") for condition in named]
    conditions += [f"there is {letters[role]}" for role in kitchen.goal.extra_roles]
    text = f"{clean(kitchen.text, 200)}: " if kitchen.text else ""
    return f"{text}{'; '.join(conditions)}.{' (Letters stand for any different objects.)' if letters else ''}"


def actions_in_words(domain: KitchenDomain) -> Iterator[str]:
    """Yield every action with what it needs, and what comes of it in time.

    >>> from planoracle.instances.benchmarks.kitchens.domain import bundled
    >>> print(list(actions_in_words(bundled()))[0])
    Move {p1} from {s1} to {s2} (needs p1 at s1 and nobody at s2)
    """
    for action in domain.actions:
        needs = listed([_literal(literal) for literal in action.conditions])
        after = "; ".join(filter(None, (_effect(effect) for effect in action.effects)))
        yield f"{action.text}{f' (needs {needs})' if needs else ''}{f': {after}' if after else ''}"


def _literal(literal: Literal, verb: str = "to be") -> str:
    return condition_in_words([*([] if literal.value else ["not"]), literal.predicate, *literal.params], verb)


def _effect(effect: Effect) -> str:
    changes = [_literal(change, "is") for change in effect.changes if change.value]
    text = " and ".join([*changes, *filter(None, (_effect(nested) for nested in effect.effects))])
    if effect.creates is not None:
        return f"there is new {effect.creates[2]} {effect.creates[0]}: {text}"
    if effect.kind == "delayed":
        return f"after {effect.count} steps (that of the action counts) {text}"
    if effect.kind == "repetitive":
        return f"once done {effect.count} times {text}"
    if effect.kind == "conditional":
        return f"while {listed([_literal(one, 'is') for one in effect.conditions])}, {text}"
    return text
