"""Registration of benchmarks, heuristics, kinds and tools of other packages in this process."""

from __future__ import annotations

from planoracle.heuristics import registry as heuristics
from planoracle.heuristics.package_heuristics import Heuristic
from planoracle.instances.protocol import tool_classes
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.solver.kinds import registry as kinds
from planoracle.solver.kinds.kind import Kind


def register(contribution: AnyBenchmark | Heuristic | Kind | type, name: str | None = None) -> None:
    """Add a benchmark, a heuristic, a kind of problems or a class of tools to this process.

    An entry point adds it to every process.

    Parameters
    ----------
    contribution
        Object of a class derived from `planoracle.plugin.Benchmark`, or from `planoracle.solver.kinds.kind.Kind`; or a
        heuristic: a function of an instance and a `planoracle.heuristics.improve.Budget` that returns a schedule, its
        pieces, or ``None``; or a class of tools, see `planoracle.instances.protocol.tool_classes`.
    name
        Name of the heuristic or of the class, by default its own. It must be new. Benchmarks and kinds have their own
        names.

    Raises
    ------
    InputError
        If there is another of that name, or the name is not valid.
    """
    if isinstance(contribution, Kind):
        kinds.register(contribution)
        return
    if isinstance(contribution, type):
        tool_classes.register(contribution, name)
        return
    heuristics.register(contribution, name)
