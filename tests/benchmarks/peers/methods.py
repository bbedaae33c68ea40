"""All methods by name. Each takes an instance and a limit in seconds, and does everything from there on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from planoracle.instances.model import Instance
from tests.benchmarks.peers.answer import Answer, UnsupportedError

__all__ = ["DEFAULT", "DIRECT", "METHODS", "OURS", "PYJOBSHOP", "available", "method"]

OURS = "planoracle"
#: The direct models that ours is held against.
DIRECT = ("direct", "direct-core", "lean", "lean-core")
PYJOBSHOP = ("pyjobshop", "pyjobshop-2")
_RELEASED = {"recipe2plan": "recipe2plan-dfs", "timearena": "timearena-greedy"}


def _ours(instance: Instance, seconds: float) -> Answer:
    from planoracle.solver.exact.solve import solve

    found = solve(instance, time_limit=seconds)
    return Answer(found.status, found.makespan, found.lower_bound, found.schedule)


def _released(instance: Instance, seconds: float) -> Answer:
    """The algorithm that the benchmark's authors released as their oracle; it proves nothing and knows no limit."""
    from planoracle.heuristics.registry import run

    if instance.benchmark not in _RELEASED:
        raise UnsupportedError("no oracle was released")
    found = run(instance, _RELEASED[instance.benchmark])
    return Answer("feasible" if found.schedule else "unknown", found.makespan, None, found.schedule)


#: Name -> where it is: module beside this one and its function.
METHODS: dict[str, Callable[[Instance, float], Answer] | tuple[str, str]] = {
    OURS: _ours,
    "direct": ("direct", "direct"),
    "direct-core": ("direct", "core"),
    "direct-plain": ("direct", "plain"),
    "lean": ("lean", "lean"),
    "lean-core": ("lean", "lean_core"),
    "pyjobshop": ("pyjobshop_model", "one_worker"),
    "pyjobshop-2": ("pyjobshop_model", "two_workers"),
    "released": _released,
}
#: Methods that run unless others are asked for.
DEFAULT = (OURS, *DIRECT, *PYJOBSHOP, "released")


def available(name: str) -> bool:
    """Whether what a method needs is installed."""
    return name not in PYJOBSHOP or find_spec("pyjobshop") is not None


@cache
def method(name: str) -> Callable[[Instance, float], Answer]:
    """Return a method, imported; raises ``KeyError`` for an unknown name."""
    found = METHODS[name]
    if not isinstance(found, tuple):
        return found
    function: Callable[[Instance, float], Answer] = getattr(
        import_module(f"tests.benchmarks.peers.{found[0]}"), found[1]
    )
    return function
