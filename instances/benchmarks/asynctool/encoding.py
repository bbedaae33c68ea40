"""AsyncTool problems as scheduling instances, and their schedules as transcripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planoracle.instances.benchmarks.asynctool.language import CLOSING, WAIT, AgentMessage, call_message, read_message
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem
from planoracle.instances.benchmarks.asynctool.rules import PROFILES, Profile
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.schedule import Piece, Schedule

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


def messages_by_action(problem: AsyncToolProblem) -> dict[str, dict[str, Any]]:
    """Return the message that carries out each action of the instance."""
    calls = {
        action: call_message(task.id, call)
        for task in problem.tasks
        for action, call in zip(task.actions, task.reference_calls, strict=True)
    }
    return calls | {CLOSE: dict(CLOSING)}


def transcript(problem: AsyncToolProblem, schedule: Schedule, clock: int = 0) -> list[dict[str, Any]]:
    """Write a schedule as the agent's messages, one a turn, from the turn ``clock`` on (counted from 0)."""
    messages = messages_by_action(problem)
    turns: list[dict[str, Any]] = []
    for piece in schedule.pieces:
        turns += [dict(WAIT)] * (piece.start - clock - len(turns))
        turns.append(messages[piece.action])
    return turns


def to_schedule(instance: Instance, messages: list[Any]) -> Schedule:
    """Turn messages into a schedule; raises `PlanError` for a call that is none of the reference calls."""
    pieces = []
    for start, read, action in actions_of(problem_of(instance), messages):
        if action is None:
            value = str(read.call or read.reason)
            raise PlanError("is none of the calls to make", field=f"turns[{start}]", value=value)
        pieces.append(Piece(action, start, 1, instance.agents[0], 0))
    return Schedule.of(instance, pieces)


def actions_of(
    problem: AsyncToolProblem, messages: list[Any], rules: Profile = PROFILES["paper"]
) -> Iterator[tuple[int, AgentMessage, str | None]]:
    """Yield the turn, the message as read, and its action, of every message but waits.

    A call carries out the first equal reference call that is left; ``None`` if there is none.
    """
    remaining = [
        (task.id, call.key, action)
        for task in problem.tasks
        for call, action in zip(task.reference_calls, task.actions, strict=True)
    ]
    for turn, message in enumerate(messages):
        read = read_message(message, rules)
        if read.kind == "wait":
            continue
        action = CLOSE if read.kind == "close" else None
        if read.call is not None:
            equal = next((one for one in remaining if one[:2] == (read.task, read.call.key)), None)
            if equal is not None:
                remaining.remove(equal)
                action = equal[2]
        yield turn, read, action
