"""Tool families without a state: exact arithmetic with whole numbers, and manipulation of strings."""

from __future__ import annotations

import re
from math import gcd
from typing import Annotated, Any

from planoracle.instances.benchmarks.asynctool.tools.base import Toolbox, refuse_first, refuse_if, tool

_MOST = 10**12


class Numbers(Toolbox):
    """Tools that calculate with whole numbers; results are exact."""

    @tool
    def add_numbers(self, numbers: Annotated[list[int], "the numbers, in order"]) -> dict[str, Any]:
        """Add up a list of whole numbers."""
        total = sum(numbers)
        refuse_if(abs(total) > _MOST, f"the sum is larger than {_MOST:,}")
        return {"sum": total}

    @tool
    def keep_multiples(
        self,
        numbers: Annotated[list[int], "the numbers, in order"],
        divisor: Annotated[int, "what they must be multiples of"],
    ) -> dict[str, Any]:
        """Keep those numbers of a list that are multiples of a positive divisor, in the same order."""
        refuse_if(divisor < 1, "divisor must be positive")
        return {"numbers": [number for number in numbers if number % divisor == 0]}

    @tool
    def divide_whole(
        self,
        dividend: Annotated[int, "the number to divide, 0 or more"],
        divisor: Annotated[int, "the number to divide by, 1 or more"],
    ) -> dict[str, Any]:
        """Divide one whole number by another; the result is the whole quotient and the remainder."""
        refuse_first(
            (dividend < 0, "dividend must not be negative"),
            (divisor < 1, "divisor must be positive"),
        )
        quotient, remainder = divmod(dividend, divisor)
        return {"quotient": quotient, "remainder": remainder}

    @tool
    def common_divisor(
        self,
        first: Annotated[int, "the one number, 1 or more"],
        second: Annotated[int, "the other number, 1 or more"],
    ) -> dict[str, Any]:
        """Find the greatest common divisor of two positive whole numbers."""
        refuse_first(
            (first < 1, "first must be positive"),
            (second < 1, "second must be positive"),
        )
        return {"divisor": gcd(first, second)}


_MAX_TEXT, _MAX_SEPARATOR = 4_000, 20

GivenText = Annotated[str, "the text to work on"]


class Text(Toolbox):
    """Tools that turn a text into another one."""

    @tool
    def join_numbers(
        self,
        numbers: Annotated[list[int], "the numbers, in order"],
        separator: Annotated[str, "what stands between two numbers"],
    ) -> dict[str, Any]:
        """Write a list of whole numbers as one text, with a separator between them."""
        refuse_if(len(separator) > _MAX_SEPARATOR, f"the separator must have at most {_MAX_SEPARATOR} characters")
        return {"text": _bounded(separator.join(map(str, numbers)))}

    @tool
    def normalise_text(self, text: GivenText) -> dict[str, Any]:
        """Write a text in lower case, with an underscore for all but the letters a-z and digits."""
        return {"text": re.sub("[^A-Za-z0-9]", "_", _bounded(text)).lower()}

    @tool
    def replace_part(
        self,
        text: GivenText,
        old: Annotated[str, "the part to replace, wherever it occurs"],
        new: Annotated[str, "what takes its place"],
    ) -> dict[str, Any]:
        """Replace every occurrence of a part of a text by something else."""
        count = text.count(old) if old else 0
        refuse_first(
            (not count, "the text does not hold the part to replace"),
            (
                len(text) + count * (len(new) - len(old)) > _MAX_TEXT,
                f"the text must have at most {_MAX_TEXT} characters",
            ),
        )
        return {"text": text.replace(old, new)}

    @tool
    def sort_words(self, text: GivenText) -> dict[str, Any]:
        """Put the words of a text into alphabetical order, capitals first, with one space between them."""
        return {"text": " ".join(sorted(_bounded(text).split()))}


def _bounded(text: str) -> str:
    refuse_if(len(text) > _MAX_TEXT, f"the text must have at most {_MAX_TEXT} characters")
    return text
