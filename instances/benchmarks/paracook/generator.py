"""Random kitchens in the style of ParaCook: our own dishes on maps of eight rows and ten columns."""

from __future__ import annotations

from itertools import chain, product
from random import Random
from typing import Any, Final, NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    Cookware,
    Facts,
    GridKitchen,
    Need,
    OrderedDish,
    Tile,
    access_tiles,
    distances,
)
from planoracle.instances.benchmarks.paracook.local_copy import kitchen_from_map
from planoracle.instances.errors import InputError
from planoracle.instances.generate.parameters import Parameters, one, shuffled
from planoracle.instances.protocol.capabilities import Generator

#: Category of our own dishes and kitchens.
OWN: Final = "own"

#: Durations of ParaCook; our own cookware for other food.
FACTS: Final = Facts(
    move=1,
    chop=4,
    wash=6,
    plate_return=10,
    cookware=(
        Cookware("pan", 24, "chopped", ("tofu", "pepper", "onion")),
        Cookware("pot", 16, "raw", ("lentils", "noodles", "potato")),
    ),
)

_NEEDS: Final = {
    "bread_and_radish": "raw flatbread, chopped radish",
    "crudites": "chopped carrot, chopped radish",
    "herb_salad": "raw herbs, chopped carrot, chopped radish",
    "fried_tofu": "raw flatbread, cooked tofu",
    "fried_peppers": "raw flatbread, cooked pepper, raw herbs",
    "potatoes": "cooked potato, raw herbs",
    "lentil_stew": "cooked lentils, chopped carrot",
    "noodle_bowl": "cooked noodles, cooked tofu, raw herbs",
    "noodles_and_onion": "cooked noodles, cooked onion",
}


def _need(words: str) -> Need:
    state, _, ingredient = words.strip().partition(" ")
    vessels = (vessel.name for vessel in FACTS.cookware if ingredient in vessel.ingredients)
    return Need(ingredient, state, next(vessels, "") if state == "cooked" else "")


def _dish(name: str, needs: str) -> OrderedDish:
    entries = tuple(map(_need, needs.split(",")))
    return OrderedDish(f"{OWN}/{name}", entries)


#: Our dishes by name, ``own/crudites``.
DISHES: Final = {f"{OWN}/{name}": _dish(name, needs) for name, needs in _NEEDS.items()}


#: Maximum numbers of cooks and of ordered dishes.
MOST_COOKS, MOST_ORDERS = 9, 16

_WIDTH, _HEIGHT = 10, 8
_TABLES = 4
# Number of tables with a plate.
_PLATES = 2
_WALLS = 2
# Number of dishes on the menu.
_MENU = 3
# Maximum number of stations of a kind, so that all fit.
_MOST = 3


class RandomKitchen(NamedTuple):
    """Document of a map with all cooks, and the names of dishes in the order of serving."""

    document: dict[str, Any]
    orders: tuple[str, ...]


def draw_kitchen(random: Random, stations: int = 2) -> RandomKitchen:
    """Draw a kitchen with `MOST_COOKS` cooks and `MOST_ORDERS` orders; a problem has the first of these.

    A menu of three dishes is drawn, and the orders from it. There are a dispenser for each of their ingredients, so
    many chopping boards and stoves with each cookware that they need, four tables, two of them with a plate, a window,
    a sink and a plate return, and two walls. Tables and walls are inside, the rest at the edge, but in no corner. Every
    station can be reached from everywhere.
    """
    menu = shuffled(random, DISHES)[:_MENU]
    orders = tuple(one(random, menu) for _ in range(MOST_ORDERS))
    things = _things([DISHES[name] for name in menu], stations)
    while True:
        document = _place_stations(random, things)
        if _reachable(document):
            return RandomKitchen(document, orders)


def _things(menu: list[OrderedDish], stations: int) -> list[tuple[str, dict[str, str]]]:
    """Return the names of all stations at the edge, with their ingredients or items."""
    needs = list(chain.from_iterable(dish.needs for dish in menu))
    ingredients = dict.fromkeys(need.ingredient for need in needs)
    needed_vessels = {need.vessel for need in needs}
    vessels = [vessel for vessel in FACTS.cookware if vessel.name in needed_vessels]
    states = {need.state for need in needs} | {vessel.takes for vessel in vessels}
    boards = stations if "chopped" in states else 0
    cookware: list[str] = []
    for vessel in vessels:
        cookware += [vessel.name] * stations
    things: list[tuple[str, dict[str, str]]] = []
    for number, ingredient in enumerate(ingredients, 1):
        things.append((f"dispenser{number}", {"provides": ingredient}))
    for number in range(1, boards + 1):
        things.append((f"chopping_board{number}", {}))
    for number, vessel_name in enumerate(cookware, 1):
        things.append((f"stove{number}", {"item": vessel_name}))
    return [*things, ("serving_window", {}), ("sink", {}), ("plate_return", {})]


def _place_stations(random: Random, things: list[tuple[str, dict[str, str]]]) -> dict[str, Any]:
    columns = range(1, _WIDTH - 1)
    rows = range(1, _HEIGHT - 1)
    inner = [(x, y) for y, x in product(rows, columns)]
    sides = list(product(columns, (0, _HEIGHT - 1)))
    ends = [(x, y) for y, x in product(rows, (0, _WIDTH - 1))]
    edge = shuffled(random, [*sides, *ends])
    middle = shuffled(random, inner)
    tiles: list[list[Any]] = [[name, "station", *edge.pop(), contents] for name, contents in things]
    for number in range(1, _TABLES + 1):
        contents = {"item": "plate"} if number <= _PLATES else {}
        tiles.append([f"table{number}", "station", *middle.pop(), contents])
    tiles += [["wall", "obstacle", *middle.pop()] for _ in range(_WALLS)]
    cooks = {}
    for number in range(1, MOST_COOKS + 1):
        cooks[f"agent{number}"] = list(middle.pop())
    return {"width": _WIDTH, "height": _HEIGHT, "agents": cooks, "tiles": tiles}


def _reachable(document: dict[str, Any]) -> bool:
    """Return true if every cook can reach every station."""
    kitchen = kitchen_from_map("drawn", document, "drawn", [], FACTS)
    reachable = distances(kitchen, kitchen.cooks[0][1])
    starts: list[Tile] = [place for _, place in kitchen.cooks]
    if not all(start in reachable for start in starts):
        return False
    access = (access_tiles(kitchen, station.name) for station in kitchen.stations)
    return all(any(tile in reachable for tile in tiles) for tiles in access)


def generate(random: Random, parameters: Parameters, name: str) -> tuple[GridKitchen, None]:
    """Return a kitchen, see `draw_kitchen`; every order can be served.

    ``tasks`` is the number of orders, ``agents`` that of the cooks, ``resources`` that of boards, and of stoves with
    each cookware; raises `InputError` for too many.
    """
    for field, max_value in (("tasks", MOST_ORDERS), ("agents", MOST_COOKS), ("resources", _MOST)):
        value = getattr(parameters, field)
        if not 1 <= value <= max_value:
            raise InputError(f"must be from 1 to {max_value}", field=field, value=value)
    random_kitchen = draw_kitchen(random, parameters.resources)
    orders = [DISHES[dish] for dish in random_kitchen.orders[: parameters.tasks]]
    kitchen = kitchen_from_map(name, random_kitchen.document, name, orders, FACTS)
    return kitchen.with_cooks(name, parameters.agents), None


def style() -> Generator:
    """Return the generator; by default two orders for two cooks."""
    return Generator(("tasks", "agents", "resources"), Parameters(tasks=2, agents=2, resources=2), generate)
