"""Longest paths over the time lags, and pairs of actions that fit in one order only.

Two actions that cannot overlap run one before the other. Where the longest paths forbid one of the two orders, the
other one is a new arc; where they forbid both, there is no schedule. Repeated until nothing changes (Brucker, Hilbig
and Hurink 1999 call this immediate selection), it settles most contradictory instances and tightens the windows of
the rest, at a tenth of the cost of a solver call.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, takewhile

from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.solver.exact.bounds import Windows, windows

_NONE = -(2**62)  # no path
_EFFORT = 400_000  # steps of the longest paths that are worth their while
_NODES = 2_000  # of which a table of distances is made
_PAIRS = 20_000  # whose order is looked at, one by one

# For every node its row of longest distances to all nodes: the starts of the actions, the finishes of those that can be
# paused (the others end ``duration`` after their start), and the origin of time.
_Distances = list[list[int]]
_Pairs = list[tuple[int, int, int, int]]  # two actions; least distance of their starts if the first (second) is earlier


def ordered_windows(instance: Instance, deadline: Deadline = NO_LIMIT) -> Windows:
    """Return earliest starts and tails, tightened by forced orders.

    Instances that are too large for longest paths between all pairs, or for looking at all pairs that cannot overlap,
    get the windows that lags alone give. When time is over, orders that have not been found are left open.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Lag
    >>> chop, fry, eat = Action("t/chop", "t", 3, 3), Action("t/fry", "t", 5, 5), Action("t/eat", "t", 1, 1)
    >>> soon = Lag("t/chop", "t/eat", 0, 2)
    >>> found = ordered_windows(Instance("pair", (chop, fry, eat), (soon,)))
    >>> found.head, found.forced
    ([0, 0, 3], ())
    >>> soon = Lag("t/fry", "t/chop", None, -5)  # the chopping starts no later than the frying
    >>> ordered_windows(Instance("pair", (chop, fry), (soon,))).forced
    ((0, 1, 3),)
    """
    nodes, finish = _nodes(instance)
    paths = _longest_paths(instance, nodes, finish) if nodes <= _NODES else None
    if paths is None:
        return windows(instance, deadline)
    if any(row[node] > 0 for node, row in enumerate(paths)):
        return Windows([], [], [], "the time lags contradict each other")
    ends = []
    for i, action in enumerate(instance.actions):
        ends.append((i, action.duration) if finish[i] == i else (finish[i], 0))
    way = _tails(paths, ends)
    pairs = _pairs(instance)
    orders = _select(paths, pairs, deadline)
    if orders is None:
        return Windows([], [], [], "the time lags allow no order of two actions")
    forced, undecided = orders
    tail = _tails(paths, ends) if forced else way
    ordered = []
    for i, j, ahead, _ in pairs:
        if paths[i][j] >= ahead:
            ordered.append((i, j, paths[i][j]))
    for i, j, _, behind in pairs:
        if paths[j][i] >= behind:
            ordered.append((j, i, paths[j][i]))
    heads = paths[-1][: len(instance.actions)]
    return Windows(heads, tail, way, "", tuple(forced), tuple(undecided), tuple(ordered))


def _tails(paths: _Distances, ends: list[tuple[int, int]]) -> list[int]:
    """Return the longest path from every finish (node and distance from it) to any other."""
    tails = []
    for node, distance in ends:
        row = paths[node]
        longest = max([row[end] + length for end, length in ends])
        tails.append(longest - distance)
    return tails


def _nodes(instance: Instance) -> tuple[int, list[int]]:
    """Return the number of nodes, and for every action the node that its finish hangs on."""
    count = len(instance.actions)
    finish = []
    for i, action in enumerate(instance.actions):
        finish.append(count if action.interruptible else i)
        count += action.interruptible
    return count + 1, finish


def _longest_paths(instance: Instance, nodes: int, finish: list[int]) -> _Distances | None:
    """Compute all longest paths (Floyd and Warshall); ``None`` if that takes too long."""
    paths = [[_NONE] * nodes for _ in range(nodes)]
    for node, row in enumerate(paths):
        row[node] = 0
    lengths = []
    for i, action in enumerate(instance.actions):
        paths[-1][i] = action.release
        lengths.append(0 if action.interruptible else action.duration)
        if action.interruptible:
            paths[i][finish[i]] = action.duration
    index = instance.index
    for lag in instance.lags:
        i, j = index[lag.before], index[lag.after]
        end, length = finish[i], lengths[i]
        if lag.minimum is not None and lag.minimum + length > paths[end][j]:
            paths[end][j] = lag.minimum + length
        if lag.maximum is not None and -lag.maximum - length > paths[j][end]:
            paths[j][end] = -lag.maximum - length
    effort = 0
    for node, through in enumerate(paths):
        reachable = [(j, b) for j, b in enumerate(through) if b > _NONE and j != node]
        if not reachable:
            continue
        for row in paths:
            a = row[node]
            if a > _NONE and row is not through:
                effort += len(reachable)
                for j, b in reachable:
                    if a + b > row[j]:
                        row[j] = a + b
        if effort > _EFFORT:
            return None
    return paths


def _pairs(instance: Instance) -> _Pairs:
    """Return the pairs of actions that cannot overlap, whatever else happens; none if there are too many."""
    distances: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for pairs in (_on_resources(instance), _on_agents(instance)):
        for pair in pairs:
            i, j, ahead, behind = pair
            previous = distances.setdefault((i, j), pair)
            if previous is not pair:
                distances[i, j] = (i, j, max(previous[2], ahead), max(previous[3], behind))
            elif len(distances) > _PAIRS:
                return []
    return list(distances.values())


def _on_resources(instance: Instance) -> Iterator[tuple[int, int, int, int]]:
    users: dict[str, list[tuple[int, int, int]]] = {resource.name: [] for resource in instance.resources}
    for i, action in enumerate(instance.actions):
        if len(action.modes) == 1 and action.duration and (not action.interruptible or action.duration == 1):
            for demand in action.modes[0].demands:
                if demand.sets is None and demand.amount:  # settings may share the units of another use
                    users[demand.resource].append((i, demand.amount, action.duration))
    for resource in instance.resources:
        uses, capacity = users[resource.name], resource.capacity
        ranked = sorted(((amount, n) for n, (_, amount, _) in enumerate(uses)), reverse=True)
        for n, (i, amount, ahead) in enumerate(uses):
            if amount + ranked[0][0] <= capacity:
                continue
            excluded = takewhile(lambda entry: entry[0] + amount > capacity, ranked)  # noqa: B023  # used at once
            for m in sorted(m for _, m in excluded if m > n):
                j, _, behind = uses[m]
                yield i, j, ahead, behind


def _on_agents(instance: Instance) -> Iterator[tuple[int, int, int, int]]:
    """Yield pairs of actions of one agent: an uninterrupted one excludes others that need the agent."""
    crews: dict[str, list[tuple[int, int]]] = {}
    for i, action in enumerate(instance.actions):
        eligible = instance.eligible(action)
        if len(eligible) == 1 and (not action.interruptible or action.duration == 1):
            crews.setdefault(eligible[0], []).append((i, action.attended))
    for crew in crews.values():
        for (i, work), (j, second_work) in combinations(crew, 2):
            # An unattended start fits beside a tick of work, because no instant is strictly inside a tick.
            if (work and second_work) or work > 1 or second_work > 1:
                yield i, j, work, second_work


def _select(paths: _Distances, pairs: _Pairs, deadline: Deadline) -> tuple[list[tuple[int, int, int]], _Pairs] | None:
    """Add forced orders to the paths; return them and the pairs with two possible orders.

    ``None`` if some pair fits in neither order.
    """
    forced: list[tuple[int, int, int]] = []
    while True:
        undecided: _Pairs = []
        changed = False
        for n, pair in enumerate(pairs):
            if changed and deadline.over():
                return forced, undecided + pairs[n:]
            i, j, ahead, behind = pair
            forward, backward = paths[i][j], paths[j][i]
            if forward >= ahead or backward >= behind:
                continue
            if backward + ahead <= 0 and forward + behind <= 0:
                undecided.append(pair)
                continue
            if backward + ahead > 0 and forward + behind > 0:
                return None
            arc = (j, i, behind) if backward + ahead > 0 else (i, j, ahead)
            _insert(paths, *arc)
            forced.append(arc)
            changed = True
        pairs = undecided
        if not changed:
            return forced, pairs


def _insert(paths: _Distances, i: int, j: int, length: int) -> None:
    """Add an arc that closes no positive cycle."""
    reachable = [(node, length + b) for node, b in enumerate(paths[j]) if b > _NONE]
    for row in paths:
        a = row[i]
        if a > _NONE and a + length > row[j]:
            for node, b in reachable:
                if a + b > row[node]:
                    row[node] = a + b


@ProblemCache
def closure(instance: Instance) -> list[int]:
    """Return for every action a bit set of those that must finish before it starts, if executed."""
    before = [0] * len(instance.actions)
    optional = instance.weights
    for i in instance.order:
        for j, lag in instance.predecessors[i]:
            if lag >= 0:
                before[i] |= 1 << j
                if instance.actions[j].task not in optional:  # what follows through a task left out is not ordered
                    before[i] |= before[j]
    return before
