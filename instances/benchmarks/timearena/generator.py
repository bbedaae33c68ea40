"""Random tasks in the style of TimeArena, and new combinations of its tasks."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product, zip_longest
from random import Random

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.problems import task_names
from planoracle.instances.errors import InputError
from planoracle.instances.generate.parameters import Parameters, below, one, shuffled
from planoracle.instances.generate.random_network import Arc, depth_first_order, sample_share, with_witness
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.capabilities import Generator

#: Kinds of combinations: of tasks of one scenario, and of different ones.
KINDS = ("similar", "cross")
#: Maximum number of actions on an ingredient.
_CHAIN = 4


@cache
def _bundled_tasks() -> tuple[Instance, ...]:
    return tuple(problems.load(f"timearena/{task}") for task in task_names())


@cache
def _minutes() -> dict[bool, tuple[int, ...]]:
    """Durations of the bundled actions: autonomous ones, and others."""
    alone: list[int] = []
    busy: list[int] = []
    for task in _bundled_tasks():
        for action in task.actions:
            durations = alone if action.attended < action.duration else busy
            durations.append(action.duration)
    return {True: tuple(alone), False: tuple(busy)}


@cache
def defaults() -> Parameters:
    """Return two tasks with the share of autonomous actions of the bundled ones.

    >>> defaults().attended, 0.2 < defaults().parallelism < 0.3
    (1, True)
    """
    minutes = _minutes()
    alone = len(minutes[True])
    busy = len(minutes[False])
    parallelism = round(alone / (alone + busy), 2)
    return Parameters(tasks=2, actions=None, parallelism=parallelism, attended=1, resources=3)


def combine(random: Random, parameters: Parameters, name: str) -> Instance:
    """Combine random bundled tasks; the name of the problem can be loaded."""
    if parameters.tasks > len(task_names()):
        raise InputError(
            f"must be at most {len(task_names())}, the number of tasks", field="tasks", value=parameters.tasks
        )
    tasks = shuffled(random, task_names())[: parameters.tasks]
    return problems.load(f"timearena/{'+'.join(tasks)}")


def compose(kind: str | None, variant: str | None, size: int, count: int, seed: int = 0) -> list[str]:
    """Combine bundled tasks by a kind into problems, no combination twice, and return their names.

    Parameters
    ----------
    kind
        ``"similar"`` (default): all tasks of a problem have one scenario, as in section 4.1 of the paper. ``"cross"``:
        all have different scenarios. Scenarios, or sets of them, take turns.
    variant
        Must be ``None``.
    size, count
        Tasks of a problem, and number of problems.

    Raises
    ------
    InputError
        For an unknown kind, a variant, or more tasks or problems than there are.

    Examples
    --------
    >>> compose("cross", None, 3, 1), len(compose("similar", None, 2, 135))
    (['timearena/cooking4+household8+lab2'], 135)
    """
    kind = KINDS[0] if kind is None else kind
    if kind not in KINDS:
        raise InputError(f"must be one of {', '.join(KINDS)}", field="kind", value=kind)
    if variant is not None:
        raise InputError("problems of timearena have no variants", field="variant", value=variant)
    groups = _groups_of_combinations(kind, size)
    possible = sum(map(len, groups))
    if not possible:
        message = f"must be at most {3 if kind == 'cross' else 10} for combinations of this kind"
        raise InputError(message, field="tasks", value=size)
    if not 0 <= count <= possible:
        message = f"must lie between 0 and {possible}: there are no more combinations"
        raise InputError(message, field="count", value=count)
    random = Random(f"{kind}/{size}/{seed}")
    queues = [shuffled(random, group) for group in groups]
    names: list[str] = []
    for row in zip_longest(*queues):
        names += [f"timearena/{'+'.join(tasks)}" for tasks in row if tasks is not None]
    return names[:count]


def _groups_of_combinations(kind: str, size: int) -> list[list[tuple[str, ...]]]:
    """Return the combinations of tasks by their scenario, or by their set of scenarios."""
    tasks_of_scenario: dict[str, list[str]] = {}
    for task in task_names():
        tasks_of_scenario.setdefault(task.rstrip("0123456789"), []).append(task)
    if kind == "similar":
        return [list(combinations(tasks, size)) for tasks in tasks_of_scenario.values()]
    return [list(product(*group)) for group in combinations(tasks_of_scenario.values(), size)]


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return new tasks in the general model, and a schedule.

    The rules of TimeArena know its own tasks only, so these are under the general rules. As in the benchmark, an
    action of type 1 holds the agent throughout, one of type 2 for its first minute; objects are occupied while they
    are used. Every task washes a dish and brings ingredients to it: each is worked on in one to three actions
    and then added. An autonomous one of these also uses a tool, of which there is one of each kind for all tasks.
    Durations are drawn from the bundled ones.
    """
    network = _Network(random, parameters)
    for number in range(1, parameters.tasks + 1):
        network.add_task(number)
    ids = [action.id for action in network.actions]
    arcs = sorted(network.arcs, key=lambda arc: (arc[1], arc[0]))
    lags = [Lag(ids[before], ids[after]) for before, after in arcs]
    agents = [f"agent{k + 1}" for k in range(parameters.agents)]
    instance = Instance(
        name=name,
        actions=tuple(network.actions),
        lags=tuple(lags),
        resources=tuple(network.objects),
        agents=tuple(agents),
        unit="minute",
        seconds_per_tick=60,
    )
    return with_witness(instance, depth_first_order(len(ids), network.arcs), widen=True)


