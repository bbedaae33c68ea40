"""Plans as lists of steps, whatever their form: JSON, lines of text, or calls in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias

#: Steps of a plan, in lists such as one per agent.
StepLists: TypeAlias = Sequence[Sequence[str]]
#: Change of a time, in the unit of the plan; clock times count their smallest part.
Change: TypeAlias = Callable[[Decimal], Decimal]

_CALL = re.compile(r"[\w-]+\([^()]*\)")
_CLOCK = re.compile(r"\d+(?::\d\d)+")
_NUMBER = re.compile(r"(?<![\w./])(?<![A-Za-z]-)\d+(?:\.\d+)?(?!\w|[.:]\d)")
# A word that is no key of a JSON object.
_WORD = re.compile(r"\b[^\W\d][\w/-]*\b(?!\":)")
_BASE = 60


class _Slot(NamedTuple):
    """Place of a list of steps in a plan, and the form of the list."""

    number: int
    form: Literal["json", "lines", "calls"]


class PlanText:
    """A plan as text, cut into steps that can be changed.

    Attributes
    ----------
    text
        The plan.
    lists
        Its lists of steps, in the order of the text. Steps of JSON documents are JSON values.

    Examples
    --------
    >>> plan = PlanText('{"anna": ["boil", "pour"], "ben": ["wash"]}')
    >>> plan.lists
    [['"boil"', '"pour"'], ['"wash"']]
    >>> plan.with_lists([["1"], []])
    '{"anna": [1], "ben": []}'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lists: list[list[str]] = []
        document = _json_or_text(text)
        self.is_json = isinstance(document, list | dict)
        self._outline = self._outline_of(document) if self.is_json else self._lines(text)

    def _outline_of(self, value: Any) -> Any:
        """Return a JSON value with slots in the place of lists of steps, which are added to the lists."""
        if isinstance(value, dict):
            return {key: self._outline_of(part) for key, part in value.items()}
        if isinstance(value, str) and "\n" in value:
            return self._lines(value)
        if not isinstance(value, list):
            return value
        if value and all(map(_is_step, value)):
            return self._slot("json", list(map(json.dumps, value)))
        return [self._outline_of(part) for part in value]

    def _lines(self, text: str) -> _Slot:
        calls = _CALL.findall(text)
        if len(calls) > 1 and "\n" not in text:
            return self._slot("calls", calls)
        return self._slot("lines", text.splitlines())

    def _slot(self, form: Literal["json", "lines", "calls"], steps: list[str]) -> _Slot:
        self.lists.append(steps)
        return _Slot(len(self.lists) - 1, form)

    def with_lists(self, lists: StepLists) -> str:
        """Return the plan with other steps in its lists."""
        document = _filled(self._outline, lists)
        return json.dumps(document) if self.is_json else str(document)

    def with_steps(self, number: int, index: int, steps: Sequence[str], end: int | None = None) -> str:
        """Return the plan with other steps in the place of one, or of those up to ``end``, in one of its lists."""
        lists = list(self.lists)
        old = lists[number]
        after = index + 1 if end is None else end
        lists[number] = [*old[:index], *steps, *old[after:]]
        return self.with_lists(lists)

    def mapped(self, change: Callable[[str], str]) -> str:
        """Return the plan with all steps changed."""
        return self.with_lists([list(map(change, steps)) for steps in self.lists])

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Number of the list and index of each step."""
        places: list[tuple[int, int]] = []
        for number, steps in enumerate(self.lists):
            places += [(number, index) for index in range(len(steps))]
        return places

    @cached_property
    def steps(self) -> list[str]:
        """Steps of all lists."""
        return list(chain.from_iterable(self.lists))

    @cached_property
    def columns(self) -> range:
        """Positions of times in steps, such as start and duration."""
        return range(max((len(times(step)) for step in self.steps), default=0))

    @cached_property
    def names(self) -> list[str]:
        """Words of all steps in order, without repetition."""
        return list(dict.fromkeys(chain.from_iterable(map(words, self.steps))))


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_step(value: object) -> bool:
    """Return true for a text of one line, an object, or a list with a number."""
    if isinstance(value, list):
        return any(isinstance(part, int) for part in value)
    return isinstance(value, dict) or (isinstance(value, str) and "\n" not in value)


def _filled(outline: Any, lists: StepLists) -> Any:
    """Return an outline with lists of steps in its slots."""
    if isinstance(outline, dict):
        return {key: _filled(part, lists) for key, part in outline.items()}
    if isinstance(outline, list):
        return [_filled(part, lists) for part in outline]
    if not isinstance(outline, _Slot):
        return outline
    steps = lists[outline.number]
    if outline.form == "json":
        return list(map(_json_or_text, steps))
    return (", " if outline.form == "calls" else "\n").join(steps)


def times(step: str) -> list[Decimal]:
    """Return the times of a step: its clock times if it has any, else its numbers.

    >>> times("Step(0, Soup, 00:10:00, 00:01:30)"), times("6.5: (cut leek7) [3]")
    ([Decimal('600'), Decimal('90')], [Decimal('6.5'), Decimal('3')])
    """
    return [_value(token[0]) for token in _tokens(step)]


def _tokens(step: str) -> Iterator[re.Match[str]]:
    pattern = _CLOCK if _CLOCK.search(step) else _NUMBER
    return pattern.finditer(step)


def _value(token: str) -> Decimal:
    value = Decimal(0)
    for part in token.split(":"):
        value = value * _BASE + Decimal(part)
    return value


def retimed(step: str, change: Change, column: int | None = None) -> str:
    """Return a step with all its times changed, or the one of a column.

    >>> retimed("Step(0, Soup, 00:10:00, 00:01:30)", lambda time: time / 2, 1)
    'Step(0, Soup, 00:10:00, 00:00:45)'
    """
    pieces, end = [], 0
    for position, token in enumerate(_tokens(step)):
        if column in (None, position):
            pieces += [step[end : token.start()], _written(change(_value(token[0])), token[0])]
            end = token.end()
    return "".join([*pieces, step[end:]])


def _written(value: Decimal, token: str) -> str:
    """Return a time in the form of a token."""
    if ":" not in token:
        return f"{value:f}"
    remaining, fraction = divmod(abs(value), 1)
    parts: list[str] = []
    for _ in range(token.count(":")):
        remaining, part = divmod(remaining, _BASE)
        parts.insert(0, f"{part:02f}")
    width = token.index(":")
    sign = "-" if value < 0 else ""
    decimals = f"{fraction:f}"[1:]
    return f"{sign}{remaining:0{width}f}:{':'.join(parts)}{decimals}"


def words(step: str) -> list[str]:
    """Return the words of a step that may name something."""
    return _WORD.findall(step)


def renamed(step: str, names: dict[str, str]) -> str:
    """Return a step with names replaced."""
    return _WORD.sub(lambda word: names.get(word[0], word[0]), step)
