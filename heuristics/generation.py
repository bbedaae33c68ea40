"""Serial and parallel schedule generation for instances with maximum time lags.

The classic schemes (Kelley, 1963; Kolisch, 1996) place one action after the other. With maximum lags an
action placed early may leave its successors no time; as in the schemes for RCPSP/max (Franck, Neumann,
Schwindt, 2001), actions tied by maximum lags are therefore placed together, as a *block*, and when one of
them comes too late the one before it is moved later and the block is placed anew.

Forward-backward improvement (Li and Willis, 1992; Valls, Ballestin and Quintanilla, 2005) moves all actions as late as
possible, the last one first, and then as early as possible, the first one first. The late schedule closes gaps, which
then leaves room at the end. It is a schedule of the mirrored instance, in which time runs backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import chain

from planoracle.heuristics.timetable import Timetable
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance, Mode

#: A block that does not settle within so many moves is given up.
_MOVES = 400
#: So is one of which actions have been placed so often in all, unless it is that long itself.
_EFFORT = 20_000
#: Blocks after which the clock is looked at, and seconds of counted work to place one.
_CLOCK, PLACING = 64, 5e-5


@dataclass(frozen=True, slots=True)
class Blocks:
    """Actions grouped by the maximum lags between them.

    ``members`` are positions in precedence order; ``before`` the blocks that must come first (if others must come
    before these, they need not be named).
    """

    members: tuple[tuple[int, ...], ...]
    before: tuple[frozenset[int], ...]


@ProblemCache
def blocks_of(instance: Instance, *, with_states: bool = False) -> Blocks:
    """Group the actions of an instance into blocks (worked out once).

    Parameters
    ----------
    with_states
        Also tie an action that requires a state to the predecessors that set it, so that no other setting
        can be placed in between before it has found its place.
    """
    ties = _lag_ties(instance)
    if with_states:
        ties += _state_ties(instance)
    return _group(instance, ties)


def _lag_ties(instance: Instance) -> list[tuple[int, int]]:
    ties = []
    for lag in instance.lags:
        if lag.maximum is not None or (lag.minimum is not None and lag.minimum < 0):
            ties.append((instance.index[lag.before], instance.index[lag.after]))
    return ties


def _state_ties(instance: Instance) -> list[tuple[int, int]]:
    """Return the pairs of a predecessor and an action that requires a state which the predecessor sets."""
    set_states: list[set[tuple[str, str]]] = []
    required_states: list[set[tuple[str, str]]] = []
    for action in instance.actions:
        demands = [*chain.from_iterable(mode.demands for mode in action.modes)]
        set_states.append({(demand.resource, demand.sets) for demand in demands if demand.sets})
        required_states.append({(demand.resource, demand.requires) for demand in demands if demand.requires})
    ties = []
    for i, required in enumerate(required_states):
        ties += [(j, i) for j, _ in instance.predecessors[i] if set_states[j] & required]
    return ties


def _group(instance: Instance, ties: list[tuple[int, int]]) -> Blocks:
    index = instance.index
    arcs = [(index[lag.before], index[lag.after]) for lag in instance.lags if lag.minimum is not None]
    # Tied actions, and blocks that wait for each other, are one block.
    reverse_ties = [(j, i) for i, j in ties]
    block = strong_components(len(instance.actions), [*arcs, *ties, *reverse_ties])
    number = {name: n for n, name in enumerate(dict.fromkeys(block))}  # in the order of their first actions
    members: list[list[int]] = [[] for _ in number]
    for i in instance.order:
        members[number[block[i]]].append(i)
    before: list[set[int]] = [set() for _ in number]
    for i, j in arcs:
        if block[i] != block[j]:
            before[number[block[j]]].add(number[block[i]])
    return Blocks(tuple(map(tuple, members)), tuple(map(frozenset, before)))


def strong_components(count: int, arcs: Iterable[tuple[int, int]]) -> list[int]:
    """Return for every node a representative of its strongly connected component (Kosaraju and Sharir)."""
    forward: list[list[int]] = [[] for _ in range(count)]
    backward: list[list[int]] = [[] for _ in range(count)]
    for i, j in arcs:
        forward[i].append(j)
        backward[j].append(i)
    finished: list[int] = []
    seen = [False] * count
    for root in range(count):
        stack = [(root, iter(forward[root]))] if not seen[root] else []
        seen[root] = True
        while stack:
            node, successors = stack[-1]
            following = next((j for j in successors if not seen[j]), None)
            if following is None:
                finished.append(node)
                stack.pop()
            else:
                seen[following] = True
                stack.append((following, iter(forward[following])))
    name = [-1] * count
    for root in reversed(finished):
        reached = [root] if name[root] < 0 else []
        while reached:
            node = reached.pop()
            if name[node] < 0:
                name[node] = root
                reached += backward[node]
    return name


def _place_block(
    timetable: Timetable, members: Sequence[int], over: Callable[[float], bool], not_before: int = 0
) -> bool:
    """Place a block, no action before ``not_before``; if it does not settle in time, nothing is changed."""
    if len(members) == 1:
        return timetable.place(members[0], not_before) is None
    count = timetable.placed
    place = {i: k for k, i in enumerate(members)}
    starts = dict.fromkeys(members, not_before)
    k = moves = 0
    effort = max(_EFFORT, 2 * len(members))
    while k < len(members):
        effort -= 1
        if not effort % _CLOCK and over(_CLOCK * PLACING):
            effort = 0  # place the rest only if it settles at once
        late = timetable.place(members[k], starts[members[k]])
        if late is None:
            k += 1
            continue
        moves += 1
        start = timetable.start[late.before] if late.before in place else None
        if start is None or moves == _MOVES or effort <= 0:
            timetable.take_back(count)
            return False
        starts[late.before] = start + late.by
        k = place[late.before]  # those before it stay where they are
        timetable.take_back(count + k)
    return True


def _never(work: float) -> bool:
    return False


class _Waiting:
    """Blocks that are not placed yet, and those of them whose predecessors are."""

    def __init__(self, blocks: Blocks) -> None:
        self._missing = [len(before) for before in blocks.before]
        self._after: list[list[int]] = [[] for _ in blocks.before]
        for block, before in enumerate(blocks.before):
            for predecessor in before:
                self._after[predecessor].append(block)
        #: Blocks that can be placed now.
        self.first = [block for block, missing in enumerate(self._missing) if not missing]

    def release(self, block: int) -> list[int]:
        """Mark a block as placed; return the blocks that become ready."""
        freed = []
        for successor in self._after[block]:
            self._missing[successor] -= 1
            if not self._missing[successor]:
                freed.append(successor)
        return freed


def generate_serial(
    instance: Instance,
    priority: Sequence[float],
    blocks: Blocks | None = None,
    over: Callable[[float], bool] = _never,
    *,
    behind: bool = False,
) -> Timetable | None:
    """Generate serially: always place the most urgent block whose predecessors are placed.

    Parameters
    ----------
    priority
        One number per block, small is urgent; ties go by position.
    blocks
        Default: those of `blocks_of`.
    over
        Says whether time is over, given the seconds of work since the last call. As soon as it does, the blocks that
        are left are put one behind the other at the end, where hardly any search is needed.
    behind
        Put a block that fits nowhere behind all others, instead of giving up: then all its states can be set anew.

    Returns
    -------
    Timetable or None
        ``None`` if some block cannot be placed.
    """
    blocks = blocks or blocks_of(instance)
    timetable = Timetable(instance)
    waiting = _Waiting(blocks)
    ready = [(priority[block], block) for block in waiting.first]
    heapify(ready)
    stuck: list[tuple[float, int]] = []  # actions that have to wait for a state, or for what one of their modes needs
    placed = 0
    earliest: int | None = None  # the end so far, when time is over
    while ready:
        entry = heappop(ready)
        block = entry[1]
        placed += 1
        if earliest is None and not placed % _CLOCK and over(_CLOCK * PLACING):
            earliest = timetable.makespan
        members = blocks.members[block]
        fits = _place_block(timetable, members, over, earliest or 0)
        if not fits and not (behind and _place_block(timetable, members, over, timetable.makespan)):
            if len(members) > 1 or not ready:
                return None
            stuck.append(entry)
            continue
        while stuck:
            heappush(ready, stuck.pop())
        if earliest is not None:
            ends = (timetable.finish[i] for i in members)
            earliest = max(earliest, *(end for end in ends if end is not None))
        for freed in waiting.release(block):
            heappush(ready, (priority[freed], freed))
    return timetable


def generate_parallel(
    instance: Instance,
    priority: Sequence[float],
    blocks: Blocks | None = None,
    over: Callable[[float], bool] = _never,
) -> Timetable | None:
    """Generate in parallel: always place the block that can start earliest, the most urgent of them first.

    Parameters and result as for `generate_serial`; given up when ``over`` says so, for this takes far longer.
    """
    blocks = blocks or blocks_of(instance)
    timetable = Timetable(instance)
    waiting = _Waiting(blocks)
    ready = set(waiting.first)
    while ready:
        best: tuple[int, float, int] | None = None
        count = timetable.placed
        for block in sorted(ready):
            if over(PLACING):
                return None
            members = blocks.members[block]
            if not _place_block(timetable, members, over):
                continue
            starts = (timetable.start[i] for i in members)
            earliest = min(start for start in starts if start is not None)
            key = earliest, priority[block], block
            if best is None or key < best:
                best = key
            timetable.take_back(count)
        if best is None:
            return None
        block = best[2]
        _place_block(timetable, blocks.members[block], _never)
        ready.discard(block)
        ready.update(waiting.release(block))
    return timetable


@ProblemCache
def mirrored(instance: Instance) -> Instance:
    """Return the instance with time running backwards, as far as the model can state it.

    Its schedules only set priorities. Releases, windows, calendars, transitions, states of resources and predecessors
    of single modes are left out, and an action that is attended in part holds its agent at its last ticks instead of
    its first ones.
    """
    actions = []
    for action in instance.actions:
        modes = tuple(_without_states(mode) for mode in action.modes)
        unrestricted = replace(
            action, release=0, deadline=None, windows=(), pauses_in_breaks=False, place=None, modes=modes
        )
        actions.append(unrestricted)
    lags = [replace(lag, before=lag.after, after=lag.before) for lag in instance.lags]
    resources = [replace(resource, state=None) for resource in instance.resources]
    return replace(
        instance,
        actions=tuple(actions),
        lags=tuple(lags),
        resources=tuple(resources),
        time_limit=None,
        benchmark="generic",
        origin=None,
        calendars=(),
        transitions=(),
    )


def _without_states(mode: Mode) -> Mode:
    """Return a mode without the states and families of its resources and without its predecessors."""
    demands = tuple(replace(demand, requires=None, sets=None, family=None) for demand in mode.demands)
    return replace(mode, after=(), demands=demands)


def forward_backward(
    timetable: Timetable, blocks: Blocks, over: Callable[[float], bool], *, behind: bool = False
) -> Timetable:
    """Shift a complete timetable right and left until it gets no shorter; return the shortest.

    Parameters
    ----------
    blocks, over, behind
        See `planoracle.heuristics.generation.generate_serial`.
    """
    instance = timetable.instance
    while True:
        mirror = mirrored(instance)
        late = _in_order(mirror, timetable.finish, blocks_of(mirror), over)
        early = None if late is None else _in_order(instance, late.finish, blocks, over, behind=behind)
        if early is None or early.makespan >= timetable.makespan:
            return timetable
        timetable = early


def _in_order(
    instance: Instance,
    finish: Sequence[int | None],
    blocks: Blocks,
    over: Callable[[float], bool],
    *,
    behind: bool = False,
) -> Timetable | None:
    """Place the blocks in the reverse order of the latest finishes in a schedule of the mirrored instance."""
    priority = []
    for members in blocks.members:
        ends = (finish[i] for i in members)
        priority.append(float(-max(end for end in ends if end is not None)))
    return generate_serial(instance, priority, blocks, over, behind=behind)
