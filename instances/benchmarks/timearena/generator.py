"""Random tasks in the style of TimeArena, and new combinations of its tasks."""

from __future__ import annotations

from functools import cache
from random import Random

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.problems import task_names
from planoracle.instances.generate.parameters import below, one, shuffled
from planoracle.instances.generate.random_network import Arc, depth_first_order, sample_share, with_witness
from planoracle.plugin import Action, Demand, Generator, InputError, Instance, Lag, Mode, Parameters, Resource, Schedule

#: Maximum number of actions on an ingredient.
_CHAIN = 4


@cache
def _bundled() -> tuple[Instance, ...]:
    return tuple(problems.load(f"timearena/{task}") for task in task_names())


@cache
def _minutes() -> dict[bool, tuple[int, ...]]:
    """Durations of the bundled actions: autonomous ones, and others."""
    actions = [action for task in _bundled() for action in task.actions]
    return {kind: tuple(a.duration for a in actions if (a.attended < a.duration) == kind) for kind in (True, False)}


@cache
def defaults() -> Parameters:
    """Return two tasks with the share of autonomous actions of the bundled ones.

    >>> defaults().attended, 0.2 < defaults().parallelism < 0.3
    (1, True)
    """
    alone, busy = (len(_minutes()[kind]) for kind in (True, False))
    return Parameters(tasks=2, actions=None, parallelism=round(alone / (alone + busy), 2), attended=1, resources=3)


def combine(random: Random, parameters: Parameters, name: str) -> Instance:
    """Combine random bundled tasks; the name of the problem can be loaded."""
    if parameters.tasks > len(task_names()):
        raise InputError(
            f"must be at most {len(task_names())}, the number of tasks", field="tasks", value=parameters.tasks
        )
    return problems.load(f"timearena/{'+'.join(shuffled(random, task_names())[: parameters.tasks])}")


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return new tasks in the general model, and a schedule.

    The rules of TimeArena know its own tasks only, so these are under the general rules. As in the benchmark, an
    action of type 1 holds the agent throughout, one of type 2 for its first minute; objects are occupied while they
    are used. Every task washes a dish and brings ingredients to it: each is worked on in one to three actions
    and then added. An autonomous one of these also uses a tool, of which there is one of each kind for all tasks.
    Durations are drawn from the bundled ones.
    """
    actions: list[Action] = []
    arcs: list[Arc] = []
    things: list[Resource] = [Resource(f"tool{k + 1}") for k in range(parameters.resources)]
    for number in range(1, parameters.tasks + 1):
        size = parameters.actions or one(random, [len(task.actions) for task in _bundled()])
        chains = _chains(random, size - 1)
        # Adding is done by hand, as washing is.
        workable = [(c, k) for c, length in enumerate(chains) for k in range(length - (length > 1))]
        target = min(round(parameters.parallelism * size), len(workable))
        alone = {workable[k] for k in sample_share(random, len(workable), target / len(workable) if workable else 0)}
        wash = len(actions)
        dish = f"dish{number}"
        things.append(Resource(dish))
        actions.append(_action(random, f"task{number}/wash {dish}", [dish], alone=False))
        for c, length in enumerate(chains):
            item = f"item{number}.{c + 1}"
            things.append(Resource(item))
            for k in range(length):
                last = k == length - 1 and length > 1
                by_itself = (c, k) in alone
                tools = [f"tool{1 + below(random, parameters.resources)}"] if by_itself and parameters.resources else []
                used = [item, *([dish] if last else tools)]
                words = f"add {item} to {dish}" if last else f"work {k + 1} on {item}"
                position = len(actions)
                arcs += [(position - 1, position)] if k else []
                arcs += [(wash, position)] if last else []
                actions.append(_action(random, f"task{number}/{words}", used, alone=by_itself))
    instance = Instance(
        name=name,
        actions=tuple(actions),
        lags=tuple(Lag(actions[i].id, actions[j].id) for i, j in sorted(arcs, key=lambda arc: (arc[1], arc[0]))),
        resources=tuple(things),
        agents=tuple(f"agent{k + 1}" for k in range(parameters.agents)),
        unit="minute",
        seconds_per_tick=60,
    )
    return with_witness(instance, depth_first_order(len(actions), arcs), widen=True)


def _chains(random: Random, count: int) -> list[int]:
    """Distribute actions over ingredients, at least two to each if there are two."""
    lengths: list[int] = []
    while count > 0:
        length = min(count, 2 + below(random, _CHAIN - 1))
        if count - length == 1:  # nothing is left alone
            length += 1 if length < _CHAIN else -1
        lengths.append(length)
        count -= length
    return lengths


def _action(random: Random, name: str, used: list[str], *, alone: bool) -> Action:
    minutes = one(random, _minutes()[alone])
    modes = (Mode(tuple(Demand(thing) for thing in used)),)
    return Action(name, name.partition("/")[0], minutes, 1 if alone else minutes, modes=modes)


def style() -> Generator:
    """Return how such problems are made."""
    return Generator(
        ("tasks", "actions", "parallelism", "resources", "agents"), defaults(), generate, ("tasks",), combine
    )
