"""Comparison of methods or agents over the same problems: pairs, averages, performance profiles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, combinations, product
from math import fsum
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from planoracle.analysis.frames.schema import from_rows, records
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.statistics.bootstrap import Floats, Sample, intervals, weighted_median
from planoracle.analysis.statistics.grade_columns import GradeRows
from planoracle.analysis.statistics.groupings import COMPARED, MOST_PAIRED
from planoracle.analysis.statistics.observations import Observations, observe
from planoracle.instances.errors import InputError
from planoracle.instances.text import one_of

if TYPE_CHECKING:
    import pandas as pd

#: Values counted in ticks, which are of different lengths in different benchmarks.
_IN_TICKS = ("makespan", "optimum", "lower_bound", "optimal_makespan")

Absent = Literal["failed", "skipped"]


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def pairs(
    frame: pd.DataFrame | Iterable[Grade],
    chosen: str | Iterable[tuple[str, str]] | None = None,
    *,
    value: str | Sequence[str] | None = None,
    better: Literal["lower", "higher"] | None = None,
    label_column: str | None = None,
    absent: Absent = "failed",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare models, or methods, two by two over the same problems: frame ``pairings``.

    Of grades, ``pairs(read_grades("grades.jsonl"))`` compares the rates of success and the main scores of all models.

    An answer that is missing, rejected by the rules or (for makespans and gaps) of a failed plan counts as a loss, and
    as infinitely bad in medians. Means are over the problems with both answers; their number is ``pairs`` minus the
    failed ones. Intervals are bootstrap intervals, problems being drawn within their sets.

    Several runs of a method for one problem are samples. A method wins a problem if its runs are better in more of the
    pairs of one run of each method; failed runs lose these. Means are over the runs that did not fail, medians over
    the median of all runs; a problem is failed if all its runs failed. Problems are drawn with all their runs: their
    means already vary with the samples, and drawing runs as well would count this variance twice.

    Parameters
    ----------
    frame
        Grades, as `planoracle.grade` and `planoracle.read_grades` return them, or a frame: ``comparisons`` or
        ``grades``.
    chosen
        Pairs of names; or one name, which all others are compared with (as ``b``); all pairs by default.
    value, better
        Column or columns, and which of its values are better (known for the columns of our frames). Default:
        ``success`` and ``main_score`` of grades, ``makespan`` of ``comparisons``.
    label_column
        Column with the names of methods; ``method`` or ``model`` by default.
    absent
        ``failed``: a problem without a row of one method counts as a failure of it; ``skipped``: it is omitted and
        counted in ``left_out``.
    level, draws, seed
        Of the intervals, see `planoracle.analysis.statistics.bootstrap.intervals`.

    Raises
    ------
    InputError
        For missing columns, unknown names and invalid options.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"instance": list("vwxyz") * 2, "method": ["a"] * 5 + ["b"] * 5,
    ...                       "makespan": [4, 5, 6, 7, None, 5, 5, 8, 6, 9]})
    >>> row = pairs(frame, [("a", "b")]).iloc[0]
    >>> print(*row[["wins", "ties", "losses", "failed_a", "mean_difference", "p_sign"]])
    2 1 2 1 -0.5 1.0
    >>> from planoracle import grade
    >>> plan = {"instance": "timearena/household1", "plan": "wash cup"}
    >>> pairs([grade(plan | {"model": name}) for name in "ab"])[["a", "b", "value", "wins", "ties"]].values.tolist()
    [['a', 'b', 'success', 0, 1], ['a', 'b', 'main_score', 0, 1]]
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        grades = GradeRows()
        for grade in frame:
            grades.add(grade if grades.accepts(grade) else replace(grade, scored=False))
        frame = grades.outcomes()
    if value is None:
        value = COMPARED if "main_score" in frame.columns else "makespan"
    rows = []
    for name in [value] if isinstance(value, str) else value:
        table = observe(frame, name, better=better, label_column=label_column, absent=absent)
        name_pairs = _pairs(chosen, table.names)
        compared = [_pairing(table, a, b, level, draws, seed) for a, b in name_pairs]
        adjusted = holm([row["p_sign"] for row in compared])
        rows += [row | {"p_adjusted": p_value} for row, p_value in zip(compared, adjusted, strict=True)]
    return from_rows("pairings", rows)[0]


def _pairs(chosen: str | Iterable[tuple[str, str]] | None, names: list[str]) -> list[tuple[str, str]]:
    if chosen is None:
        return list(combinations(names, 2))
    chosen_pairs = [(name, chosen) for name in names] if isinstance(chosen, str) else list(chosen)
    for name in chain.from_iterable(chosen_pairs):
        if name not in names:
            raise InputError(one_of(name, names), field="chosen", value=name)
    if isinstance(chosen, str):
        return [pair for pair in chosen_pairs if pair[0] != chosen]
    return chosen_pairs


def _pairing(table: Observations, a: str, b: str, level: float, draws: int, seed: int) -> dict[str, Any]:
    values_a = table.values[a].to_numpy(float)
    values_b = table.values[b].to_numpy(float)
    compared = ~(np.isnan(values_a) | np.isnan(values_b))
    values_a, values_b = values_a[compared], values_b[compared]
    strata = table.strata[compared].tolist()
    sign = table.sign
    failed_a, failed_b = values_a == sign * np.inf, values_b == sign * np.inf
    both = ~(failed_a | failed_b)
    difference, ratio = _differences(values_a, values_b)
    balance = -sign * difference
    middles_a, middles_b = values_a.copy(), values_b.copy()
    paired_runs = zip(table.runs[a][compared], table.runs[b][compared], strict=True)
    for i, (runs_a, runs_b) in enumerate(paired_runs):
        if len(runs_a) > 1 or len(runs_b) > 1:
            balance[i] = _balance(runs_a, runs_b, sign)
            middles_a[i], middles_b[i] = _middle(runs_a), _middle(runs_b)
    wins = int(np.count_nonzero(balance > 0))
    ties = int(np.count_nonzero(balance == 0))
    losses = len(values_a) - wins - ties
    middle_difference, middle_ratio = _differences(middles_a, middles_b)
    samples: dict[str, Sample] = {}
    if table.value not in _IN_TICKS or len(set(table.benchmarks[compared])) < 2:
        samples["mean_difference"] = Sample(np.where(both, difference, np.nan), "mean")
        samples["median_difference"] = Sample(middle_difference, "median")
    if sign > 0 and bool(np.all(values_a > 0) and np.all(values_b > 0)):
        logarithms = np.log(np.where(both, ratio, 1.0))
        samples["mean_ratio"] = Sample(np.where(both, logarithms, np.nan), "mean")
        samples["median_ratio"] = Sample(middle_ratio, "median")
    row: dict[str, Any] = {
        "a": a,
        "b": b,
        "value": table.value,
        "better": table.better,
        "pairs": len(values_a),
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "failed_a": int(failed_a.sum()),
        "failed_b": int(failed_b.sum()),
        "failed_both": int((failed_a & failed_b).sum()),
        "left_out": len(table.values) - len(values_a) + len(table.lost),
    }
    row |= _estimates(samples, strata, level, draws, seed)
    row["p_sign"] = sign_test(wins, losses)
    return row


def _balance(runs_a: Sequence[float], runs_b: Sequence[float], sign: int) -> int:
    """Return in how many more pairs of runs the first is better than worse."""
    column, row = np.array(runs_a)[:, None], np.array(runs_b)[None, :]
    difference, _ = _differences(column, row)
    return int(np.sign(-sign * difference).sum())


def _middle(runs: Sequence[float]) -> float:
    """Return the median of some runs in order; between a failure and another run it is the failure."""
    count = len(runs)
    low, high = runs[(count - 1) // 2], runs[count // 2]
    return low if low == high else (low + high) / 2


def _differences(values_a: Floats, values_b: Floats) -> tuple[Floats, Floats]:
    """Return differences and ratios; two failures are alike."""
    equal = (values_a == values_b) | np.isclose(values_a, values_b, rtol=1e-9, atol=1e-12)
    differences = np.where(equal, 0.0, values_a - values_b)
    ratios = np.where(equal, 1.0, values_a / values_b)
    return differences, ratios


def _estimates(
    samples: dict[str, Sample], strata: Sequence[int], level: float, draws: int, seed: int
) -> dict[str, float]:
    """Return the statistics with their intervals as columns; without enough data they are omitted."""
    ends = intervals(samples, strata, level=level, draws=draws, seed=seed)
    columns: dict[str, float] = {}
    for name, sample in samples.items():
        values = sample.values[~np.isnan(sample.values)]
        if not len(values):
            continue
        if sample.statistic == "mean":
            estimate = float(np.mean(values))
        else:
            estimate = float(weighted_median(values, np.ones((1, len(values))))[0])
        numbers = [estimate, *(ends[name] or ())]
        if name == "mean_ratio":  # taken of logarithms
            numbers = [float(np.exp(number)) for number in numbers]
        columns |= zip((name, f"{name}_low", f"{name}_high"), numbers, strict=False)
    return columns


def pairs_of_models(outcomes: pd.DataFrame, models: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows of the frame ``pairings`` without missing values: all pairs of models.

    Of more than `MOST_PAIRED` models, only pairs with the first one.

    Parameters
    ----------
    outcomes
        See `planoracle.analysis.statistics.grade_columns.GradeRows.outcomes`.
    models
        At least two names, the best first, which is ``a`` of its pairs.
    """
    if len(models) <= MOST_PAIRED:
        chosen = list(combinations(models, 2))
    else:
        chosen = list(product(models[:1], models[1:]))
    return records(pairs(outcomes, chosen=chosen, draws=2_000))


