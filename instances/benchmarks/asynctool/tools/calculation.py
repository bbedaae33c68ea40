"""Tool families without a state: whole numbers, strings, generated data, and formats of data."""

from __future__ import annotations

import re
from itertools import product
from math import gcd
from random import Random
from typing import Annotated, Any, Literal

from planoracle.instances.benchmarks.asynctool.tools.base import ToolFamily, operation, refuse_if
from planoracle.instances.generate.parameters import below

_MOST = 10**12


class Numbers(ToolFamily):
    """Tools that calculate with whole numbers; results are exact."""

    @operation
    def add_numbers(self, numbers: Annotated[list[int], "the numbers, in order"]) -> dict[str, Any]:
        """Add up a list of whole numbers."""
        total = sum(numbers)
        refuse_if(abs(total) > _MOST, f"the sum is larger than {_MOST:,}")
        return {"sum": total}

    @operation
    def keep_multiples(
        self,
        numbers: Annotated[list[int], "the numbers, in order"],
        divisor: Annotated[int, "what they must be multiples of"],
    ) -> dict[str, Any]:
        """Keep those numbers of a list that are multiples of a positive divisor, in the same order."""
        refuse_if(divisor < 1, "divisor must be positive")
        multiples = [number for number in numbers if number % divisor == 0]
        return {"numbers": multiples}

    @operation
    def divide_whole(
        self,
        dividend: Annotated[int, "the number to divide, 0 or more"],
        divisor: Annotated[int, "the number to divide by, 1 or more"],
    ) -> dict[str, Any]:
        """Divide one whole number by another; the result is the whole quotient and the remainder."""
        refuse_if(dividend < 0, "dividend must not be negative")
        refuse_if(divisor < 1, "divisor must be positive")
        quotient, remainder = divmod(dividend, divisor)
        return {"quotient": quotient, "remainder": remainder}

    @operation
    def common_divisor(
        self,
        first: Annotated[int, "the one number, 1 or more"],
        second: Annotated[int, "the other number, 1 or more"],
    ) -> dict[str, Any]:
        """Find the greatest common divisor of two positive whole numbers."""
        refuse_if(first < 1, "first must be positive")
        refuse_if(second < 1, "second must be positive")
        return {"divisor": gcd(first, second)}


_MAX_TEXT, _MAX_SEPARATOR = 4_000, 20

GivenText = Annotated[str, "the text to work on"]


class Text(ToolFamily):
    """Tools that turn a text into another one."""

    @operation
    def join_numbers(
        self,
        numbers: Annotated[list[int], "the numbers, in order"],
        separator: Annotated[str, "what stands between two numbers"],
    ) -> dict[str, Any]:
        """Write a list of whole numbers as one text, with a separator between them."""
        refuse_if(len(separator) > _MAX_SEPARATOR, f"the separator must have at most {_MAX_SEPARATOR} characters")
        text = separator.join(map(str, numbers))
        return {"text": _check_length(text)}

    @operation
    def normalise_text(self, text: GivenText) -> dict[str, Any]:
        """Write a text in lower case, with an underscore for all but the letters a-z and digits."""
        normal = re.sub("[^A-Za-z0-9]", "_", _check_length(text))
        return {"text": normal.lower()}

    @operation
    def replace_part(
        self,
        text: GivenText,
        old: Annotated[str, "the part to replace, wherever it occurs"],
        new: Annotated[str, "what takes its place"],
    ) -> dict[str, Any]:
        """Replace every occurrence of a part of a text by something else."""
        count = text.count(old) if old else 0
        difference = len(new) - len(old)
        length = len(text) + count * difference
        refuse_if(not count, "the text does not contain the part to replace")
        refuse_if(length > _MAX_TEXT, f"the text must have at most {_MAX_TEXT} characters")
        return {"text": text.replace(old, new)}

    @operation
    def sort_words(self, text: GivenText) -> dict[str, Any]:
        """Put the words of a text into alphabetical order, capitals first, with one space between them."""
        words = sorted(_check_length(text).split())
        return {"text": " ".join(words)}


def _check_length(text: str) -> str:
    refuse_if(len(text) > _MAX_TEXT, f"the text must have at most {_MAX_TEXT} characters")
    return text


_MAX_COUNT = 100

Count = Annotated[int, f"how many, 1 to {_MAX_COUNT}"]


