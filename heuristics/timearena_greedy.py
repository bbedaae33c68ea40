"""The greedy of TimeArena (Zhang et al., 2024, Appendix A.4), as printed and as released.

The paper calls its result the Oracle, i.e. the shortest completion time. Neither version knows that objects
can be occupied, so what they claim may be too short to be possible: `realise` decides that by the rules.

*Printed* (Algorithm 1): autonomous ("non-occupied") actions by falling duration, each after its
prerequisites; then again and again the first action of the list whose prerequisites are done. Settled here:

- *Objects.* ``check_dependency`` asks for prerequisites only, as its name says.
- *Minimal time.* Lines 15 to 30 add up the agent's minutes and stop when the last action is started. An
  autonomous action may run on: the makespan is the latest finish.
- *Taken from the list.* Lines 17 to 28 never remove an action from the list; one that is done is passed over.
- *BFS order.* Prerequisites are listed breadth first from the action, as collected; ties as in the instance.
- *Second objects.* If an action can be done with several objects, its listed prerequisites are those of the
  first; it starts as soon as those of any one are done.
- *Starting* an autonomous action costs the minutes it is attended (one in TimeArena, as in line 20).

*Released* (``algorithm/cal_oracle.py`` of ``ykzhang721/TimeArena``): the best over all orders of the
autonomous actions, prerequisites farthest first, the makespan including the last autonomous action. Its
minimum starts at 100 minutes, so it never says more (`GreedySchedule.claim`). Its own list of prerequisites differs
from
the environment's (`planoracle.instances.benchmarks.timearena.problems`), and sets up the ironing board of household6
after the suit is put on it; there we keep the environment's order, which claims the same times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, permutations
from typing import NamedTuple

from planoracle.heuristics.improve import Budget, HeuristicOutcome
from planoracle.instances.benchmarks.timearena.problems import without_objects
from planoracle.instances.errors import InternalError
from planoracle.instances.model.instance import Instance, Mode
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.schedule_benchmark import certify

#: The released code never answers more minutes than this.
CEILING = 100


class GreedySchedule(NamedTuple):
    """Outcome of a greedy that ignores objects.

    ``makespan`` and ``starts`` (in the order of the instance) are in ticks.
    """

    makespan: int
    starts: tuple[int, ...]

    @property
    def claim(self) -> int:
        """Makespan that the released code prints: at most 100."""
        return min(self.makespan, CEILING)


def run_printed(instance: Instance) -> GreedySchedule:
    """Schedule by Algorithm 1 as printed, objects ignored (see above)."""
    run = _Run(without_objects(instance))
    order = sorted(run.autonomous, key=lambda i: -instance.actions[i].duration)
    starts = run.schedule(prerequisites_first([*order, *run.continuous], run.before))
    assert starts is not None  # no ceiling was set
    return GreedySchedule(run.finish(starts), tuple(starts))


def run_released(instance: Instance, limit: int = 10_000) -> GreedySchedule:
    """Schedule by the released greedy: the first best over all orders of the autonomous actions.

    At most ``limit`` orders are tried; the default suffices for seven autonomous actions (5040 orders), and
    so for all sets of the paper. The search also ends when the agent is never idle.
    """
    run = _Run(without_objects(instance, as_listed=True))
    first = sorted(run.autonomous, key=lambda i: -instance.actions[i].duration)
    best: GreedySchedule | None = None
    for order in islice(permutations(first), limit):
        listed = prerequisites_first([*order, *run.continuous], run.before, farthest_first=True)
        starts = run.schedule(listed, below=None if best is None else best.makespan)
        if starts is not None:
            best = GreedySchedule(run.finish(starts), tuple(starts))
            if best.makespan == sum(run.attended):
                break
    assert best is not None  # the first order has no makespan to beat
    return best


def printed_schedule(instance: Instance, budget: Budget) -> HeuristicOutcome:
    """Return the schedule of `run_printed`, if the rules allow it."""
    return _allowed(run_printed, instance)


def released_schedule(instance: Instance, budget: Budget) -> HeuristicOutcome:
    """Return the schedule of `run_released`, if the rules allow it."""
    return _allowed(run_released, instance)


def _allowed(algorithm: Callable[[Instance], GreedySchedule], instance: Instance) -> HeuristicOutcome:
    if len(instance.agents) != 1:
        return HeuristicOutcome(None, "the greedy algorithm requires exactly one agent")
    greedy = algorithm(instance)
    schedule, obstacle = realise(instance, greedy.starts)
    reason = f"claims {greedy.claim} {instance.unit}s, impossible under the rules: {obstacle}"
    return HeuristicOutcome(schedule, reason, greedy.claim)


def realise(instance: Instance, starts: Sequence[int]) -> tuple[Schedule | None, str]:
    """Decide whether actions can start at these times in the real instance.

    Modes are sought with which no object is used beyond its capacity; then the rules of the benchmark have
    the last word. The answer is the schedule, or ``None`` and what is in the way.
    """
    order = sorted(range(len(starts)), key=lambda i: (starts[i], i))
    reached, obstacle = -1, ""

    def extended(pieces: list[Piece]) -> list[Piece] | None:
        """Search depth first for the modes of the actions that follow some pieces."""
        nonlocal reached, obstacle
        if len(pieces) == len(order):
            return pieces
        i = order[len(pieces)]
        action, start = instance.actions[i], starts[i]
        agent = next(iter(instance.eligible(action)), None)
        for mode in range(len(action.modes)):
            piece = Piece(action.id, start, action.duration, agent, mode)
            conflict = _conflict(instance, pieces, piece)
            complete = None if conflict else extended([*pieces, piece])
            if complete is not None:
                return complete
            if conflict and len(pieces) > reached:
                reached, obstacle = len(pieces), conflict
        return None

    pieces = extended([])
    if pieces is None:
        return None, obstacle
    schedule = Schedule.of(instance, pieces)
    try:
        certify(instance, schedule)
    except InternalError as error:
        return None, str(error)
    return schedule, ""


def _conflict(instance: Instance, pieces: Sequence[Piece], piece: Piece) -> str:
    """Return what keeps a piece from its start in its mode, given those before; ``""`` if nothing does."""
    mode = _mode_of(instance, piece)
    ends = {placed.action: placed.end for placed in pieces}
    for before in mode.after:
        if before not in ends or ends[before] > piece.start:
            return f"{before} is not done when {piece.action} starts at {piece.start}"
    used: Counter[str] = Counter()
    for placed in pieces:
        if placed.end > piece.start:
            for demand in _mode_of(instance, placed).demands:
                used[demand.resource] += demand.amount
    for demand in mode.demands:
        if used[demand.resource] + demand.amount > instance.resource[demand.resource].capacity:
            return f"object {demand.resource} is occupied when {piece.action} starts at {piece.start}"
    return ""


def _mode_of(instance: Instance, piece: Piece) -> Mode:
    return instance.by_id[piece.action].modes[piece.mode]


def prerequisites_first(
    order: Iterable[int], before: Sequence[Sequence[int]], *, farthest_first: bool = False
) -> tuple[int, ...]:
    """Return a list of actions, each behind its prerequisites, which are listed breadth first.

    Parameters
    ----------
    order
        Actions, as positions.
    before
        Prerequisites of every action.
    farthest_first
        List the prerequisites of an action in reverse.
    """
    actions: dict[int, None] = {}
    for i in order:
        queue = [i]
        for k in queue:
            queue += [j for j in dict.fromkeys(before[k]) if j not in queue]
        collected = queue[1:]
        actions |= dict.fromkeys([*(reversed(collected) if farthest_first else collected), i])
    return tuple(actions)


class _Run:
    """The parts of the greedy that do not depend on the order, for an instance without objects."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.autonomous: list[int] = []
        self.continuous: list[int] = []
        self.attended: list[int] = []
        #: Predecessors of each mode of every action.
        self.after: list[list[list[int]]] = []
        #: Predecessors of every action in its first mode.
        self.before: list[list[int]] = []
        for i, action in enumerate(instance.actions):
            kind = self.autonomous if action.attended < action.duration else self.continuous
            kind.append(i)
            self.attended.append(action.attended)
            after = [[instance.index[name] for name in mode.after] for mode in action.modes]
            self.after.append(after)
            self.before.append([*(j for j, _ in instance.predecessors[i]), *after[0]])

    def finish(self, starts: Iterable[int]) -> int:
        """Latest finish."""
        rows = zip(starts, self.instance.actions, strict=True)
        return max((start + action.duration for start, action in rows), default=0)

    def schedule(self, listed: Sequence[int], below: int | None = None) -> list[int] | None:
        """Start what can start first in the list, else let a tick pass; give up if not done ``below``."""
        actions, predecessors = self.instance.actions, self.instance.predecessors
        starts = [-1] * len(actions)
        finish: list[float] = [float("inf")] * len(actions)
        remaining = list(listed)
        work = sum(self.attended)
        time = 0
        while remaining:
            if below is not None and time + work >= below:
                return None
            for i in remaining:
                if time < actions[i].release or any(finish[j] + lag > time for j, lag in predecessors[i]):
                    continue
                if any(all(finish[j] <= time for j in mode) for mode in self.after[i]):
                    break
            else:
                time += 1
                continue
            starts[i], finish[i] = time, time + actions[i].duration
            if below is not None and finish[i] >= below:
                return None
            time += self.attended[i]
            work -= self.attended[i]
            remaining.remove(i)
        return starts
