"""AsyncTool problems as scheduling instances, and their least number of turns."""

from __future__ import annotations

from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance, Lag

#: The action that stands for the closing message.
CLOSE = "closing/ALL COMPLETED"


def instance(problem: AsyncToolProblem) -> Instance:
    """Encode a problem: every call holds the agent for one turn, its result comes ``delay`` turns later.

    The last action is the closing message, after all calls; it need not wait for the last results (paper,
    Figure 12). So the makespan counts it.
    """
    actions, lags = [], []
    for task in problem.tasks:
        actions += [Action(id, task.id, duration=1, attended=1) for id in task.actions]
        delays = problem.reference_delays[task.id]
        steps = zip(task.actions, task.actions[1:], delays, strict=False)
        lags += [Lag(before, after, delay) for before, after, delay in steps]
        lags.append(Lag(task.actions[-1], CLOSE))
    actions.append(Action(CLOSE, "closing", duration=1, attended=1))
    return Instance(
        name=problem.name,
        actions=tuple(actions),
        lags=tuple(lags),
        benchmark="asynctool",
        unit="turn",
        origin=problem,
    )


def optimal_turns(problem: AsyncToolProblem, *, strict: bool = True) -> int | None:
    """Return the least number of turns by closed form, closing message included.

    With constant delay d and g = d + 1, chains of n calls need ``max(sum n, (max n - 1) g + k)`` turns, k being the
    number of longest chains: they can be dealt out in frames of g turns, and no faster.

    Parameters
    ----------
    strict
        If false, calls need not wait for results but only follow each other (a blind agent can do that where
        no data flows).

    Returns
    -------
    int or None
        ``None`` if delays differ; then the solver must say.
    """
    lengths = [len(task.reference_calls) for task in problem.tasks]
    if not strict:
        return sum(lengths) + 1
    if not problem.delays.constant:
        return None
    longest = max(lengths)
    return max(sum(lengths), (longest - 1) * (problem.delays.least + 1) + lengths.count(longest)) + 1


def problem_of(instance: Instance) -> AsyncToolProblem:
    """Return the problem that an instance encodes."""
    if not isinstance(instance.origin, AsyncToolProblem):
        raise InputError("is no AsyncTool problem", field="origin", value=instance.origin)
    return instance.origin
