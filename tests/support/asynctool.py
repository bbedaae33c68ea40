"""AsyncTool problems without executors, and the least number of turns by trying everything through the rules."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from planoracle.instances.benchmarks.asynctool.calls import Call
from planoracle.instances.benchmarks.asynctool.language import CLOSING, WAIT, call_message
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, Delays, SubTask
from planoracle.instances.benchmarks.asynctool.replay import premature
from planoracle.instances.benchmarks.asynctool.simulation import ToolSimulation
from planoracle.instances.protocol.trajectory import DecisionPoint


def chains(lengths: Sequence[int], delays: Delays, name: str = "chains") -> AsyncToolProblem:
    """A problem of chains of calls that do nothing."""
    return AsyncToolProblem(name, tuple(_chain(f"t{i}", length) for i, length in enumerate(lengths)), delays)


def _chain(name: str, length: int) -> SubTask:
    gold = tuple(Call(f"{name}_f{number % 2}", {"x": number}) for number in range(length))
    return SubTask(name, "", gold, None, {call.name: {"name": call.name} for call in gold}, {})


def random_chains(seed: int, *, constant: bool) -> AsyncToolProblem:
    """Two or three chains of one to four calls, at most eight in all."""
    random = Random(seed)
    lengths = [random.randint(1, 4) for _ in range(random.choice((2, 2, 3)))]
    while sum(lengths) > 8:
        lengths[lengths.index(max(lengths))] -= 1
    if constant:
        return chains(lengths, Delays(*[random.randint(0, 3)] * 2))
    least = random.randint(0, 1)
    tools = {"t0_f1": random.randint(0, 4)} if random.random() < 0.3 else {}
    return chains(lengths, Delays(least, least + random.randint(1, 2), seed, tools))


def messages_of(problem: AsyncToolProblem, here: DecisionPoint) -> list[dict]:
    """Return the messages that lead to a decision point."""
    gold = {
        f"{task.id}/{number} {call.name}": call_message(task.id, call)
        for task in problem.tasks
        for number, call in enumerate(task.reference_calls, 1)
    }
    said = [WAIT] * here.state.clock
    for piece in here.state.pieces:
        said[piece.start] = gold[piece.action]
    return said


def least_turns(problem: AsyncToolProblem, begun: Sequence[dict] = ()) -> int:
    """Least number of turns with no further call premature, breadth first over what the live environment does."""
    level: dict[tuple, list] = {(): list(begun)}
    turns = len(begun)
    while True:
        turns += 1
        following: dict[tuple, list] = {}
        for played in level.values():
            made = {task.id: sum(m.get("id") == task.id for m in played) for task in problem.tasks}
            nexts = [
                call_message(t.id, t.reference_calls[made[t.id]])
                for t in problem.tasks
                if made[t.id] < len(t.reference_calls)
            ]
            if not nexts:
                simulation = ToolSimulation(problem)
                for message in [*played, CLOSING]:
                    simulation.step(message)
                assert simulation.done
                return turns
            for message in [*nexts, WAIT]:
                simulation = ToolSimulation(problem)
                for one in [*played, message]:
                    simulation.step(one)
                if len(simulation.turns) in premature(problem, simulation.turns):
                    continue
                waits = {turn.task: max(0, turn.usable - turns - 1) for turn in simulation.turns if turn.task}
                counts = made | ({message["id"]: made[message["id"]] + 1} if "id" in message else {})
                key = tuple((counts[task.id], waits.get(task.id, 0)) for task in problem.tasks)
                following.setdefault(key, [*played, message])
        level = following
