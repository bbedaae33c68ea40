"""Verdicts that another grader recorded with the answers of models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planoracle.instances.protocol.scoring import Average, Measurement, Metric

#: Fields of a submission that may hold a recorded verdict, in order of precedence.
RECORDED_FIELDS = ("recorded_correct", "correct", "success")


def recorded_verdict(submission: object) -> bool | None:
    """Return the verdict that was recorded with an answer, ``None`` without one.

    Parameters
    ----------
    submission
        Record of the answer.

    Examples
    --------
    >>> recorded_verdict({"correct": False}), recorded_verdict({"recorded_correct": None}), recorded_verdict("wait")
    (False, None, None)
    """
    if not isinstance(submission, Mapping):
        return None
    verdicts = (submission.get(field) for field in RECORDED_FIELDS)
    return next((verdict for verdict in verdicts if isinstance(verdict, bool)), None)


def _of_run(measurement: Measurement[Any]) -> bool | None:
    return recorded_verdict(measurement.run.submission)


#: Metric of benchmarks whose recorded answers are public; its fields are `RECORDED_FIELDS`.
RECORDED: Metric[Any] = Metric(
    "recorded",
    "verdict that another grader recorded with the answer",
    _of_run,
    kind="flag",
    average=Average("recorded_rate", "share of answers that their recorded verdicts call right"),
)
