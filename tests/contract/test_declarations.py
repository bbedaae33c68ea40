"""Names, units, kinds and roles of the metrics of all benchmarks, and figures about their problems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Average, Metric

#: Lines of all benchmarks. A line of the profile ``released`` is there if ``paper`` has none like it.
TABLE = Path(__file__).with_name("declarations.txt").read_text("utf-8").splitlines()


def fields(declared: Metric[Any] | Average | None) -> Iterator[str]:
    """Yield a line about a metric or an average, and one about the average of a metric."""
    if declared is None:
        return
    assert declared.meaning.strip()
    if isinstance(declared, Average):
        counting = (declared.aggregate, declared.counts_missing, declared.full)
        source = "field" if declared.of is None else "function"
        yield f"average {declared.name} of a {source}: {counting}, {declared.role}, shown {declared.is_shown}"
        return
    assert callable(declared.of)
    yield f"metric {declared.name}: {declared.kind} {declared.unit!r} {declared.rule!r}, shown {declared.is_shown}"
    yield from fields(declared.average)


def lines_of(name: str) -> list[str]:
    benchmark = registry.get(name)
    lines: list[str] = []
    bodies: list[str] = []
    # Without the cache, so that a run of mutants sees which functions this test reaches.
    declare = benchmark.metrics.declare.__wrapped__
    for profile in benchmark.rules.profiles:
        for declared in declare(benchmark.rules.profile(profile)):
            for line in fields(declared):
                if line not in bodies:
                    lines.append(f"{name} {profile} {line}")
                    bodies.append(line)
    for figure, value in benchmark.metrics.published_figures().items():
        lines.append(f"{name} figure {figure}: {value:.6g}")
    return lines


@pytest.mark.parametrize("name", registry.names())
def test_declarations_are_those_of_the_table(name: str) -> None:
    assert lines_of(name) == [line for line in TABLE if line.startswith(f"{name} ")]