def profiles(
    frame: pd.DataFrame,
    *,
    value: str = "makespan",
    against: Literal["best", "optimum"] = "best",
    label_column: str | None = None,
    absent: Absent = "failed",
    level: float = 0.95,
) -> pd.DataFrame:
    """Compute performance profiles (Dolan and Moré, Math. Program. 91, 2002): frame ``profiles``.

    A profile is the share of problems that a method answers within a ratio of the best answer of all methods, or of the
    proved optimum. A problem without an answer counts as never within a ratio. A row is a step: its share holds from
    its ratio to that of the next row. Several runs of a problem have equal weights that sum to one, and the best answer
    is that of the best run. Ratios to the best answer depend on the methods in the frame.

    Parameters
    ----------
    value
        A column whose lower values are better.
    against
        ``best``, or ``optimum``: problems without a proved optimum are then left out and counted.
    label_column, absent
        See `pairs`.
    level
        Of Wilson's intervals for a share.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"instance": list("xy") * 2, "method": list("aabb"), "makespan": [4, 6, 5, None]})
    >>> profiles(frame)[["method", "ratio", "share"]].values.tolist()
    [['a', 1.0, 1.0], ['b', 1.0, 0.0], ['b', 1.25, 0.5]]
    """
    table = observe(frame, value, better=None, label_column=label_column, absent=absent)
    if table.better != "lower":
        raise InputError("must be a column whose lower values are better", field="value", value=value)
    rows = []
    cells = table.runs.to_numpy(object)
    best = np.array([min(chain.from_iterable(row), default=np.nan) for row in cells], dtype=float)
    base = best if against == "best" else table.optima
    compared = ~(table.values.isna().to_numpy(bool).any(axis=1) | np.isnan(base))
    cells, base = cells[compared], base[compared]
    if (best[compared] < 0).any():
        raise InputError("must not be negative", field=value, value=float(best[compared].min()))
    count = len(cells)
    shared = {"problems": count, "left_out": len(table.values) - count + len(table.lost)}
    for place, name in enumerate(table.names):
        weights: defaultdict[float, list[float]] = defaultdict(list, {1.0: []})
        for runs, reference in zip(cells[:, place], base.tolist(), strict=True):
            for run in runs:
                weights[_ratio(run, reference)].append(1 / len(runs))
        weights.pop(np.inf, None)
        hits = 0.0
        for ratio in sorted(weights):
            hits = min(hits + fsum(weights[ratio]), count)
            low, high = wilson(hits, count, level)
            share = None if not count else hits / count
            step = {"method": name, "ratio": ratio, "share": share, "share_low": low, "share_high": high}
            rows.append(shared | step)
    return from_rows("profiles", rows)[0]


