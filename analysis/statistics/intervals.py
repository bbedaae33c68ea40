"""Estimators over samples, intervals of shares and exact means."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import comb, fsum
from statistics import NormalDist
from typing import Final, NamedTuple

from planoracle.analysis import statistics

# Largest k of pass@k.
_MOST = 128
#: Level of the intervals in tables.
LEVEL: Final = 0.95


def pass_at(count: int, good: int, size: int) -> float:
    """Return pass@k: the probability that at least one of ``size`` samples succeeds.

    Of ``count`` samples ``good`` succeed. ``1 - C(n - c, k) / C(n, k)``
    (Chen et al., Evaluating Large Language Models Trained on Code, 2021, equation 1).

    Examples
    --------
    >>> pass_at(4, 1, 1), pass_at(4, 1, 2), pass_at(4, 1, 4), pass_at(4, 0, 2)
    (0.25, 0.5, 1.0, 0.0)
    """
    return (comb(count, size) - comb(count - good, size)) / comb(count, size)


def pass_hat(count: int, good: int, size: int) -> float:
    """Return pass^k: the probability that all of ``size`` samples succeed.

    Of ``count`` samples ``good`` succeed. ``C(c, k) / C(n, k)`` (Yao et al., τ-bench, 2024, section 3).

    Examples
    --------
    >>> pass_hat(4, 3, 1), pass_hat(4, 3, 2), pass_hat(4, 3, 4)
    (0.75, 0.5, 0.0)
    """
    return comb(good, size) / comb(count, size)


def best_of(values: Sequence[float], size: int) -> float:
    """Return best of k: the mean maximum over all subsets of ``size`` values.

    The i-th smallest of n is the highest in ``C(i - 1, k - 1)`` of the ``C(n, k)`` draws.

    Examples
    --------
    >>> best_of([0.5, 1.0, 0.0], 1), best_of([0.5, 1.0, 0.0], 3)
    (0.5, 1.0)
    >>> round(best_of([0.5, 1.0, 0.0], 2), 12)
    0.833333333333
    """
    count = len(values)
    terms, weight = [], size / count
    for place, value in enumerate(sorted(values, reverse=True)):
        terms.append(weight * value)
        lower_ones = count - 1 - place
        if lower_ones < size:
            break
        weight *= (lower_ones - size + 1) / lower_ones
    if size == count:
        return max(values)
    return fsum(terms)


def sizes(min_samples: int) -> list[int]:
    """Return the reported k if every problem has ``min_samples`` samples: 1, 2, 4, ... up to 128.

    Examples
    --------
    >>> sizes(5), sizes(0)
    ([1, 2, 4], [])
    """
    powers = (1 << exponent for exponent in range(_MOST.bit_length()))
    return [power for power in powers if power <= min_samples]


class ProblemScore(NamedTuple):
    """Mean value of the samples of one problem.

    Attributes
    ----------
    share
        Weight of the problem in the mean of all problems.
    max_value
        Largest possible value.
    """

    value: float
    stratum: Hashable
    share: float
    max_value: float = 1.0


def exact_sum(values: Iterable[float]) -> float:
    """Return the sum of finite numbers, rounded once, so that it does not depend on their order.

    It is infinite, or not a number, where it is too large for a float.
    """
    numbers = list(values)
    try:
        return fsum(numbers)
    except (OverflowError, ValueError):
        return sum(numbers)


def mean_of_runs(values: Sequence[float]) -> float:
    """Return the mean of the values of the runs of a problem; there must be one."""
    return exact_sum(values) / len(values)


def mean(values: Iterable[float | None], failed: int = 0) -> float | None:
    """Return the mean of the values that are not ``None``, and of ``failed`` zeros.

    The sum is exact, so that it does not depend on the order of the values.
    """
    present = [value for value in values if value is not None]
    count = len(present) + failed
    return fsum(present) / count if count else None


def share_interval(scores: Sequence[ProblemScore]) -> tuple[float, float] | None:
    """Return the interval of a mean share, see `planoracle.analysis.statistics.bootstrap.mean_interval`.

    If all problems have the same value, the bootstrap has no variance. Then the ends are those of Wilson's interval: at
    most a share of ``z² / (n + z²)`` of all problems can differ, with a value of 0 or 1. If all values are above 1, as
    scores relative to a reference can be, the ends are the mean itself. Fewer than two problems have no interval.
    """
    if len(scores) < 2:
        return None
    first = scores[0].value
    if all(score.value == first for score in scores):
        if first > 1:
            return None
        square = NormalDist().inv_cdf((1 + LEVEL) / 2) ** 2
        differing_share = square / (len(scores) + square)
        return first * (1 - differing_share), first + (1 - first) * differing_share
    ends = statistics.bootstrap.mean_interval(scores, level=LEVEL)
    if ends is None:
        return None
    max_value = max(score.max_value for score in scores)
    return max(0.0, ends[0]), min(max_value, ends[1])
