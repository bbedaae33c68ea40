"""Averages over grades of asyncplanning, as functions of the row of a grade."""

from __future__ import annotations

from typing import Any

import pytest

from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES
from planoracle.instances.protocol import registry

_AVERAGES = {average.name: average for average in registry.get("asyncplanning").metrics.averages(PROFILES["paper"])}


def _row(makespan: int, optimum: int | None = 40, *, success: bool = True, **more: Any) -> dict[str, Any]:
    """Return the fields of a grade; a tick is half a second."""
    times = {"makespan": makespan, "optimal_makespan": optimum, "seconds": makespan / 2}
    return {"success": success, "violation": None if success else "lag"} | times | more


def _value(name: str, row: dict[str, Any]) -> Any:
    terms = _AVERAGES[name].terms(row)
    return terms if terms is None or isinstance(terms, list) else terms[0] / terms[1]


@pytest.mark.parametrize(
    ("row", "optimal", "score", "lost_seconds"),
    [
        (_row(40), True, 1.0, 0.0),
        (_row(50), False, 0.8, 5.0),
        (_row(30), True, 1.0, -5.0),
        (_row(40, success=False), False, 0.0, None),
        (_row(50, None), None, None, None),
        (_row(50, None, claimed_optimum=25), False, 0.5, None),
        (_row(20, weight=33, best_weight=44), False, 0.75, -10.0),
        (_row(50, weight=44, best_weight=44), False, 0.8, 5.0),
        (_row(50, weight=33, best_weight=None), False, 0.8, 5.0),
    ],
)
def test_score_compares_rewards_first_and_then_makespans(
    row: dict[str, Any], optimal: bool | None, score: float | None, lost_seconds: float | None
) -> None:
    assert (_value("optimal", row), _value("score", row)) == (optimal, score)
    assert _value("lost_seconds", row) == pytest.approx(lost_seconds)
    assert _value("success", row) == row["success"]
    assert _value("failures", row) == ([] if row["success"] else ["lag"])
