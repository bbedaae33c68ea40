"""Features of scheduling problems, and the components that refuse some of them by name.

A component that cannot respect a feature declares it here; the table *constraint × component* of the documentation is
made of these declarations. What is not refused is exact.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance

# Modes that a note lists.
_MAX_NOTED: Final = 5


class Feature(StrEnum):
    """Features that a scheduling problem may have, in words."""

    MODES = "modes with durations, attended ticks or agents of their own"
    BUDGETS = "budgets"
    WINDOWS = "deadlines and windows"
    CALENDARS = "calendars"
    BREAKS = "pauses in breaks"
    OPTIONAL = "optional tasks"
    TRANSITIONS = "ways and set-up times"
    EXCESS = "amounts above a capacity"


def _has_modes(instance: Instance) -> bool:
    for action in instance.actions:
        for mode in action.modes:
            if mode.duration is not None or mode.attended is not None or mode.agents is not None:
                return True
    return False


def _has_budgets(instance: Instance) -> bool:
    return not all(resource.renewable for resource in instance.resources)


def _has_windows(instance: Instance) -> bool:
    return any(action.deadline is not None or action.windows for action in instance.actions)


def _has_calendars(instance: Instance) -> bool:
    return bool(instance.calendars)


def _has_breaks(instance: Instance) -> bool:
    return any(action.pauses_in_breaks for action in instance.actions)


def _has_optional_tasks(instance: Instance) -> bool:
    return bool(instance.optional)


def _has_transitions(instance: Instance) -> bool:
    return bool(instance.transitions)


def never_chosen_modes(instance: Instance) -> Iterator[tuple[str, int]]:
    """Yield action and number of each mode that uses more units than a resource has."""
    capacities = {resource.name: resource.capacity for resource in instance.resources}
    for action in instance.actions:
        for number, mode in enumerate(action.modes):
            for demand in mode.demands:
                if demand.amount > capacities[demand.resource]:
                    yield action.id, number
                    break


def note_excess(instance: Instance, source: str) -> None:
    """Note modes whose amount exceeds a capacity or a budget.

    Parameters
    ----------
    source
        File or name of the instance.
    """
    names = [f"mode {number} of {action}" for action, number in never_chosen_modes(instance)]
    if names:
        listed = ", ".join(names[:_MAX_NOTED])
        more = f" and {len(names) - _MAX_NOTED} more" if len(names) > _MAX_NOTED else ""
        text = f"{source}: never chosen, since an amount exceeds a capacity or budget: {listed}{more}"
        warnings.warn(InputNote(text), stacklevel=3)


def _exceeds_capacity(instance: Instance) -> bool:
    return any(True for _ in never_chosen_modes(instance))


_TESTS: dict[Feature, Callable[[Instance], bool]] = {
    Feature.MODES: _has_modes,
    Feature.BUDGETS: _has_budgets,
    Feature.WINDOWS: _has_windows,
    Feature.CALENDARS: _has_calendars,
    Feature.BREAKS: _has_breaks,
    Feature.OPTIONAL: _has_optional_tasks,
    Feature.TRANSITIONS: _has_transitions,
    Feature.EXCESS: _exceeds_capacity,
}


@ProblemCache
def features_of(instance: Instance) -> frozenset[Feature]:
    """Return the features that a scheduling problem has.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action
    >>> features_of(Instance("i", (Action("t/a", "t", 2, 2, deadline=3),)))
    frozenset({<Feature.WINDOWS: 'deadlines and windows'>})
    """
    return frozenset(feature for feature, test in _TESTS.items() if test(instance))


@dataclass(frozen=True, slots=True)
class Component:
    """Part of the toolkit, and the features that it refuses.

    Attributes
    ----------
    name
        Name in errors and in the table of the documentation.
    refused
        Features of which it refuses problems.
    """

    name: str
    refused: frozenset[Feature] = frozenset()

    def refusal(self, instance: Instance) -> str:
        """Return why the component refuses a problem, or an empty text."""
        refused = self.refused & features_of(instance)
        if not refused:
            return ""
        names = [feature for feature in Feature if feature in refused]
        return f"{self.name} cannot respect {' and '.join(names)}"

    def check(self, instance: Instance) -> None:
        """Raise `InputError` if the component refuses a problem."""
        reason = self.refusal(instance)
        if reason:
            raise InputError(reason, field=instance.name)
