"""Data of the lower bound: objects and roles of a kitchen, open processes, one decoded state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from struct import pack
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.effects import Running
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, split_name
from planoracle.solver.kitchens.goals import BOILED, FILLED, Group, ItemRole, Process, Roles, processes

#: More steps than any plan takes: the goal is out of reach.
UNREACHABLE = 10**6


class GroupScene:
    """One state together with the choices of a group.

    Attributes
    ----------
    attended
        Stations where a cook stands.
    options
        By item, the roles that it may play; -1: none.
    tables
        By dish, the station where its lowest item lies ready, ``""`` if there is none.
    leaving
        Stations where some item has to leave, whatever its role.
    """

    __slots__ = ("attended", "group", "leaving", "options", "tables", "view")

    def __init__(self, view: StateView, group: Group, options: dict[str, tuple[int, ...]], tables: list[str]) -> None:
        self.view = view
        self.group = group
        self.attended = frozenset(view.at.values())
        self.options = options
        self.tables = tables
        self.leaving: set[str] = set()


class Context:
    """A kitchen as the lower bound sees it.

    Attributes
    ----------
    kinds
        Kind of every object.
    count
        Number of items of each kind that has a role.
    cooks
        Number of players.
    """

    def __init__(self, abstraction: Abstraction, roles: Roles) -> None:
        kitchen = abstraction.compiled.kitchen
        self.bits = abstraction.compiled.bits
        self.roles = roles
        of_pots = processes(kitchen.domain)
        self.fill, self.boil = of_pots[FILLED], of_pots[BOILED]
        self.kinds = {name: split_name(name)[0] for name, _ in kitchen.objects}
        self.items = [name for name, kind in kitchen.objects if kind == "item"]
        self.count = {kind: list(self.kinds.values()).count(kind) for kind in roles.kinds}
        self.stations = [name for name, kind in kitchen.objects if kind == "station"]
        self.containers = [name for name, kind in kitchen.objects if kind == "container"]
        self.pots = [name for name in self.containers if self.kinds[name] == "pot"]
        self.cooks = len(kitchen.players)
        self.alone = self.cooks == 1
        self._options: dict[Group, dict[str, tuple[int, ...]]] = {}

    def choices(self, group: Group) -> dict[str, tuple[int, ...]]:
        """Return for every item its possible roles; -1: none."""
        options = self._options.get(group)
        if options is not None:
            return options
        options = self._options[group] = {}
        fixed = {name: self.roles.dishes[i].bottom for i, name in enumerate(group.bottoms) if name}
        for item in self.items:
            if item in fixed:
                options[item] = (fixed[item],)
                continue
            open_roles = (i for i in self.roles.kinds.get(self.kinds[item], ()) if i not in fixed.values())
            options[item] = (*open_roles, -1)
        return options

    def fits(self, station: str, required: str) -> bool:
        """Return whether a station has the required name or kind."""
        return required in (station, self.kinds.get(station))

    def suits(self, station: str, process: Process) -> bool:
        """Return whether a process can be executed at a station."""
        return self.kinds.get(station) == process.station

    def todo(self, view: StateView, item: str, role: ItemRole) -> tuple[Process, ...]:
        """Return the open processes of an item in a role."""
        if not role.needs:
            return ()
        facts, mask = view.facts, self.bits.mask
        return tuple([process for process in role.needs if not facts & mask((process.predicate, item))])

    def effort(self, view: StateView, name: str, process: Process, at: str | None) -> tuple[int, int]:
        """Return the remaining actions of a process, and 1 if its cook must wait or return before the pick."""
        if not process.ticks:
            return view.ticks.get((name, process.predicate, ""), process.acts), 0
        running = []
        for (thing, predicate, station), ticks in view.ticks.items():
            if thing == name and predicate == process.predicate and (at is None or station == at):
                running.append(ticks)
        if not running:
            return process.acts, int(process.ticks > self.cooks)
        # Of the ticks after putting it down one passes at once; others pass while the other cooks have their turns.
        return 0, int(min(running) >= self.cooks + (at is None))


#: Predicates of positions; all others of one object are its status.
_PLACES = ("loc", "has_item", "has_container", "item_on", "atop", "container_at", "in", "addedto")
#: Predicates that follow from these. (`container_empty` does not: a pot is empty once one of two meals is poured.)
_IMPLIED = ("nothing", "vacant", "station_empty", "item_at", "clear")
_TURN = "#turn"


class _Effect(NamedTuple):
    """A running effect.

    Fields: its object, the stations and other objects it is bound to, a token, and the fact that it leads to.
    """

    name: str
    bound: tuple[str, ...]
    partners: frozenset[str]
    token: Any
    tick: tuple[tuple[str, str, str], int] | None


@dataclass(slots=True)
class StateView:
    """A decoded state; objects go by name.

    Attributes
    ----------
    at, hands
        Station of every player, and what it holds.
    stacks
        Items on a station, from the bottom.
    places
        Station and height of every item that lies somewhere, and station of every container that stands somewhere.
    inside, added
        Container of every meal; pairs of item and meal.
    facts
        The state's facts as bits.
    ticks
        For (object, predicate, station): updates until an effect under way makes the predicate true; the station is
        that it is bound to, ``""`` if to none.
    """

    facts: int
    at: dict[str, str]
    hands: dict[str, str]
    stacks: dict[str, list[str]]
    places: dict[str, tuple[str, int]]
    inside: dict[str, str]
    added: list[tuple[str, str]]
    ticks: dict[tuple[str, str, str], int]

    def held_at(self, thing: str) -> str:
        """Return the station of the cook that holds a thing, ``""`` if no cook does."""
        return next((self.at.get(player, "") for player, carried in self.hands.items() if carried == thing), "")


class Abstraction:
    """Decoder of the states of one kitchen; states that differ only in names have one key.

    Two objects are alike if they are of one kind, have the same unchanging facts and the goal names neither. States
    with the same key can be turned into each other by exchanging like objects, so that they are equally far from the
    goal.
    """

    def __init__(self, compiled: CompiledKitchen) -> None:
        kitchen = compiled.kitchen
        self.compiled = compiled
        arguments = chain.from_iterable(condition[1:] for condition in kitchen.goal.conditions)
        self._named = frozenset(name for name in arguments if "#" not in name)
        self._always = frozenset(kitchen.domain.signature) - kitchen.domain.changing
        self._containers = frozenset(name for name, kind in kitchen.objects if kind == "container")
        self._ordered = compiled.rules.skip_after_finish
        self._turns = 0
        self._places = 0
        self._width = 0
        self._masks: dict[str, int] = {}
        self._effects: dict[int, _Effect] = {}
        self._bases: dict[str, dict[int, int]] = {}
        self._tokens: dict[Any, int] = {}
        self._stations = [
            (name, self._intern(self._species(name))) for name, kind in kitchen.objects if kind == "station"
        ]

    def _learn(self) -> None:
        """Add the atoms created since the last call."""
        atoms = self.compiled.bits.atoms
        for i in range(self._width, len(atoms)):
            atom = atoms[i]
            if atom[0] in _PLACES:
                self._places |= 1 << i
            elif atom[0] == _TURN:
                self._turns |= 1 << i
            elif len(atom) == 2 and atom[0] not in _IMPLIED and not atom[0].startswith("#"):
                self._masks[atom[1]] = self._masks.get(atom[1], 0) | 1 << i
        self._width = len(atoms)

    def view(self, state: State) -> StateView:
        """Decode a state."""
        atoms = self.compiled.bits.atoms
        if len(atoms) != self._width:
            self._learn()
        view = StateView(state[0], {}, {}, {}, {}, {}, [], {})
        bottom: list[tuple[str, str]] = []
        above: dict[str, str] = {}
        bits = state[0] & self._places
        places = view.places
        while bits:
            low = bits & -bits
            bits ^= low
            atom = atoms[low.bit_length() - 1]
            name = atom[0]
            if name == "item_on":
                bottom.append((atom[1], atom[2]))
            elif name == "atop":
                above[atom[2]] = atom[1]
            elif name == "loc":
                view.at[atom[1]] = atom[2]
            elif name == "container_at":
                places[atom[1]] = (atom[2], 0)
            elif name == "in":
                view.inside[atom[1]] = atom[2]
            elif name == "addedto":
                view.added.append((atom[1], atom[2]))
            else:
                view.hands[atom[1]] = atom[2]
        for item, station in bottom:
            stack = [item]
            while item in above:
                item = above[item]
                stack.append(item)
            view.stacks[station] = stack
            for height, name in enumerate(stack):
                places[name] = (station, height)
        for code in state[1]:
            effect = self._effects.get(code) or self._effect(code)
            if effect.tick is not None:
                view.ticks[effect.tick[0]] = effect.tick[1]
        return view

    def _effect(self, code: int) -> _Effect:
        running = self.compiled.timers.running[code]
        name = running.effect.argument
        partners = set(_names(running)) - {name}
        stations = tuple(sorted(thing for thing in partners if self.compiled.kitchen.types.get(thing) == "station"))
        result = _result(running)
        tick = None
        if result is not None and len(stations) <= 1:
            predicate, ticks = result
            tick = ((name, predicate, stations[0] if stations else ""), ticks)
        token = self._intern(_shape(running, {name: "self"} | dict.fromkeys(stations, "station")))
        effect = _Effect(name, stations, frozenset(partners.difference(stations)), token, tick)
        self._effects[code] = effect
        return effect

    def key(self, state: State, view: StateView) -> bytes:
        """Return a key that is equal for states that differ only in the names of like objects."""
        facts = state[0]
        base = self._base
        special: dict[str, Any] = {}  # by object, the effects on it
        marked: set[str] = set()  # stations and other objects that an effect elsewhere is bound to
        for rank, code in enumerate(state[1]):
            name, stations, partners, shape, _ = self._effects[code]
            place = view.places.get(name)
            at = place[0] if place is not None else ""
            bonds = tuple(["" if station == at else station for station in stations])
            marked.update(filter(None, bonds), partners)
            special[name] = (*special.get(name, ()), (shape, bonds, rank if self._ordered else 0))
        for name in marked:
            special[name] = (name, *special.get(name, ()))
        ordinary_items = [(base(item, facts), meal) for item, meal in view.added if item not in special]
        for token, meal in sorted(ordinary_items):
            special[meal] = (*special.get(meal, ()), token)
        holding = list(view.inside.values())
        for meal, container in view.inside.items():
            if holding.count(container) > 1:  # an action on the contents means the first by name
                special[meal] = (meal, *special.get(meal, ()))
        for item, meal in view.added:
            if item in special:
                special[meal] = (*special.get(meal, ()), (base(item, facts), special[item]))
        for meal, container in view.inside.items():
            contents = (base(meal, facts), special.get(meal, ()))
            special[container] = (*special.get(container, ()), contents)
        extra: dict[str, list[Any]] = {}  # by station: its container, players and what they hold
        for name in self._containers:
            if name in view.places:
                container_token = (base(name, facts), special.get(name, ()))
                extra.setdefault(view.places[name][0], []).append(container_token)
        for player, station in view.at.items():
            hand = view.hands.get(player)
            carried = None if hand is None else (base(hand, facts), special.get(hand, ()))
            extra.setdefault(station, []).append((player, carried))
        parts = []
        for station, empty in self._stations:
            stack = view.stacks.get(station)
            if stack is None and station not in extra and station not in marked:
                parts.append(empty)
                continue
            items: list[Any] = []
            for item in stack or ():
                token = base(item, facts)
                items.append((token, special[item]) if item in special else token)
            mark = station if station in marked else ""
            parts.append(self._intern((empty, tuple(items), tuple(extra.get(station, ())), mark)))
        parts.sort()
        turn = (facts & self._turns).bit_length()
        return pack(f"{len(parts) + 1}I", turn, *parts)

    def _base(self, name: str, facts: int) -> int:
        """Return the token of an object's species and status."""
        tokens = self._bases.get(name)
        if tokens is None:
            tokens = self._bases[name] = {}
        mask = facts & self._masks.get(name, 0)
        token = tokens.get(mask)
        if token is None:
            status = frozenset(atom[0] for atom in self.compiled.bits.atoms_of(mask))
            token = tokens[mask] = self._intern((self._species(name), status))
        return token

    def _species(self, name: str) -> Any:
        kind = split_name(name)[0]
        if name in self._named or name not in self.compiled.kitchen.types:  # the goal may ask for this one
            return kind, name
        facts_of_object = (fact for fact in self.compiled.kitchen.facts if fact[1:] == (name,))
        return kind, frozenset(fact[0] for fact in facts_of_object) & self._always

    def _intern(self, token: Any) -> int:
        return self._tokens.setdefault(token, len(self._tokens))


