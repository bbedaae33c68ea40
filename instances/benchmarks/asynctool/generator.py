"""Random AsyncTool problems: chains of calls to tools that return nothing."""

from __future__ import annotations

from random import Random

from planoracle.instances.benchmarks.asynctool import problem_model, problems
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, Call, Delays, SubTask
from planoracle.instances.generate.parameters import below, one
from planoracle.instances.generate.random_network import with_witness
from planoracle.plugin import Generator, Instance, Parameters, Schedule

#: Tools that are offered in every task.
_TOOLS = 10


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return a problem under AsyncTool's rules, and a schedule: the tasks one after the other.

    Tools and calls have no meaning and return nothing (``family`` null): a grade depends on the calls, their times and
    their order. The question of a task lists its calls.
    """
    bundled = {task.id for each in problems.names() for task in problems.problem(each).tasks}
    lengths = [len(task.reference_calls) for task in problems.tasks().values() if task.id in bundled]
    tasks = [
        _task(random, f"task_{number + 1}", parameters.actions or one(random, lengths))
        for number in range(parameters.tasks)
    ]
    delays = Delays(parameters.shortest, parameters.longest, below(random, 10**6))
    instance = problem_model.instance(AsyncToolProblem(name, tuple(tasks), delays))
    return with_witness(instance, instance.order, widen=False)


def _task(random: Random, name: str, length: int) -> SubTask:
    calls = tuple(Call(f"tool_{1 + below(random, _TOOLS)}", {"step": step + 1}) for step in range(length))
    steps = ", then ".join(f"{call.name} with step {step + 1}" for step, call in enumerate(calls))
    documents = {call.name: {"name": call.name} for call in calls}
    return SubTask(name, f"Call {steps}, each after the result of the one before.", calls, None, documents, {})


def style() -> Generator:
    """Return the generator.

    The default is two tasks with the lengths of bundled tasks, and delays of up to two turns.
    """
    return Generator(
        ("tasks", "actions", "shortest", "longest"),
        Parameters(tasks=2, actions=None, shortest=0, longest=2),
        generate,
        ("tasks",),
        compose=problems.compose,
    )
