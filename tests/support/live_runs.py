"""Random play of live runs, and exhaustive search through their legal commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from planoracle.instances.protocol.environment import AnyEnvironment, Transition


def play_at_random(
    run: AnyEnvironment, seed: int, odd: Callable[[Random], object], share: float = 0.15
) -> Iterator[Transition]:
    """Play until the run is done: legal commands, and results of ``odd`` with probability ``share``."""
    random = Random(seed)
    while not run.done:
        legal = run.legal()
        chosen = odd(random) if random.random() < share or not legal else random.choice(legal).text
        yield run.step(chosen)


def play_random_commands(run: AnyEnvironment, seed: int, most: int) -> None:
    """Carry out fewer than ``most`` random commands."""
    random = Random(seed)
    for _ in range(random.randrange(most)):
        legal = [one for one in run.legal() if one.kind == "act"]
        if legal:
            run.step(random.choice(legal).text)


def min_makespan(
    run: AnyEnvironment, enough: int | None, progress: Callable[[AnyEnvironment], tuple[bool, int]]
) -> int | None:
    """Return the minimum makespan over all legal commands; stop at the makespan ``enough``.

    Parameters
    ----------
    made
        Function that returns whether a run is complete, and the makespan of its commands so far.
    """
    best: int | None = None

    def go_on(run: AnyEnvironment) -> None:
        nonlocal best
        complete, makespan = progress(run)
        if best is not None and makespan >= best:
            return
        if complete:
            best = makespan
            return
        for command in run.legal():
            if command.kind == "act" and (best is None or best != enough):
                fork = run.fork()
                fork.step(command.text)
                go_on(fork)

    go_on(run)
    return best
