"""Job shops: every job is a chain of operations on different machines.

Formats: the *standard* format (a line with the numbers of jobs and machines, then a line for every job with pairs of
machine and duration, perhaps after their number), with comments after ``#``; the OR-library's text of several problems,
each under ``instance NAME`` and a few lines of text; Taillard's, with durations and machines in two tables; and a table
with columns ``machine`` and ``dur``. Jobs may have different numbers of operations, and visit a machine repeatedly.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from itertools import pairwise

from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.literature.project_network import Rows, activity
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Resource

#: Pairs of machine and duration.
_Job = list[tuple[int, int]]

_NAME = re.compile(r"\W*instance\s+(\S+)\W*", re.IGNORECASE)
#: Reason why flexible job shops are refused.
FLEXIBLE = "flexible job shops (.fjs) are not supported, see .docs/limits.md"
_ROW = "machines and durations"
#: Heading of a table of operations.
_COLUMNS = re.compile(r"[ |]*job(?: ?id)?[ |]*(?:machine[ |]+dur(?:ation)?[ |]*)+", re.IGNORECASE)
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
            has_seeds = previous.lower().startswith("nb of jobs")
            tables.append((title, _table(rows, line, has_seeds=has_seeds)))
            title = ""
        elif _COLUMNS.fullmatch(line):
            tables.append((title, _rows_of_table(rows)))
        elif match := _NAME.match(line):
            title = match[1]
        previous = line.strip()
    if not tables:
        raise InputError("must contain a line with the numbers of jobs and machines", field="jobs")
    problems = []
    for k, (title, jobs) in enumerate(tables, 1):
        default_name = name if len(tables) == 1 else f"{name}-{k}"
        problem_name = title or default_name
        counts = [len(job) for job in jobs]
        smallest, largest = min(counts), max(counts)
        if smallest < largest:
            text = f"{problem_name}: jobs have from {smallest} to {largest} operations"
            warnings.warn(InputNote(text), stacklevel=2)
        problems.append(job_shop(problem_name, jobs))
    return problems


def _table(rows: Rows, line: str, *, has_seeds: bool) -> list[_Job]:
    """Return the jobs of the problem that begins with a line of numbers of jobs and machines.

    Parameters
    ----------
    has_seeds
        True for Taillard's text, whose line has seeds of any size and bounds beside these numbers.
    """
    sizes = " ".join(line.split()[:2]) if has_seeds else line
    jobs, machines = rows.whole(sizes, "jobs, machines", 2)
    if jobs < 1 or machines < 1:
        raise rows.fault("must be the numbers of jobs and machines, both at least 1", line.strip())
    first = rows.line("the first job")
    if _heading(first) == "times":
        return _taillard_jobs(rows, jobs, machines)
    numbers = {rows.number: rows.whole(first, f"{_ROW} of job 1", min_count=2)}
    for k in range(2, jobs + 1):
        line = rows.line(f"job {k}")
        numbers_of_job = rows.whole(line, f"{_ROW} of job {k}", min_count=2)
        numbers[rows.number] = numbers_of_job
    return _standard_jobs(rows, numbers, machines)


def _heading(line: str) -> str:
    """Return a heading in lower case, without a colon."""
    return line.strip(" \t\r:").lower()


def _taillard_jobs(rows: Rows, jobs: int, machines: int) -> list[_Job]:
    """Return the jobs of the tables Times and Machines; the heading of the first one has been read."""
    durations = []
    for k in range(1, jobs + 1):
        durations.append(rows.numbers(f"durations of job {k}", machines))
    if _heading(rows.line("Machines")) != "machines":
        raise rows.fault("expected the heading Machines and a table of machines")
    result: list[_Job] = []
    seen: set[int] = set()
    for k, row in enumerate(durations, 1):
        visited = rows.numbers(f"machines of job {k}", machines)
        result.append(list(zip(visited, row, strict=True)))
        _check(rows, result[-1], machines, seen)
    return result


def _standard_jobs(rows: Rows, numbers: dict[int, list[int]], machines: int) -> list[_Job]:
    """Return the jobs of lines of numbers: pairs of machine and duration, perhaps after their number.

    Lines of 2 ``machines`` numbers are job shops; others could also be flexible job shops without a third number in
    their first line, and are refused if all of them are.
    """
    lengths = [len(row) for row in numbers.values()]
    is_classical = all(length == 2 * machines for length in lengths)
    if not is_classical and all(map(is_flexible, numbers.values())):
        raise rows.fault(f"lists machines to choose from: {FLEXIBLE}")
    result: list[_Job] = []
    seen: set[int] = set()
    has_counts = all(len(row) == 1 + 2 * row[0] for row in numbers.values())
    for rows.number, row in numbers.items():  # faults name the line of the row
        pairs = row[1:] if has_counts else row
        if len(pairs) % 2:
            raise rows.fault(f"must be pairs of machine and duration (job {len(result) + 1})", pairs)
        result.append(_job_of(pairs))
        _check(rows, result[-1], machines, seen)
    return result


def is_flexible(row: Sequence[int]) -> bool:
    """Return whether a line is a job of a flexible job shop.

    It has the number of operations, and for each the number of machines to choose from and as many pairs.
    """
    position = 1
    for _ in range(min(row[0], len(row))):
        if position >= len(row) or row[position] < 1:
            return False
        position += 1 + 2 * row[position]
    return position == len(row)


def _rows_of_table(rows: Rows) -> list[_Job]:
    """Return the jobs of a table with the columns job, and machine and duration of each operation."""
    result: list[_Job] = []
    for line in rows.rest():
        if line.strip(" -|+"):
            numbers = line.replace("|", " ")
            _, *pairs = rows.whole(numbers, "job, machines and durations", min_count=3)
            if len(pairs) % 2:
                raise rows.fault("must be a job, and pairs of machine and duration", line.strip())
            result.append(_job_of(pairs))
    if not result:
        raise rows.too_short("the first job")
    return result


def _job_of(numbers: Sequence[int]) -> _Job:
    """Return the job of alternating machines and durations."""
    machines = numbers[::2]
    durations = numbers[1::2]
    return list(zip(machines, durations, strict=True))


def _check(rows: Rows, job: _Job, machines: int, seen: set[int]) -> None:
    """Raise `InputError` for an invalid machine or duration; ``seen`` are the machines of all jobs so far."""
    seen.update(machine for machine, _ in job)
    # Machines count from 0, or, in Taillard's text and some others, from 1.
    first, last = min(seen), max(seen)
    if not any(low <= first and last < low + machines for low in (0, 1)):
        message = f"machines must be numbered from 0 to {machines - 1} or from 1 to {machines}"
        raise rows.fault(message, [machine for machine, _ in job])
    if min(duration for _, duration in job) < 0:
        raise rows.fault("a duration must not be negative", [duration for _, duration in job])


def job_shop(name: str, jobs: Sequence[_Job]) -> Instance:
    """Return the instance of jobs, each a list of pairs of machine and duration."""
    actions: list[Action] = []
    lags: list[Lag] = []
    machines: set[int] = set()
    for number, job in enumerate(jobs, 1):
        operations = []
        for k, (machine, duration) in enumerate(job, 1):
            machines.add(machine)
            demand = Demand(f"machine{machine}")
            operations.append(activity(f"job{number}", k, duration, [demand]))
        actions += operations
        for before, after in pairwise(operations):
            lags.append(Lag(before.id, after.id))
    names = [f"machine{machine}" for machine in sorted(machines)]
    resources = tuple(map(Resource, names))
    return Instance(name, tuple(actions), tuple(lags), resources, agents=())
