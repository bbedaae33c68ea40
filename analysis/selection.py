"""The criteria by which Recipe2Plan chose its pairs of recipes (Wu et al., 2025, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from planoracle.analysis.optimum import optimum
from planoracle.heuristics.registry import run
from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan import facts
from planoracle.instances.status import Status

__all__ = ["OPTIMUM", "REFERENCE", "THRESHOLD", "Criteria", "criteria", "efficiency"]

#: Criterion 1: the efficiency without time constraints is higher than this.
THRESHOLD: Final = 0.8
#: Methods that are no heuristics: proved optima, and the released reference plans of bundled pairs.
OPTIMUM: Final = "optimum"
REFERENCE: Final = "reference"


@dataclass(frozen=True, slots=True)
class Criteria:
    """What section 3.3 asks of a combination of recipes.

    Attributes
    ----------
    method
        Whose schedules are meant: a heuristic's, ``optimum`` or ``reference``.
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
    method: str
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


def criteria(instance: Instance, method: str = "recipe2plan-dfs") -> Criteria:
    """Hold a combination of recipes, with its time constraints, against the criteria.

    Parameters
    ----------
    method
        Any heuristic, ``optimum``, or ``reference`` (for bundled pairs). The paper adapted the heuristic of TimeArena,
        which is its Algorithm 1.

    Raises
    ------
    InputError
        If the instance is not one of Recipe2Plan.
    UnknownNameError
        If there is no such heuristic.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> found = criteria(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> round(found.untimed, 2), round(found.timed, 2), found.opportunities, found.balance
    (0.83, 0.83, True, False)
    """
    if instance.benchmark != "recipe2plan":
        raise InputError("must be recipe2plan: the criteria are about recipes", field="benchmark")
    untimed = efficiency(instance, _makespan(instance, "untimed", method))
    timed = efficiency(instance, _makespan(instance, "timed", method))
    return Criteria(
        instance=instance.name,
        method=method,
        untimed=untimed,
        timed=timed,
        opportunities=None if untimed is None else untimed > THRESHOLD,
        balance=None if untimed is None or timed is None else timed < untimed,
    )


def efficiency(instance: Instance, makespan: int | None) -> float | None:
    """Return equation 1 for a complete schedule: time saved, as a share of the work of the autonomous actions.

    ``None`` without a makespan, and where nothing is autonomous.
    """
    autonomous = sum(action.duration for action in instance.actions if not action.attended)
    if makespan is None or not autonomous:
        return None
    return (sum(action.duration for action in instance.actions) - makespan) / autonomous


def _makespan(instance: Instance, setting: str, method: str) -> int | None:
    if method == REFERENCE:
        pair = instance.name.removeprefix("recipe2plan/timed/")
        plan = facts.reference_plan(setting, pair) if instance.name.startswith("recipe2plan/timed/") else None
        return None if plan is None else max(command.start + command.duration for command in plan)
    if setting == "untimed":
        instance = instance.without_maximum_lags(f"{instance.name} without time constraints")
    if method != OPTIMUM:
        return run(instance, method).makespan
    best = optimum(instance)
    return best.makespan if best.status == Status.optimal else None
