"""What all judges do alike."""

from __future__ import annotations

from typing import Any, Protocol

from planoracle.analysis.optimum import optimum
from planoracle.instances.benchmarks import language
from planoracle.instances.errors import InputError
from planoracle.instances.kitchens.language import MAX_ACTIONS
from planoracle.instances.model import Instance
from planoracle.instances.replay import Replay
from planoracle.instances.status import Status

__all__ = ["MAX_MINUTES", "Judge", "OwnJudge", "given", "minutes_limit", "shared_fields", "steps_limit"]

#: Largest time limit a submission may ask for, in minutes.
MAX_MINUTES = 20_000


class Judge(Protocol):
    """Judges submissions for the problems of one benchmark; keeps nothing between them but caches."""

    def judge(self, instance: Any, submission: dict[str, Any]) -> dict[str, Any]:
        """Return fields of `planoracle.analysis.grade.Grade`; raises `InputError` for what cannot be judged."""
        ...


def given(submission: dict[str, Any], *names: str) -> Any:
    """Return the first of several fields that a submission has; raises `InputError` if it has none."""
    for name in names:
        if name in submission:
            return submission[name]
    raise InputError("is missing", field=names[-1])


def minutes_limit(submission: Any, default: int | None) -> int:
    """Return the ``time_limit`` of a TimeArena submission in minutes, or the default; raises `InputError`."""
    limit = submission.get("time_limit", default) if isinstance(submission, dict) else default
    return _whole(limit, MAX_MINUTES, "whole minutes", "time_limit")


def steps_limit(submission: Any) -> int | None:
    """Return the ``limit`` of a submission for a kitchen in steps, ``None`` if it has none; raises `InputError`."""
    limit = submission.get("limit") if isinstance(submission, dict) else None
    return None if limit is None else _whole(limit, MAX_ACTIONS, "a number of steps", "limit")


def _whole(value: Any, most: int, what: str, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise InputError(f"must be {what}, at most {most}", field=field, value=value)
    return value


def shared_fields(run: Replay) -> dict[str, Any]:
    """Return what every replay says."""
    return {
        "success": run.success,
        "violation": run.fatal.kind if run.fatal else None,
        "violation_index": run.fatal.position if run.fatal else None,
        "violations": tuple(
            {"index": v.position, "kind": v.kind, "subject": v.subject, "message": v.message} for v in run.violations
        ),
        "executed": run.executed,
        "progress": run.progress,
        "goal_ratio": run.goal_ratio,
        "makespan": run.makespan,
    }


class OwnJudge:
    """Judge of instances in our own format."""

    def judge(self, instance: Instance, submission: dict[str, Any]) -> dict[str, Any]:
        """Judge ``submission["plan"]``, a list of pieces."""
        run = language(instance.benchmark).replay(instance, given(submission, "plan"))
        best = optimum(instance)
        return shared_fields(run) | {"optimal_makespan": best.makespan if best.status == Status.optimal else None}
