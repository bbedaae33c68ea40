"""Live runs that are driven at random, and searches through the commands that they offer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from planoracle.instances.protocol.environment import AnyEnvironment, Transition


def play_at_random(
    run: AnyEnvironment, seed: int, odd: Callable[[Random], object], share: float = 0.15
) -> Iterator[Transition]:
    """Play to the end: mostly legal commands, and now and then something ``odd``."""
    random = Random(seed)
    while not run.done:
        legal = run.legal()
        chosen = odd(random) if random.random() < share or not legal else random.choice(legal).text
        yield run.step(chosen)


def play_random_commands(run: AnyEnvironment, seed: int, most: int) -> None:
    """Carry out a few random commands."""
    random = Random(seed)
    for _ in range(random.randrange(most)):
        legal = [one for one in run.legal() if one.kind == "act"]
        if legal:
            run.step(random.choice(legal).text)


def min_makespan(
    run: AnyEnvironment, enough: int | None, made: Callable[[AnyEnvironment], tuple[bool, int]]
) -> int | None:
    """Return the least makespan to which commands that are offered lead; what is as good as ``enough`` ends the search.

    Parameters
    ----------
    made
        Tells whether a run is complete, and the makespan of what it has carried out.
    """
    best: int | None = None

    def go_on(here: AnyEnvironment) -> None:
        nonlocal best
        complete, makespan = made(here)
        if best is not None and makespan >= best:
            return
        if complete:
            best = makespan
            return
        for command in here.legal():
            if command.kind == "act" and (best is None or best != enough):
                fork = here.fork()
                fork.step(command.text)
                go_on(fork)

    go_on(run)
    return best
