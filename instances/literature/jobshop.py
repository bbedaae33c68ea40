"""Job shops: jobs are chains of operations, each on one machine or with machines to choose from.

Formats of job shops: the *standard* format (a line with the numbers of jobs and machines, then a line for every job
with pairs of machine and duration, perhaps after their number), with comments after ``#``; the OR-library's text of
several problems, each under ``instance NAME`` and a few lines of text; Taillard's, with durations and machines in two
tables; and a table with columns ``machine`` and ``dur``. Jobs may have different numbers of operations, and visit a
machine repeatedly.

Format of flexible job shops (``.fjs``): a line with the numbers of jobs and machines, perhaps followed by the average
number of machines of an operation; then a line for every job, with the number of its operations, and for each operation
the number of machines to choose from and pairs of machine and duration.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.literature.project_network import Rows, action_of_modes
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource

#: Machines to choose from, each with its duration.
Operation = list[tuple[int, int]]
Job = list[Operation]

_NAME = re.compile(r"\W*instance\s+(\S+)\W*", re.IGNORECASE)
_ROW = "machines and durations"
#: Heading of a table of operations.
_COLUMNS = re.compile(r"[ |]*job(?: ?id)?[ |]*(?:machine[ |]+dur(?:ation)?[ |]*)+", re.IGNORECASE)
#: A number at the beginning of a line: the numbers of jobs and machines.
_SIZE = re.compile(r"\s*[+-]?[0-9]")
#: Average number of machines of an operation, which some flexible job shops have in their first line.
_AVERAGE = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,20})?")


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
    tables: list[tuple[str, list[Job]]] = []
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


def read_flexible(text: str, name: str) -> Instance:
    """Return the problem of a text that is a flexible job shop.

    Raises
    ------
    InputError
        Naming the line of the first fault.

    Examples
    --------
    >>> problem = read_flexible('''1 2 1.5
    ... 2 2 1 4 2 6 1 2 3''', "shop")
    >>> [mode.name for mode in problem.actions[0].modes], problem.actions[0].modes[1].duration
    (['machine1', 'machine2'], 6)
    """
    rows = Rows(text)
    jobs, machines = _sizes(rows, rows.line("the numbers of jobs and machines"), may_have_average=True)
    numbers = _rows_of_jobs(rows, jobs, rows.line("the first job"))
    rows.end()
    return job_shop(name, _flexible_jobs(rows, numbers, machines))


def _sizes(rows: Rows, line: str, *, may_have_average: bool) -> tuple[int, int]:
    """Return the numbers of jobs and machines in the first line of a problem."""
    tokens = line.split()
    has_average = may_have_average and len(tokens) == 3 and _AVERAGE.fullmatch(tokens[2]) is not None
    text = " ".join(tokens[:2]) if has_average else line
    jobs, machines = rows.whole(text, "jobs, machines", 2)
    if jobs < 1 or machines < 1:
        raise rows.fault("must be the numbers of jobs and machines, both at least 1", line.strip())
    return jobs, machines


def _table(rows: Rows, line: str, *, has_seeds: bool) -> list[Job]:
    """Return the jobs of the problem that begins with a line of numbers of jobs and machines.

    Parameters
    ----------
    has_seeds
        True for Taillard's text, whose line has seeds of any size and bounds beside these numbers.
    """
    sizes = " ".join(line.split()[:2]) if has_seeds else line
    jobs, machines = _sizes(rows, sizes, may_have_average=False)
    first = rows.line("the first job")
    if _heading(first) == "times":
        return _taillard_jobs(rows, jobs, machines)
    numbers = _rows_of_jobs(rows, jobs, first)
    return _standard_jobs(rows, numbers, machines)


def _rows_of_jobs(rows: Rows, jobs: int, first: str) -> dict[int, list[int]]:
    """Return the numbers in the lines of all jobs, by line; the line of the first job has been read."""
    numbers = {rows.number: rows.whole(first, f"{_ROW} of job 1", min_count=2)}
    for k in range(2, jobs + 1):
        line = rows.line(f"job {k}")
        numbers_of_job = rows.whole(line, f"{_ROW} of job {k}", min_count=2)
        numbers[rows.number] = numbers_of_job
    return numbers


def _heading(line: str) -> str:
    """Return a heading in lower case, without a colon."""
    return line.strip(" \t\r:").lower()


def _taillard_jobs(rows: Rows, jobs: int, machines: int) -> list[Job]:
    """Return the jobs of the tables Times and Machines; the heading of the first one has been read."""
    durations = []
    for k in range(1, jobs + 1):
        durations.append(rows.numbers(f"durations of job {k}", machines))
    if _heading(rows.line("Machines")) != "machines":
        raise rows.fault("expected the heading Machines and a table of machines")
    result: list[Job] = []
    seen: set[int] = set()
    for k, row in enumerate(durations, 1):
        visited = rows.numbers(f"machines of job {k}", machines)
        pairs = zip(visited, row, strict=True)
        result.append([[pair] for pair in pairs])
        _check(rows, result[-1], machines, seen)
    return result


def _standard_jobs(rows: Rows, numbers: dict[int, list[int]], machines: int) -> list[Job]:
    """Return the jobs of lines of numbers: pairs of machine and duration, perhaps after their number.

    Lines of 2 ``machines`` numbers are job shops; others are flexible job shops without a third number in their first
    line, if all of them can be.
    """
    lengths = [len(row) for row in numbers.values()]
    is_classical = all(length == 2 * machines for length in lengths)
    if not is_classical and all(map(is_flexible, numbers.values())):
        return _flexible_jobs(rows, numbers, machines)
    result: list[Job] = []
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


def _flexible_jobs(rows: Rows, numbers: dict[int, list[int]], machines: int) -> list[Job]:
    """Return the jobs of lines of numbers, each with machines to choose from for every operation."""
    result: list[Job] = []
    seen: set[int] = set()
    for rows.number, row in numbers.items():  # faults name the line of the row
        number = len(result) + 1
        if row[0] < 1 or not is_flexible(row):
            message = (
                f"must be the number of operations of job {number}, and for each the number of machines to choose from "
                "and as many pairs of machine and duration"
            )
            raise rows.fault(message, row)
        job = list(_operations(row))
        for operation in job:
            _check_choice(rows, operation, number)
        result.append(job)
        _check(rows, job, machines, seen)
    return result


def _operations(row: Sequence[int]) -> Iterator[Operation]:
    """Yield the operations of a line of a flexible job shop."""
    position = 1
    for _ in range(row[0]):
        end = position + 1 + 2 * row[position]
        yield _pairs(row[position + 1 : end])
        position = end


def _check_choice(rows: Rows, operation: Operation, job: int) -> None:
    """Raise `InputError` if an operation lists a machine twice."""
    counts = Counter(machine for machine, _ in operation)
    machine, count = counts.most_common(1)[0]
    if count > 1:
        raise rows.fault(f"an operation of job {job} lists a machine twice", machine)


def _rows_of_table(rows: Rows) -> list[Job]:
    """Return the jobs of a table with the columns job, and machine and duration of each operation."""
    result: list[Job] = []
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


def _pairs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of alternating machines and durations."""
    machines = numbers[::2]
    durations = numbers[1::2]
    return list(zip(machines, durations, strict=True))


