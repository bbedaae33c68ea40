"""Plans as lists of steps, whatever their form: JSON, lines of text, or calls in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import chain, count
from typing import Any, TypeAlias

#: Lists of steps, such as one per agent.
StepLists: TypeAlias = Sequence[Sequence[str]]
#: Change of a time in the unit of the plan; the unit of a clock time is that of its last part.
Change: TypeAlias = Callable[[Decimal], Decimal]

_CLOCK = re.compile(r"\d+(?::\d\d)+")
_NUMBER = re.compile(r"(?<![\w./])(?<![A-Za-z]-)\d+(?:\.\d+)?(?!\w|[.:]\d)")
# A word that is no key of a JSON object.
_WORD = re.compile(r"\b[^\W\d][\w/-]*\b(?!\":)")
_BASE = 60


class PlanSteps:
    """A plan as text, cut into steps that can be changed.

    Attributes
    ----------
    text
        The plan.
    steps
        All steps.
    lists
        Lists of steps, in the order of the text. Steps of JSON documents are JSON values.

    Examples
    --------
    >>> plan = PlanSteps('{"anna": ["boil", "pour"], "ben": ["wash"]}')
    >>> plan.lists
    [['"boil"', '"pour"'], ['"wash"']]
    >>> plan.with_lists([["1"], []])
    '{"anna": [1], "ben": []}'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lists: list[list[str]] = []
        self._forms: list[Callable[[Sequence[str]], str]] = []
        try:
            document = self._outline_of(json.loads(text))
        except ValueError:
            document = self._slot(_lines_of(text), "\n".join)
        self._outline = json.dumps(document)
        self.steps = list(chain.from_iterable(self.lists))

    def _outline_of(self, value: Any) -> Any:
        """Return a JSON value with names of slots in the place of lists of steps."""
        if isinstance(value, dict):
            return {key: self._outline_of(part) for key, part in value.items()}
        if isinstance(value, str) and "\n" in value:
            return self._slot(_lines_of(value), _json_text)
        if not isinstance(value, list):
            return value
        if value and all(map(_is_step, value)):
            return self._slot(list(map(json.dumps, value)), _json_list)
        return list(map(self._outline_of, value))

    def _slot(self, steps: list[str], form: Callable[[Sequence[str]], str]) -> str:
        self.lists.append(steps)
        self._forms.append(form)
        return f"@{len(self.lists)}@"

    def with_lists(self, lists: StepLists) -> str:
        """Return the plan with other steps in its lists."""
        text = self._outline
        for number, form in enumerate(self._forms):
            text = text.replace(f'"@{number + 1}@"', form(lists[number]))
        return text

    def with_list(self, number: int, steps: Sequence[str]) -> str:
        """Return the plan with other steps in one of its lists."""
        lists = list(self.lists)
        lists[number] = list(steps)
        return self.with_lists(lists)

    def mapped(self, change: Callable[[str], str]) -> str:
        """Return the plan with all steps changed."""
        return self.with_lists([list(map(change, steps)) for steps in self.lists])


def _json_list(steps: Sequence[str]) -> str:
    return f"[{', '.join(steps)}]"


def _json_text(lines: Sequence[str]) -> str:
    return json.dumps("\n".join(lines))


def _lines_of(text: str) -> list[str]:
    return text.replace("), ", ")\n").splitlines()


def _is_step(value: object) -> bool:
    """Return true for a text of one line, an object, or a list with a number."""
    if isinstance(value, list):
        return any(isinstance(part, int) for part in value)
    return isinstance(value, dict) or (isinstance(value, str) and "\n" not in value)


def _times_of(step: str) -> re.Pattern[str]:
    """Return the pattern of times in a step: clock times if it has any, else numbers."""
    return _CLOCK if _CLOCK.search(step) else _NUMBER


def times(step: str) -> list[Decimal]:
    """Return the times of a step: its clock times if it has any, else its numbers.

    >>> times("Step(0, Soup, 00:10:00, 00:01:30)"), times("6.5: (cut leek7) [3]")
    ([Decimal('600'), Decimal('90')], [Decimal('6.5'), Decimal('3')])
    """
    return list(map(_value, _times_of(step).findall(step)))


def _value(token: str) -> Decimal:
    value = Decimal(0)
    for part in token.split(":"):
        value = value * _BASE + Decimal(part)
    return value


def retimed(step: str, change: Change, column: int | None = None) -> str:
    """Return a step with all its times changed, or the one of a column.

    >>> retimed("Step(0, Soup, 00:10:00, 00:01:30)", lambda time: -time / 20, 1)
    'Step(0, Soup, 00:10:00, -00:00:04.5)'
    """
    columns = count()

    def changed(token: re.Match[str]) -> str:
        return _written(change(_value(token[0])), token[0]) if column in (None, next(columns)) else token[0]

    return _times_of(step).sub(changed, step)


def _written(value: Decimal, token: str) -> str:
    """Return a time in the form of a token."""
    if ":" not in token:
        return f"{value:f}"
    remaining, fraction = divmod(abs(value), 1)
    text = f"{fraction:f}"[1:]
    for _ in range(token.count(":")):
        remaining, part = divmod(remaining, _BASE)
        text = f":{part:02f}{text}"
    sign = "-" if value < 0 else ""
    return f"{sign}{remaining:02f}{text}"


def words(step: str) -> list[str]:
    """Return the words of a step that may name something, without repetition."""
    return list(dict.fromkeys(_WORD.findall(step)))


def renamed(step: str, names: dict[str, str]) -> str:
    """Return a step with names replaced."""
    return _WORD.sub(lambda word: names.get(word[0], word[0]), step)
