"""What the compiled search looks up: the objects of one kitchen, and its goal as roles, as arrays of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import perm
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from planoracle.instances.kitchens.compiled import Compiled
from planoracle.instances.kitchens.kitchen import split_name
from planoracle.solver.kitchens.context import Context
from planoracle.solver.kitchens.goals import Group, Role, Roles, processes

__all__ = [
    "BOARD",
    "COOKED",
    "COOKING",
    "CUT",
    "FRIED",
    "FRYABLE",
    "FRYER",
    "PREDICATES",
    "SINK",
    "STATUS",
    "STOVE",
    "TYPED",
    "Fixed",
    "Names",
    "names_of",
    "tables",
]

Ints: TypeAlias = NDArray[np.int32]

#: Bits of an item's status.
CUT, COOKED, FRIED, COOKING, FRYABLE = 1, 2, 4, 8, 16
STATUS: Final = {"iscut": CUT, "iscooked": COOKED, "isfried": FRIED, "iscooking": COOKING, "isfryable": FRYABLE}
#: Kinds of stations, also bits of what can be done there.
STOVE, BOARD, FRYER, SINK = 1, 2, 4, 8
_STATIONS: Final = {"stove": STOVE, "board": BOARD, "fryer": FRYER, "sink": SINK}
#: What can be done to an item; what a container is.
_ITEMS: Final = {"iscookable": COOKED, "iscuttable": CUT, "isfryableifcut": FRYABLE}
_CONTAINERS: Final = {"ispot": 1, "isbowl": 2}
#: More than there are objects of one type.
TYPED: Final = 128
# Objects of one type, and ticks or repetitions, that short numbers can count.
_MOST: Final = 60
# Choices of a group; ways to give items of a kind their roles.
_GROUPS, _WAYS = 2_000, 5_040


class Fixed(NamedTuple):
    """Numbers and arrays of one kitchen.

    Attributes
    ----------
    players, stations, items, containers, meals, effects
        How many there are, or there is room for.
    cut, cook, fry, fill, boil
        Repetitions or ticks.
    skip, joint, alone, turning
        Rules: whether an effect that ends lets the next one miss a tick, moves are joint; whether there is one player;
        whether players are told apart by nothing but when it is their turn.
    does
        By station: what can be done there (`STOVE` and so on), 0 for tables.
    like_station, like_item, like_container, like_meal
        Numbers that are the same for objects that are alike.
    traits, vessels
        By item: what can be done to it. By container: 1 for pots, 2 for bowls.
    species
        By item: its kind.
    r_kind, r_name, r_needs, r_dish, r_meal, r_bottom, r_top, r_under, r_loose, r_rank
        By role, see `planoracle.solver.kitchens.goals.Role`; -1 for none.
    r_kinds
        By kind of item: how many roles there are, whether one of them is not at the bottom of a dish.
    d_bottom, d_last, d_crew, d_fits, d_is
        By dish; also by kind of item how many, by station whether it is of the right kind, or the very one.
    m_boiled, m_vessel, m_asked, v_pot, v_asked, v_fits
        By meal and vessel of the goal; whether it must stand somewhere, and by station whether there.
    awaited
        What takes time of itself: process, kind of item, for how many.
    g_bottoms, g_meals, g_vessels
        By group: the items, meals, containers.
    options, many, needed, dish, rank, capped
        By group and item: roles it may play, with -1 for none last, and how many such; whether it must play one;
        the only dish of its roles, their highest rank; whether its only role is on top.
    shared
        Things that take time at a station of their own kind, see `planoracle.solver.kitchens.time_bound`: kind of
        station, process (`CUT` and so on, 0 for boiling), kind of item or place of the meal, how many, whether
        there is one such station.
    preds, args, allowed
        Conditions of the goal as predicate and arguments (a role, or ~object); by role, objects that can play it;
        objects by number, with `TYPED` more for every type before theirs, so that none are the same.
    """

    players: int
    stations: int
    items: int
    containers: int
    meals: int
    effects: int
    cut: int
    cook: int
    fry: int
    fill: int
    boil: int
    skip: int
    joint: int
    alone: int
    turning: int
    does: Ints
    like_station: Ints
    like_item: Ints
    like_container: Ints
    like_meal: Ints
    traits: Ints
    vessels: Ints
    species: Ints
    r_kind: Ints
    r_name: Ints
    r_needs: Ints
    r_dish: Ints
    r_meal: Ints
    r_bottom: Ints
    r_top: Ints
    r_under: Ints
    r_loose: Ints
    r_rank: Ints
    r_kinds: Ints
    d_bottom: Ints
    d_last: Ints
    d_crew: Ints
    d_fits: Ints
    d_is: Ints
    m_boiled: Ints
    m_vessel: Ints
    m_asked: Ints
    v_pot: Ints
    v_asked: Ints
    v_fits: Ints
    awaited: Ints
    g_bottoms: Ints
    g_meals: Ints
    g_vessels: Ints
    options: Ints
    many: Ints
    needed: Ints
    dish: Ints
    rank: Ints
    capped: Ints
    shared: Ints
    preds: Ints
    args: Ints
    allowed: Ints


#: Predicates that goals are made of.
PREDICATES: Final = (
    *("iscut", "iscooked", "isfried", "iscooking", "isfryable", "clear", "item_at", "item_on", "atop", "addedto"),
    *("container_at", "in", "isboiling", "container_empty", "loc", "has_item", "has_container", "nothing"),
    *("vacant", "station_empty"),
)


class Names(NamedTuple):
    """Names of the objects, by number; of meals also those to come."""

    players: tuple[str, ...]
    stations: tuple[str, ...]
    items: tuple[str, ...]
    containers: tuple[str, ...]
    meals: tuple[str, ...]


def names_of(compiled: Compiled) -> Names:
    """Return the objects by type."""
    objects = compiled.kitchen.objects
    meals = [name for name, kind in objects if kind == "meal"]
    last = max((split_name(name)[1] for name in meals), default=0)
    vessels = sum(kind == "container" for _, kind in objects)
    return Names._make(
        (
            compiled.kitchen.players,
            *(tuple(name for name, kind in objects if kind == what) for what in ("station", "item", "container")),
            (*meals, *(f"water{last + n}" for n in range(1, 2 * vessels + 1))),
        )
    )


def tables(compiled: Compiled, roles: Roles, context: Context, groups: Sequence[Group], room: int) -> Fixed | None:
    """Return the arrays, with room for so many effects; ``None`` if the kitchen is too large or too odd for them."""
    names = names_of(compiled)
    if max(map(len, names)) > _MOST or max(room, len(groups) // 40) > _MOST or not groups:
        return None
    known = {name for listed in names for name in listed}
    parts = (part for group in groups for part in (group.bottoms, group.meals, group.vessels))
    asked = {name for part in parts for name in part if name}
    asked |= {part for atom in compiled.kitchen.goal.conditions for part in atom[1:] if "#" not in part}
    idle = compiled.kitchen.goal.extra_roles
    asked |= {name for role, listed in compiled.kitchen.candidates.items() if role not in idle for name in listed}
    if not known.issuperset(asked) or not all(roles.items.values()):
        return None
    if any(perm(len(roles.items[kind]), len(places)) > _WAYS for kind, places in roles.kinds.items()):
        return None
    if any(atom[0] not in PREDICATES for atom in compiled.kitchen.goal.conditions):
        return None
    kinds = {*(f"is{kind}" for kind in _STATIONS), *_CONTAINERS}
    if any(fact[0] in kinds and fact[0] != f"is{split_name(fact[1])[0]}" for fact in compiled.kitchen.facts):
        return None  # a station of two kinds, a bowl that is a pot
    times = {name: max(one.acts, one.ticks) for name, one in processes(compiled.kitchen.domain).items()}
    counts = [times["iscut"], times["iscooked"], times["isfried"], context.fill.ticks, context.boil.ticks]
    if max(counts) > _MOST:
        return None
    return Fixed._make(
        (
            *(len(listed) for listed in names),
            room,
            *counts,
            int(compiled.rules.skip_after_finish),
            int(compiled.rules.moves == "joint"),
            int(context.alone),
            int(_turning(compiled)),
            *_objects(compiled, names, roles),
            *_roles(roles, names),
            *_dishes(roles, names, context),
            *_groups(groups, roles, names, context),
            _shared(roles, context),
            *_goal(compiled, names),
        )
    )


def _turning(compiled: Compiled) -> bool:
    """Whether players differ in nothing but when it is their turn."""
    kitchen = compiled.kitchen
    players = set(kitchen.players)
    named = any(players.intersection(atom) for atom in kitchen.goal.conditions)
    roles = any(kitchen.domain.type_of(role.partition("#")[0]) == "player" for role in kitchen.goal.roles)
    fixed = [{fact[0] for fact in kitchen.facts if fact[1:] == (name,)} - kitchen.domain.changing for name in players]
    return compiled.rules.moves == "turns" and not named and not roles and all(one == fixed[0] for one in fixed)


def _objects(compiled: Compiled, names: Names, roles: Roles) -> tuple[Ints, ...]:
    kitchen = compiled.kitchen
    named = {part for atom in kitchen.goal.conditions for part in atom[1:] if "#" not in part}
    always = [fact for fact in kitchen.facts if fact[0] not in kitchen.domain.changing and len(fact) == 2]
    of: dict[str, set[str]] = {}
    for predicate, name in always:
        of.setdefault(name, set()).add(predicate)
    tokens: dict[Any, int] = {}

    def like(name: str) -> int:
        kind = split_name(name)[0]
        traits = frozenset(of.get(name, ())) if name in kitchen.types else frozenset()
        return tokens.setdefault((kind, name if name in named else traits), len(tokens) + 1)

    def bits(listed: Iterable[str], table: dict[str, int]) -> Ints:
        return _ints([sum(bit for what, bit in table.items() if what in of.get(name, ())) for name in listed])

    kinds = list(roles.kinds)
    return (
        _ints([_STATIONS.get(split_name(name)[0], 0) for name in names.stations]),
        *(_ints([like(name) for name in listed]) for listed in names[1:]),
        bits(names.items, _ITEMS),
        bits(names.containers, _CONTAINERS),
        _ints([kinds.index(kind) if (kind := split_name(name)[0]) in kinds else -1 for name in names.items]),
    )


def _needs(role: Role) -> int:
    return sum(STATUS[each.predicate] for each in role.needs)


def _roles(roles: Roles, names: Names) -> tuple[Ints, ...]:
    kinds = list(roles.kinds)
    listed = roles.roles
    return (
        _ints([kinds.index(role.kind) for role in listed]),
        _ints([names.items.index(role.name) if role.name else -1 for role in listed]),
        _ints([_needs(role) for role in listed]),
        _ints([role.dish for role in listed]),
        _ints([role.meal for role in listed]),
        _ints([role.bottom for role in listed]),
        _ints([role.top for role in listed]),
        _ints([(kinds.index(role.under) if role.under in kinds else -2) if role.under else -1 for role in listed]),
        _ints([role.loose for role in listed]),
        _ints([role.rank for role in listed]),
        _table(
            [[len(places), any(not listed[place].bottom for place in places)] for places in roles.kinds.values()], 2
        ),
    )


def _dishes(roles: Roles, names: Names, context: Context) -> tuple[Ints, ...]:
    kinds = list(roles.kinds)
    wide = len(names.stations)
    return (
        _ints([dish.bottom for dish in roles.dishes]),
        _ints([dish.last for dish in roles.dishes]),
        _table([[dish.crew.get(kind, 0) for kind in kinds] for dish in roles.dishes], len(kinds)),
        _table([[context.fits(name, dish.station) for name in names.stations] for dish in roles.dishes], wide),
        _table([[dish.station == name for name in names.stations] for dish in roles.dishes], wide),
        _ints([meal.boiled for meal in roles.meals]),
        _ints([meal.vessel for meal in roles.meals]),
        _ints([sum(role.meal == place for role in roles.roles) for place in range(len(roles.meals))]),
        _ints([vessel.kind == "pot" for vessel in roles.vessels]),
        _ints([bool(vessel.station) for vessel in roles.vessels]),
        _table([[context.fits(name, one.station) for name in names.stations] for one in roles.vessels], wide),
        _awaited(roles),
    )


def _awaited(roles: Roles) -> Ints:
    kinds = list(roles.kinds)
    wanted = Counter(
        (STATUS[one.predicate], kinds.index(role.kind)) for role in roles.roles for one in role.needs if one.ticks
    )
    return _table([[*what, count] for what, count in sorted(wanted.items())], 3)


def _groups(groups: Sequence[Group], roles: Roles, names: Names, context: Context) -> tuple[Ints, ...]:
    most = max(map(len, roles.kinds.values()), default=0) + 1
    wide = len(names.items)
    options = np.full((len(groups), wide, most), -1, np.int32)
    count, needed, dish, rank, capped = (np.zeros((len(groups), wide), np.int32) for _ in range(5))
    for g, group in enumerate(groups):
        for i, listed in enumerate(context.choices(group).values()):
            options[g, i, : len(listed)] = listed
            count[g, i] = len(listed)
            kind = context.kinds[names.items[i]]
            open_roles = [roles.roles[place] for place in listed if place >= 0]
            sure = len(listed) == 1 or (bool(open_roles) and context.count[kind] == len(roles.kinds[kind]))
            needed[g, i] = bool(open_roles) and sure
            same = len({role.dish for role in open_roles}) == 1
            dish[g, i] = open_roles[0].dish if same else -1
            rank[g, i] = max((role.rank for role in open_roles), default=0)
            capped[g, i] = len(open_roles) == len(listed) and all(role.top for role in open_roles)
    places = {name: n for listed in names for n, name in enumerate(listed)}
    return (
        _table([[places.get(one, -1) for one in group.bottoms] for group in groups], len(roles.dishes)),
        _table([[places.get(one, -1) for one in group.meals] for group in groups], len(roles.meals)),
        _table([[places.get(one, -1) for one in group.vessels] for group in groups], len(roles.vessels)),
        *(options, count, needed, dish, rank, capped),
    )


def _shared(roles: Roles, context: Context) -> Ints:
    """Return what takes time at a kind of station, see `planoracle.solver.kitchens.time_bound.TimeBound`."""
    if any(role.loose and one.ticks for role in roles.roles for one in role.needs):
        return _table([], 5)
    kinds = list(roles.kinds)
    wanted: dict[tuple[str, int, int], int] = {}
    for role in roles.roles:
        for one in role.needs:
            if one.ticks:
                key = (one.station, STATUS[one.predicate], kinds.index(role.kind))
                wanted[key] = wanted.get(key, 0) + 1
    for place, meal in enumerate(roles.meals):
        if meal.boiled and meal.vessel >= 0:
            wanted[context.boil.station, 0, place] = 1
    single = {kind: sum(context.kinds[name] == kind for name in context.stations) == 1 for kind in _STATIONS}
    rows = [[_STATIONS[kind], *rest, count, single[kind]] for (kind, *rest), count in wanted.items()]
    return _table(sorted(rows), 5)


def _goal(compiled: Compiled, names: Names) -> tuple[Ints, Ints, Ints]:
    kitchen = compiled.kitchen
    numbers = {name: n + TYPED * rank for rank, listed in enumerate(names) for n, name in enumerate(listed)}
    roles = [role for role in kitchen.goal.roles if role not in kitchen.goal.extra_roles]
    atoms = sorted(kitchen.goal.conditions, key=lambda atom: (-len(atom), atom))
    args = [[roles.index(part) if "#" in part else ~numbers[part] for part in atom[1:]] for atom in atoms]
    wide = max((len(kitchen.candidates[role]) for role in roles), default=0) + 1
    allowed = [[len(row), *row] for row in ([numbers[name] for name in kitchen.candidates[role]] for role in roles)]
    return (
        _ints([PREDICATES.index(atom[0]) for atom in atoms]),
        _table([[*row, *[0] * (2 - len(row))] for row in args], 2),
        _table([[*row, *[-1] * (wide - len(row))] for row in allowed], wide),
    )


def _ints(values: Iterable[Any]) -> Ints:
    return np.array([int(value) for value in values], np.int32)


def _table(rows: Sequence[Sequence[Any]], wide: int) -> Ints:
    return np.array(rows, np.int32).reshape(len(rows), wide)
