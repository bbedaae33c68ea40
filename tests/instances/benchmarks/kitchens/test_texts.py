"""Lookup of the action that a text names, without a list of legal actions."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, compiled
from planoracle.instances.benchmarks.kitchens.domain import ActionSchema, KitchenDomain, Literal, bundled
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen
from planoracle.instances.benchmarks.kitchens.kitchen_layout import with_cooks
from planoracle.instances.benchmarks.kitchens.problems import kitchen
from planoracle.instances.benchmarks.kitchens.simulation import trace
from tests.support.kitchen_comparison import draw_kitchen

SOUP = kitchen("kitchens/asynchronous/5_potato_soup")
BURGER = kitchen("kitchens/synchronous/3_burger")
KITCHENS = [SOUP, BURGER, with_cooks(SOUP, 2), kitchen("kitchens/multi_agent/7_onion_potato_tomato_soup@3")]


def agrees(engine: CompiledKitchen, seed: int, steps: int = 60) -> None:
    """Take random steps, and look up every text that was legal before, and some that are never legal."""
    choose = random.Random(seed)
    state, met = engine.start(), {"Do nothing", "Add water1 into pot1 using robot1", "Move a from b to c"}
    for _ in range(steps):
        legal = engine.texts(state)
        for text in sorted(met | legal.keys()):
            assert engine.find(state, text) == legal.get(text), text
        met |= legal.keys()
        useful = [text for text in legal if not text.startswith(("Move", "Do nothing"))]
        state = engine.step(
            state, legal[choose.choice(sorted(useful) if useful and choose.random() < 0.6 else sorted(legal))]
        )


@pytest.mark.parametrize("moves", ["turns", "joint"])
@pytest.mark.parametrize("at", range(len(KITCHENS)))
def test_text_lookup_agrees_with_the_list_of_legal_actions(at: int, moves: str) -> None:
    rules = replace(PROFILES["released"], moves=moves)
    agrees(CompiledKitchen(KITCHENS[at], rules), at, 25)


@pytest.mark.slow
def test_text_lookup_agrees_in_many_small_kitchens() -> None:
    for seed in range(100):
        agrees(compiled(draw_kitchen(seed), PROFILES["paper"]), seed)


def test_plans_with_unknown_objects_do_not_grow_caches() -> None:
    engine = compiled(BURGER)
    trace(BURGER, ["Do nothing"])
    before = len(engine.bits.atoms), len(engine.actions)
    plan = [f"Move robot{n} from table{n} to table{n + 1}" for n in range(9, 99)]
    assert len(trace(BURGER, plan).refusals) == len(plan)
    assert (len(engine.bits.atoms), len(engine.actions)) == before


def test_parameters_missing_from_a_text_match_any_object_of_their_type() -> None:
    domain = bundled()
    action = ActionSchema(
        "call", "Call", (), (Literal("istable", ("s1",)), Literal("vacant", ("s1",)), Literal("loc", ("p1", "s2"))), ()
    )
    spoilt = KitchenDomain.of(domain.types, domain.predicates, [*domain.actions, action], domain.benchmark)
    place = Kitchen.of("", spoilt, BURGER.types, BURGER.facts, BURGER.goal)
    engine = CompiledKitchen(place)
    deed = engine.find(engine.start(), "Call")
    assert deed is not None
    assert engine.actions[deed].arguments == engine.actions[engine.texts(engine.start())["Call"]].arguments
    agrees(engine, 2, 20)
