"""Job shops as JSON: a matrix of durations and one of machines, with a row for each job.

An entry of the matrix of machines may be a list of machines to choose from; the duration is then one number, or a list
with a number for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.literature.jobshop import Job, Operation, job_shop
from planoracle.instances.literature.project_network import LARGEST
from planoracle.instances.model.instance import Instance

_DURATIONS = ("duration_matrix", "durations_matrix", "durations", "processing_times")
_MACHINES = ("machines_matrix", "machine_matrix", "machines")
# Keys that do not restrict schedules.
_IGNORED = ("name", "metadata", "description", "comment", "source", "optimum", "lower_bound", "upper_bound")


def recognises(document: object) -> bool:
    """Return True for a document with both matrices, and for one with several such problems by name."""
    if _has_matrices(document):
        return True
    if not isinstance(document, dict) or not document:
        return False
    return all(map(_has_matrices, document.values()))


def read(document: Mapping[str, Any], name: str) -> list[Instance]:
    """Return the problems of a document.

    Parameters
    ----------
    name
        Name of a problem that has none in the document.

    Raises
    ------
    InputError
        With the field of a fault.

    Examples
    --------
    >>> problem, = read({"duration_matrix": [[3, 2], [4]], "machines_matrix": [[0, 1], [1]]}, "two")
    >>> [(action.id, action.duration) for action in problem.actions]
    [('job1/1', 3), ('job1/2', 2), ('job2/1', 4)]
    """
    if _has_matrices(document):
        return [_instance(document, name, "")]
    instances = []
    for key, problem in document.items():
        instances.append(_instance(problem, key, f"{key}."))
    return instances


def _has_matrices(document: object) -> bool:
    if not isinstance(document, dict):
        return False
    names = (*_DURATIONS, *_MACHINES)
    values = [document[key] for key in names if key in document]
    return len(values) == 2 and all(map(_is_matrix, values))


def _is_matrix(value: object) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(row, list) for row in value)


def _instance(document: Mapping[str, Any], name: str, prefix: str) -> Instance:
    """Return a problem; ``prefix`` precedes fields in errors."""
    durations = next(key for key in _DURATIONS if key in document)
    machines = next(key for key in _MACHINES if key in document)
    for key, value in document.items():
        if key not in (durations, machines, *_IGNORED) and not _is_empty(value):
            message = "is not read from a job shop; write a problem file, see .docs/problem_files.md"
            raise InputError(message, field=prefix + key)
    jobs = []
    for i, (times, visited) in enumerate(_rows(document, durations, machines, prefix)):
        if len(times) != len(visited) or not times:
            message = f"must have a machine for each of the {len(times)} durations of job {i + 1}"
            raise InputError(message, field=f"{prefix}{machines}[{i}]", value=visited)
        fields = f"{prefix}{machines}[{i}]", f"{prefix}{durations}[{i}]"
        jobs.append(_job(visited, times, fields))
    title = document.get("name")
    return job_shop(title if isinstance(title, str) and title else name, jobs)


def _is_empty(value: object) -> bool:
    """Return whether a value is null, or a list of nulls, as a matrix of dates without dates."""
    if not isinstance(value, list):
        return value is None
    return all(map(_is_empty, value))


def _rows(document: Mapping[str, Any], durations: str, machines: str, prefix: str) -> list[tuple[list[Any], list[Any]]]:
    """Return the rows of both matrices, job by job."""
    times, visited = document[durations], document[machines]
    if len(times) != len(visited):
        message = f"must have a row for each of the {len(times)} jobs of {durations}"
        raise InputError(message, field=prefix + machines, value=len(visited))
    return list(zip(times, visited, strict=True))


def _job(visited: Sequence[Any], times: Sequence[Any], fields: tuple[str, str]) -> Job:
    """Return the job of a row of both matrices; ``fields`` are those of the machines and the durations."""
    job = []
    for k, (machine, duration) in enumerate(zip(visited, times, strict=True)):
        machine_field, duration_field = (f"{field}[{k}]" for field in fields)
        job.append(_operation(machine, duration, machine_field, duration_field))
    return job


def _operation(machine: Any, duration: Any, machine_field: str, duration_field: str) -> Operation:
    """Return the machines to choose from for one operation, each with its duration."""
    machines = machine if isinstance(machine, list) else [machine]
    durations = duration if isinstance(duration, list) else [duration] * len(machines)
    if not machines:
        raise InputError("must be a machine, or a list of machines to choose from", field=machine_field, value=machine)
    if len(durations) != len(machines):
        message = f"must be a number, or one for each of the {len(machines)} machines to choose from"
        raise InputError(message, field=duration_field, value=duration)
    if len(set(map(repr, machines))) < len(machines):
        raise InputError("lists a machine twice", field=machine_field, value=machine)
    operation = []
    for chosen, ticks in zip(machines, durations, strict=True):
        pair = _whole(chosen, machine_field), _whole(ticks, duration_field)
        operation.append(pair)
    return operation


def _whole(value: Any, field: str) -> int:
    """Return a whole number; raises `InputError` for other values."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        raise InputError(f"must be a whole number from 0 to {LARGEST}", field=field, value=value)
    return value
