"""Averages of the frame of grades over samples, then problems, then sets, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from math import fsum, isnan
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from planoracle.analysis.grading.grader import set_of
from planoracle.analysis.grading.metrics import SUMMARY, GradeMetric
from planoracle.analysis.grading.rule_options import complete_rules
from planoracle.analysis.statistics.grade_columns import (
    COMMON,
    PROBLEM_KEY,
    VALUE,
    columns_of,
    figures_of,
    labels_of,
    value_label,
)
from planoracle.analysis.statistics.intervals import (
    ProblemScore,
    best_of,
    mean,
    pass_at,
    pass_hat,
    share_interval,
    sizes,
)
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import Average

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

#: Format and version of rows of summaries; the version grows when a field changes its meaning or is removed.
FORMAT: Final = "planoracle/summary"
VERSION: Final = 2
#: Most names of missing problems in a row; no bundled set has more problems.
NAMED: Final = 2000
#: Beginnings of the names of figures over several samples.
SEVERAL: Final = ("pass@", "pass^", "best@")

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
    frame: pd.DataFrame,
    rules: Mapping[str, Rules] | None = None,
    *,
    metrics: Sequence[GradeMetric] = SUMMARY,
    by_paper: bool = True,
    by: str = "set",
) -> Summary:
    """Average the frame of grades per model and set, and per model.

    Every figure is the mean over the answered problems of the mean over their scored runs (of a ratio of sums: of both
    means). Missing problems count as failed in the figures ``NAME_of_all``, and in rows of sets with the benchmarks'
    own figures if its paper counts them so. An unscored run is neither missing nor failed; it is counted and omitted,
    except for figures of all problems.

    Parameters
    ----------
    frame
        See `planoracle.analysis.statistics.grade_columns.GradeRows.frame`.
    rules
        Those with which the frame was made, see `GradeRows`.
    metrics
        Metrics of all benchmarks that are averaged.
    by_paper
        True if rows of sets follow the benchmarks' papers: with their own figures, with missing problems counted as
        failed where the paper does so, and with the names of these problems.
    by
        Group that takes the place of the set: of problems, see `planoracle.instances.protocol.benchmark.Benchmark`, or
        of runs, by a field whose values the frame has. A run whose problem has several values counts for each of them.
        Groups of runs have no missing problems. With ``""`` all problems are one group.

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
    complete = complete_rules(rules)
    if by != "set" and len(frame):
        frame = _with_groups(frame, by)
    groups: list[_Group] = []
    for name, part in _parts_by(frame, "benchmark"):
        groups += _groups(name, part, figures_of(name, complete), by)
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


