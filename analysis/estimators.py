"""What k samples of one problem would give, estimated without bias from the n at hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, fsum

#: More samples are not asked for at once.
_MOST = 128


def pass_at(count: int, good: int, size: int) -> float:
    """Return pass@k: the chance that at least one of ``size`` samples drawn from ``count`` is among the ``good`` ones.

    ``1 - C(n - c, k) / C(n, k)`` (Chen et al., Evaluating Large Language Models Trained on Code, 2021, equation 1).

    Examples
    --------
    >>> pass_at(4, 1, 1), pass_at(4, 1, 2), pass_at(4, 1, 4), pass_at(4, 0, 2)
    (0.25, 0.5, 1.0, 0.0)
    """
    return (comb(count, size) - comb(count - good, size)) / comb(count, size)


def pass_hat(count: int, good: int, size: int) -> float:
    """Return pass^k: the chance that all of ``size`` samples drawn from ``count`` are among the ``good`` ones.

    ``C(c, k) / C(n, k)`` (Yao et al., τ-bench, 2024, section 3).

    Examples
    --------
    >>> pass_hat(4, 3, 1), pass_hat(4, 3, 2), pass_hat(4, 3, 4)
    (0.75, 0.5, 0.0)
    """
    return comb(good, size) / comb(count, size)


def best_of(values: Sequence[float], size: int) -> float:
    """Return best of k: the mean of the highest of ``size`` values, over all ways to draw so many from those given.

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
        left = count - 1 - place  # of lower ones
        if left < size:
            break
        weight *= (left - size + 1) / left
    if size == count:
        return max(values)
    return fsum(terms)


def sizes(least: int) -> list[int]:
    """Return the k that are told where every problem has at least so many samples: 1, 2, 4, 8, ... up to 128.

    Examples
    --------
    >>> sizes(5), sizes(0)
    ([1, 2, 4], [])
    """
    return [1 << power for power in range(_MOST.bit_length()) if 1 << power <= least]