class _Network:
    """Actions of random tasks, their precedences and their objects."""

    def __init__(self, random: Random, parameters: Parameters) -> None:
        self.actions: list[Action] = []
        self.arcs: list[Arc] = []
        numbers = range(1, parameters.resources + 1)
        self.objects = [Resource(f"tool{number}") for number in numbers]
        self._random = random
        self._parameters = parameters

    def add_task(self, number: int) -> None:
        """Add a task: its dish is washed, and ingredients are worked on and added to it."""
        random = self._random
        size = self._parameters.actions
        if not size:
            size = one(random, [len(task.actions) for task in _bundled_tasks()])
        chains = _chains(random, size - 1)
        alone = self._draw_autonomous(chains, size)
        dish = f"dish{number}"
        self.objects.append(Resource(dish))
        name = f"task{number}/wash {dish}"
        wash = self._add(name, [dish], alone=False)
        for chain, length in enumerate(chains):
            ingredient = f"item{number}.{chain + 1}"
            self.objects.append(Resource(ingredient))
            for k in range(length):
                is_alone = (chain, k) in alone
                is_added = k == length - 1 and length > 1
                if is_added:
                    words = f"add {ingredient} to {dish}"
                    objects = [ingredient, dish]
                else:
                    words = f"work {k + 1} on {ingredient}"
                    objects = [ingredient]
                tools = self._draw_tool() if is_alone else []
                if not is_added:
                    objects += tools
                position = self._add(f"task{number}/{words}", objects, alone=is_alone)
                if k:
                    self.arcs.append((position - 1, position))
                if is_added:
                    self.arcs.append((wash, position))

    def _draw_autonomous(self, chains: list[int], size: int) -> set[tuple[int, int]]:
        """Draw the autonomous actions of a task: numbers of the ingredient and of the action on it."""
        workable: list[tuple[int, int]] = []
        for chain, length in enumerate(chains):
            # Adding is done by hand, as washing is.
            workable += [(chain, k) for k in range(length - (length > 1))]
        target = min(round(self._parameters.parallelism * size), len(workable))
        share = target / len(workable) if workable else 0
        return {workable[position] for position in sample_share(self._random, len(workable), share)}

    def _draw_tool(self) -> list[str]:
        """Draw a tool, if there are any."""
        tools = self._parameters.resources
        if not tools:
            return []
        number = 1 + below(self._random, tools)
        return [f"tool{number}"]

    def _add(self, name: str, objects: list[str], *, alone: bool) -> int:
        """Add an action; return its position."""
        self.actions.append(_action(self._random, name, objects, alone=alone))
        return len(self.actions) - 1


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
    task = name.partition("/")[0]
    attended = 1 if alone else minutes
    return Action(name, task, minutes, attended, modes=modes)


def style() -> Generator:
    """Return how such problems are made."""
    options = ("tasks", "actions", "parallelism", "resources", "agents")
    return Generator(options, defaults(), generate, ("tasks",), combine, compose)
