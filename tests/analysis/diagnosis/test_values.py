"""States with several agents, pauses and starts inside of pieces: prices and advice against solves from scratch."""

from __future__ import annotations

from collections import Counter

import pytest
from support.random_crews import pauseshop
from support.values import compared_advice, compared_prices

SEEDS = range(80)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compare", "least"),
    [
        (compared_prices, {"price": 250, "no_return": 70}),
        (compared_advice, {"best": 70, "next": 150, "longest": 10}),
    ],
    ids=["prices", "advice"],
)
def test_prices_and_advice_agree_with_solves_from_scratch(compare, least):
    made = Counter()
    for seed in SEEDS:
        for one in compare(pauseshop(seed), seed):
            assert one.found == one.wanted, (seed, *one)
            made[one.kind] += 1
    assert made >= Counter(least), made