def _job_of(numbers: Sequence[int]) -> Job:
    """Return the job of alternating machines and durations."""
    return [[pair] for pair in _pairs(numbers)]


def _check(rows: Rows, job: Job, machines: int, seen: set[int]) -> None:
    """Raise `InputError` for an invalid machine or duration; ``seen`` are the machines of all jobs so far."""
    pairs = list(chain.from_iterable(job))
    seen.update(machine for machine, _ in pairs)
    # Machines count from 0, or, in Taillard's text and some others, from 1.
    first, last = min(seen), max(seen)
    if not any(low <= first and last < low + machines for low in (0, 1)):
        message = f"machines must be numbered from 0 to {machines - 1} or from 1 to {machines}"
        raise rows.fault(message, [machine for machine, _ in pairs])
    if min(duration for _, duration in pairs) < 0:
        raise rows.fault("a duration must not be negative", [duration for _, duration in pairs])


def job_shop(name: str, jobs: Iterable[Job]) -> Instance:
    """Return the instance of jobs, each a list of operations with machines to choose from."""
    actions: list[Action] = []
    lags: list[Lag] = []
    machines: set[int] = set()
    for number, job in enumerate(jobs, 1):
        operations = []
        for k, operation in enumerate(job, 1):
            machines.update(machine for machine, _ in operation)
            modes = _modes(operation)
            operations.append(action_of_modes(f"job{number}", k, modes))
        actions += operations
        for before, after in pairwise(operations):
            lags.append(Lag(before.id, after.id))
    names = [f"machine{machine}" for machine in sorted(machines)]
    resources = tuple(map(Resource, names))
    return Instance(name, tuple(actions), tuple(lags), resources, agents=())


def _modes(operation: Operation) -> list[Mode]:
    """Return a mode for each machine to choose from; a mode without alternatives has no name."""
    modes = []
    for machine, duration in operation:
        name = f"machine{machine}"
        mode_name = name if len(operation) > 1 else ""
        modes.append(Mode((Demand(name),), mode_name, duration=duration))
    return modes
