"""Tool families without a state: whole numbers, strings, generated data, and formats of data."""

from __future__ import annotations

import re
from math import gcd
from random import Random
from typing import Annotated, Any, Literal

from planoracle.instances.benchmarks.asynctool.tools.base import Toolbox, refuse_first, refuse_if, tool
from planoracle.instances.generate.parameters import below

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
        return {"text": _check_length(separator.join(map(str, numbers)))}

    @tool
    def normalise_text(self, text: GivenText) -> dict[str, Any]:
        """Write a text in lower case, with an underscore for all but the letters a-z and digits."""
        return {"text": re.sub("[^A-Za-z0-9]", "_", _check_length(text)).lower()}

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
            (not count, "the text does not contain the part to replace"),
            (
                len(text) + count * (len(new) - len(old)) > _MAX_TEXT,
                f"the text must have at most {_MAX_TEXT} characters",
            ),
        )
        return {"text": text.replace(old, new)}

    @tool
    def sort_words(self, text: GivenText) -> dict[str, Any]:
        """Put the words of a text into alphabetical order, capitals first, with one space between them."""
        return {"text": " ".join(sorted(_check_length(text).split()))}


def _check_length(text: str) -> str:
    refuse_if(len(text) > _MAX_TEXT, f"the text must have at most {_MAX_TEXT} characters")
    return text


_MAX_COUNT = 100

Count = Annotated[int, f"how many, 1 to {_MAX_COUNT}"]


class Generation(Toolbox):
    """Tools that make test data from a few parameters; equal parameters make equal data."""

    @tool
    def count_up(
        self,
        start: Annotated[int, "the first number"],
        step: Annotated[int, "the difference between two numbers"],
        count: Count,
    ) -> dict[str, Any]:
        """List whole numbers that begin with a first one and grow by the same step."""
        refuse_if(not 1 <= count <= _MAX_COUNT, f"count must lie between 1 and {_MAX_COUNT}")
        return {"numbers": [start + step * i for i in range(count)]}

    @tool
    def draw_numbers(
        self,
        seed: Annotated[int, "seed of the draw"],
        most: Annotated[int, "the largest number that can be drawn, 1 or more"],
        count: Count,
    ) -> dict[str, Any]:
        """Draw whole numbers from 1 on at random. The same seed draws the same numbers."""
        refuse_first(
            (most < 1, "most must be positive"),
            (not 1 <= count <= _MAX_COUNT, f"count must lie between 1 and {_MAX_COUNT}"),
        )
        random = Random(seed)
        return {"numbers": [1 + below(random, most) for _ in range(count)]}

    @tool
    def make_labels(
        self,
        prefix: Annotated[str, "what every label begins with"],
        numbers: Annotated[list[int], "the numbers, in order"],
    ) -> dict[str, Any]:
        """Make a label of every number: the prefix, a hyphen and the number."""
        refuse_if(len(numbers) * (len(prefix) + 14) > _MAX_TEXT, "prefix and numbers are too long together")
        return {"labels": [f"{prefix}-{number}" for number in numbers]}

    @tool
    def pair_numbers(
        self,
        first: Annotated[list[int], "the first numbers of the pairs, in order"],
        second: Annotated[list[int], "the second numbers, in order"],
    ) -> dict[str, Any]:
        """Pair every number of one list with every number of another one."""
        refuse_if(len(first) * len(second) > _MAX_COUNT, f"at most {_MAX_COUNT} pairs can be made")
        return {"pairs": [[one, other] for one in first for other in second]}


_NOTATIONS = {"binary": ("b", 2), "octal": ("o", 8), "hexadecimal": ("x", 16)}

Notation = Literal["binary", "octal", "hexadecimal"]


class Formats(Toolbox):
    """Tools that write the same data in another format."""

    @tool
    def write_number(
        self, number: Annotated[int, "the number, 0 or more"], notation: Annotated[Notation, "how to write it"]
    ) -> dict[str, Any]:
        """Write a whole number in binary, octal or hexadecimal digits, with small letters."""
        refuse_if(number < 0, "number must not be negative")
        return {"digits": format(number, _NOTATIONS[notation][0])}

    @tool
    def read_number(
        self, digits: Annotated[str, "the digits"], notation: Annotated[Notation, "how it is written"]
    ) -> dict[str, Any]:
        """Read a whole number that is written in binary, octal or hexadecimal digits."""
        allowed = "0123456789abcdef"[: _NOTATIONS[notation][1]]
        refuse_if(not 1 <= len(digits) <= 40 or not set(digits.lower()) <= {*allowed}, f"must be 1 to 40 of {allowed}")
        return {"number": int(digits, len(allowed))}

    @tool
    def write_duration(self, seconds: Annotated[int, "the duration in seconds, 0 or more"]) -> dict[str, Any]:
        """Write a duration as hours, minutes and seconds with colons between them."""
        refuse_if(seconds < 0, "seconds must not be negative")
        return {"duration": f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"}

    @tool
    def read_table(
        self, table: Annotated[str, "lines separated by semicolons, cells by commas; the first line has the names"]
    ) -> dict[str, Any]:
        """Turn a table that is written as one line of text into a list of objects, one for every line."""
        names, *rows = [line.split(",") for line in _check_length(table).split(";")]
        refuse_first(
            (len({*names}) < len(names), "the first line must have different names"),
            (any(len(row) != len(names) for row in rows), "all lines must have the same number of cells"),
            (len(rows) * len("".join(names)) > _MAX_TEXT, f"the objects must have at most {_MAX_TEXT} characters"),
        )
        return {"objects": [dict(zip(names, row, strict=True)) for row in rows]}
