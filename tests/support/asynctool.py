"""AsyncTool problems without executors, and their minimum number of turns by exhaustive search."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from planoracle.instances.benchmarks.asynctool.language import (
    CLOSING,
    WAIT,
    call_message,
    messages_by_action,
    read_message,
    reading,
)
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, Call, Delays, SubTask, instance
from planoracle.instances.benchmarks.asynctool.rules import PROFILES
from planoracle.instances.benchmarks.asynctool.simulation import AsyncToolSimulator, AsyncToolState
from planoracle.instances.benchmarks.asynctool.turns import TaskProgress
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.simulator import fold


def chains(lengths: Sequence[int], delays: Delays, name: str = "chains") -> AsyncToolProblem:
    """Return a problem of chains of calls that do nothing."""
    return AsyncToolProblem(name, tuple(_chain(f"t{i}", length) for i, length in enumerate(lengths)), delays)


def _chain(name: str, length: int) -> SubTask:
    gold = tuple(Call(f"{name}_f{number % 2}", {"x": number}) for number in range(length))
    return SubTask(name, "", gold, None, {call.name: {"name": call.name} for call in gold}, {})


def random_chains(seed: int, *, constant: bool) -> AsyncToolProblem:
    """Return two or three chains of one to four calls, at most eight in all."""
    random = Random(seed)
    lengths = [random.randint(1, 4) for _ in range(random.choice((2, 2, 3)))]
    while sum(lengths) > 8:
        lengths[lengths.index(max(lengths))] -= 1
    if constant:
        return chains(lengths, Delays(*[random.randint(0, 3)] * 2))
    least = random.randint(0, 1)
    tools = {"t0_f1": random.randint(0, 4)} if random.random() < 0.3 else {}
    return chains(lengths, Delays(least, least + random.randint(1, 2), seed, tools))


def messages(turns: Any) -> list[object]:
    """Return the agent's messages of a transcript."""
    return reading(instance(chains([1], Delays())), turns, PROFILES["paper"]).commands


def messages_before(problem: AsyncToolProblem, point: DecisionPoint) -> list[dict]:
    """Return the messages that lead to a decision point."""
    gold = messages_by_action(problem)
    messages = [WAIT] * point.state.clock
    for piece in point.state.pieces:
        messages[piece.start] = gold[piece.action]
    return messages


def min_turns(problem: AsyncToolProblem, played: Sequence[dict] = ()) -> int:
    """Return the minimum number of turns without a further premature call, by breadth-first search."""
    simulator = AsyncToolSimulator(problem)
    state, _ = fold(simulator, map(read_message, played))
    level = {(): state}
    while True:
        following: dict[tuple, AsyncToolState] = {}
        for state in level.values():
            counts = {task.id: state.tasks[task.id].calls for task in problem.tasks}
            nexts = [
                call_message(task.id, task.reference_calls[counts[task.id]])
                for task in problem.tasks
                if counts[task.id] < len(task.reference_calls)
            ]
            if not nexts:
                after, _ = simulator.apply(state, read_message(CLOSING))
                assert simulator.ended(after)
                return after.number
            for message in [*nexts, WAIT]:
                after, (step,) = simulator.apply(simulator.copy(state), read_message(message))
                if step.violation is None:
                    following.setdefault(tuple(_wait(one, after.number) for one in after.tasks.values()), after)
        level = following


def _wait(progress: TaskProgress, turns: int) -> tuple[int, int]:
    """Return the number of calls of a sub-task, and the turns until the last result is available."""
    last = progress.executed.get(progress.calls - 1)
    return progress.calls, max(0, last.usable - turns - 1) if last else 0
