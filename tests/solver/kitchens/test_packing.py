"""Plans for kitchens as numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.domain import KitchenDomain, bundled
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.problems import kitchen, names
from planoracle.instances.benchmarks.kitchens.rules import PROFILES
from planoracle.instances.benchmarks.kitchens.variants import with_cooks
from planoracle.solver.kitchens import kind
from planoracle.solver.kitchens.packing import pack_plan, unpack_plan
from planoracle.solver.solve import bundled_result

RULES = PROFILES["released"]
BURGER = kitchen("kitchens/synchronous/3_burger")


def places(place: Kitchen, actions: tuple[str, ...]) -> list[int]:
    """Return the place of every action among the texts of the legal ones, as entries had it once."""
    rules = CompiledKitchen(place)
    state, found = rules.start(), []
    for action in actions:
        found.append(sorted(rules.texts(state)).index(action))
        state = rules.step(state, rules.texts(state)[action])
    return found


@pytest.mark.parametrize("name", [*names()[:3], *names()[15:17], *names()[20:22]])
def test_both_forms_say_the_same(name: str) -> None:
    place = kitchen(name)
    found = bundled_result(place)
    assert found is not None
    assert found.actions
    entry = kind.pack(place, RULES, found)
    former = {key: value for key, value in entry.items() if key != "form"} | {"plan": places(place, found.actions)}
    assert kind.unpack(place, RULES, entry).actions == found.actions
    assert kind.unpack(place, RULES, former).actions == found.actions


def test_players_are_told_where_there_are_several() -> None:
    place = with_cooks(BURGER, 2)
    texts = ("Do nothing", f"Move {place.players[1]} from table1 to table2")
    assert unpack_plan(place, RULES, pack_plan(place, RULES, texts)) == texts


@pytest.mark.parametrize("plan", [[-1], [10**9], [1.0], ["0"], [None]])
@pytest.mark.parametrize("form", [{"form": 2}, {}])
def test_numbers_of_no_action_are_refused(plan: list[object], form: dict[str, int]) -> None:
    with pytest.raises((ValueError, TypeError, IndexError)):
        unpack_plan(BURGER, RULES, {"plan": plan, **form})


def test_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown form"):
        unpack_plan(BURGER, RULES, {"plan": [], "form": 3})


def test_what_is_not_there_at_the_start_has_its_place_among_the_legal() -> None:
    place = kitchen("kitchens/asynchronous/5_potato_soup")
    domain = bundled()
    boil = next(one for one in domain.actions if one.name == "boil-water")
    told = replace(boil, text="Boil {m1} in {c1} on {s1} using {p1}")
    actions = [told if one is boil else one for one in domain.actions]
    place = Kitchen.of(
        "",
        KitchenDomain.of(domain.types, domain.predicates, actions, domain.benchmark),
        place.types,
        place.facts,
        place.goal,
    )
    best = bundled_result(kitchen("kitchens/asynchronous/5_potato_soup"))
    assert best is not None
    plan = tuple(action.replace("Boil pot1's contents", "Boil water1 in pot1") for action in best.actions)
    entry = pack_plan(place, RULES, plan)
    assert "form" not in entry
    assert unpack_plan(place, RULES, entry) == plan
