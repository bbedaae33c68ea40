"""Algorithm 1 of Recipe2Plan (Wu et al., 2025, Appendix C.1), and AsyncTool's sequential agent.

The printed algorithm leaves four things open; they are settled here as follows.

- *Prerequisites.* Line 6 collects them breadth first, and does not say in which order they are listed.
  Here the deepest come first, so that each stands behind its own prerequisites.
- *Undoing.* Line 27 recurses inside the loop; when the recursion fails, the removal and the time
  added before it (lines 20 to 26) are undone before the next action is tried.
- *Waiting.* Lines 18 to 32 only ever add the duration of continuous actions to the time. Whenever an
  action can only start once an autonomous one has finished, and nothing else is left to do, the
  printed loop ends in failure. Here time moves on to the next finish as the last alternative, after
  all actions that can start have been tried.
- *check_constraint* is our referee's answer to "can this action start now?". A branch in which a
  maximum time lag has run out is given up at once.

With these four the algorithm finds a plan for all 130 released problems. ``literal=True`` is the letter of
the text: prerequisites as collected, and no waiting. It fails on many problems that have a solution.
"""

from __future__ import annotations

from planoracle.heuristics.improve import DEFAULT, Budget, HeuristicOutcome
from planoracle.heuristics.timearena_greedy import prerequisites_first
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule


def action_list(instance: Instance, *, deepest_first: bool = True) -> list[int]:
    """Lines 1 to 14: autonomous actions by falling duration, then the others, prerequisites first.

    Parameters
    ----------
    deepest_first
        List the prerequisites of an action in reverse; otherwise breadth first from the action, as collected.
    """
    actions = instance.actions
    autonomous = [i for i, action in enumerate(actions) if not action.attended]
    autonomous.sort(key=lambda i: -actions[i].duration)
    continuous = [i for i, action in enumerate(actions) if action.attended]
    prerequisites = [[j for j, _ in row] for row in instance.predecessors]
    return list(prerequisites_first(autonomous + continuous, prerequisites, farthest_first=deepest_first))


def search(instance: Instance, *, literal: bool = False, nodes: int = DEFAULT.nodes) -> tuple[Timetable | None, str]:
    """Lines 15 to 42: depth-first search over the list; the first complete schedule is the answer.

    Parameters
    ----------
    literal
        Follow the letter of the text (see above).
    nodes
        Give up after so many calls of DFS.

    Returns
    -------
    tuple
        The schedule, or ``None`` and the reason: the search is exhausted, or the limit reached.
    """
    run = _Dfs(instance, can_wait=not literal, nodes=nodes)
    timetable = Timetable(instance)
    listed = action_list(instance, deepest_first=not literal)
    if run.dfs(tuple(listed), timetable, 0):
        return timetable, ""
    return None, "stopped after the limit of nodes" if run.nodes_left < 0 else "no feasible schedule found"


class _Dfs:
    """Depth-first search with a limit of nodes."""

    def __init__(self, instance: Instance, *, can_wait: bool, nodes: int) -> None:
        self.instance = instance
        self.can_wait = can_wait
        self.nodes_left = nodes
        self.windows: list[tuple[int, int, int]] = []
        for lag in instance.lags:
            if lag.maximum is not None:
                self.windows.append((instance.index[lag.before], instance.index[lag.after], lag.maximum))

    def dfs(self, remaining: tuple[int, ...], timetable: Timetable, time: int) -> bool:
        """Complete a timetable; return whether that succeeded, else leave the timetable as it was."""
        if not remaining:
            return True
        self.nodes_left -= 1
        if self.nodes_left < 0 or self.too_late(timetable, time):
            return False
        placed = timetable.placed
        for i in remaining:
            if not self.start_now(timetable, i, time):
                continue
            busy = self.instance.actions[i].attended
            if self.dfs(tuple(j for j in remaining if j != i), timetable, time + busy):
                return True
            timetable.take_back(placed)
            if self.nodes_left < 0:
                return False
        next_instant = self.next_instant(timetable, time) if self.can_wait else None
        return next_instant is not None and self.dfs(remaining, timetable, next_instant)

    def next_instant(self, timetable: Timetable, time: int) -> int | None:
        """Return the first finish or release after ``time``, ``None`` if there is none."""
        instants = [end for end in timetable.finish if end is not None and end > time]
        instants += [action.release for action in self.instance.actions if action.release > time]
        return min(instants, default=None)

    def start_now(self, timetable: Timetable, i: int, time: int) -> bool:
        """Place an action if it can start at ``time``; return whether it was placed."""
        missing = any(timetable.finish[j] is None for j, _ in self.instance.predecessors[i])
        if missing or timetable.earliest(i) > time or timetable.place(i, time) is not None:
            return False
        if timetable.start[i] != time:
            timetable.take_back(timetable.placed - 1)
        return timetable.start[i] == time

    def too_late(self, timetable: Timetable, time: int) -> bool:
        """Return whether some action can no longer start within its maximum lag."""
        finish = timetable.finish
        for before, after, limit in self.windows:
            end = finish[before]
            if end is not None and finish[after] is None and end + limit < time:
                return True
        return False


def deepest_first(instance: Instance, budget: Budget) -> HeuristicOutcome:
    """Search with prerequisites deepest first, and waiting as the last alternative."""
    return HeuristicOutcome(*search(instance, nodes=budget.nodes))


def literal(instance: Instance, budget: Budget) -> HeuristicOutcome:
    """Search by the letter of the text."""
    return HeuristicOutcome(*search(instance, literal=True, nodes=budget.nodes))


def sequential(instance: Instance, budget: Budget = DEFAULT) -> HeuristicOutcome:
    """Carry out the calls task by task, waiting for every result before the next call of its task.

    The next task begins, and the run closes, without waiting for the last result of the task before.
    """
    if not isinstance(instance.origin, AsyncToolProblem):
        return HeuristicOutcome(None, "the sequential agent is for AsyncTool problems")
    finish: dict[int, int] = {}
    pieces, clock = [], 0
    for i, action in enumerate(instance.actions):  # task by task, the closing message last
        earliest_starts = (finish[j] + lag for j, lag in instance.predecessors[i])
        start = max([clock, *earliest_starts])
        clock = finish[i] = start + action.duration
        pieces.append(Piece(action.id, start, action.duration, instance.agents[0]))
    return HeuristicOutcome(Schedule.of(instance, pieces))
