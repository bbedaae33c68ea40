"""All components of the toolkit with the features of scheduling problems that they refuse."""

from __future__ import annotations

from planoracle.heuristics.improve import IMPROVER, LIST_HEURISTICS
from planoracle.heuristics.job_shop import TABU_SEARCH
from planoracle.heuristics.project import GENETIC_SEARCH
from planoracle.heuristics.registry import PAPER_HEURISTICS
from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.state import STATES
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.schedule_benchmark import LIVE_RUNS, ScheduleBenchmark
from planoracle.solver.exact.feature_search import NEIGHBOURHOOD
from planoracle.solver.exact.left_shift import LEFT_SHIFT
from planoracle.solver.exact.model_export import MINIZINC
from planoracle.solver.proofs.certificate import CERTIFICATES
from planoracle.solver.proofs.conflict import EXPLANATION
from planoracle.solver.repair.minimal_change import REPAIR

#: Components that refuse nothing. Their names have no other place in the code.
_EXACT = (
    Component("problem files, tables and the builder"),
    Component("the general rules, which grade plans"),
    Component("`planoracle solve`, also with `--engine cp-sat`"),
    Component("the export of CP-SAT models (`.pb`)"),
    Component("the least number of interruptions"),
    Component("charts, tables, frames and reports"),
    Component("`planoracle generate generic`"),
)
#: Components that declare what they refuse, in the order of the table.
DECLARED = (
    MINIZINC,
    NEIGHBOURHOOD,
    LEFT_SHIFT,
    LIST_HEURISTICS,
    IMPROVER,
    GENETIC_SEARCH,
    TABU_SEARCH,
    PAPER_HEURISTICS,
    CERTIFICATES,
    EXPLANATION,
    STATES,
    LIVE_RUNS,
    REPAIR,
)


def components() -> list[Component]:
    """Return all components: exact ones first, benchmarks last.

    Examples
    --------
    >>> [component.name for component in components() if not component.refused][-1]
    'rules and plans of `generic`'
    """
    return [*_EXACT, *DECLARED, *_benchmarks()]


def _benchmarks() -> list[Component]:
    """Return the benchmarks with scheduling problems, those with equal refusals as one component."""
    by_refusal: dict[frozenset[Feature], list[str]] = {}
    for benchmark in map(registry.get, registry.names()):
        if isinstance(benchmark, ScheduleBenchmark):
            refused = frozenset(Feature) - benchmark.features
            by_refusal.setdefault(refused, []).append(benchmark.name)
    rows = []
    for refused, names in by_refusal.items():
        listed = ", ".join(f"`{name}`" for name in names)
        rows.append(Component(f"rules and plans of {listed}", refused))
    return rows
