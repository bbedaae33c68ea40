"""Floors that are too large, too slow or of no use for compiled searches, with those searches from the start."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.floors import FACTS, PAPER, RELEASED, row
from support.odd_floors import odd_floor
from support.random_floors import random_floor

from planoracle.instances.deadline import Work
from planoracle.instances.floors.floor import Dish, Floor, Need, Station
from planoracle.instances.floors.profile import FloorRules
from planoracle.instances.floors.replay import carry_out
from planoracle.instances.status import Status
from planoracle.solver.floors import proving
from planoracle.solver.floors.planner import plan

pytest.importorskip("numba")

MEAT = Dish("meat", (Need("meat", "chopped"),))


@pytest.fixture(autouse=True)
def _from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "_FIRST", 1e-9)


def _without(floor: Floor, kind: str) -> Floor:
    return replace(floor, stations=tuple(one for one in floor.stations if one.kind != kind))


def _enclosed(floor: Floor) -> Floor:
    """Return the floor with the first cook between two walls."""
    walls = (*floor.walls, ("left", (3, 1)), ("right", (5, 1)))
    return replace(floor, walls=walls, cooks=((floor.cooks[0][0], (4, 1)), *floor.cooks[1:]))


def _wide(stations: int) -> Floor:
    """Return a floor with so many stations more, all in reach."""
    floor = row(MEAT, cooks=2)
    tables = [Station(f"more{n}", "table", (13 + n, 0)) for n in range(stations)]
    return replace(floor, width=13 + stations, stations=(*floor.stations, *tables), walls=())


def _slow(**ticks: int) -> Floor:
    return replace(row(MEAT, cooks=2), facts=replace(FACTS, **ticks))


FLOORS = {
    "no window": _without(row(MEAT), "serving_window"),
    "no plates": replace(row(MEAT), stations=tuple(replace(one, holds="") for one in row().stations)),
    "no board": _without(row(MEAT), "chopping_board"),
    "enclosed": _enclosed(row(MEAT, cooks=2)),
    "eight cooks": row(MEAT, cooks=8),
    "nine cooks": row(MEAT, cooks=9),
    "many stations": _wide(120),
    "large dish": row(Dish("large", (Need("meat", "raw"),) * 15)),
    "fourteen": row(Dish("fourteen", (Need("meat", "raw"),) * 14)),
    "slow walks": _slow(move=2),
    "quick knife": _slow(chop=1),
    "no time": _slow(chop=0, wash=0),
    "long work": _slow(chop=40_000),
    "long washing": replace(row(MEAT, MEAT, cooks=2), facts=replace(FACTS, wash=70_000, plate_return=70_000)),
    "long cooking": _slow(cookware=tuple(replace(one, ticks=33_000) for one in FACTS.cookware)),
    "longest": _slow(move=10**6, chop=10**6, wash=10**6, plate_return=10**6),
    "odd cookware": _slow(cookware=tuple(replace(one, takes="fried") for one in FACTS.cookware)),
    "two windows": replace(row(MEAT), stations=(*row().stations, Station("w", "serving_window", (12, 0)))),
}
NONE = ("no window", "no plates", "no board", "odd cookware")


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
@pytest.mark.parametrize("name", FLOORS)
def test_nothing_breaks(name: str, rules: FloorRules) -> None:
    """Plans are carried out as they were thought, bounds are below them, and the same comes of it twice."""
    floor = FLOORS[name]
    found, again = plan(floor, rules, Work(0.2)), plan(floor, rules, Work(0.2))
    assert (found.status, found.makespan, found.bound, found.plan) == (
        again.status,
        again.makespan,
        again.bound,
        again.plan,
    )
    if found.plan is None:
        assert found.status in (Status.infeasible, Status.unknown)
        return
    assert name not in NONE[:3]
    outcome = carry_out(floor, found.plan, rules)
    assert outcome.done
    assert outcome.time == found.makespan
    assert found.makespan is not None
    assert found.bound <= found.makespan
    assert (found.status == Status.optimal) == (found.bound == found.makespan)


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
def test_durations_beyond_the_numbers_change_no_optimum(rules: FloorRules) -> None:
    """Washing that no plan needs takes a second or a day: it is the same."""
    for seed in range(4):
        floor = random_floor(seed, 2)
        slow = replace(floor, facts=replace(floor.facts, wash=65_537, plate_return=65_537))
        one, two = plan(floor, rules, Work(0.3)), plan(slow, rules, Work(0.3))
        if len(floor.orders) == 1 and Status.feasible not in (one.status, two.status):
            assert (one.status, one.makespan) == (two.status, two.makespan)


def test_limits_of_work_say_the_same_twice() -> None:
    for seed in range(3):
        floor = odd_floor(seed, 2)
        assert plan(floor, PAPER, Work(0.05)) == plan(floor, PAPER, Work(0.05))


_TRY = """
from planoracle.solver.floors.compiled import numbers
@numbers.compiled
def more(number):
    return number + 1
assert more(1) == 2
print(more.stats.cache_path)
"""


@pytest.mark.parametrize("fine", [True, False])
def test_code_is_kept_in_a_folder_of_its_own_or_not_at_all(tmp_path: Path, fine: bool) -> None:
    """The folder is one for such things; where it cannot be written nothing is kept, and nothing next to sources."""
    program, cache = tmp_path / "program.py", tmp_path / "cache"
    program.write_text(_TRY, encoding="utf-8")
    if not fine:
        cache.write_text("a file, no folder", encoding="utf-8")
    names = ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE")
    done = subprocess.run(
        [sys.executable, "-B", str(program)],
        env=os.environ | dict.fromkeys(names, str(cache)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    folder = done.stdout.strip()
    assert folder.startswith(str(cache)) == fine
    assert (folder == "None") != fine
    assert not (tmp_path / "__pycache__").exists()
    assert not list((Path(proving.__file__).parent / "compiled").rglob("*.nb?"))


def test_floors_for_it_are_for_it() -> None:
    """The floors above reach compiled code where they fit, and do not where they do not."""
    from planoracle.solver.floors.compiled.sizes import suits
    from planoracle.solver.floors.search import Search

    unsuited = {"nine cooks", "eight cooks", "large dish", "long work", "long washing", "long cooking", "longest"}
    for name, floor in FLOORS.items():
        if name != "no window":
            assert suits(Search(floor, PAPER), 200) == (name not in unsuited), name
