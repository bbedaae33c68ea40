"""Live runs that are driven at random, and compared with what the grade of their submission replays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from planoracle.instances.protocol.environment import AnyEnvironment, Transition


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
    return [shown(one) for one in outcomes if one.kind != "close" and fault_kind(one) not in unseen]


def fault_kind(one: Any) -> str | None:
    """Return the kind of the violation of a step, if there is one."""
    return one.violation if one.violation is None or isinstance(one.violation, str) else str(one.violation.kind)


def shown(one: Any) -> tuple[object, ...]:
    """Return a step without its position, which differs where refused commands are not handed in."""
    return (one.command, one.kind, one.start, one.end, fault_kind(one))


def replayed(run: AnyEnvironment) -> list[tuple[object, ...]]:
    """Return the same of the replay of the submission."""
    return [shown(one) for one in run.run().steps]


def wander(run: AnyEnvironment, seed: int, most: int) -> None:
    """Carry out a few random commands."""
    random = Random(seed)
    for _ in range(random.randrange(most)):
        legal = [one for one in run.legal() if one.kind == "act"]
        if legal:
            run.step(random.choice(legal).text)


def best_end(run: AnyEnvironment, enough: int | None, made: Callable[[AnyEnvironment], tuple[bool, int]]) -> int | None:
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
