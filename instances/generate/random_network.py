"""Random precedences of a given order strength, and which of them get a maximum lag."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from planoracle.instances.generate.parameters import below, shuffled
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.schedule_benchmark import certify

#: From position to position; the first is the smaller one.
Arc = tuple[int, int]


def chosen(random: Random, count: int, share: float) -> set[int]:
    """Return so large a share of the numbers below ``count``, to the nearest whole number."""
    return set(shuffled(random, range(count))[: round(share * count)])


def network(random: Random, count: int, strength: float) -> list[Arc]:
    """Return precedences without redundant ones, with a given share of all pairs ordered.

    Pairs are ordered at random as long as, with what follows from them, they are not too many. (Whatever is
    missing can be had by pairs from which nothing follows: partial orders are graded by their size.)

    >>> len(network(Random(1), 4, 0.0)), network(Random(1), 4, 1.0)
    (0, [(0, 1), (1, 2), (2, 3)])
    """
    before, after = [0] * count, [0] * count  # bit sets, all that follows included
    missing = round(strength * count * (count - 1) / 2)
    pairs = shuffled(random, ((i, j) for j in range(count) for i in range(j)))
    while missing:
        rest = []
        for i, j in pairs:
            if after[i] >> j & 1:
                continue
            later = after[j] | 1 << j
            earlier = [k for k in range(j) if (before[i] | 1 << i) >> k & 1]
            added = sum((later & ~after[k]).bit_count() for k in earlier)
            if added > missing:
                rest.append((i, j))
                continue
            missing -= added
            for k in earlier:
                after[k] |= later
            for k in range(j, count):
                if later >> k & 1:
                    before[k] |= before[i] | 1 << i
        pairs = rest
    return [(i, j) for j in range(count) for i in range(j) if before[j] >> i & 1 and not after[i] & before[j]]


def tree(random: Random, count: int, strength: float) -> list[Arc]:
    """Return precedences in which every action but the last has one successor, of about that order strength.

    It begins with all actions before the last one, and moves single ones while that brings it nearer. Fewer
    pairs than one per action cannot be ordered so.

    >>> tree(Random(1), 4, 1.0)
    [(0, 1), (1, 2), (2, 3)]
    """
    wanted = round(strength * count * (count - 1) / 2)
    successor = [count - 1] * (count - 1)
    gap = abs(wanted - _ordered(successor))
    for _ in range(40 * count):
        if not gap or count < 2:
            break
        i = below(random, count - 1)
        was, successor[i] = successor[i], i + 1 + below(random, count - 1 - i)
        now = abs(wanted - _ordered(successor))
        if now > gap:
            successor[i] = was
        else:
            gap = now
    return sorted(enumerate(successor), key=lambda arc: (arc[1], arc[0]))


def _ordered(successor: list[int]) -> int:
    depth = [0] * (len(successor) + 1)
    for i in reversed(range(len(successor))):
        depth[i] = depth[successor[i]] + 1
    return sum(depth)


def follow(count: int, arcs: Iterable[Arc]) -> list[int]:
    """Return an order of the actions in which each comes as soon as it can after what it waits for.

    Depth first from the last actions: before each one comes all it waits for.

    >>> follow(4, [(0, 3), (1, 2), (2, 3)])
    [0, 1, 2, 3]
    """
    waits: list[list[int]] = [[] for _ in range(count)]
    for i, j in sorted(arcs):
        waits[j].append(i)
    last = set(range(count)).difference(*waits)
    order: dict[int, None] = {}
    stack = [(i, False) for i in sorted(last, reverse=True)]
    while stack:
        i, ready = stack.pop()
        if ready:
            order.setdefault(i)
        elif i not in order:
            stack += [(i, True), *((j, False) for j in reversed(waits[i]))]
    return list(order)


def windows(
    random: Random, arcs: Sequence[Arc], share: float, limits: Sequence[int], rank: Sequence[int]
) -> dict[Arc, int]:
    """Choose the precedences that get a maximum lag.

    Parameters
    ----------
    limits
        The maximum lag of each precedence, should it get one.
    rank
        Those of lower rank are chosen first, equal ones with equal chances.

    >>> windows(Random(1), [(0, 1), (1, 2), (2, 3)], 0.33, [5, 6, 7], [1, 0, 1])
    {(1, 2): 6}
    """
    order = sorted(shuffled(random, range(len(arcs))), key=lambda k: rank[k])
    return {arcs[k]: limits[k] for k in order[: round(share * len(arcs))]}


def gaps(arcs: Iterable[Arc], order: Iterable[int], durations: Sequence[int]) -> list[int]:
    """Return the time from the end of the first to the start of the second, one action after the other.

    >>> gaps([(0, 1), (0, 2)], [0, 1, 2], [5, 4, 3])
    [0, 4]
    """
    starts = [0] * len(durations)
    clock = 0
    for i in order:
        starts[i] = clock
        clock += durations[i]
    return [starts[j] - starts[i] - durations[i] for i, j in arcs]


def witnessed(instance: Instance, order: Sequence[int], *, widen: bool) -> tuple[Instance, Schedule | None]:
    """Carry the actions out one after the other, as soon as minimum lags allow.

    Parameters
    ----------
    order
        Positions of the actions, what comes before another first.
    widen
        Make maximum lags that this schedule breaks just long enough. Otherwise the instance stays as it is.

    Returns
    -------
    tuple
        The instance, and the schedule, accepted by its rules; ``None`` if it breaks maximum lags.
    """
    starts: dict[str, int] = {}
    finish: dict[str, int] = {}
    clock = 0
    for i in order:
        action = instance.actions[i]
        starts[action.id] = max(
            clock, action.release, *(finish[instance.actions[j].id] + lag for j, lag in instance.predecessors[i])
        )
        clock = finish[action.id] = starts[action.id] + action.duration
    lags = tuple(_widened(lag, starts[lag.after] - finish[lag.before]) for lag in instance.lags)
    if lags != instance.lags:
        if not widen:
            return instance, None
        instance = replace(instance, lags=lags)
    pieces = [_piece(instance, action, starts[action.id]) for action in instance.actions]
    schedule = Schedule.of(instance, pieces)
    certify(instance, schedule)
    return instance, schedule


def _widened(lag: Lag, gap: int) -> Lag:
    fits = lag.maximum is None or gap <= lag.maximum
    return lag if fits else replace(lag, maximum=gap)


def _piece(instance: Instance, action: Action, start: int) -> Piece:
    return Piece(action.id, start, action.duration, instance.eligible(action)[0])
