"""Cues of sentences: words that retract the plan before them, and similar words that do not."""

from __future__ import annotations

import pytest

from planoracle.instances.model_output.cues import Cue, cues_of

RETRACTIONS = (
    *("Correction", "Correction:", "Wrong.", "Scratch that.", "I give up.", "That is not possible."),
    "In the end the plan was wrong.",
)
NO_RETRACTIONS = (
    # A heading, comparisons, a mended plan, a question, a condition, a denial, and an earlier plan.
    *("Wrong:", "Here the plan is wrong:", "That is not possible in less time.", "I cannot find a better plan."),
    *("I fixed it, scratch that.", "Is that wrong?", "If needed, the plan is wrong.", "No step of the plan is wrong."),
    "At first it seemed that the plan was wrong.",
)


@pytest.mark.parametrize("text", RETRACTIONS)
def test_sentence_retracts_the_plan_before_it(text: str) -> None:
    assert Cue.RETRACTED in cues_of(text)


@pytest.mark.parametrize("text", NO_RETRACTIONS)
def test_similar_sentence_retracts_nothing(text: str) -> None:
    assert Cue.RETRACTED not in cues_of(text)
