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


def test_the_family_holds_what_it_is_for():
    """Several agents, alike or not; what needs nobody; late releases; lags of every sign, back and forth."""
    seen = Counter()
    for seed in SEEDS:
        instance = pauseshop(seed)
        seen["one agent"] += len(instance.agents) == 1
        seen["several agents"] += len(instance.agents) > 1
        for action in instance.actions:
            seen["paused"] += action.interruptible and action.attended > 1
            seen["soaked"] += action.interruptible and action.duration > 1 and not action.attended
            seen["started"] += not action.attended and action.agents != ()
            seen["needs nobody"] += action.agents == ()
            seen["not for all"] += bool(action.agents) and len(action.agents) < len(instance.agents)
            seen["released"] += action.release > 0
            seen["of no length"] += not action.duration
            seen["modes"] += len(action.modes) > 1
        for lag in instance.lags:
            seen["back"] += instance.index[lag.before] > instance.index[lag.after]
            seen["negative minimum"] += lag.minimum is not None and lag.minimum < 0
            seen["maximum"] += lag.maximum is not None and lag.maximum >= 0
            seen["negative maximum"] += lag.maximum is not None and lag.maximum < 0
    assert min(seen.values()) >= 8, seen
