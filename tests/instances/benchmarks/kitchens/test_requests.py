"""Prompts of kitchens give away no more than the paper's: requests, six rules, phrases."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast

import pytest

from planoracle import environment, load
from planoracle.instances.benchmarks.kitchens.released_kitchens import released, request_of
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig

BURGER = "robotouille/synchronous/3_burger"


def test_each_task_has_a_request_of_its_own() -> None:
    requests = {name: request_of(load(f"robotouille/{name}")) for name in released()}
    assert len(set(requests.values())) == len(requests) == 32
    for name, request in requests.items():
        assert request != released()[name].label
        assert not re.search(r"\b(?:on top of|is (?:cut|cooked|fried)|[a-z]+[#\d])\b", request), name


def test_request_holds_for_variants_and_players_but_not_for_other_goals() -> None:
    kitchen = cast(Any, load(BURGER))
    assert request_of(kitchen) == request_of(load(f"{BURGER}@42")) == request_of(load(f"{BURGER}~2"))
    own = replace(kitchen, text="Prepare what is in this file")
    assert request_of(own) == "Prepare what is in this file"
    without_words = replace(kitchen, text="")
    assert "atop" not in environment(without_words).introduction()
    assert "patty A on top of bottombun A" in environment(without_words).introduction()


@pytest.mark.parametrize("loop", ["closed", "open"])
def test_prompt_has_neither_conditions_nor_preconditions(loop: str) -> None:
    run = environment(load("robotouille/asynchronous/7_tomato_soup_and_lettuce_chicken_sandwich"), loop=loop)
    assert "(needs" not in run.instructions()
    assert "on top of" not in run.introduction()
    assert run.instructions().count("\n- ") == 5 + 6 + 3 + 15
    earlier = registry.get("robotouille").environment(run.problem, None, RunConfig(loop, wording=1))
    assert "(needs p1 at s1 and nobody at s2)" in earlier.instructions()
    assert "nothing on top of bread B" in earlier.introduction()
