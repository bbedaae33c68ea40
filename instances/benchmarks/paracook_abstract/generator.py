"""Random problems like ParaCook's abstract part: tasks of our own dishes with drawn durations."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from random import Random

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import Facts, Need, OrderedDish
from planoracle.instances.benchmarks.paracook.generator import DISHES, FACTS
from planoracle.instances.benchmarks.paracook_abstract.problems import Row, instance
from planoracle.instances.errors import InputError
from planoracle.instances.generate.parameters import Parameters, below, one
from planoracle.instances.generate.random_network import with_witness
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.capabilities import Generator

#: Maximum number of ordered dishes, and number of clean plates at the start.
MOST_ORDERS, PLATES = 16, 2


class _Steps:
    """Tasks of successive orders; the tasks of an order do not depend on later orders."""

    def __init__(self, random: Random, facts: Facts, shortest: int, longest: int) -> None:
        self.rows: list[Row] = []
        self._random, self._facts = random, facts
        self._shortest, self._longest = shortest, longest
        self._numbers = count(1)

    def _way(self) -> int:
        width = self._longest - self._shortest + 1
        return self._shortest + below(self._random, width)

    def _add(self, time: int, after: dict[str, int]) -> str:
        name = f"subtask{next(self._numbers)}"
        self.rows.append((name, time, after))
        return name

    def prepare(self, need: Need) -> tuple[str, int]:
        """Add the tasks of an ingredient; return the last of them, and the ticks from its end until ready."""
        last = self._add(self._way(), {})  # fetch it
        vessel = self._facts.vessel(need.vessel) if need.state == "cooked" else None
        if need.state == "chopped" or (vessel is not None and vessel.takes == "chopped"):
            last = self._add(self._way(), {last: 0})  # bring it to a board
            last = self._add(self._facts.chop, {last: 0})
        if vessel is None:
            return last, 0
        return self._add(self._way(), {last: 0}), vessel.ticks  # bring it to a stove, where it cooks alone

    def wash(self, served: str) -> str:
        """Add the tasks of a plate that returns after a dish; return the last of them."""
        last = self._add(self._way(), {served: self._facts.plate_return})
        last = self._add(self._way(), {last: 0})
        return self._add(self._facts.wash, {last: 0})

    def serve(self, dish: OrderedDish, plate: str | None) -> str:
        """Add the tasks of a dish; return the last of them, which serves it."""
        ready = dict(self.prepare(need) for need in dish.needs)
        if plate is not None:
            ready[plate] = 0
        return self._add(sum(self._way() for _ in dish.needs), ready)


def rows(random: Random, orders: Iterable[OrderedDish], shortest: int = 1, longest: int = 18) -> list[Row]:
    """Return the tasks of orders with times and predecessors.

    The third dish needs the plate of the first one, which returns and must be washed, and so on.
    """
    steps = _Steps(random, FACTS, shortest, longest)
    served: list[str] = []
    for number, dish in enumerate(orders):
        plate = steps.wash(served[number - PLATES]) if number >= PLATES else None
        served.append(steps.serve(dish, plate))
    return steps.rows


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return a problem, and a schedule in which one agent does everything.

    ``tasks`` is the number of orders; ``shortest`` and ``longest`` bound the ticks of a walk. Raises `InputError` for
    too many orders, or walks without duration.
    """
    if parameters.tasks > MOST_ORDERS:
        raise InputError(f"must be at most {MOST_ORDERS}", field="tasks", value=parameters.tasks)
    if parameters.shortest < 1:
        raise InputError("must be 1 or more", field="shortest", value=parameters.shortest)
    dishes = list(DISHES)
    orders = [DISHES[one(random, dishes)] for _ in range(parameters.tasks)]
    tasks = rows(random, orders, parameters.shortest, parameters.longest)
    problem = instance(name, tasks, parameters.agents)
    return with_witness(problem, range(len(tasks)), widen=False)


def style() -> Generator:
    """Return the generator; by default three orders for two agents, and walks of 1 to 18 ticks."""
    usual = Parameters(tasks=3, agents=2, shortest=1, longest=18)
    return Generator(("tasks", "agents", "shortest", "longest"), usual, generate)
