"""Runs of a benchmark as counts of distinct outcomes, so that memory does not grow with equal runs."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import inf, isfinite, nan
from operator import methodcaller
from typing import Any, NamedTuple

from planoracle.analysis.grading.metrics import REPORTED, SUMMARY
from planoracle.analysis.statistics.groupings import owner_of
from planoracle.instances.protocol.scoring import Average

#: Metrics of all benchmarks as figures beside the benchmark's own, under names that no benchmark has.
COMMON = tuple(
    Average(f"all:{metric.name}", metric.average, metric.of)
    for metric in (*SUMMARY, *REPORTED)
    if metric.of is not None
)
#: Beginning of the names of figures that are metrics with bins, see `Benchmark.bins`.
METRIC = "metric:"

# Largest count of a name in a row: a damaged row cannot fill the memory.
_MAX_COUNT = 10_000


class RunOutcome(NamedTuple):
    """Outcome of a run as far as figures need it; equal outcomes are counted.

    Attributes
    ----------
    failure_cause
        ``None`` for a success.
    terms
        Doubles in the order of `RunTable.columns`: numerators and denominators, ``nan`` for none.
    names
        Names to be counted, for every column of `RunTable.counted`.
    """

    scored: bool
    success: bool
    failure_cause: str | None
    terms: bytes
    names: tuple[tuple[Any, ...], ...]

    def numbers(self) -> array[float]:
        """Return the terms."""
        return array("d", self.terms)


class ProblemRuns:
    """Runs of a model for a problem: distinct outcomes, and the samples that the runs name.

    Attributes
    ----------
    set_name, model, instance
        Names of the set, the model and the problem.
    values
        JSON list of the values of the fields in `GradeRows.values`, which all these runs have.
    outcomes
        Number of runs of each outcome.
    samples, named
        Samples, and the number of runs that name one.
    """

    __slots__ = ("instance", "model", "named", "outcomes", "samples", "set_name", "values")

    def __init__(self, set_name: str, model: str, instance: str, values: str) -> None:
        self.set_name = set_name
        self.model = model
        self.instance = instance
        self.values = values
        self.outcomes: Counter[RunOutcome] = Counter()
        self.samples: set[int | str] = set()
        self.named = 0

    def add(self, outcome: RunOutcome, sample: int | str | None) -> None:
        """Count a run."""
        self.outcomes[outcome] += 1
        if self.instance and sample is not None:
            self.samples.add(sample)
            self.named += 1

    @property
    def submissions(self) -> int:
        """Number of runs."""
        return self.outcomes.total()

    @property
    def scored(self) -> int:
        """Number of scored runs."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.scored)

    @property
    def succeeded(self) -> int:
        """Number of successful runs."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.success)


class RunTable:
    """Runs for the problems of a benchmark.

    Attributes
    ----------
    figures
        Figures of the benchmark, those of all benchmarks, and its metrics with bins.
    columns
        Position of every column of numbers in `RunOutcome.terms`.
    counted
        Columns with names to be counted, in the order of `RunOutcome.names`.
    parts
        Runs by set, model, problem and values, in the order of their first runs.
    """

    def __init__(self, benchmark: str, figures: Sequence[Average]) -> None:
        binned = [Average(METRIC + name, "", methodcaller("get", name)) for name in owner_of(benchmark).bins]
        self.figures = (*figures, *COMMON, *binned)
        self.columns: dict[str, int] = {}
        self.counted: list[str] = []
        for figure in self.figures:
            names = columns_of(figure)
            if figure.aggregate == "counts":
                self.counted += names
            else:
                self.columns |= {name: len(self.columns) + place for place, name in enumerate(names)}
        self.parts: dict[tuple[str, str, str, str], ProblemRuns] = {}

    def outcome(self, row: Mapping[str, Any] | None, failure_cause: str | None, *, success: bool) -> RunOutcome:
        """Return the outcome of a row, ``None`` if it is unscored; raises an error if the row lacks fields."""
        terms = [nan] * len(self.columns)
        names = []
        for figure in self.figures:
            value = None if row is None else figure.terms(row)
            if figure.aggregate == "counts":
                names.append(_counted_names(value))
                continue
            top, bottom = columns_of(figure)
            terms[self.columns[top]], terms[self.columns[bottom]] = _finite_terms(figure, value)
        return RunOutcome(row is not None, success, failure_cause, array("d", terms).tobytes(), tuple(names))

    def share(self, outcome: RunOutcome, figure: Average) -> float:
        """Return a figure of a run as a share of its best value, ``nan`` where it is undefined."""
        numbers = outcome.numbers()
        top, bottom = (numbers[self.columns[column]] for column in columns_of(figure))
        return top / bottom / figure.full if bottom else top * inf

    def counted_outcomes(self) -> Iterator[tuple[ProblemRuns, RunOutcome, int]]:
        """Yield the distinct outcomes of every part, with the number of their runs."""
        for runs in self.parts.values():
            for outcome, count in runs.outcomes.items():
                yield runs, outcome, count

    def add(self, labels: tuple[str, str, str, str], outcome: RunOutcome, sample: int | str | None) -> None:
        """Count a run of a set, model, problem and values."""
        part = self.parts.get(labels)
        if part is None:
            part = self.parts[labels] = ProblemRuns(*labels)
        part.add(outcome, sample)


def columns_of(figure: Average) -> tuple[str, ...]:
    """Return the columns of a figure: its names to be counted, or its numerator and denominator."""
    if figure.aggregate == "counts":
        return (f"{figure.name}:counted",)
    return f"{figure.name}:top", f"{figure.name}:bottom"


def _finite_terms(figure: Average, value: Any) -> tuple[float, float]:
    """Return numerator and denominator, ``nan`` for none; raises `ValueError` for infinite ones."""
    if value is None:
        return nan, nan
    try:
        if all(map(isfinite, value)):
            top, bottom = value
            return top, bottom
    except OverflowError:
        pass
    raise ValueError(f"{figure.name} must be finite")


def _counted_names(value: Any) -> tuple[Any, ...]:
    """Return the names of a list, or those of a mapping as often as their counts say."""
    if value is None:
        return ()
    if not isinstance(value, Mapping):
        return tuple(name for name in value if hash(name) is not None)
    names: list[Any] = []
    for name, count in value.items():
        names += [name] * min(count, _MAX_COUNT)
    return tuple(names)