def _names(running: Running) -> Iterator[str]:
    for atom, _ in (*running.effect.conditions, *running.effect.changes):
        yield from atom[1:]
    for nested in running.nested:
        yield from _names(nested)


def _result(running: Running) -> tuple[str, int] | None:
    """Return the predicate (or created object) to which an effect leads, and the ticks until then."""
    effect = running.effect
    if running.done:
        return None
    if effect.kind == "conditional":
        return next(filter(None, map(_result, running.nested)), None)
    ticks = effect.count - running.count
    fact = next((atom[0] for atom, value in sorted(effect.changes) if value), None)
    if fact is not None:
        return fact, ticks
    inner = next((nested.effect for nested in running.nested if nested.effect.creates is not None), None)
    if inner is not None and inner.creates is not None:
        return f"new {inner.creates[1]}", ticks
    return None


def _shape(running: Running, names: Mapping[str, str]) -> Any:
    """Return an effect with names exchanged, in a form that can be compared."""
    effect = running.effect

    def rename(atom: Atom, value: bool) -> tuple[Any, ...]:
        return (atom[0], *(names.get(name, name) for name in atom[1:]), value)

    changes = frozenset(rename(atom, value) for atom, value in effect.changes)
    conditions = frozenset(rename(atom, value) for atom, value in effect.conditions)
    return (
        effect.kind,
        conditions,
        changes,
        effect.count,
        effect.creates,
        running.count,
        running.done,
        tuple(_shape(nested, names) for nested in running.nested),
    )
