"""The course of a submission, by its benchmark."""

from __future__ import annotations

from typing import Any

from planoracle.analysis.courses.common import Course
from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance

__all__ = ["course_of"]

#: Largest time limit a submission may ask for, in minutes.
_MAX_MINUTES = 20_000


def course_of(instance: Instance, submission: Any = None, rules: Any = None) -> Course:
    """Return a run of a submission, decision by decision.

    Parameters
    ----------
    submission
        The plan in any form that the benchmark's language reads, or an object with it as ``plan`` (TimeArena:
        ``actions``, AsyncTool: ``turns``; TimeArena may set a ``time_limit``); ``None`` for a run that has not begun.
    rules
        The profile of the benchmark; by default that of the paper.

    Raises
    ------
    PlanError, InputError
        If the submission cannot be read at all.
    """
    # Imported when needed: a course brings its benchmark's rules.
    if instance.benchmark == "recipe2plan":
        from planoracle.analysis.courses.recipe2plan import Recipe2PlanCourse
        from planoracle.instances.recipe2plan import profile as recipe2plan

        return Recipe2PlanCourse(instance, _given(submission, "plan"), rules or recipe2plan.PROFILES["paper"])
    if instance.benchmark == "timearena":
        from planoracle.analysis.courses.timearena import TimeArenaCourse
        from planoracle.instances.timearena import profile as timearena

        made = _given(submission, "actions", "plan")
        return TimeArenaCourse(instance, made, rules or timearena.PROFILES["paper"], _time_limit(submission))
    if instance.benchmark == "asynctool":
        from planoracle.analysis.courses.asynctool import AsyncToolCourse
        from planoracle.instances.asynctool import profile as asynctool

        return AsyncToolCourse(instance, _given(submission, "turns", "plan"), rules or asynctool.PROFILES["paper"])
    from planoracle.analysis.courses.own import OwnCourse

    return OwnCourse(instance, _given(submission, "plan"))


def _given(submission: Any, *names: str) -> Any:
    if submission is None:
        return []
    if isinstance(submission, dict):
        return next((submission[name] for name in names if name in submission), submission)
    return submission


def _time_limit(submission: Any) -> int | None:
    limit = submission.get("time_limit") if isinstance(submission, dict) else None
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= _MAX_MINUTES:
        raise InputError(f"must be whole minutes, at most {_MAX_MINUTES}", field="time_limit", value=limit)
    return limit
