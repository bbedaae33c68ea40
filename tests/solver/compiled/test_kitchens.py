"""The compiled search for kitchens: held against the rules and the bound in Python, and against blind search."""

from __future__ import annotations

import random
from datetime import date

import pytest
from support.robotouille import KITCHENS, blind, distances
from support.samples import sample
from support.tiny_kitchens import random_kitchen, random_piles

from planoracle.instances.deadline import NEVER, Work, deadline_of
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.profile import PROFILES, Profile, profile
from planoracle.instances.kitchens.sets import kitchen

pytest.importorskip("numba")

#: Both profiles, and joint moves.
RULES = (*PROFILES.values(), profile("released", moves="joint"))


def walk(problem: Kitchen, rules: Profile, seed: int, steps: int) -> int:
    """Walk at random and hold what is seen against each other; how many successors there were."""
    from support.compiled_kitchens import both

    ways = both(problem, rules)
    if ways.search is None:
        return 0
    choose = random.Random(seed)
    state, total = ways.engine.start(), 0
    keys: dict[object, object] = {}
    alone = len(problem.players) == 1
    for step in range(steps):
        slow, fast = ways.slowly(state), ways.quickly(state)
        assert fast.after == slow.after, (problem.name, step)
        assert fast.reached == slow.reached, (problem.name, step)
        assert keys.setdefault(slow.key, fast.key) == fast.key, (problem.name, step)
        assert all(a == b if alone else a >= b for a, b in zip(fast.bounds, slow.bounds, strict=True))
        total += len(slow.after)
        texts = sorted(fast.after)
        [text] = choose.choices(texts, [1 if each.startswith(("Move", "Do nothing")) else 4 for each in texts])
        deed = ways.engine.find(state, text)
        assert deed is not None
        state = ways.engine.step(state, deed)
    return total


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    "problem", [KITCHENS["grill"], KITCHENS["crowd"], kitchen("kitchens/asynchronous/6_onion_soup")]
)
def test_states_keys_goals_and_bounds_are_those_of_the_rules(problem: Kitchen, rules: Profile) -> None:
    assert walk(problem, rules, 1, 80) > 200


@pytest.mark.parametrize("block", sample(range(20), 3))
def test_the_same_in_random_kitchens(block: int) -> None:
    total = 0
    for seed in range(5 * block, 5 * block + 5):
        for players in (1, 2, 3):
            for rules in RULES:
                total += walk(random_kitchen(seed, 1 + seed % 4, players), rules, seed, 25)
        total += walk(random_piles(seed, 1 + seed % 2), RULES[seed % 2], seed, 40)
    assert total > 1_000


def agrees(problem: Kitchen, rules: Profile) -> bool:
    """Hold the search against blind search, and bounds against its plan; whether the kitchen is one for it."""
    from support.compiled_kitchens import both

    ways = both(problem, rules)
    state = ways.engine.start()
    if ways.search is None or ways.engine.goal(state):
        return False
    expected, found = blind(problem, rules), ways.search.best_first(NEVER, 10**6, 0)
    assert found.complete, problem.name
    assert found.deeds is None if expected is None else len(found.deeds or ()) == expected, problem.name
    for step, deed in enumerate(found.deeds or ()):
        assert min(ways.quickly(state).bounds) <= len(found.deeds or ()) - step, (problem.name, step)
        state = ways.engine.step(state, deed)
    return True


@pytest.mark.parametrize("block", sample(range(25), 2))
def test_blind_search_agrees_and_no_bound_is_too_high_on_the_way(block: int) -> None:
    looked = 0
    for seed in range(4 * block, 4 * block + 4):
        for size, players in ((2, 1), (1, 2), (1, 3)):
            problem = random_kitchen(seed, size, players)
            looked += sum(agrees(problem, rules) for rules in RULES)
    assert looked > 12


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3])
def test_blind_search_agrees_on_kitchens_of_today(players: int) -> None:
    """Other kitchens every day: a bound that is too high in few of them is found in the end; its name has the seed."""
    first = 1_000 * date.today().toordinal()
    looked = sum(agrees(random_kitchen(seed, 1, players), RULES[seed % 3]) for seed in range(first, first + 30))
    looked += sum(
        agrees(random_kitchen(seed, 2, 2), RULES[seed % 3]) for seed in range(first, first + 10 * (4 - players))
    )
    assert looked > 15


@pytest.mark.slow
def test_no_bound_is_too_high_in_any_state_of_piles_of_today() -> None:
    from support.compiled_kitchens import both

    seed, looked = 1_000 * date.today().toordinal(), 0
    while looked < 4:
        seed += 1
        problem = random_piles(seed, 2)
        for rules in RULES:
            ways = both(problem, rules)
            left = distances(ways.engine, 3_000)
            if ways.search is None or left is None or ways.engine.start() not in left:
                continue
            looked += 1
            for state, steps in left.items():
                assert not steps or min(ways.quickly(state).bounds) <= steps, (problem.name, rules)


def test_beams_find_plans_that_the_rules_accept() -> None:
    from support.compiled_kitchens import both

    ways = both(kitchen("kitchens/multi_agent/5_lettuce_tomato_chicken_sandwich"), PROFILES["released"])
    assert ways.search is not None
    first, again = (ways.search.beams(NEVER, 10**6, 0, [(100, 8)]) for _ in range(2))
    assert first == again
    assert first.deeds is not None
    state = ways.engine.start()
    for deed in first.deeds:
        assert deed in ways.engine.legal(state)
        state = ways.engine.step(state, deed)
    assert ways.engine.goal(state)


def test_without_room_the_bound_still_holds() -> None:
    from support.compiled_kitchens import both

    from planoracle.solver.kitchens.compiled.search import compiled_search

    problem = kitchen("kitchens/multi_agent/2_lettuce_tomato_burger")
    ways = both(problem, PROFILES["released"])
    start = ways.engine.start()
    small = compiled_search(ways.engine, ways.guide._bound.context, ways.groups, start, room=100_000)
    assert small is not None
    found = small.best_first(NEVER, 10**6, 0)
    assert found.full
    assert not found.complete
    assert found.deeds is None
    assert found.bound <= 40


def test_counted_work_says_how_much_room_there_is_and_finds_the_same() -> None:
    from support.compiled_kitchens import both

    problem = kitchen("kitchens/multi_agent/10_potato_tomato_chicken_soup_potato_cheese_onion_soup")
    found, sizes = [], []
    for confined in (False, True):
        search = both(problem, PROFILES["released"]).search
        assert search is not None
        if confined:
            search.confine(deadline_of(Work(0.1)))
        found.append(search.best_first(deadline_of(Work(0.1)), 10**6, 0))
        assert search._store is not None
        sizes.append(sum(getattr(part, "nbytes", 0) for part in search._store))
    assert found[0] == found[1]
    assert sizes[0] > 10**9
    assert sizes[1] < 3 * 10**7
    search.confine(deadline_of(Work(10.0)))
    assert search._bytes < 5 * 10**8
