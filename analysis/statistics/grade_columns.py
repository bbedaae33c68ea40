"""Columns of the frame of grades: what every grade adds to the averages of its benchmark."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isfinite, nan
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from planoracle.analysis.grading.grader import NOT_SCORED, Grade, set_of
from planoracle.analysis.grading.metrics import REPORTED, SUMMARY
from planoracle.analysis.grading.rule_options import complete_rules
from planoracle.analysis.statistics.groupings import owner_of
from planoracle.instances.model.agents import split_agent_suffix
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import Average

if TYPE_CHECKING:
    import pandas as pd

#: Columns that identify a problem of a model.
PROBLEM_KEY = ["set", "model", "instance"]
_LABELS = (*PROBLEM_KEY, "sample")
#: Metrics of all benchmarks as figures beside the benchmark's own, under names that no benchmark has.
COMMON = tuple(
    Average(f"all:{metric.name}", metric.average, metric.of)
    for metric in (*SUMMARY, *REPORTED)
    if metric.of is not None
)

#: Beginning of the names of figures that are metrics with bins, see `Benchmark.bins`.
METRIC = "metric:"
#: Beginning of the names of columns with the values of a metric, see `GradeRows`.
VALUE = "value:"

# Characters of the name of a problem that are looked at.
_LONGEST_NAME = 1_000
# Largest count of a name in a row: a damaged row cannot fill the memory.
_MAX_COUNT = 10_000


@lru_cache(maxsize=65_536)
def labels_of(benchmark: str, name: str, by: str) -> tuple[str, ...]:
    """Return the values of a problem in a group of `Benchmark.groups`, ``("",)`` if there are none.

    A suffix for other agents stays in the values.

    >>> labels_of("timearena", "timearena/lab1+lab2~2", "task"), labels_of("timearena", "timearena/lab1", "delay")
    (('lab1~2', 'lab2~2'), ('',))
    """
    shortened = name[:_LONGEST_NAME]
    path, crew = split_agent_suffix(shortened) or (shortened, "")
    values = dict.fromkeys(owner_of(benchmark).groups(path).get(by, ()))
    return tuple(value and value + crew for value in values) or ("",)


def value_label(value: object) -> str | None:
    """Return the group of a run by the value of a field, ``None`` without a value.

    >>> value_label(True), value_label(3), value_label(None)
    ('yes', '3', None)
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _text(str(value)[:_LONGEST_NAME])


def figures_of(benchmark: str, rules: Mapping[str, Rules]) -> tuple[Average, ...]:
    """Return the figures of a benchmark under complete rules; the general ones if it is unknown."""
    match = owner_of(benchmark)
    return match.metrics.averages(rules[match.name])


