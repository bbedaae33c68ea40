"""Rules of grid kitchens compared with verdicts of the released simulator, field by field."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.grid_kitchens.language import json_number
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, carry_out
from planoracle.instances.benchmarks.paracook.rules import PROFILES
from tests.support.grid_kitchens import RELEASED
from tests.support.paracook import kitchen_of_map, verdicts
from tests.support.samples import sample


@pytest.mark.parametrize("part", sample(range(8)))
def test_whole_plans_reproduce_released_verdicts(shared: Path, part: int) -> None:
    rows = verdicts(shared, "paracook")
    wrong = []
    for line in rows[part::8]:
        result = carry_out(kitchen_of_map(shared, line["map"], line["orders"]), line["plan"], RELEASED).as_dict()
        if result != line["expected"]:
            wrong.append((line["id"], {key: result[key] for key in result if result[key] != line["expected"][key]}))
    assert (len(rows), wrong) == (679, [])


def test_plans_submitted_turn_by_turn_reproduce_released_verdicts(shared: Path) -> None:
    rows = verdicts(shared, "paracook_live")
    wrong = [line["id"] for line in rows if _live(shared, line) != line["expected"]]
    assert (len(rows), wrong) == (48, [])


def test_one_human_plan_fails_by_the_cooking_rule_of_the_paper(shared: Path) -> None:
    humans = [line for line in verdicts(shared, "paracook") if line["kind"] == "human"]
    failed = []
    for line in humans:
        place = kitchen_of_map(shared, line["map"], line["orders"])
        run = carry_out(place, line["plan"], PROFILES["paper"])
        if not run.done:
            failed.append((line["map"], len(line["orders"]), run.error and run.error.kind))
        else:
            assert run.time == line["expected"]["time"]
    assert len(humans) == 24
    assert failed == [("pasta/seed_84/agent_num_2", 2, "dish_mismatch")]
    assert all(getattr(PROFILES["released"], one.name) == getattr(RELEASED, one.name) for one in fields(RELEASED))


def _live(shared: Path, line: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a released verdict for a run in which plans are submitted turn by turn."""
    clock = Simulation.of(kitchen_of_map(shared, line["map"], line["orders"]), RELEASED)
    turns = []
    for submission in line["submissions"]:
        clock.submit(submission)
        clock.until_decision()
        error = clock.as_dict()["error"]
        decide = None if error else [clock.ground.cooks[cook] for cook in clock.decide]
        turns.append({"time": json_number(clock.time), "decide": decide, "served": clock.world.served, "error": error})
    summary = clock.as_dict()
    compared = {key: summary[key] for key in ("time", "served", "agents", "final")}
    return {"turns": turns, "end": clock.end, **compared}
