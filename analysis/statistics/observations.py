"""Tables of problems and methods, built from data frames; failures and missing runs are distinct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite, nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from planoracle.analysis.statistics.groupings import EQUAL_RUNS, UNNAMED
from planoracle.instances.errors import InputError
from planoracle.instances.protocol.scoring import HIGHER_IS_BETTER
from planoracle.instances.text import one_of

if TYPE_CHECKING:
    import pandas as pd

# Values by their better direction. A failure counts as 0 in `_SHARES`, else as infinitely bad.
_LOWER = ("makespan", "gap", "gap_bound", "seconds", "violations", "cost")
_SHARES = ("success", "main_score", "progress", "goal_ratio")
# Shares that a benchmark may leave undefined for a scored run, which is then left out.
_MAYBE_UNDEFINED = ("success", "main_score")


# Values that a failed plan also has, but that count as failures.
_OF_SUCCESS = ("makespan", "gap", "gap_bound")
# Weight of a plan with optional tasks, and the best one.
_WEIGHTS = ("weight", "best_weight")
_KEY = ["benchmark", "set", "instance"]


@dataclass(frozen=True)
class Observations:
    """A table of problems and methods.

    Attributes
    ----------
    values
        A row per problem, a column per method: the mean over the runs that did not fail; infinite if all failed,
        missing for omitted cells.
    runs
        Of the same shape: the values of all runs, in order, infinite for failures; empty for omitted cells.
    info
        Of the same rows: ``benchmark, set, optimum``.
    lost
        ``info`` of the problems not in the table: proved infeasible, or never scored.
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
        return np.array(self.info.groupby(["benchmark", "set"]).ngroup(), dtype=np.int64)

    @property
    def benchmarks(self) -> NDArray[np.str_]:
        """Benchmark of every problem."""
        return self.info["benchmark"].to_numpy(str)

    @property
    def optima(self) -> NDArray[np.float64]:
        """Proved optimum of every problem, ``nan`` if unknown."""
        return self.info["optimum"].to_numpy(float)


def observe(
    frame: pd.DataFrame,
    value: str,
    *,
    better: Literal["lower", "higher"] | None,
    label_column: str | None,
    absent: Literal["failed", "skipped"],
) -> Observations:
    """Return a column of a frame as a table of problems and methods.

    The parameters are those of `planoracle.analysis.statistics.pairs.pairs`.

    Raises
    ------
    InputError
        For missing columns and invalid options.
    """
    import pandas as pd

    label_column = label_column or ("method" if "method" in frame.columns else "model")
    for field, name in (("frame", "instance"), ("label_column", label_column), ("value", value)):
        if name not in frame.columns:
            raise InputError(one_of(name, map(str, frame.columns), "columns"), field=field, value=name)
    direction = better or _direction(value)
    if direction not in ("lower", "higher"):
        raise InputError("must be lower or higher, the direction of better values", field="better", value=direction)
    worst = _worst_value(value, direction)
    rows = _rows(frame, value, label_column, worst)
    named = rows["method"][~(rows["unscored"] & (rows["method"] == UNNAMED))]
    chosen = list(dict.fromkeys(named))
    problems = rows.groupby(_KEY)
    info = problems.agg(optimum=("optimum", "max"))
    keys = info.index.tolist()
    info = info.reset_index(["benchmark", "set"])
    lost = (problems["infeasible"].any() | problems["unscored"].all()).to_numpy(bool)
    missing = (worst,) if absent == "failed" else ()
    cells = _cells(rows)
    table = [[cells.get((*key, name), missing) for name in chosen] for key in keys]
    runs = pd.DataFrame(table, index=info.index, columns=chosen, dtype=object)[~lost]
    means = runs.map(_mean).astype(float)
    return Observations(means, info[~lost], value, direction, info[lost], runs)


def _cells(rows: pd.DataFrame) -> dict[tuple[str, ...], tuple[float, ...]]:
    """Return the values of the runs of every problem and method, in order."""
    keys = zip(*(rows[name] for name in (*_KEY, "method")), strict=True)
    runs: dict[tuple[str, ...], list[float]] = {}
    for key, value, is_unscored, count in zip(keys, rows["value"], rows["unscored"], rows[EQUAL_RUNS], strict=True):
        # A run that is not scored is neither a failure nor missing: it leaves an empty cell.
        values = runs.setdefault(key, [])
        if not is_unscored:
            values += [value] * count
    return {key: tuple(sorted(values)) for key, values in runs.items()}


def _direction(value: str) -> Literal["lower", "higher"] | None:
    """Return the direction of better values of a column, ``None`` if it is unknown."""
    if value in _LOWER:
        return "lower"
    return "higher" if value in (*HIGHER_IS_BETTER, *_SHARES) else None


def _worst_value(value: str, direction: Literal["lower", "higher"]) -> float:
    """Return the value that a failure counts as."""
    if value in _SHARES:
        return 0.0
    return np.inf if direction == "lower" else -np.inf


def _mean(runs: Sequence[float]) -> float:
    """Return the mean of the runs that did not fail; the value of a failure if all failed."""
    finite = [run for run in runs if isfinite(run)]
    if not finite:
        return runs[0] if runs else nan
    # Divided first: the sum may be larger than any number.
    return fsum(run / len(finite) for run in finite)


def _rows(frame: pd.DataFrame, value: str, label_column: str, worst: float) -> pd.DataFrame:
    """Return the rows with one number each: the worst value for failures; unscored rows are marked."""
    import pandas as pd

    def column(name: str) -> pd.Series[Any]:
        return frame[name] if name in frame.columns else pd.Series(pd.NA, index=frame.index, dtype="object")

    def text(series: pd.Series[Any]) -> list[str]:
        return ["" if missing else str(cell) for cell, missing in zip(series, series.isna(), strict=True)]

    def holds(name: str, value: Any) -> NDArray[np.bool_]:
        cells = column(name).astype(object)
        return np.array(cells.map(lambda cell: cell == value, na_action="ignore") == True)  # noqa: E712

    numbers = pd.to_numeric(frame[value]).astype("Float64").to_numpy(float, na_value=np.nan)
    failed = np.isnan(numbers) | holds("accepted", False)
    if value in _OF_SUCCESS:
        failed |= holds("success", False)
    undefined = np.isnan(numbers) if value in _MAYBE_UNDEFINED else False
    if value in _OF_SUCCESS:
        weights = [column(name).astype("Float64").to_numpy(float, na_value=np.nan) for name in _WEIGHTS]
        # Makespans of plans with different weights are not compared.
        is_lighter = ~np.isnan(weights[0]) & (weights[0] != weights[1])
        undefined |= is_lighter & ~holds("success", False)
    optimum = column("optimum" if "optimum" in frame.columns else "optimal_makespan")
    optima = optimum.astype("Float64").to_numpy(float, na_value=np.nan)
    methods = [name or UNNAMED for name in text(frame[label_column])]
    return pd.DataFrame(
        {
            "instance": text(frame["instance"]),
            "method": methods,
            "benchmark": text(column("benchmark")),
            "set": text(column("set")),
            "value": np.where(failed, worst, numbers),
            "unscored": holds("scored", False) | undefined,
            "infeasible": holds("settled", "infeasible"),
            "optimum": optima,
            EQUAL_RUNS: frame[EQUAL_RUNS].to_numpy(int) if EQUAL_RUNS in frame.columns else 1,
        }
    )
