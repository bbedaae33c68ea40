"""Conditions that the text of a goal requires and its formal conditions lack."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from planoracle.analysis.audit.auditor import Auditor
from planoracle.instances.benchmarks.kitchens import problems as ours
from planoracle.instances.benchmarks.kitchens import released_kitchens as problems
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import under
from planoracle.instances.benchmarks.kitchens.goal_text import by_text, dishes, lacking
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES
from planoracle.instances.benchmarks.kitchens.released_kitchens import lacking_of_caption
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.protocol import registry
from planoracle.solver.kitchens.astar import plan
from tests.support.robotouille import kitchen, min_steps_of
from tests.support.robotouille_originals import find_kitchens, load_kitchen

BURGERS = "robotouille/synchronous/8_two_lettuce_tomato_burger"


def test_one_released_goal_lacks_conditions_that_its_text_requires(shared: Path) -> None:
    texts = {f"robotouille/{task}": load_kitchen(path) for task, _, path in find_kitchens([shared / "benchmarks"])}
    for released in (texts, {name: problems.kitchen(name) for name in problems.names() if "@" not in name}):
        assert {name for name, one in released.items() if lacking(one)} == {BURGERS}
    assert not any(map(lacking, map(ours.kitchen, ours.names())))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Prepare a lettuce and tomato sandwich", "bread bread lettuce tomato"),
        ("a HAMBURGER with 2 fried onions. Serve cheese", "bottombun onion onion patty topbun"),
        ("soup with a cut tomato and two chicken sandwiches", "tomato / bread bread chicken / bread bread chicken"),
        ("Tomato burger and fries on separate tables", "bottombun tomato topbun"),
        ("a grilled patty on bread", ""),
        ("two " * 3_000 + "cut " * 3_000, ""),
    ],
)
def test_dishes_are_read_from_goal_texts(text: str, expected: str) -> None:
    assert " / ".join(" ".join(sorted(part for part, _ in dish.parts)) for dish in dishes(text)) == expected


def test_lacking_conditions_cover_missing_parts_and_dishes() -> None:
    stations = {"table1": ["bread1", "cheese1", "bread2"], "table2": ["tomato1"], "table3": []}
    goal = [["item_on", "bread#1", "table#2"], ["item_at", "bread#3", "table#2"]]
    part = kitchen(stations, goal=goal, text="a cut tomato sandwich", traits={"tomato1": ["iscut"]})
    assert {atom[0] for atom in lacking(part)} == {"item_at", "iscut"}
    stated = by_text(part)
    assert lacking(stated) == ()
    rules = PROFILES["released"]
    assert under(part, rules).goal == part.goal
    assert under(part, replace(rules, goal="text")).goal == stated.goal
    assert plan(stated).makespan == min_steps_of(stated, PROFILES["released"]) == 4
    dish = kitchen(stations, goal=[["item_on", "bread#1", "table1"]], text="sandwich and onion soup")
    assert ("addedto", "onion#text1_0", "water#text1") in lacking(dish)


def test_goals_of_two_kitchens_lack_conditions_of_the_paper() -> None:
    lacks = {}
    for name in problems.names():
        place, atoms = lacking_of_caption(problems.kitchen(name))
        assert place
        if atoms and "@" not in name and name != BURGERS:
            lacks[name] = (place, *atoms)
    assert lacks == {
        "robotouille/multi_agent/5_lettuce_tomato_chicken_sandwich": ("Figure 35", ("isfried", "chicken#5")),
        "robotouille/multi_agent/7_onion_potato_tomato_soup": ("A.4, task 7", ("isboiling", "water#1")),
    }
    assert lacking_of_caption(ours.kitchen(ours.names()[0])) == ("", ())


def test_boiled_soup_has_boiling_water() -> None:
    stations = {"stove1": ["pot1"], "table1": ["onion1"]}
    goal = [["addedto", "onion#1", "water#1"]]
    assert lacking(kitchen(stations, goal=goal, text="onion soup")) == ()
    assert lacking(kitchen(stations, goal=goal, text="boiled onion soup")) == (("isboiling", "water#1"),)
    boiled = [*goal, ["isboiling", "water#1"]]
    assert lacking(kitchen(stations, goal=boiled, text="boiled onion soup")) == ()


def test_goal_below_a_proved_bound_is_reported_without_an_optimum() -> None:
    (finding,) = Auditor(limit=WorkLimit(0.3)).check_published(
        "robotouille/multi_agent/5_lettuce_tomato_chicken_sandwich"
    )
    assert (finding.reference, finding.verdict, finding.optimum) == ("goal", "below_bound", None)
    assert finding.reason == (
        f"every plan takes at least {finding.bound} steps (proved); "
        "the paper (Figure 35) also asks for chicken 5 is fried"
    )


@pytest.mark.slow
def test_optimum_by_goal_text_is_proved_and_audited() -> None:
    rules = registry.get("robotouille").rules.profile("released", goal="text")
    result = plan(problems.kitchen(BURGERS), rules=rules)
    assert (result.status, result.makespan) == ("optimal", 59)
    published, goal = Auditor().check_published(BURGERS)
    assert (published.optimum, goal.reference, goal.claimed, goal.optimum) == (39, "goal", 39, 59)
    assert (goal.verdict, json.dumps(goal.reason).count("tomato")) == ("below_bound", 4)
