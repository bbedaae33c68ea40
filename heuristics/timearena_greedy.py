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

from collections import deque
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
    starts = run.schedule(run.list_actions(order, farthest_first=False))
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
        starts = run.schedule(
            run.list_actions(order, farthest_first=True), below=None if best is None else best.makespan
        )
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
        return HeuristicOutcome(None, "the greedy algorithm is for one agent")
    greedy = algorithm(instance)
    schedule, obstacle = realise(instance, greedy.starts)
    reason = f"claims {greedy.claim} {instance.unit}s, impossible under the rules: {obstacle}"
    return HeuristicOutcome(schedule, reason, greedy.claim)


def realise(instance: Instance, starts: Sequence[int]) -> tuple[Schedule | None, str]:
    """Decide whether actions can start at these times in the real instance.

    Modes are sought with which no object is used beyond its capacity; then the rules of the benchmark have
    the last word. The answer is the schedule, or ``None`` and what is in the way.
    """
    assignment = _Assignment(instance, starts)
    modes = assignment.search(0)
    if modes is None:
        return None, assignment.obstacle
    pieces = [
        Piece(a.id, start, a.duration, next(iter(instance.eligible(a)), None), modes[i])
        for i, (a, start) in enumerate(zip(instance.actions, starts, strict=True))
    ]
    schedule = Schedule.of(instance, pieces)
    try:
        certify(instance, schedule)
    except InternalError as error:
        return None, str(error)
    return schedule, ""


class _Run:
    """The parts of the greedy that do not depend on the order, for an instance without objects."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.autonomous = [i for i, a in enumerate(instance.actions) if a.attended < a.duration]
        self.after = [[[instance.index[j] for j in mode.after] for mode in a.modes] for a in instance.actions]
        self.attended = [a.attended for a in instance.actions]

    def finish(self, starts: Iterable[int]) -> int:
        """Latest finish."""
        return max((s + a.duration for s, a in zip(starts, self.instance.actions, strict=True)), default=0)

    def list_actions(self, order: Iterable[int], *, farthest_first: bool) -> tuple[int, ...]:
        """Return the list of actions: these autonomous ones, then the others, prerequisites before each."""
        actions: dict[int, None] = {}
        for i in [*order, *(i for i, a in enumerate(self.instance.actions) if a.attended == a.duration)]:
            queue, seen = deque([i]), {i: None}
            while queue:
                k = queue.popleft()
                for j in [*(j for j, _ in self.instance.predecessors[k]), *self.after[k][0]]:
                    if j not in seen:
                        seen[j] = None
                        queue.append(j)
            before = [j for j in seen if j != i]
            for j in [*(reversed(before) if farthest_first else before), i]:
                actions.setdefault(j)
        return tuple(actions)

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
                if (
                    time >= actions[i].release
                    and all(finish[j] + lag <= time for j, lag in predecessors[i])
                    and any(all(finish[j] <= time for j in mode) for mode in self.after[i])
                ):
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


class _Assignment:
    """Depth-first search for modes that fit given starts."""

    def __init__(self, instance: Instance, starts: Sequence[int]) -> None:
        self.instance, self.starts = instance, starts
        self.finish = [s + a.duration for s, a in zip(starts, instance.actions, strict=True)]
        self.order = sorted(range(len(starts)), key=lambda i: (starts[i], i))
        self.modes: dict[int, int] = {}
        self.deepest = -1
        self.obstacle = ""

    def search(self, depth: int) -> dict[int, int] | None:
        if depth == len(self.order):
            return self.modes
        i = self.order[depth]
        for k, mode in enumerate(self.instance.actions[i].modes):
            obstacle = self.conflict(i, mode)
            if not obstacle:
                self.modes[i] = k
                if self.search(depth + 1) is not None:
                    return self.modes
                del self.modes[i]
            elif depth > self.deepest:
                self.deepest, self.obstacle = depth, obstacle
        return None

    def conflict(self, i: int, mode: Mode) -> str:
        """Return what keeps an action from its start in a mode, given the modes of those before."""
        start, name = self.starts[i], self.instance.actions[i].id
        for before in mode.after:
            if self.finish[self.instance.index[before]] > start:
                return f"{before} is not done when {name} starts at {start}"
        running = [self.instance.actions[j].modes[k] for j, k in self.modes.items() if self.finish[j] > start]
        for demand in mode.demands:
            used = sum(d.amount for other in running for d in other.demands if d.resource == demand.resource)
            if used + demand.amount > self.instance.resource[demand.resource].capacity:
                return f"object {demand.resource} is occupied when {name} starts at {start}"
        return ""
