"""AsyncHow's settings: the time alone, with thoughts, or from a graph that is drawn first."""

from __future__ import annotations

from collections.abc import Iterator

from planoracle.instances.asynchow.encode import origin_of
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.feedback import clean, listed
from planoracle.instances.manner import Manner
from planoracle.instances.settings import Setting, by_name

__all__ = ["SETTINGS"]


def _steps(environment: AnyEnvironment) -> str:
    """Return the steps and their order with the durations as the benchmark writes them, ``1 months`` say."""
    facts = origin_of(environment.problem).facts

    def lines() -> Iterator[str]:
        for number, duration in enumerate(facts.durations, 1):
            what = f": {clean(facts.sentences[number - 1])}" if facts.sentences else ""
            yield f"Step {number}{what} ({duration})"
            before = sorted(early for early, late in facts.edges if late == number)
            if before:
                yield f"Step {number} must wait until {listed([f'step {one}' for one in before])} is done."

    return "\n".join(lines())


def _setting(name: str, title: str) -> Setting:
    return Setting(name, title, __package__, "steps", name, manner=Manner("open"), words={"steps": _steps})


SETTINGS = by_name(
    [
        _setting("zero-shot", "the time alone"),
        _setting("cot", "chain of thought, then the time"),
        _setting("graph", "the graph is drawn first, then the time"),
    ]
)
