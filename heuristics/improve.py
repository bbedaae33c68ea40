"""An anytime improver: iterated greedy over priority lists, decoded by the serial scheme.

After Ruiz and Stuetzle (2007): take some blocks out of the list, put each back at random, keep the new
list if it is not worse, or sometimes if it is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from random import Random
from time import perf_counter

from planoracle.heuristics.generation import Blocks, blocks_of, generate_parallel, generate_serial
from planoracle.heuristics.priority import RULES, priorities
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.model import Instance

__all__ = ["improve"]


def improve(
    instance: Instance, *, seed: int = 0, iterations: int = 300, seconds: float | None = None, bound: int = 0
) -> Timetable | None:
    """Search for a short schedule; best found so far when the budget ends.

    Parameters
    ----------
    seed
        Same seed and number of iterations, same result.
    iterations
        Lists to try after the priority rules.
    seconds
        Wall time after which to stop earlier; makes the result depend on the machine.
    bound
        Stop when the makespan has reached this lower bound.
    """
    began = perf_counter()

    def over() -> bool:
        return seconds is not None and perf_counter() - began >= seconds

    blocks = blocks_of(instance)
    best = _first(instance, blocks, bound, over)
    if best is None:  # perhaps a setting always got in between a state and its use
        blocks = blocks_of(instance, with_states=True)
        best = _first(instance, blocks, bound, over)
    if best is None or best.makespan <= bound or len(blocks.members) < 2:
        return best
    order = _order(best, blocks)
    random = Random(seed)
    current, temperature = best.makespan, 0.01 * best.makespan
    for _ in range(iterations):
        if over():
            break
        candidate = _mutated(order, random)
        found = generate_serial(instance, _positions(candidate), blocks)
        if found is None:
            continue
        worse = found.makespan - current
        if worse <= 0 or random.random() < exp(-worse / temperature):
            order, current = candidate, found.makespan
        if found.makespan < best.makespan:
            best = found
            if best.makespan <= bound:
                break
        temperature *= 0.995
    return best


def _first(instance: Instance, blocks: Blocks, bound: int, over: Callable[[], bool]) -> Timetable | None:
    """Best schedule of the priority rules."""
    best: Timetable | None = None
    for rule in RULES:
        for parallel in (False, True):
            urgent = priorities(instance, rule, blocks)
            if parallel:
                found = generate_parallel(instance, urgent, blocks, over)
            else:
                found = generate_serial(instance, urgent, blocks)
            if found is not None and (best is None or found.makespan < best.makespan):
                best = found
            if over() or (best is not None and best.makespan <= bound):
                return best
    return best


def _order(timetable: Timetable, blocks: Blocks) -> list[int]:
    """Blocks by the start of their first action."""
    starts = [min(start for i in block if (start := timetable.start[i]) is not None) for block in blocks.members]
    return sorted(range(len(starts)), key=lambda b: (starts[b], b))


def _mutated(order: list[int], random: Random) -> list[int]:
    changed = order[:]
    for _ in range(1 + (random.random() < 0.4)):
        block = changed.pop(random.randrange(len(changed)))
        changed.insert(random.randrange(len(changed) + 1), block)
    return changed


def _positions(order: list[int]) -> list[float]:
    positions = [0.0] * len(order)
    for position, block in enumerate(order):
        positions[block] = float(position)
    return positions
