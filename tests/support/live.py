"""Live runs that are driven at random, and compared with what the grade of their submission replays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from planoracle.instances.environment import AnyEnvironment, Outcome, Transition


def at_random(
    run: AnyEnvironment, seed: int, odd: Callable[[Random], object], share: float = 0.15
) -> Iterator[Transition]:
    """Play to the end: mostly legal commands, and now and then something ``odd``."""
    random = Random(seed)
    while not run.done:
        legal = run.legal()
        chosen = odd(random) if random.random() < share or not legal else random.choice(legal).text
        yield run.step(chosen)


def decisions(run: AnyEnvironment, unseen: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
    """Return what became of all commands so far, as steps of a run have it, without kinds that replays do not show."""
    outcomes = [one for turn in run.turns for one in turn.outcomes]
    return [shown(one) for one in outcomes if one.kind != "close" and one.violation not in unseen]


def shown(one: Outcome) -> tuple[object, ...]:
    """Return an outcome as far as replays know it."""
    return (one.command, one.kind, one.start, one.end, one.violation)


def replayed(run: AnyEnvironment) -> list[tuple[object, ...]]:
    """Return the same of the replay of the submission."""
    return [(one.command, one.kind, one.start, one.end, one.violation) for one in run.run().steps]
