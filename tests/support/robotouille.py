"""Small kitchens for the tests, and walks through them by both forms of the rules."""

from __future__ import annotations

import random
from typing import Any

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen
from planoracle.instances.benchmarks.kitchens.language import reading
from planoracle.instances.benchmarks.kitchens.problems import kitchen_from_document
from planoracle.instances.benchmarks.kitchens.rules import PROFILES, Profile
from tests.support.kitchen_rules import Interpreter
from tests.support.robotouille_originals import domain_from_document
from tests.support.state_graph import fewest_steps


def document(stations: dict[str, list[str]], **more: Any) -> dict[str, Any]:
    """Return a kitchen's document: one robot at the first station, traits and goal as given, if any."""
    head = {"format": "planoracle/kitchen", "version": 1, "name": "test", "stations": stations}
    return head | {"players": {"robot1": {"at": next(iter(stations))}}, "goal": []} | more


def kitchen(stations: dict[str, list[str]], **more: Any) -> Kitchen:
    return kitchen_from_document(document(stations, **more), "test")


#: Two stoves, and a chicken that can be cooked, cut and fried: cutting takes the frying away.
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
#: Three players, one with a pot in its hand.
CROWD = kitchen(
    {"stove1": [], "sink1": [], "board1": ["lettuce1"], "table1": ["patty1"], "table2": []},
    players={"robot2": {"at": "stove1"}, "robot1": {"at": "sink1", "holds": "pot1"}, "robot3": {"at": "table2"}},
    traits={"lettuce1": ["iscuttable"], "patty1": ["iscookable"]},
    goal=[["iscut", "lettuce#1"], ["iscooked", "patty#1"]],
)
KITCHENS = {"grill": GRILL, "soup": SOUP, "crowd": CROWD}


def actions_of(submission: object, rules: Profile = PROFILES["released"]) -> list[str]:
    """Return the actions of a plan for a kitchen of the bundled domain."""
    return reading(GRILL, submission, rules).commands


class Cook:
    """Somebody who does one action after the other and looks at the facts."""

    def __init__(self, kitchen: Kitchen, rules: Profile = PROFILES["released"]) -> None:
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


def blind(problem: Kitchen, rules: Profile) -> int | None:
    """Return the fewest steps by blind search, see `tests.support.state_graph.fewest_steps`."""
    engine = CompiledKitchen(problem, rules)
    return fewest_steps(engine, engine.start(), 1_000_000, at_start=True)


def walk(kitchen: Kitchen, rules: Profile, seed: int, steps: int) -> None:
    """Walk at random, seldom moving, and hold the compiled rules against the interpreter at every step."""
    slow, fast = Interpreter(kitchen, rules), CompiledKitchen(kitchen, rules)
    choose = random.Random(seed)
    state, twin = slow.start(), fast.start()
    for _ in range(steps):
        moves, actions = slow.legal(state), fast.legal(twin)
        deeds = [fast.deeds[action] for action in actions]
        assert [tuple(move) for move in moves] == [(deed.position, deed.arguments, deed.text) for deed in deeds]
        weights = [1 if move.text.startswith("Move") else 3 for move in moves]
        [at] = choose.choices(range(len(moves)), weights)
        state, twin = slow.step(state, moves[at]), fast.step(twin, actions[at])
        assert slow.facts(state) == fast.facts(twin)
        assert state.effects == fast.running(twin)
        assert dict(state.objects) == fast.objects(twin)
        assert slow.player(state) == fast.player(twin)
        assert slow.goal(state) == fast.goal(twin)


def _effect(
    kind: str, param: str, fx: str = "", sfx: list[dict[str, Any]] | None = None, **more: Any
) -> dict[str, Any]:
    return {"type": kind, "param": param, "fx": _literals(fx), "sfx": sfx or []} | more


def _literals(text: str) -> list[dict[str, Any]]:
    found = []
    for part in filter(None, text.split(", ")):
        words = part.removeprefix("not ").split()
        found.append({"predicate": words[0], "params": words[1:], "is_true": not part.startswith("not ")})
    return found


def _action(name: str, text: str, precons: str, fx: str = "", *sfx: dict[str, Any]) -> dict[str, Any]:
    keys = {"name": name, "language_description": text, "precons": _literals(precons)}
    return keys | {"immediate_fx": _literals(fx), "sfx": list(sfx)}


def bakery_domain() -> dict[str, Any]:
    """Return an original domain of another kind: things given from hand to hand, dough made of balls, ovens of none."""
    predicates = {
        "isrobot": ["player"],
        "free": ["player"],
        "has": ["player", "item"],
        **{name: ["item"] for name in ("isball", "isdough", "lying", "marked", "hot", "baked", "crisp", "sweet")},
        "made": ["item", "item"],
    }
    dough = {"param": "i2", "type": "item", "name": "dough"}
    crisp = _effect("conditional", "i1", "crisp i1", conditions=_literals("hot i1, marked i1"))
    later = _effect("delayed", "i1", "sweet i1, not marked i1")
    copy = _effect("creation", "i1", "isdough i2, lying i2, made i2 i1", created_obj=dough)
    return {
        "object_types": ["item", "player"],
        "predicate_defs": [{"name": name, "param_types": types} for name, types in predicates.items()],
        "action_defs": [
            _action("take", "{p1} takes {i1}", "free p1, lying i1", "has p1 i1, not free p1, not lying i1"),
            _action("drop", "{p1} drops {i1}", "has p1 i1", "not has p1 i1, free p1, lying i1"),
            _action(
                "give",
                "{p1} gives {i1} to {p2}",
                "has p1 i1, free p2",
                "not has p1 i1, has p2 i1, free p1, not free p2",
            ),
            _action("mark", "{p1} marks {i1}", "isrobot p1, not marked i1", "marked i1"),
            _action("shout", "Somebody shouts at {i1}", "lying i1", "marked i1"),
            _action("knead", "{p1} kneads {i1}", "has p1 i1, isball i1", "", _effect("repetitive", "i1", "", [copy])),
            _action(
                "bake",
                "{p1} bakes {i1}",
                "free p1, lying i1",
                "",
                _effect(
                    "conditional",
                    "i1",
                    "hot i1",
                    [_effect("delayed", "i1", "baked i1", [crisp, later]), later],
                    conditions=_literals("lying i1"),
                ),
            ),
            _action(
                "split",
                "{p1} splits {i1}",
                "has p1 i1, isdough i1",
                "",
                _effect("conditional", "i1", "", [copy, later], conditions=_literals("not lying i1")),
            ),
            _action("wait", "Pause", ""),
        ],
    }


def bakery() -> Kitchen:
    """Return a kitchen of this domain, with two players and two balls."""
    domain = domain_from_document(bakery_domain())
    facts = {("free", "robot1"), ("free", "robot2"), ("lying", "ball1"), ("lying", "ball2")}
    goal = Goal.of([["baked", "dough#1"], ["made", "dough#1", "ball#1"], ["lying", "dough#1"]])
    return Kitchen.of("bakery", domain, ["robot1", "robot2", "ball1", "ball2"], facts, goal)
