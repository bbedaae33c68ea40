"""Optima, each solved once per process."""

from __future__ import annotations

from planoracle.instances.model import Instance
from planoracle.solver.solve import Result, solve

__all__ = ["optimum"]


def optimum(instance: Instance) -> Result:
    """Solve an instance, or return what an earlier call found."""
    found = instance.cache.get("optimum")
    if found is None:
        found = instance.cache["optimum"] = solve(instance)
    assert isinstance(found, Result)
    return found
