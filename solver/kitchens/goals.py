"""Goal of a kitchen as roles: requirements by kind of object, and choices fixed before the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, permutations, product
from math import perm

from planoracle.instances.benchmarks.kitchens.domain import KitchenDomain
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, split_name

#: Facts that are made true of a pot and of the meal in it.
FILLED, BOILED = "new water", "isboiling"


@dataclass(frozen=True, slots=True)
class Process:
    """Process that makes a fact about an object true: at a kind of station, by actions and then ticks.

    The last action's own step is the first tick.
    """

    predicate: str
    station: str
    acts: int
    ticks: int


@dataclass(frozen=True, slots=True)
class ItemRole:
    """Requirements on one item.

    Attributes
    ----------
    kind, name
        Kind of the item; its name if it must be a particular one.
    needs
        Processes that must be complete.
    dish, meal
        Destination: place in `Roles.dishes`, or in `Roles.meals`; -1: none.
    bottom, top
        It lies on the station itself; no item lies on it.
    under, over
        Kinds of the items directly under and on it, ``""`` if open.
    loose
        It may end at a station where it is processed.
    rank
        Of two roles of a dish, the one of higher rank is put there later; of equals either.
    """

    kind: str
    name: str = ""
    needs: tuple[Process, ...] = ()
    dish: int = -1
    meal: int = -1
    bottom: bool = False
    top: bool = False
    under: str = ""
    over: str = ""
    loose: bool = False
    rank: int = 0


@dataclass(frozen=True, slots=True)
class GoalDish:
    """Items whose destination is one station.

    Attributes
    ----------
    station
        Kind of the station, or its name.
    bottom
        The role that lies on the station itself, -1 if open.
    last
        A role that lies on top of the others, -1 if there is none.
    crew
        Number of items by kind.
    """

    station: str
    bottom: int
    last: int
    crew: dict[str, int]


@dataclass(frozen=True, slots=True)
class Meal:
    """Meal with its kind, its name if fixed, whether it boils, and its final vessel (-1: any)."""

    kind: str
    name: str
    boiled: bool
    vessel: int


@dataclass(frozen=True, slots=True)
class GoalVessel:
    """Container with its kind, its name if fixed, and kind or name of its final station."""

    kind: str
    name: str
    station: str


@dataclass(frozen=True, slots=True)
class Group:
    """Choices fixed before the search: the items at the bottom of dishes, the meals, and the vessels."""

    bottoms: tuple[str, ...]
    meals: tuple[str, ...]
    vessels: tuple[str, ...]


class Roles:
    """Roles that objects play in the goal of a kitchen.

    Conditions outside of the standard domain are left out, so the roles are necessary and not sufficient.

    Attributes
    ----------
    kinds, items
        By kind of item, places of the roles in ``roles``, and the items that can play them.
    """

    def __init__(self, kitchen: Kitchen) -> None:
        self._kitchen = kitchen
        named_parts = chain.from_iterable(condition[1:] for condition in kitchen.goal.conditions)
        parts = sorted(set(named_parts))
        played = {self._kind(part) for part in parts if "#" in part}
        # An object that the goal names may play a role as well; conditions that name it are left out then.
        parts = [part for part in parts if "#" in part or self._kind(part) not in played]
        conditions = kitchen.goal.conditions
        self._relevant_conditions = [entry for entry in conditions if set(parts).issuperset(entry[1:])]
        self._type = {part: kitchen.domain.type_of(self._kind(part)) for part in parts}
        self._stations = self._station_of_items()
        vessels = [part for part in parts if self._type[part] == "container"]
        meals = [part for part in parts if self._type[part] == "meal"]
        items = [part for part in parts if self._type[part] == "item"]
        placed_items = [item for item in items if item in self._stations]
        dishes = sorted({self._stations[item] for item in placed_items})
        self.vessels = [self._vessel(vessel) for vessel in vessels]
        self.meals = [self._meal(meal, vessels) for meal in meals]
        self.roles = [self._role(item, dishes, meals) for item in items]
        self.dishes = [self._dish(i, station) for i, station in enumerate(dishes)]
        self.kinds: dict[str, list[int]] = {}
        for i, role in enumerate(self.roles):
            self.kinds.setdefault(role.kind, []).append(i)
        self.items: dict[str, list[str]] = {kind: [] for kind in self.kinds}
        for name, object_type in kitchen.objects:
            kind = self._kind(name)
            if object_type == "item" and kind in self.items:
                self.items[kind].append(name)

    @staticmethod
    def _kind(part: str) -> str:
        if "#" in part:
            return part.partition("#")[0]
        return split_name(part)[0]

    @staticmethod
    def _name(part: str) -> str:
        return "" if "#" in part else part

    def _station(self, part: str) -> str:
        if "#" not in part:
            return part
        return part.partition("#")[0]

    def _conditions(self, predicate: str) -> Iterator[tuple[str, ...]]:
        return (condition[1:] for condition in self._relevant_conditions if condition[0] == predicate)

    def _place(self, predicate: str, part: str) -> str:
        return next((place for subject, place in self._conditions(predicate) if subject == part), "")

    def _station_of_items(self) -> dict[str, str]:
        """Return the station of every item that must lie on one, also on top of another."""
        positions = chain(self._conditions("item_at"), self._conditions("item_on"))
        stations = {item: station for item, station in positions}  # noqa: C416  # so the types are known
        pairs = list(self._conditions("atop"))
        reversed_pairs = [(lower, upper) for upper, lower in pairs]
        for _ in pairs:
            for item, neighbour in [*pairs, *reversed_pairs]:
                if item in stations:
                    stations.setdefault(neighbour, stations[item])
        return stations

    def _role(self, item: str, dishes: list[str], meals: list[str]) -> ItemRole:
        process_of = processes(self._kitchen.domain, self._kind(item))
        needs = []
        for predicate, *subjects in self._relevant_conditions:
            if subjects == [item] and predicate in process_of:
                needs.append(process_of[predicate])
        meal = self._place("addedto", item)
        upper = next((upper for upper, lower in self._conditions("atop") if lower == item), "")
        lower = self._place("atop", item)
        station = self._station(self._stations.get(item, ""))
        may_stay = not station or any(station.startswith(process.station) for process in needs)
        dish = dishes.index(self._stations[item]) if item in self._stations else -1
        under = self._kind(lower) if lower else ""
        over = self._kind(upper) if upper else ""
        return ItemRole(
            kind=self._kind(item),
            name=self._name(item),
            needs=tuple(needs),
            dish=dish,
            meal=meals.index(meal) if meal else -1,
            bottom=bool(self._place("item_on", item)),
            top=(item,) in self._conditions("clear"),
            under=under,
            over=over,
            loose=not meal and may_stay,
            rank=self._rank(item),
        )

    def _rank(self, item: str) -> int:
        """Return a number by which to order the roles of a dish; equal if either may be put there first.

        A pile on the station itself comes before all else, that with the one on top comes after. Of other piles none
        has to be below another, so their heights count only if there is but one.
        """
        atop = {upper: lower for upper, lower in self._conditions("atop")}  # noqa: C416  # so the types are known
        below = self._chain(atop, item)
        under = {lower: upper for upper, lower in atop.items()}
        above = self._chain(under, item)
        many = len(self._kitchen.objects)
        if self._place("item_on", below[-1]):
            return len(below) - 1
        if (above[-1],) in self._conditions("clear"):
            return 2 * many + len(below)
        station = self._stations.get(item)
        placed = [name for name, place in self._stations.items() if place == station]
        lowest = [name for name in placed if name not in atop]
        loose = [name for name in lowest if not self._place("item_on", name)]
        return many + (len(below) if len(loose) == 1 else 0)

    @staticmethod
    def _chain(following: dict[str, str], item: str) -> list[str]:
        """Return an item and what follows it; a goal may ask for a pile that rests on itself."""
        chain = [item]
        while (after := following.get(chain[-1], "")) and after not in chain:
            chain.append(after)
        return chain

    def _dish(self, dish: int, station: str) -> GoalDish:
        roles = [(i, role) for i, role in enumerate(self.roles) if role.dish == dish]
        crew = Counter(role.kind for _, role in roles)
        bottom = next((i for i, role in roles if role.bottom), -1)
        upper_items = []
        for i, role in roles:
            if not role.bottom and not role.over:
                upper_items.append((not role.top, i))
        last = min(upper_items)[1] if upper_items else -1
        return GoalDish(self._station(station), bottom, last, dict(crew))

    def _vessel(self, vessel: str) -> GoalVessel:
        station = self._station(self._place("container_at", vessel))
        return GoalVessel(self._kind(vessel), self._name(vessel), station)

    def _meal(self, meal: str, vessels: list[str]) -> Meal:
        vessel = self._place("in", meal)
        boiled = (meal,) in self._conditions("isboiling")
        vessel_number = vessels.index(vessel) if vessel else -1
        return Meal(self._kind(meal), self._name(meal), boiled, vessel_number)

    def groups(self) -> list[Group]:
        """Return all groups, one only of those that exchange dishes with equal requirements."""
        bottom_roles = [self.roles[dish.bottom] if dish.bottom >= 0 else None for dish in self.dishes]
        bottoms = self._choices(bottom_roles)
        seen: set[tuple[object, ...]] = set()
        groups = []
        for chosen in bottoms:
            same = tuple(sorted((self._alike(i), name) for i, name in enumerate(chosen)))
            if same in seen:
                continue
            seen.add(same)
            for meals, vessels in product(self._choices(self.meals), self._choices(self.vessels)):
                groups.append(Group(chosen, meals, vessels))
        return groups

    def ways(self) -> int:
        """Return the number of assignments of objects to roles: of one kind, or of dishes, meals and vessels."""
        bottoms = [dish.bottom for dish in self.dishes if dish.bottom >= 0]
        parts: list[ItemRole | Meal | GoalVessel] = [self.roles[bottom] for bottom in bottoms]
        parts += [*self.meals, *self.vessels]
        kinds = Counter(part.kind for part in parts)
        ways_of_groups = 1
        for kind, count in kinds.items():
            candidates = next(self._candidates(kind))
            ways_of_groups *= perm(len(candidates), count)
        choices = [ways_of_groups]
        for kind, places in self.kinds.items():
            choices.append(perm(len(self.items[kind]), len(places)))
        return max(choices)

    def _choices(self, required: list[ItemRole | None] | list[Meal] | list[GoalVessel]) -> list[tuple[str, ...]]:
        """Return the ways to choose different objects for roles; ``""`` for no role."""
        kinds: dict[str, list[int]] = {}
        for i, part in enumerate(required):
            if part is not None:
                kinds.setdefault(part.kind, []).append(i)
        ways = []
        for kind, places in kinds.items():
            candidates = next(self._candidates(kind))
            ways.append([(places, chosen) for chosen in permutations(candidates, len(places))])
        names = [part.name if part is not None else "" for part in required]
        rows = []
        for combination in product(*ways):
            row = [""] * len(required)
            for places, chosen in combination:
                for place, name in zip(places, chosen, strict=True):
                    row[place] = name
            if all(name in ("", chosen_name) for name, chosen_name in zip(names, row, strict=True)):
                rows.append(tuple(row))
        return rows

    def _candidates(self, kind: str) -> Iterator[tuple[str, ...]]:
        for role, names in self._kitchen.candidates.items():
            if self._kind(role) == kind:
                yield names
        names_of_objects = (name for name, _ in self._kitchen.objects)
        yield tuple(name for name in names_of_objects if split_name(name)[0] == kind)

    def _alike(self, dish: int) -> str:
        """Return a text that is equal for dishes with equal requirements."""
        roles = [role for role in self.roles if role.dish == dish]
        texts = sorted(repr(replace(role, dish=0)) for role in roles)
        return f"{self.dishes[dish].station} {texts}"


#: By action whose effect takes time or repetitions: the fact that it makes true, and the kind of station.
_PROCESSES = {
    "cut": ("iscut", "board"),
    "cook": ("iscooked", "stove"),
    "fry": ("isfried", "fryer"),
    "fill-pot": (FILLED, "sink"),
    "boil-water": (BOILED, "stove"),
}


@lru_cache(maxsize=256)
def processes(domain: KitchenDomain, item: str = "") -> dict[str, Process]:
    """Return processes by predicate, for an item of a kind on a station, or for a pot and its meal."""
    by_predicate = {}
    for action in domain.actions:
        if action.name in _PROCESSES and action.timer is not None:
            predicate, station = _PROCESSES[action.name]
            count = action.timer.count_for(item)
            amounts = (count, 0) if action.timer.kind == "repetitive" else (1, count)
            by_predicate[predicate] = Process(predicate, station, *amounts)
    return by_predicate
