"""Averages over grades: over the samples of a problem, then over the problems of a set, then over sets.

One pass; what is kept are sums per problem, and two numbers a run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from math import fsum
from typing import Any, Final

from planoracle.analysis.grade import Grade
from planoracle.analysis.profiles import completed
from planoracle.analysis.tally import Tally, interval
from planoracle.instances import catalogue, registry
from planoracle.instances.problem import GENERAL
from planoracle.instances.profiles import Rules
from planoracle.instances.scoring import Average, mean_of

__all__ = ["FORMAT", "SEVERAL", "VERSION", "Averages", "summarize"]

#: What rows of summaries are, and of which version; that grows when a field changes its meaning or goes away.
FORMAT: Final = "planoracle/summary"
VERSION: Final = 1

# Of the rows of sets: what is added up over them, and what is averaged.
_ADDED = ("problems", "missing", "submissions", "unscored", "repeated")
_RUNS = ("success_runs", "main_score_runs", "succeeded", "gap_runs", "failed", "lost_runs")
_SHARES = ("success", "main_score", "gap", "lost")
_OF_ALL = ("success_of_all", "main_score_of_all")
#: How the names of figures over several samples begin.
SEVERAL: Final = ("pass@", "pass^", "best@")


def summarize(
    grades: Iterable[Grade], benchmark: str | None = None, rules: Mapping[str, Rules] | None = None
) -> list[dict[str, Any]]:
    """Average grades per model and set.

    Parameters
    ----------
    benchmark
        Whose grades; ``None`` for all.
    rules
        By benchmark, where they decide how grades are summed up; by default those of ``paper``.

    Returns
    -------
    list of dict
        As `Averages.rows`.
    """
    averages = Averages(rules).over(grades)
    return [row for name in averages.benchmarks if benchmark in (None, name) for row in averages.rows(name)]


class Averages:
    """Sums over grades, by benchmark, model and set, of which the averages are made.

    Parameters
    ----------
    rules
        By benchmark, see `summarize`.
    simple
        Benchmarks whose own figures are left out, as for grades that lack what these need.
    """

    def __init__(self, rules: Mapping[str, Rules] | None = None, *, simple: Collection[str] = ()) -> None:
        self.rules = completed(rules)
        self.simple = simple
        self._groups: dict[str, dict[tuple[str, str], Tally]] = {}

    def add(self, grade: Grade, lost: float | None = None) -> None:
        """Count a grade; ``lost`` is the share of the optimum that a run had lost when it failed, if that is known."""
        where, members = _set_of(grade.instance or "")
        groups = self._groups.setdefault(grade.benchmark or "", {})
        key = (grade.model or "", where)
        group = groups.get(key) or Tally(self.averages(grade.benchmark or ""), members)
        group.add(grade, lost)
        groups[key] = group  # not before it has taken the grade

    def over(self, grades: Iterable[Grade]) -> Averages:
        """Count several grades; return the same averages."""
        for grade in grades:
            self.add(grade)
        return self

    @property
    def benchmarks(self) -> list[str]:
        """The benchmarks of the grades, in order; an empty name stands for lines that name no problem."""
        return sorted(name for name, groups in self._groups.items() if groups)

    def averages(self, benchmark: str) -> tuple[Average, ...]:
        """Return the figures of a benchmark; those of the general rules for one that nobody knows."""
        if benchmark in self.simple:
            return _SIMPLE
        found = registry.find(benchmark) or registry.get(GENERAL)
        return tuple(found.averages(self.rules[found.name]))

    def rows(self, benchmark: str, *, own: bool = True) -> list[dict[str, Any]]:
        """Return a row per model and set; without the benchmark's own figures unless ``own``.

        Every figure is the mean over the problems of the mean over their scored runs (of one sum by another: of the
        means of both). Problems without any run count as failed where the benchmark says so.

        Returns
        -------
        list of dict
            - ``model, set``; ``problems``: with a scored run; ``missing`` and ``missing_names``: problems of the set
              (of one's own problems: of those that any model has a scored run for) without any, at most 2,000 names;
              ``submissions``, ``unscored``, ``repeated`` runs (with the name of a sample that was there already);
              ``samples_least``, ``samples_most``: scored runs per problem;
            - ``success``, ``main_score`` (from 0 to 1, above it where a reference is beaten), the ends of its 95 %
              interval ``main_score_low`` and ``…_high``; ``success_runs, main_score_runs``: the runs they are over;
              ``success_of_all, main_score_of_all``: the same with every problem without a scored run as failed;
            - ``gap`` of ``gap_runs``: of the runs that ``succeeded``, those with a proved optimum; ``lost`` of
              ``lost_runs``: of those that ``failed``, those with a price; both as shares of the optimum;
            - ``pass@k, pass^k, best@k``, see `planoracle.analysis.estimators`, if there are several samples, for every
              k of which all problems have so many;
            - the figures of `planoracle.instances.benchmark.Benchmark.averages`, and by their names the ``runs`` that
              each mean is over.

            An unscored run is neither missing nor failed; it is counted and left out, but for figures of all.
        """
        return [
            {"model": model, "set": where} | (group.row() if own else group.common())
            for (model, where), group in self._settled(benchmark).items()
        ]

    def _settled(self, benchmark: str) -> dict[tuple[str, str], Tally]:
        """Return the groups of a benchmark in order, each knowing which problems it lacks."""
        groups = dict(sorted(self._groups.get(benchmark, {}).items()))
        known: dict[str, set[str]] = {}
        for (_, where), group in groups.items():
            known.setdefault(where, set()).update(group.scored)
        names = {where: dict.fromkeys(sorted(found)) for where, found in known.items()}
        for (_, where), group in groups.items():
            group.settle(names[where])
        return groups

    def models(self) -> list[dict[str, Any]]:
        """Return a row per model, over all sets, the most successful first.

        Returns
        -------
        list of dict
            The fields of `rows` but for the benchmarks' own: counts are added up, figures are the plain mean of those
            of the sets (macro average), and the interval is that of this mean. ``sets``: with a scored run;
            ``sets_missing``: those of which only other models have one, which count as failed in ``…_of_all``.
        """
        sets: dict[tuple[str, str], dict[str, Tally]] = {}
        own: dict[str, dict[tuple[str, str], Tally]] = {}
        for benchmark in self.benchmarks:
            for (model, where), group in self._settled(benchmark).items():
                sets.setdefault((benchmark, where), {})[model] = group
                own.setdefault(model, {})[benchmark, where] = group
        sizes = {where: size for where, groups in sets.items() if (size := _size(groups.values()))}
        return sorted((_over_sets(model, own[model], sizes) for model in sorted(own)), key=_place)

    def summary(self) -> list[dict[str, Any]]:
        """Return all rows, those of `models` first, as data: with ``format, version`` and ``level``, model or set."""
        about = {"format": FORMAT, "version": VERSION}
        over = [about | {"level": "model"} | row for row in self.models()]
        return over + [
            about | {"level": "set", "model": row["model"], "benchmark": name} | row
            for name in self.benchmarks
            for row in self.rows(name)
        ]


def _over_sets(
    model: str, groups: Mapping[tuple[str, str], Tally], sizes: Mapping[tuple[str, str], int]
) -> dict[str, Any]:
    """Return the row of a model; ``sizes`` are those of all sets with a scored run of anybody."""
    own = list(groups.values())
    lacking = len(sizes) - sum(where in sizes and bool(group.scored) for where, group in groups.items())
    untried = sum(sizes.values()) - sum(sizes.get(where, 0) for where in groups)
    rows = [group.common() for group in own]
    told = [row for row in rows if row["problems"]]
    if len(told) == 1:
        low, high = told[0]["main_score_low"], told[0]["main_score_high"]
    else:
        drawn = [found for number, group in enumerate(own) if (found := group.clusters(str(number)))]
        ends = interval([one._replace(share=one.share / len(drawn)) for part in drawn for one in part])
        low, high = ends or (None, None)
    added = {name: sum(row[name] for row in rows) for name in (*_ADDED, *_RUNS)}
    means = {name: _mean(row[name] for row in told) for name in _SHARES}
    of_all = {name: _mean((row[name] for row in told), lacking) for name in _OF_ALL if told}
    return {
        "model": model,
        "sets": len(told),
        "sets_missing": lacking,
        "problems": added["problems"],
        "missing": added["missing"] + untried,
        "submissions": added["submissions"],
        "unscored": added["unscored"],
        "repeated": added["repeated"],
        "samples_least": min((row["samples_least"] for row in told), default=None),
        "samples_most": max((row["samples_most"] for row in told), default=None),
        "success": means["success"],
        "success_runs": added["success_runs"],
        "success_of_all": of_all.get("success_of_all"),
        "main_score": means["main_score"],
        "main_score_low": low,
        "main_score_high": high,
        "main_score_runs": added["main_score_runs"],
        "main_score_of_all": of_all.get("main_score_of_all"),
        "succeeded": added["succeeded"],
        "gap": means["gap"],
        "gap_runs": added["gap_runs"],
        "failed": added["failed"],
        "lost": means["lost"],
        "lost_runs": added["lost_runs"],
        **{name: _mean(row[name] for row in told) for name in _several(told)},
    }


def _size(groups: Iterable[Tally]) -> int:
    """Return how many problems a set has, 0 if nobody has a scored run for any."""
    problems = {name for group in groups for name in group.scored}
    members = {name for group in groups for name in group.members}
    return len(problems and (problems | members))


def _mean(values: Iterable[float | None], failed: int = 0) -> float | None:
    """Return the mean of what is known, and of so many zeros."""
    known = [value for value in values if value is not None]
    return fsum(known) / count if (count := len(known) + failed) else None


def _several(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return which of pass@k, pass^k and best of k all sets have."""
    return [key for key in (rows[0] if rows else ()) if key.startswith(SEVERAL) and all(key in row for row in rows)]


def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return *((row[name] is None, -(row[name] or 0)) for name in _OF_ALL), row["model"]


_set_of = lru_cache(maxsize=4096)(catalogue.set_of)

# What every grade has.
_SIMPLE = (
    mean_of("success", "plans that succeed", default=0.0, role=("success",)),
    mean_of("main_score", "the main figure of the benchmark", role=("main",)),
)
