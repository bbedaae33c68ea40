"""Random precedences of a given order strength, and random maximum lags."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

from planoracle.instances.generate.parameters import below, shuffled
from planoracle.instances.model.calendars import OffTimes, working_spans
from planoracle.instances.model.instance import Action, Instance, Variant
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.transitions import ticks_between
from planoracle.instances.model.working_times import calendars_of_members
from planoracle.instances.protocol.schedule_benchmark import certify

#: Positions of two ordered actions, the smaller one first.
Arc = tuple[int, int]


def sample_share(random: Random, count: int, share: float) -> set[int]:
    """Return a random sample of the numbers below ``count``, of a share rounded to a whole number."""
    size = round(share * count)
    return set(shuffled(random, range(count))[:size])


def random_precedences(random: Random, count: int, strength: float) -> list[Arc]:
    """Return precedences without redundant ones that order a given share of all pairs.

    Pairs are ordered at random as long as the transitive closure does not become too large. (The exact size is always
    reachable, since partial orders are graded by their size.)

    Parameters
    ----------
    random
        Source of the draws.
    count
        Number of actions.
    strength
        Share of the pairs that are ordered, from 0 to 1.

    Examples
    --------
    >>> len(random_precedences(Random(1), 4, 0.0)), random_precedences(Random(1), 4, 1.0)
    (0, [(0, 1), (1, 2), (2, 3)])
    """
    before = [0] * count  # bit sets of the transitive closure
    after = [0] * count
    missing = round(strength * count * (count - 1) / 2)
    pairs = shuffled(random, _pairs(count))
    while missing:
        postponed = []
        for i, j in pairs:
            if after[i] >> j & 1:
                continue
            later = after[j] | 1 << j
            at_or_before = before[i] | 1 << i
            earlier = [k for k in range(j) if at_or_before >> k & 1]
            added = sum((later & ~after[k]).bit_count() for k in earlier)
            if added > missing:
                postponed.append((i, j))
                continue
            missing -= added
            for k in earlier:
                after[k] |= later
            for k in range(j, count):
                if later >> k & 1:
                    before[k] |= before[i] | 1 << i
        pairs = postponed
    arcs = []
    for i, j in _pairs(count):
        is_ordered = before[j] >> i & 1
        if is_ordered and not after[i] & before[j]:
            arcs.append((i, j))
    return arcs


def _pairs(count: int) -> Iterator[Arc]:
    """Yield all pairs of different numbers below ``count``, the smaller one first."""
    for j in range(count):
        for i in range(j):
            yield i, j


def random_tree(random: Random, count: int, strength: float) -> list[Arc]:
    """Return precedences of about an order strength; all actions but the last have one successor.

    The search starts with all actions directly before the last one, and moves single ones as long as the order
    strength comes closer. The least number of ordered pairs is one per action.

    >>> random_tree(Random(1), 4, 1.0)
    [(0, 1), (1, 2), (2, 3)]
    """
    target = round(strength * count * (count - 1) / 2)
    successor = [count - 1] * (count - 1)
    gap = abs(target - _count_ordered(successor))
    for _ in range(40 * count):
        if not gap or count < 2:
            break
        i = below(random, count - 1)
        previous = successor[i]
        later = count - 1 - i
        successor[i] = i + 1 + below(random, later)
        new_gap = abs(target - _count_ordered(successor))
        if new_gap > gap:
            successor[i] = previous
        else:
            gap = new_gap
    return sorted(enumerate(successor), key=lambda arc: (arc[1], arc[0]))


def _count_ordered(successor: list[int]) -> int:
    depth = [0] * (len(successor) + 1)
    for i in reversed(range(len(successor))):
        depth[i] = depth[successor[i]] + 1
    return sum(depth)


def depth_first_order(count: int, arcs: Iterable[Arc]) -> list[int]:
    """Return a topological order of the actions, depth first from the last actions.

    >>> depth_first_order(4, [(0, 3), (1, 2), (2, 3)])
    [0, 1, 2, 3]
    """
    import networkx as nx

    reversed_arcs = [(j, i) for i, j in sorted(arcs)]
    before: nx.DiGraph[int] = nx.DiGraph(reversed_arcs)
    before.add_nodes_from(range(count))
    order: dict[int, None] = {}
    for i in range(count):
        if not before.in_degree(i):  # a last action
            order.update(dict.fromkeys(nx.dfs_postorder_nodes(before, i)))
    return list(order)


def windows(
    random: Random, arcs: Sequence[Arc], share: float, limits: Sequence[int], rank: Sequence[int]
) -> dict[Arc, int]:
    """Return a random share of the precedences with their maximum lags.

    Parameters
    ----------
    limits
        Maximum lag of each precedence, if it is selected.
    rank
        Precedences of lower rank are selected first, those of equal rank with equal probabilities.

    >>> windows(Random(1), [(0, 1), (1, 2), (2, 3)], 0.33, [5, 6, 7], [1, 0, 1])
    {(1, 2): 6}
    """
    order = shuffled(random, range(len(arcs)))
    order.sort(key=lambda k: rank[k])
    count = round(share * len(arcs))
    return {arcs[k]: limits[k] for k in order[:count]}


def gaps(arcs: Iterable[Arc], order: Iterable[int], durations: Sequence[int]) -> list[int]:
    """Return the times between the actions of each arc if all run one after the other.

    >>> gaps([(0, 1), (0, 2)], [0, 1, 2], [5, 4, 3])
    [0, 4]
    """
    starts = [0] * len(durations)
    clock = 0
    for i in order:
        starts[i] = clock
        clock += durations[i]
    ends = [start + duration for start, duration in zip(starts, durations, strict=True)]
    return [starts[j] - ends[i] for i, j in arcs]


def with_witness(instance: Instance, order: Sequence[int], *, widen: bool) -> tuple[Instance, Schedule | None]:
    """Schedule the actions one after the other, as early as the minimum lags allow.

    Parameters
    ----------
    order
        Positions of the actions in a topological order.
    widen
        Increase maximum lags that this schedule violates until it is valid. Otherwise the instance is unchanged.

    Returns
    -------
    tuple
        The instance, and the schedule, certified by its rules; ``None`` if it violates maximum lags.
    """
    schedule = serial_schedule(instance, order)
    starts: dict[str, int] = {}
    for piece in schedule.pieces:
        starts.setdefault(piece.action, piece.start)
    finish = schedule.finish()
    lags = []
    for lag in instance.lags:
        if lag.maximum is not None:
            gap = starts[lag.after] - finish[lag.before]
            lag = replace(lag, maximum=max(lag.maximum, gap))
        lags.append(lag)
    if tuple(lags) != instance.lags:
        if not widen:
            return instance, None
        instance = replace(instance, lags=tuple(lags))
    certify(instance, schedule)
    return instance, schedule


def serial_schedule(instance: Instance, order: Sequence[int]) -> Schedule:
    """Return the schedule of actions one after the other, each with its first agent.

    Its modes need the least budgets. It respects minimum lags, releases, calendars and set-up times of resources.

    Parameters
    ----------
    order
        Positions of the actions in a topological order.
    """
    finish: dict[str, int] = {}
    families: dict[str, tuple[int, str]] = {}
    ways = _ways(instance)
    budgets = {resource.name for resource in instance.resources if not resource.renewable}
    pieces: list[Piece] = []
    clock = 0
    for i in order:
        action = instance.actions[i]
        mode = cheapest_mode(action, budgets)
        variant = instance.variants[action.id][mode]
        earliest_starts = [clock, action.release]
        for j, min_lag in instance.predecessors[i]:
            predecessor = instance.actions[j].id
            earliest_starts.append(finish[predecessor] + min_lag)
        for demand in variant.demands:
            if demand.resource in families and demand.family is not None:
                end, family = families[demand.resource]
                set_up = ticks_between(ways[demand.resource], family, demand.family)
                assert set_up is not None, "the generator draws all set-up times"
                earliest_starts.append(end + set_up)
        agent = variant.agents[0]
        spans = _spans(instance, action, variant, max(earliest_starts))
        pieces += [Piece(action.id, start, end - start, agent, mode) for start, end in spans]
        clock = finish[action.id] = spans[-1][1]
        for demand in variant.demands:
            if demand.family is not None:
                families[demand.resource] = clock, demand.family
    return Schedule.of(instance, pieces)


def _ways(instance: Instance) -> dict[str, dict[tuple[str, str], int]]:
    """Return the set-up times of every resource that has any."""
    ways: dict[str, dict[tuple[str, str], int]] = {}
    for table in instance.transitions:
        ways |= dict.fromkeys(table.members, table.ways())
    return ways


def cheapest_mode(action: Action, budgets: Collection[str]) -> int:
    """Return the position of the first mode that uses the least of all budgets together."""
    totals = []
    for mode in action.modes:
        amounts = [demand.amount for demand in mode.demands if demand.resource in budgets]
        totals.append(sum(amounts))
    return totals.index(min(totals))


def _spans(instance: Instance, action: Action, variant: Variant, start: int) -> list[tuple[int, int]]:
    """Return the spans of an action that starts as early as its first agent and its resources are on."""
    resources = [demand.resource for demand in variant.demands]
    members = [variant.agents[0], *resources]
    times = OffTimes(calendars_of_members(instance, members))
    duration = 1 if action.pauses_in_breaks else variant.duration
    while times.overlaps(start, start + duration):
        span = times.next(start)
        assert span is not None
        start = span[1]
    if not action.pauses_in_breaks:
        return [(start, start + duration)]
    if not variant.attended:  # it pauses only while a resource is off
        times = OffTimes(calendars_of_members(instance, resources))
    return list(working_spans(times, start, variant.duration))
