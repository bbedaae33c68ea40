"""Lines of plans of the Robo Challenge: an action with its start and its duration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from planoracle.instances.benchmarks.asyncplanning.robot_facts import TICKS, VERBS, RobotTask, ticks_of
from planoracle.instances.errors import PlanError

#: Largest time of a plan in seconds, and largest number of lines.
MAX_SECONDS, MAX_LINES = 10**6, 5_000
_NUMBER = r"(\d+(?:\.\d+)?)"
_WORD = r"\w[\w-]*"
_LINE = re.compile(rf"{_NUMBER}\s*:\s*\(({_WORD}(?:\s+{_WORD})*)\)\s*\[{_NUMBER}\]")
_FENCE = re.compile(r"```[a-z]*")
# Planners write waits for minimum times.
_WAIT = "wait_"


class Line(NamedTuple):
    """Line of a plan: an action with its arguments, ``start`` and ``duration`` in ticks.

    Attributes
    ----------
    start, action, arguments, duration
        Order of the fields in which episodes sort lines that start together.
    """

    start: int
    action: str
    arguments: tuple[str, ...]
    duration: int

    @property
    def end(self) -> int:
        """First tick after the action."""
        return self.start + self.duration

    @property
    def item(self) -> str:
        """Last argument."""
        return self.arguments[-1] if self.arguments else ""

    @property
    def words(self) -> str:
        """Action and arguments."""
        return " ".join((self.action, *self.arguments))

    def text(self) -> str:
        """Return the line as text.

        >>> Line(290, "cut", ("lettuce",), 3000).text()
        '0.290: (cut lettuce)  [3.000]'
        """
        return f"{_seconds(self.start)}: ({self.words})  [{_seconds(self.duration)}]"


def _seconds(ticks: int) -> str:
    seconds, milliseconds = divmod(ticks, TICKS)
    return f"{seconds}.{milliseconds:03d}"


def _ticks(text: str) -> int:
    """Return seconds as ticks, rounded as the released code does."""
    seconds = float(text)
    if seconds > MAX_SECONDS:
        raise PlanError(f"must be at most {MAX_SECONDS} seconds", field="plan", value=text)
    return int(f"{seconds:.3f}".replace(".", ""))


def line_of(text: str) -> Line | None:
    """Return the action of a line of text, ``None`` for other lines and for waits.

    >>> line_of("0.5: (STACK_bun_bot robot1) [1]")
    Line(start=500, action='stack', arguments=('robot1', 'bun_bot'), duration=1000)

    Raises
    ------
    PlanError
        If a time is too large.
    """
    match = _LINE.match(text)
    if match is None:
        return None
    name, *arguments = match[2].split()
    action = name.lower()
    if action.startswith(_WAIT):
        return None
    verb, _, item = action.partition("_")
    if item and verb in VERBS and len(arguments) < 2:
        action = verb
        arguments.append(item)
    return Line(_ticks(match[1]), action, tuple(arguments), _ticks(match[3]))


def lines_in(text: str, is_online: bool = False) -> list[Line]:
    """Return the actions of a text, in the order of its lines.

    Parameters
    ----------
    text
        Answer of a model.
    is_online
        Read as in the online part, which removes fences without a language, or for plain text, only.
    """
    if is_online:
        text = text.replace("```plaintext", "").replace("```", "")
    elif "```" in text:
        text = _FENCE.sub("", text)
    lines: list[Line] = []
    for row in text.splitlines():
        line = line_of(row.strip())
        if line is not None:
            lines.append(line)
    if len(lines) > MAX_LINES:
        raise PlanError(f"must have at most {MAX_LINES} lines", field="plan", value=len(lines))
    return lines


def in_order(lines: Iterable[Line], is_online: bool) -> list[Line]:
    """Return lines by start; at the same start as written, in episodes by action and arguments."""
    if is_online:
        return sorted(lines)
    return sorted(lines, key=lambda line: line.start)


def witness_text(task: RobotTask, divisor: int = 1) -> str:
    """Return the published plan of a task as text, with all times divided by a number."""
    lines: list[str] = []
    for entry in task.witness:
        seconds, action, *arguments = entry.split()
        start = ticks_of(seconds, "witness_plan")
        line = Line(start // divisor, action, tuple(arguments), task.durations[action] // divisor)
        lines.append(line.text())
    return "\n".join(lines)
