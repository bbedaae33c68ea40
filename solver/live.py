"""What the states of a live run leave, one after the other: little has to be looked for twice.

Who decides as a known best plan does has lost nothing. So the plan is kept from state to state, and only where somebody
leaves it a new one is looked for, by a solver that has been kept as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol

from planoracle.instances.benchmark import AnyRun
from planoracle.instances.deadline import Limit
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.problem import Problem, for_kind
from planoracle.solver.states.ground import NEVER
from planoracle.solver.states.solver import Value


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a state; immutable, so that it can be kept with it.

    Attributes
    ----------
    value
        The best makespan that the state leaves.
    keep
        What the next state is begun with; only who made it knows what it means.
    """

    value: Value
    keep: object = field(default=None, repr=False, compare=False)


class Values(Protocol):
    """Values of runs on one problem; what it has found serves all of them."""

    def known(self, run: AnyRun, before: Known | None = None) -> Known:
        """Return what is known of where a run stopped; ``before`` is that of a state from which it has gone on."""

    def commands(self, run: AnyRun, known: Known) -> list[str] | None:
        """Return the commands by which a run goes on best from where it stopped, each a message of its own.

        ``None`` if no way to go on is known.
        """


# Imported when needed: each brings its solver.
_VALUES = {
    "schedule": "planoracle.solver.states.live",
    "kitchen": "planoracle.solver.kitchens.live",
    "floor": "planoracle.solver.floors.live",
}


class Live:
    """Values of runs, by solvers that are kept while the problem is the same; ``limit`` is that of one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._kept: tuple[Problem, Values] | None = None

    def of(self, run: AnyRun) -> Values:
        """Return who values runs on the problem of a run."""
        if self._kept is None or self._kept[0] is not run.problem:
            self._kept = run.problem, import_module(for_kind(run.problem, _VALUES)).Values(self.limit)
        return self._kept[1]

    def known(self, run: AnyRun, before: Known | None = None) -> Known:
        """Return what is known of where a run stopped, see `Values`."""
        return self.of(run).known(run, before)

    def commands(self, run: AnyRun, known: Known) -> list[str] | None:
        """Return the commands by which a run goes on best, see `Values`."""
        return self.of(run).commands(run, known)


def run_of(environment: AnyEnvironment) -> AnyRun:
    """Return the run so far, also of an environment in which nothing has been said yet.

    Raises
    ------
    PlanError
        With an open loop, if the plan cannot be read.
    """
    if environment.state.turn is not None:
        return environment.run()
    return environment.benchmark.run(environment.problem, None, environment.rules)


def lost_after(run: AnyRun, count: int, value: Value) -> tuple[str, str] | None:
    """Return why nothing leads to success after so many steps of a run, and whether that is proved.

    ``over``: the run has ended; ``constraints``: the rules leave no way; ``spoiled``: doing all that is left is no
    success, and ways to undo are not looked for; ``time_limit``: what is left ends too late.
    """
    lost = run.lost_at(count)
    if lost == "over":
        return "over", "proved"
    if value.lower >= NEVER:
        return "constraints", "proved"
    if lost is not None:
        return lost, "unknown"
    if not run.in_time(value.lower):
        return "time_limit", "proved"
    return None
