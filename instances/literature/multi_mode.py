"""Multi-mode projects: activities with several modes, and resources that are used up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.literature.project_network import action_of_modes
from planoracle.instances.model.features import note_excess
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource


class ActivityMode(NamedTuple):
    """Mode of an activity: its duration, and its amount of every resource."""

    duration: int
    amounts: Sequence[int]

    @property
    def is_empty(self) -> bool:
        """True if it takes neither time nor resources."""
        return not self.duration and not any(self.amounts)


class _Stock(NamedTuple):
    """Resource, and its capacity in the file.

    The model gives a renewable resource of capacity 0 one unit.
    """

    resource: Resource
    capacity: int


def multi_mode_project(
    name: str,
    modes: Sequence[Sequence[ActivityMode]],
    successors: Sequence[Sequence[int]],
    renewable: Sequence[int],
    nonrenewable: Sequence[int],
) -> Instance:
    """Return the instance of a multi-mode project.

    The first and the last activity are omitted if they take neither time nor resources. A mode whose amount exceeds a
    capacity is never chosen; it stays in the instance, so that modes are numbered as in the file.

    Parameters
    ----------
    modes
        Modes of every activity, with the amounts of renewable resources before those of nonrenewable ones.
    successors
        Numbers of the successors of every activity, from 1.
    renewable, nonrenewable
        Capacities of the resources R1, R2, ..., and of the budgets N1, N2, ...

    Raises
    ------
    InputError
        If there is no activity between the first and the last, or as from `Instance`.

    Examples
    --------
    >>> none, quick, slow = ActivityMode(0, [0, 0]), ActivityMode(2, [1, 3]), ActivityMode(5, [1, 0])
    >>> project = multi_mode_project("p", [[none], [quick, slow], [none]], [[2], [3], []], [1], [4])
    >>> [(action.id, action.duration, len(action.modes)) for action in project.actions]
    [('project/2', 2, 2)]
    """
    count = len(modes)
    if count < 3:
        raise InputError("needs at least one activity between the first and the last", field="activities", value=count)
    omitted = {number for number in (1, count) if all(mode.is_empty for mode in modes[number - 1])}
    stocks = _stocks(renewable, nonrenewable)
    actions = {}
    for number, modes_of_activity in enumerate(modes, 1):
        if number not in omitted:
            actions[number] = _action(number, modes_of_activity, stocks)
    lags: dict[Lag, None] = {}
    for number, after in enumerate(successors, 1):
        for successor in after:
            if number in actions and successor in actions:
                lags[Lag(actions[number].id, actions[successor].id)] = None
    used: set[str] = set()
    for action in actions.values():
        for mode in action.modes:
            used.update(demand.resource for demand in mode.demands)
    resources = [stock.resource for stock in stocks if stock.capacity or stock.resource.name in used]
    instance = Instance(name, tuple(actions.values()), tuple(lags), tuple(resources), agents=())
    note_excess(instance, instance.name)
    return instance


def _stocks(renewable: Sequence[int], nonrenewable: Sequence[int]) -> list[_Stock]:
    """Return the resources and budgets."""
    stocks = []
    for number, capacity in enumerate(renewable, 1):
        stocks.append(_Stock(Resource(f"R{number}", max(capacity, 1)), capacity))
    for number, capacity in enumerate(nonrenewable, 1):
        stocks.append(_Stock(Resource(f"N{number}", capacity, renewable=False), capacity))
    return stocks


def _action(number: int, modes: Sequence[ActivityMode], stocks: Sequence[_Stock]) -> Action:
    """Return the action of an activity."""
    modes_of_action = []
    for mode in modes:
        demands = []
        for amount, stock in zip(mode.amounts, stocks, strict=True):
            if amount:
                demands.append(_demand(amount, stock, mode.duration))
        modes_of_action.append(Mode(tuple(demands), duration=mode.duration))
    return action_of_modes("project", number, modes_of_action)


def _demand(amount: int, stock: _Stock, duration: int) -> Demand:
    """Return the demand of an amount; one that exceeds the capacity in the file does so in the instance."""
    resource = stock.resource
    if not resource.renewable:
        return Demand(resource.name, amount)
    if not duration:
        return Demand(resource.name, min(amount, resource.capacity))
    shortage = resource.capacity - stock.capacity
    return Demand(resource.name, amount + shortage)
