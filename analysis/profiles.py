"""The rule profiles of all benchmarks at once, as the command line takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from planoracle.instances import registry
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.profiles import Rules

__all__ = ["profiles"]


def profiles(name: str = "paper", options: Mapping[str, str] | None = None) -> dict[str, Rules]:
    """Return the profile of that name for every benchmark.

    Parameters
    ----------
    options
        Single rules by name, ``rule`` or ``benchmark.rule``; each is set where it belongs.

    Raises
    ------
    UnknownNameError
        For an unknown profile, rule or value.

    Examples
    --------
    >>> chosen = profiles("released", {"zero_duration": "rejected"})
    >>> chosen["recipe2plan"].zero_duration, chosen["generic"]
    ('rejected', Rules())
    """
    left = dict(options or {})
    found: dict[str, Rules] = {}
    known: dict[str, None] = {}
    for benchmark in map(registry.get, registry.names()):
        own = [field.name for field in fields(benchmark.profile(name))]
        chosen = {rule: left.pop(key) for rule in own for key in (rule, f"{benchmark.name}.{rule}") if key in left}
        known |= dict.fromkeys(own)
        found[benchmark.name] = benchmark.profile(name, **chosen)
    if left:
        raise UnknownNameError(f"must be one of {sorted(known)}", field="option", value=next(iter(left)))
    return found
