"""What the states of a live run leave, one after the other: little has to be looked for twice.

Who decides as a known best plan does has lost nothing. So the plan is kept from state to state, and only where somebody
leaves it a new one is looked for, by a solver that has been kept as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol, cast

from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem, for_kind
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.states.state_solver import NEVER, Value


@dataclass(frozen=True, slots=True)
class StateValue:
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


class ValueSource(Protocol):
    """Values of runs on one problem; what it has found serves all of them."""

    def known(self, run: AnyRun, before: StateValue | None = None) -> StateValue:
        """Return what is known of where a run stopped; ``before`` is that of a state from which it has gone on."""

    def commands(self, run: AnyRun, known: StateValue) -> list[str] | None:
        """Return the commands by which a run goes on best from where it stopped, each a message of its own.

        ``None`` if no way to go on is known.
        """


# Imported when needed: each brings its solver.
_VALUES = {
    "schedule": "planoracle.solver.states.run_solver",
    "kitchen": "planoracle.solver.kitchens.run_solver",
    "floor": "planoracle.solver.grid_kitchens.run_solver",
}


class Live:
    """Values of runs, by solvers that are kept while the problem is the same; ``limit`` is that of one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._kept: tuple[Problem, ValueSource] | None = None

    def of(self, run: AnyRun) -> ValueSource:
        """Return who values runs on the problem of a run."""
        if self._kept is None or self._kept[0] is not run.problem:
            self._kept = run.problem, import_module(for_kind(run.problem, _VALUES)).RunValues(self.limit)
        return self._kept[1]

    def known(self, run: AnyRun, before: StateValue | None = None) -> StateValue:
        """Return what is known of where a run stopped, see `ValueSource`."""
        return self.of(run).known(run, before)

    def commands(self, run: AnyRun, known: StateValue) -> list[str] | None:
        """Return the commands by which a run goes on best, see `ValueSource`."""
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


@dataclass(frozen=True, slots=True)
class Option:
    """A command that the rules allow now.

    Attributes
    ----------
    command, kind
        As the benchmark writes it; ``act`` or ``wait``.
    best
        Best makespan after it, in ticks; ``None`` if not proved or if nothing leads to success any more.
    cost
        By how much that is worse than before; 0 for a command that keeps the optimum within reach.
    status
        Of ``best``: ``optimal``, ``feasible``, ``unknown`` or ``infeasible`` (the command spoils the run).
    shortest, longest
        Ticks: pieces of an interruptible action, and waits, of all lengths between these (in steps of the run's grid)
        cost the same; ``command`` names the longest. ``None`` for commands that leave no choice.
    """

    command: str
    kind: str
    best: int | None
    cost: int | None
    status: Status
    shortest: int | None = None
    longest: int | None = None

    @classmethod
    def of(cls, command: str, kind: str, before: Value, after: Value, *lengths: int | None) -> Option:
        """Return a command with what is known before and after it."""
        known = before.makespan is not None and after.makespan is not None
        cost = after.makespan - before.makespan if known else None  # type: ignore[operator]
        return cls(command, kind, after.makespan, cost, after.status, *lengths)


class RunSolver(Protocol):
    """Answers about one run."""

    @property
    def grid(self) -> int:
        """Ticks: completions pause interruptible actions at multiples of it."""

    @property
    def clock(self) -> int:
        """Ticks; the time before which nothing else can start where the run stopped."""

    @property
    def over(self) -> str | None:
        """Why the run cannot go on where it stopped, if so; also if nothing is left to do."""

    @property
    def values(self) -> Sequence[Value]:
        """What is known of the best makespan before the first and after every step; worked out once."""

    @property
    def value(self) -> Value:
        """The same where the run stopped, alone."""

    @property
    def rest(self) -> BestKnown:
        """The best way to go on from the end of the run; the makespan is that of what is left."""

    def completed(self, value: Value) -> str | None:
        """Return the plan up to where the run stopped with its best completion, replayed by the rules.

        ``None`` if the time is up before the completion is found again.

        Raises
        ------
        InternalError
            If the rules do not accept the plan, or see another makespan.
        """

    def contradiction(self, count: int) -> tuple[str, ...]:
        """Return constraints in words that cannot all be obeyed after so many steps, if they are found in time."""

    def repaired(
        self,
        best: Callable[[Problem], BestKnown],
        objectives: tuple[str, ...],
        time_limit: Limit,
        salvaged: tuple[DroppedCommand, ...],
    ) -> Repair:
        """Return the nearest plan that passes the rules.

        Parameters
        ----------
        best
            Solves a problem under the rules of the run.
        objectives
            What is kept small, the most important first, where the kind of problem leaves a choice.
        time_limit
            Seconds of wall time, or counted work.
        salvaged
            What was left out of the submission before it could be read.
        """

    def options(self, value: Value) -> Iterator[Option]:
        """Yield every command that the rules allow where the run stopped; ``value`` is known of that."""


# Imported when needed: each brings its solver.
_SOLVERS = {
    "schedule": "planoracle.solver.states.run_solver",
    "kitchen": "planoracle.solver.kitchens.run_solver",
    "floor": "planoracle.solver.grid_kitchens.run_solver",
}


def solver_of(run: AnyRun, limit: Limit) -> RunSolver:
    """Return who answers about a run; ``limit`` is that of one state of it."""
    return cast("RunSolver", import_module(for_kind(run.problem, _SOLVERS)).Solver(run, limit))
