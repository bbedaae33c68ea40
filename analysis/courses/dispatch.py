"""The course of a submission, by its benchmark."""

from __future__ import annotations

from typing import Any

from planoracle.analysis.courses.common import Course
from planoracle.analysis.judges.common import minutes_limit
from planoracle.instances.model import Instance

__all__ = ["course_of"]


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
        limit = minutes_limit(submission, instance.time_limit)
        return TimeArenaCourse(instance, made, rules or timearena.PROFILES["paper"], limit)
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
