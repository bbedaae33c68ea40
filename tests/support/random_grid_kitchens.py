"""Random tiny grid kitchens, and odd ones with features that published kitchens lack.

Odd kitchens have cookware and plates on any station, covered dispensers and two windows.
"""

from __future__ import annotations

from random import Random

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    PLATE,
    Cookware,
    Facts,
    GridKitchen,
    Need,
    OrderedDish,
    Station,
    Tile,
    steps,
)

_NEEDS = {
    "rice raw": Need("rice", "raw"),
    "rice cooked": Need("rice", "cooked", "pot"),
    "meat raw": Need("meat", "raw"),
    "meat chopped": Need("meat", "chopped"),
    "meat cooked": Need("meat", "cooked", "pan"),
}
_DISHES = (
    ("rice raw",),
    ("rice cooked",),
    ("meat chopped",),
    ("meat cooked",),
    ("rice cooked",),
    ("meat cooked",),
    ("rice raw", "meat raw"),
    ("rice raw", "meat chopped"),
    ("rice cooked", "rice cooked"),
    ("rice raw", "rice cooked"),
    ("rice raw", "meat cooked"),
    ("meat chopped", "meat cooked"),
)


def random_grid_kitchen(seed: int, cooks: int) -> GridKitchen:
    """Return a grid kitchen of 3 by 3 to 5 by 4 tiles with two to nine stations."""
    random = Random(f"{seed}/{cooks}")
    while True:
        kitchen = _draw(random, seed, cooks)
        if kitchen is not None:
            return kitchen


def _draw(random: Random, seed: int, cooks: int) -> GridKitchen | None:
    width, height = random.choice(((3, 3), (4, 3), (3, 4), (5, 3), (4, 4), (5, 4)))
    orders = [random.choice(_DISHES if cooks == 1 or random.random() < 0.1 else _DISHES[:6])]
    if random.random() < (0.25 if cooks == 1 else 0.06):
        orders.append(random.choice((*_DISHES[:4], orders[0])))
    dishes = [OrderedDish("_".join(one).replace(" ", "_"), tuple(_NEEDS[need] for need in one)) for one in orders]
    needs = {(need.ingredient, need.state) for dish in dishes for need in dish.needs}
    names = sorted({name for name, _ in needs})
    plates = 2 if random.random() < 0.2 else 1
    kinds: list[tuple[str, str, str]] = [("serving_window", "", "")]
    kinds += [("dispenser", "", name) for name in names]
    if any(name == "meat" and state != "raw" for name, state in needs):
        kinds.append(("chopping_board", "", ""))
    if ("meat", "cooked") in needs:
        kinds.append(("stove", "pan", ""))
    if ("rice", "cooked") in needs:
        kinds.append(("stove", "pot", ""))
    kinds += [("table", "plate", "")] * plates
    if len(orders) > plates or random.random() < 0.05:
        kinds += [("sink", "", ""), ("plate_return", "", "")]
    if random.random() < (0.3 if cooks == 1 else 0.15):
        kinds.append(random.choice((("table", "", ""), ("dispenser", "", random.choice(names)), ("stove", "", ""))))
    if random.random() < 0.04:
        kinds.remove(random.choice(kinds[1:]))
    random.shuffle(kinds)
    # Free tiles grow from one tile, and stations adjoin them; most remaining tiles are walls.
    free = [(random.randrange(width), random.randrange(height))]
    for _ in range(random.randint(1, 2 if cooks > 1 else 7)):
        free.append(random.choice(_around(free, width, height) or free))
    free = sorted(set(free))
    places = _around(free, width, height)
    random.shuffle(places)
    if len(places) < len(kinds):
        return None
    stations = [
        Station(f"{kind}{number}", kind, place, holds, gives)
        for number, ((kind, holds, gives), place) in enumerate(zip(kinds, places, strict=False))
    ]
    rest = sorted({(x, y) for x in range(width) for y in range(height)} - set(free) - set(places[: len(kinds)]))
    walls = [place for place in rest if random.random() < 0.95]
    if cooks > 1 and len(rest) - len(walls) + len(free) > 4:
        return None
    start = [random.choice(free) for _ in range(cooks)]
    long = cooks == 1 and random.random() < 0.1
    facts = Facts(
        move=2 if random.random() < 0.05 else 1,
        chop=4 if long else random.choice((1, 2, 2, 3)),
        wash=6 if long else random.choice((1, 2)),
        plate_return=10 if long else random.choice((1, 3)),
        cookware=(
            Cookware("pan", 24 if long else random.randint(1, 5), "chopped", ("meat",)),
            Cookware("pot", 16 if long else random.randint(1, 7), "raw", ("rice",)),
        ),
    )
    return GridKitchen.of(
        f"random/{cooks}/{seed}",
        "paracook",
        (width, height),
        stations,
        [("wall" if not n else f"wall_{n}", place) for n, place in enumerate(walls)],
        [(f"agent{n}", tile) for n, tile in enumerate(start, 1)],
        dishes,
        facts,
    )


