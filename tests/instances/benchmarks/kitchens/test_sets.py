"""Bundled kitchens of our own: names, variants and dishes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from support.samples import sample

from planoracle.instances.benchmarks.kitchens import problems
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.kitchen_layout import layout_of, served, variant
from planoracle.instances.benchmarks.kitchens.problems import kitchen_from_document, to_document
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.model.limits import WorkLimit
from planoracle.solver.kitchens.astar import plan
from tests.support.robotouille import KITCHENS
from tests.support.robotouille_originals import load_kitchen

BURGER = "kitchens/synchronous/3_burger"


def test_ten_kitchens_in_each_of_three_sets() -> None:
    assert Counter(name.split("/")[1] for name in problems.names()) == dict.fromkeys(problems.SETS, 10)
    for name in problems.names():
        kitchen = problems.kitchen(name)
        assert kitchen.name == name
        assert len(kitchen.players) == (2 if "multi_agent" in name else 1)
        assert kitchen.text
        assert all(kitchen.candidates.values())


def test_kitchens_differ_from_the_released_files(shared: Path) -> None:
    for name in problems.names():
        original = load_kitchen(shared / "benchmarks" / f"{name}.json".replace("kitchens/", "robotouille/"))
        ours = problems.kitchen(name)
        assert layout_of(ours)[0].stations != layout_of(original)[0].stations
        assert ours.text.casefold() != original.text.rstrip(".").casefold()


@pytest.mark.parametrize("name", sample(problems.names()[:16:3]))
def test_variants_can_be_solved(name: str) -> None:
    for kitchen in (problems.kitchen(f"{name}@1"), problems.kitchen(f"{name}@3")):
        assert trace(kitchen, plan(kitchen, time_limit=WorkLimit(5.0)).actions).success


def test_synchronous_kitchens_have_no_cookable_items() -> None:
    for name in problems.names():
        raw = any(fact[0] == "iscookable" for fact in problems.kitchen(name).facts)
        if "/synchronous/" in name:
            assert not raw


@pytest.mark.parametrize(
    ("name", "covered"),
    [
        (BURGER, True),
        (f"{BURGER}@0", True),
        (f"{BURGER}@123456789", True),
        (f"{BURGER}@", False),
        (f"{BURGER}@07", False),
        (f"{BURGER}@-1", False),
        (f"{BURGER}@1@2", False),
        (f"{BURGER}@1234567890", False),
        (f"{BURGER}@٣", False),
        (f"{BURGER}/", False),
        ("kitchens/synchronous", False),
        ("kitchens/synchronous@1", False),
        ("", False),
        ("@1" * 10**6, False),
    ],
)
def test_covers_accepts_bundled_kitchens_and_variants_only(name: str, covered: bool) -> None:
    assert problems.covers(name) == covered
    if covered:
        assert problems.kitchen(name).name == name
        assert name in problems.set_of(name)[1]
    else:
        assert problems.set_of(name) == ("", ())
        with pytest.raises(UnknownNameError, match="no such kitchen"):
            problems.kitchen(name)


def test_variants_with_one_seed_form_a_set() -> None:
    below = problems.members("kitchens/multi_agent@7")
    assert below == problems.members("kitchens/multi_agent/@7") == problems.members("kitchens@7")[20:]
    assert problems.set_of(below[3]) == ("kitchens/multi_agent@7", below)
    assert problems.set_of(BURGER) == ("kitchens/synchronous", problems.names()[:10])
    for no_set in (
        "robotouille",
        "kitchens@",
        "kitchens/synchronous@x",
        f"{BURGER}@7",
        "robotouille/syn@7",
        "@7",
    ):
        assert problems.members(no_set) == ()


def _whereabouts(kitchen: Kitchen) -> list[object]:
    layout = layout_of(kitchen)[0]
    return [layout.stations, {player: at for player, (at, _) in layout.players.items()}]


@pytest.mark.parametrize(
    "original", sample([*KITCHENS.values(), *map(problems.kitchen, problems.names()[::4])]), ids=lambda k: k.name
)
def test_variants_keep_goal_traits_and_held_things(original: Kitchen) -> None:
    layouts = []
    old = layout_of(original)[0]
    for seed in range(12):
        kitchen = variant(original, seed)
        layout = layout_of(kitchen)[0]
        assert kitchen.goal == original.goal
        assert kitchen.text == original.text
        assert set(original.objects) <= set(kitchen.objects)
        assert {fact for fact in original.facts if fact[0].startswith("is")} <= kitchen.facts
        assert layout.containers == old.containers
        assert [in_hand for _, in_hand in layout.players.values()] == [in_hand for _, in_hand in old.players.values()]
        assert len({at for at, _ in layout.players.values()}) == len(layout.players)
        if not all(old.stations.values()):
            assert not all(layout.stations.values())  # one is empty still
        assert layout_of(kitchen)[1:] == (set(), set())
        assert kitchen_from_document(to_document(kitchen), "") == kitchen
        extra = Counter(kind for name, kind in kitchen.objects if name not in original.types)
        assert extra["station"] <= 3
        assert extra["item"] <= 2
        assert extra.total() == extra["station"] + extra["item"]
        layouts.append(_whereabouts(kitchen))
    assert all(layouts.count(layout) == 1 for layout in layouts)
    assert _whereabouts(original) not in layouts


def test_containers_of_variants_stand_alone_on_a_station() -> None:
    for seed in range(30):
        stations = layout_of(problems.kitchen(f"kitchens/multi_agent/7_onion_potato_tomato_soup@{seed}"))[0].stations
        assert all(len(things) == 1 for things in stations.values() if {"pot1", "bowl1"} & set(things))


def test_dishes_are_converted_to_goal_conditions() -> None:
    assert served(["bread / cut fried onion / bread", "cheese"]) == [
        ("iscut", "onion#1"),
        ("isfried", "onion#1"),
        ("item_on", "bread#1", "table#1"),
        ("atop", "onion#1", "bread#1"),
        ("atop", "bread#2", "onion#1"),
        ("clear", "bread#2"),
        ("item_on", "cheese#1", "table#2"),
    ]
    assert served(["soup: potato, cut onion"]) == [
        ("iscut", "onion#1"),
        ("addedto", "potato#1", "water#1"),
        ("addedto", "onion#1", "water#1"),
        ("isboiling", "water#1"),
        ("in", "water#1", "bowl#1"),
        ("container_at", "bowl#1", "table#1"),
    ]


@pytest.mark.slow
def test_same_seed_gives_the_same_kitchen() -> None:
    first = layout_of(problems.kitchen("kitchens/asynchronous/5_potato_soup@7"))[0]
    assert first.stations == {
        "sink1": ["bowl1"],
        "stove1": ["potato1"],
        "table1": ["pot1"],
        "table2": [],
        "table3": ["bread1"],
    }
    assert first.players == {"robot1": ("sink1", None)}
    root = str(Path(__file__).resolve().parents[4])
    code = (
        f"import sys; sys.path.insert(0, {root!r})\n"
        "from planoracle.instances.benchmarks.kitchens import problems\n"
        "from tests.support.kitchen_comparison import draw_kitchen\n"
        "made = [problems.kitchen(name) for name in problems.members('kitchens@7')]\n"
        "made += [draw_kitchen(seed) for seed in range(20)]\n"
        "print([problems.to_document(each) for each in made])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
