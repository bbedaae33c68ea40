"""The agent that does not use waiting time: AsyncTool's sub-tasks one after the other."""

from __future__ import annotations

from planoracle.heuristics.budget import DEFAULT, Budget, Outcome
from planoracle.instances.asynctool.problem import Problem
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Piece, Schedule


def sequential(instance: Instance, budget: Budget = DEFAULT) -> Outcome:
    """Carry out the calls task by task, waiting for every result before the next call of its task.

    The next task begins, and the run closes, without waiting for the last result of the task before.
    """
    if not isinstance(instance.origin, Problem):
        return Outcome(None, "the sequential agent is for AsyncTool problems")
    finish: dict[int, int] = {}
    pieces, clock = [], 0
    for i, action in enumerate(instance.actions):  # task by task, the closing message last
        start = max([clock, *(finish[j] + lag for j, lag in instance.predecessors[i])])
        clock = finish[i] = start + action.duration
        pieces.append(Piece(action.id, start, action.duration, instance.agents[0]))
    return Outcome(Schedule.of(instance, pieces))
