"""The criteria by which Recipe2Plan chose its pairs of recipes (Wu et al., 2025, section 3.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan import facts

__all__ = ["HEURISTIC", "THRESHOLD", "Criteria", "criteria", "efficiency", "reference", "selected"]

#: Criterion 1: the efficiency without time constraints is higher than this.
THRESHOLD: Final = 0.8
#: By whose schedules the paper chose: it adapted the heuristic of TimeArena, which is its Algorithm 1.
HEURISTIC: Final = "recipe2plan-dfs"


@dataclass(frozen=True, slots=True)
class Criteria:
    """What section 3.3 asks of a combination of recipes.

    Attributes
    ----------
    untimed, timed
        Multitasking efficiency (equation 1) of its schedules without and with time constraints; ``None`` if it
        has none, or if nothing is autonomous.
    opportunities
        Criterion 1, opportunities for multitasking: the efficiency without time constraints is above 80 %.
    balance
        Criterion 2, balance of efficiency and feasibility: with time constraints, it drops.

    A criterion is ``None`` where an efficiency it needs is not known; then the combination is not selected. (The third
    one is about the number of pairs.)
    """

    instance: str
    untimed: float | None
    timed: float | None
    opportunities: bool | None
    balance: bool | None

    @property
    def selected(self) -> bool:
        """Whether both criteria are met."""
        return self.opportunities is True and self.balance is True

    def row(self) -> dict[str, Any]:
        """Return the criteria as a flat row."""
        return {name: getattr(self, name) for name in self.__slots__} | {"selected": self.selected}


def criteria(instance: Instance, makespan: Callable[[Instance], int | None]) -> Criteria:
    """Hold a combination of recipes, with its time constraints, against the criteria.

    Parameters
    ----------
    makespan
        Returns that of the schedule that counts, ``None`` without one. It is asked twice: for the recipes without and
        with time constraints.

    Raises
    ------
    InputError
        If the instance is not one of Recipe2Plan.

    Examples
    --------
    >>> found = criteria(facts.load("timed", "Cobbler_Pancakes"), reference)
    >>> round(found.untimed, 2), round(found.timed, 2), found.opportunities, found.balance
    (0.83, 0.74, True, True)
    """
    if instance.benchmark != "recipe2plan":
        raise InputError("must be recipe2plan: the criteria are about recipes", field="benchmark")
    free = instance.without_maximum_lags(instance.name.replace("/timed/", "/untimed/", 1))
    untimed, timed = efficiency(instance, makespan(free)), efficiency(instance, makespan(instance))
    return Criteria(
        instance=instance.name,
        untimed=untimed,
        timed=timed,
        opportunities=None if untimed is None else untimed > THRESHOLD,
        balance=None if untimed is None or timed is None else timed < untimed,
    )


def reference(instance: Instance) -> int | None:
    """Return the makespan of the released reference plan of a bundled pair."""
    setting, _, pair = instance.name.removeprefix("recipe2plan/").partition("/")
    plan = facts.reference_plan(setting, pair) if setting in ("timed", "untimed") else None
    return None if plan is None else max(command.start + command.duration for command in plan)


def efficiency(instance: Instance, makespan: int | None) -> float | None:
    """Return equation 1 for a complete schedule: time saved, as a share of the work of the autonomous actions.

    ``None`` without a makespan, and where nothing is autonomous.
    """
    autonomous = sum(action.duration for action in instance.actions if not action.attended)
    if makespan is None or not autonomous:
        return None
    return (sum(action.duration for action in instance.actions) - makespan) / autonomous


def selected(instance: Instance, makespan: Callable[[Instance, str], int | None]) -> bool:
    """Whether a combination meets the criteria by the schedules that the paper took."""
    return criteria(instance, lambda one: makespan(one, HEURISTIC)).selected
