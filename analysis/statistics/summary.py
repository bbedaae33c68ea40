"""Averages of the frame of grades over samples, then problems, then sets, with intervals."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from math import fsum, isnan
from typing import Any, Final, NamedTuple, TypeAlias

from planoracle.analysis.grading.grader import set_of
from planoracle.analysis.grading.metrics import SUMMARY, GradeMetric
from planoracle.analysis.statistics.grade_columns import GradeRows, labels_of, value_label
from planoracle.analysis.statistics.groupings import owner_of
from planoracle.analysis.statistics.intervals import (
    ProblemScore,
    best_of,
    exact_sum,
    mean,
    mean_of_runs,
    pass_at,
    pass_hat,
    share_interval,
    sizes,
)
from planoracle.analysis.statistics.run_table import COMMON, ProblemRuns, RunTable, columns_of
from planoracle.instances.protocol.scoring import Average

#: Format and version of rows of summaries; the version grows when a field changes its meaning or is removed.
FORMAT: Final = "planoracle/summary"
VERSION: Final = 2
#: Most names of missing problems in a row; no bundled set has more problems.
NAMED: Final = 2000
#: Beginnings of the names of figures over several samples.
SEVERAL: Final = ("pass@", "pass^", "best@")

#: Numerators and denominators of the runs of a problem, in order.
Terms: TypeAlias = list[tuple[float, float]]

# Counts of sets that are added up for a model.
_COUNTS = ("problems", "missing", "all_problems", "submissions", "unscored", "repeated")


class Summary(NamedTuple):
    """Rows of summaries.

    Attributes
    ----------
    models
        A row per model, over all sets, the most successful first: counts are added up, figures are the plain mean of
        those of the sets (macro average), the interval is that of this mean. ``sets``: with a scored run;
        ``sets_missing``: those of which only other models have one, which count as failed in ``…_of_all``.
    sets
        A row per benchmark, set and model, see `summarize`.
    """

    models: list[dict[str, Any]]
    sets: list[dict[str, Any]]

    def rows(self) -> list[dict[str, Any]]:
        """Return all rows for files, models first; ``level`` is ``model`` or ``set``."""
        about = {"format": FORMAT, "version": VERSION}
        model_rows = [about | {"level": "model"} | row for row in self.models]
        set_about = about | {"level": "set"}
        set_rows = [set_about | {"model": row["model"]} | row for row in self.sets]
        return model_rows + set_rows


def summarize(
    grades: GradeRows,
    *,
    metrics: Sequence[GradeMetric] = SUMMARY,
    by_paper: bool = True,
    by: str = "set",
    benchmarks: Collection[str] | None = None,
) -> Summary:
    """Average grades per model and set, and per model.

    Every figure is the mean over the answered problems of the mean over their scored runs (of a ratio of sums: of both
    means). Missing problems count as failed in the figures ``NAME_of_all``, and in rows of sets with the benchmarks'
    own figures if its paper counts them so. An unscored run is neither missing nor failed; it is counted and omitted,
    except for figures of all problems.

    Parameters
    ----------
    grades
        Grades, with the values of a field to group by.
    metrics
        Metrics of all benchmarks that are averaged.
    by_paper
        True if rows of sets follow the benchmarks' papers: with their own figures, with missing problems counted as
        failed where the paper does so, and with the names of these problems.
    by
        Group that takes the place of the set: of problems, see `planoracle.instances.protocol.benchmark.Benchmark`, or
        of runs, by a field whose values the grades have. A run whose problem has several values counts for each of
        them. Groups of runs have no missing problems. With ``""`` all problems are one group.
    benchmarks
        Names of the benchmarks that are averaged, all by default.

    Returns
    -------
    Summary
        With rows of sets that have

        - ``model, set, benchmark``; ``problems``: with a scored run; ``missing`` and ``missing_names``: problems of the
          set (of one's own problems: of those that any model has a scored run for) without any, at most 2,000 names;
          ``all_problems``: with a scored run, missing, or with unscored runs only;
          ``submissions``, ``unscored``, ``repeated`` runs (with the name of a sample that was there already);
          ``samples_least``, ``samples_most``: scored runs per problem;
        - the metrics with ``NAME_runs`` and ``NAME_problems``, the runs and problems that they are over; the ends
          ``NAME_low`` and ``NAME_high`` of a 95 % interval; and ``NAME_of_all``;
        - ``pass@k, pass^k, best@k``, see `planoracle.analysis.statistics.intervals`, if there are several samples,
          for every k up to the least number of samples of a problem;
        - the averages of the benchmark, see `planoracle.instances.protocol.scoring.MetricSet`, and by their names the
          ``runs`` and the problems (``over``) of each mean.
    """
    groups: list[_Group] = []
    for name, table in grades.tables().items():
        if benchmarks is None or name in benchmarks:
            grouping = _Grouping(name, by, grades.values)
            groups += _groups(grouping, table, grades.figures(name))
    answered = [group.without_missing() for group in groups]
    rows = [group.row(metrics) for group in answered]
    models = _models(answered, rows, metrics)
    if not by_paper:
        return Summary(models, rows)
    sets = []
    for group, same_group, row in zip(groups, answered, rows, strict=True):
        # Intervals take time: they are the same where the paper omits missing problems, too.
        paper_row = row if group is same_group else group.row(metrics)
        sets.append(paper_row | group.benchmark_figures())
    return Summary(models, sets)


class _Grouping(NamedTuple):
    """Group of the problems or runs of a benchmark, and the fields whose values runs have."""

    benchmark: str
    by: str
    values: Sequence[str]

    @property
    def is_by_value(self) -> bool:
        """True for groups of runs; a metric of another benchmark may have the name of a group of problems."""
        return self.by in self.values and self.by not in owner_of(self.benchmark).groups("")

    def labels(self, runs: ProblemRuns) -> Sequence[str]:
        """Return the groups of some runs."""
        if self.by == "set":
            return (runs.set_name,)
        if not self.is_by_value:
            return labels_of(self.benchmark, runs.instance, self.by)
        values = json.loads(runs.values)
        label = value_label(values[self.values.index(self.by)])
        return () if label is None else (label,)

    def members(self, label: str, instances: Iterable[str], judged: set[str]) -> dict[str, None]:
        """Return the bundled problems of a set or group; if there are none, those with a scored run."""
        if self.is_by_value:
            return {}
        members: list[str] = []
        for names in dict(map(set_of, instances)).values():
            if self.by == "set":
                members += names
            else:
                members += [name for name in names if label in labels_of(self.benchmark, name, self.by)]
        return dict.fromkeys(members or sorted(judged))


def _groups(grouping: _Grouping, table: RunTable, figures: Sequence[Average]) -> list[_Group]:
    """Return a group per model and set, or ``by``."""
    models_by_label: dict[str, dict[str, dict[str, _Problem]]] = {}
    for runs in table.parts.values():
        for label in grouping.labels(runs):
            problems = models_by_label.setdefault(label, {}).setdefault(runs.model, {})
            problems.setdefault(runs.instance, _Problem()).parts.append(runs)
    groups: list[_Group] = []
    for label, models in sorted(models_by_label.items()):
        problems_by_model = {model: dict(sorted(problems.items())) for model, problems in sorted(models.items())}
        judged: set[str] = set()
        for problems in problems_by_model.values():
            judged.update(name for name, problem in problems.items() if problem.scored)
        members = grouping.members(label, chain.from_iterable(problems_by_model.values()), judged)
        size = len({*members, *judged}) if judged else 0
        for model, problems in problems_by_model.items():
            groups.append(_Group(grouping.benchmark, label, model, figures, members, size, problems, table))
    return sorted(groups, key=lambda group: (group.model, group.set_name))


class _ColumnMean(NamedTuple):
    """Mean of a column over the runs that have it, and their number."""

    value: float
    runs: int


class _ColumnSum(NamedTuple):
    """Sum of the means of problems in a column, their number, and that of the runs behind them."""

    value: float
    problems: int
    runs: int


class _Problem:
    """Runs of a model for a problem of a group."""

    def __init__(self) -> None:
        self.parts: list[ProblemRuns] = []

    @property
    def scored(self) -> int:
        """Number of scored runs."""
        return sum(part.scored for part in self.parts)

    @property
    def repeated(self) -> int:
        """Number of runs with a sample that another run has."""
        samples = set[int | str]().union(*(part.samples for part in self.parts))
        return sum(part.named for part in self.parts) - len(samples)

    @cached_property
    def outcomes(self) -> list[tuple[array[float], int]]:
        """Terms of each distinct outcome, and the number of its runs."""
        counts = chain.from_iterable(part.outcomes.items() for part in self.parts)
        return [(outcome.numbers(), count) for outcome, count in counts]

    def values(self, column: int) -> list[float]:
        """Return the values of a column in all runs that have it."""
        values: list[float] = []
        for numbers, count in self.outcomes:
            if not isnan(numbers[column]):
                values += [numbers[column]] * count
        return values

    def mean(self, column: int) -> _ColumnMean | None:
        """Return the mean of a column; ``None`` if no run has it."""
        values = self.values(column)
        return _ColumnMean(mean_of_runs(values), len(values)) if values else None

    def terms(self, top: int, bottom: int) -> Terms:
        """Return the numerators and denominators of all runs that have them, in order."""
        terms: list[tuple[float, float]] = []
        for numbers, count in self.outcomes:
            if numbers[bottom] and not isnan(numbers[bottom]):
                terms += [(numbers[top], numbers[bottom])] * count
        return sorted(terms)


@dataclass
class _Group:
    """Runs of a model for the problems of a set.

    Attributes
    ----------
    figures
        Figures of the benchmark.
    members, size
        Problems of the set: those bundled, else those that any model has a scored run for; and their number, 0 if
        no model has a scored run for any.
    problems
        Problems with a run, in order of their names.
    table
        Table with the columns of the runs.
    sums
        Sums of columns that were computed.
    """

    benchmark: str
    set_name: str
    model: str
    figures: Sequence[Average]
    members: Mapping[str, None]
    size: int
    problems: Mapping[str, _Problem]
    table: RunTable
    sums: dict[str, _ColumnSum] = field(default_factory=dict)

    @cached_property
    def scored(self) -> Mapping[str, int]:
        """Number of scored runs of every problem with a run."""
        return {name: problem.scored for name, problem in self.problems.items()}

    def sum_of(self, column: str) -> _ColumnSum:
        """Return the sum of a column over the problems of its means over runs."""
        if column not in self.sums:
            position = self.table.columns[column]
            means = [mean for problem in self.problems.values() if (mean := problem.mean(position))]
            total = exact_sum(mean.value for mean in means)
            self.sums[column] = _ColumnSum(total, len(means), sum(mean.runs for mean in means))
        return self.sums[column]

    @cached_property
    def absent(self) -> int:
        """Number of problems without any run."""
        present = sum(name in self.members for name in self.scored)
        return len(self.members) - present

    @cached_property
    def unjudged(self) -> int:
        """Number of problems of the set with unscored runs only."""
        unscored = (name for name, count in self.scored.items() if not count)
        return sum(name in self.members for name in unscored)

    @property
    def all_problems(self) -> int:
        """Number of problems with a scored run, without any run, or with unscored runs only."""
        judged = sum(count > 0 for count in self.scored.values())
        return judged + self.absent + self.unjudged

    def without_missing(self) -> _Group:
        """Return the group with figures over answered problems; itself if no figure counts missing ones."""
        if not any(figure.counts_missing for figure in self.figures):
            return self
        figures = [figure._replace(counts_missing=False) for figure in self.figures]
        return replace(self, figures=figures)

    def figure(self, role: str) -> Average:
        """Return the figure of the benchmark with a role, or that of all benchmarks with a name."""
        all_figures = (*self.figures, *COMMON)
        return next(figure for figure in all_figures if role in (*figure.role, figure.name))

    def mean(self, figure: Average, tops: Iterable[float] | None = None) -> float | None:
        """Return a figure, or the same with other numerators of the problems."""
        top, bottom = (self.sum_of(column).value for column in columns_of(figure))
        top = top if tops is None else fsum(tops)
        bottom += self.absent_in(figure)
        return top / bottom if bottom else None

    def share(self, figure: Average, tops: Iterable[float] | None = None) -> float | None:
        """Return a figure as a share of its best value."""
        value = self.mean(figure, tops)
        return None if value is None else value / figure.full

    def of_all(self, figure: Average) -> float | None:
        """Return a share in which each problem without a scored run counts as failed."""
        value = self.share(figure)
        if value is None:
            return None
        top = columns_of(figure)[0]
        problems = self.sum_of(top).problems + self.absent + self.unjudged
        return value * self.problems_of(figure) / problems

    def count(self, figure: Average) -> int:
        """Return the number of runs that have a figure."""
        return self.sum_of(columns_of(figure)[0]).runs

    def problems_of(self, figure: Average) -> int:
        """Return the number of problems that a figure is over."""
        top = columns_of(figure)[0]
        return self.sum_of(top).problems + self.absent_in(figure)

    def absent_in(self, figure: Average) -> int:
        """Return the number of problems without any run that count as failed in a figure.

        Without a scored run there is none: else a model whose plans were not understood would have the figure 0.
        """
        if not figure.counts_missing or not any(self.scored.values()):
            return 0
        return self.absent

    def row(self, metrics: Sequence[GradeMetric]) -> dict[str, Any]:
        """Return the row of the group, see `summarize`."""
        samples = [count for count in self.scored.values() if count]
        scored = sum(samples)
        parts = self._parts()
        succeeded = sum(part.succeeded for part in parts)
        submissions = sum(part.submissions for part in parts)
        among = {"succeeded": succeeded, "failed": scored - succeeded}
        row: dict[str, Any] = {
            "model": self.model,
            "benchmark": self.benchmark,
            "set": self.set_name,
            "problems": len(samples),
            "missing": self.absent,
            "all_problems": self.all_problems,
            "submissions": submissions,
            "unscored": submissions - scored,
            "repeated": sum(problem.repeated for problem in self.problems.values()),
        }
        row["samples_least"] = min(samples, default=None)
        row["samples_most"] = max(samples, default=None)
        for metric in metrics:
            figure = self.figure(metric.role or f"all:{metric.name}")
            ends = share_interval(self.scores()) if metric.interval else None
            counts = (self.count(figure), self.problems_of(figure))
            share, of_all = self.share(figure), self.of_all(figure)
            row |= _columns(metric, share, counts, of_all, ends, among)
        return row | self._several()

    def _parts(self) -> list[ProblemRuns]:
        """Return the runs of all problems."""
        return list(chain.from_iterable(problem.parts for problem in self.problems.values()))

    def benchmark_figures(self) -> dict[str, Any]:
        """Return the figures of the benchmark, their runs and problems, and the names of missing problems."""
        missing = (name for name in self.members if name not in self.scored)
        means = [figure for figure in self.figures if figure.aggregate == "mean"]
        row = {figure.name: self._figure(figure) for figure in self.figures}
        row["runs"] = {figure.name: self.count(figure) for figure in means}
        row["over"] = {figure.name: self.problems_of(figure) for figure in means}
        row["missing_names"] = list(islice(missing, NAMED))
        return row

    def _figure(self, figure: Average) -> Any:
        if figure.aggregate == "counts":
            return self._counts(*columns_of(figure))
        if figure.aggregate == "mean":
            return self.mean(figure)
        position = self.table.columns[columns_of(figure)[0]]
        values = list(chain.from_iterable(problem.values(position) for problem in self.problems.values()))
        if figure.aggregate == "sum":
            return int(exact_sum(values))
        largest = max(values, default=None)
        return None if largest is None else int(largest)

    def _counts(self, column: str) -> dict[Any, int]:
        """Return how often the runs have each name of a column."""
        position = self.table.counted.index(column)
        counts: Counter[Any] = Counter()
        for part in self._parts():
            for outcome, count in part.outcomes.items():
                for name in outcome.names[position]:
                    counts[name] += count
        return dict(sorted(counts.items(), key=str))

    def _terms(self, figure: Average) -> list[Terms]:
        """Return numerators and denominators of the runs of every problem that has any, in order."""
        top, bottom = (self.table.columns[column] for column in columns_of(figure))
        terms = (problem.terms(top, bottom) for problem in self.problems.values())
        return [runs for runs in terms if runs]

    @cached_property
    def main_terms(self) -> list[Terms]:
        """The terms of the main score, see `_terms`."""
        return self._terms(self.figure("main"))

    def _several(self) -> dict[str, float | None]:
        """Return pass@k, pass^k and best of k for every k of which all problems have so many samples."""
        success, main = self.figure("success"), self.figure("main")
        figures: dict[str, float | None] = {}
        scored: list[tuple[int, int]] = []
        for runs in self._terms(success):
            succeeded = sum(top >= bottom * success.full for top, bottom in runs)
            scored.append((len(runs), succeeded))
        if max((count for count, _ in scored), default=0) < 2:
            return figures
        for name, estimate in (("pass@", pass_at), ("pass^", pass_hat)):
            for size in sizes(min(count for count, _ in scored)):
                estimates = [success.full * estimate(count, good, size) for count, good in scored]
                figures[f"{name}{size}"] = self.share(success, estimates)
        min_samples = min(map(len, self.main_terms), default=0)
        for size in sizes(min_samples):
            best: list[float] = []
            for runs in self.main_terms:
                ratios = [top / bottom for top, bottom in runs]
                best.append(best_of(ratios, size) * _mean_bottom(runs))
            figures[f"best@{size}"] = self.share(main, best)
        return figures

    def scores(self, stratum: str = "") -> list[ProblemScore]:
        """Return the main scores of the problems, with missing problems if these count.

        A ratio of two sums is treated as a mean over problems: the contribution of a run times the number of problems.
        """
        main = self.figure("main")
        mean = self.mean(main)
        if mean is None:
            return []
        runs = self.main_terms + [[(0.0, 1.0)]] * self.absent_in(main)
        share = 1 / len(runs)
        weight = fsum(map(_mean_bottom, runs)) / len(runs)
        max_value = 1.0
        for terms in runs:
            highest = max(top / bottom for top, bottom in terms)
            max_value = max(max_value, highest / main.full)
        scores: list[ProblemScore] = []
        for terms in runs:
            values = [(top / weight + mean * (1 - bottom / weight)) / main.full for top, bottom in terms]
            scores.append(ProblemScore(mean_of_runs(values), stratum, share, max_value))
        return scores


def _mean_bottom(runs: Terms) -> float:
    """Return the mean denominator of the runs of a problem."""
    return mean_of_runs([bottom for _, bottom in runs])


def _columns(
    metric: GradeMetric,
    value: float | None,
    counts: tuple[int, int],
    of_all: float | None,
    ends: tuple[float | None, float | None] | None,
    among: Mapping[str, int],
) -> dict[str, Any]:
    """Return the summary columns of a metric, see `planoracle.analysis.grading.metrics.GradeMetric`.

    ``counts`` are the runs and the problems that it is over.
    """
    name = metric.name
    low, high = ends or (None, None)
    runs, problems = counts
    columns: dict[str, Any] = {}
    if metric.among:
        columns[metric.among] = among[metric.among]
    columns[name] = value
    if metric.interval:
        columns[f"{name}_low"] = low
        columns[f"{name}_high"] = high
    columns[f"{name}_runs"] = runs
    columns[f"{name}_problems"] = problems
    if metric.of_all:
        columns[f"{name}_of_all"] = of_all
    return columns


def _models(
    groups: Sequence[_Group], rows: Sequence[Mapping[str, Any]], metrics: Sequence[GradeMetric]
) -> list[dict[str, Any]]:
    """Return a row per model, over all sets."""
    scored_groups = [group for group in groups if group.size]
    sizes = {(group.benchmark, group.set_name): group.size for group in scored_groups}
    by_model: dict[str, list[tuple[_Group, Mapping[str, Any]]]] = {}
    for group, row in zip(groups, rows, strict=True):
        by_model.setdefault(group.model, []).append((group, row))
    models = []
    for model, groups_and_rows in sorted(by_model.items()):
        models.append(_model(model, groups_and_rows, sizes, metrics))
    return sorted(models, key=_rank)


def _model(
    model: str,
    groups_and_rows: Sequence[tuple[_Group, Mapping[str, Any]]],
    sizes: Mapping[tuple[str, str], int],
    metrics: Sequence[GradeMetric],
) -> dict[str, Any]:
    """Return the row of a model; ``sizes`` are those of all sets with a scored run of any model."""
    groups = [group for group, _ in groups_and_rows]
    rows = [row for _, row in groups_and_rows]
    scored = [row for row in rows if row["problems"]]
    lacking = len(sizes) - len(scored)
    tried = 0
    for group in groups:
        tried += sizes.get((group.benchmark, group.set_name), 0)
    untried = sum(sizes.values()) - tried
    ends = _interval_over_sets(groups)
    counts = {name: sum(row[name] for row in rows) for name in _COUNTS}
    counts["missing"] += untried
    counts["all_problems"] += untried
    row: dict[str, Any] = {"model": model, "sets": len(scored), "sets_missing": lacking}
    row |= counts
    numbers_of_samples = [(row["samples_least"], row["samples_most"]) for row in scored]
    row["samples_least"] = min((smallest for smallest, _ in numbers_of_samples), default=None)
    row["samples_most"] = max((largest for _, largest in numbers_of_samples), default=None)
    among = {}
    for name in ("succeeded", "failed"):
        among[name] = sum(row.get(name, 0) for row in rows)
    for metric in metrics:
        name = metric.name
        runs = sum(row[f"{name}_runs"] for row in rows)
        problems = sum(row[f"{name}_problems"] for row in rows)
        share = mean(row[name] for row in scored)
        of_all = None
        if scored:
            of_all = mean((row.get(f"{name}_of_all") for row in scored), lacking)
        row |= _columns(metric, share, (runs, problems), of_all, ends, among)
    return row | _means_over_samples(scored)


def _interval_over_sets(groups: Sequence[_Group]) -> tuple[float, float] | None:
    """Return the interval of the mean main score of the sets that have one."""
    scores_by_set = [group.scores(str(number)) for number, group in enumerate(groups)]
    scored_sets = [scores for scores in scores_by_set if scores]
    scores: list[ProblemScore] = []
    number_of_sets = len(scored_sets)
    for set_scores in scored_sets:
        for score in set_scores:
            share = score.share / number_of_sets
            scores.append(score._replace(share=share))
    return share_interval(scores)


def _means_over_samples(rows: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """Return the means of the figures over several samples that all rows have."""
    if not rows:
        return {}
    names = [name for name in rows[0] if name.startswith(SEVERAL)]
    shared = [name for name in names if all(name in row for row in rows)]
    return {name: mean(row[name] for row in rows) for name in shared}


def _rank(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the rank of a model: by its rate of success of all problems, then by its main score."""
    rates = (row["success_of_all"], row["main_score_of_all"])
    sort_keys = [(rate is None, -(rate or 0)) for rate in rates]
    return *sort_keys, row["model"]
