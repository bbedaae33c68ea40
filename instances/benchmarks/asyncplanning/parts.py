"""Plan languages, simulators, feedback and live runs of the parts, by the facts of a problem."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.asyncplanning import (
    robot_feedback,
    robot_language,
    robot_live,
    robot_run,
    step_feedback,
    step_lines,
    step_live,
    step_run,
)
from planoracle.instances.benchmarks.asyncplanning.problems import origin_type
from planoracle.instances.benchmarks.asyncplanning.robot_tasks import RobotOrigin
from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.benchmarks.asyncplanning.step_tasks import StepOrigin
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.environment import Environment, RunConfig
from planoracle.instances.protocol.feedback import Examination
from planoracle.instances.protocol.live import LiveText
from planoracle.instances.protocol.plan import Plan, Reading
from planoracle.instances.protocol.schedule_run import ScheduleRun
from planoracle.instances.protocol.simulator import ScheduleSimulator


class Part(NamedTuple):
    """Modules of a part of the benchmark.

    Attributes
    ----------
    lines
        Plan language: ``reading``, ``written``, ``schedule``, ``name_of``.
    runs
        Rules: ``simulator``, ``replay``, ``under``.
    feedback
        Sentences on violations: ``TOPICS``, ``examine``.
    live
        Live runs: ``TEXT``, a subclass of `LiveText`, ``action_space``, and ``words``, the problem in words.
    """

    lines: ModuleType
    runs: ModuleType
    feedback: ModuleType
    live: ModuleType


#: Parts by the type of the facts of their problems.
PARTS: dict[type, Part] = {
    StepOrigin: Part(step_lines, step_run, step_feedback, step_live),
    RobotOrigin: Part(robot_language, robot_run, robot_feedback, robot_live),
}


def part_of(problem: Instance) -> Part:
    """Return the part of a problem; raises `InputError` without facts."""
    return PARTS[origin_type(problem)]


# --- plan language --------------------------------------------------------------------------------


def reading(problem: Instance, submission: object, rules: Profile) -> Reading[Any]:
    """Read a plan; raises `PlanError`."""
    result: Reading[Any] = part_of(problem).lines.reading(problem, submission, rules)
    return result


def written(problem: Instance, schedule: Schedule) -> object:
    """Write a schedule as a plan."""
    plan: object = part_of(problem).lines.written(problem, schedule)
    return plan


def schedule(problem: Instance, plan: Plan[Any]) -> Schedule:
    """Return the schedule of a plan."""
    result: Schedule = part_of(problem).lines.schedule(problem, plan)
    return result


def name_of(problem: Instance, action: str) -> str:
    """Name an action in the words of plans."""
    return str(part_of(problem).lines.name_of(action))


# --- rules ----------------------------------------------------------------------------------------


def simulator(problem: Instance, rules: Profile) -> ScheduleSimulator[Any, Any]:
    """Return the rules of a problem as code."""
    result: ScheduleSimulator[Any, Any] = part_of(problem).runs.simulator(problem, rules)
    return result


def replay(problem: Instance, plan: Plan[Any], rules: Profile) -> ScheduleRun[Any, Profile]:
    """Replay a plan."""
    result: ScheduleRun[Any, Profile] = part_of(problem).runs.replay(problem, plan, rules)
    return result


def under(problem: Instance, rules: Profile) -> Instance:
    """Return a problem as some rules change it."""
    changed: Instance = part_of(problem).runs.under(problem, rules)
    return changed


# --- feedback and live runs -----------------------------------------------------------------------

#: Sections of critiques. A kind of violation that several parts have belongs to the same section in all of them.
TOPICS = (*step_feedback.TOPICS, *robot_feedback.TOPICS)


def examine(run: ScheduleRun[Any, Any]) -> Examination:
    """Return the violations of a run as feedback."""
    examination: Examination = part_of(run.problem).feedback.examine(run)
    return examination


def text_of(problem: Instance, rules: Profile, config: RunConfig, simulator: Any) -> LiveText[Any, Any, Any]:
    """Return the texts of a live run."""
    text: LiveText[Any, Any, Any] = part_of(problem).live.TEXT(problem, rules, config, simulator)
    return text


def action_space(problem: Instance) -> ActionSpace:
    """Return the action space of live runs."""
    space: ActionSpace = part_of(problem).live.action_space(problem)
    return space


#: Function that makes the texts of a live run.
TEXT = text_of


def _problem_words(environment: Environment[Any, Any, Any]) -> str:
    problem = environment.problem
    return str(part_of(problem).live.words(problem))


#: Texts of prompts by placeholder.
WORDS = {"problem": _problem_words}
