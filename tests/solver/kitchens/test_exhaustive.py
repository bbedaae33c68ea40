"""Bound and plans of the kitchen planner against blind breadth-first search through the rules."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, KitchenRules
from planoracle.instances.benchmarks.kitchens.problems import kitchen
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.generate.parameters import chance, one, shuffled
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.kitchens.state_view import UNREACHABLE
from tests.support.kitchen_cases import FAULTS, Case, read_cases
from tests.support.kitchen_comparison import Comparison, compare, compare_bounds, draw_cases
from tests.support.kitchen_walks import WALKS, case_of, estimate, estimates_of_row, states_of
from tests.support.robotouille import document
from tests.support.samples import sample
from tests.support.state_graph import StateGraph

DATA = Path(__file__).parents[1] / "data"
#: Cases that were wrong once, most of them shrunk.
CASES = read_cases(DATA / "kitchens.json")
#: Walks with the distances and the estimates of their states.
STORED_WALKS = json.loads(WALKS.read_text("utf-8"))
#: Goals of each random kitchen, and its maximum number of states.
GOALS, STATES = 4, 7_000


@pytest.mark.parametrize("kind", sample(FAULTS))
@pytest.mark.parametrize(
    ("label", "case", "steps"),
    sample(CASES, several=True),
    ids=[f"{case.kitchen['name']}-{case.rules['profile']}" for _, case, _ in CASES],
)
def test_stored_case_agrees_with_blind_search(label: str, case: Case, steps: int | None, kind: str) -> None:
    assert case.min_steps() == steps
    assert FAULTS[kind](case, steps) == "", label


@pytest.mark.parametrize("part", range(4))
def test_estimates_of_stored_walks_are_admissible_and_as_strong_as_before(part: int) -> None:
    """Compare with distances and with stored estimates, which a better bound changes: see `kitchen_walks`."""
    for row in STORED_WALKS[part::4]:
        estimates = estimates_of_row(row)
        steps_of_key: dict[int, int | None] = {}
        columns = (estimates.keys, estimates.bounds, estimates.scheduled, row["steps"])
        for key, value, scheduled, steps in zip(*columns, strict=True):
            assert not steps or (value is not None and max(value, scheduled) <= steps)
            assert value is None or steps_of_key.setdefault(key, steps) == steps
        assert vars(estimates) == row["estimates"], row["kitchen"]["name"]


STEW = {"table1": ["pot1"], "table2": ["onion2"], "board1": ["onion1"]}
SLICES = {"table1": ["bread1", "lettuce1"], "table2": ["lettuce2"], "board1": []}


@pytest.mark.parametrize(
    ("stations", "containers", "goal", "counts"),
    [
        (STEW, {"pot1": ["water1"]}, ["iscut onion#1", "addedto onion#1 water#1"], (1050, 221)),
        (SLICES, {}, ["iscut lettuce#1", "atop lettuce#1 bread#1"], (1440, 302)),
    ],
    ids=["stew", "slices"],
)
def test_states_with_equal_keys_are_equally_far_from_the_goal(
    stations: dict[str, list[str]], containers: dict[str, list[str]], goal: list[str], counts: tuple[int, int]
) -> None:
    traits = {item: ["iscuttable"] for item in ("onion1", "onion2", "lettuce1", "lettuce2") if item in str(stations)}
    conditions = [condition.split() for condition in goal]
    case = Case(document(stations, traits=traits, goal=conditions, containers=containers), counts={"cut": 1})
    engine = CompiledKitchen(case.problem(), case.profile())
    graph = StateGraph.explore(engine, STATES)
    assert graph is not None
    keys = estimate(engine, graph.states, [None] * len(graph.states)).keys
    steps_of_key: dict[int, int | None] = {}
    for key, steps in zip(keys, graph.distances(engine.goal), strict=True):
        assert steps_of_key.setdefault(key, steps) == steps
    assert (len(graph.states), len(steps_of_key)) == counts


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_distances_of_stored_walks_agree_with_the_complete_state_graph(part: int) -> None:
    for row in STORED_WALKS[part::4]:
        case = case_of(row)
        engine = CompiledKitchen(case.problem(), case.profile())
        graph = StateGraph.explore(engine, 50_000)
        assert graph is not None
        distances = dict(zip(graph.states, graph.distances(engine.goal), strict=True))
        assert [distances[state] for state in states_of(case, engine)] == row["steps"], row["kitchen"]["name"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(50), 17))
def test_bounds_and_plans_agree_with_the_complete_state_graph(seed: int) -> None:
    for case, graph in draw_cases(seed, GOALS, STATES):
        assert [(each.text, each.case.after) for each in compare(case, graph).differences] == [], case.kitchen["name"]


@pytest.mark.parametrize("block", sample(range(500), 500))
def test_bound_of_soups_is_at_most_the_distance_in_every_state(block: int) -> None:
    comparison = Comparison()
    for seed in range(8 * block, 8 * block + 8):
        case = soups(Random(seed))
        engine = CompiledKitchen(case.problem(), case.profile())
        graph = StateGraph.explore(engine, STATES)
        if graph is not None:
            compare_bounds(case, graph, engine, graph.distances(engine.goal), comparison)
    assert [(each.text, each.case) for each in comparison.differences] == []
    # Exclude a comparison without cases; later blocks may be small.
    assert comparison.states > 60 or block


def soups(random: Random) -> Case:
    """Return a kitchen with one or two meals to boil or pour, and with pots and bowls."""
    stations: dict[str, list[str]] = {name: [] for name in ("stove1", "sink1", "table1")}
    if chance(random, 30):
        stations["table2"] = []
    things = one(random, (["pot1"], ["pot1", "bowl1"], ["pot1", "bowl1"], ["pot1", "pot2"], ["pot1", "pot2", "bowl1"]))
    for thing, station in zip(things, shuffled(random, stations), strict=False):
        stations[station].append(thing)
    pots = [thing for thing in things if thing.startswith("pot")]
    meals = one(random, (1, 2))
    containers = {}
    if chance(random, 70):
        containers[pots[0]] = one(random, (["water1"], ["water1"], ["water1", "water2"]))
    if len(pots) > 1 and "water2" not in containers.get(pots[0], ()) and chance(random, 60):
        containers[pots[1]] = ["water2"]
    goal: list[list[str]] = []
    for number in range(1, meals + 1):
        goal += _wishes(random, f"water#{number}", things)
    players = {"robot1": {"at": one(random, list(stations))}}
    counts = {"fill-pot": one(random, (1, 2)), "boil-water": one(random, (1, 2, 3))}
    return Case(document(stations, players=players, containers=containers, goal=goal), counts=counts)


def _wishes(random: Random, meal: str, things: list[str]) -> list[list[str]]:
    """Return goals of one meal: boiling, a vessel, or both."""
    wishes = [["isboiling", meal], ["in", meal, f"{one(random, things)[:-1]}#1"]]
    return one(random, (wishes, wishes, wishes[:1], wishes[1:]))


@pytest.mark.parametrize("rules", PROFILES.values(), ids=PROFILES)
def test_interrupted_boiling_does_not_restart(rules: KitchenRules) -> None:
    problem = kitchen("kitchens/asynchronous/5_potato_soup")
    best = list(plan(problem, rules=rules).actions)
    boils = next(number for number, text in enumerate(best) if text.startswith("Boil"))
    done = [*best[: boils + 1], "Pick up pot1 from stove1 using robot1", "Place pot1 on stove1 using robot1"]
    whole = [*done, *plan(problem, rules=rules, after=done).actions]
    assert trace(problem, whole, rules).success
    totals = [
        number + (plan(problem, rules=rules, after=whole[:number]).makespan or UNREACHABLE)
        for number in range(boils, len(whole))
    ]
    assert totals == sorted(totals)
    assert totals[-1] == len(whole)


@pytest.mark.slow
def test_blind_kitchens_script_prints_seeds_and_totals(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "blind_kitchens.py"
    options = [
        "--seeds",
        "1",
        "--start",
        "4",
        "--goals",
        "1",
        "--states",
        "500",
        "--write",
        str(tmp_path / "cases.json"),
    ]
    ended = subprocess.run([sys.executable, script, *options], capture_output=True, text=True, check=True)
    first, *_, total, kinds = ended.stdout.splitlines()
    assert first == "seeds 4 to 4"
    assert total.startswith("1 goals, ")
    assert total.endswith(", 0 differences")
    assert kinds.endswith(": 1")
