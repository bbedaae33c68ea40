"""Averages over grades by the general rules, as functions of the row of a grade."""

from __future__ import annotations

from typing import Any

import pytest

from planoracle.instances.benchmarks.generic.metrics import declare
from planoracle.instances.protocol import registry

AVERAGES = {average.name: average for average in declare(registry.get("generic").rules.profile("paper"))}


def test_averages_have_their_roles() -> None:
    assert {name: average.role for name, average in AVERAGES.items()} == {
        "success": ("success",),
        "progress": (),
        "goal_ratio": (),
        "score": ("main",),
    }
    assert all(isinstance(average.meaning, str) and callable(average.of) for average in AVERAGES.values())
    assert [name for name, average in AVERAGES.items() if not average.is_shown] == ["goal_ratio"]


@pytest.mark.parametrize(
    ("success", "makespan", "optimum", "claim", "score"),
    [
        (True, 10, 8, None, 0.8),
        (True, 10, None, 5, 0.5),
        (True, 6, 8, None, 1.0),
        (True, 10, None, None, None),
        (True, 0, 8, None, None),
        (False, 10, 8, None, 0.0),
    ],
)
def test_score_is_the_optimum_by_the_makespan_of_a_success(
    success: bool, makespan: int, optimum: int | None, claim: int | None, score: float | None
) -> None:
    row: dict[str, Any] = {"success": success, "makespan": makespan, "optimal_makespan": optimum}
    row |= {"claimed_optimum": claim, "progress": 0.25, "goal_ratio": None}
    expected = None if score is None else (score, 1)
    assert AVERAGES["score"].terms(row) == expected
    values = [AVERAGES[name].terms(row) for name in ("success", "progress", "goal_ratio")]
    assert values == [(success, 1), (0.25, 1), (0.0, 1)]
