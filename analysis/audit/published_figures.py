"""Comparison of figures that papers print about their benchmarks with those of the bundled problems.

The figures are in ``published.json`` of a benchmark's bundled data. The field ``ours`` has a measure and its arguments:

- ``problems``, NAME...: number of problems; ``problems per problem``, NAME, NAME: a ratio;
- ``actions``, ``resources``, ``optimum``, NAME...: mean over problems; ``longest``, NAME...: greatest proved optimum;
- ``speed``, NAME...: percent of the work done in a unit of time, 100 by the mean optimum;
- ``references``, HEURISTIC, OUTCOME, NAME...: problems of which the heuristic's plan is as long as the main reference
  (``equal``), ``shorter`` or ``longer``, or there is none (``none``);
- ``answers``, HEURISTIC, NAME...: problems for which the heuristic has a plan;
- ``metrics``, FIGURE: an entry of ``published_figures()`` of the benchmark's `MetricSet`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from statistics import fmean
from typing import Any

from planoracle.analysis.grading.oracle import optimum
from planoracle.heuristics.registry import run
from planoracle.instances.files.catalog import expand, read_problems
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_results import data_file


def with_tables() -> list[str]:
    """Return the benchmarks with bundled published figures."""
    return [name for name in registry.names() if _figures(name)]


def rows_of(benchmark: str) -> Iterator[dict[str, Any]]:
    """Yield a row for every published figure: ``benchmark, table, figure, paper, ours, difference, note``.

    Raises
    ------
    UnknownNameError
        If there is no such benchmark.
    """
    for row in _figures(benchmark):
        paper, digits = row["paper"], row["digits"] or None
        ours = None if row["ours"] is None else _recompute(benchmark, *row["ours"])
        ours = None if ours is None else round(ours, digits)
        difference = None if paper is None or ours is None else round(ours - paper, digits)
        values = {"paper": paper, "ours": ours, "difference": difference}
        yield {"benchmark": benchmark, "table": row["table"], "figure": row["figure"], **values, "note": row["note"]}


@cache
def _figures(benchmark: str) -> list[dict[str, Any]]:
    path = data_file(registry.get(benchmark).bundled_data, "published.json")
    return [] if path is None else load_json(path.read_bytes(), path.name)["figures"]


def _recompute(benchmark: str, measure: str, *names: str) -> float | None:
    """Return the value of a measure; ``None`` if an optimum is not proved."""
    if measure == "speed":
        mean = _recompute(benchmark, "optimum", *names)
        return None if mean is None else 100 / mean
    if measure == "metrics":
        return registry.get(benchmark).metrics.published_figures()[names[0]]
    if measure == "problems per problem":
        return len(expand(names[:1])) / len(expand(names[1:]))
    if measure == "references":
        return _compare_lengths(*names[:1], *names[2:])[names[1]]
    if measure == "answers":
        return sum(makespan is not None for _, makespan in _makespans(*names))
    problems = list(_problems_of(names)) if names else []
    if measure == "problems":
        return len(problems)
    if measure in ("actions", "resources"):
        return fmean(len(getattr(problem, measure)) for problem in problems)
    proved = [best.makespan for best in map(optimum, problems) if best.status is Status.optimal]
    lengths = [length for length in proved if length is not None]
    if measure == "longest":
        return max(lengths, default=None)
    return fmean(lengths) if len(lengths) == len(problems) else None


def _problems_of(names: tuple[str, ...]) -> Iterator[Problem]:
    for name in expand(names):
        yield from read_problems(name)


@cache
def _compare_lengths(heuristic: str, *names: str) -> Counter[str]:
    """Count problems by the length of a heuristic's plan, compared with the main reference."""
    counts: Counter[str] = Counter()
    for problem, makespan in _makespans(heuristic, *names):
        claim: Any = next(reference for reference in registry.of(problem).references if reference.main).source
        published = claim(problem).makespan
        if published is not None:
            counts[_length_order(makespan, published)] += 1
    return counts


@cache
def _makespans(heuristic: str, *names: str) -> tuple[tuple[Problem, int | None], ...]:
    """Return each problem and the makespan of a heuristic's plan, ``None`` without one."""
    return tuple((problem, run(problem, heuristic).makespan) for problem in _problems_of(names))


def _length_order(makespan: int | None, published: int) -> str:
    if makespan is None:
        return "none"
    if makespan == published:
        return "equal"
    return "longer" if makespan > published else "shorter"
