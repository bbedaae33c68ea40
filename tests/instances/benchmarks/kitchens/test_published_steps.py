"""Optima of variants compared with the published number of steps of their task."""

from __future__ import annotations

from planoracle.instances.benchmarks.kitchens import released_kitchens as problems
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES
from planoracle.instances.benchmarks.kitchens.measures import published_steps
from planoracle.instances.benchmarks.kitchens.robotouille import Robotouille
from planoracle.instances.files import catalog
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_results import by_key, key_of

RELEASED = PROFILES["released"].deciding()


def bundled(name: str) -> int:
    """Return the bundled optimum of a kitchen by the released rules."""
    ways = by_key(registry.get("robotouille").optima[name])
    optimum: int = ways[key_of(catalog.problem(name), RELEASED)]["makespan"]
    return optimum


def test_published_numbers_differ_from_optima_of_variants_as_documented() -> None:
    more = {name: bundled(name) - (published_steps(name) or 0) for name in problems.members("robotouille")}
    assert len(more) == 200
    assert more["robotouille/asynchronous/0_cheese_chicken_sandwich@420"] == 22 - 21
    assert more["robotouille/asynchronous/1_lettuce_chicken_sandwich@420"] == 29 - 27
    counts = [sum(n > 0 for n in more.values()), sum(n < 0 for n in more.values()), [*more.values()].count(0)]
    assert counts == [37, 139, 24]
    text = " ".join((Robotouille.__doc__ or "").split())
    assert "37 need more steps than the published number, 139 fewer (one half of it), 24 just as many" in text
