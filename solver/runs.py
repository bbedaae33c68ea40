"""What is asked about runs, whatever the kind of problem: the values of their states, what can follow, completions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from planoracle.instances.benchmark import AnyRun
from planoracle.instances.deadline import Limit, Status
from planoracle.instances.plan import Dropped
from planoracle.instances.problem import Problem, for_kind
from planoracle.instances.scoring import Best
from planoracle.solver.repair.answer import Repair
from planoracle.solver.states.solver import Value


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
    def rest(self) -> Best:
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
        best: Callable[[Problem], Best],
        objectives: tuple[str, ...],
        time_limit: Limit,
        salvaged: tuple[Dropped, ...],
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
    "schedule": "planoracle.solver.states.runs",
    "kitchen": "planoracle.solver.kitchens.runs",
    "floor": "planoracle.solver.floors.runs",
}


def solver_of(run: AnyRun, limit: Limit) -> RunSolver:
    """Return who answers about a run; ``limit`` is that of one state of it."""
    return cast("RunSolver", import_module(for_kind(run.problem, _SOLVERS)).Solver(run, limit))
