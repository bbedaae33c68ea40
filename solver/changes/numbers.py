"""Other numbers for an instance: durations, releases, time lags and the time limit; all else stays as it is."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import NamedTuple

from planoracle.instances import registry
from planoracle.instances.errors import InputError
from planoracle.instances.memo import Memo
from planoracle.instances.model import Action, Instance, Lag
from planoracle.instances.problem import GENERAL
from planoracle.instances.similar import did_you_mean
from planoracle.instances.validate import validate_numbers

__all__ = ["UNCHANGED", "Numbers", "Unchanged", "changeable", "changed"]


class Unchanged(Enum):
    """In place of a number that is that of the instance."""

    unchanged = "unchanged"


UNCHANGED = Unchanged.unchanged


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is other than in the instance, all in ticks.

    Attributes
    ----------
    durations, releases
        By the id of the action. What holds an agent for all of its duration does so for the new one; what holds one
        for a part of it holds it as long as before.
    lags
        Minimum and maximum (``None``: no such bound) by the ids of two actions between which there is a lag already.
    time_limit
        `UNCHANGED`, or the new one; ``None`` for none.
    """

    durations: Mapping[str, int] = field(default_factory=dict)
    releases: Mapping[str, int] = field(default_factory=dict)
    lags: Mapping[tuple[str, str], tuple[int | None, int | None]] = field(default_factory=dict)
    time_limit: int | Unchanged | None = UNCHANGED


def changeable(instance: Instance) -> Instance:
    """Return an instance under rules that have its numbers from nowhere else: its own, or else the general ones."""
    return instance if registry.of(instance).self_contained else _general(instance)


@Memo
def _general(instance: Instance) -> Instance:
    return replace(instance, benchmark=GENERAL, origin=None)


def changed(instance: Instance, numbers: Numbers) -> Instance:
    """Return an instance with other numbers; under the general rules, where the benchmark has no such numbers.

    Raises
    ------
    InputError
        For an action or a lag that there is not, and for numbers that make no sense (see `Instance`).

    Examples
    --------
    >>> tea = Instance("tea", (Action("tea/boil", "tea", 5, 0), Action("tea/pour", "tea", 1, 1)))
    >>> changed(tea, Numbers({"tea/boil": 7})).by_id["tea/boil"].duration
    7
    >>> changed(tea, Numbers({"tea/boli": 7}))
    Traceback (most recent call last):
        ...
    planoracle.instances.errors.InputError: durations: is not in the instance; did you mean tea/boil? (found 'tea/boli')
    """
    instance = changeable(instance)
    for name, given in (("durations", numbers.durations), ("releases", numbers.releases), ("lags", numbers.lags)):
        if not isinstance(given, Mapping):
            raise InputError("must be a mapping", field=name, value=given)
    _known(numbers.durations, instance.index, instance.index, "durations")
    _known(numbers.releases, instance.index, instance.index, "releases")
    actions, places = list(instance.actions), set()
    for name in {**numbers.durations, **numbers.releases}:
        place = instance.index[name]
        actions[place] = _action(actions[place], numbers)
        places.add(place)
    lags = instance.lags
    if numbers.lags:
        ends = {(lag.before, lag.after) for lag in lags}
        _known(numbers.lags, ends, (), "lags")
        lags = tuple(_lag(lag, numbers.lags) for lag in lags)
    limit = instance.time_limit if isinstance(numbers.time_limit, Unchanged) else numbers.time_limit
    other = _Other(tuple(actions), sorted(places), lags, limit)
    try:
        return other.of(instance)
    except InputError:
        if instance.benchmark == GENERAL:
            raise
        return other.of(_general(instance))


class _Other(NamedTuple):
    """Other actions at some places, time lags and limit, which differ from those of an instance in numbers only."""

    actions: tuple[Action, ...]
    places: Sequence[int]
    lags: tuple[Lag, ...]
    limit: int | None

    def of(self, instance: Instance) -> Instance:
        """Return the instance with these numbers, made without looking at all the rest again."""
        made = object.__new__(type(instance))
        same = _SAME if self.lags is not instance.lags else _SAME | _SAME_WITH_LAGS
        made.__dict__.update((name, value) for name, value in instance.__dict__.items() if name in same)
        made.__dict__.update(actions=self.actions, lags=self.lags, time_limit=self.limit)
        validate_numbers(made, self.places, lags=self.lags is not instance.lags)
        return made


# What has no numbers in it of those that change: fields of an instance and what it works out of them.
_SAME = {field.name for field in fields(Instance)} | {"index", "resource", "tasks"}
_SAME_WITH_LAGS = {"order", "predecessors"}


def _action(action: Action, numbers: Numbers) -> Action:
    duration = numbers.durations.get(action.id, action.duration)
    return replace(
        action,
        duration=duration,
        attended=duration if action.attended == action.duration and action.agents != () else action.attended,
        release=numbers.releases.get(action.id, action.release),
    )


def _lag(lag: Lag, wanted: Mapping[tuple[str, str], tuple[int | None, int | None]]) -> Lag:
    ends = lag.before, lag.after
    if ends not in wanted:
        return lag
    bounds = wanted[ends]
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        where = f"lags[{lag.before}, {lag.after}]"
        raise InputError("must be a minimum and a maximum, None where there is none", field=where, value=bounds)
    return Lag(*ends, *bounds)


def _known(given: Iterable[object], known: Container[object], names: Iterable[str], field: str) -> None:
    for one in given:
        if one not in known:
            raise InputError(f"is not in the instance{did_you_mean(one, names)}", field=field, value=one)
