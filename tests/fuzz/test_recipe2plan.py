"""Recipe2Plan: any times, and numbers beyond the limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.mutations import result_or_error

from planoracle.instances.benchmarks.recipe2plan.language import parse
from planoracle.instances.benchmarks.recipe2plan.step_grammar import MAX_DIGITS, amount
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.catalog import load

KITCHEN = load("recipe2plan/timed/Vada_Daikon-Radish")


@given(st.text(alphabet="0123456789:minhoursec ١²\n", max_size=60))
def test_random_time_is_seconds_or_none(text: str) -> None:
    seconds = result_or_error(amount, text)
    assert seconds is None or isinstance(seconds, InputError) or 0 <= seconds < 61 * 3600 * 10**MAX_DIGITS


@pytest.mark.slow
def test_too_long_number_is_refused_with_the_limit() -> None:
    with pytest.raises(PlanError, match=str(MAX_DIGITS)):
        parse(f"Step(0, Vada, {'1' * 5000}, 0)", KITCHEN)
