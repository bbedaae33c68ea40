"""Serial and parallel schedule generation for instances with maximum time lags.

The classic schemes (Kelley, 1963; Kolisch, 1996) place one action after the other. With maximum lags an
action placed early may leave its successors no time; as in the schemes for RCPSP/max (Franck, Neumann,
Schwindt, 2001), actions tied by maximum lags are therefore placed together, as a *block*, and when one of
them comes too late the one before it is moved later and the block is placed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planoracle.heuristics.timetable import Late, Timetable
from planoracle.instances.model import Instance

__all__ = ["Blocks", "blocks_of", "generate_parallel", "generate_serial"]

#: A block that does not settle within so many moves is given up.
_MOVES = 400


@dataclass(frozen=True, slots=True)
class Blocks:
    """Actions grouped by the maximum lags between them.

    ``members`` are positions in precedence order; ``before`` the blocks that must come first.
    """

    members: tuple[tuple[int, ...], ...]
    before: tuple[frozenset[int], ...]


def blocks_of(instance: Instance, *, with_states: bool = False) -> Blocks:
    """Group the actions of an instance into blocks (cached on the instance).

    Parameters
    ----------
    with_states
        Also tie an action that requires a state to the predecessors that set it, so that no other setting
        can be placed in between before it has found its place.
    """
    key = f"blocks, with states: {with_states}"
    found = instance.cache.get(key)
    if found is None:
        ties = _lag_ties(instance) + (_state_ties(instance) if with_states else [])
        found = instance.cache[key] = _group(instance, ties)
    assert isinstance(found, Blocks)
    return found


def _lag_ties(instance: Instance) -> list[tuple[int, int]]:
    return [
        (instance.index[lag.before], instance.index[lag.after])
        for lag in instance.lags
        if lag.maximum is not None or (lag.minimum is not None and lag.minimum < 0)
    ]


def _state_ties(instance: Instance) -> list[tuple[int, int]]:
    sets, requires = (
        [
            {
                (demand.resource, state)
                for mode in a.modes
                for demand in mode.demands
                if (state := getattr(demand, field))
            }
            for a in instance.actions
        ]
        for field in ("sets", "requires")
    )
    return [(j, i) for i in range(len(instance.actions)) for j, _ in instance.predecessors[i] if sets[j] & requires[i]]


def _group(instance: Instance, ties: list[tuple[int, int]]) -> Blocks:
    count, index = len(instance.actions), instance.index
    root = list(range(count))

    def find(i: int) -> int:
        while root[i] != i:
            i = root[i]
        return i

    for one, two in ties:
        a, b = sorted((find(one), find(two)))
        root[b] = a
    while True:
        # Blocks that wait for each other become one.
        ahead: dict[int, int] = {find(i): 0 for i in range(count)}
        for lag in instance.lags:
            if lag.minimum is not None:
                ahead[find(index[lag.after])] |= 1 << find(index[lag.before])
        for middle in ahead:
            for block in ahead:
                if ahead[block] >> middle & 1:
                    ahead[block] |= ahead[middle]
        loops = [(a, b) for a in ahead for b in ahead if a < b and ahead[a] >> b & 1 and ahead[b] >> a & 1]
        if not loops:
            break
        for a, b in loops:
            root[find(b)] = find(a)
    names = list(ahead)
    members = tuple(tuple(i for i in instance.order if find(i) == name) for name in names)
    before = tuple(
        frozenset(n for n, other in enumerate(names) if ahead[name] >> other & 1 and other != name) for name in names
    )
    return Blocks(members, before)


def place_block(timetable: Timetable, members: Sequence[int]) -> Timetable | None:
    """Place a block into a copy of a timetable; ``None`` if it does not settle."""
    if len(members) == 1:
        attempt = timetable.snapshot()
        return attempt if attempt.place(members[0]) is None else None
    not_before: dict[int, int] = {}
    for _ in range(_MOVES):
        attempt = timetable.snapshot()
        late = _place_all(attempt, members, not_before)
        if late is None:
            return attempt
        start = attempt.start[late.before] if late.before >= 0 else None
        if start is None or late.before not in members:
            return None
        not_before[late.before] = start + late.by
    return None


def _place_all(timetable: Timetable, members: Sequence[int], not_before: dict[int, int]) -> Late | None:
    for i in members:
        late = timetable.place(i, not_before.get(i, 0))
        if late is not None:
            return late
    return None


def generate_serial(instance: Instance, priority: Sequence[float], blocks: Blocks | None = None) -> Timetable | None:
    """Generate serially: always place the most urgent block whose predecessors are placed.

    Parameters
    ----------
    priority
        One number per block, small is urgent; ties go by position.
    blocks
        Default: those of `blocks_of`.

    Returns
    -------
    Timetable or None
        ``None`` if some block cannot be placed.
    """
    blocks = blocks or blocks_of(instance)
    timetable = Timetable(instance)
    waiting = sorted(range(len(blocks.members)), key=lambda b: (priority[b], b))
    placed: set[int] = set()
    while waiting:
        block = next(b for b in waiting if blocks.before[b] <= placed)
        following = place_block(timetable, blocks.members[block])
        if following is None:
            return None
        timetable = following
        placed.add(block)
        waiting.remove(block)
    return timetable


def generate_parallel(
    instance: Instance,
    priority: Sequence[float],
    blocks: Blocks | None = None,
    over: Callable[[], bool] = lambda: False,
) -> Timetable | None:
    """Generate in parallel: always place the block that can start earliest, the most urgent of them first.

    Parameters and result as for `generate_serial`; given up when ``over()`` says so, for this takes far longer.
    """
    blocks = blocks or blocks_of(instance)
    timetable = Timetable(instance)
    waiting = set(range(len(blocks.members)))
    placed: set[int] = set()
    while waiting:
        if over():
            return None
        best: tuple[tuple[int, float, int], Timetable] | None = None
        for block in sorted(b for b in waiting if blocks.before[b] <= placed):
            attempt = place_block(timetable, blocks.members[block])
            if attempt is None:
                continue
            starts = [attempt.start[i] for i in blocks.members[block]]
            key = (min(start for start in starts if start is not None), priority[block], block)
            if best is None or key < best[0]:
                best = key, attempt
        if best is None:
            return None
        timetable = best[1]
        placed.add(best[0][2])
        waiting.discard(best[0][2])
    return timetable
