"""How early an ingredient can be in a vessel: cases in which things get there by odd ways."""

from __future__ import annotations

import pytest
from support.floors import PAPER, RELEASED

from planoracle.instances.deadline import NEVER
from planoracle.instances.floors.floor import PLATE, Dish, Facts, Floor, Need, Station, Tile, Vessel
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.floors.search import Search

pytest.importorskip("numba")

from planoracle.solver.floors.compiled.meeting import Meetings

POT = Vessel("pot", 4, "raw", ("rice", "pasta"))
RAW = Dish("raw", (Need("rice", "raw"),))
BOTH = pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])


def _floor(size: Tile, stations: list[Station], cooks: list[Tile], dishes: list[Dish]) -> Floor:
    people = [(f"agent{number}", tile) for number, tile in enumerate(cooks)]
    blocked = {(x, y) for x in range(size[0]) for y in (0, 2)} - {station.place for station in stations}
    walls = [(f"wall_{n}", tile) for n, tile in enumerate(sorted(blocked))]
    return Floor.of("row", "paracook", size, stations, walls, people, dishes, Facts(1, 2, 1, 1, (POT,)))


def _values(floor: Floor, rules: FloorRules) -> tuple[int, int]:
    """Return the bound, and the optimum."""
    search = Search(floor, rules)
    found = search.run(NEVER)
    assert found.uses is not None
    return Meetings(search.moves).least(search.bound), found.bound


@BOTH
def test_all_within_reach_is_served_at_one(rules: FloorRules) -> None:
    stations = [
        Station("window", "serving_window", (1, 0)),
        Station("rice", "dispenser", (0, 1), provides="rice"),
        Station("table", "table", (2, 1), PLATE),
    ]
    assert _values(_floor((3, 3), stations, [(1, 1)], [RAW]), rules) == (1, 1)


@BOTH
def test_raw_food_is_handed_across_a_stove(rules: FloorRules) -> None:
    """The cook on the right, who has the plate, pours it out of the pot on the stove between both."""
    stations = [
        Station("rice", "dispenser", (0, 1), provides="rice"),
        Station("stove", "stove", (2, 1), "pot"),
        Station("table", "table", (3, 0), PLATE),
        Station("window", "serving_window", (4, 1)),
    ]
    bound, optimum = _values(_floor((5, 3), stations, [(1, 1), (3, 1)], [RAW]), rules)
    assert 1 <= bound <= optimum == 1


@BOTH
def test_washed_plates_come_back_elsewhere(rules: FloorRules) -> None:
    """The only table with a plate is far from the window, where the second dish is made on the washed plate."""
    stations = [
        Station("table", "table", (0, 0), PLATE),
        Station("pasta", "dispenser", (0, 2), provides="pasta"),
        Station("window", "serving_window", (10, 0)),
        Station("rice", "dispenser", (10, 2), provides="rice"),
        Station("return", "plate_return", (9, 0)),
        Station("sink", "sink", (9, 2)),
    ]
    dishes = [Dish("pasta", (Need("pasta", "raw"),)), RAW]
    bound, optimum = _values(_floor((11, 3), stations, [(0, 1)], dishes), rules)
    assert 10 <= bound <= optimum < 20  # 30 if it had to be the plate on the table


def test_the_nearest_of_two_windows_counts() -> None:
    stations = [
        Station("window", "serving_window", (7, 0)),
        Station("window2", "serving_window", (0, 0)),
        Station("rice", "dispenser", (1, 0), provides="rice"),
        Station("table", "table", (2, 0), PLATE),
    ]
    assert _values(_floor((8, 3), stations, [(1, 1)], [RAW]), PAPER) == (3, 3)


@pytest.mark.parametrize("place", [0, 3])
def test_food_that_is_served_raw_sets_the_clock_of_a_pot(place: int) -> None:
    """By stamps rice in and out of the pot lets the pasta, which is far, be cooked sooner than its own time."""
    stations = [
        Station("rice", "dispenser", (0, 0), provides="rice"),
        Station("stove", "stove", (1, 0), "pot"),
        Station("table", "table", (2, 0), PLATE),
        Station("window", "serving_window", (3, 0)),
        Station("pasta", "dispenser", (7 + place, 0), provides="pasta"),
    ]
    dish = Dish("both", (Need("rice", "raw"), Need("pasta", "cooked", "pot")))
    floor = _floor((11, 3), stations, [(0, 1)], [dish])
    search = Search(floor, RELEASED)
    # Rice in at 1, pasta fetched and put in when 1 + 2 * 4 are over.
    assert Meetings(search.moves).least(search.bound) <= 1 + 2 * (6 + place) + 2
