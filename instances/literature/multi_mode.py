"""Multi-mode projects: activities with several modes, and resources that are used up."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.literature.project_network import action_of_modes
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource

# Activities that a note names.
_LISTED = 5


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
    excessive: list[str] = []
    for number, modes_of_activity in enumerate(modes, 1):
        if number not in omitted:
            action = _action(number, modes_of_activity, stocks)
            actions[number] = action
            if any(_exceeds(mode, stocks) for mode in modes_of_activity):
                excessive.append(action.id)
    lags: dict[Lag, None] = {}
    for number, after in enumerate(successors, 1):
        for successor in after:
            if number in actions and successor in actions:
                lags[Lag(actions[number].id, actions[successor].id)] = None
    if excessive:
        listed = ", ".join(excessive[:_LISTED])
        if len(excessive) > _LISTED:
            listed += f" and {len(excessive) - _LISTED} more"
        text = f"{name}: modes that exceed a capacity are never chosen: {listed}"
        warnings.warn(InputNote(text), stacklevel=2)
    used: set[str] = set()
    for action in actions.values():
        for mode in action.modes:
            used.update(demand.resource for demand in mode.demands)
    resources = [stock.resource for stock in stocks if stock.capacity or stock.resource.name in used]
    return Instance(name, tuple(actions.values()), tuple(lags), tuple(resources), agents=())


def _stocks(renewable: Sequence[int], nonrenewable: Sequence[int]) -> list[_Stock]:
    """Return the resources and budgets."""
    stocks = []
    for number, capacity in enumerate(renewable, 1):
        stocks.append(_Stock(Resource(f"R{number}", max(capacity, 1)), capacity))
    for number, capacity in enumerate(nonrenewable, 1):
        stocks.append(_Stock(Resource(f"N{number}", capacity, renewable=False), capacity))
    return stocks


def _exceeds(mode: ActivityMode, stocks: Sequence[_Stock]) -> bool:
    """Return whether a mode needs more than a capacity; without duration, only of a budget."""
    for amount, stock in zip(mode.amounts, stocks, strict=True):
        counts = mode.duration > 0 or not stock.resource.renewable
        if counts and amount > stock.capacity:
            return True
    return False


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
