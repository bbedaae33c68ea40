"""Recipe2Plan: mutated plans and logs under both profiles, mutated files of the original format, floods of text."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile import encoded
from support.mutations import Mutator, answer
from support.samples import examples

from planoracle.instances.benchmarks.recipe2plan.language import parse
from planoracle.instances.benchmarks.recipe2plan.problems import read
from planoracle.instances.benchmarks.recipe2plan.step_grammar import MAX_DIGITS, amount
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.catalog import load
from planoracle.instances.files.instance_file import instance_from_document, to_document
from planoracle.instances.files.strict_json import load_json

SEEDS = st.integers(0, 2**32 - 1)
KITCHEN = load("recipe2plan/timed/Vada_Daikon-Radish")

STEP = {"text": "", "prequisites": [], "time_constraint": {}, "interrupt": 0, "parallel": 0, "time": "5 min"}
COOKING = [
    [
        {
            "recipe": "Tea",
            "steps": [
                STEP | {"step": 0, "physical": {"stove": {"require": {}, "update": {}}}, "parallel": 1},
                STEP | {"step": 1, "physical": {}, "prequisites": [0], "time_constraint": {"0": "1 hour"}},
            ],
        },
        {
            "recipe": "Toast-2",
            "steps": [
                STEP | {"step": 0, "physical": {"oven": {"require": {}, "update": {"temperature": 350}}}},
                STEP | {"step": 1, "physical": {"oven": {"require": {"temperature": 350}}}, "prequisites": [0]},
            ],
        },
    ]
]
REFERENCE = {
    "Tea_Toast-2": {"plan_w_restriction": [[0, "Tea", 300, 0], [1, "Tea", 300, 300]], "plan_wo_restriction": None}
}


@given(st.text(alphabet="0123456789:minhoursec ١²\n", max_size=60))
def test_any_time_is_seconds_or_none(text: str) -> None:
    found = answer(amount, text)
    assert found is None or isinstance(found, InputError) or 0 <= found < 61 * 3600 * 10**MAX_DIGITS


@pytest.mark.slow
def test_the_limits_are_named() -> None:
    with pytest.raises(PlanError, match=str(MAX_DIGITS)):
        parse(f"Step(0, Vada, {'1' * 5000}, 0)", KITCHEN)


@examples(300)
@given(SEEDS)
def test_mutated_original_files_are_read_or_refused(seed: int) -> None:
    mutator = Mutator(Random(seed), [COOKING, REFERENCE])
    document = load_json(encoded(mutator.times(mutator.tree, COOKING)), "file")
    found = answer(read, document, "file")
    if isinstance(found, InputError):
        assert found.source == "file"
    else:
        for one in found:
            assert instance_from_document(to_document(one), "again").order == one.order
