"""Random problems like AsyncPlan-XXL: steps with released durations in a random partial order.

Examples
--------
>>> from planoracle.instances.generate.styles import generate as draw
>>> problem = draw("asyncplanning", seed=1, actions=6).problem
>>> len(problem.actions), problem.origin.facts.durations[:3]
(6, ('25 minutes', '2 minutes', '3 minutes'))
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

from planoracle.instances.benchmarks.asyncplanning import robot_generator
from planoracle.instances.benchmarks.asyncplanning.step_facts import StepTask, bundled
from planoracle.instances.benchmarks.asyncplanning.step_tasks import earliest_schedule, instance
from planoracle.instances.generate.parameters import Parameters, below, shuffled
from planoracle.instances.generate.random_network import random_precedences
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.capabilities import Generator


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return a problem of ``actions`` steps, and the schedule of earliest starts.

    Steps are numbered at random, as in the released problems, so that numbers do not show the order.

    Parameters
    ----------
    random
        Source of all draws.
    parameters
        ``actions`` and ``order_strength`` count. With several ``tasks`` the problem is a kitchen, see
        `planoracle.instances.benchmarks.asyncplanning.robot_generator`.
    name
        Name of the problem.
    """
    if parameters.tasks > 1:
        return robot_generator.generate(random, parameters, name)
    count = parameters.actions or 1
    released = _whole_durations()
    durations = [released[below(random, len(released))] for _ in range(count)]
    numbers = shuffled(random, range(1, count + 1))
    arcs = random_precedences(random, count, parameters.order_strength)
    edges = [(numbers[before], numbers[after]) for before, after in arcs]
    task = StepTask("random steps", tuple(durations), tuple(sorted(edges)), 0)
    facts = replace(task, released_answer=int(task.shortest_time()))
    problem = instance(facts, name)
    return problem, earliest_schedule(problem)


@cache
def _whole_durations() -> list[str]:
    """Return the released durations of whole seconds, as often as they occur."""
    durations: list[str] = []
    for task in bundled().values():
        durations.extend(text for text in task.durations if "." not in text)
    return durations


def style() -> Generator:
    """Return the generator; a share of 0.28 ordered pairs is that of the released problems of 20 steps."""
    usual = Parameters(tasks=1, actions=20, order_strength=0.28)
    return Generator(("actions", "order_strength", "tasks", "agents"), usual, generate)
