"""An anytime improver: iterated greedy over priority lists, decoded by the serial scheme.

After Ruiz and Stuetzle (2007): take some blocks out of the list, put each back at random, keep the new
list if it is not worse, or sometimes if it is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from random import Random

from planoracle.heuristics.generation import PLACING, Blocks, blocks_of, generate_parallel, generate_serial
from planoracle.heuristics.priority import RULES, priorities
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NEVER, Deadline

#: Blocks from which on all rules have their turn in the serial scheme before any has in the parallel one, whose effort
#: grows with the square of their number.
_LARGE = 500

#: Rules that are tried where no more than a moment is to be spent.
_FIRST_RULES = ("lst", "mts")


def list_schedule(instance: Instance, *, deadline: Deadline = NEVER, bound: int = 0) -> Timetable | None:
    """Return the better of two lists of priorities, decoded by the serial scheme: milliseconds for hundreds of actions.

    Parameters
    ----------
    deadline, bound
        See `improve`.
    """
    best: Timetable | None = None
    for rule in _FIRST_RULES:
        found = generate_serial(instance, priorities(instance, rule), over=deadline.over)
        if found is not None and (best is None or found.makespan < best.makespan):
            best = found
        if best is not None and best.makespan <= bound:
            break
    return best


def improve(
    instance: Instance, *, seed: int = 0, iterations: int = 300, deadline: Deadline = NEVER, bound: int = 0
) -> Timetable | None:
    """Search for a short schedule; best found so far when the budget ends.

    Parameters
    ----------
    seed
        Same seed and number of iterations, same result.
    iterations
        Lists to try after the priority rules.
    deadline
        When to stop earlier; makes the result depend on the machine.
    bound
        Stop when the makespan has reached this lower bound.
    """
    over = deadline.over
    # If a setting always gets in between a state and its use, they are tied, and put at the end if need be.
    for with_states, behind in ((False, False), (True, False), (True, True)):
        blocks = blocks_of(instance, with_states=with_states)
        best = _first(instance, blocks, bound, over, behind)
        if best is not None:
            break
    if best is None or best.makespan <= bound or len(blocks.members) < 2:
        return best
    order = _order(best, blocks)
    random = Random(seed)
    current, temperature = best.makespan, 0.01 * best.makespan
    for _ in range(iterations):
        if over(PLACING):
            break
        candidate = _mutated(order, random)
        found = generate_serial(instance, _positions(candidate), blocks, over, behind=behind)
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


def _first(
    instance: Instance, blocks: Blocks, bound: int, over: Callable[[float], bool], behind: bool
) -> Timetable | None:
    """Best schedule of the priority rules; when time is over, of as many of them as had their turn."""
    best: Timetable | None = None
    schemes = [(rule, parallel) for rule in RULES for parallel in (False, True)]
    large = len(blocks.members) > _LARGE
    if large:
        schemes.sort(key=lambda scheme: scheme[1])
    for rule, parallel in schemes:
        if parallel and large and best is None:  # it would take long to fail as well
            break
        urgent = priorities(instance, rule, blocks)
        if parallel:
            found = generate_parallel(instance, urgent, blocks, over)
        else:
            found = generate_serial(instance, urgent, blocks, over, behind=behind)
        if found is not None and (best is None or found.makespan < best.makespan):
            best = found
        if over(PLACING) or (best is not None and best.makespan <= bound):
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
