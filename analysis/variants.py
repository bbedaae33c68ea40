"""One row for a problem and all its variants: the proved optimum of each beside the number that all share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from planoracle.analysis.compare import Comparison
from planoracle.instances import registry

#: Column of the problem itself, which is no variant.
ITSELF = "itself"


def by_variant(comparisons: Iterable[Comparison]) -> list[dict[str, Any]]:
    """Return a row for each problem, with a column for every variant (what stands behind the ``@`` of its name).

    Returns
    -------
    list of dict
        ``problem``; the main reference, if the benchmark has one; by variant the proved optimum, or a text with the
        bounds where none is proved (``27..30``), ``infeasible``, or ``None`` where nothing is known.

    Examples
    --------
    >>> from planoracle.analysis.compare import compare
    >>> from planoracle.instances.catalogue import expand, problem
    >>> by_variant(compare(problem(name)) for name in expand(["robotouille/synchronous/0_cheese_sandwich@4*"]))
    [{'problem': 'robotouille/synchronous/0_cheese_sandwich', 'published': 10, '42': 7, '420': 5}]
    """
    rows: dict[str, dict[str, Any]] = {}
    for one in comparisons:
        problem, _, variant = one.instance.partition("@")
        row = rows.setdefault(problem, {"problem": problem})
        benchmark = registry.find(one.benchmark)
        for reference in benchmark.references if benchmark is not None else ():
            if reference.main:
                claimed = next((entry.makespan for entry in one.entries if entry.method == reference.name), None)
                row[reference.name] = row.get(reference.name, claimed) if claimed is None else claimed
        row[variant or ITSELF] = _known(one)
    return list(rows.values())


def _known(one: Comparison) -> int | str | None:
    if one.exact.makespan is None:
        return str(one.exact.status) if one.exact.status.settled else None
    return one.exact.makespan if one.optimum is not None else f"{one.lower_bound or 0}..{one.exact.makespan}"
