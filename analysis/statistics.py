"""Averages over grades, as the benchmarks define them; one pass, nothing kept but sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from planoracle.analysis.grade import Grade
from planoracle.analysis.profiles import profiles
from planoracle.instances import catalogue, registry
from planoracle.instances.problem import GENERAL
from planoracle.instances.profiles import Rules
from planoracle.instances.scoring import Average

__all__ = ["Averages", "summarize"]


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
        ``model, set, submissions, unscored, missing`` (problems of a bundled set without any submission) and
        ``missing_names``, and the figures of `planoracle.instances.benchmark.Benchmark.averages`. An unscored
        submission is neither missing nor failed; it is counted and left out.
    """
    averages = Averages(rules).over(grades)
    return [row for name in averages.benchmarks if benchmark in (None, name) for row in averages.rows(name)]


class Averages:
    """Sums over grades, by benchmark, model and set, of which the averages are made."""

    def __init__(self, rules: Mapping[str, Rules] | None = None) -> None:
        self.rules = profiles() | dict(rules or {})
        self._groups: dict[str, dict[tuple[str, str], _Group]] = {}

    def add(self, grade: Grade) -> None:
        """Count a grade."""
        where, members = _set_of(grade.instance or "")
        groups = self._groups.setdefault(grade.benchmark or "", {})
        key = (grade.model or "", where)
        if key not in groups:
            groups[key] = _Group(self.averages(grade.benchmark or ""), members)
        groups[key].add(grade)

    def over(self, grades: Iterable[Grade]) -> Averages:
        """Count several grades; return the same averages."""
        for grade in grades:
            self.add(grade)
        return self

    @property
    def benchmarks(self) -> list[str]:
        """The benchmarks of the grades, in order; an empty name stands for lines that name no problem."""
        return sorted(self._groups)

    def averages(self, benchmark: str) -> tuple[Average, ...]:
        """Return the figures of a benchmark; those of the general rules for one that nobody knows."""
        found = registry.find(benchmark) or registry.get(GENERAL)
        return tuple(found.averages(self.rules[found.name]))

    def rows(self, benchmark: str) -> list[dict[str, Any]]:
        """Return a row per model and set."""
        groups = sorted(self._groups.get(benchmark, {}).items(), key=lambda entry: entry[0])
        return [{"model": model, "set": where} | group.row() for (model, where), group in groups]


_set_of = lru_cache(maxsize=4096)(catalogue.set_of)


class _Group:
    """The grades of a model in a set."""

    def __init__(self, averages: tuple[Average, ...], members: tuple[str, ...]) -> None:
        self.averages = averages
        self.number = self.scored = 0
        self.absent = dict.fromkeys(members)
        self.sums = [[0.0, 0.0] for _ in averages]
        self.counts: list[Counter[str]] = [Counter() for _ in averages]

    def add(self, grade: Grade) -> None:
        if grade.scored:
            row = grade.row()
            found = [average.of(row) for average in self.averages]  # all, before anything is counted
            for average, sums, counts, value in zip(self.averages, self.sums, self.counts, found, strict=True):
                if average.tally:
                    counts.update(value)
                elif value is not None:
                    sums[0] += value[0]
                    sums[1] += value[1]
            self.scored += 1
        self.number += 1
        self.absent.pop(grade.instance or "", None)

    def row(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "submissions": self.number,
            "unscored": self.number - self.scored,
            "missing": len(self.absent),
        }
        for average, sums, counts in zip(self.averages, self.sums, self.counts, strict=True):
            row[average.name] = dict(sorted(counts.items(), key=str)) if average.tally else self._figure(average, *sums)
        return row | {"missing_names": list(self.absent)}

    def _figure(self, average: Average, top: float, bottom: float) -> float | None:
        if average.total:
            return int(top)
        if average.absent is not None:
            top += average.absent[0] * len(self.absent)
            bottom += average.absent[1] * len(self.absent)
        return top / bottom if bottom else None