class GradeRows:
    """Rows of the frame of grades, checked one by one and stored as columns.

    Parameters
    ----------
    rules
        Rules by benchmark, which may change how grades are averaged; by default those of ``paper``.
    values
        Fields of rows whose values are stored, for groups of runs and for figures.
    """

    def __init__(self, rules: Mapping[str, Rules] | None = None, values: Sequence[str] = ()) -> None:
        self.rules = complete_rules(rules)
        self.values = values
        self._columns: dict[str, dict[str, Any]] = {}
        # By benchmark: its figures, each with the columns of its terms.
        self._terms: dict[str, list[tuple[Average, list[Any]]]] = {}

    def figures(self, benchmark: str) -> tuple[Average, ...]:
        """Return the figures of a benchmark."""
        return figures_of(benchmark, self.rules)

    def accepts(self, grade: Grade) -> bool:
        """Return True if a grade has the fields that the figures of its benchmark need."""
        try:
            self._values(_text(grade.benchmark), grade.row() if grade.scored else None)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            return False
        return True

    def _values(self, benchmark: str, row: Mapping[str, Any] | None) -> list[tuple[Any, ...]]:
        """Return the terms of a row by figure; create the columns of a new benchmark."""
        if benchmark not in self._terms:
            self._create_columns(benchmark)
        return [_terms_of(figure, row) for figure, _ in self._terms[benchmark]]

    def _create_columns(self, benchmark: str) -> None:
        columns: dict[str, Any] = {label: [] for label in _LABELS}
        columns |= {"scored": array("b"), "success": array("b"), "failure_cause": []}
        binned = [Average(METRIC + name, "", methodcaller("get", name)) for name in owner_of(benchmark).bins]
        terms: list[tuple[Average, list[Any]]] = []
        for figure in (*self.figures(benchmark), *COMMON, *binned):
            names = columns_of(figure)
            columns |= {name: [] if figure.aggregate == "counts" else array("d") for name in names}
            terms.append((figure, [columns[name] for name in names]))
        columns |= {f"{VALUE}{name}": [] for name in self.values}
        self._columns[benchmark] = columns
        self._terms[benchmark] = terms

    def add(self, grade: Grade, row: Mapping[str, Any] | None = None, **prices: float | None) -> None:
        """Add a grade.

        Parameters
        ----------
        row
            The row of the grade if it is available, see `planoracle.analysis.grading.grader.Grade.row`.
        prices
            Metrics that only the report knows, see `planoracle.analysis.grading.metrics`: ``lost``, ``faults``.

        Raises
        ------
        KeyError, TypeError, ValueError, AttributeError, ArithmeticError
            If the grade lacks fields that the figures of its benchmark need. Then nothing is added.
        """
        benchmark, instance = _text(grade.benchmark), _text(grade.instance)
        scored_row = {**(row or grade.row(trace=bool(self.values))), **prices} if grade.scored else None
        values = self._values(benchmark, scored_row)
        sample = _text(grade.sample) if isinstance(grade.sample, str) else grade.sample
        labels = (set_of(instance)[0], _text(grade.model), instance, sample)
        columns = self._columns[benchmark]
        for label, text in zip(_LABELS, labels, strict=True):
            columns[label].append(text)
        columns["scored"].append(grade.scored)
        is_success = bool(grade.scored and grade.success)
        columns["success"].append(is_success)
        cause = _text(grade.failure_cause) if grade.scored else NOT_SCORED
        columns["failure_cause"].append(None if is_success else cause)
        for name in self.values:
            value = None if scored_row is None else scored_row.get(name)
            columns[f"{VALUE}{name}"].append(value)
        for (_, targets), terms in zip(self._terms[benchmark], values, strict=True):
            for target, term in zip(targets, terms, strict=True):
                target.append(term)

    def frame(self) -> pd.DataFrame:
        """Return the frame: problem, model and sample of every grade, and its terms of every figure.

        Returns
        -------
        pandas.DataFrame
            ``benchmark, set, model, instance, sample, scored, success, failure_cause``, and for every figure of the
            benchmarks (see `planoracle.instances.protocol.scoring.Average`) the columns ``NAME:top`` and
            ``NAME:bottom``, numerator and denominator, or ``NAME:counted``; and ``value:NAME`` for stored fields.
        """
        import pandas as pd

        parts = []
        for name, columns in sorted(self._columns.items()):
            if not columns["set"]:  # all grades of the benchmark were rejected
                continue
            data: dict[str, Any] = {"benchmark": pd.Series([name] * len(columns["set"]), dtype=object)}
            for key, cells in columns.items():
                data[key] = pd.Series(cells, dtype=object) if isinstance(cells, list) else cells
            parts.append(pd.DataFrame(data))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"benchmark": []})

    def outcomes(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return ``success`` and ``main_score`` of every grade, by which models are compared.

        Parameters
        ----------
        frame
            The frame of the grades, see `frame`.

        Returns
        -------
        pandas.DataFrame
            ``benchmark, set, model, instance, sample, scored, success, main_score, failure_cause``; shares are missing
            where the benchmark does not define them.
        """
        if frame.empty:
            return frame
        shares = {"success": frame["scored"] * nan, "main_score": frame["scored"] * nan}
        for name in frame["benchmark"].unique():
            is_of_benchmark = frame["benchmark"] == name
            for column, role in (("success", "success"), ("main_score", "main")):
                figure = next(candidate for candidate in self.figures(name) if role in candidate.role)
                top, bottom = columns_of(figure)
                values = frame[top] / frame[bottom] / figure.full
                shares[column] = shares[column].mask(is_of_benchmark, values)
        return frame[["benchmark", *_LABELS, "scored", "failure_cause"]].assign(**shares)


def columns_of(figure: Average) -> tuple[str, ...]:
    """Return the columns of a figure: its names to be counted, or its numerator and denominator."""
    if figure.aggregate == "counts":
        return (f"{figure.name}:counted",)
    return f"{figure.name}:top", f"{figure.name}:bottom"


def _terms_of(figure: Average, row: Mapping[str, Any] | None) -> tuple[Any, ...]:
    """Return the terms of a row, ``nan`` for none; raises `ValueError` or `TypeError` for invalid ones."""
    value = None if row is None else figure.terms(row)
    if figure.aggregate == "counts":
        return (_counted_names(value),)
    if value is None:
        return nan, nan
    try:
        if all(map(isfinite, value)):
            return tuple(value)
    except OverflowError:
        pass
    raise ValueError(f"{figure.name} must be finite")


def _counted_names(value: Any) -> list[Any]:
    """Return the names of a list, or those of a mapping as often as their counts say."""
    if value is None:
        return []
    if not isinstance(value, Mapping):
        return [name for name in value if hash(name) is not None]
    names: list[Any] = []
    for name, count in value.items():
        names += [name] * min(count, _MAX_COUNT)
    return names


def _text(text: str | None) -> str:
    """Return a text that a frame can hold: without surrogates that stand alone."""
    return (text or "").encode("utf-8", "replace").decode("utf-8")
