"""What models take: tokens, and money, counted in whole numbers so that sums are exact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Self

from planoracle.instances.errors import InputError

__all__ = ["PRICE", "UNCOUNTED", "Prices", "counted", "money", "total", "words"]

#: Keys of a usage: money in units of 1e-12, and answers whose tokens the server did not tell.
PRICE, UNCOUNTED = "price_e12", "uncounted"
_DECIMALS = 6
_HIGHEST = 10**6


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a model, in units of 1e-12 of the user's money for one token.

    Examples
    --------
    >>> Prices.of(input_price="2.50", output_price="10").of_tokens(1_000, 100)
    3500000000
    """

    input: int
    output: int
    cached: int

    @classmethod
    def of(cls, input_price: object, output_price: object, cached_price: object = None) -> Self | None:
        """Return the prices given for a million tokens, ``None`` if none are.

        Raises
        ------
        InputError
            If one is no price, or the one for input or output is missing.
        """
        given = {"input_price": input_price, "output_price": output_price, "cached_price": cached_price}
        read = {field: _price(field, value) for field, value in given.items() if value is not None}
        if not read:
            return None
        for field in ("input_price", "output_price"):
            if field not in read:
                raise InputError("is missing: money is counted where both prices are given", field=field)
        return cls(read["input_price"], read["output_price"], read.get("cached_price", read["input_price"]))

    def of_tokens(self, given: int, answered: int, cached: int = 0) -> int:
        """Return what tokens cost; ``cached`` ones are some of those ``given``."""
        return (given - cached) * self.input + cached * self.cached + answered * self.output


def _price(field: str, value: object) -> int:
    wanted = f"must be a price for a million tokens, from 0 on, with at most {_DECIMALS} decimals"
    try:
        price = Decimal(str(value))
        scaled = price.scaleb(_DECIMALS) if price.is_finite() and 0 <= price <= _HIGHEST else None
    except InvalidOperation:
        scaled = None
    if scaled is None or scaled != int(scaled):
        raise InputError(wanted, field=field, value=value)
    return int(scaled)


def counted(told: object, prices: Prices | None) -> dict[str, int]:
    """Return the tokens of one answer, as the server told them, and their price.

    ``cached_tokens`` are some of the ``input_tokens``, ``reasoning_tokens`` of the ``output_tokens``.

    Examples
    --------
    >>> counted({"prompt_tokens": 12, "completion_tokens": 3}, Prices.of("1", "2"))
    {'input_tokens': 12, 'output_tokens': 3, 'price_e12': 18000000}
    >>> counted(None, None)
    {'uncounted': 1}
    """
    given, answered = _number(told, "prompt_tokens"), _number(told, "completion_tokens")
    if given is None or answered is None:
        return {UNCOUNTED: 1}
    found = {"input_tokens": given, "output_tokens": answered}
    cached = _number(_field(told, "prompt_tokens_details"), "cached_tokens")
    thought = _number(_field(told, "completion_tokens_details"), "reasoning_tokens")
    if cached:
        found["cached_tokens"] = min(cached, given)
    if thought:
        found["reasoning_tokens"] = min(thought, answered)
    if prices is not None:
        found[PRICE] = prices.of_tokens(given, answered, found.get("cached_tokens", 0))
    return found


def _field(told: object, name: str) -> object:
    return told.get(name) if isinstance(told, Mapping) else getattr(told, name, None)


def _number(told: object, name: str) -> int | None:
    value = _field(told, name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def total(usages: Iterable[Mapping[str, object] | None]) -> dict[str, int]:
    """Return the sum of all usages, key by key in the order of the alphabet; what is no whole number is left out.

    Examples
    --------
    >>> total([{"input_tokens": 5}, None, {"input_tokens": 7, "uncounted": 1}])
    {'input_tokens': 12, 'uncounted': 1}
    """
    found: dict[str, int] = {}
    for usage in usages:
        for key, value in (usage or {}).items():
            if isinstance(value, int) and not isinstance(value, bool):
                found[key] = found.get(key, 0) + value
    return dict(sorted(found.items()))


def money(usage: Mapping[str, object]) -> str | None:
    """Return the price in a usage in units of the user's money, with all decimals; ``None`` if it has none.

    Examples
    --------
    >>> money({"price_e12": 18_450_000})
    '0.00001845'
    """
    price = usage.get(PRICE)
    return f"{Decimal(price).scaleb(-12).normalize():f}" if isinstance(price, int) else None


def words(usage: Mapping[str, object]) -> str:
    """Return what a usage holds as people read it.

    Examples
    --------
    >>> words({"input_tokens": 14_626, "output_tokens": 324, "price_e12": 2_388_300_000, "uncounted": 1})
    '14,626 input tokens, 324 output tokens, price 0.0023883, 1 uncounted'
    """
    price = money(usage)
    return ", ".join(
        f"price {price}" if name == PRICE else f"{count:,} {name.replace('_', ' ')}"
        for name, count in usage.items()
        if isinstance(count, int)
    )
