"""Reader of ``Step(number, recipe, duration, start)`` in text: literal, or tolerant of variants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.text import format_clock

#: Longest number in a plan; far beyond any time, and cheap to compute with.
MAX_DIGITS = 40


class StepCommand(NamedTuple):
    """Carry out step ``step`` of ``recipe`` for ``duration`` seconds from ``start``."""

    step: int
    recipe: str
    duration: int
    start: int

    @classmethod
    def of(cls, action: str, start: int, duration: int) -> StepCommand:
        """Return the command for an action, by its id."""
        recipe, _, step = action.rpartition("/")
        return cls(int(step), recipe, duration, start)

    @property
    def text(self) -> str:
        """The command as the benchmark writes it."""
        duration = format_clock(self.duration)
        start = format_clock(self.start)
        return f"Step({self.step}, {self.recipe}, {duration}, {start})"


# What the released reader does: units become colons, then two shapes are matched to the letter.
# (Possessive and anchored, so that megabytes of digits take linear time.)
_RELEASED_UNITS = (
    (" min", re.compile(r"(?<!\d)(\d++) min"), r"\1:00"),
    (" sec", re.compile(r"(?<!\d)(\d++) sec"), r"0:\1"),
    (" hour", re.compile(r"(?<!\d)(\d++) hour"), r"\1:00:00"),
)
_RELEASED_TIME = r"((?:\d++:)?\d++:\d++)"
_RELEASED_FULL = re.compile(rf"Step\((\d++), ([\w-]++), {_RELEASED_TIME}, {_RELEASED_TIME}\)")
_RELEASED_SHORT = re.compile(rf"Step\((\d++), ([\w-]++), {_RELEASED_TIME}\)")

# What the paper's prompts show, with some patience for spaces, quotes, units and plain seconds.
_N, _S = r"[0-9]++", r"\s{0,9}"
_UNIT = r"(?ai:hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b"
_QUANTITIES = rf"{_N}{_S}{_UNIT}(?:{_S}{_N}{_S}{_UNIT}){{0,2}}"
_AMOUNT = rf"(?:{_N}(?::{_N}){{1,2}}|{_QUANTITIES}|{_N})"
_COMMA = rf"{_S},{_S}"
_ARGUMENTS = rf"({_N}){_COMMA}([\w-]++){_COMMA}({_AMOUNT}){_S}(?:,{_S}({_AMOUNT}){_S})?"
_LENIENT = re.compile(rf"(?:(?<!\w)|(?<=\\n))(?ai:step){_S}\({_S}{_ARGUMENTS}\)")
_LONE_AMOUNT = re.compile(_AMOUNT)
_QUANTITY = re.compile(rf"({_N}){_S}([a-zA-Z]*)")
_QUOTES = str.maketrans("", "", "\"'`*")
_BROKEN = re.compile(r"(?ai:step)[ \t]{0,9}\([^()]{0,200}\n[^()]{0,200}\)")
_RESEMBLES = re.compile(
    r"[^\w]{0,9}step(?:\s{0,3}\(|\W{0,3}\d.{0,200}?\d(?::\d\d|\s?(?:min|sec|hour|m\b|s\b|h\b)))|.{0,99}\bstep\(", re.I
)
_SECONDS = {"h": 3600, "m": 60, "s": 1, "": 1}


def _number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise PlanError(f"numbers have at most {MAX_DIGITS} digits", field="plan", value=digits)
    return int(digits)


def _clock(text: str) -> int:
    seconds = 0
    for part in text.split(":"):
        seconds = seconds * 60 + _number(part)
    return seconds


def amount(text: str) -> int | None:
    """Return the seconds of a time such as ``HH:MM:SS``, ``5 min`` or ``1 hour 30 min``, else ``None``.

    Raises
    ------
    PlanError
        For a number with more than `MAX_DIGITS` digits.

    Examples
    --------
    >>> amount("00:05:00"), amount("5 min"), amount("1 hour 30 min"), amount("90"), amount("soon")
    (300, 300, 5400, 90, None)
    """
    return _amount(text) if _LONE_AMOUNT.fullmatch(text) else None


@lru_cache(maxsize=4096)  # plans hold the same few times again and again
def _amount(text: str) -> int:
    if ":" in text:
        return _clock(text)
    seconds = 0
    for digits, unit in _QUANTITY.findall(text):
        seconds += _number(digits) * _SECONDS[unit[:1].lower()]
    return seconds


def nominal(instance: Instance, recipe: str, step: int) -> int:
    """Return the duration of a step in seconds, 0 if there is no such step."""
    action = instance.by_id.get(f"{recipe}/{step}")
    return action.duration if action else 0


def released_steps(text: str, instance: Instance) -> Iterator[StepCommand]:
    """Yield the steps that the released code reads, anywhere in the text.

    Only if there is none with a duration, those without are read.
    """
    text = text.replace('"', "").replace("'", "")
    for unit, pattern, colons in _RELEASED_UNITS:
        if unit in text:
            text = pattern.sub(colons, text)
    rows = _RELEASED_FULL.findall(text)
    for step, recipe, duration, start in rows:
        yield StepCommand(_number(step), recipe, _clock(duration), _clock(start))
    if not rows:
        for step, recipe, start in _RELEASED_SHORT.findall(text):
            duration_of_step = nominal(instance, recipe, _number(step))
            yield StepCommand(_number(step), recipe, duration_of_step, _clock(start))


def lenient_steps(text: str, instance: Instance) -> Iterator[tuple[int, StepCommand]]:
    """Yield the steps in any of the forms of the paper, each with its length, in the order written."""
    for match in _LENIENT.finditer(text.translate(_QUOTES)):
        digits, recipe, first, second = match.groups()
        step = _number(digits)
        duration = nominal(instance, recipe, step) if second is None else _amount(first)
        start = _amount(second or first)
        yield len(match[0]), StepCommand(step, recipe, duration, start)


def joined(text: str) -> str:
    """Return a text in which no step continues on the next line; later lines keep their positions."""
    return _BROKEN.sub(_join_lines, text)


def _join_lines(match: re.Match[str]) -> str:
    text = match[0]
    return " ".join(text.split()) + "\n" * text.count("\n")


def looks_like_a_step(text: str) -> bool:
    """Return true for a line without a step that contains a step number and a time.

    >>> [looks_like_a_step(text) for text in ("Step 3: Tacos, 5 min", "Step(x, Tacos, 0)", "Step by step")]
    [True, True, False]
    """
    return _RESEMBLES.match(text[:300]) is not None
