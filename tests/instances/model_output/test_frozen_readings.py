"""Regression test of readings: recorded texts give the recorded commands and verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planoracle.analysis.grading.grader import Grader

RECORDED = Path(__file__).resolve().parents[2] / "support/readings.jsonl"
ROWS = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]

UNWASHED = [
    "activate kettle",
    "wash cup",
    "pour kettle into cup",
    "brew tea with teapot",
    "wait",
    "wait",
    "pour teapot into cup",
    "wash teapot",
]
#: Recorded readings that have changed on purpose.
CHANGED = {
    # By the paper's rules tea is brewed in a washed teapot.
    "\n".join(UNWASHED): {"scored": True, "success": False, "read": 8, "said": UNWASHED},
    # Thinking without an end is a failure, since there is no answer.
    "<think>\n1. wash cup\n2. activate kettle\n": {"scored": True, "success": False, "read": 0, "said": []},
    # The time that was read is reported for wrong answers, too.
    "It takes 3 days.": {"scored": True, "success": False, "read": 1, "said": ["[259200, 259200]"]},
    # A retraction decides; a plan that repeats few of the steps is read like any other.
    "- wash cup\n- wait\n- activate kettle\n\nThis is wrong. Better:\n- pour kettle into teapot": {
        "scored": True,
        "success": False,
        "read": 1,
        "said": ["pour kettle into teapot"],
    },
}


def reading_of(instance: str, text: str) -> dict[str, Any]:
    grader, submission = Grader(), {"id": "x", "instance": instance, "plan": text}
    grade = grader.grade(submission)
    commands = grader.run(submission).command_texts if grade.scored else None
    if grade.metrics.get("given") == "answer":
        commands = [json.dumps(grade.metrics["parsed"])]
    return {"scored": grade.scored, "success": grade.success, "read": grade.read, "said": commands}


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['instance']}-{number}" for number, row in enumerate(ROWS)])
def test_reading_equals_recorded_reading(row: dict[str, Any]) -> None:
    recorded = {name: row[name] for name in ("scored", "success", "read", "said")}
    assert reading_of(row["instance"], row["text"]) == CHANGED.get(row["text"], recorded)
