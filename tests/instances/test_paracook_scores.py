"""The figures of ParaCook's cook world against the released summary of three sets of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.paracook.profile import PROFILES
from planoracle.instances.paracook.scores import averages, sequential
from planoracle.instances.scoring import Row
from tests.support.paracook import lines, setting


def test_summaries_are_those_of_the_released_code(shared: Path) -> None:
    found = {one.name: one for one in averages(PROFILES["released"])}
    given = lines(shared, "paracook_figures")
    for line in given:
        rows = [_row(shared, result) for result in line["results"]]
        for name, value in line["expected"].items():
            parts = [part for row in rows if (part := found[name].of(row)) is not None]
            top, bottom = (sum(numbers) for numbers in zip(*parts, strict=True))
            assert top / bottom == pytest.approx(value, rel=1e-12), (line["id"], name)
    assert len(given) == 3


def _row(shared: Path, result: dict[str, Any]) -> Row:
    """Return the row of a grade that has the figures of a result."""
    time, ways = sequential(setting(shared, result["setting"]))
    agents = result["agents"]
    return {
        "success": result["done"],
        "time": result["time"],
        "sequential_time": time,
        "sequential_movement": ways,
        "time_ratio": result["time"] / time if result["done"] else None,
        "busy": {name: busy for name, (busy, _, _) in agents.items()},
        "waiting": {name: waiting for name, (_, waiting, _) in agents.items()},
        "moving": {name: moving for name, (_, _, moving) in agents.items()},
    }
