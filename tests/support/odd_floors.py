"""Random tiny floors with what published ones lack: cookware and plates anywhere, covered sources, two windows."""

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
)
from planoracle.instances.benchmarks.grid_kitchens.tiles import steps

#: Ingredients of the pan (chopped) and of the pot (raw).
_PAN, _POT = ("meat", "tomato"), ("rice", "pasta")
_LAID = ("table", "table", "dispenser", "chopping_board")


def odd_floor(seed: int, cooks: int) -> GridKitchen:
    """Return a floor of up to 6 by 4 tiles with up to twelve stations and up to three dishes."""
    random = Random(f"odd/{seed}/{cooks}")
    while True:
        found = _floor(random, seed, cooks)
        if found is not None:
            return found


def _floor(random: Random, seed: int, cooks: int) -> GridKitchen | None:
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
        free.append((random.randrange(width), random.randrange(height)))  # perhaps apart from the others
    free = sorted(set(free))
    places = sorted({tile for one in free for tile in steps(one)} - set(free))
    places = [tile for tile in places if 0 <= tile[0] < width and 0 <= tile[1] < height]
    random.shuffle(places)
    random.shuffle(kinds)
    if len(places) < len(kinds):
        return None
    taken = list(zip(kinds, places, strict=False))
    stations = [
        Station(f"{kind}{n}", kind, place, holds, gives) for n, ((kind, holds, gives), place) in enumerate(taken)
    ]
    rest = sorted({(x, y) for x in range(width) for y in range(height)} - set(free) - {place for _, place in taken})
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
