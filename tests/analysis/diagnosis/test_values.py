"""Regrets and advice in states with several agents and pauses, against solves from scratch."""

from __future__ import annotations

from collections import Counter

import pytest
from support.random_agent_instances import interruption_workshop
from support.regret_comparison import advice_comparisons, regret_comparisons

SEEDS = range(80)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compare", "least"),
    [
        (regret_comparisons, {"price": 250, "no_return": 70}),
        (advice_comparisons, {"best": 70, "next": 150, "longest": 10}),
    ],
    ids=["prices", "advice"],
)
def test_regrets_and_advice_agree_with_solves_from_scratch(compare, least):
    counts = Counter()
    for seed in SEEDS:
        for one in compare(interruption_workshop(seed), seed):
            assert one.actual == one.expected, (seed, *one)
            counts[one.kind] += 1
    assert counts >= Counter(least), counts
