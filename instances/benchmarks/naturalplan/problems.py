"""Problems of Natural Plan by name and from files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from planoracle.instances.benchmarks.naturalplan.task_modules import TASKS, TaskModules, modules_named
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.instance import Instance

_PREFIX = "naturalplan/"


def real_name(name: str) -> str:
    """Return the name of a problem that may have its published name; other texts are returned unchanged.

    >>> real_name("naturalplan/meeting_planning_example_6"), real_name("naturalplan/meeting/6")
    ('naturalplan/meeting/6', 'naturalplan/meeting/6')
    """
    label = name.removeprefix(_PREFIX)
    for task in TASKS:
        number = label.removeprefix(task.original)
        if number != label:
            return f"{_PREFIX}{task.name}/{number}"
    return name


def published_name(name: str) -> str:
    """Return the problem of a published name, ``""`` if there is none.

    >>> published_name("meeting_planning_example_6"), published_name("meeting/6")
    ('naturalplan/meeting/6', '')
    """
    full_name = real_name(f"{_PREFIX}{name}")
    is_published = full_name != f"{_PREFIX}{name}" and covers(full_name)
    return full_name if is_published else ""


def load(name: str) -> Instance:
    """Return a bundled problem by a name such as ``naturalplan/meeting/6``; raises `UnknownNameError`."""
    if not covers(name):
        raise UnknownNameError("there is no such problem; a name is naturalplan/meeting/6", field="name", value=name)
    return _load(real_name(name))


@lru_cache(maxsize=512)
def _load(name: str) -> Instance:
    _, label, number = name.split("/")
    task = modules_named(label)
    assert task is not None
    problem: Instance = task.tasks.instance(task.tasks.bundled()[number], name)
    return problem


@cache
def _members(task: TaskModules) -> tuple[str, ...]:
    """Return the names of the bundled problems of a task."""
    numbers = sorted(task.tasks.bundled(), key=int)
    return tuple(f"{_PREFIX}{task.name}/{number}" for number in numbers)


@cache
def names() -> tuple[str, ...]:
    """Names of the bundled problems, task by task, in the order of their numbers."""
    every: list[str] = []
    for task in TASKS:
        every += _members(task)
    return tuple(every)


@cache
def _all_names() -> frozenset[str]:
    return frozenset(names())


def covers(name: str) -> bool:
    """Return true if a name, or a published name, is that of a bundled problem."""
    return name.startswith(_PREFIX) and real_name(name) in _all_names()


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the set of a name, such as ``naturalplan/meeting``, and its members.

    >>> set_of("naturalplan/meeting/6")[0], len(set_of("naturalplan/meeting/6")[1])
    ('naturalplan/meeting', 100)
    """
    if not covers(name):
        return "", ()
    label = real_name(name).rpartition("/")[0]
    task = modules_named(label.removeprefix(_PREFIX))
    assert task is not None
    return label, _members(task)


def recognises(document: Any) -> bool:
    """Return true for a published file: an object of records by published names."""
    if not isinstance(document, dict) or not document:
        return False
    name, record = next(iter(document.items()))
    return isinstance(record, dict) and _part_of_record(name, record) is not None


def _part_of_record(name: object, record: Mapping[str, Any]) -> TaskModules | None:
    """Return the task of a published record."""
    for task in TASKS:
        if isinstance(name, str) and name.startswith(task.original) and task.tasks.recognises(record):
            return task
    return None


def read(document: Any, source: str) -> list[Instance]:
    """Return the problems of a published file by their names in it; raises `InputError`."""
    problems = []
    try:
        for name, record in document.items():
            task = _part_of_record(name, record) if isinstance(record, dict) else None
            if task is None:
                raise InputError("must be a record of the published file", field=name, value=record)
            problems.append(task.tasks.instance(task.tasks.read(record, name), name))
    except InputError as error:
        raise error.at(source) from None
    return problems