class Generation(ToolFamily):
    """Tools that make test data from a few parameters; equal parameters make equal data."""

    @operation
    def count_up(
        self,
        start: Annotated[int, "the first number"],
        step: Annotated[int, "the difference between two numbers"],
        count: Count,
    ) -> dict[str, Any]:
        """List whole numbers that begin with a first one and grow by the same step."""
        refuse_if(not 1 <= count <= _MAX_COUNT, f"count must lie between 1 and {_MAX_COUNT}")
        numbers = [start + step * i for i in range(count)]
        return {"numbers": numbers}

    @operation
    def draw_numbers(
        self,
        seed: Annotated[int, "seed of the draw"],
        most: Annotated[int, "the largest number that can be drawn, 1 or more"],
        count: Count,
    ) -> dict[str, Any]:
        """Draw whole numbers from 1 on at random. The same seed draws the same numbers."""
        refuse_if(most < 1, "most must be positive")
        refuse_if(not 1 <= count <= _MAX_COUNT, f"count must lie between 1 and {_MAX_COUNT}")
        random = Random(seed)
        numbers = [1 + below(random, most) for _ in range(count)]
        return {"numbers": numbers}

    @operation
    def make_labels(
        self,
        prefix: Annotated[str, "what every label begins with"],
        numbers: Annotated[list[int], "the numbers, in order"],
    ) -> dict[str, Any]:
        """Make a label of every number: the prefix, a hyphen and the number."""
        max_length = len(numbers) * (len(prefix) + 14)
        refuse_if(max_length > _MAX_TEXT, "prefix and numbers are too long together")
        labels = [f"{prefix}-{number}" for number in numbers]
        return {"labels": labels}

    @operation
    def pair_numbers(
        self,
        first: Annotated[list[int], "the first numbers of the pairs, in order"],
        second: Annotated[list[int], "the second numbers, in order"],
    ) -> dict[str, Any]:
        """Pair every number of one list with every number of another one."""
        count = len(first) * len(second)
        refuse_if(count > _MAX_COUNT, f"at most {_MAX_COUNT} pairs can be made")
        pairs = map(list, product(first, second))
        return {"pairs": list(pairs)}


_NOTATIONS = {"binary": ("b", 2), "octal": ("o", 8), "hexadecimal": ("x", 16)}

_MAX_DIGITS = 40

Notation = Literal["binary", "octal", "hexadecimal"]


class Formats(ToolFamily):
    """Tools that write the same data in another format."""

    @operation
    def write_number(
        self, number: Annotated[int, "the number, 0 or more"], notation: Annotated[Notation, "how to write it"]
    ) -> dict[str, Any]:
        """Write a whole number in binary, octal or hexadecimal digits, with small letters."""
        refuse_if(number < 0, "number must not be negative")
        code, _ = _NOTATIONS[notation]
        return {"digits": format(number, code)}

    @operation
    def read_number(
        self, digits: Annotated[str, "the digits"], notation: Annotated[Notation, "how it is written"]
    ) -> dict[str, Any]:
        """Read a whole number that is written in binary, octal or hexadecimal digits."""
        _, base = _NOTATIONS[notation]
        allowed = "0123456789abcdef"[:base]
        has_length = 1 <= len(digits) <= _MAX_DIGITS
        is_number = has_length and set(digits.lower()) <= set(allowed)
        refuse_if(not is_number, f"must be 1 to {_MAX_DIGITS} of {allowed}")
        return {"number": int(digits, base)}

    @operation
    def write_duration(self, seconds: Annotated[int, "the duration in seconds, 0 or more"]) -> dict[str, Any]:
        """Write a duration as hours, minutes and seconds with colons between them."""
        refuse_if(seconds < 0, "seconds must not be negative")
        minutes, remaining_seconds = divmod(seconds, 60)
        hours, remaining_minutes = divmod(minutes, 60)
        return {"duration": f"{hours}:{remaining_minutes:02}:{remaining_seconds:02}"}

    @operation
    def read_table(
        self, table: Annotated[str, "lines separated by semicolons, cells by commas; the first line has the names"]
    ) -> dict[str, Any]:
        """Turn a table that is written as one line of text into a list of objects, one for every line."""
        lines = _check_length(table).split(";")
        names, *rows = [line.split(",") for line in lines]
        has_duplicates = len({*names}) < len(names)
        is_ragged = any(len(row) != len(names) for row in rows)
        characters_of_names = len(rows) * len("".join(names))
        refuse_if(has_duplicates, "the first line must have different names")
        refuse_if(is_ragged, "all lines must have the same number of cells")
        refuse_if(characters_of_names > _MAX_TEXT, f"the objects must have at most {_MAX_TEXT} characters")
        objects = [dict(zip(names, row, strict=True)) for row in rows]
        return {"objects": objects}
