"""Bootstrap intervals of means and medians, with problems drawn within their sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planoracle.analysis.statistics.intervals import ProblemScore

Floats = NDArray[np.float64]

# Most weights in memory at once.
_BLOCK = 2_000_000


class Sample(NamedTuple):
    """One number per member, ``nan`` for omitted members; medians may be of infinite values."""

    values: Floats
    statistic: Literal["mean", "median"]


def intervals(
    samples: Mapping[str, Sample],
    strata: Sequence[Hashable],
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> dict[str, tuple[float, float] | None]:
    """Return percentile intervals of statistics over the same members, drawn within their strata.

    Of a stratum of n members n - 1 are drawn, and weighted by n / (n - 1): this makes the variance of a mean unbiased
    for small strata, too (Rao and Wu, J. Am. Stat. Assoc. 83, 1988). Strata of a single member are merged.

    Parameters
    ----------
    samples
        By name; all of as many members as there are ``strata``.
    strata
        Stratum of every member.
    level
        Share of the intervals that cover the true value, nearly so from some ten members on; below they are too narrow.
    draws, seed
        The same seed gives the same intervals.

    Returns
    -------
    dict
        Ends of the interval; ``None`` for fewer than two members.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    >>> low, high = intervals({"x": Sample(values, "mean")}, ["s"] * 8)["x"]
    >>> round(low, 1), round(high, 1)
    (2.9, 6.1)
    """
    draws_by_name: dict[str, list[Floats]] = {name: [] for name in samples}
    for weights in _weights(_groups(strata), len(strata), draws, seed):
        for name, sample in samples.items():
            draws_by_name[name].append(_statistic(sample, weights))
    ends: dict[str, tuple[float, float] | None] = {}
    for name, sample in samples.items():
        members = np.count_nonzero(~np.isnan(sample.values))
        ends[name] = _ends(np.concatenate(draws_by_name[name]), level) if members > 1 else None
    return ends


def mean_interval(
    scores: Sequence[ProblemScore], *, level: float = 0.95, draws: int = 2_000, seed: int = 0
) -> tuple[float, float] | None:
    """Return the percentile interval of a mean over problems.

    Problems are drawn with all their samples within strata, as in `intervals`. The means of problems already vary with
    their samples; drawing samples as well would count this variance twice.

    Parameters
    ----------
    scores
        With shares that add up to 1.
    level, draws, seed
        See `intervals`.

    Returns
    -------
    tuple of float or None
        ``None`` for fewer than two problems. Both ends are the mean itself where all values are the same.

    Examples
    --------
    >>> low, high = mean_interval([ProblemScore(value, "s", 1 / 4) for value in (0.5, 1.0, 0.0, 0.5)])
    >>> round(low, 1), round(high, 1)
    (0.2, 0.8)
    """
    shares = np.array([score.share for score in scores])
    values = np.array([score.value for score in scores])
    groups = _groups([score.stratum for score in scores])
    deviations = np.zeros(len(scores))
    if len(scores) > 1:
        for members in groups:
            group_values = values[members]
            deviations[members] = group_values - np.average(group_values, weights=shares[members])
    drawn = [weights @ (shares * deviations) for weights in _weights(groups, len(scores), draws, seed)]
    return _ends(np.concatenate(drawn) + float(shares @ values), level) if drawn else None


def _groups(strata: Sequence[Hashable]) -> list[list[int]]:
    """Return the members of each stratum; single-member strata are merged."""
    counts = Counter(strata)
    members: dict[Hashable, list[int]] = {}
    single: list[int] = []
    for i, stratum in enumerate(strata):
        group = single if counts[stratum] == 1 else members.setdefault(stratum, [])
        group.append(i)
    groups = list(members.values())
    if len(single) > 1 or not groups:
        return [*groups, single] if single else groups
    groups[0] += single
    return groups


def _weights(groups: list[list[int]], count: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of rows, one draw a row, with the weight of every member."""
    if count < 2:
        return
    random = np.random.default_rng(seed)
    rows = max(1, _BLOCK // count)
    for first in range(0, draws, rows):
        block = np.zeros((min(rows, draws - first), count))
        for members in groups:
            size = len(members)
            drawn = random.multinomial(size - 1, np.full(size, 1 / size), size=len(block))
            block[:, members] = drawn * (size / (size - 1))
        yield block


def _statistic(sample: Sample, weights: Floats) -> Floats:
    present = ~np.isnan(sample.values)
    values, weights = sample.values[present], weights[:, present]
    drawn = weights.sum(axis=1) > 0
    weights = weights[drawn]
    if sample.statistic == "mean" or not len(weights):
        means: Floats = weights @ values / weights.sum(axis=1)
        return means
    return weighted_median(values, weights)


def weighted_median(values: Floats, weights: Floats) -> Floats:
    """Return the weighted median for every row of weights; the mean of two values in a tie.

    Examples
    --------
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]])).tolist()
    [2.0, 2.5]
    """
    order = np.argsort(values, kind="stable")
    ranked, below = values[order], np.cumsum(weights[:, order], axis=1)
    half = below[:, -1:] / 2
    slack = 1e-9 * half
    lower = ranked[(below >= half - slack).argmax(axis=1)]
    upper = ranked[(below > half + slack).argmax(axis=1)]
    with np.errstate(invalid="ignore"):  # between -inf and inf there is no middle
        middle: Floats = np.where(lower == upper, lower, (lower + upper) / 2)
    return middle


def _ends(drawn: Floats, level: float) -> tuple[float, float] | None:
    """Return the outer draws next to the quantiles; infinite draws forbid interpolation."""
    drawn = np.sort(drawn[~np.isnan(drawn)])
    place = int((1 - level) / 2 * (len(drawn) - 1))
    if not len(drawn):
        return None
    return float(drawn[place]), float(drawn[len(drawn) - 1 - place])
