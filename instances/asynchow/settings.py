"""Setting of the AsyncHow paper: a question for the time alone."""

from __future__ import annotations

from collections.abc import Iterator

from planoracle.instances.asynchow.encode import origin_of
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.feedback import clean, listed
from planoracle.instances.manner import Manner
from planoracle.instances.settings import Setting, by_name


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


SETTINGS = by_name(
    [
        Setting(
            "zero-shot",
            "the time alone",
            __package__,
            "steps",
            "zero-shot",
            manner=Manner("open"),
            words={"steps": _steps},
        )
    ]
)
