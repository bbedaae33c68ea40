"""TimeArena: limits, and mutated names of combinations."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.mutations import Mutator, result_or_error
from support.samples import examples
from support.timearena import replay

from planoracle.instances.benchmarks.timearena import benchmark
from planoracle.instances.benchmarks.timearena.language import parse
from planoracle.instances.benchmarks.timearena.problems import world
from planoracle.instances.benchmarks.timearena.rules import PROFILES
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog

SEEDS = st.integers(0, 2**32 - 1)
NAME = "timearena/household1"
WORLD = world(NAME)
PROBLEM = catalog.load(NAME)
assert benchmark.submission_limit is not None
MAX_MINUTES = benchmark.submission_limit.most


@pytest.mark.slow
def test_invalid_time_limit_is_refused_with_the_maximum() -> None:
    for minutes in (MAX_MINUTES + 1, 10**4000, -1, 1.0, True, "5", None):
        with pytest.raises(InputError, match=str(MAX_MINUTES)):
            benchmark.parse(PROBLEM, {"plan": [], "time_limit": minutes})


@pytest.mark.slow
def test_plan_of_waits_ends_at_the_maximum_time_limit() -> None:
    run = replay(NAME, parse(["wait"] * 100_000, WORLD, PROFILES["paper"]), MAX_MINUTES)
    assert run.record.end == "time_out"
    assert 0 <= run.record.score < 100
    assert run.verdict.makespan == run.record.total_time == len(run.steps) <= MAX_MINUTES


@examples(300)
@given(SEEDS)
@pytest.mark.slow
def test_mutated_names_are_expanded_or_refused(seed: int) -> None:
    mutator = Mutator(Random(seed), ["asynctool/files_1+text_2@0-1:3", "kitchens/synchronous/3_burger@7"])
    name = mutator.times(
        mutator.text,
        mutator.random.choice((NAME, "timearena/shared/cooking1+cooking2", "timearena/*/lab*", "timearena/cooking/2")),
    )
    names = result_or_error(catalog.expand, [name])
    if not isinstance(names, InputError):
        assert all(catalog.names_problem(one) or catalog.is_file(one) for one in names)
