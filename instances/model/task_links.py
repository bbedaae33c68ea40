"""Links between tasks of a table: names of tasks, with types and lags as in ``3FS+2 days``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.text import did_you_mean

_TYPE = re.compile("FS|SS|FF|SF", re.IGNORECASE)
# Sign and length of a lag: "+2 days", "- 1d", and " 2" as some tools write it.
_LAG = re.compile(r"(?: ?([+-]) ?| )([0-9].*)")
_LOOKS_LIKE_LINK = re.compile(r"[0-9] ?(?:FS|SS|FF|SF)|[+-] ?[0-9]", re.IGNORECASE)
_LONGEST_LINK = 300
_FORMS = "a type and a lag follow the task, as in 3FS+2, 3SS, 3FF-1 or 3SF"


class LinkText(NamedTuple):
    """Name of a task or job, with the type and the lag of a link to it.

    Attributes
    ----------
    name
        Name of the predecessor, or of the successor.
    type
        Ends of the predecessor and of the successor that the lag joins: FS, SS, FF or SF (start, finish).
    sign, lag
        Sign of the lag, and text of its length, which is empty without a lag.
    """

    name: str
    type: str = "FS"
    sign: int = 1
    lag: str = ""


class Link(NamedTuple):
    """Link between two rows, by their positions.

    Attributes
    ----------
    type
        See `LinkText`.
    lag
        Lag in ticks; ``None`` without a lag.
    """

    before: int
    after: int
    type: str = "FS"
    lag: int | None = None


def parse_link(text: str, names: Container[str]) -> LinkText:
    """Return the parts of a link.

    Parameters
    ----------
    names
        Names of the tasks; a text that is one of them has neither type nor lag.

    Examples
    --------
    >>> parse_link("5SS + 2 days", {"5"}), parse_link("press", {"pre"}).name
    (LinkText(name='5', type='SS', sign=1, lag='2 days'), 'press')
    """
    compact = " ".join(text.split())
    if text in names or len(compact) > _LONGEST_LINK:
        return LinkText(text)
    for match in _TYPE.finditer(compact):
        start, end = match.span()
        head = compact[:start]
        tail = compact[end:]
        name = head.rstrip(" :")
        is_capital = match[0].isupper()
        is_numbered = name[-1:].isdigit()
        is_separate = head != name or is_capital or is_numbered
        lag = _LAG.fullmatch(tail)
        if name in names and is_separate and (lag or not tail):
            sign = -1 if lag and lag[1] == "-" else 1
            text_of_lag = lag[2] if lag else ""
            return LinkText(name, match[0].upper(), sign, text_of_lag)
    return LinkText(text)


class TaskNames:
    """Names of the tasks of a table: of rows, and of jobs, which stand for all their rows."""

    def __init__(self) -> None:
        self.by_job: dict[str, list[int]] = defaultdict(list)
        self.by_name: dict[str, list[int]] = defaultdict(list)
        self._jobs: list[str] = []
        self._ids: list[str] = []

    def add(self, job: str, task_id: str, names: Iterable[str]) -> None:
        """Add the names of the next row.

        Parameters
        ----------
        task_id
            Text of the column ``id``, which precedes other names in the same job.
        names
            All names of the row.
        """
        position = len(self._jobs)
        self.by_job[job].append(position)
        self._jobs.append(job)
        self._ids.append(task_id)
        for name in {*names} - {""}:
            self.by_name[name].append(position)

    def __contains__(self, name: object) -> bool:
        return name in self.by_name or name in self.by_job

    def positions(self, name: str, from_row: int, full_names: Sequence[str]) -> list[int]:
        """Return the rows that a name stands for: one of the same job, any other, or a whole job.

        Raises
        ------
        InputError
            For an unknown and for an ambiguous name.
        """
        job = self._jobs[from_row]
        rows = self.by_name.get(name, [])
        same_job = [row for row in rows if self._jobs[row] == job]
        same_id = [row for row in same_job if self._ids[row] == name]
        rows = same_id or same_job or rows
        if len(rows) > 1:
            choices = " or ".join(full_names[row] for row in rows[:3])
            raise InputError(f"{name!r} is ambiguous; write {choices}")
        if not rows and (name == job or name not in self.by_job):
            forms = f"; {_FORMS}" if _LOOKS_LIKE_LINK.search(name) else ""
            hint = did_you_mean(name, self.by_name) or forms
            raise InputError(f"{name!r} is not a task of the table{hint}")
        return rows or self.by_job[name]


def check_groups(link: LinkText, predecessors: Sequence[int], successors: Sequence[int]) -> None:
    """Raise an error for a link from the first start, or to the last finish, of several tasks."""
    joins_first_starts = len(predecessors) > 1 and link.type[0] == "S"
    joins_last_finishes = len(successors) > 1 and link.type[1] == "F"
    if joins_first_starts or joins_last_finishes:
        raise InputError(f"a link of type {link.type} joins two tasks, not groups of tasks; name the tasks")


def minimum_lag(link: Link, durations: Sequence[int], interruptible: Sequence[bool]) -> int:
    """Return the least time from the finish of the predecessor to the start of the successor.

    >>> minimum_lag(Link(0, 1, "SS", 2), [5, 3], [False, False]), minimum_lag(Link(0, 1, "FF"), [5, 3], [False, False])
    (-3, -3)

    Raises
    ------
    InputError
        If the link refers to the start or the finish of an interruptible task.
    """
    minimum = link.lag or 0
    joins_start = link.type[0] == "S"
    joins_finish = link.type[1] == "F"
    for row, joins in ((link.before, joins_start), (link.after, joins_finish)):
        if joins and interruptible[row]:
            raise InputError(f"links of type {link.type} are not supported between tasks that may be interrupted")
        minimum -= durations[row] if joins else 0
    return minimum
