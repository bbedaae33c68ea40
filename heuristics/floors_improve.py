"""Annealing of jobs on a floor: small changes of who does what, when, where; what comes out better is kept."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from random import Random

from planoracle.heuristics.floors_jobs import Job, Timing, carried_out
from planoracle.heuristics.floors_moves import Moves
from planoracle.heuristics.floors_shop import Shop

# Changes that are tried in a cycle: half of them from the beginning, several times, the others from the best so far.
_ROUND, _STARTS = 40_000, 3
# Temperatures in ticks at the beginning, at that of going on from the best, and at the end.
_HOT, _WARM, _COLD = 2.5, 1.5, 0.15
# How often two changes are made at once.
_TWICE = 0.25


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
    begin = best = jobs, plates
    least = (first.served[-1], cost(first))
    done, rounds, whole = 0, 0, min(tries, _ROUND)
    while done < tries and least[0] > bound and not over():
        fresh = rounds % (_STARTS + 1) < _STARTS
        value, temperature = (cost(first), _HOT) if fresh else (least[1], _WARM)
        jobs, plates = begin if fresh else best
        count = min(whole // (2 * _STARTS if fresh else 2) + 1, tries - done)
        factor = (_COLD / temperature) ** (1 / count)
        rounds += 1
        for turn in range(done + 1, done + count + 1):
            if not turn % 64 and over():
                break
            temperature *= factor
            mine, own = jobs[:], plates[:]
            if not moves.change(mine, own) or (random.random() < _TWICE and not moves.change(mine, own)):
                continue
            limit = value - temperature * log(1 - random.random())
            found = carried_out(shop, mine, own, stale, limit)
            if found is None or len(found.served) < len(plates):
                continue
            late = cost(found)
            if late <= limit:
                jobs, plates, value = mine, own, late
                if (found.served[-1], late) < least:
                    best, least = (mine, own), (found.served[-1], late)
                    if least[0] <= bound:
                        break
        done += count
    return best


def cost(timing: Timing) -> float:
    """Return when the last dish is served, and a little for what is late before."""
    cooks, dishes = timing.time, timing.served
    return dishes[-1] + 0.2 * sum(cooks) / len(cooks) + 0.1 * sum(dishes) / len(dishes)
