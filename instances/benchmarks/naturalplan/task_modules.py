"""Tasks of Natural Plan: meetings, calendars and trips, and the modules of each.

The facts of a problem are its ``origin``; their type decides which modules apply. The plan language dispatches to them.
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple, cast

from planoracle.instances.benchmarks.naturalplan import (
    calendar_answers,
    calendar_tasks,
    meeting_answers,
    meeting_tasks,
    trip_answers,
    trip_tasks,
)
from planoracle.instances.benchmarks.naturalplan.calendar_facts import CalendarFacts
from planoracle.instances.benchmarks.naturalplan.rules import PlanAnswer, Profile
from planoracle.instances.benchmarks.naturalplan.trip_facts import TripFacts
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.plan import Plan, Reading


class TaskModules(NamedTuple):
    """One task, and its modules.

    Attributes
    ----------
    name
        Second component of names of problems.
    original
        Beginning of the published names.
    facts
        Type of the facts of a problem.
    tasks
        Module with ``bundled()``, the facts by number; ``recognises(record)`` and ``read(record, field)``, the facts of
        a published record; ``instance(facts, name)``; ``under(problem, rules)``, the problem as the rules change it.
    answers
        Module with the functions

        - ``reading(problem, plan, rules)``: a `Reading` of an `PlanAnswer`; ``written(problem, schedule)``;
        - ``grade(problem, answer, rules)``: a `PlanVerdict`; ``published(problem)``: the published plan;
          ``answer_count(problem)``: the number of right answers, ``None`` if the task asks for the best;
        - ``describe(problem)`` and ``moment(problem, tick)``: texts of a problem and of an instant;
        - ``choices(problem, answer, rules)``: commands of live runs that the rules allow after an answer;
        - if ``IS_STEPWISE`` says that a message of a live run is one step: ``line_of(step)``, its command, and
          ``command_names(problem)`` and ``name_of_command(command)``, as in `ActionSpace`;

        and the values ``TOPICS``, ``SENTENCES`` by kind of violation, ``INSTRUCTIONS`` and ``HOW_TO_ANSWER``.
    """

    name: str
    original: str
    facts: type
    tasks: ModuleType
    answers: ModuleType


TASKS = (
    TaskModules("meeting", "meeting_planning_example_", meeting_tasks.MeetingFacts, meeting_tasks, meeting_answers),
    TaskModules("calendar", "calendar_scheduling_example_", CalendarFacts, calendar_tasks, calendar_answers),
    TaskModules("trip", "trip_planning_example_", TripFacts, trip_tasks, trip_answers),
)


def modules_of(problem: Instance) -> TaskModules:
    """Return the task of a problem; raises `InputError` for a problem of another benchmark."""
    facts = facts_of(problem)
    for task in TASKS:
        if isinstance(facts, task.facts):
            return task
    raise InputError("is not a problem of Natural Plan with its facts", value=problem.name)


def facts_of(problem: Instance) -> object:
    """Return the facts of a problem, also of a residual one."""
    return (problem.rest_of or problem).origin


def modules_named(label: str) -> TaskModules | None:
    """Return the task of a name such as ``meeting``; ``None`` if there is none."""
    return next((task for task in TASKS if task.name == label), None)


# --- plan language --------------------------------------------------------------------------------


def reading(problem: Instance, submitted: object, rules: Profile) -> Reading[PlanAnswer]:
    """Read an answer; raises `PlanError` for one that cannot be read."""
    return cast("Reading[PlanAnswer]", modules_of(problem).answers.reading(problem, submitted, rules))


def written(problem: Instance, schedule: Schedule) -> object:
    """Write a schedule as an answer."""
    return modules_of(problem).answers.written(problem, schedule)


def schedule(problem: Instance, plan: Plan[PlanAnswer]) -> Schedule:
    """Return the schedule of a plan."""
    return Schedule.of(problem, plan.commands.pieces)


def name_of(problem: Instance, action: str) -> str:
    """Name an action, such as ``meet Sarah``."""
    return problem.by_id[action].label if action in problem.by_id else action


def moment(problem: Instance, tick: int) -> str:
    """Write an instant: a time of day, or a day."""
    return str(modules_of(problem).answers.moment(problem, tick))
