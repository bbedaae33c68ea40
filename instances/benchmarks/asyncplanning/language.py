"""Plan languages of the parts of asyncplanning."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.asyncplanning import step_lines
from planoracle.instances.benchmarks.asyncplanning.problems import origin_type
from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.benchmarks.asyncplanning.step_tasks import StepOrigin
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.plan import Plan, Reading

_PARTS: dict[type, Any] = {StepOrigin: step_lines}


def _language(problem: Instance) -> Any:
    return _PARTS[origin_type(problem)]


def reading(problem: Instance, submission: object, rules: Profile) -> Reading[Any]:
    """Read a plan; raises `PlanError`."""
    result: Reading[Any] = _language(problem).reading(problem, submission, rules)
    return result


def written(problem: Instance, schedule: Schedule) -> object:
    """Write a schedule as a plan."""
    plan: object = _language(problem).written(problem, schedule)
    return plan


def name_of(problem: Instance, action: str) -> str:
    """Name an action in the words of plans."""
    return str(_language(problem).name_of(action))


def schedule(problem: Instance, plan: Plan[Any]) -> Schedule:
    """Return the schedule of a plan."""
    result: Schedule = _language(problem).schedule(problem, plan)
    return result
