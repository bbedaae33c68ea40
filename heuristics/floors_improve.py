"""Annealing of jobs on a floor: small changes of who does what, when, where; what comes out better is kept."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from random import Random

from planoracle.heuristics.floors_jobs import Job, Timing, carried_out
from planoracle.heuristics.floors_moves import Moves
from planoracle.heuristics.floors_shop import Shop

__all__ = ["improved"]

# Temperatures in ticks at the beginning and at the end of a round, and changes that are tried in it.
_HOT, _COLD, ROUND = 2.5, 0.15, 8_000


def improved(
    shop: Shop,
    jobs: list[Job],
    plates: list[int],
    *,
    seed: int = 0,
    tries: int = 30_000,
    bound: int = 0,
    stale: bool = False,
    over: Callable[[], bool] = lambda: False,
) -> tuple[list[Job], list[int]]:
    """Return better jobs, as good ones at least.

    Parameters
    ----------
    tries
        How many changes to try. The result depends on these and the seed only, unless ``over`` says that time is up.
    bound
        Stop when the time of the last dish has reached it.
    stale
        See `planoracle.heuristics.floors_jobs.carried_out`.
    """
    random = Random(seed)
    moves = Moves(shop, random)
    first = carried_out(shop, jobs, plates, stale)
    assert first is not None
    best = jobs, plates
    least = cost(first)
    start = best, least
    done = 0
    while done < tries and least >= bound + 1 and not over():
        count = min(ROUND, tries - done)
        found, value = _round(shop, *start, moves, random, count, stale, over)
        done += count
        if value < least:
            best, least = found, value
        start = best, least
    return best


def cost(timing: Timing) -> float:
    """Return when the last dish is served, and a little more for what is late before."""
    return timing.served[-1] + (0.3 * sum(timing.time) / len(timing.time) + 0.2 * sum(timing.served) / len(timing.served)) / 10


def _round(
    shop: Shop,
    solution: tuple[list[Job], list[int]],
    value: float,
    moves: Moves,
    random: Random,
    count: int,
    stale: bool,
    over: Callable[[], bool],
) -> tuple[tuple[list[Job], list[int]], float]:
    best, least = solution, value
    jobs, plates = solution
    temperature, factor = _HOT, (_COLD / _HOT) ** (1 / count)
    for turn in range(count):
        if not turn % 64 and over():
            break
        temperature *= factor
        mine, own = jobs[:], plates[:]
        if not moves.change(mine, own):
            continue
        if random.random() < 0.25 and not moves.change(mine, own):
            continue
        found = carried_out(shop, mine, own, stale)
        if found is None or len(found.served) < len(plates):
            continue
        worse = cost(found) - value
        if worse <= 0 or random.random() < exp(-worse / temperature):
            jobs, plates, value = mine, own, value + worse
            if value < least:
                best, least = (jobs, plates), value
    return best, least
