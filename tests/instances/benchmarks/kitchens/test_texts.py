"""What texts mean in kitchens, found without a list of what is legal; and worlds that kitchens share."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from planoracle.instances.benchmarks.kitchens import compiled_rules as worlds
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, compiled
from planoracle.instances.benchmarks.kitchens.compiled_rules import CompiledRules, shared_world
from planoracle.instances.benchmarks.kitchens.domain import ActionSchema, KitchenDomain, Literal, bundled
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.meanings import is_plain
from planoracle.instances.benchmarks.kitchens.problems import kitchen
from planoracle.instances.benchmarks.kitchens.rules import PROFILES
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.benchmarks.kitchens.variants import with_cooks
from tests.support.kitchen_comparison import draw_kitchen

SOUP = kitchen("kitchens/asynchronous/5_potato_soup")
BURGER = kitchen("kitchens/synchronous/3_burger")
KITCHENS = [SOUP, BURGER, with_cooks(SOUP, 2), kitchen("kitchens/multi_agent/7_onion_potato_tomato_soup@3")]


def agrees(engine: CompiledKitchen, seed: int, steps: int = 60) -> None:
    """Walk about, and look up every text that has been legal so far, and some that never are."""
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
def test_a_text_means_what_the_list_of_legal_actions_says(at: int, moves: str) -> None:
    rules = replace(PROFILES["released"], moves=moves)
    agrees(CompiledKitchen(KITCHENS[at], rules), at, 25)
    agrees(compiled(KITCHENS[at], rules), at, 25)


@pytest.mark.slow
def test_it_does_in_many_small_kitchens() -> None:
    for seed in range(100):
        agrees(compiled(draw_kitchen(seed), PROFILES["paper"]), seed)


def test_kitchens_in_one_world_run_as_each_by_itself() -> None:
    own = [CompiledKitchen(one) for one in KITCHENS[:2]]
    shared = [compiled(one) for one in KITCHENS[:2]]
    assert shared[0].world is shared[1].world
    for seed, (mine, ours) in enumerate(zip(own, shared, strict=True)):
        choose, here, there = random.Random(seed), mine.start(), ours.start()
        for _ in range(80):
            text = choose.choice(sorted(mine.texts(here)))
            assert list(mine.texts(here)) == list(ours.texts(there))
            here, there = (one.step(at, one.texts(at)[text]) for one, at in ((mine, here), (ours, there)))
            assert mine.facts(here) == ours.facts(there)
            assert mine.running(here) == ours.running(there)
            assert mine.objects(here) == ours.objects(there)
            assert (mine.goal(here), mine.share(here)) == (ours.goal(there), ours.share(there))


def test_a_world_that_is_full_gets_no_more_kitchens(monkeypatch: pytest.MonkeyPatch) -> None:
    first = shared_world(BURGER, "turns")
    assert first is shared_world(SOUP, "turns")
    assert first is not shared_world(SOUP, "joint")
    monkeypatch.setattr(worlds, "MAX_ATOMS", 0)
    assert shared_world(BURGER, "turns") is not first
    monkeypatch.setattr(worlds, "MAX_OBJECTS", 3)
    assert shared_world(BURGER, "turns") is None


def test_plans_that_name_what_is_not_there_leave_no_trace() -> None:
    engine = compiled(BURGER)
    trace(BURGER, ["Do nothing"])
    before = len(engine.bits.atoms), len(engine.deeds)
    plan = [f"Move robot{n} from table{n} to table{n + 1}" for n in range(9, 99)]
    assert len(trace(BURGER, plan).refusals) == len(plan)
    assert (len(engine.bits.atoms), len(engine.deeds)) == before


def odd(text: str) -> KitchenDomain:
    """Return a domain in which taking is written like this."""
    domain = bundled()
    actions = [replace(one, text=text) if one.name == "pick-up-item" else one for one in domain.actions]
    return KitchenDomain.of(domain.types, domain.predicates, actions, domain.benchmark)


@pytest.mark.parametrize(
    "text", ["Take{i1}{s1} using {p1}", "Take {i1}and {s1} using {p1}", "Take {i1}-{s1} using {p1}"]
)
def test_texts_in_which_names_run_together_are_looked_up_in_the_list(text: str) -> None:
    assert is_plain(bundled())
    domain = odd(text)
    assert not is_plain(domain)
    agrees(CompiledKitchen(replace(BURGER, domain=domain)), 1, 20)


def test_objects_that_a_text_leaves_open_may_be_any_of_their_type() -> None:
    domain = bundled()
    action = ActionSchema(
        "call", "Call", (), (Literal("istable", ("s1",)), Literal("vacant", ("s1",)), Literal("loc", ("p1", "s2"))), ()
    )
    spoilt = KitchenDomain.of(domain.types, domain.predicates, [*domain.actions, action], domain.benchmark)
    place = Kitchen.of("", spoilt, BURGER.types, BURGER.facts, BURGER.goal)
    engine = CompiledKitchen(place)
    found = engine.find(engine.start(), "Call")
    assert found is not None
    assert engine.deeds[found].arguments == engine.deeds[engine.texts(engine.start())["Call"]].arguments
    agrees(engine, 2, 20)


def test_effects_ask_for_what_never_changes() -> None:
    """In one world it may be so in one kitchen, and not so in another."""
    places = [kitchen("kitchens/asynchronous/4_onion_cheese_burger_and_fried_onion"), BURGER]
    assert bundled().decisive - bundled().changing == {"isfryableifcut"} <= {fact[0] for fact in places[0].facts}
    assert bundled().created == {"water"}
    world = CompiledRules(bundled(), ("robot1",), "turns")
    for place in places:
        agrees(CompiledKitchen(place, world=world), 3, 40)
