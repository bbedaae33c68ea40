"""Bounds on floors: never above the optimum of a blind search tick by tick, on random tiny floors; nor above plans."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from planoracle.instances.floors.floor import PLATE, Dish, Facts, Floor, Need, Station, Tile, Vessel
from planoracle.instances.floors.geometry import beside, steps
from planoracle.solver.floors.flows import Flows, least_work

FACTS = Facts(1, 4, 6, 10, (Vessel("pot", 16, "raw", ("rice",)),))
#: Tile, thing in the hand, and ticks that the cook chops for, at which station.
Cook = tuple[Tile, object, int, int]
World = tuple[tuple[Cook, ...], tuple[object, ...]]


def _floor(random: Random, cooks: int) -> Floor:
    size = random.choice([(3, 3), (4, 2), (4, 3)] if cooks == 1 else [(3, 2), (3, 3), (4, 2)])
    places = [(x, y) for x in range(size[0]) for y in range(size[1])]
    random.shuffle(places)
    state = random.choice(["raw", "chopped"])
    stations = [
        Station("fish", "dispenser", places.pop(), provides="fish"),
        Station("board", "chopping_board", places.pop()),
        Station("window", "serving_window", places.pop()),
        Station("table", "table", places.pop(), holds=PLATE),
    ]
    if cooks == 1 and random.random() < 0.3 and len(places) > 3:
        stations.append(Station("table1", "table", places.pop()))
    people = [(f"cook{number}", random.choice(places)) for number in range(cooks)]
    dish = Dish("dish", (Need("fish", state),))
    return Floor.of("tiny", "paracook", size, stations, [], people, [dish], FACTS)


def _optimum(floor: Floor, most: int) -> int | None:
    """Return the earliest moment of the last serving by trying everything tick by tick; ``None`` if it is later."""
    lying = tuple((PLATE,) if station.holds else None for station in floor.stations)
    worlds: set[World] = {(tuple((place, None, 0, -1) for _, place in floor.cooks), lying)}
    need = floor.orders[0].needs[0]
    served = (PLATE, (need.ingredient, need.state))
    for clock in range(most + 1):
        rest, seen = list(worlds), set(worlds)
        while rest:
            world = rest.pop()
            for after, given in _uses(floor, world):
                if given == served and clock:
                    return clock
                if after not in seen:
                    seen.add(after)
                    rest.append(after)
        worlds = {after for world in seen for after in _ticks(floor, world)}
    return None


def _uses(floor: Floor, world: World) -> Iterator[tuple[World, object]]:
    cooks, lying = world
    for number, (tile, hand, busy, _) in enumerate(cooks):
        for place, station in enumerate(floor.stations):
            if busy or tile not in beside(floor, station.name):
                continue
            there = lying[place]
            if station.kind == "serving_window":
                yield world, hand
                continue
            for mine, its in _exchanged(station, hand, there):
                changed = (*cooks[:number], (tile, mine, 0, -1), *cooks[number + 1 :])
                yield (changed, (*lying[:place], its, *lying[place + 1 :])), None


def _exchanged(station: Station, hand: object, there: object) -> Iterator[tuple[object, object]]:
    if hand is None and there is None:
        if station.provides:
            yield (station.provides, "raw"), None
    elif hand is None or there is None:
        yield there, hand
    elif isinstance(hand, tuple) and isinstance(there, tuple) and len(hand) + len(there) == 3:
        food, plate = (there, hand) if hand[0] == PLATE else (hand, there)
        if plate == (PLATE,):
            yield ((PLATE, food), None) if plate is hand else (None, (PLATE, food))


def _ticks(floor: Floor, world: World) -> Iterator[World]:
    cooks, lying = world
    choices: list[list[Cook]] = []
    for tile, hand, busy, board in cooks:
        if busy:
            choices.append([(tile, hand, busy - 1, board if busy > 1 else -1 - board - 1)])
            continue
        can: list[Cook] = [(tile, hand, 0, -1)]
        can += [(near, hand, 0, -1) for near in steps(tile) if floor.inside(near) and near not in floor.blocked]
        for place, station in enumerate(floor.stations):
            if station.kind == "chopping_board" and tile in beside(floor, station.name):
                can.append((tile, hand, floor.facts.chop - 1, place))
        choices.append(can)
    for chosen in product(*choices):
        chopping = [board for _, _, _, board in chosen if board >= 0]
        if len(chopping) != len(set(chopping)):
            continue
        things, fine, done = list(lying), True, []
        for tile, hand, busy, board in chosen:
            if board < -1:
                place = -board - 2
                fine = fine and things[place] == ("fish", "raw")
                things[place] = ("fish", "chopped")
            done.append((tile, hand, busy, board if board >= 0 else -1))
        if fine:
            yield tuple(done), tuple(things)


@pytest.mark.parametrize(("cooks", "floors", "most"), [(1, 8, 14), pytest.param(2, 8, 7, marks=pytest.mark.slow)])
def test_bounds_are_never_above_the_optimum(cooks: int, floors: int, most: int) -> None:
    random = Random(cooks)
    tried = equal = 0
    while tried < floors:
        floor = _floor(random, cooks)
        best = _optimum(floor, most)
        if best is None:
            continue
        tried += 1
        values = [Flows(floor, presence).bound(1) for presence in (False, True)]
        assert max(values) <= best, (floor, values, best)
        equal += cooks * max(values) >= best - 1
    assert 2 * equal > tried  # the bound is good here


def test_the_bound_is_that_of_a_walk() -> None:
    stations = [
        Station("fish", "dispenser", (0, 0), provides="fish"),
        Station("board", "chopping_board", (4, 0)),
        Station("table", "table", (6, 0), holds=PLATE),
        Station("window", "serving_window", (9, 0)),
    ]
    dish = Dish("dish", (Need("fish", "chopped"),))
    floor = Floor.of("row", "paracook", (10, 2), stations, [], [("cook", (0, 1))], [dish], FACTS)
    assert least_work(floor, 8, 99) == 9 + 4
    assert least_work(floor, 8, 12) == 12
