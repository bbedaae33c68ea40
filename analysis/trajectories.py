"""The course of a submission, by its benchmark."""

from __future__ import annotations

from typing import Any

from planoracle.analysis.judges.common import minutes_limit
from planoracle.instances.model import Instance
from planoracle.instances.trajectory import Trajectory

__all__ = ["trajectory_of"]


def trajectory_of(instance: Instance, submission: Any = None, rules: Any = None) -> Trajectory:
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
        from planoracle.instances.recipe2plan import profile as recipe2plan
        from planoracle.instances.recipe2plan.trajectory import Recipe2PlanTrajectory

        return Recipe2PlanTrajectory(instance, _given(submission, "plan"), rules or recipe2plan.PROFILES["paper"])
    if instance.benchmark == "timearena":
        from planoracle.instances.timearena import profile as timearena
        from planoracle.instances.timearena.trajectory import TimeArenaTrajectory

        made = _given(submission, "actions", "plan")
        limit = minutes_limit(submission, instance.time_limit)
        return TimeArenaTrajectory(instance, made, rules or timearena.PROFILES["paper"], limit)
    if instance.benchmark == "asynctool":
        from planoracle.instances.asynctool import profile as asynctool
        from planoracle.instances.asynctool.trajectory import AsyncToolTrajectory

        return AsyncToolTrajectory(instance, _given(submission, "turns", "plan"), rules or asynctool.PROFILES["paper"])
    from planoracle.instances.generic.trajectory import OwnTrajectory

    return OwnTrajectory(instance, _given(submission, "plan"))


def _given(submission: Any, *names: str) -> Any:
    if submission is None:
        return []
    if isinstance(submission, dict):
        return next((submission[name] for name in names if name in submission), submission)
    return submission
