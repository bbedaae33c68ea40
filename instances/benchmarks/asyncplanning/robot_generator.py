"""Random kitchens like those of the Robo Challenge: items of the released kinds, and one order.

Examples
--------
>>> from planoracle.instances.generate.styles import generate as draw
>>> kitchen = draw("asyncplanning", seed=1, tasks=3).problem
>>> [action.id for action in kitchen.actions]
['item1/fry', 'item1/stack', 'item2/cut', 'item2/fry', 'item3/fry', 'plate/stack']
"""

from __future__ import annotations

from functools import cache
from random import Random

from planoracle.instances.benchmarks.asyncplanning.robot_facts import READY, Ingredient, KitchenOrder, RobotTask
from planoracle.instances.benchmarks.asyncplanning.robot_tasks import bundled_task, instance, names
from planoracle.instances.generate.parameters import Parameters, below
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule

# Item at the bottom of the pile.
_PLATE = "plate"


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return a kitchen, without a schedule.

    Parameters
    ----------
    random
        Source of all draws.
    parameters
        ``tasks`` is the number of items, and ``agents`` that of robots if there are several.
    name
        Name of the problem.
    """
    kinds = _released_kinds()
    items: list[Ingredient] = []
    required: list[tuple[str, str]] = []
    for number in range(1, parameters.tasks + 1):
        kind, state = kinds[below(random, len(kinds))]
        item = kind._replace(name=f"item{number}")
        items.append(item)
        required.append((item.name, state))
    items.append(Ingredient(_PLATE, READY))
    stack = [_PLATE, *(item for item, _ in required if below(random, 2))]
    model = bundled_task(names()[0])
    order = KitchenOrder("source_order", tuple(required), tuple(stack))
    count = parameters.agents if parameters.agents > 1 else 0
    robots = [f"robot{number}" for number in range(1, count + 1)]
    task = RobotTask(name, tuple(items), (order,), model.durations, model.stations, robots=tuple(robots))
    return instance(task), None


@cache
def _released_kinds() -> list[tuple[Ingredient, str]]:
    """Return the released ingredients and their required states, as often as they occur."""
    kinds: list[tuple[Ingredient, str]] = []
    for name in names():
        task = bundled_task(name)
        if not task.is_online:
            kinds += [(task.by_name[item], state) for item, state in task.required.items()]
    return kinds
