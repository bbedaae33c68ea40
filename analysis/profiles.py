"""The rule profiles of all benchmarks at once, as the command line takes them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

__all__ = ["BENCHMARKS", "profiles"]

#: Benchmarks with rule profiles.
BENCHMARKS = ("recipe2plan", "timearena", "asynctool", "robotouille")
_FOLDERS = {"robotouille": "kitchens"}


def profiles(name: str, options: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the profile of that name for every benchmark; ``None`` for ``own``, which has none.

    Parameters
    ----------
    options
        Single rules by name; each is set where it belongs.

    Raises
    ------
    UnknownNameError
        For an unknown profile, rule or value.

    Examples
    --------
    >>> chosen = profiles("released", {"zero_duration": "rejected"})
    >>> chosen["recipe2plan"].zero_duration, chosen["own"]
    ('rejected', None)
    """
    left = dict(options or {})
    chosen: dict[str, Any] = {"own": None}
    modules = {
        benchmark: import_module(f"planoracle.instances.{_FOLDERS.get(benchmark, benchmark)}.profile")
        for benchmark in BENCHMARKS
    }
    for benchmark in reversed(BENCHMARKS):  # the last one complains of rules that nobody knows
        module = modules[benchmark]
        mine = (
            left
            if benchmark == BENCHMARKS[0]
            else {rule: left.pop(rule) for rule in list(left) if rule in module.RULES}
        )
        chosen[benchmark] = module.profile(name, **mine)
    return chosen
