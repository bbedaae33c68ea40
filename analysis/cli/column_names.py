"""Names of the columns that commands write, and the check of ``--columns`` before a command begins."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from planoracle.analysis.cli.output import current_view
from planoracle.analysis.frames.columns import SCHEMAS
from planoracle.analysis.statistics.groupings import groupings
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Metric
from planoracle.instances.text import one_of

# Averages over several samples: columns for every k.
_SEVERAL = re.compile(r"(pass@|pass\^|best@)[1-9][0-9]*")
# Columns of the quartiles of ``--by``, and of the beliefs of Recipe2Plan, which the benchmark declares by its rows.
_QUARTILES = ("lower_quartile", "median", "upper_quartile")


@cache
def declarations() -> dict[str, dict[str, Any]]:
    """Return the declarations of columns by section: ``title``, ``rows``, ``columns``, perhaps ``frame``."""
    text = Path(__file__).with_name("columns.toml").read_text("utf-8")
    sections = tomllib.loads(text)
    return {name: {"columns": {}, **section} for name, section in sections.items()}


def column_names(section: str) -> list[str]:
    """Return the columns of a section: those of its frame, its own, and those of benchmarks."""
    declared = declarations()[section]
    names = list(declared["columns"])
    if "frame" in declared:
        names = [*SCHEMAS[declared["frame"]].names, *names]
    if section == "grade":
        names += _metric_names()
    elif section == "grade-summary":
        names += SCHEMAS["pairings"].names
        names += SCHEMAS["causes"].names
        names += [*_QUARTILES, *_average_names()]
    return list(dict.fromkeys(names))


def check_columns(*sections: str, more: Iterable[str] = ()) -> None:
    """Raise `UnknownNameError` for a name of ``--columns`` that no row of these sections has.

    Parameters
    ----------
    more
        Further columns, such as those of an own table of a benchmark.
    """
    requested = current_view.get().columns
    if not requested:
        return
    names = list(more)
    for section in sections:
        names += column_names(section)
    accepted = dict.fromkeys(names)
    for name in requested:
        if name not in accepted and not ("pass@k" in accepted and _SEVERAL.fullmatch(name)):
            raise UnknownNameError(one_of(name, accepted, "columns"), field="--columns", value=name)


def _metric_names() -> Iterator[str]:
    """Yield the metrics of all benchmarks, also those of a rule and those without a column in tables."""
    for benchmark in map(registry.get, registry.names()):
        for rules in map(benchmark.rules.profile, benchmark.rules.profiles):
            for column in benchmark.metrics.declare(rules):
                if isinstance(column, Metric):
                    yield column.name


def _average_names() -> Iterator[str]:
    """Yield the averages and the groups of all benchmarks."""
    for benchmark in map(registry.get, registry.names()):
        for rules in map(benchmark.rules.profile, benchmark.rules.profiles):
            for average in benchmark.metrics.averages(rules):
                yield average.name
        yield from groupings(benchmark.name)
    yield from ("gap_of_successes", "lost_by_failures", "samples")


def field_names(row: type) -> list[str]:
    """Return the names of the fields of a dataclass."""
    return [field.name for field in fields(row)]
