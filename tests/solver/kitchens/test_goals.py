"""Contradictory goals: infeasible by invariants or by the search, without a crash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, pairwise
from random import Random

import pytest
from support.robotouille import kitchen as small
from support.robotouille import min_steps_of
from support.samples import sample

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.domain import ACTOR
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Atom, Goal, Kitchen, split_name
from planoracle.instances.benchmarks.kitchens.problems import kitchen, names
from planoracle.instances.errors import InputError
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.kitchens.consistency import _ALTERNATIVES, _STATION, _hold, contradiction, piles_stand
from planoracle.solver.kitchens.goals import Roles
from planoracle.solver.kitchens.heuristic import ordinary
from tests.support.kitchen_comparison import draw_kitchen

RULES = PROFILES["released"]
#: Kinds of contradiction that are drawn.
KINDS = ("cycle", "two places", "two on one", "excluded", "never", "open")


def contradictory(random: Random, problem: Kitchen, kind: str) -> list[Atom]:
    """Return contradictory conditions (for ``open`` perhaps); ``[]`` if the kitchen lacks the objects."""
    of = {its: [name for name, t in problem.objects if t == its] for its in ("item", "station", "container", ACTOR)}
    items, stations = [*of["item"]], [*of["station"]]
    random.shuffle(items)
    random.shuffle(stations)
    player = of[ACTOR][0]
    if kind == "cycle" and len(items) > 1:
        ring = items[: random.randint(2, len(items))]
        return [("atop", one, other) for one, other in pairwise([*ring, ring[0]])]
    if kind == "two places" and items:
        options = [[(random.choice(("item_at", "item_on")), items[0], station) for station in stations[:2]]]
        options.append([("loc", player, station) for station in stations[:2]])
        if of["container"]:
            options.append([("container_at", of["container"][0], station) for station in stations[:2]])
        if len(items) > 1:  # a pile at two stations
            options.append([("atop", *items[:2]), *(("item_at", *pair) for pair in zip(items, stations, strict=False))])
        return random.choice(options)
    if kind == "two on one" and len(items) > 2:
        return [("atop", items[1], items[0]), ("atop", items[2], items[0])]
    if kind == "excluded" and items:
        item, station = items[0], stations[0]
        options = [
            [("has_item", player, item), (random.choice(("item_at", "item_on")), item, station)],
            [("nothing", player), ("has_item", player, item)],
            [("station_empty", station), (random.choice(("item_at", "item_on")), item, station)],
            [("vacant", station), ("loc", player, station)],
            [("has_item", player, item), ("clear", item)],
        ]
        options += [[("clear", item), ("atop", items[1], item)]] if len(items) > 1 else []
        options += [[("container_at", container, station), ("item_at", item, station)] for container in of["container"]]
        return random.choice(options)
    if kind == "never":
        return [("issink" if split_name(stations[0])[0] == "table" else "istable", stations[0])]
    if kind == "open" and items:
        atoms = [("clear", items[0]), ("item_at", items[0], stations[0]), ("iscut", items[0]), ("isfried", items[0])]
        atoms += [("atop", one, other) for one, other in pairwise(items)]
        return random.sample(atoms, random.randint(2, len(atoms)))
    return []


def abstracted(random: Random, conditions: list[Atom]) -> list[Atom]:
    """Replace some of the objects by roles, the same one wherever an object occurs."""
    parts = dict.fromkeys(part for condition in conditions for part in condition[1:])
    roles = {}
    for part in parts:
        name, number = split_name(part)
        roles[part] = f"{name}#{number}" if not name.startswith("robot") and random.random() < 0.5 else part
    return [(condition[0], *(roles[part] for part in condition[1:])) for condition in conditions]


def drawn(seed: int) -> Iterator[tuple[str, Kitchen]]:
    """Yield tiny kitchens with contradictory goals, alone or added to the original goal."""
    random = Random(seed)
    problem = draw_kitchen(seed)
    for kind in KINDS:
        conditions = abstracted(random, contradictory(random, problem, kind))
        if conditions:
            own_conditions = problem.goal.conditions if random.random() < 0.3 else ()
            yield kind, replace(problem, goal=Goal.of([*own_conditions, *conditions]))


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(3), 3))
def test_contradictory_goals_agree_with_blind_search(block: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(block, 120, 3):
        for kind, problem in drawn(seed):
            expected, result = min_steps_of(problem, RULES), plan(problem)
            assert result.makespan == expected, (seed, kind)
            assert result.status == ("infeasible" if expected is None else "optimal"), (seed, kind)
            if ordinary(problem) and contradiction(problem):
                assert expected is None, (seed, kind)
            seen[kind, expected is None] += 1
    assert all(
        seen[kind, True] for kind in KINDS if kind != "two on one"
    )  # needs three items, too many states for blind search
    assert seen["open", False]


def test_contradictory_goals_of_large_kitchens_are_detected_without_search() -> None:
    for name in names():
        problem = kitchen(name)
        for number, kind in enumerate(KINDS[:-1]):
            conditions = contradictory(Random(number), problem, kind)
            if not conditions:
                continue
            goal = Goal.of([*problem.goal.conditions, *conditions])
            result = plan(replace(problem, goal=goal), time_limit=0)
            assert (result.status, result.expanded) == ("infeasible", 0), (name, kind, conditions)


@pytest.mark.parametrize("seed", sample(range(0, 60, 3)))
def test_conditions_of_a_reachable_state_are_not_a_contradiction(seed: int) -> None:
    """Check invariants and goals on facts in every state of a random walk."""
    random = Random(seed)
    problem = next(problem for number in count(seed) if ordinary(problem := draw_kitchen(number)))
    engine = CompiledKitchen(problem)
    state = engine.start()
    for _ in range(60):
        facts = engine.facts(state)
        assert piles_stand(facts)
        assert all(_hold(facts, group) for group in (*_ALTERNATIVES, _STATION))
        object_facts = sorted(fact for fact in facts if set(fact[1:]) <= set(problem.types))
        goal = Goal.of(abstracted(random, random.sample(object_facts, min(len(object_facts), random.randint(1, 12)))))
        assert contradiction(replace(problem, goal=goal)) == "", goal
        state = engine.step(state, random.choice(list(engine.legal(state))))


def test_proof_names_the_contradiction() -> None:
    stations = {"table1": ["bread1", "bread2"], "table2": ["cheese1"]}
    ring = small(stations, goal=[["atop", "bread#1", "cheese1"], ["atop", "cheese1", "bread#1"]])
    assert plan(ring).proof == "the goal requires a pile that rests on itself: bread#1 on cheese1 on bread#1"
    twice = small(stations, goal=[["item_at", "cheese1", "table1"], ["item_on", "cheese1", "table2"]])
    assert (
        plan(twice).proof
        == "the goal requires contradictory conditions: item_at cheese1 table1, item_at cheese1 table2"
    )
    both = small(stations, goal=[["atop", "bread1", "cheese1"], ["atop", "bread2", "cheese1"]])
    assert plan(both).proof == "the goal requires contradictory conditions: atop bread1 cheese1, atop bread2 cheese1"
    # The role may be the table that is named, but no board.
    mixed = {**stations, "board1": []}
    assert not contradiction(small(mixed, goal=[["item_at", "cheese1", "table#1"], ["item_at", "cheese1", "table2"]]))
    assert contradiction(small(mixed, goal=[["item_at", "cheese1", "table#1"], ["item_at", "cheese1", "board1"]]))
    never = small(stations, goal=[["isstove", "table1"]])
    assert plan(never).proof == "the goal requires a condition that is false and never changes: isstove table1"


def test_goal_on_missing_objects_is_refused() -> None:
    with pytest.raises(InputError, match="cheese2 is not an object of the kitchen"):
        small({"table1": ["cheese1"]}, goal=[["clear", "cheese2"]])
    with pytest.raises(InputError, match="must be a kind and a label"):
        small({"table1": ["cheese1"]}, goal=[["clear", "gravel#1"]])


@pytest.mark.parametrize(
    "fact",
    [
        *("item_at cheese1 table2", "has_item robot1 cheese1", "addedto cheese1 water1"),
        *("item_on cheese1 table1", "atop lettuce1 bread1", "atop cheese1 lettuce1"),
    ],
)
def test_item_in_two_places_is_no_pile(fact: str) -> None:
    facts = small({"table1": ["bread1", "cheese1"], "table2": ["lettuce1"]}).facts
    assert piles_stand(facts)
    assert not piles_stand({*facts, tuple(fact.split())})


def test_groups_that_exchange_equal_dishes_are_one() -> None:
    stations = {"table1": ["bread1", "cheese1"], "table2": ["bread2", "cheese2"]}
    goal = [["item_on", f"bread#{number}", f"table#{number}"] for number in (1, 2)]
    goal += [["atop", f"cheese#{number}", f"bread#{number}"] for number in (1, 2)]
    assert len(Roles(small(stations, goal=goal)).groups()) == 1
    assert len(Roles(small(stations, goal=[*goal, ["clear", "cheese#2"]])).groups()) == 2
    loaves = {"table1": ["bread1", "bread2"], "table2": ["bread3", "bread4"]}
    stacks = [["item_on", "bread#1", "table#1"], ["item_on", "bread#4", "table#2"]]
    stacks += [["atop", "bread#3", "bread#1"], ["atop", "bread#2", "bread#4"]]
    assert len(Roles(small(loaves, goal=stacks)).groups()) == 6  # of four loaves two lie at the bottom


def test_kitchen_with_inconsistent_piles_is_searched_without_a_heuristic() -> None:
    more = [["atop", "bread1", "cheese1"], ["atop", "cheese1", "bread1"]]
    odd = small({"table1": ["bread1"], "table2": ["cheese1"]}, more=more, goal=[["loc", "robot1", "table2"]])
    assert not piles_stand(odd.facts)
    ring = replace(odd, goal=Goal.of([tuple(atom) for atom in more]))  # true from the start
    assert (plan(ring).status, plan(ring).makespan) == ("optimal", 1)


def test_rank_of_roles_is_the_height_in_the_pile() -> None:
    goal = [["atop", "cheese#1", "bread#1"], ["atop", "bread#2", "cheese#1"], ["item_on", "bread#1", "table#1"]]
    stations = {"table1": ["bread1", "bread2"], "table2": ["cheese1"]}
    ranks = {role.kind + str(role.bottom): role.rank for role in Roles(small(stations, goal=goal)).roles}
    assert ranks == {"breadTrue": 0, "cheeseFalse": 1, "breadFalse": 2}
