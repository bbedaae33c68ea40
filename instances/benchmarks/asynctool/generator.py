"""Random AsyncTool problems: chains of calls to tools that return nothing."""

from __future__ import annotations

from random import Random

from planoracle.instances.benchmarks.asynctool import problem_model, problems
from planoracle.instances.benchmarks.asynctool.composition import compose
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, Call, Delays, SubTask
from planoracle.instances.generate.parameters import Parameters, below, one
from planoracle.instances.generate.random_network import with_witness
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.capabilities import Generator

# Set of bundled problems that was added later: the lengths of its tasks would change the problems of a seed.
_LATER = f"{problems.PREFIX}data/"
#: Tools that are offered in every task.
_TOOLS = 10


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return a problem under AsyncTool's rules, and a schedule: the tasks one after the other.

    Tools and calls have no meaning and return nothing (``family`` null): a grade depends on the calls, their times and
    their order. The question of a task lists its calls.
    """
    lengths = _bundled_lengths()
    tasks = []
    for number in range(parameters.tasks):
        length = parameters.actions or one(random, lengths)
        tasks.append(_task(random, f"task_{number + 1}", length))
    seed = below(random, 10**6)
    delays = Delays(parameters.shortest, parameters.longest, seed)
    instance = problem_model.instance(AsyncToolProblem(name, tuple(tasks), delays))
    return with_witness(instance, instance.order, widen=False)


def _bundled_lengths() -> list[int]:
    """Return the number of calls of each task that a bundled problem has, of the first hundred problems."""
    bundled = set[str]()
    first_names = [name for name in problems.names() if not name.startswith(_LATER)]
    for name in first_names:
        bundled.update(task.id for task in problems.problem(name).tasks)
    bundled_tasks = [task for task in problems.tasks().values() if task.id in bundled]
    return [len(task.reference_calls) for task in bundled_tasks]


def _task(random: Random, name: str, length: int) -> SubTask:
    calls = list[Call]()
    instructions = list[str]()
    documents: dict[str, dict[str, str]] = {}
    for step in range(1, length + 1):
        tool = f"tool_{1 + below(random, _TOOLS)}"
        calls.append(Call(tool, {"step": step}))
        instructions.append(f"{tool} with step {step}")
        documents[tool] = {"name": tool}
    steps = ", then ".join(instructions)
    question = f"Call {steps}, each after the result of the one before."
    return SubTask(name, question, tuple(calls), None, documents, {})


def style() -> Generator:
    """Return the generator.

    The default is two tasks with the lengths of bundled tasks, and delays of up to two turns.
    """
    names = ("tasks", "actions", "shortest", "longest")
    defaults = Parameters(tasks=2, actions=None, shortest=0, longest=2)
    return Generator(names, defaults, generate, ("tasks",), compose=compose)
