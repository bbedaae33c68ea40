"""Bundled facts of AsyncPlan-XXL: durations and order of the steps, released answers."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json

#: Pair of step numbers: the first step ends before the second starts.
Edge: TypeAlias = tuple[int, int]

#: Numbers of steps of the sets.
SIZES = (5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)

_DAY = 86_400
#: Seconds of a unit. Months have 30 days and years 365, as the generator of the benchmark assumes.
UNIT_SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3_600,
    "day": _DAY,
    "week": 7 * _DAY,
    "month": 30 * _DAY,
    "year": 365 * _DAY,
}
#: Units in the bundled file.
_SYMBOLS = {"s": "second", "min": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
_SYMBOL_OF = {unit: symbol for symbol, unit in _SYMBOLS.items()}
_AMOUNT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?(second|minute|hour|day|week|month|year)s?")
_SHORT_AMOUNT = re.compile(r"([0-9.]+)([a-z]+)")


@dataclass(frozen=True, slots=True)
class StepTask:
    """One problem of AsyncPlan-XXL.

    Attributes
    ----------
    title
        Short name of the task.
    durations
        Durations of the steps as in the question, such as ``2 hours 30 minutes``.
    edges
        Required orders.
    released_answer
        Released shortest time in seconds.
    misread
        Released durations in seconds that differ from the question, by step number.
    sentences, question
        Sentences of the steps and the question, if the problem comes from the user's own copy.
    """

    title: str
    durations: tuple[str, ...]
    edges: tuple[Edge, ...]
    released_answer: int
    misread: Mapping[int, int] = field(default_factory=dict, hash=False)
    sentences: tuple[str, ...] = ()
    question: str = ""

    def seconds(self, *, released: bool = False) -> list[Fraction]:
        """Return the durations in seconds: those of the question, or the released ones."""
        times = [duration_seconds(text) for text in self.durations]
        if released:
            for step, seconds in self.misread.items():
                times[step - 1] = Fraction(seconds)
        return times

    def shortest_time(self, *, released: bool = False) -> Fraction:
        """Return the length of the longest path in seconds."""
        durations = self.seconds(released=released)
        starts = earliest_starts(durations, self.edges)
        assert starts is not None
        return makespan_of(starts, durations)


def duration_seconds(text: str) -> Fraction:
    """Return the seconds of a duration, all units summed; raises `InputError` for another text.

    >>> duration_seconds("2 hours 30 minutes"), duration_seconds("0.1 seconds")
    (Fraction(9000, 1), Fraction(1, 10))
    """
    amounts = list(_AMOUNT.finditer(text))
    if not amounts or " ".join(amount[0] for amount in amounts) != text:
        raise InputError("must be a time such as '5 minutes' or '2 hours 30 minutes'", field="duration", value=text)
    total = Fraction(0)
    for amount in amounts:
        total += Fraction(amount[1]) * UNIT_SECONDS[amount[2]]
    return total


def earliest_starts(durations: Sequence[Fraction], edges: Sequence[Edge]) -> list[Fraction] | None:
    """Return the earliest start of every step, ``None`` if the order has a cycle.

    Parameters
    ----------
    durations
        Durations of the steps 1, 2, ...
    edges
        Orders between these steps.

    Examples
    --------
    >>> earliest_starts([5, 2, 9], [(1, 2)]), earliest_starts([5, 2], [(1, 2), (2, 1)])
    ([0, 5, 0], None)
    """
    count = len(durations)
    successors: list[set[int]] = [set() for _ in range(count)]
    for before, after in edges:
        successors[before - 1].add(after - 1)
    waiting = [0] * count
    for steps in successors:
        for step in steps:
            waiting[step] += 1
    starts = [durations[0] * 0] * count
    ready = [step for step in range(count) if not waiting[step]]
    for step in ready:
        end = starts[step] + durations[step]
        for later in successors[step]:
            starts[later] = max(starts[later], end)
            waiting[later] -= 1
            if not waiting[later]:
                ready.append(later)
    return starts if len(ready) == count else None


def makespan_of(starts: Sequence[Fraction], durations: Sequence[Fraction]) -> Fraction:
    """Return the latest end."""
    return max(start + duration for start, duration in zip(starts, durations, strict=True))


@cache
def bundled() -> dict[str, StepTask]:
    """Return the 600 problems by names such as ``xxl/5/9``."""
    data = files(__package__) / "data" / "xxl.json.gz"
    document = load_json(gzip.decompress(data.read_bytes()), "xxl.json")
    tasks = {}
    for size in SIZES:
        for number, row in enumerate(document[str(size)], 1):
            tasks[f"xxl/{size}/{number}"] = unpacked(row)
    return tasks


def packed(task: StepTask) -> list[object]:
    """Return a problem as a row of the bundled file.

    >>> packed(StepTask("tea", ("5 minutes", "1 hour"), ((1, 2),), 3900))
    ['tea', '5min 1h', '1-2', 3900, {}]
    """
    durations = " ".join(_short(text) for text in task.durations)
    edges = " ".join(f"{before}-{after}" for before, after in task.edges)
    misread = {str(step): seconds for step, seconds in task.misread.items()}
    return [task.title, durations, edges, task.released_answer, misread]


def unpacked(row: Sequence[object]) -> StepTask:
    """Return the problem of a row of the bundled file."""
    title, durations, edges, answer, misread = row
    texts = tuple(_long(text) for text in str(durations).split())
    pairs = tuple(_edge(text) for text in str(edges).split())
    assert isinstance(answer, int)
    assert isinstance(misread, dict)
    times = {int(step): seconds for step, seconds in misread.items()}
    return StepTask(str(title), texts, pairs, answer, times)


def _short(text: str) -> str:
    amounts = [f"{amount[1]}{_SYMBOL_OF[amount[2]]}" for amount in _AMOUNT.finditer(text)]
    return "".join(amounts)


def _long(text: str) -> str:
    amounts = []
    for number, symbol in _SHORT_AMOUNT.findall(text):
        plural = "" if number == "1" else "s"
        amounts.append(f"{number} {_SYMBOLS[symbol]}{plural}")
    return " ".join(amounts)


def _edge(text: str) -> Edge:
    before, _, after = text.partition("-")
    return int(before), int(after)