def _with_groups(frame: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return a frame with groups in place of the sets: a row for each run and group."""
    column = f"{VALUE}{by}"
    if column in frame:
        values: list[Any] = [value_label(value) for value in frame[column]]
        return frame.assign(set=values).dropna(subset="set").reset_index(drop=True)
    names = zip(frame["benchmark"], frame["instance"], strict=True)
    labels: list[Any] = [labels_of(benchmark, instance, by) for benchmark, instance in names]
    return frame.assign(set=labels).explode("set", ignore_index=True)


def _parts_by(frame: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the parts of a frame with the same text in a column."""
    return ((str(text), part) for text, part in frame.groupby(column))


def _groups(benchmark: str, frame: pd.DataFrame, figures: Sequence[Average], by: str) -> list[_Group]:
    """Average over the samples of each problem; return a group per model and set, or ``by``."""
    all_figures = (*figures, *COMMON)
    means = [figure for figure in all_figures if figure.aggregate == "mean"]
    terms = list(chain.from_iterable(map(columns_of, means)))
    # Floating-point sums depend on the order; sorting makes them independent of the order of the rows.
    frame = frame.sort_values([*PROBLEM_KEY, *terms], ignore_index=True)
    runs = frame.groupby(PROBLEM_KEY)
    problems = runs[terms].mean()
    problems = problems.assign(runs=runs["scored"].sum()).reset_index()
    members, sizes = {}, {}
    for set_name, part in _parts_by(problems, "set"):
        judged = {*part["instance"][part["runs"] > 0]}
        set_members: dict[str, None] = {}
        if f"{VALUE}{by}" not in frame:
            set_members = _members(benchmark, set_name, part["instance"], judged, by)
        members[set_name] = set_members
        sizes[set_name] = len({*set_members, *judged}) if judged else 0
    set_key = PROBLEM_KEY[:2]
    by_set, runs_by_set = problems.groupby(set_key), frame.groupby(set_key)
    sums: dict[Any, Any] = by_set[terms].sum().to_dict("index")
    answered: dict[Any, Any] = by_set[terms].count().to_dict("index")
    counts: dict[Any, Any] = runs_by_set[terms].count().to_dict("index")
    columns = {str(name): frame[name].to_numpy() for name in frame.columns}
    names = problems["instance"].tolist()
    scored_runs = problems["runs"].tolist()
    groups: list[_Group] = []
    for key in sums:
        set_name, model = key
        positions = runs_by_set.indices[key]
        problem_positions = by_set.indices[key]
        scored = {names[position]: scored_runs[position] for position in problem_positions}
        set_runs = {name: values[positions] for name, values in columns.items()}
        group = _Group(
            benchmark=benchmark,
            set_name=set_name,
            model=model,
            figures=figures,
            members=members[set_name],
            size=sizes[set_name],
            scored=scored,
            runs=set_runs,
            sums=sums[key],
            answered=answered[key],
            counts=counts[key],
        )
        groups.append(group)
    return sorted(groups, key=lambda group: (group.model, group.set_name))


def _members(benchmark: str, set_name: str, instances: Iterable[str], judged: set[str], by: str) -> dict[str, None]:
    """Return the bundled problems of a set or group; if there are none, those with a scored run."""
    members: list[str] = []
    for names in dict(map(set_of, instances)).values():
        if by == "set":
            members += names
        else:
            members += [name for name in names if set_name in labels_of(benchmark, name, by)]
    return dict.fromkeys(members or sorted(judged))


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
    scored
        Number of scored runs of every problem with a run.
    runs
        Columns of the part of the frame.
    sums, answered
        By column the sum over the problems of means over runs, and the number of problems with one.
    counts
        By column the number of runs that have the figure.
    """

    benchmark: str
    set_name: str
    model: str
    figures: Sequence[Average]
    members: Mapping[str, None]
    size: int
    scored: Mapping[str, int]
    runs: Mapping[str, NDArray[Any]]
    sums: Mapping[str, float]
    answered: Mapping[str, int]
    counts: Mapping[str, int]

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
        top, bottom = (self.sums[column] for column in columns_of(figure))
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
        problems = self.answered[top] + self.absent + self.unjudged
        return value * self.problems_of(figure) / problems

    def count(self, figure: Average) -> int:
        """Return the number of runs that have a figure."""
        return self.counts[columns_of(figure)[0]]

    def problems_of(self, figure: Average) -> int:
        """Return the number of problems that a figure is over."""
        top = columns_of(figure)[0]
        return self.answered[top] + self.absent_in(figure)

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
        succeeded = int(self.runs["success"].sum())
        submissions = len(self.runs["scored"])
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
            "repeated": self._count_repeated(),
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

    def _count_repeated(self) -> int:
        """Return the number of runs with a sample that another run of the problem has."""
        runs = zip(self.runs["instance"], self.runs["sample"], strict=True)
        named = [(name, sample) for name, sample in runs if name and sample is not None]
        return len(named) - len({*named})

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
        top = columns_of(figure)[0]
        if figure.aggregate == "counts":
            counts = Counter(chain.from_iterable(self.runs[top]))
            return dict(sorted(counts.items(), key=str))
        if figure.aggregate == "mean":
            return self.mean(figure)
        values = [value for value in self.runs[top] if not isnan(value)]
        if figure.aggregate == "sum":
            return int(sum(values))
        largest = max(values, default=None)
        return None if largest is None else int(largest)

    def _terms(self, figure: Average) -> list[NDArray[np.float64]]:
        """Return numerators and denominators of the runs of every problem that has any, in order."""
        terms = [self.runs[column] for column in columns_of(figure)]
        columns = np.array(terms, dtype=float)
        present = np.nan_to_num(columns[1]) != 0
        names = self.runs["instance"][present]  # in order, as the frame is
        is_other_problem = names[1:] != names[:-1]
        first_runs = np.flatnonzero(is_other_problem) + 1
        parts = np.split(columns[:, present], first_runs, axis=1)
        orders = [np.lexsort(part[::-1]) for part in parts]
        return [part[:, order] for part, order in zip(parts, orders, strict=True) if part.size]

    @cached_property
    def main_terms(self) -> list[NDArray[np.float64]]:
        """The terms of the main score, see `_terms`."""
        return self._terms(self.figure("main"))

    def _several(self) -> dict[str, float | None]:
        """Return pass@k, pass^k and best of k for every k of which all problems have so many samples."""
        success, main = self.figure("success"), self.figure("main")
        figures: dict[str, float | None] = {}
        scored: list[tuple[int, int]] = []
        for tops, bottoms in self._terms(success):
            succeeded = tops >= bottoms * success.full
            scored.append((len(tops), int(succeeded.sum())))
        if max((count for count, _ in scored), default=0) < 2:
            return figures
        for name, estimate in (("pass@", pass_at), ("pass^", pass_hat)):
            for size in sizes(min(count for count, _ in scored)):
                estimates = [success.full * estimate(count, good, size) for count, good in scored]
                figures[f"{name}{size}"] = self.share(success, estimates)
        counts = [len(tops) for tops, _ in self.main_terms]
        min_samples = min(counts, default=0)
        for size in sizes(min_samples):
            best: list[float] = []
            for tops, bottoms in self.main_terms:
                ratios = list(tops / bottoms)
                best.append(best_of(ratios, size) * float(bottoms.mean()))
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
        failure = np.array([[0.0], [1.0]])
        runs = self.main_terms + [failure] * self.absent_in(main)
        share = 1 / len(runs)
        mean_bottoms = [float(bottoms.mean()) for _, bottoms in runs]
        weight = fsum(mean_bottoms) / len(runs)
        max_value = 1.0
        for tops, bottoms in runs:
            highest = float((tops / bottoms).max())
            max_value = max(max_value, highest / main.full)
        scores: list[ProblemScore] = []
        for tops, bottoms in runs:
            missing_weight = 1 - bottoms / weight
            values = (tops / weight + mean * missing_weight) / main.full
            score = float(values.mean())
            scores.append(ProblemScore(score, stratum, share, max_value))
        return scores


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
