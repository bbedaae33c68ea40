"""Rules of Robotouille: compiled against interpreted rules, and special cases of effects and goals."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import pytest
from support.samples import sample

from planoracle.instances.benchmarks.kitchens import action_index as lookup
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Goal, Kitchen, KitchenRules, split_name
from planoracle.instances.benchmarks.kitchens.simulation import trace
from tests.support.kitchen_rules import goal_reached
from tests.support.robotouille import GRILL, KITCHENS, SOUP, Cook, compare_rules_at_random, kitchen
from tests.support.robotouille_originals import load_kitchen

PAPER, RELEASED, JOINT = PROFILES["paper"], PROFILES["released"], replace(PROFILES["released"], moves="joint")
BOTH = pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])


@pytest.mark.parametrize("rules", sample([PAPER, RELEASED, JOINT]), ids=["paper", "released", "joint"])
@pytest.mark.parametrize("name", sample(KITCHENS, 9))
def test_compiled_rules_agree_with_interpreted_rules(name: str, rules: KitchenRules) -> None:
    compare_rules_at_random(KITCHENS[name], rules, seed=1, steps=300)


@pytest.mark.slow
def test_compiled_rules_agree_with_interpreted_rules_on_originals(shared: Path) -> None:
    for i, path in enumerate(sorted((shared / "benchmarks" / "robotouille").glob("*/*.json"))[::9]):
        compare_rules_at_random(load_kitchen(path), [RELEASED, PAPER][i % 2], seed=i, steps=60)


def test_full_caches_are_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "MAX_NODES", 7)
    monkeypatch.setattr(lookup, "MAX_ANSWERS", 1)
    compare_rules_at_random(SOUP, RELEASED, seed=2, steps=150)


def test_creating_objects_does_not_change_earlier_states() -> None:
    cook = Cook(SOUP)
    before = cook.state
    texts = [cook.engine.actions[action].text for action in cook.engine.legal(before)]
    cook.do("Fill pot1 with water from sink1 using robot1").wait(3)
    assert "water1" in cook.engine.objects(cook.state)
    assert "water1" not in cook.engine.objects(before)
    assert [cook.engine.actions[action].text for action in cook.engine.legal(before)] == texts


@pytest.mark.slow
def test_states_do_not_depend_on_the_hash_seed() -> None:
    script = """if True:
        from tests.support.robotouille import KITCHENS, CompiledKitchen
        for kitchen in KITCHENS.values():
            engine = CompiledKitchen(kitchen)
            state = engine.start()
            for i in range(80):
                actions = engine.legal(state)
                state = engine.step(state, actions[i * i % len(actions)])
                print(state, actions, engine.goal(state))
    """
    root = Path(__file__).resolve().parents[4]
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=root,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


# Effects in time.


@BOTH
def test_delayed_effect_is_usable_four_steps_later(rules: KitchenRules) -> None:
    cook = Cook(GRILL, rules).do("Move robot1 from table1 to stove1", "Cook patty1 on stove1 using robot1")
    cook.wait(2)
    assert cook.true("iscooking patty1")
    assert not cook.true("iscooked patty1")
    cook.wait()
    assert cook.true("iscooked patty1")
    assert not cook.true("iscooking patty1")


@BOTH
def test_lifting_pauses_cooking_and_the_same_stove_resumes_cooking(rules: KitchenRules) -> None:
    cook = Cook(GRILL, rules).do("Move robot1 from table1 to stove1", "Cook patty1 on stove1 using robot1").wait()
    cook.do("Pick up patty1 from stove1 using robot1").wait(5)
    assert not cook.true("iscooking patty1")
    cook.do("Place patty1 on stove1 using robot1")
    assert cook.true("iscooking patty1")
    assert not cook.can("Cook patty1 on stove1 using robot1")
    assert not cook.true("iscooked patty1")
    assert cook.wait().true("iscooked patty1")


def test_stacking_does_not_stop_cooking() -> None:
    players = {"robot1": {"at": "stove1"}, "robot2": {"at": "table1", "holds": "bread1"}}
    pair = kitchen(
        {"stove1": ["patty1"], "table1": [], "table2": []}, players=players, traits={"patty1": ["iscookable"]}
    )
    cook = Cook(pair, JOINT).do("Cook patty1 on stove1 using robot1", "Do nothing")
    cook.do("Move robot1 from stove1 to table2", "Move robot2 from table1 to stove1")
    cook.do("Do nothing", "Stack bread1 on top of patty1 using robot2")
    assert not cook.true("iscooked patty1")
    assert cook.wait(2).true("iscooked patty1")


@BOTH
def test_every_stove_has_its_own_timer(rules: KitchenRules) -> None:
    cook = Cook(GRILL, rules).do("Move robot1 from table1 to stove1", "Cook patty1 on stove1 using robot1").wait()
    cook.do("Pick up patty1 from stove1 using robot1", "Move robot1 from stove1 to stove2")
    cook.do("Place patty1 on stove2 using robot1", "Cook patty1 on stove2 using robot1").wait(2)
    assert not cook.true("iscooked patty1")
    assert cook.wait().true("iscooked patty1")
    assert len(cook.engine.running(cook.state)) == 1  # the first effect is paused and resumes when the patty returns


def test_effect_after_a_finished_effect_misses_a_tick_in_the_released_profile() -> None:
    def cooked_and_fried(rules: KitchenRules) -> int:
        cook = Cook(GRILL, rules).do("Move robot1 from table1 to stove1", "Cook patty1 on stove1 using robot1")
        cook.do("Move robot1 from stove1 to fryer1", "Fry chicken1 on fryer1 using robot1").wait(2)
        waited = 0
        while not cook.true("isfried chicken1"):
            cook.wait()
            waited += 1
        return waited

    assert cooked_and_fried(PAPER) == 1
    assert cooked_and_fried(RELEASED) == 2


@BOTH
def test_cuts_add_up_over_interruptions(rules: KitchenRules) -> None:
    cut = "Cut potato1 on board1 using robot1"
    cook = Cook(GRILL, rules).do("Move robot1 from table1 to board1", cut, cut)
    cook.do("Pick up potato1 from board1 using robot1", "Place potato1 on board1 using robot1").wait(3)
    assert not cook.true("iscut potato1")
    assert cook.do(cut).true("iscut potato1")
    assert cook.true("isfryable potato1")


@BOTH
def test_cut_food_is_fryable_only_with_isfryableifcut(rules: KitchenRules) -> None:
    cook = Cook(GRILL, rules).do("Move robot1 from table1 to fryer1")
    assert cook.can("Fry chicken1 on fryer1 using robot1")
    cook.do("Pick up chicken1 from fryer1 using robot1", "Move robot1 from fryer1 to board1")
    cook.do("Stack chicken1 on top of potato1 using robot1")
    assert not cook.can("Cut chicken1 on board1 using robot1")  # only a single item on a station can be cut
    cook.do("Unstack chicken1 from potato1 using robot1", "Move robot1 from board1 to stove2")
    cook.do("Place chicken1 on stove2 using robot1", "Move robot1 from stove2 to board1")
    cook.do("Pick up potato1 from board1 using robot1", "Move robot1 from board1 to table1")
    cook.do("Stack potato1 on top of bread2 using robot1", "Move robot1 from table1 to stove2")
    cook.do("Pick up chicken1 from stove2 using robot1", "Move robot1 from stove2 to board1")
    cook.do("Place chicken1 on board1 using robot1", "Cut chicken1 on board1 using robot1")
    assert not cook.true("isfryable chicken1")
    cook.do("Cut chicken1 on board1 using robot1", "Cut chicken1 on board1 using robot1")
    assert cook.true("iscut chicken1")
    assert not cook.true("isfryable chicken1")


# Water.


def filled(rules: KitchenRules) -> Cook:
    return Cook(SOUP, rules).do("Fill pot1 with water from sink1 using robot1").wait(3)


@BOTH
def test_water_is_created_after_four_ticks(rules: KitchenRules) -> None:
    cook = Cook(SOUP, rules).do("Fill pot1 with water from sink1 using robot1").wait(2)
    assert not cook.true("in water1 pot1")
    cook.wait()
    assert cook.true("in water1 pot1")
    assert not cook.can("Fill pot1 with water from sink1 using robot1")


def boiling_in_a_bowl(rules: KitchenRules) -> Cook:
    """Return a cook with pot1 on the stove again after its heated water was poured into bowl1."""
    cook = filled(rules).do("Move robot1 from sink1 to stove1", "Pick up pot2 from stove1 using robot1")
    cook.do("Move robot1 from stove1 to sink2", "Place pot2 on sink2 using robot1", "Move robot1 from sink2 to sink1")
    cook.do("Pick up pot1 from sink1 using robot1", "Move robot1 from sink1 to stove1")
    cook.do("Place pot1 on stove1 using robot1", "Boil pot1's contents on stove1 using robot1")
    cook.do("Pick up pot1 from stove1 using robot1", "Move robot1 from stove1 to table1")
    cook.do("Fill bowl1 with pot1's contents using robot1", "Move robot1 from table1 to stove1").wait(5)
    assert not cook.true("isboiling water1")
    return cook.do("Place pot1 on stove1 using robot1")


@BOTH
def test_boiling_requires_only_the_pot_on_the_stove(rules: KitchenRules) -> None:
    cook = boiling_in_a_bowl(rules).wait()
    assert not cook.true("isboiling water1")
    cook.wait()
    assert cook.true("isboiling water1")
    assert cook.true("in water1 bowl1")


@BOTH
def test_only_the_first_water_meets_a_goal_role(rules: KitchenRules) -> None:
    soup = replace(SOUP, goal=Goal.of([["in", "water#1", "pot#1"]]))
    cook = Cook(soup, rules).do("Fill pot1 with water from sink1 using robot1").wait(3)
    assert cook.reached
    cook.do("Pick up pot1 from sink1 using robot1", "Move robot1 from sink1 to table1")
    cook.do("Fill bowl1 with pot1's contents using robot1", "Move robot1 from table1 to sink1")
    cook.do("Place pot1 on sink1 using robot1", "Fill pot1 with water from sink1 using robot1").wait(3)
    assert cook.true("in water2 pot1")
    assert not cook.reached


@BOTH
def test_boiling_a_pot_with_two_waters_has_one_text_and_two_actions(rules: KitchenRules) -> None:
    cook = Cook(SOUP, rules).do("Fill pot1 with water from sink1 using robot1")
    cook.do(
        "Pick up pot1 from sink1 using robot1", "Move robot1 from sink1 to sink2", "Place pot1 on sink2 using robot1"
    )
    cook.do("Fill pot1 with water from sink2 using robot1").wait(3)
    cook.do(
        "Pick up pot1 from sink2 using robot1", "Move robot1 from sink2 to sink1", "Place pot1 on sink1 using robot1"
    )
    cook.wait(2)
    assert cook.true("in water2 pot1")
    cook.do("Move robot1 from sink1 to stove1", "Pick up pot2 from stove1 using robot1")
    cook.do("Move robot1 from stove1 to sink2", "Place pot2 on sink2 using robot1", "Move robot1 from sink2 to sink1")
    cook.do(
        "Pick up pot1 from sink1 using robot1", "Move robot1 from sink1 to stove1", "Place pot1 on stove1 using robot1"
    )
    boil = "Boil pot1's contents on stove1 using robot1"
    deeds = [cook.engine.actions[action] for action in cook.engine.legal(cook.state)]
    assert [deed.arguments for deed in deeds if deed.text == boil] == [
        ("pot1", "water1", "stove1", "robot1"),
        ("pot1", "water2", "stove1", "robot1"),
    ]
    assert cook.do(boil).wait(3).true("isboiling water1")
    assert not cook.true("isboiling water2")


# Several players.


@BOTH
def test_players_take_turns_in_the_order_of_the_file_and_block_stations(rules: KitchenRules) -> None:
    cook = Cook(KITCHENS["crowd"], rules)
    assert cook.engine.player(cook.state) == "robot2"
    assert not cook.can("Move robot2 from stove1 to sink1")
    assert not cook.can("Fill pot1 with water from sink1 using robot1")
    cook.do("Move robot2 from stove1 to board1", "Move robot1 from sink1 to stove1", "Do nothing")
    assert cook.engine.player(cook.state) == "robot2"
    assert cook.do("Cut lettuce1 on board1 using robot2").can("Place pot1 on stove1 using robot1")


@pytest.mark.parametrize(("rules", "waits"), [(RELEASED, 3), (JOINT, 10)], ids=["turns", "joint"])
def test_every_turn_is_a_tick_unless_moves_are_joint(rules: KitchenRules, waits: int) -> None:
    cook = Cook(KITCHENS["crowd"], rules).wait().do("Place pot1 on sink1 using robot1").wait(2)
    cook.do("Fill pot1 with water from sink1 using robot1").wait(waits - 1)
    assert not cook.true("in water1 pot1")
    assert cook.wait().true("in water1 pot1")


def test_rounds_of_actions_count_from_the_player_that_acts_next() -> None:
    cook = Cook(KITCHENS["crowd"], JOINT)
    assert [cook.engine.ticks(cook.state, count) for count in (0, 1, 3, 4)] == [0, 1, 1, 2]
    cook.wait()
    assert [cook.engine.ticks(cook.state, count) for count in (1, 2, 3, 5)] == [1, 1, 2, 2]
    assert Cook(KITCHENS["crowd"], PAPER).engine.ticks(cook.state, 5) == 5


def test_joint_moves_test_the_goal_after_all_players_acted() -> None:
    ready = replace(KITCHENS["crowd"], goal=Goal.of([["has_container", "robot1", "pot#1"]]))
    assert [step.reached for step in trace(ready, ["Do nothing"] * 5, JOINT).steps] == [False, False, True]
    run = trace(ready, ["Do nothing", "Nonsense", "Do nothing", "Do nothing"], JOINT)
    assert (run.end, run.steps_taken) == ("completed", 1)
    assert trace(ready, ["Do nothing"] * 5, RELEASED).steps_taken == 1


# Goals.


@BOTH
def test_goal_that_is_true_at_the_start_takes_one_step(rules: KitchenRules) -> None:
    tidy = kitchen({"table1": ["bread1"]}, goal=[["item_on", "bread#1", "table#1"]])
    assert trace(tidy, [], rules).end == "exhausted"
    run = trace(tidy, ["Fly", "Do nothing", "Do nothing"], rules)
    assert (run.end, run.steps_taken, len(run.steps)) == ("completed", 1 + rules.count_refused, 2)
    assert trace(kitchen({"table1": []}), ["Do nothing"], rules).success


def brute_force(kitchen: Kitchen, facts: frozenset[tuple[str, ...]]) -> bool:
    kinds = sorted({role.partition("#")[0] for role in kitchen.goal.roles})
    roles = [[role for role in kitchen.goal.roles if role.partition("#")[0] == kind] for kind in kinds]
    casts = product(*(permutations(kitchen.candidates[own[0]], len(own)) for own in roles))
    for cast in casts:
        played = {
            role: name for own, names in zip(roles, cast, strict=True) for role, name in zip(own, names, strict=True)
        }
        if all(tuple(played.get(part, part) for part in atom) in facts for atom in kitchen.goal.conditions):
            return True
    return False


def test_goals_are_true_for_some_choice_of_different_objects() -> None:
    toast = {"table1": ["bread1", "cheese1", "bread2"], "table2": ["bread3"], "table3": []}
    for conditions, expected in (
        ([["item_at", "bread#1", "table#1"], ["item_at", "bread#2", "table#1"]], True),
        ([["item_at", "bread#1", "table#1"], ["item_at", "bread#2", "table#2"]], True),
        ([["atop", "cheese#1", "bread#1"], ["atop", "bread#1", "cheese#1"]], False),
        ([["clear", "bread#1"], ["item_on", "bread#1", "table#1"]], True),
        ([["clear", "bread#1"], ["item_on", "bread#1", "table1"]], False),
        ([["item_on", "bread#1", "table1"], ["item_on", "bread1", "table#2"]], True),  # a role can be a named object
        ([["item_on", "bread3", "table#1"], ["item_on", "bread#1", "table#1"], ["clear", "cheese#1"]], False),
        ([["item_at", f"bread#{i}", f"table#{i}"] for i in range(4)], False),
        ([["isbread", "bread#1"], ["item_at", "lettuce#1", "table#1"]], False),
    ):
        problem = kitchen(toast, goal=conditions)
        cook = Cook(problem).wait()
        assert (cook.reached, goal_reached(problem, cook.engine.facts(cook.state))) == (expected, expected), conditions
        assert brute_force(problem, cook.engine.facts(cook.state)) == expected
        assert (cook.engine.share(cook.state) == 1) == expected


@pytest.mark.slow
def test_goals_agree_with_enumeration_of_permutations() -> None:
    choose = random.Random(3)
    answers = []
    for _ in range(120):
        engine = CompiledKitchen(choose.choice([GRILL, SOUP]))
        state = engine.start()
        for _ in range(40):
            state = engine.step(state, choose.choice(engine.legal(state)))
        objects, facts = engine.objects(state), engine.facts(state)
        conditions = []
        for predicate, *names in choose.sample(sorted(facts), 6):
            labels = [split_name(name)[0] + choose.choice(["#1", "#1", "#2"]) for name in names]
            parts = [choose.choice([name, label, label, label]) for name, label in zip(names, labels, strict=True)]
            if len(set(parts)) == len(parts):
                conditions.append([predicate, *parts])
        problem = Kitchen.of("", engine.kitchen.domain, objects, facts, Goal.of(conditions))
        answers.append(brute_force(problem, facts))
        assert goal_reached(problem, facts) == answers[-1], conditions
        own = CompiledKitchen(problem)
        assert own.goal(own.start()) == answers[-1], conditions
    assert 20 < sum(answers) < 100, sum(answers)
