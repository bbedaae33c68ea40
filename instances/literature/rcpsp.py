"""Project scheduling: ``.sm``, ``.mm`` and ``.rcp`` files (RCPSP), and ``.sch`` files (RCPSP/max).

An ``.sm`` file of PSPLIB has sections under headings; those with the precedences, the requests and durations, and the
availabilities are read. An ``.mm`` file has several modes per activity, each in a line of the requests and durations,
and resources that are used up (nonrenewable).

An ``.rcp`` file of Patterson's format is a sequence of whole numbers, in lines of any length: the numbers of jobs and
of renewable resources; the capacities; and for every job its duration, its demands, the number of its successors, and
the successors. Jobs count from 1; the first and the last are the beginning and the end.

An ``.sch`` file of ProGen/max has minimum and maximum time lags. The first line has the number of activities (without
beginning and end), of renewable resources, and two zeros. A line for every activity follows, with its number, the
number of its modes (1), of its successors, the successors, and in brackets the distance from its start to the start of
each. Then comes another line for every activity, with its number, its mode, its duration and its demands. The last line
has the capacities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from planoracle.instances.literature.multi_mode import ActivityMode, multi_mode_project
from planoracle.instances.literature.project_network import Distances, Rows, project, tighten, whole
from planoracle.instances.model.instance import Instance

_COUNT = re.compile(r"(?:- )?(projects|jobs|renewable|nonrenewable|doubly constrained)\b[^:]*:\s*(\S*)")
_EXPECTED = {"projects": 1, "doubly constrained": 0}
_NO_BRACKETS = str.maketrans("[]", "  ")


class _Counts(NamedTuple):
    """Numbers of jobs, and of renewable and nonrenewable resources."""

    jobs: int
    renewable: int
    nonrenewable: int

    @property
    def resources(self) -> int:
        """Number of all resources."""
        return self.renewable + self.nonrenewable


def read_sm(text: str, name: str) -> Instance:
    """Return the instance of an ``.sm`` or ``.mm`` text.

    Raises
    ------
    InputError
        Naming the line of the first fault.
    """
    rows = Rows(text, comment=("*", "---"))
    counts = _head(rows)
    mode_counts, successors = _precedences(rows, counts.jobs)
    _heading(rows, "REQUESTS/DURATIONS")
    modes = [_modes_of_job(rows, k, count, counts.resources) for k, count in enumerate(mode_counts, 1)]
    _heading(rows, "RESOURCEAVAILABILITIES")
    capacities = _capacities(rows, "availabilities", "an availability", counts.resources)
    if counts.nonrenewable or max(mode_counts) > 1:
        renewable, nonrenewable = capacities[: counts.renewable], capacities[counts.renewable :]
        return multi_mode_project(name, modes, successors, renewable, nonrenewable)
    durations = [job_modes[0].duration for job_modes in modes]
    demands = [job_modes[0].amounts for job_modes in modes]
    distances: Distances = {}
    for k, after in enumerate(successors):
        for successor in after:
            distances[k, successor - 1] = durations[k]
    return project(name, 1, durations, demands, capacities, distances)


def _precedences(rows: Rows, jobs: int) -> tuple[list[int], list[list[int]]]:
    """Return the number of modes and the successors of every job."""
    mode_counts, successors = [], []
    for k in range(1, jobs + 1):
        number, modes, count, *after = rows.numbers("job, modes, successors", min_count=3)
        if number != k or modes < 1:
            raise rows.fault(f"must begin with job {k} and its number of modes, at least 1", [number, modes])
        if len(after) != count:
            raise rows.fault(f"must list {count} successors", after)
        for successor in after:
            _check_successor(rows, k, jobs, successor)
        mode_counts.append(modes)
        successors.append(after)
    return mode_counts, successors


def _modes_of_job(rows: Rows, job: int, count: int, resources: int) -> list[ActivityMode]:
    """Return the modes of a job, whose number stands in the line of its first mode, or in all of them."""
    modes = []
    for mode in range(1, count + 1):
        line = rows.line("job, mode, duration, requests")
        has_job = mode == 1 or len(line.split()) > 2 + resources
        fields = "job, mode, duration, requests" if has_job else "mode, duration, requests"
        numbers = rows.whole(line, fields, 2 + has_job + resources)
        expected = [job, mode] if has_job else [mode]
        head = numbers[: len(expected)]
        if head != expected:
            raise rows.fault(f"must begin with {f'job {job}, ' if has_job else ''}mode {mode}", head)
        duration, *amounts = numbers[len(expected) :]
        if duration < 0 or min(amounts, default=0) < 0:
            raise rows.fault("neither a duration nor a request may be negative", [duration, *amounts])
        modes.append(ActivityMode(duration, amounts))
    return modes


def read_rcp(text: str, name: str) -> Instance:
    """Return the instance of an ``.rcp`` text.

    Raises
    ------
    InputError
        Naming the line of the first fault.

    Examples
    --------
    >>> text = '''4 1
    ... 2
    ... 0 0 2 2
    ... 3 5 2 1 4 4 1 1 4 0 0 0'''
    >>> [(action.id, action.duration) for action in read_rcp(text, "tiny").actions]
    [('project/2', 5), ('project/3', 4)]
    """
    rows = Rows(text)
    jobs, renewable = rows.numbers("jobs, resources", 2)
    if min(jobs, renewable) < 1:
        raise rows.fault("must be the numbers of jobs and resources, both at least 1", [jobs, renewable])
    tokens = chain.from_iterable(line.split() for line in rows.rest())
    capacities = _take(rows, tokens, "capacities", renewable)
    durations, demands = [], []
    distances: Distances = {}
    for k in range(1, jobs + 1):
        durations += _take(rows, tokens, f"duration of job {k}")
        demands.append(_take(rows, tokens, f"demands of job {k}", renewable))
        (count,) = _take(rows, tokens, f"number of successors of job {k}")
        for _ in range(count):
            (successor,) = _take(rows, tokens, f"successors of job {k}")
            _check_successor(rows, k, jobs, successor)
            distances[k - 1, successor - 1] = durations[-1]
    for token in tokens:
        raise rows.fault("expected the end of the file", token)
    return project(name, 1, durations, demands, capacities, distances)


def _take(rows: Rows, tokens: Iterator[str], field: str, count: int = 1) -> list[int]:
    """Return the next whole numbers, none of which is negative."""
    numbers = [whole(token, field, rows.number) for token in islice(tokens, count)]
    if len(numbers) < count:
        raise rows.too_short(field)
    return numbers


def _check_successor(rows: Rows, k: int, jobs: int, successor: int) -> None:
    """Raise `InputError` for a successor that is no other job."""
    if not 1 <= successor <= jobs or successor == k:
        raise rows.fault(f"a successor of job {k} must be another job, 1 to {jobs}", successor)


def read_sch(text: str, name: str) -> Instance:
    """Return the instance of an ``.sch`` text.

    Raises
    ------
    InputError
        Naming the line of the first fault.

    Examples
    --------
    >>> text = '''2 1 0 0
    ... 0 1 1 1 [0]
    ... 1 1 2 2 3 [4] [3]
    ... 2 1 2 1 3 [-6] [2]
    ... 3 1 0
    ... 0 1 0 0
    ... 1 1 3 1
    ... 2 1 2 1
    ... 3 1 0 0
    ... 1'''
    >>> [(action.id, action.duration) for action in read_sch(text, "tiny").actions]
    [('project/1', 3), ('project/2', 2)]
    >>> read_sch(text, "tiny").lags
    (Lag(before='project/1', after='project/2', minimum=1, maximum=3),)
    """
    rows = Rows(text)
    count, renewable, *zeros = rows.numbers("activities, resources, 0, 0", 4)
    if count < 1 or renewable < 0 or any(zeros):
        message = "must be a number of activities (at least 1), a number of renewable resources, 0, 0"
        raise rows.fault(message, [count, renewable, *zeros])
    last = count + 1
    distances: Distances = {}
    for k in range(last + 1):
        _add_successors(rows, k, last, distances)
    durations, demands = _activities(rows, "activity", "demand", 0, last, renewable)
    capacities = _capacities(rows, "capacities", "a capacity", renewable)
    return project(name, 0, durations, demands, capacities, distances)


def _activities(
    rows: Rows, activity: str, demand: str, first: int, last: int, renewable: int
) -> tuple[list[int], list[list[int]]]:
    """Return the durations and demands of the activities from a first to a last number."""
    durations, demands = [], []
    for k in range(first, last + 1):
        fields = f"{activity}, mode, duration, {demand}s"
        number, mode, duration, *amounts = rows.numbers(fields, 3 + renewable)
        if (number, mode) != (k, 1):
            raise rows.fault(f"must begin with {activity} {k}, mode 1", [number, mode])
        if duration < 0 or min(amounts, default=0) < 0:
            raise rows.fault(f"neither a duration nor a {demand} may be negative", [duration, *amounts])
        durations.append(duration)
        demands.append(amounts)
    return durations, demands


def _capacities(rows: Rows, plural: str, singular: str, count: int) -> list[int]:
    """Return the capacities of a number of resources, on the last line."""
    capacities = rows.numbers(plural, count) if count else []
    if min(capacities, default=0) < 0:
        raise rows.fault(f"{singular} must not be negative", capacities)
    rows.end()
    return capacities


def _head(rows: Rows) -> _Counts:
    """Read up to the precedences; return the numbers of jobs and of resources."""
    counts: dict[str, int] = {}
    for line in rows.rest():
        if match := _COUNT.match(line.strip()):
            key = match[1]
            counts[key] = whole(match[2], key, rows.number)
            if counts[key] != _EXPECTED.get(key, counts[key]):
                raise rows.fault(f"{key}: must be {_EXPECTED[key]}", counts[key])
        elif line.startswith("pronr."):
            release = rows.numbers("project, jobs, release date", min_count=3)[2]
            if release:
                raise rows.fault("the release date of the project must be 0", release)
        elif line.startswith("PRECEDENCE RELATIONS"):
            rows.line("the columns of the precedences")
            break
    for key in ("jobs", "renewable"):
        if key not in counts:
            raise rows.fault(f"expected the number of {key} before the precedences")
    return _Counts(counts["jobs"], counts["renewable"], counts.get("nonrenewable", 0))


def _heading(rows: Rows, title: str) -> None:
    """Read the title of a section and the line with the names of its columns."""
    if not rows.line(title).startswith(title):
        raise rows.fault(f"expected the heading {title}")
    rows.line(f"the columns of {title}")


def _add_successors(rows: Rows, k: int, last: int, distances: Distances) -> None:
    line = rows.line(f"the successors of activity {k}")
    plain_line = line.translate(_NO_BRACKETS)
    number, modes, count, *row = rows.whole(plain_line, "number, modes, successors, distances", min_count=3)
    if (number, modes) != (k, 1):
        raise rows.fault(f"must begin with activity {k} and its number of modes, 1", [number, modes])
    has_brackets = line.count("[") == line.count("]") == count
    if len(row) != 2 * count or not has_brackets:
        raise rows.fault(f"must list {count} successors and a distance in brackets for each", line.strip())
    for successor, distance in zip(row[:count], row[count:], strict=True):
        if not 0 <= successor <= last or successor == k:
            raise rows.fault(f"a successor of activity {k} must be another activity, 0 to {last}", successor)
        tighten(distances, k, successor, distance)
