"""Plan language of Natural Plan: the module of its task reads and writes a plan."""

from __future__ import annotations

from typing import cast

from planoracle.instances.benchmarks.naturalplan.answers import Answer
from planoracle.instances.benchmarks.naturalplan.parts import part_of
from planoracle.instances.benchmarks.naturalplan.rules import Profile
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.plan import Plan, Reading


def reading(problem: Instance, submitted: object, rules: Profile) -> Reading[Answer]:
    """Read an answer; raises `PlanError` for one that cannot be read."""
    return cast("Reading[Answer]", part_of(problem).answers.reading(problem, submitted, rules))


def written(problem: Instance, schedule: Schedule) -> object:
    """Write a schedule as an answer."""
    return part_of(problem).answers.written(problem, schedule)


def schedule(problem: Instance, plan: Plan[Answer]) -> Schedule:
    """Return the schedule of a plan."""
    return Schedule.of(problem, plan.commands.pieces)


def name_of(problem: Instance, action: str) -> str:
    """Name an action, such as ``meet Sarah``."""
    return problem.by_id[action].label if action in problem.by_id else action


def moment(problem: Instance, tick: int) -> str:
    """Write an instant: a time of day, or a day."""
    return str(part_of(problem).answers.moment(problem, tick))
