"""Simulators and replays of the parts of asyncplanning."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.asyncplanning import step_run
from planoracle.instances.benchmarks.asyncplanning.problems import origin_type
from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.benchmarks.asyncplanning.step_tasks import StepOrigin
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.schedule_run import ScheduleRun
from planoracle.instances.protocol.simulator import ScheduleSimulator

_PARTS: dict[type, Any] = {StepOrigin: step_run}


def _rules_of(problem: Instance) -> Any:
    return _PARTS[origin_type(problem)]


def simulator(problem: Instance, rules: Profile) -> ScheduleSimulator[Any, Any]:
    """Return the rules of a problem as code."""
    result: ScheduleSimulator[Any, Any] = _rules_of(problem).simulator(problem, rules)
    return result


def replay(problem: Instance, plan: Plan[Any], rules: Profile) -> ScheduleRun[Any, Profile]:
    """Replay a plan."""
    result: ScheduleRun[Any, Profile] = _rules_of(problem).replay(problem, plan, rules)
    return result


def under(problem: Instance, rules: Profile) -> Instance:
    """Return a problem as some rules change it."""
    changed: Instance = _rules_of(problem).under(problem, rules)
    return changed
