"""Random tiny floors."""

from __future__ import annotations

from random import Random

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    Cookware,
    Facts,
    GridKitchen,
    Need,
    OrderedDish,
    Station,
    Tile,
)
from planoracle.instances.benchmarks.grid_kitchens.tiles import steps

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


def random_floor(seed: int, cooks: int) -> GridKitchen:
    """Return a floor of 3 by 3 to 5 by 4 tiles with two to nine stations."""
    random = Random(f"{seed}/{cooks}")
    while True:
        found = _floor(random, seed, cooks)
        if found is not None:
            return found


def _floor(random: Random, seed: int, cooks: int) -> GridKitchen | None:
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
    # Free tiles grow from one, and stations stand at them; what is left over is a wall, mostly.
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
