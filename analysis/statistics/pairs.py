"""Methods, or agents, compared over the same problems, with intervals; failures and what is left out are told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, isfinite, nan
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from planoracle.analysis.frames.columns import SIZES
from planoracle.analysis.frames.schema import from_rows
from planoracle.analysis.statistics.intervals import Floats, Sample, intervals, weighted_median
from planoracle.instances.errors import InputError
from planoracle.instances.text import one_of

# Which values are better, and what a failure counts as; by default it is infinitely bad.
_LOWER = ("makespan", "gap", "gap_bound", "seconds", "violations", "cost")
_HIGHER = ("efficiency", "r_efficiency", "r_efficiency_optimal", "multitasking_score")
_SHARES = ("success", "progress", "goal_ratio")
# Values that a failed plan has, too, but that say nothing good of it.
_OF_SUCCESS = ("makespan", "gap", "gap_bound")

_UNNAMED = "unnamed"
_KEY = ["benchmark", "set", "instance"]
_GROUPS = ("benchmark", "set", "size")


@dataclass(frozen=True)
class Observations:
    """A table of problems and methods.

    Attributes
    ----------
    values
        A row per problem, a column per method: the mean over the runs that did not fail; infinite if all failed,
        missing for what is left out.
    runs
        Of the same shape: the values of all runs, in order, infinite for failures; empty for what is left out.
    info
        Of the same rows: ``benchmark, set, size, optimum``.
    lost
        ``info`` of the problems not in the table: proved to have no solution, or never scored.
    """

    values: pd.DataFrame
    info: pd.DataFrame
    value: str
    better: Literal["lower", "higher"]
    lost: pd.DataFrame
    runs: pd.DataFrame

    @property
    def names(self) -> list[str]:
        """Names of the methods, in order of appearance."""
        return [str(name) for name in self.values.columns]

    @property
    def sign(self) -> int:
        """1 if lower values are better, else -1."""
        return 1 if self.better == "lower" else -1

    @property
    def strata(self) -> NDArray[np.int64]:
        """Number of the benchmark and set of every problem."""
        numbers = self.info.groupby(["benchmark", "set"]).ngroup()
        return np.array(numbers, dtype=np.int64)

    @property
    def benchmarks(self) -> NDArray[np.str_]:
        """Benchmark of every problem."""
        return self.info["benchmark"].to_numpy(str)

    @property
    def optima(self) -> NDArray[np.float64]:
        """Proved optimum of every problem, ``nan`` if unknown."""
        return self.info["optimum"].to_numpy(float)

    def groups(self, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], Observations]]:
        """Yield the parts that have the same ``by`` columns, with these; all if there are none."""
        if not by:
            yield {}, self
            return
        keys = self.info[[*by]].apply(tuple, axis=1) if len(self.info) else pd.Series([], dtype=object)
        lost = self.lost[[*by]].apply(tuple, axis=1) if len(self.lost) else pd.Series([], dtype=object)
        order = {name: place for place, name in enumerate(("", *SIZES))}
        for key in sorted(set(keys) | set(lost), key=lambda key: [(order.get(part, 0), part) for part in key]):
            inside = (keys == key).to_numpy(bool)
            gone = (lost == key).to_numpy(bool)
            kept = self.values[inside], self.info[inside]
            part = Observations(*kept, self.value, self.better, self.lost[gone], self.runs[inside])
            yield dict(zip(by, key, strict=True)), part


def observe(
    frame: pd.DataFrame,
    value: str,
    *,
    better: Literal["lower", "higher"] | None,
    who: str | None,
    by: Sequence[str],
    absent: Literal["failed", "skipped"],
    methods: Sequence[str] | None = None,
) -> Observations:
    """Put a column of a frame into a table of problems and methods; see `planoracle.analysis.statistics.pairs.pairs`.

    Raises
    ------
    InputError
        For columns or methods that are not there, and options that do not fit.
    """
    who = who or ("method" if "method" in frame.columns else "model")
    for field, name in (("frame", "instance"), ("who", who), ("value", value)):
        if name not in frame.columns:
            raise InputError(one_of(name, map(str, frame.columns), "columns"), field=field, value=name)
    for name in by:
        if name not in _GROUPS or (name == "size" and not {"actions", "size"} & {*frame.columns}):
            known = "benchmark, set, or size (where there is a column actions)"
            raise InputError(f"must be {known}", field="by", value=name)
    better = better or ("lower" if value in _LOWER else "higher" if value in (*_HIGHER, *_SHARES) else None)
    if better not in ("lower", "higher"):
        raise InputError("must be lower or higher: which values are better", field="better", value=better)
    worst = 0.0 if value in _SHARES else np.inf if better == "lower" else -np.inf
    rows = _rows(frame, value, who, worst)
    named = rows["who"][~(rows["unscored"] & (rows["who"] == _UNNAMED))]
    chosen = list(dict.fromkeys(named if methods is None else methods))
    for name in chosen:
        if methods is not None and name not in set(rows["who"]):
            raise InputError("is in no row of the frame", field="methods", value=name)
    problems = rows.groupby(_KEY)
    info = problems.agg(size=("size", "first"), optimum=("optimum", "max"))
    keys = info.index.tolist()
    info = info.reset_index(["benchmark", "set"])
    lost = (problems["infeasible"].any() | problems["unscored"].all()).to_numpy(bool)
    missing = (worst,) if absent == "failed" else ()
    # A run that is not scored is neither a failure nor missing: it leaves an empty cell.
    scored = rows["value"].where(~rows["unscored"])
    cells = {key: tuple(sorted(runs.dropna())) for key, runs in scored.groupby([rows[name] for name in (*_KEY, "who")])}
    table = [[cells.get((*key, name), missing) for name in chosen] for key in keys]
    runs = pd.DataFrame(table, index=info.index, columns=chosen, dtype=object)[~lost]
    return Observations(runs.map(_mean).astype(float), info[~lost], value, better, info[lost], runs)


def _mean(runs: Sequence[float]) -> float:
    """Return the mean of the runs that did not fail; of failures alone what they count as."""
    known = [run for run in runs if isfinite(run)]
    return fsum(known) / len(known) if known else runs[0] if runs else nan


def _rows(frame: pd.DataFrame, value: str, who: str, worst: float) -> pd.DataFrame:
    """Return the rows with a number each: what failed has the worst, what is not scored is marked."""

    def column(name: str) -> pd.Series[Any]:
        return frame[name] if name in frame.columns else pd.Series(pd.NA, index=frame.index, dtype="object")

    def text(series: pd.Series[Any]) -> list[str]:
        return ["" if missing else str(one) for one, missing in zip(series, series.isna(), strict=True)]

    def holds(name: str, wanted: Any) -> NDArray[np.bool_]:
        return np.array(column(name).astype(object).map(lambda one: one == wanted, na_action="ignore") == True)  # noqa: E712

    numbers = pd.to_numeric(frame[value]).astype("Float64").to_numpy(float, na_value=np.nan)
    failed = np.isnan(numbers) | holds("accepted", False)
    if value in _OF_SUCCESS:
        failed |= holds("success", False)
    sizes = frame["size"] if "size" in frame.columns else column("actions").map(size_class, na_action="ignore")
    optimum = column("optimum" if "optimum" in frame.columns else "optimal_makespan")
    return pd.DataFrame(
        {
            "instance": text(frame["instance"]),
            "who": [name or _UNNAMED for name in text(frame[who])],
            "benchmark": text(column("benchmark")),
            "set": text(column("set")),
            "size": text(sizes),
            "value": np.where(failed, worst, numbers),
            "unscored": holds("scored", False),
            "infeasible": holds("settled", "infeasible"),
            "optimum": optimum.astype("Float64").to_numpy(float, na_value=np.nan),
        }
    )


def size_class(actions: int) -> str:
    """Return the class of a problem by its number of actions.

    Examples
    --------
    >>> size_class(10), size_class(24), size_class(150)
    ('1-10', '21-40', '81+')
    """
    tops = [int(name.rpartition("-")[2]) for name in SIZES[:-1]]
    return next((name for name, top in zip(SIZES, tops, strict=False) if actions <= top), SIZES[-1])


def with_actions(frame: pd.DataFrame, problems: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the numbers of actions of the frame ``instances`` as the column ``actions``.

    Raises
    ------
    InputError
        If the problems name one instance twice with different numbers.
    """
    known = problems[["instance", "actions"]].drop_duplicates()
    twice = known["instance"][known["instance"].duplicated()]
    if len(twice):
        raise InputError("has several numbers of actions", field="instance", value=str(twice.iloc[0]))
    return frame.assign(actions=frame["instance"].map(known.set_index("instance")["actions"]).astype("Int64"))


