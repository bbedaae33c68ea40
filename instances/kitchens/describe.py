"""States for people: what lies where, what it is like by now, and what is under way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from planoracle.instances.kitchens.compiled import Compiled, State
from planoracle.instances.kitchens.effects import Running
from planoracle.instances.kitchens.kitchen import natural
from planoracle.instances.kitchens.layout import Layout, places

# What an item or meal has become.
_STATES = ("iscut", "iscooked", "isfried", "isboiling")


@dataclass(frozen=True, slots=True)
class Timer:
    """An effect under way: on what, what it makes of it, steps (``ticks``) or repetitions left, whether it pauses."""

    thing: str
    makes: str
    left: int
    ticks: bool
    paused: bool


@dataclass(frozen=True, slots=True)
class View:
    """A state, by objects.

    Attributes
    ----------
    layout
        Where everything is.
    made
        What things have become: ``{"lettuce1": ["cut"]}``.
    added
        What has been added to meals.
    timers
        What is under way.
    """

    layout: Layout
    made: dict[str, list[str]]
    added: dict[str, list[str]]
    timers: tuple[Timer, ...]


def look(engine: Compiled, state: State) -> View:
    """Take in a state."""
    facts = engine.facts(state)
    layout = places(sorted(engine.objects(state).items(), key=lambda each: _rank(engine, each[0])), facts)
    made: dict[str, list[str]] = {}
    added: dict[str, list[str]] = {}
    told = (fact for fact in facts if fact[0] in _STATES or fact[0] == "addedto")
    for fact in sorted(told, key=lambda atom: [natural(part) for part in atom]):
        if fact[0] in _STATES:
            made.setdefault(fact[1], []).append(fact[0].removeprefix("is"))
        elif fact[0] == "addedto":
            added.setdefault(fact[2], []).append(fact[1])
    timers = dict.fromkeys(_timers(engine.running(state), facts, paused=False))
    return View(layout, made, added, tuple(timers))


def _rank(engine: Compiled, name: str) -> tuple[bool, int, tuple[str, int, str]]:
    players = engine.kitchen.players
    return name not in players, players.index(name) if name in players else 0, natural(name)


def _timers(effects: Iterable[Running], facts: frozenset[tuple[str, ...]], *, paused: bool) -> Iterator[Timer]:
    for running in effects:
        effect = running.effect
        held = paused or any((atom in facts) != value for atom, value in effect.conditions)
        if effect.count and not running.done:
            made = [atom[0].removeprefix("is") for atom, value in sorted(effect.changes) if value]
            made += [inner.effect.creates[1] for inner in running.nested if inner.effect.creates is not None]
            left = effect.count - running.count
            yield Timer(effect.argument, " and ".join(made) or "done", left, effect.kind == "delayed", held)
        else:
            yield from _timers(running.nested, facts, paused=held)


def describe(engine: Compiled, state: State) -> str:
    """Write a state for people: players, then stations with what is on them from the bottom up.

    Examples
    --------
    >>> from planoracle.instances.kitchens.compiled import compiled
    >>> from planoracle.instances.kitchens.sets import kitchen
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
    for player, (at, held) in view.layout.players.items():
        turn = "* " if len(players) > 1 and player == engine.player(state) else ""
        hands = "hands empty" if held is None else f"holds {_named(view, held)}"
        lines.append(f"{turn}{player} at {at or 'no station'}, {hands}")
    for station, things in view.layout.stations.items():
        lines.append(f"  {station}: {' < '.join(_named(view, thing) for thing in things) or 'empty'}")
    gone = [
        name
        for name in view.layout.elsewhere
        if not any(name in parts for parts in view.added.values()) and name not in view.layout.containers
    ]
    if gone:
        lines.append(f"  nowhere: {', '.join(gone)}")
    return "\n".join(lines)


def _named(view: View, thing: str) -> str:
    """Return a thing with what it has become, what is in it and what is under way with it."""
    words = list(view.made.get(thing, ()))
    for timer in view.timers:
        if timer.thing == thing:
            unit = "step" if timer.ticks else "time"
            left = f"{timer.left} {unit}{'s' if timer.left > 1 else ''}"
            words.append(f"{timer.makes} {'after' if timer.paused else 'in'} {left}{', paused' * timer.paused}")
            if not timer.ticks:
                words[-1] = f"{left} more until {timer.makes}"
    meals = [
        _named(view, meal) + (f" with {', '.join(view.added[meal])}" if meal in view.added else "")
        for meal in view.layout.containers.get(thing, ())
    ]
    inside = f" of {' and '.join(meals)}" if meals else ""
    return f"{thing}{' (' + '; '.join(words) + ')' if words else ''}{inside}"
