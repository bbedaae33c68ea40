"""Names of ParaCook problems of both parts, and the problems that they name.

Those with ``own`` in their names are ours, drawn by `planoracle.instances.benchmarks.paracook.generator`. Those of the
authors exist if the user has configured a copy of their data, see `planoracle.instances.protocol.registry`:

- ``paracook/abstract/burger/seed_42/orders_num_3``: an abstract problem; ``~2`` at the end: two agents;
- ``paracook/cook/burger/seed_42/agent_num_2/orders_num_2``: a map and the first orders of its seed;
- ``paracook/cook/burger/seed_42/agent_num_2@burger_full+burger_basic``: a map and dishes; a dish of another
  category than the map's is written with its category (``sushi/sushi_fish``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, OrderedDish
from planoracle.instances.benchmarks.grid_kitchens.problems import FORMAT, kitchen_from_document
from planoracle.instances.benchmarks.grid_kitchens.problems import json_schema as json_schema
from planoracle.instances.benchmarks.grid_kitchens.problems import to_document as to_document
from planoracle.instances.benchmarks.paracook import local_copy
from planoracle.instances.benchmarks.paracook.generator import (
    DISHES,
    FACTS,
    MOST_COOKS,
    MOST_ORDERS,
    OWN,
    RandomKitchen,
    draw_kitchen,
)
from planoracle.instances.benchmarks.paracook.local_copy import Copy, Row
from planoracle.instances.benchmarks.paracook_abstract import generator
from planoracle.instances.benchmarks.paracook_abstract.problems import ABSTRACT, instance
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.agents import split_agent_suffix
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol import registry
from planoracle.instances.text import one_of

#: How names of kitchens begin.
COOK: Final = "paracook/cook/"
_PARTS = ("paracook/", ABSTRACT, COOK)
# Maximum number of ordered dishes, and maximum length of a name.
_MOST, _LONGEST = 64, 4_000


class MapReference(NamedTuple):
    """Map by name, its copy of the data, and the ordered dishes (empty if the name has none)."""

    copy: Copy
    map: str
    dishes: tuple[str, ...]


def _dish(place: str, dish: str) -> str:
    """Return the full name of a dish; without a category it has that of the map."""
    if "/" in dish:
        return dish
    category = place.partition("/")[0]
    return f"{category}/{dish}"


def _copy_for(name: str) -> Copy | None:
    """Return the source of a name: our kitchens, or the user's copy, if there is one."""
    return _OWN if name.startswith(f"{OWN}/") else local_copy.copy()


def place_of(name: str) -> MapReference | None:
    """Return map and dishes of a name of the cook world; ``None`` if one of them does not exist."""
    if not name.startswith(COOK) or len(name) > _LONGEST:
        return None
    inner, at, listed = name.removeprefix(COOK).partition("@")
    copy = _copy_for(inner)
    if copy is None:
        return None
    if at or copy.has_map(inner):
        dishes: tuple[str, ...] = ()
        if at:
            dishes = tuple(_dish(inner, dish) for dish in listed.split("+"))
        if not copy.has_map(inner) or len(dishes) > _MOST:
            return None
        are_known = all(dish in copy.dishes for dish in dishes)
        return MapReference(copy, inner, dishes) if are_known else None
    place, _, number = inner.rpartition("/")
    if not number.startswith("orders_num_"):
        return None
    seed = place.rpartition("/")[0]
    dishes = copy.orders_of(f"{seed}/{number}")
    return MapReference(copy, place, dishes) if dishes and copy.has_map(place) else None


def ordered(place: MapReference) -> str:
    """Return the name of a map with ordered dishes.

    Orders of a setting of the data give the name of the setting. Else the name lists the dishes; those of another
    category than the map's are written with it.
    """
    setting = f"orders_num_{len(place.dishes)}"
    if place.copy.orders_of(f"{place.map.rpartition('/')[0]}/{setting}") == place.dishes:
        return f"{COOK}{place.map}/{setting}"
    category_prefix = _dish(place.map, "")
    dishes = [dish.removeprefix(category_prefix) for dish in place.dishes]
    return f"{COOK}{place.map}@{'+'.join(dishes)}"


