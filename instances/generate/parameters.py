"""Validated parameters of random problems, and portable random draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from random import Random
from typing import Any, TypeVar

from planoracle.instances.errors import InputError

#: Least and largest value of the whole-number parameters.
_RANGES = {
    "tasks": (1, 100),
    "actions": (1, 200),
    "attended": (0, 10**6),
    "resources": (0, 100),
    "agents": (1, 26),
    "shortest": (0, 10**6),
    "longest": (0, 10**6),
    "modes": (1, 20),
    "families": (0, 20),
    "budgets": (0, 20),
}


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of a random problem. A share is a number from 0 to 1.

    Attributes
    ----------
    tasks
        Number of tasks.
    actions
        Number of actions of each task; ``None`` for the numbers of the benchmark's tasks.
    order_strength
        Share of the pairs of actions of a task that are ordered, directly or not (Mastor, 1970); the higher, the
        more precedences. The literature also counts arcs per activity (network complexity; Kolisch, Sprecher and
        Drexl, 1995): see `planoracle.instances.generate.network_measures`.
    parallelism
        Share of the actions that continue without an agent.
    attended
        Ticks for which such an action holds its agent at the start.
    interruptible
        Share of the continuous actions that may be cut into pieces.
    windows
        Share of the precedences that have a maximum lag, as in the problems RCPSP/max of ProGen/max (Schwindt, 1998).
    tightness
        Share of how tight maximum lags are: at 1 they are 0, at 0 up to twice the mean duration.
    resources
        Number of resources.
    resource_factor
        Share of the resources that an action uses, on average (RF; Kolisch, Sprecher and Drexl, 1995).
    resource_strength
        Capacity between the largest demand of one action (0) and the peak of the schedule of earliest starts (1),
        which ignores resources (RS; ibid.).
    agents
        Number of agents.
    eligibility
        Share of the agents that are eligible for an action, on average; at least one is.
    shortest, longest
        Bounds of the durations, in ticks; for AsyncTool, of the turns a result takes.
    modes
        Number of resources among which an action chooses, with a duration for each.
    families
        Number of families of actions, at least 2, between which resources need set-up times; all resources then have
        capacity 1. 0 for no set-up times.
    off_time
        Share of the time for which each agent is off, in one span of a period.
    breaks
        Share of the actions that pause while their agent is off; of those that are unattended or fully attended and not
        interruptible.
    budgets
        Number of budgets that actions use up. The tightness determines their capacities between the cheapest and the
        dearest choice of modes.
    deadlines
        Share of the tasks that have a deadline; the tightness determines how late.
    optional
        Share of the tasks that are optional.
    feasible
        Draw maximum lags, budgets and deadlines so that a schedule is known; if false, the problem may be infeasible.

    Raises
    ------
    InputError
        Naming the parameter, its value and the accepted values.

    Examples
    --------
    >>> Parameters(tasks=2, windows=0.5).changes(Parameters())
    'tasks=2,windows=0.5'
    >>> Parameters(windows=1.5)
    Traceback (most recent call last):
    ...
    planoracle.instances.errors.InputError: windows: must be a share between 0 and 1 (got 1.5)
    """

    tasks: int = 3
    actions: int | None = 8
    order_strength: float = 0.4
    parallelism: float = 0.5
    attended: int = 0
    interruptible: float = 0.3
    windows: float = 0.3
    tightness: float = 0.7
    resources: int = 3
    resource_factor: float = 0.3
    resource_strength: float = 0.3
    agents: int = 1
    eligibility: float = 1.0
    shortest: int = 1
    longest: int = 10
    feasible: bool = True
    modes: int = 1
    families: int = 0
    off_time: float = 0.0
    breaks: float = 0.0
    budgets: int = 0
    deadlines: float = 0.0
    optional: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name))
        if self.longest < self.shortest:
            raise InputError(f"must be at least shortest, {self.shortest}", field="longest", value=self.longest)

    @classmethod
    def of(cls, start: Parameters, allowed: Sequence[str], overrides: Mapping[str, Any]) -> Parameters:
        """Return parameters with some values changed; raises `InputError` for one that is not allowed."""
        for name, value in overrides.items():
            if name not in allowed:
                raise InputError(f"must be a parameter of this style: {', '.join(allowed)}", field=name, value=value)
        return replace(start, **overrides)

    def changes(self, start: Parameters) -> str:
        """Return the values that differ from other parameters, as text."""
        changes = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value != getattr(start, field.name):
                changes.append(f"{field.name}={value}")
        return ",".join(changes)


def _check(name: str, value: object) -> None:
    if name in _RANGES:
        minimum, maximum = _RANGES[name]
        if name == "actions" and value is None:
            return
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if not (is_number and minimum <= value <= maximum):  # type: ignore[operator]
            raise InputError(f"must be a whole number between {minimum} and {maximum}", field=name, value=value)
    elif name == "feasible":
        if not isinstance(value, bool):
            raise InputError("must be true or false", field=name, value=value)
    elif isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or not 0 <= value <= 1:
        raise InputError("must be a share between 0 and 1", field=name, value=value)


T = TypeVar("T")


def below(random: Random, limit: int) -> int:
    """Return a whole number from 0 up to, but not including, a limit.

    Parameters
    ----------
    random
        Source of the draw.
    limit
        At least 1.
    """
    return int(random.random() * limit)


def chance(random: Random, percent: int) -> bool:
    """Return ``True`` with a probability in percent."""
    return below(random, 100) < percent


def one(random: Random, options: Sequence[T]) -> T:
    """Return one of some options with equal probabilities."""
    return options[below(random, len(options))]


def weighted(random: Random, weights: Mapping[T, int]) -> T:
    """Return one of some options with probabilities proportional to weights."""
    options: list[T] = []
    for option, weight in weights.items():
        options += [option] * weight
    return one(random, options)


def shuffled(random: Random, things: Iterable[T]) -> list[T]:
    """Return a random permutation.

    Parameters
    ----------
    random
        Source of the draws.
    things
        Any values.
    """
    remaining = list(things)
    permutation = []
    while remaining:
        permutation.append(remaining.pop(below(random, len(remaining))))
    return permutation
