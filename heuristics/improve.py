"""Priority rules (Kolisch, 1996), and iterated greedy over lists, decoded by the serial scheme.

A rule gives one number per block, small is urgent. The anytime improver is after Ruiz and Stuetzle (2007): remove some
blocks from the list, insert each at random, and accept the new list if it is not worse, or sometimes if it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, inf
from random import Random
from typing import NamedTuple

from planoracle.heuristics.choices import shortest_attended_ticks, shortest_durations
from planoracle.heuristics.generation import (
    PLACING,
    Blocks,
    blocks_of,
    forward_backward,
    generate_parallel,
    generate_serial,
)
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline, Limit
from planoracle.instances.model.schedule import Schedule

#: Features that the priority rules with the serial and the parallel scheme do not respect.
LIST_HEURISTICS = Component("the list heuristics", frozenset({Feature.OPTIONAL}))
#: Features that the improver does not respect.
IMPROVER = Component("the improver", frozenset({Feature.OPTIONAL, Feature.TRANSITIONS}))

_Values = list[float]


def _tails(instance: Instance) -> list[int]:
    """Longest path from the start of every action to the end of the project.

    With deadlines, the end is the latest of them, and no action may end later than its own allows.
    """
    durations = shortest_durations(instance)
    closings = [_closing(action) for action in instance.actions]
    end = max((closing for closing in closings if closing is not None), default=0)
    first_tails = []
    for closing, duration in zip(closings, durations, strict=True):
        first_tails.append(duration if closing is None else duration + end - closing)
    return _longest_paths(instance, durations, first_tails, with_lags=True)


def _closing(action: Action) -> int | None:
    """Return the tick at which an action must have ended, ``None`` without one."""
    closings = [action.deadline] if action.deadline is not None else []
    closings += [end for _, end in action.windows[-1:]]
    return min(closings, default=None)


def _longest_paths(instance: Instance, lengths: Sequence[int], tails: Sequence[int], *, with_lags: bool) -> list[int]:
    """Longest path from every action over the precedences, with the tail of the last action."""
    paths = list(tails)
    for i in reversed(instance.order):
        for j, lag in instance.predecessors[i]:
            distance = max(0, lag) if with_lags else 0
            paths[j] = max(paths[j], lengths[j] + distance + paths[i])
    return paths


def _successors(instance: Instance) -> list[int]:
    """Bit set of all transitive successors of every action."""
    after = [0] * len(instance.actions)
    for i in reversed(instance.order):
        for j, _ in instance.predecessors[i]:
            after[j] |= after[i] | 1 << i
    return after


def _longest(instance: Instance) -> _Values:
    return [-float(duration) for duration in shortest_durations(instance)]


def _shortest(instance: Instance) -> _Values:
    return [float(duration) for duration in shortest_durations(instance)]


def _most_successors(instance: Instance) -> _Values:
    return [-float(after.bit_count()) for after in _successors(instance)]


def _latest_start(instance: Instance) -> _Values:
    return [-float(tail) for tail in _tails(instance)]


def _latest_finish(instance: Instance) -> _Values:
    rows = zip(shortest_durations(instance), _tails(instance), strict=True)
    return [float(duration - tail) for duration, tail in rows]


def _greatest_rank(instance: Instance) -> _Values:
    """Own duration plus that of all transitive successors (greatest rank positional weight)."""
    durations = shortest_durations(instance)
    # For every binary digit the actions whose durations have it, as a bit set: so sums are counts.
    actions_by_digit = []
    for digit in range(max(durations).bit_length()):
        actions_by_digit.append(_bits(duration >> digit & 1 for duration in durations))
    ranks = []
    for duration, after in zip(durations, _successors(instance), strict=True):
        counts = ((after & actions).bit_count() << digit for digit, actions in enumerate(actions_by_digit))
        ranks.append(-float(duration + sum(counts)))
    return ranks


def _bits(values: Iterable[int]) -> int:
    """Return the number whose binary digits are these, the lowest first."""
    return int("".join(map(str, values))[::-1], 2)


def _unattended_first(instance: Instance) -> _Values:
    """Longest wait (time without the agent) on the way from the action to the end."""
    rows = zip(shortest_durations(instance), shortest_attended_ticks(instance), strict=True)
    waits = [duration - attended for duration, attended in rows]
    return [-float(path) for path in _longest_paths(instance, waits, waits, with_lags=False)]


#: Rules by name; each gives one number per action.
RULES: dict[str, Callable[[Instance], _Values]] = {
    "lpt": _longest,  # longest processing time
    "spt": _shortest,  # shortest processing time
    "mts": _most_successors,  # most total successors
    "lst": _latest_start,  # latest start time
    "lft": _latest_finish,  # latest finish time
    "grpw": _greatest_rank,  # greatest rank positional weight
    "wait": _unattended_first,  # longest unattended way to go
}


def priorities(instance: Instance, rule: str, blocks: Blocks | None = None) -> _Values:
    """Return the priority of every block: that of its most urgent member."""
    values = RULES[rule](instance)
    return [min(values[i] for i in members) for members in (blocks or blocks_of(instance)).members]


@dataclass(frozen=True, slots=True)
class Budget:
    """Budget of a heuristic that can improve its result.

    Attributes
    ----------
    seed
        Seed of random choices.
    iterations
        Number of priority lists that ``improve`` tries, of 20 schedules of ``genetic``, or of 100 moves of ``tabu``.
    time_limit
        Seconds of wall time, or counted work. With it the result depends on the machine.
    bound
        Lower bound of the makespan at which to stop, in ticks.
    nodes
        Largest number of nodes of a depth-first search.
    on_progress
        Callback with the makespan of the incumbent and the number of iterations so far.
    """

    seed: int = 0
    iterations: int = 300
    time_limit: Limit = inf
    bound: int = 0
    nodes: int = 20_000
    on_progress: Callable[[int, int], None] = lambda makespan, iterations: None


DEFAULT = Budget()


class HeuristicOutcome(NamedTuple):
    """A schedule, or the reason why there is none.

    Attributes
    ----------
    schedule
        The schedule; ``None`` if there is none.
    reason
        Reason why there is none.
    claim
        Makespan in ticks that the algorithm itself reports, if it ignores some rules.
    """

    schedule: Timetable | Schedule | None
    reason: str = ""
    claim: int | None = None


#: Number of blocks above which all rules use the serial scheme first: the effort of the parallel scheme is quadratic.
_LARGE = 500

# Iterations between two reports of progress.
_REPORT_EACH = 50

#: Rules of `list_schedule`.
_FIRST_RULES = ("lst", "mts")


def list_schedule(instance: Instance, *, deadline: Deadline = NO_LIMIT, bound: int = 0) -> Timetable | None:
    """Return the best of a few list schedules: milliseconds for hundreds of actions.

    They are of the serial scheme; with ways or set-up times also of the parallel scheme, which goes to the nearest
    place first and takes a second for a hundred actions.

    Parameters
    ----------
    deadline, bound
        See `improve`.
    """
    best: Timetable | None = None
    schemes = (generate_serial, generate_parallel) if instance.transitions else (generate_serial,)
    for scheme, rule in product(schemes, _FIRST_RULES):
        timetable = scheme(instance, priorities(instance, rule), over=deadline.over)
        if timetable is not None and (best is None or timetable.makespan < best.makespan):
            best = timetable
        if best is not None and best.makespan <= bound:
            return best
    return None if best is None else forward_backward(best, blocks_of(instance), deadline.over)


def improve(
    instance: Instance,
    *,
    seed: int = 0,
    iterations: int = 300,
    deadline: Deadline = NO_LIMIT,
    bound: int = 0,
    on_progress: Callable[[int, int], None] = lambda makespan, iterations: None,
) -> Timetable | None:
    """Search for a short schedule; return the incumbent when the budget ends.

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
    on_progress
        Called with the makespan of the incumbent and the number of iterations so far, now and then.
    """
    over = deadline.over
    # If settings always come between a state and its use, both are one block, and finally placed at the end.
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
    for number in range(iterations):
        if over(PLACING):
            break
        if not number % _REPORT_EACH:
            on_progress(best.makespan, number)
        candidate = _mutate(order, random)
        timetable = generate_serial(instance, _positions(candidate), blocks, over, behind=behind)
        if timetable is None:
            continue
        timetable = forward_backward(timetable, blocks, over, behind=behind)
        worse = timetable.makespan - current
        if worse <= 0 or random.random() < exp(-worse / temperature):
            order, current = _order(timetable, blocks), timetable.makespan
        if timetable.makespan < best.makespan:
            best = timetable
            if best.makespan <= bound:
                break
        temperature *= 0.995
    return best


def _first(
    instance: Instance, blocks: Blocks, bound: int, over: Callable[[float], bool], behind: bool
) -> Timetable | None:
    """Return the best schedule of the priority rules that fit into the time limit."""
    best: Timetable | None = None
    schemes = list(product(RULES, (False, True)))  # rule, and whether the scheme is the parallel one
    large = len(blocks.members) > _LARGE
    if large:
        schemes.sort(key=lambda scheme: scheme[1])
    for rule, parallel in schemes:
        if parallel and large and best is None:  # the parallel scheme would take long to fail as well
            break
        urgent = priorities(instance, rule, blocks)
        if parallel:
            timetable = generate_parallel(instance, urgent, blocks, over)
        else:
            timetable = generate_serial(instance, urgent, blocks, over, behind=behind)
        if timetable is not None and not over(PLACING):
            timetable = forward_backward(timetable, blocks, over, behind=behind)
        if timetable is not None and (best is None or timetable.makespan < best.makespan):
            best = timetable
        if over(PLACING) or (best is not None and best.makespan <= bound):
            return best
    return best


def _order(timetable: Timetable, blocks: Blocks) -> list[int]:
    """Return the blocks by the start of their first action."""
    starts = []
    for members in blocks.members:
        starts_of_members = (timetable.start[i] for i in members)
        starts.append(min(start for start in starts_of_members if start is not None))
    return sorted(range(len(starts)), key=lambda b: (starts[b], b))


def _mutate(order: list[int], random: Random) -> list[int]:
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