def _around(free: list[Tile], width: int, height: int) -> list[Tile]:
    near = {t for tile in free for t in steps(tile)} - set(free)
    return sorted((x, y) for x, y in near if 0 <= x < width and 0 <= y < height)


#: Ingredients of the pan (chopped) and of the pot (raw).
_PAN, _POT = ("meat", "tomato"), ("rice", "pasta")
_LAID = ("table", "table", "dispenser", "chopping_board")


def odd_grid_kitchen(seed: int, cooks: int) -> GridKitchen:
    """Return a grid kitchen of up to 6 by 4 tiles with up to twelve stations and up to three dishes."""
    random = Random(f"odd/{seed}/{cooks}")
    while True:
        kitchen = _draw_odd(random, seed, cooks)
        if kitchen is not None:
            return kitchen


def _draw_odd(random: Random, seed: int, cooks: int) -> GridKitchen | None:
    names = random.sample((*_PAN, *_POT), random.choice((1, 1, 2)))
    dishes = []
    for number in range(random.choice((1, 1, 2, 2, 3))):
        needs = [_need(random, random.choice(names)) for _ in range(random.choice((1, 1, 1, 2)))]
        dishes.append(OrderedDish(f"dish{number}", tuple(needs)))
    needed = {(need.ingredient, need.state) for dish in dishes for need in dish.needs}
    kinds = [["serving_window", "", ""] for _ in range(1 + (random.random() < 0.2))]
    kinds += [["dispenser", "", name] for name in sorted({name for name, _ in needed})]
    if any(state == "chopped" or (state == "cooked" and name in _PAN) for name, state in needed):
        kinds.append(["chopping_board", "", ""])
    ware = ["pan"] * any(name in _PAN for name, _ in needed) + ["pot"] * any(name in _POT for name, _ in needed)
    kinds += [["stove", "", ""] for _ in range(random.choice((0, 1, 1, 2)))]
    if any(state == "cooked" for _, state in needed) and ["stove", "", ""] not in kinds:
        kinds.append(["stove", "", ""])
    plates = random.choice((1, 1, 2))
    if len(dishes) > plates or random.random() < 0.3:
        kinds += [["sink", "", ""], ["plate_return", "", ""]]
    kinds += [["table", "", ""] for _ in range(random.choice((0, 1, 1, 2)))]
    for thing in (*[PLATE] * plates, *ware):
        lies = [kind for kind in kinds if not kind[1] and (kind[0] in _LAID or (kind[0] == "stove" and thing != PLATE))]
        if not lies or random.random() < 0.4:
            lies = [["table", "", ""]]
            kinds += lies
        random.choice(lies)[1] = thing
    width, height = random.choice(((3, 3), (4, 3), (6, 3), (5, 4), (7, 2)))
    free = [(random.randrange(width), random.randrange(height))]
    for _ in range(random.randint(1, 3 if cooks > 1 else 8)):
        near = [tile for one in free for tile in steps(one) if 0 <= tile[0] < width and 0 <= tile[1] < height]
        free.append(random.choice(near))
    if random.random() < 0.1:
        free.append((random.randrange(width), random.randrange(height)))  # perhaps not connected with the others
    free = sorted(set(free))
    places = _around(free, width, height)
    random.shuffle(places)
    random.shuffle(kinds)
    if len(places) < len(kinds):
        return None
    placed = list(zip(kinds, places, strict=False))
    stations = [
        Station(f"{kind}{n}", kind, place, holds, gives) for n, ((kind, holds, gives), place) in enumerate(placed)
    ]
    rest = sorted({(x, y) for x in range(width) for y in range(height)} - set(free) - {place for _, place in placed})
    facts = Facts(
        move=1,
        chop=random.choice((1, 2, 3)),
        wash=random.choice((1, 1, 2)),
        plate_return=random.choice((0, 1, 2)),
        cookware=(
            Cookware("pan", random.randint(1, 6), "chopped", _PAN),
            Cookware("pot", random.randint(1, 8), "raw", _POT),
        ),
    )
    walls = [("wall" if not n else f"wall_{n}", place) for n, place in enumerate(rest)]
    people = [(f"agent{n}", random.choice(free)) for n in range(1, cooks + 1)]
    return GridKitchen.of(f"odd/{cooks}/{seed}", "paracook", (width, height), stations, walls, people, dishes, facts)


def _need(random: Random, name: str) -> Need:
    return Need(name, random.choice(("raw", "chopped", "cooked", "cooked")))
