"""Choices at random that stay the same: on every machine, and with every version of Python.

Of `random.Random` only ``random()`` is used, the one method whose sequence is documented to stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def below(random: Random, limit: int) -> int:
    """Return a whole number from 0 up to, but not including, a limit."""
    return int(random.random() * limit)


def chance(random: Random, percent: int) -> bool:
    """Return ``True`` so many times in a hundred."""
    return below(random, 100) < percent


def one(random: Random, options: Sequence[T]) -> T:
    """Return one of some options, each as likely as the others."""
    return options[below(random, len(options))]


def weighted(random: Random, weights: Mapping[T, int]) -> T:
    """Return one of some options, as likely as their weights say."""
    return one(random, [option for option, weight in weights.items() for _ in range(weight)])


def shuffled(random: Random, things: Iterable[T]) -> list[T]:
    """Return things in any order."""
    rest = list(things)
    return [rest.pop(below(random, len(rest))) for _ in range(len(rest))]
