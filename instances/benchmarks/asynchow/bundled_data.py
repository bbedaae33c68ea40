"""Bundled facts of AsyncHow: durations, order of the steps, released answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files
from typing import TypeAlias

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.strict_json import load_json

#: Shortest and longest time in seconds.
Interval: TypeAlias = tuple[int, int]

#: Numbers of problems in the released files.
KINDS = {"async": 1598, "parallel": 200, "sequential": 200}
#: Problems that the released prompts show together with their answers; no model is asked for these.
FEW_SHOT = ("async/1198", "async/8", "async/3")

_DAY = 86400
_UNITS = {
    "sec": (1, 1),
    "second": (1, 1),
    "min": (60, 60),
    "minute": (60, 60),
    "hour": (3600, 3600),
    "day": (_DAY, _DAY),
    "week": (7 * _DAY, 7 * _DAY),
    "month": (28 * _DAY, 31 * _DAY),
    "year": (365 * _DAY, 366 * _DAY),
}
_NAMES = "|".join(sorted(_UNITS, reverse=True))
_AMOUNT = re.compile(rf"([0-9]{{1,6}}) ({_NAMES})s?")


@dataclass(frozen=True, slots=True)
class HowTo:
    """One problem: steps with durations and order, for as many agents as steps.

    Attributes
    ----------
    name
        Kind and position in the released file, ``async/829``.
    durations
        Durations of the steps, in the words of the prompt.
    edges
        Pairs of steps, numbered from 1: the first must be finished before the second begins.
    released_answer
        The released answer.
    sentences
        Sentences of the steps, if the problem comes from the user's own copy.
    """

    name: str
    durations: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    released_answer: Interval
    sentences: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``async``, ``parallel`` or ``sequential``."""
        return self.name.partition("/")[0]

    @property
    def complexity(self) -> int:
        """Nodes and edges of the graph, both with START and END, as the paper counts them.

        >>> how_to("async/0").complexity
        14
        """
        steps = len(self.durations)
        first_steps = steps - len({after for _, after in self.edges})
        last_steps = steps - len({before for before, _ in self.edges})
        nodes = steps + 2
        return nodes + len(self.edges) + first_steps + last_steps

    def seconds(self, *, last_unit: bool = False) -> list[Interval]:
        """Return the duration of every step, see `seconds`; raises `InputError` for invalid texts."""
        field = f"{self.name}.durations"
        return [seconds(text, last_unit=last_unit, field=field) for text in self.durations]

    def answer(self, *, last_unit: bool = False) -> Interval:
        """Return the lengths of the longest paths with the shortest and with the longest durations."""
        low, high = zip(*self.seconds(last_unit=last_unit), strict=True)
        return longest_path(low, self.edges), longest_path(high, self.edges)

    @property
    def fault(self) -> str | None:
        """Error in the released answer: ``misread``, ``overwritten``, or ``None`` for a right one.

        Either only the last unit of durations was read, or the shortest time of another path replaced a longer one.

        >>> how_to("async/829").fault, how_to("async/163").fault, how_to("async/164").fault
        ('overwritten', 'misread', None)
        """
        if self.released_answer == self.answer():
            return None
        return "misread" if self.released_answer == self.answer(last_unit=True) else "overwritten"


def seconds(text: str, *, last_unit: bool = False, field: str = "duration") -> Interval:
    """Return the shortest and the longest time of a duration in the prompts' notation, in seconds.

    A month has 28 to 31 days and a year 365 or 366, in the released data as well.

    Parameters
    ----------
    last_unit
        Read the last unit only, as the released code does.

    Examples
    --------
    >>> seconds("2 hours 30 minutes"), seconds("2 hours 30 minutes", last_unit=True), seconds("1 month")
    ((9000, 9000), (1800, 1800), (2419200, 2678400))
    """
    amounts = list(_AMOUNT.finditer(text))
    if not amounts or " ".join(amount[0] for amount in amounts) != text:
        raise InputError("must be a text such as '10 min' or '2 hours 30 minutes'", field=field, value=text)
    shortest = longest = 0
    for amount in amounts[-1:] if last_unit else amounts:
        number = int(amount[1])
        shortest_unit, longest_unit = _UNITS[amount[2]]
        shortest += number * shortest_unit
        longest += number * longest_unit
    return shortest, longest


def longest_path(durations: Sequence[int], edges: Sequence[tuple[int, int]]) -> int:
    """Return the length of the longest path through steps numbered from 1.

    >>> longest_path([5, 2, 9], [(1, 2)])
    9
    """
    steps = range(1, len(durations) + 1)
    graph: dict[int, list[int]] = {step: [] for step in steps}
    for early, late in edges:
        graph[late].append(early)
    ends: dict[int, int] = {}
    try:
        for step in TopologicalSorter(graph).static_order():
            start = max((ends[early] for early in graph[step]), default=0)
            ends[step] = start + durations[step - 1]
    except CycleError as error:
        raise InputError("the order of the steps has a cycle", field="edges", value=error.args[1]) from error
    return max(ends.values())


@cache
def bundled() -> dict[str, HowTo]:
    """Return all problems by name, in the order of the released files."""
    data = files(__package__) / "data" / "problems.json"
    document = load_json(data.read_bytes(), "problems.json")
    problems = {}
    for kind in KINDS:
        for number, (durations, edges, (low, high)) in enumerate(document[kind]):
            name = f"{kind}/{number}"
            pairs = tuple(map(_edge, edges.split()))
            texts = tuple(durations.split(", "))
            problems[name] = HowTo(name, texts, pairs, (low, high))
    return problems


def _edge(text: str) -> tuple[int, int]:
    """Return the edge that a text such as ``2-3`` states."""
    before, _, after = text.partition("-")
    return int(before), int(after)


def names() -> tuple[str, ...]:
    """Return the names of all problems, in the order of the released files."""
    return tuple(bundled())


def how_to(name: str) -> HowTo:
    """Return a bundled problem such as ``async/829``; raises `UnknownNameError` if there is none."""
    if name not in bundled():
        raise UnknownNameError("there is no such AsyncHow problem", value=name)
    return bundled()[name]
