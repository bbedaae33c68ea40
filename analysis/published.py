"""What papers print about their benchmarks, beside ours: their tables with our figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planoracle.analysis.optimum import optimum
from planoracle.instances import registry
from planoracle.instances.catalogue import read_problems
from planoracle.instances.status import Status

__all__ = ["rows_of", "with_tables"]


def with_tables() -> list[str]:
    """Return the benchmarks whose papers' tables are known."""
    return [name for name in registry.names() if registry.get(name).tables]


def rows_of(benchmark: str) -> Iterator[dict[str, Any]]:
    """Yield a row for every figure of a benchmark's tables: ``table, figure, paper, ours, difference, note``.

    Optima are those by the rules of the problems themselves, proved ones only.

    Raises
    ------
    UnknownNameError
        If there is no such benchmark.
    """
    for table in registry.get(benchmark).tables:
        for figure in table.figures(_least):
            yield {"benchmark": benchmark, "table": table.name, **figure.row()}


def _least(name: str) -> int | None:
    (problem,) = read_problems(name)
    found = optimum(problem)
    return found.makespan if found.status is Status.optimal else None
