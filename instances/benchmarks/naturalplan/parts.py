"""Tasks of Natural Plan: meetings, calendars and trips, and the modules of each.

The facts of a problem are its ``origin``; their type decides which modules apply.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import NamedTuple

from planoracle.instances.benchmarks.naturalplan import (
    calendar_answers,
    calendar_tasks,
    meeting_answers,
    meeting_tasks,
    trip_answers,
    trip_tasks,
)
from planoracle.instances.benchmarks.naturalplan.calendar_facts import CalendarFacts
from planoracle.instances.benchmarks.naturalplan.trip_facts import TripFacts
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance


class Part(NamedTuple):
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

        - ``reading(problem, plan, rules)``: a `Reading` of an `Answer`; ``written(problem, schedule)``;
        - ``judge(problem, answer, rules)``: a `Judgement`; ``published(problem)``: the published plan, or ``None``;
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


PARTS = (
    Part("meeting", "meeting_planning_example_", meeting_tasks.Facts, meeting_tasks, meeting_answers),
    Part("calendar", "calendar_scheduling_example_", CalendarFacts, calendar_tasks, calendar_answers),
    Part("trip", "trip_planning_example_", TripFacts, trip_tasks, trip_answers),
)


def part_of(problem: Instance) -> Part:
    """Return the task of a problem; raises `InputError` for a problem of another benchmark."""
    facts = facts_of(problem)
    for part in PARTS:
        if isinstance(facts, part.facts):
            return part
    raise InputError("is not a problem of Natural Plan with its facts", value=problem.name)


def facts_of(problem: Instance) -> object:
    """Return the facts of a problem, also of a residual one."""
    return (problem.rest_of or problem).origin


def part_named(label: str, parts: Iterable[Part] = PARTS) -> Part | None:
    """Return the task of a name such as ``meeting``; ``None`` if there is none."""
    return next((part for part in parts if part.name == label), None)
