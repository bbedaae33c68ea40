"""Metrics of ParaCook's cook world, compared with released summaries of three sets of results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.paracook.metrics import METRICS, sequential
from planoracle.instances.benchmarks.paracook.rules import CHOICES, PROFILES, RULE_SET, Profile
from planoracle.instances.protocol.scoring import Row
from tests.support.paracook import kitchen_with_orders, verdicts


def test_summaries_equal_those_of_the_released_code(shared: Path) -> None:
    entries = verdicts(shared, "paracook_figures")
    for line in entries:
        averages = summary([_row(shared, result) for result in line["results"]], PROFILES["released"])
        assert {name: averages[name] for name in line["expected"]} == pytest.approx(line["expected"], rel=1e-12), line[
            "id"
        ]
    assert len(entries) == 3


def test_summary_without_rows_is_empty() -> None:
    assert set(summary([], PROFILES["paper"]).values()) == {None}


@pytest.mark.parametrize("name", ["repeats", "lists", "answers"])
def test_rules_of_lists_and_texts_do_not_decide_the_optimum(name: str) -> None:
    decisive = {RULE_SET.profile(**{name: choice}).deciding() for choice in CHOICES[name]}
    assert decisive == {PROFILES["paper"].deciding()}


def summary(rows: Iterable[Row], rules: Profile) -> dict[str, float | None]:
    """Return averages over rows of grades of any settings, like the released summary.

    All rows have equal weight. Tables of planoracle average over the runs of a problem first, for each set.
    """
    listed = list(rows)
    figures: dict[str, float | None] = {}
    for one in METRICS.averages(rules):
        if one.aggregate == "mean":
            parts = [part for row in listed if (part := one.terms(row)) is not None]
            bottom = sum(below for _, below in parts)
            figures[one.name] = sum(above for above, _ in parts) / bottom if bottom else None
    return figures


def _row(shared: Path, result: dict[str, Any]) -> Row:
    """Return the row of a grade with the metrics of a result."""
    time, ways = sequential(kitchen_with_orders(shared, result["setting"]))
    agents = result["agents"]
    return {
        "success": result["done"],
        "time": result["time"],
        "sequential_time": time,
        "sequential_movement": ways,
        "time_ratio": result["time"] / time if result["done"] else None,
        "busy": {name: busy for name, (busy, _, _) in agents.items()},
        "waiting": {name: waiting for name, (_, waiting, _) in agents.items()},
        "error": None,
        "moving": {name: moving for name, (_, _, moving) in agents.items()},
    }
