"""Optima of small instances that mix all features agree with exhaustive search through the rules."""

from __future__ import annotations

import pytest
from support.model_search import ModelSearch, TooManyChecksError
from support.random_model_instances import model_mix
from support.samples import sample

from planoracle.solver.exact.search import solve

SEEDS = 3000
BLOCKS = 40
#: A few instances of a block take longer than this to search.
MAX_CHECKS = 15_000


@pytest.mark.parametrize("block", sample(range(BLOCKS)))
def test_status_weight_and_makespan_agree_with_exhaustive_search(block: int) -> None:
    checked = 0
    seeds = range(block, SEEDS, BLOCKS)
    for seed in seeds:
        instance = model_mix(seed)
        try:
            expected = ModelSearch(instance, max_checks=MAX_CHECKS).best()
        except TooManyChecksError:
            continue
        result = solve(instance)
        answer = result.status, result.weight, result.makespan
        assert answer == (expected.status, expected.weight, expected.makespan), f"seed {seed}"
        checked += 1
    assert checked > 0.95 * len(seeds)
