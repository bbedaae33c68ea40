"""Feedback on plans for the parts of asyncplanning."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.asyncplanning import step_feedback
from planoracle.instances.benchmarks.asyncplanning.problems import origin_type
from planoracle.instances.benchmarks.asyncplanning.step_tasks import StepOrigin
from planoracle.instances.protocol.feedback import Examination
from planoracle.instances.protocol.schedule_run import ScheduleRun

_PARTS: dict[type, Any] = {StepOrigin: step_feedback}

#: Sections of critiques; a kind of violation has the same section in all parts.
TOPICS = step_feedback.TOPICS


def examine(run: ScheduleRun[Any, Any]) -> Examination:
    """Return the violations of a run as feedback."""
    examination: Examination = _PARTS[origin_type(run.problem)].examine(run)
    return examination