@lru_cache(maxsize=8)
def _names(folders: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    return (*_theirs(), *_in(_OWN))


def _theirs() -> tuple[str, ...]:
    copy = local_copy.copy()
    return () if copy is None else _in(copy)


def _in(copy: Copy) -> tuple[str, ...]:
    """Return the names of the problems of a copy: the abstract ones, then maps with orders."""
    problem_names = [ABSTRACT + name for name in copy.abstract]
    for place in copy.maps:
        problem_names += [_setting_name(place, setting) for setting in copy.settings_of(place)]
    return tuple(problem_names)


def _setting_name(place: str, setting: str) -> str:
    """Return the name of a map with the orders of a setting."""
    return f"{COOK}{place}/{setting.rpartition('/')[2]}"


def names() -> tuple[str, ...]:
    """Names of abstract problems for one agent, then of settings of the cook world; ours are last."""
    return _names(registry.data_folders())


def covers(name: str) -> bool:
    """Return true for the name of a problem; a map without orders is none."""
    if name.startswith(ABSTRACT):
        inner = name.removeprefix(ABSTRACT)
        copy = _copy_for(inner)
        return copy is not None and copy.has_abstract(inner)
    place = place_of(name)
    return place is not None and bool(place.dishes)


def members(name: str) -> tuple[str, ...]:
    """Return the authors' problems of a part, if their data are available.

    Our problems are excluded. All other sets are prefixes of names; without data these are prefixes, too.
    """
    prefix = name.rstrip("/") + "/"
    if prefix not in _PARTS:
        return ()
    return tuple(problem for problem in _theirs() if problem.startswith(prefix))


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the part and category of a problem, ``paracook/cook/burger``, and its members."""
    if "@" in name or not covers(name):
        return "", ()
    label = "/".join(name.split("/")[:3])
    prefix = f"{label}/"
    set_members = tuple(problem for problem in names() if problem.startswith(prefix))
    return (label, set_members) if name in set_members else ("", ())


def hint(name: str) -> str:
    """Return a hint for a name of no problem: missing data, or the missing part of the name."""
    if not name.startswith((ABSTRACT, COOK)):
        return f"; names of ParaCook's problems begin with {ABSTRACT} or {COOK}"
    inner = name.removeprefix(ABSTRACT).removeprefix(COOK)
    inner, at, listed = inner.partition("@")
    copy = _copy_for(inner)
    if copy is None:
        variable = registry.data_variable("paracook")
        option = f"give --data paracook=DIR or set {variable}; DIR must be {local_copy.ACCEPTED_FOLDERS}"
        bundled = f"bundled are {ABSTRACT}{OWN} and {COOK}{OWN}"
        return f": ParaCook's data are not bundled; {option}; {bundled}"
    if name.startswith(ABSTRACT) or not copy.has_map(inner):
        return ""
    if not at:
        first_dish = next(iter(copy.dishes))
        first = ordered(MapReference(copy, inner, (first_dish,)))
        return f": it is a map without orders; add dishes to the name, as in {first}, or orders to the submission"
    dishes = listed.split("+")
    if len(dishes) > _MOST:
        return f"; at most {_MOST} dishes can be ordered"
    wrong = next(dish for dish in dishes if _dish(inner, dish) not in copy.dishes)
    own_names = [dish.removeprefix(_dish(inner, "")) for dish in copy.dishes]
    return f"; {wrong!r} {one_of(wrong, own_names, 'dishes')}"


def load(name: str) -> GridKitchen | Instance:
    """Return the problem of a name; raises `UnknownNameError`, or `InputError` for unreadable data."""
    problem = _find(registry.data_folders(), name)
    if problem is None:
        raise UnknownNameError(f"there is no such problem{hint(name)}", value=name)
    return problem


@lru_cache(maxsize=1024)
def _find(folders: tuple[tuple[str, str], ...], name: str) -> GridKitchen | Instance | None:
    if name.startswith(ABSTRACT):
        inner = name.removeprefix(ABSTRACT)
        copy = _copy_for(inner)
        if copy is None or not copy.has_abstract(inner):
            return None
        return instance(name, copy.rows(inner))
    place = place_of(name)
    if place is None or not place.dishes:
        return None
    return place.copy.kitchen(name, place.map, place.dishes)


# Files


def recognises(document: Any) -> bool:
    """Return true for a grid kitchen in our format, and for released or compact maps."""
    if not isinstance(document, dict):
        return False
    if "format" in document:
        return bool(document["format"] == FORMAT)
    return "maps" in document or {"width", "height", "agents", "tiles"} <= set(document)


def read(document: Any, source: str) -> list[GridKitchen]:
    """Return the grid kitchens of a document that is recognised; raises `InputError`.

    A map has no orders; a file in a copy of the data gives every setting of the map.
    """
    if document.get("format") == FORMAT:
        return [kitchen_from_document(document, source)]
    copy = local_copy.copy_of(source)
    if copy is None:
        message = "is a map without orders; its folder must be a copy of ParaCook's data"
        raise InputError(f"{message}, or its format must be {FORMAT}", source=source)
    kitchens: list[GridKitchen] = []
    for place in copy.held_in(source, copy.maps):
        for setting in copy.settings_of(place):
            kitchen_name = _setting_name(place, setting)
            kitchens.append(copy.kitchen(kitchen_name, place, copy.orders[setting]))
    if not kitchens:
        raise InputError("is a map without orders in the data", source=source)
    return kitchens


# Orders of submissions

_DISH = re.compile(r"[\w-]{1,80}(?:/[\w-]{1,80})?")


def submitted_orders(record: Mapping[str, Any]) -> list[str] | None:
    """Return the ``orders`` of a submission, ``None`` if it has none; raises `InputError`.

    In tables they may be text: a JSON list, or dishes with ``+`` or commas between them.

    >>> submitted_orders({"orders": ["burger/burger_full"]}), submitted_orders({})
    (['burger/burger_full'], None)
    >>> submitted_orders({"orders": "burger_full, burger_basic"})
    ['burger_full', 'burger_basic']
    """
    orders = record.get("orders")
    if orders is None or orders == "":
        return None
    if isinstance(orders, str):
        orders = [part for part in re.split(r'[\s\[\]",+]+', orders[:10_000]) if part]
    dishes: list[str] = []
    if isinstance(orders, list):
        texts = [dish for dish in orders if isinstance(dish, str)]
        dishes = [dish for dish in texts if _DISH.fullmatch(dish)]
    if dishes != orders or not 0 < len(dishes) <= _MOST:
        message = f"must be a list of 1 to {_MOST} dishes, such as burger/burger_full"
        raise InputError(message, field="orders", value=record.get("orders"))
    return dishes


def addressed(name: str, record: Mapping[str, Any]) -> str:
    """Return the problem of a map and the orders of a submission; other names stay as they are.

    Orders of a setting of the data give that setting. `agree` compares orders with names that have them.
    """
    bare, crew = split_agent_suffix(name) or (name, "")
    if not bare.startswith(COOK) or "@" in bare or "orders_num_" in bare.rpartition("/")[2]:
        return name
    orders = submitted_orders(record)
    place = None if orders is None else place_of(bare)
    if orders is None or place is None or place.dishes:
        return name
    dishes = tuple(_dish(bare.removeprefix(COOK), dish) for dish in orders)
    return ordered(place._replace(dishes=dishes)) + crew


def agree(kitchen: GridKitchen, submission: object) -> None:
    """Raise `InputError` if the orders of a submission are not those of its problem."""
    orders = submitted_orders(submission) if isinstance(submission, dict) else None
    if orders is None:
        return
    ordered_names = [dish.name for dish in kitchen.orders]
    if not _are_orders(orders, ordered_names):
        message = f"must be the orders of the instance, {', '.join(ordered_names)}, or be omitted"
        raise InputError(message, field="orders", value=orders)


def _are_orders(submitted: list[str], dishes: list[str]) -> bool:
    """Return true if submitted orders are dishes by name, with or without their categories."""
    if len(submitted) != len(dishes):
        return False
    pairs = zip(submitted, dishes, strict=True)
    return all(name in (dish, dish.rpartition("/")[2]) for name, dish in pairs)


#: Bundled problems: seeds, cooks, orders in kitchens, orders of abstract problems. Other numbers can be named, too.
SEEDS = range(1, 4)
COOKS = range(1, 3)
ORDERS = range(1, 2)
ABSTRACT_ORDERS = range(1, 5)
#: Version, increased when a name gives another problem than before.
_VERSION: Final = 1

_NAME = re.compile(rf"{OWN}/seed_(0|[1-9][0-9]{{0,8}})/(agent|orders)_num_([1-9][0-9]?)")


def _random(*words: object) -> Random:
    text = "/".join(map(str, ("paracook", _VERSION, *words)))
    digest = blake2b(text.encode(), digest_size=16).digest()
    return Random(int.from_bytes(digest, "big"))


@lru_cache(maxsize=64)
def _draw_seed(seed: int) -> RandomKitchen:
    return draw_kitchen(_random("kitchen", seed))


def _numbered_names(part: str, numbers: Iterable[int]) -> tuple[str, ...]:
    """Return names of our kitchens with every seed and number of cooks or orders."""
    numbered = []
    for seed, number in product(SEEDS, numbers):
        numbered.append(f"{OWN}/seed_{seed}/{part}_num_{number}")
    return tuple(numbered)


class Own(Copy):
    """Our kitchens in the form of a copy of the data."""

    facts = FACTS
    dishes: Mapping[str, OrderedDish] = DISHES
    maps = _numbered_names("agent", COOKS)
    abstract = _numbered_names("orders", ABSTRACT_ORDERS)

    @cached_property
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        """Names of dishes by setting."""
        return {name: self.orders_of(name) for name in _numbered_names("orders", ORDERS)}

    def _number(self, name: str, part: str, max_number: int) -> tuple[int, int] | None:
        """Return seed and number of a name, ``None`` for another name."""
        match = _NAME.fullmatch(name)
        if match is None or match[2] != part:
            return None
        seed = int(match[1])
        number = int(match[3])
        return (seed, number) if number <= max_number else None

    def has_map(self, name: str) -> bool:
        """Return true if the map exists."""
        return self._number(name, "agent", MOST_COOKS) is not None

    def has_abstract(self, name: str) -> bool:
        """Return true if the abstract problem exists."""
        return self._number(name, "orders", MOST_ORDERS) is not None

    def orders_of(self, setting: str) -> tuple[str, ...]:
        """Return the dishes of a setting, ``()`` for an unknown setting."""
        seed_and_count = self._number(setting, "orders", MOST_ORDERS)
        if seed_and_count is None:
            return ()
        seed, count = seed_and_count
        return _draw_seed(seed).orders[:count]

    def names(self, part: str) -> tuple[str, ...]:
        """Return the names of our maps, or of our abstract problems."""
        return {"maps": self.maps, "abstract": self.abstract}[part]

    def document(self, part: str, name: str) -> tuple[Any, str]:
        """Return the document of an existing map, and its name."""
        seed, cooks = self._number(name, "agent", MOST_COOKS) or (0, 0)
        document = _draw_seed(seed).document
        agents = dict(list(document["agents"].items())[:cooks])
        return document | {"agents": agents}, name

    def rows(self, name: str) -> list[Row]:
        """Return the tasks of an existing abstract problem."""
        seed, _ = self._number(name, "orders", MOST_ORDERS) or (0, 0)
        dishes = self.dishes_of(self.orders_of(name))
        return generator.rows(_random("abstract", seed), dishes)


_OWN = Own(Path())
