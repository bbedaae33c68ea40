"""Orders that stand in a submission, beside the name of a map: which problem is meant, and whether they fit one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from planoracle.instances.crew import split_crew
from planoracle.instances.errors import InputError
from planoracle.instances.floors.floor import Floor
from planoracle.instances.paracook import sets
from planoracle.instances.paracook.reader import COOK
from planoracle.instances.reading import load_json

_DISH = re.compile(r"[\w-]{1,80}(?:/[\w-]{1,80})?")
_MOST = 64


def given(record: Mapping[str, Any]) -> list[str] | None:
    """Return the dishes that a submission orders, ``None`` if it has no ``orders``; raises `InputError`.

    In tables they may be text: a JSON list, or dishes with ``+`` or commas between them.

    >>> given({"orders": ["burger/burger_full"]}), given({"orders": "burger_full, burger_basic"}), given({})
    (['burger/burger_full'], ['burger_full', 'burger_basic'], None)
    """
    orders = record.get("orders")
    if orders is None or orders == "":
        return None
    if isinstance(orders, str) and len(orders) < 10_000:
        text = orders.strip()
        orders = (
            load_json(text, "orders") if text.startswith("[") else [part.strip() for part in re.split("[+,]", text)]
        )
    if not isinstance(orders, list) or not 0 < len(orders) <= _MOST:
        raise InputError(f"must be a list of 1 to {_MOST} dishes", field="orders", value=record.get("orders"))
    for number, dish in enumerate(orders):
        if not isinstance(dish, str) or not _DISH.fullmatch(dish):
            raise InputError("must be a dish, such as burger/burger_full", field=f"orders[{number}]", value=dish)
    return orders


def addressed(name: str, record: Mapping[str, Any]) -> str:
    """Return the problem that the name of a map and the orders of a submission mean; every other name as it is.

    Where they are the orders of a setting of the data, it is that one. Whether a name that says what is ordered
    agrees with the submission is seen when the plan is read, see `agree`.
    """
    bare, crew = split_crew(name) or (name, "")
    if not bare.startswith(COOK) or "@" in bare or "orders_num_" in bare.rpartition("/")[2]:
        return name
    orders = given(record)
    place = None if orders is None else sets.place_of(bare)
    if orders is None or place is None or place.dishes:
        return name
    return sets.ordered(place._replace(dishes=tuple(_dish(place, dish) for dish in orders))) + crew


def _dish(place: sets.Place, dish: str) -> str:
    """Return the whole name of a dish: of the map's category, else of the one that alone has it."""
    if "/" in dish:
        return dish
    own, known = f"{place.category}/{dish}", place.copy.dishes
    others = [one for one in known if one.rpartition("/")[2] == dish]
    return others[0] if own not in known and len(others) == 1 else own


def agree(floor: Floor, submission: object) -> None:
    """Raise `InputError` if a submission orders anything else than the problem that it names."""
    orders = given(submission) if isinstance(submission, dict) else None
    if orders is None:
        return
    there = [dish.name for dish in floor.orders]
    if len(orders) != len(there) or any(
        one not in (dish, dish.rpartition("/")[2]) for one, dish in zip(orders, there, strict=True)
    ):
        message = f"must be those of the instance, which names them: {', '.join(there)}; or leave them out"
        raise InputError(message, field="orders", value=orders)
