"""Recipe2Plan: any times, numbers beyond the limits, and mutated files of recipes."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.mutations import Mutator, result_or_error
from support.samples import examples

from planoracle.instances.benchmarks.recipe2plan.language import parse
from planoracle.instances.benchmarks.recipe2plan.released_files import read
from planoracle.instances.benchmarks.recipe2plan.step_grammar import MAX_DIGITS, amount
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.catalog import load
from planoracle.instances.files.instance_file import instance_from_document, to_document

KITCHEN = load("recipe2plan/timed/Vada_Daikon-Radish")

STEP = {"text": "", "prequisites": [], "time_constraint": {}, "interrupt": 0, "parallel": 0, "time": "5 min"}
HEATS = {"oven": {"require": {}, "update": {"temperature": 350}}}
TEA = [
    STEP | {"step": 0, "physical": {"stove": {"require": {}, "update": {}}}, "parallel": 1},
    STEP | {"step": 1, "physical": {}, "prequisites": [0], "time_constraint": {"0": "1 hour"}},
]
TOAST = [
    STEP | {"step": 0, "physical": HEATS},
    STEP | {"step": 1, "physical": {"oven": {"require": {"temperature": 350}}}, "prequisites": [0]},
]
COOKING = [[{"recipe": "Tea", "steps": TEA}, {"recipe": "Toast-2", "steps": TOAST}]]


@given(st.text(alphabet="0123456789:minhoursec ١²\n", max_size=60))
def test_random_time_is_seconds_or_none(text: str) -> None:
    seconds = result_or_error(amount, text)
    assert seconds is None or isinstance(seconds, InputError) or 0 <= seconds < 61 * 3600 * 10**MAX_DIGITS


@pytest.mark.slow
def test_too_long_number_is_refused_with_the_limit() -> None:
    with pytest.raises(PlanError, match=str(MAX_DIGITS)):
        parse(f"Step(0, Vada, {'1' * 5000}, 0)", KITCHEN)


@pytest.mark.slow
@examples(300)
@given(st.integers(0, 2**32 - 1))
def test_mutated_recipes_are_read_or_refused(seed: int) -> None:
    mutator = Mutator(Random(seed), [COOKING])
    result = result_or_error(read, mutator.times(mutator.tree, COOKING), "file")
    if isinstance(result, InputError):
        assert result.source == "file"
        return
    for problem in result:
        assert instance_from_document(to_document(problem), "again").order == problem.order