def _ratio(run: float, reference: float) -> float:
    if not np.isfinite(run):
        return np.inf
    if run == reference:
        return 1.0
    return run / reference if reference else np.inf


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided p-value of the sign test; ties count for neither side.

    Examples
    --------
    >>> round(sign_test(8, 1), 6), sign_test(3, 3), sign_test(0, 0)
    (0.039063, 1.0, 1.0)
    """
    count, fewer = wins + losses, min(wins, losses)
    steps = np.arange(fewer, dtype=float)
    ratios = (count - steps) / (steps + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])  # of binomial coefficients
    top = logs.max()
    log_sum = top + np.log(np.exp(logs - top).sum())
    return float(min(1.0, 2 * np.exp(log_sum - count * np.log(2))))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple tests (Holm, Scand. J. Stat. 6, 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    adjusted = np.zeros(len(p_values))
    scaled = np.arange(len(p_values), 0, -1) * np.array(p_values, dtype=float)[order]
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return adjusted.tolist()


def wilson(hits: float, count: int, level: float = 0.95) -> tuple[float | None, float | None]:
    """Return Wilson's interval for a share; ``None`` for a count of 0.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(9, 10)]
    [0.596, 0.982]
    """
    if not count:
        return None, None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, square = hits / count, z * z / count
    middle = (share + square / 2) / (1 + square)
    variance = share * (1 - share) / count + square / count / 4
    reach = z * np.sqrt(variance) / (1 + square)
    # At the ends rounding must not shut the share itself out.
    low = float(middle - reach) if hits else 0.0
    high = float(middle + reach) if hits < count else 1.0
    return low, high
