"""Job shops: every job is a chain of operations on different machines.

Formats: the *standard* format (a line with the numbers of jobs and machines, then a line for every job with pairs of
machine and duration), with comments after ``#``; the OR-library's text of several problems, each under
``instance NAME`` and a few lines of text; and Taillard's, with durations and machines in two tables.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from planoracle.instances.errors import InputError
from planoracle.instances.literature.project_network import Rows, activity
from planoracle.instances.model.instance import Demand, Instance, Lag, Resource

#: Pairs of machine and duration.
_Job = list[tuple[int, int]]

_NAME = re.compile(r"\W*instance\s+(\S+)\W*", re.IGNORECASE)
#: A number at the beginning of a line: the numbers of jobs and machines.
_SIZE = re.compile(r"\s*[+-]?[0-9]")


def read_text(text: str, name: str) -> list[Instance]:
    """Return the problems of a text.

    A problem without a name is called ``name``; one of several, ``name`` and its number.

    Raises
    ------
    InputError
        Naming the line of the first fault.

    Examples
    --------
    >>> problem, = read_text('''# instance two
    ... 2 2
    ... 0 3  1 2
    ... 1 4  0 1''', "file")
    >>> problem.name, [(action.id, action.duration) for action in problem.actions]
    ('two', [('job1/1', 3), ('job1/2', 2), ('job2/1', 4), ('job2/2', 1)])
    """
    rows = Rows(text)
    tables: list[tuple[str, list[_Job]]] = []
    title = previous = ""
    for line in rows.rest():
        if _SIZE.match(line):
            # Taillard's text has seeds and bounds beside the numbers of jobs and machines, under a heading.
            count = len(line.split()) if previous.lower().startswith("nb of jobs") else 2
            tables.append((title, _table(rows, line, count)))
            title = ""
        elif match := _NAME.match(line):
            title = match[1]
        previous = line.strip()
    if not tables:
        raise InputError("must contain a line with the numbers of jobs and machines", field="jobs")
    names = [name] if len(tables) == 1 else [f"{name}-{k}" for k in range(1, len(tables) + 1)]
    return [_instance(title or numbered, jobs) for numbered, (title, jobs) in zip(names, tables, strict=True)]


def _table(rows: Rows, line: str, count: int) -> list[_Job]:
    """Return the jobs of the problem that begins with a line of ``count`` numbers."""
    jobs, machines, *_ = rows.whole(line, "jobs, machines", count, least=2)
    if jobs < 1 or machines < 1:
        raise rows.fault("must be the numbers of jobs and machines, both at least 1", line.strip())
    first = rows.line("the first job")
    result: list[_Job] = []
    seen: set[int] = set()
    if first.strip().lower() == "times":
        durations = [rows.numbers(f"durations of job {k}", machines) for k in range(1, jobs + 1)]
        if rows.line("Machines").strip().lower() != "machines":
            raise rows.fault("expected the heading Machines and a table of machines")
        for k, row in enumerate(durations, 1):
            result.append(list(zip(rows.numbers(f"machines of job {k}", machines), row, strict=True)))
            _check(rows, result[-1], machines, seen)
    else:
        for k in range(1, jobs + 1):
            row = rows.whole(
                first if k == 1 else rows.line(f"job {k}"), f"machines and durations of job {k}", 2 * machines
            )
            result.append(list(zip(row[::2], row[1::2], strict=True)))
            _check(rows, result[-1], machines, seen)
    return result


def _check(rows: Rows, job: _Job, machines: int, seen: set[int]) -> None:
    """Raise `InputError` for an invalid machine or duration; ``seen`` are the machines of all jobs so far."""
    seen.update(machine for machine, _ in job)
    # Machines count from 0, or, in Taillard's text and some others, from 1.
    if not any(low <= min(seen) and max(seen) < low + machines for low in (0, 1)):
        message = f"machines must be numbered from 0 to {machines - 1} or from 1 to {machines}"
        raise rows.fault(message, [machine for machine, _ in job])
    if min(duration for _, duration in job) < 0:
        raise rows.fault("a duration must not be negative", [duration for _, duration in job])


def _instance(name: str, jobs: Sequence[_Job]) -> Instance:
    chains = [
        [
            activity(f"job{number}", k, duration, [Demand(f"machine{machine}")])
            for k, (machine, duration) in enumerate(job, 1)
        ]
        for number, job in enumerate(jobs, 1)
    ]
    return Instance(
        name,
        tuple(action for chain in chains for action in chain),
        tuple(Lag(before.id, after.id) for chain in chains for before, after in pairwise(chain)),
        tuple(Resource(f"machine{machine}") for machine in sorted({machine for job in jobs for machine, _ in job})),
        agents=(),
    )
