"""Live runs of the Robo Challenge: a whole plan, or an action at a time."""

from __future__ import annotations

from planoracle.instances.benchmarks.generic.live import GenericText
from planoracle.instances.model.instance import Instance


class RobotText(GenericText):
    """Texts."""


TEXT = RobotText


def words(problem: Instance) -> str:
    """Return the task in words."""
    return problem.name