#: Values counted in ticks, which are of different lengths in different benchmarks.
_IN_TICKS = ("makespan", "optimum", "lower_bound", "optimal_makespan")

Absent = Literal["failed", "skipped"]


def pairs(
    frame: pd.DataFrame,
    chosen: str | Iterable[tuple[str, str]] | None = None,
    *,
    value: str = "makespan",
    better: Literal["lower", "higher"] | None = None,
    who: str | None = None,
    by: Sequence[str] = (),
    absent: Absent = "failed",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare methods two by two over the same problems: frame ``pairings``.

    An answer that is missing, refused by the rules or (for makespans and gaps) of a plan that failed counts as a loss,
    and as infinitely bad in medians; means are over the problems where both answer, and their number is the
    pairs without the failed ones. Intervals are bootstrap intervals, problems being drawn within their sets.

    Several runs of a method for one problem are samples. The problem is won by whose runs are better in more of the
    pairs of a run of each; runs that fail lose these. Means are over the runs that do not fail, medians over the
    middle ones of all runs, and a problem has failed if all its runs have. Problems are drawn with all their runs:
    the means of these differ by the luck of samples already, so that drawing runs as well would count it twice.

    Parameters
    ----------
    frame
        ``comparisons``, ``grades``, or rows of one metric of ``metrics`` (then ``value="value"``; submissions that
        are not scored have no rows there, so ``absent="skipped"`` is fair).
    chosen
        Pairs of names; or one name, which all others are compared with (as ``b``); all pairs by default.
    value, better
        Column, and which of its values are better (known for the columns of our frames).
    who
        Column with the names; ``method`` or ``model`` by default.
    by
        Groups: ``benchmark``, ``set``, ``size`` (needs a column ``actions``, see `observations.with_actions`).
    absent
        Whether a problem that one of both has no row for counts as failed or is left out (and counted as that).
    level, draws, seed
        Of the intervals, see `planoracle.analysis.statistics.intervals.intervals`.

    Raises
    ------
    InputError
        For columns that are not there, names that nobody has, or options that do not fit.

    Examples
    --------
    >>> frame = pd.DataFrame({"instance": list("vwxyz") * 2, "method": ["a"] * 5 + ["b"] * 5,
    ...                       "makespan": [4, 5, 6, 7, None, 5, 5, 8, 6, 9]})
    >>> row = pairs(frame, [("a", "b")]).iloc[0]
    >>> print(*row[["wins", "ties", "losses", "failed_a", "mean_difference", "p_sign"]])
    2 1 2 1 -0.5 1.0
    """
    table = observe(frame, value, better=better, who=who, by=by, absent=absent)
    names = table.names
    compared = _pairs(chosen, names)
    rows = []
    for group, part in table.groups(by):
        made = [_pairing(part, a, b, level, draws, seed) for a, b in compared]
        for row, adjusted in zip(made, holm([row["p_sign"] for row in made]), strict=True):
            rows.append(group | row | {"p_adjusted": adjusted})
    return from_rows("pairings", rows)[0]


def _pairs(chosen: str | Iterable[tuple[str, str]] | None, names: list[str]) -> list[tuple[str, str]]:
    if chosen is None:
        return list(combinations(names, 2))
    several = [(name, chosen) for name in names] if isinstance(chosen, str) else list(chosen)
    for name in (name for pair in several for name in pair):
        if name not in names:
            raise InputError(one_of(name, names), field="chosen", value=name)
    return [pair for pair in several if not isinstance(chosen, str) or pair[0] != chosen]


def _pairing(table: Observations, a: str, b: str, level: float, draws: int, seed: int) -> dict[str, Any]:
    left, right = table.values[a].to_numpy(float), table.values[b].to_numpy(float)
    kept = ~(np.isnan(left) | np.isnan(right))
    left, right, strata = left[kept], right[kept], table.strata[kept].tolist()
    sign = 1 if table.better == "lower" else -1
    failed_a, failed_b = left == sign * np.inf, right == sign * np.inf
    both = ~(failed_a | failed_b)
    difference, ratio = _apart(left, right)
    balance, middles = -sign * difference, [left.copy(), right.copy()]
    for i, runs in enumerate(zip(table.runs[a][kept], table.runs[b][kept], strict=True)):
        if max(map(len, runs)) > 1:
            balance[i] = _balance(*runs, sign)
            middles[0][i], middles[1][i] = map(_middle, runs)
    wins, ties = int(np.count_nonzero(balance > 0)), int(np.count_nonzero(balance == 0))
    middle_difference, middle_ratio = _apart(*middles)
    samples = {}
    if table.value not in _IN_TICKS or len(set(table.benchmarks[kept])) < 2:
        samples["mean_difference"] = Sample(np.where(both, difference, np.nan), "mean")
        samples["median_difference"] = Sample(middle_difference, "median")
    if sign > 0 and bool(np.all(left > 0) and np.all(right > 0)):
        samples["mean_ratio"] = Sample(np.where(both, np.log(np.where(both, ratio, 1.0)), np.nan), "mean")
        samples["median_ratio"] = Sample(middle_ratio, "median")
    return {
        "a": a,
        "b": b,
        "value": table.value,
        "better": table.better,
        "pairs": len(left),
        "wins": wins,
        "ties": ties,
        "losses": len(left) - wins - ties,
        "failed_a": int(failed_a.sum()),
        "failed_b": int(failed_b.sum()),
        "failed_both": int((failed_a & failed_b).sum()),
        "left_out": len(table.values) - len(left) + len(table.lost),
        **_estimates(samples, strata, level, draws, seed),
        "p_sign": sign_test(wins, len(left) - wins - ties),
    }


def _balance(mine: Sequence[float], others: Sequence[float], sign: int) -> int:
    """Return in how many more pairs of runs the first is better than worse."""
    difference, _ = _apart(np.array(mine)[:, None], np.array(others)[None, :])
    return int(np.sign(-sign * difference).sum())


def _middle(runs: Sequence[float]) -> float:
    """Return the median of some runs in order; between a failure and another run it is the failure."""
    low, high = runs[(len(runs) - 1) // 2], runs[len(runs) // 2]
    return low if low == high else (low + high) / 2


def _apart(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return differences and ratios; two failures are alike."""
    equal = (left == right) | np.isclose(left, right, rtol=1e-9, atol=1e-12)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(equal, 0.0, left - right), np.where(equal, 1.0, left / right)


def _estimates(
    samples: dict[str, Sample], strata: Sequence[int], level: float, draws: int, seed: int
) -> dict[str, float]:
    """Return every statistic with its interval, as columns; what there is too little for is left away."""
    ends = intervals(samples, strata, level=level, draws=draws, seed=seed)
    columns: dict[str, float] = {}
    for name, sample in samples.items():
        values = sample.values[~np.isnan(sample.values)]
        if not len(values):
            continue
        mean = sample.statistic == "mean"
        found = [float(np.mean(values) if mean else weighted_median(values, np.ones((1, len(values))))[0])]
        found += ends[name] or ()
        if name == "mean_ratio":  # taken of logarithms
            found = [float(np.exp(one)) for one in found]
        columns |= zip((name, f"{name}_low", f"{name}_high"), found, strict=False)
    return columns


def averages(
    frame: pd.DataFrame,
    *,
    value: str = "gap",
    better: Literal["lower", "higher"] | None = None,
    who: str | None = None,
    by: Sequence[str] = (),
    absent: Absent = "failed",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Average a value per method (or model) and group, with intervals: frame ``averages``; see `pairs`.

    Examples
    --------
    >>> frame = pd.DataFrame({"instance": list("wxyz"), "method": "a", "gap": [0.0, 0.25, 0.5, None]})
    >>> averages(frame)[["problems", "answered", "mean", "worst"]].iloc[0].tolist()
    [4.0, 3.0, 0.25, 0.5]
    """
    table = observe(frame, value, better=better, who=who, by=by, absent=absent)
    rows = []
    for group, part in table.groups(by):
        for name in part.names:
            values = part.values[name].to_numpy(float)
            kept = ~np.isnan(values)
            left, strata = values[kept], part.strata[kept].tolist()
            answered = left[np.isfinite(left)]
            row = {
                "method": name,
                "value": value,
                "problems": len(left),
                "answered": len(answered),
                "left_out": len(values) - len(left) + len(part.lost),
                "worst": None if not len(answered) else float(max(answered, key=lambda v: v * part.sign)),
            }
            if value not in _IN_TICKS or len(set(part.benchmarks[kept])) < 2:
                means = Sample(np.where(np.isfinite(left), left, np.nan), "mean")
                samples = {"mean": means, "median": Sample(left, "median")}
                row |= _estimates(samples, strata, level, draws, seed)
            rows.append(group | row)
    return from_rows("averages", rows)[0]


def profiles(
    frame: pd.DataFrame,
    methods: Sequence[str] | None = None,
    *,
    value: str = "makespan",
    against: Literal["best", "optimum"] = "best",
    who: str | None = None,
    by: Sequence[str] = (),
    absent: Absent = "failed",
    level: float = 0.95,
) -> pd.DataFrame:
    """Compute performance profiles (Dolan and Moré, Math. Program. 91, 2002): frame ``profiles``.

    The share of the problems that a method answers within a ratio of the best answer of all methods compared, or of
    the proved optimum. A problem without an answer never comes within any ratio, but counts. A row is a step: its
    share holds from its ratio to that of the next. Of several runs for a problem each counts for its part of it, and
    the best answer is that of the best run.

    Parameters
    ----------
    methods
        All by default. Whom a method is compared with changes its ratios to the best.
    value
        A column of which lower values are better.
    against
        With ``optimum`` problems whose optimum is not proved are left out, and counted as that.
    who, by, absent
        See `pairs`.
    level
        Of Wilson's intervals for a share.

    Examples
    --------
    >>> frame = pd.DataFrame({"instance": list("xy") * 2, "method": list("aabb"), "makespan": [4, 6, 5, None]})
    >>> profiles(frame)[["method", "ratio", "share"]].values.tolist()
    [['a', 1.0, 1.0], ['b', 1.0, 0.0], ['b', 1.25, 0.5]]
    """
    table = observe(frame, value, better=None, who=who, by=by, absent=absent, methods=methods)
    if table.better != "lower":
        raise InputError("must be a column of which lower values are better", field="value", value=value)
    rows = []
    for group, part in table.groups(by):
        cells = part.runs.to_numpy(object)
        best = np.array([min((run for runs in row for run in runs), default=np.nan) for row in cells], dtype=float)
        base = best if against == "best" else part.optima
        kept = ~(part.values.isna().to_numpy(bool).any(axis=1) | np.isnan(base))
        cells, base = cells[kept], base[kept]
        if (best[kept] < 0).any():
            raise InputError("must not be negative", field=value, value=float(best[kept].min()))
        count = len(cells)
        shared = group | {"problems": count, "left_out": len(part.values) - count + len(part.lost)}
        for place, name in enumerate(part.names):
            weights: defaultdict[float, list[float]] = defaultdict(list, {1.0: []})
            for runs, least in zip(cells[:, place], base.tolist(), strict=True):
                for run in runs:
                    weights[_ratio(run, least)].append(1 / len(runs))
            weights.pop(np.inf, None)
            hits = 0.0
            for ratio in sorted(weights):
                hits = min(hits + fsum(weights[ratio]), count)
                low, high = wilson(hits, count, level)
                share = None if not count else hits / count
                found = {"method": name, "ratio": ratio, "share": share, "share_low": low, "share_high": high}
                rows.append(shared | found)
    return from_rows("profiles", rows)[0]


def _ratio(run: float, least: float) -> float:
    if run == least and np.isfinite(run):
        return 1.0
    return run / least if least and np.isfinite(run) else np.inf


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided p-value of the sign test; ties count for neither side.

    Examples
    --------
    >>> round(sign_test(8, 1), 6), sign_test(3, 3), sign_test(0, 0)
    (0.039063, 1.0, 1.0)
    """
    count, fewer = wins + losses, min(wins, losses)
    steps = np.arange(fewer, dtype=float)
    logs = np.concatenate([[0.0], np.cumsum(np.log((count - steps) / (steps + 1)))])  # of binomial coefficients
    top = logs.max()
    return float(min(1.0, 2 * np.exp(top + np.log(np.exp(logs - top).sum()) - count * np.log(2))))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for being several (Holm, Scand. J. Stat. 6, 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def wilson(hits: float, count: int, level: float = 0.95) -> tuple[float | None, float | None]:
    """Return Wilson's interval for a share; ``None`` without any.

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
    reach = z * np.sqrt(share * (1 - share) / count + square / count / 4) / (1 + square)
    # At the ends rounding must not shut the share itself out.
    return (float(middle - reach) if hits else 0.0), (float(middle + reach) if hits < count else 1.0)
