"""Values of the states of live runs, with reuse from one state to the next.

A decision that follows an optimal plan keeps the value. So the plan is stored with the state, and only other decisions
need a search, by a solver that is stored as well.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.solve import solving_kind
from planoracle.solver.states.state_solver import Value


@dataclass(frozen=True, slots=True)
class StateValue:
    """Value of a state with data for the next one; immutable.

    Attributes
    ----------
    value
        The best makespan that the state leaves.
    keep
        Data for the value of the next state, private to its value source.
    """

    value: Value
    keep: object = field(default=None, repr=False, compare=False)


class ValueSource(Protocol):
    """Values of runs on one problem, with reuse between them."""

    def state_value(self, environment: AnyEnvironment, before: StateValue | None = None) -> StateValue:
        """Return the value of the state of a closed-loop run.

        ``before`` is the value of an earlier state of the run.
        """

    def commands(self, environment: AnyEnvironment, state_value: StateValue) -> list[str] | None:
        """Return the commands of a best completion of a run, each a message of its own.

        ``None`` if no completion is known.
        """


class Live:
    """Values of runs, by a solver that is kept for the current problem.

    ``limit`` is that of one state.
    """

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._current: tuple[Problem, ValueSource] | None = None

    def of(self, environment: AnyEnvironment) -> ValueSource:
        """Return the value source of a run's problem."""
        problem = environment.ruled_problem
        if self._current is None or self._current[0] is not problem:
            self._current = problem, solving_kind(problem).value_source(problem, self.limit)
        return self._current[1]

    def state_value(self, environment: AnyEnvironment, before: StateValue | None = None) -> StateValue:
        """Return the value of the state of a run, see `ValueSource`."""
        return self.of(environment).state_value(environment, before)

    def commands(self, environment: AnyEnvironment, state_value: StateValue) -> list[str] | None:
        """Return the commands of a best completion, see `ValueSource`."""
        return self.of(environment).commands(environment, state_value)


def run_of(environment: AnyEnvironment) -> AnyRun:
    """Return the run so far, also of an environment without a message.

    Raises
    ------
    PlanError
        With an open loop, if the plan cannot be read.
    """
    if environment.state.turn is not None:
        return environment.run()
    return environment.benchmark.run(environment.problem, None, environment.rules)


def lost_after(run: AnyRun, count: int, value: Value) -> tuple[str, str] | None:
    """Return the reason why no completion exists after so many steps of a run, and whether it is proved."""
    return _loss(run.lost_at(count), value, run.in_time)


def lost_now(environment: AnyEnvironment, value: Value) -> tuple[str, str] | None:
    """Return the reason why no completion of a live run exists, and whether it is proved."""
    return _loss(environment.lost, value, environment.in_time)


def _loss(lost: str | None, value: Value, in_time: Callable[[int], bool]) -> tuple[str, str] | None:
    if lost == "over":
        return "over", "proved"
    if value.is_infeasible:
        return "constraints", "proved"
    if lost is not None:
        return lost, "unknown"
    if not in_time(value.lower):
        return "time_limit", "proved"
    return None


@dataclass(frozen=True, slots=True)
class Option:
    """A legal command and its cost.

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
        is_proved = before.makespan is not None and after.makespan is not None
        cost = after.makespan - before.makespan if is_proved else None  # type: ignore[operator]
        return cls(command, kind, after.makespan, cost, after.status, *lengths)


class RunSolver(Protocol):
    """Values and completions of one run."""

    @property
    def grid(self) -> int:
        """Ticks; completions interrupt actions at multiples of it."""

    @property
    def clock(self) -> int:
        """Ticks; earliest time of further starts where the run stopped."""

    @property
    def over(self) -> str | None:
        """Reason why the run cannot continue, if there is one; also if it is complete."""

    @property
    def values(self) -> Sequence[Value]:
        """Values before the first and after every step; computed once."""

    @property
    def value(self) -> Value:
        """Value of the state in which the run stopped."""

    @property
    def rest(self) -> BestKnown:
        """Best completion from the end of the run; its makespan is that of the rest."""

    def complete_plan(self, value: Value) -> str | None:
        """Return the plan up to where the run stopped with its best completion, replayed by the rules.

        ``None`` if the time is up before the completion is found again.

        Raises
        ------
        InternalError
            If the rules do not accept the plan, or see another makespan.
        """

    def contradiction(self, count: int) -> tuple[str, ...]:
        """Return constraints in words that contradict each other after so many steps, if a conflict is found."""

    def options(self, value: Value) -> Iterator[Option]:
        """Yield every legal command where the run stopped; ``value`` is the value of that state."""


def solver_of(run: AnyRun, limit: Limit) -> RunSolver:
    """Return the solver of a run; ``limit`` is that of one state of it. Raises `NoSolverError`."""
    return solving_kind(run.problem).state_solver(run, limit)
