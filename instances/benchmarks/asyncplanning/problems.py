"""Problems of all parts of asyncplanning by name and from files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from planoracle.instances.benchmarks.asyncplanning import robot_tasks, step_tasks
from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.instance import Instance

#: Modules with the problems of the parts, in the order of the names.
PARTS: tuple[ModuleType, ...] = (step_tasks, robot_tasks)

_PREFIX = "asyncplanning/"


@cache
def _part_of_name() -> dict[str, ModuleType]:
    """Return the part of every bundled problem."""
    parts = {}
    for part in PARTS:
        for name in part.names():
            parts[f"{_PREFIX}{name}"] = part
    return parts


@cache
def names() -> tuple[str, ...]:
    """Return the names of all bundled problems."""
    return tuple(_part_of_name())


def covers(name: str) -> bool:
    """Return True if a name is that of a bundled problem."""
    return name in _part_of_name()


def load(name: str) -> Instance:
    """Return a bundled problem; raises `UnknownNameError`."""
    if not covers(name):
        raise UnknownNameError("there is no such problem of asyncplanning", value=name)
    problem: Instance = _part_of_name()[name].load(name.removeprefix(_PREFIX))
    return problem


@cache
def _sets() -> dict[str, tuple[str, ...]]:
    """Return the members of every set."""
    members: dict[str, list[str]] = {}
    for name in names():
        label = name.rpartition("/")[0]
        members.setdefault(label, []).append(name)
    return {label: tuple(names_of_set) for label, names_of_set in members.items()}


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the set of a problem and its members.

    >>> set_of("asyncplanning/xxl/5/9")[0], len(set_of("asyncplanning/xxl/5/9")[1])
    ('asyncplanning/xxl/5', 50)
    """
    label = name.rpartition("/")[0]
    return (label, _sets()[label]) if covers(name) else ("", ())


def name_of_question(question: object) -> str:
    """Return the bundled problem that has a question, ``""`` if there is none."""
    name = step_tasks.name_of_question(question) if isinstance(question, str) else ""
    return f"{_PREFIX}{name}" if name else ""


def file_of(name: str, folder: Path) -> str | None:
    """Return the problem of a name in a copy of the released repository, ``None`` if there is none."""
    part = _part_of_name().get(name)
    if part is None or not hasattr(part, "file_of"):
        return None
    file: str | None = part.file_of(name.removeprefix(_PREFIX), folder)
    return file


def check_copy(folder: Path) -> None:
    """Raise `InputError` for a folder without released problems."""
    if not any(file_of(name, folder) for name in names()):
        message = "must be the released repository, with data/async_planning/nodes5_n50_s42_nlrewrite_*.json"
        raise InputError(message, value=str(folder))


def recognises(document: object) -> bool:
    """Return True for released records of any part."""
    return any(part.recognises(document) for part in PARTS)


def document(problem: Instance) -> dict[str, Any] | None:
    """Return a problem as a document that `read` accepts; ``None`` for one that the general format states."""
    for part in PARTS:
        if isinstance((problem.rest_of or problem).origin, part.ORIGIN) and hasattr(part, "document"):
            record: dict[str, Any] = part.document(problem)
            return record
    return None


def read(document: object, source: str) -> list[Instance]:
    """Return the problems of a recognised document."""
    for part in PARTS:
        if part.recognises(document):
            problems: list[Instance] = part.read(document, source)
            return problems
    raise InputError("must be a released record, or a list of them", source=source)


def origin_type(problem: Instance) -> type:
    """Return the type of the facts of a problem, which tells its part.

    Raises
    ------
    InputError
        If the problem has no facts of this benchmark.
    """
    origin = (problem.rest_of or problem).origin
    for part in PARTS:
        if isinstance(origin, part.ORIGIN):
            return type(origin)
    raise InputError("is not a problem of asyncplanning with its facts", value=problem.name)


def rules_of(problem: Instance) -> Profile:
    """Return the rules that a problem was encoded for."""
    origin_type(problem)
    origin: Any = (problem.rest_of or problem).origin
    rules: Profile = origin.rules
    return rules


def formula_optimum(problem: Instance) -> int | None:
    """Return the longest path of a problem whose steps have an agent each; ``None`` for others."""
    is_whole = problem.rest_of is None and origin_type(problem) is step_tasks.StepOrigin
    return step_tasks.longest_path(problem) if is_whole else None
