"""Small kitchens, and random walks that compare the compiled rules with the interpreter."""

from __future__ import annotations

import random
from typing import Any

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.language import reading
from planoracle.instances.benchmarks.kitchens.problems import kitchen_from_document
from tests.support.kitchen_rules import Interpreter
from tests.support.state_graph import min_steps


def document(stations: dict[str, list[str]], **more: Any) -> dict[str, Any]:
    """Return the document of a kitchen with one robot at the first station."""
    head = {"format": "planoracle/kitchen", "version": 1, "name": "test", "stations": stations}
    return head | {"players": {"robot1": {"at": next(iter(stations))}}, "goal": []} | more


def kitchen(stations: dict[str, list[str]], **more: Any) -> Kitchen:
    return kitchen_from_document(document(stations, **more), "test")


#: Two stoves, and a chicken that can be cooked, cut and fried; after cutting it cannot be fried.
GRILL = kitchen(
    {"table1": ["bread1", "bread2"], "stove1": ["patty1"], "stove2": [], "board1": ["potato1"], "fryer1": ["chicken1"]},
    traits={
        "patty1": ["iscookable"],
        "potato1": ["iscuttable", "isfryableifcut", "iscookable"],
        "chicken1": ["iscookable", "iscuttable", "isfryable"],
    },
    goal=[["iscooked", "patty#1"], ["isfried", "potato#1"], ["atop", "potato#1", "patty#1"]],
)
#: Two sinks, so that a pot can be filled twice; one stove; a bowl for each pot.
SOUP = kitchen(
    {"sink1": ["pot1"], "sink2": [], "stove1": ["pot2"], "table1": ["bowl1"], "table2": ["bowl2", "onion1"]},
    traits={"onion1": ["iscuttable"]},
    goal=[["in", "water#1", "bowl#1"], ["isboiling", "water#1"], ["addedto", "onion#1", "water#1"]],
)
#: Three players, one of which holds a pot.
CROWD = kitchen(
    {"stove1": [], "sink1": [], "board1": ["lettuce1"], "table1": ["patty1"], "table2": []},
    players={"robot2": {"at": "stove1"}, "robot1": {"at": "sink1", "holds": "pot1"}, "robot3": {"at": "table2"}},
    traits={"lettuce1": ["iscuttable"], "patty1": ["iscookable"]},
    goal=[["iscut", "lettuce#1"], ["iscooked", "patty#1"]],
)
KITCHENS = {"grill": GRILL, "soup": SOUP, "crowd": CROWD}


def actions_of(submission: object, rules: KitchenRules = PROFILES["released"]) -> list[str]:
    """Return the actions of a plan for a kitchen of the bundled domain."""
    return reading(GRILL, submission, rules).commands


class Cook:
    """Player that carries out actions by their texts and tests facts."""

    def __init__(self, kitchen: Kitchen, rules: KitchenRules = PROFILES["released"]) -> None:
        self.engine = CompiledKitchen(kitchen, rules)
        self.state = self.engine.start()

    def do(self, *texts: str) -> Cook:
        for text in texts:
            action = self.engine.find(self.state, text)
            assert action is not None, text
            self.state = self.engine.step(self.state, action)
        return self

    def wait(self, steps: int = 1) -> Cook:
        return self.do(*["Do nothing"] * steps)

    def can(self, text: str) -> bool:
        return self.engine.find(self.state, text) is not None

    def true(self, fact: str) -> bool:
        return tuple(fact.split()) in self.engine.facts(self.state)

    @property
    def reached(self) -> bool:
        return self.engine.goal(self.state)


def min_steps_of(problem: Kitchen, rules: KitchenRules) -> int | None:
    """Return the minimum number of steps by blind search, see `tests.support.state_graph.min_steps`."""
    engine = CompiledKitchen(problem, rules)
    return min_steps(engine, engine.start(), 1_000_000, at_start=True)


def compare_rules_at_random(kitchen: Kitchen, rules: KitchenRules, seed: int, steps: int) -> None:
    """Walk at random, rarely moving, and compare both forms of the rules after every step."""
    slow, fast = Interpreter(kitchen, rules), CompiledKitchen(kitchen, rules)
    choose = random.Random(seed)
    state, twin = slow.start(), fast.start()
    for _ in range(steps):
        moves, actions = slow.legal(state), fast.legal(twin)
        deeds = [fast.actions[action] for action in actions]
        assert [tuple(move) for move in moves] == [(deed.position, deed.arguments, deed.text) for deed in deeds]
        weights = [1 if move.text.startswith("Move") else 3 for move in moves]
        [at] = choose.choices(range(len(moves)), weights)
        state, twin = slow.step(state, moves[at]), fast.step(twin, actions[at])
        assert slow.facts(state) == fast.facts(twin)
        assert state.effects == fast.running(twin)
        assert dict(state.objects) == fast.objects(twin)
        assert slow.player(state) == fast.player(twin)
        assert slow.goal(state) == fast.goal(twin)
