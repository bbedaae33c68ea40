"""Numbers: exact arithmetic with whole numbers, without a state."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from typing import Annotated, Any

from typing_extensions import TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

_MOST = 10**12


class Initial(TypedDict):
    """Nothing."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012


class Numbers(Toolbox):
    """Tools that calculate with whole numbers; results are exact."""

    Initial = Initial

    def __init__(self, initial: Mapping[str, Any]) -> None:
        pass

    def state(self) -> dict[str, Any]:
        """Return nothing: there is no state."""
        return {}

    @tool
    def add_numbers(self, numbers: Annotated[list[int], "the numbers, in order"]) -> dict[str, Any]:
        """Add up a list of whole numbers."""
        total = sum(numbers)
        if abs(total) > _MOST:
            raise ToolError(f"the sum is larger than {_MOST:,}")
        return {"sum": total}

    @tool
    def keep_multiples(
        self,
        numbers: Annotated[list[int], "the numbers, in order"],
        divisor: Annotated[int, "what they must be multiples of"],
    ) -> dict[str, Any]:
        """Keep those numbers of a list that are multiples of a positive divisor, in the same order."""
        _positive(divisor, "divisor")
        return {"numbers": [number for number in numbers if number % divisor == 0]}

    @tool
    def divide_whole(
        self,
        dividend: Annotated[int, "the number to divide, 0 or more"],
        divisor: Annotated[int, "the number to divide by, 1 or more"],
    ) -> dict[str, Any]:
        """Divide one whole number by another; the result is the whole quotient and the remainder."""
        if dividend < 0:
            raise ToolError("dividend must not be negative")
        _positive(divisor, "divisor")
        quotient, remainder = divmod(dividend, divisor)
        return {"quotient": quotient, "remainder": remainder}

    @tool
    def common_divisor(
        self,
        first: Annotated[int, "the one number, 1 or more"],
        second: Annotated[int, "the other number, 1 or more"],
    ) -> dict[str, Any]:
        """Find the greatest common divisor of two positive whole numbers."""
        _positive(first, "first")
        _positive(second, "second")
        return {"divisor": gcd(first, second)}


def _positive(number: int, name: str) -> None:
    if number < 1:
        raise ToolError(f"{name} must be positive")
