"""Names of the groups that the runs of a benchmark have."""

from __future__ import annotations

from planoracle.instances.model.problem import GENERAL
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark

#: Grouping of failed runs by `planoracle.analysis.grading.grader.Grade.failure_cause`.
CAUSE = "cause"
#: Name of a model without a name.
UNNAMED = "unnamed"
#: Column with the number of equal runs that a row of outcomes stands for.
EQUAL_RUNS = "equal_runs"
#: Values by which models are compared.
COMPARED = ("success", "main_score")
#: Most models of which all pairs are compared.
MOST_PAIRED = 6
# Kinds of metrics whose values are groups.
_VALUE_KINDS = ("flag", "count", "text")


def owner_of(benchmark: str) -> AnyBenchmark:
    """Return a benchmark by its name; that of the general rules if it is unknown."""
    return registry.find(benchmark) or registry.get(GENERAL)


def groupings(benchmark: str) -> dict[str, str]:
    """Return the groups that the runs of a benchmark have, with units of values or meanings.

    ``task`` and other groups of its problems; ``cause``; its metrics with bins; its averages that count names; its
    metrics that are flags, counts or texts.
    """
    owner = owner_of(benchmark)
    profile = owner.rules.profile()
    declared = owner.metrics.declare(profile)
    averages = owner.metrics.averages(profile)
    counts = [average.name for average in averages if average.aggregate == "counts"]
    counted = {*owner.bins, *counts}
    metrics = [metric for metric in (*declared, *averages) if metric.name in counted]
    meanings = {metric.name: metric.meaning for metric in metrics}
    units = {name: owner.group_units.get(name, "") for name in owner.groups("")}
    groups = units | {CAUSE: "failed runs"} | meanings
    columns = [metric for metric in owner.columns if metric.kind in _VALUE_KINDS]
    return groups | {metric.name: metric.meaning for metric in columns if metric.name not in groups}
