"""Grammar of small kitchens: objects, states of preparation and goals that the domain allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from typing import Any, Final

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import State
from planoracle.instances.benchmarks.kitchens.domain import OTHERS, OWN, TIMES, Effect, KitchenDomain, domain_for
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Kitchen, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import RAW, new_name
from planoracle.instances.benchmarks.kitchens.problems import FORMAT, VERSION
from planoracle.instances.generate.parameters import below, chance, one, shuffled, weighted
from tests.support.state_graph import StateGraph

#: Stations by theme: those in every kitchen, and weights of the others.
_STATIONS: Final[dict[str, tuple[tuple[str, ...], dict[str, int]]]] = {
    "piles": (("table",), {"table": 6, "board": 1}),
    "food": (("stove",), {"table": 3, "board": 3, "stove": 3, "fryer": 2}),
    "frying": (("fryer",), {"table": 2, "board": 3, "fryer": 1}),
    "soup": (("stove",), {"table": 4, "stove": 2, "sink": 3, "board": 1}),
    "water": (("sink",), {"table": 4, "stove": 2, "sink": 1}),
    "any": ((), {"table": 1, "board": 1, "stove": 1, "fryer": 1, "sink": 1}),
}
#: Kinds of items by theme, if not all are equally likely.
_KINDS: Final = {"food": ("patty", "chicken", "lettuce", "onion"), "frying": ("potato", "chicken", "onion")}
#: Kinds of containers, and themes with a pot.
_VESSELS: Final = ("pot", "bowl")
_WET: Final = ("soup", "water")
#: Further predicates that an item, or a meal, may have.
_TRAITS: Final = ("iscuttable", "iscut", "iscookable", "iscooked", "isfryable", "isfryableifcut", "isfried")
_DONE: Final = {"iscuttable": "iscut", "iscookable": "iscooked", "isfryable": "isfried"}
#: Actions whose effects take time or repetitions.
_TIMED: Final = {"cook": "stove", "fry": "fryer", "fill-pot": "sink", "boil-water": "stove", "cut": "board"}
#: Weights of the predicates of goals; 1 for all others.
_INTEREST: Final = {
    "iscut": 30,
    "iscooked": 30,
    "isfried": 42,
    "isboiling": 30,
    "addedto": 30,
    "in": 30,
    "item_on": 24,
    "item_at": 18,
    "atop": 30,
    "container_at": 18,
    "clear": 12,
    "has_item": 12,
    "has_container": 12,
    "loc": 6,
}


def draw_counts(random: Random, document: Mapping[str, Any]) -> dict[str, int]:
    """Return changed numbers of ticks or repetitions for some possible actions; often none."""
    if not chance(random, 30):
        return {}
    kinds = {split_name(station)[0] for station in document["stations"]}
    usable = [action for action, kind in _TIMED.items() if kind in kinds]
    return {action: 1 + below(random, 6 if action != "cut" else 4) for action in usable if chance(random, 60)}


def draw_config(random: Random) -> dict[str, Any]:
    """Return numbers of cuts and steps by kind of item; often none. `draw_counts` has precedence."""
    if not chance(random, 40):
        return {}
    kinds = (*_KINDS["food"], *_KINDS["frying"], OTHERS)
    return {"config": {key: {one(random, kinds): 1 + below(random, 5) for _ in range(3)} for key in TIMES}}


def draw_rules(random: Random, document: Mapping[str, Any]) -> dict[str, str]:
    """Return a rule profile and, for several cooks, sometimes joint moves."""
    rules = {"profile": one(random, ("paper", "released"))}
    return rules | {"moves": "joint"} if len(document["players"]) > 1 and chance(random, 25) else rules


def timed_domain(counts: Mapping[str, int]) -> KitchenDomain:
    """Return the bundled domain with changed numbers of ticks or repetitions."""
    return _timed_domain(tuple(sorted(counts.items())))


@lru_cache(maxsize=256)
def _timed_domain(counts: tuple[tuple[str, int], ...]) -> KitchenDomain:
    domain, by_name = domain_for(OWN), dict(counts)
    if not by_name:
        return domain
    actions = [
        replace(action, effects=tuple(_timed(effect, by_name[action.name]) for effect in action.effects))
        if action.name in by_name
        else action
        for action in domain.actions
    ]
    return KitchenDomain.of(domain.types, domain.predicates, actions, OWN)


def _timed(effect: Effect, count: int) -> Effect:
    nested = tuple(_timed(inner, count) for inner in effect.effects)
    return replace(effect, count=count if effect.count else 0, effects=nested)


@dataclass
class _Layout:
    """Builder of the document of a kitchen."""

    random: Random
    stations: dict[str, list[str]] = field(default_factory=dict)
    players: dict[str, dict[str, str]] = field(default_factory=dict)
    containers: dict[str, list[str]] = field(default_factory=dict)
    unplaced: list[str] = field(default_factory=list)
    traits: dict[str, list[str]] = field(default_factory=dict)
    more: list[list[str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def put(self, name: str) -> None:
        """Put a thing into a hand, on a station or, seldom, nowhere."""
        random = self.random
        kind = split_name(name)[0]
        hands = [entry for entry in self.players.values() if "holds" not in entry]
        empty = [station for station, things in self.stations.items() if not things]
        piles = [things for things in self.stations.values() if things and split_name(things[0])[0] not in _VESSELS]
        if hands and chance(random, 25 if empty or piles else 90):
            one(random, hands)["holds"] = name
        elif chance(random, 2):
            self.unplaced.append(name)
        elif piles and kind not in _VESSELS and (not empty or chance(random, 40)):
            one(random, piles).append(name)
        elif empty:
            self.stations[one(random, empty)].append(name)
        elif chance(random, 4):  # next to another thing, which no action achieves
            self.stations[one(random, list(self.stations))].append(name)
        else:
            self.unplaced.append(name)


def draw_layout(random: Random, size: int, cooks: int | None = None) -> dict[str, Any]:
    """Return the document of a kitchen without a goal.

    Parameters
    ----------
    size
        Maximum number of stations, players and things beyond a player, two stations and a thing.
    cooks
        Number of players; default: any.
    """
    layout = _Layout(random)
    theme = one(random, tuple(_STATIONS))
    drawn = 1 + (size > 2 and chance(random, 35)) + (size > 4 and chance(random, 12))
    cooks = drawn if cooks is None else cooks
    size -= 2 * (cooks - 1)
    stations = cooks + 1 + below(random, max(1, min(size, 4)))
    size -= stations - cooks - 1
    things = 1 + below(random, max(1, size + 1))
    always, weights = _STATIONS[theme]
    for place in range(stations):
        kind = always[place] if place < len(always) else weighted(random, weights)
        layout.stations[new_name(kind, layout.names)] = []
    layout.stations = {station: [] for station in shuffled(random, layout.stations)}
    _add_players(layout, cooks)
    kinds = [
        one(random, _KINDS.get(theme, tuple(RAW))) for _ in range(2)
    ]  # two kinds, so that things are often of the same kind
    for number in range(things):
        wet = theme in _WET
        vessel = (wet and (number == 0 or chance(random, 35))) or chance(random, 5)
        if vessel:
            kind = "pot" if (wet and number == 0) or chance(random, 35) else "bowl"
        else:
            kind = one(random, kinds) if chance(random, 60) else one(random, list(RAW))
        name = new_name(kind, layout.names)
        if kind in _VESSELS:
            _fill_vessel(layout, name)
        else:
            _describe(layout, name)
            if _put_into_meal(layout, name):
                continue
        layout.put(name)
    document = {"format": FORMAT, "version": VERSION, "name": "drawn", "stations": layout.stations}
    document |= {"players": layout.players, "goal": []}
    extras = {
        "containers": layout.containers,
        "elsewhere": layout.unplaced,
        "traits": layout.traits,
        "more": layout.more,
    }
    return document | {key: value for key, value in extras.items() if value}


def _add_players(layout: _Layout, cooks: int) -> None:
    free = shuffled(layout.random, layout.stations)
    for number in range(cooks):
        entry = {"at": free[0 if chance(layout.random, 2) else number]}
        layout.players[f"robot{number + 1}"] = {} if chance(layout.random, 1) else entry


def _describe(layout: _Layout, item: str) -> None:
    """Give an item the traits of its kind or any others, and perhaps prepare it."""
    random = layout.random
    traits = [*RAW[split_name(item)[0]]]
    if chance(random, 35):
        traits = [trait for trait in _TRAITS if chance(random, 30)]
    traits += [done for raw, done in _DONE.items() if raw in traits and done not in traits and chance(random, 12)]
    if chance(random, 1):
        traits.append("iscooking")
    if traits:
        layout.traits[item] = traits


def _fill_vessel(layout: _Layout, vessel: str) -> None:
    """Put a meal or two into a vessel, or none."""
    random = layout.random
    meals = [new_name("water", layout.names) for _ in range(chance(random, 60) + chance(random, 8))]
    if meals:
        layout.containers[vessel] = meals
    for meal in meals:
        if chance(random, 25):
            layout.traits[meal] = ["isboiling"]


def _put_into_meal(layout: _Layout, item: str) -> bool:
    """Put an item into a meal sometimes, if there is one; return whether it is in a meal."""
    meals = [meal for filling in layout.containers.values() for meal in filling]
    if not meals or not chance(layout.random, 25):
        return False
    layout.unplaced.append(item)
    layout.more.append(["addedto", item, one(layout.random, meals)])
    return True


def draw_odd_fact(random: Random, kitchen: Kitchen) -> dict[str, list[list[str]]]:
    """Return ``more`` or ``less`` of a document: one fact that the layout does not imply, or lacks."""
    fact = _any_fact(random, kitchen, {predicate.name: 1 for predicate in kitchen.domain.predicates})
    own = len(fact) == 2 and fact[0] == f"is{split_name(fact[1])[0]}"
    return {} if own else {"less" if fact in kitchen.facts else "more": [list(fact)]}


def draw_goal(random: Random, kitchen: Kitchen, graph: StateGraph) -> dict[str, list[Any]]:
    """Return ``goal`` and perhaps ``roles`` of a kitchen's document.

    Most conditions hold together in some reachable state; sometimes one more condition is added.
    """
    facts = graph.engine.facts(_distant_state(random, graph))
    fresh = sorted(facts - kitchen.facts)
    old = sorted(facts & kitchen.facts)
    parts: dict[str, str] = {}
    naming = one(random, (10, 30, 80))  # percentage of objects given by name
    mixing = one(random, (0, 50))  # percentage of name and role mixed for one object
    conditions: list[Atom] = []
    objects: set[str] = set()  # objects
    for _ in range(1 + below(random, 5)):
        options = fresh if fresh and chance(random, 75) else old
        if chance(random, 50):
            options = [fact for fact in options if objects.intersection(fact[1:])] or options
        fact = weighted(random, {each: _INTEREST.get(each[0], 1) for each in options})
        objects.update(name for name in fact[1:] if kitchen.types.get(name) not in ("station", "player"))
        conditions.append(
            (fact[0], *(_name_or_role(random, kitchen, parts, name, naming, mixing) for name in fact[1:]))
        )
    if chance(random, 15):
        weights = {predicate.name: _INTEREST.get(predicate.name, 1) for predicate in kitchen.domain.predicates}
        fact = _any_fact(random, kitchen, weights)
        conditions.append((fact[0], *(parts.get(name, name) for name in fact[1:])))
    goal: dict[str, list[Any]] = {"goal": [list(condition) for condition in dict.fromkeys(conditions)]}
    if chance(random, 3):
        goal["roles"] = [f"{one(random, ('water', 'bread', 'pot', 'robot'))}#9"]
    return goal


def _distant_state(random: Random, graph: StateGraph) -> State:
    """Return a state at any distance from the first, each as likely as the others, or any state."""
    if chance(random, 30):
        return one(random, graph.states)
    depths = [0]
    for origin, _ in graph.origins[1:]:
        depths.append(depths[origin] + 1)
    depth = below(random, depths[-1] + 1)
    return one(random, [state for state, each in zip(graph.states, depths, strict=True) if each == depth])


def _name_or_role(random: Random, kitchen: Kitchen, parts: dict[str, str], name: str, naming: int, mixing: int) -> str:
    """Return a name or a role for an object, mostly the same in all conditions."""
    kind, number = split_name(name)
    role = f"{kind}#{number}"
    if chance(random, 3):  # another object of the same kind
        return f"{kind}#{number + 7}"
    if name not in kitchen.types:
        return role
    if name not in parts or chance(random, mixing):
        likely = 85 if kitchen.types[name] == "player" else naming
        parts[name] = name if chance(random, likely) else role
    return parts[name]


def _any_fact(random: Random, kitchen: Kitchen, weights: Mapping[str, int]) -> Atom:
    """Return a random predicate on objects of the right types."""
    by_type: dict[str, list[str]] = {}
    for name, its_type in kitchen.objects:
        by_type.setdefault(its_type, []).append(name)
    usable = {
        predicate: weight
        for predicate, weight in weights.items()
        if all(
            len(by_type.get(each, ())) >= types.count(each)
            for types in [kitchen.domain.signature[predicate]]
            for each in types
        )
    }
    predicate = weighted(random, usable)
    names: list[str] = []
    for its_type in kitchen.domain.signature[predicate]:
        names.append(one(random, [name for name in by_type[its_type] if name not in names]))
    return (predicate, *names)
