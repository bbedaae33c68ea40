"""Kitchens of our own by name, drawn from their names alone: they stand where data of ParaCook would.

``own/seed_7/agent_num_2`` is a map, ``own/seed_7/orders_num_3`` what is ordered there, and an abstract problem as well.
The maps of a seed are the same but for the number of cooks, and its orders the first ones of the same list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any, Final

from planoracle.instances.floors.floor import Dish
from planoracle.instances.paracook.generator import DISHES, FACTS, MOST_COOKS, MOST_ORDERS, OWN, Drawn, drawn
from planoracle.instances.paracook.released import Copy, Row
from planoracle.instances.paracook_abstract import generator

#: What is bundled: seeds, and cooks; orders in kitchens, and of abstract problems. All else has a name, too.
SEEDS, COOKS, ORDERS, ABSTRACT_ORDERS = range(1, 4), range(1, 3), range(1, 2), range(1, 5)
#: Raised when a name gives another problem than before.
_VERSION: Final = 1

_NAME = re.compile(rf"{OWN}/seed_(0|[1-9][0-9]{{0,8}})/(agent|orders)_num_([1-9][0-9]?)")


def _random(*words: object) -> Random:
    digest = blake2b("/".join(map(str, ("paracook", _VERSION, *words))).encode(), digest_size=16).digest()
    return Random(int.from_bytes(digest, "big"))


@lru_cache(maxsize=64)
def _drawn(seed: int) -> Drawn:
    return drawn(_random("kitchen", seed))


class Own(Copy):
    """Our kitchens in the form of a copy of the data."""

    facts = FACTS
    dishes: Mapping[str, Dish] = DISHES
    maps = tuple(f"{OWN}/seed_{seed}/agent_num_{cooks}" for seed in SEEDS for cooks in COOKS)
    abstract = tuple(f"{OWN}/seed_{seed}/orders_num_{orders}" for seed in SEEDS for orders in ABSTRACT_ORDERS)

    def __init__(self) -> None:
        super().__init__(Path())

    @cached_property
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        """Names of dishes by setting."""
        names = (f"{OWN}/seed_{seed}/orders_num_{orders}" for seed in SEEDS for orders in ORDERS)
        return {name: self.orders_of(name) for name in names}

    def _number(self, name: str, what: str, most: int) -> tuple[int, int] | None:
        """Return seed and number of a name, ``None`` if it is none of the kind."""
        found = _NAME.fullmatch(name)
        fits = found is not None and found[2] == what and int(found[3]) <= most
        return (int(found[1]), int(found[3])) if found is not None and fits else None

    def has_map(self, name: str) -> bool:
        """Whether there is such a map."""
        return self._number(name, "agent", MOST_COOKS) is not None

    def has_abstract(self, name: str) -> bool:
        """Whether there is such an abstract problem."""
        return self._number(name, "orders", MOST_ORDERS) is not None

    def orders_of(self, setting: str) -> tuple[str, ...]:
        """Return what a setting orders, ``()`` if there is no such setting."""
        found = self._number(setting, "orders", MOST_ORDERS)
        return () if found is None else _drawn(found[0]).orders[: found[1]]

    def map(self, name: str) -> tuple[Any, str]:
        """Return the document of a map that there is, and its name."""
        seed, cooks = self._number(name, "agent", MOST_COOKS) or (0, 0)
        document = _drawn(seed).document
        return document | {"agents": dict(list(document["agents"].items())[:cooks])}, name

    def rows(self, name: str) -> list[Row]:
        """Return the tasks of an abstract problem that there is."""
        seed, _ = self._number(name, "orders", MOST_ORDERS) or (0, 0)
        return generator.rows(_random("abstract", seed), self.dishes_of(self.orders_of(name)))
