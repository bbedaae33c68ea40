"""States with several agents, pauses and starts inside of pieces: values, prices and advice beside two other ways."""

from __future__ import annotations

from collections import Counter

import pytest
from support.random_crews import pauseshop
from support.values import compared_advice, compared_prices, compared_states

SEEDS = range(80)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compare", "least"),
    [
        pytest.param(
            lambda instance, seed: compared_states(instance, seed, search=3_000),
            {"scratch": 1_000, "search": 700},
            marks=pytest.mark.slow,
        ),
        (compared_prices, {"price": 250, "no_return": 70}),
        (compared_advice, {"best": 70, "next": 150, "longest": 10}),
    ],
    ids=["states", "prices", "advice"],
)
def test_what_is_said_of_a_state_is_what_two_other_ways_find(compare, least):
    made = Counter()
    for seed in SEEDS:
        for one in compare(pauseshop(seed), seed):
            assert one.found == one.wanted, (seed, *one)
            made[one.kind] += 1
    assert made >= Counter(least), made
