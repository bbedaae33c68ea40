"""Base class of the kinds of problems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from planoracle.instances.errors import InputError, NoSolverError
from planoracle.instances.protocol import registry

if TYPE_CHECKING:
    from planoracle.instances.model.instance import Instance
    from planoracle.instances.model.limits import Limit
    from planoracle.instances.model.problem import Problem
    from planoracle.instances.model.schedule import Schedule
    from planoracle.instances.protocol.benchmark import AnyRun
    from planoracle.instances.protocol.plan import DroppedCommand
    from planoracle.instances.protocol.profiles import Rules
    from planoracle.instances.protocol.scoring import BestKnown
    from planoracle.solver.explanation import Explanation
    from planoracle.solver.repair.plan_repair import Repair
    from planoracle.solver.result import Result, SolveOptions
    from planoracle.solver.runs import RunSolver, ValueSource

#: Instance with the actions of a run, and the schedule of the run.
Timeline: TypeAlias = "tuple[Instance, Schedule]"


class Kind(ABC):
    """Kind of problems: their solver, and what tables and figures show of them.

    A problem declares its kind by name, see `planoracle.instances.model.problem.Problem.kind`. A kind must define the
    abstract methods. The other methods refuse by name, or have a default for kinds that need no other.

    Attributes
    ----------
    name
        Name that problems declare.
    no_solver
        Reason why problems of the kind are not solved, and what accepts them instead; empty if they are solved. Then
        `solve` returns bundled results only, and heuristics, regret, next and repair refuse.
    has_interval_model
        True if problems are instances of the interval model, whose actions are fixed. They have certificates, and
        state all rules that determine their optimum.
    has_slow_search
        True if a search takes so long that a comparison takes a bundled result first.
    command_is_action
        True if each command of a plan is an action of one step, counted from 1.
    """

    name: str
    no_solver: str = ""
    has_interval_model: bool = False
    has_slow_search: bool = False
    command_is_action: bool = False

    @abstractmethod
    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        """Solve a problem; raise `InputError` for options that its kind does not have."""

    @abstractmethod
    def pack(self, problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
        """Return a result as compact JSON, from which `unpack` restores it."""

    @abstractmethod
    def unpack(self, problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
        """Restore a result and replay its plan by the rules; raise an error if the entry is not valid."""

    @abstractmethod
    def timeline(self, run: AnyRun) -> Timeline:
        """Return a run as a schedule; raise `InputError` if nothing was carried out that takes time."""

    def rules_for_optimum(self, rules: Rules | None) -> Rules | None:
        """Return the rules that determine the optimum; for ``None`` those of the default profile."""
        return None if rules is None else rules.deciding()

    def counts_rounds(self, rules: Rules) -> bool:
        """Return True if times are rounds, in which every agent acts, although makespans of results are steps."""
        return False

    def state_solver(self, run: AnyRun, limit: Limit) -> RunSolver:
        """Return the solver of the states of one run; ``limit`` is that of one state."""
        raise self.refusal("values of states", run.problem)

    @property
    def has_state_values(self) -> bool:
        """True if the kind defines `state_solver`."""
        return type(self).state_solver is not Kind.state_solver

    def values_refusal(self, problem: Problem) -> str:
        """Return why the states of runs on a problem have no values, or an empty text if they have."""
        return "" if self.has_state_values else self.refusal("values of states", problem).message

    def value_source(self, problem: Problem, limit: Limit) -> ValueSource:
        """Return the values of live runs on one problem; ``limit`` is that of one state."""
        raise self.refusal("values of states", problem)

    def repair(
        self,
        run: AnyRun,
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
            Objectives to minimize, the most important first, for kinds that have several.
        time_limit
            Seconds of wall time, or counted work.
        salvaged
            Commands of the submission that the parser left out.
        """
        raise self.refusal("repair", run.problem)

    def explain(self, problem: Problem, time_limit: Limit) -> Explanation:
        """Solve a problem and explain the result."""
        raise self.refusal("explanation", problem)

    def certificate(self, problem: Problem, result: Result) -> dict[str, Any] | None:
        """Return a certificate of an optimal result without a search; ``None`` if there is none."""
        return None

    def check_certificate(self, problem: Problem, certificate: Any, makespan: int | None) -> None:
        """Raise `ValueError` for a certificate that does not hold, or proves another makespan."""
        raise ValueError(f"problems of kind {self.name!r} have no certificates")

    def timeline_of_plan(self, problem: Problem, plan: object) -> Timeline:
        """Return a plan as a schedule: that of its run by the released rules."""
        return self.timeline(run_of_plan(problem, plan))

    def timeline_of_answer(self, problem: Problem, answer: Any, rules: Rules | None) -> Timeline:
        """Return what a result, or a plan, carries out: the run of its plan, in which no command is rejected.

        Parameters
        ----------
        answer
            Plan, or an object with a ``plan``.
        rules
            Rules of the run; ``None`` for the released ones.

        Raises
        ------
        InputError
            If there is no plan, or the rules reject a command.
        """
        return self.timeline(run_of_answer(problem, answer, rules))

    def size(self, problem: Problem) -> Mapping[str, int]:
        """Return counts for the table of ``planoracle instances``, by the names of its columns."""
        return {}

    def features(self, problem: Problem) -> tuple[str, ...]:
        """Return the names of the features of a problem that not all components of the toolkit support."""
        return ()

    def description(self, problem: Problem) -> Mapping[str, Any]:
        """Return measures for the table of ``planoracle generate``."""
        return {"agents": len(problem.agents)}

    def result_fields(self, result: Result) -> dict[str, Any]:
        """Return the fields that records of results have for this kind only."""
        return {}

    def note(self, problem: Problem, makespan: int | None) -> str:
        """Return a note about a solved problem; empty if there is none."""
        return ""

    def refusal(self, request: str, problem: Problem) -> NoSolverError:
        """Return the error for a request that the kind does not support."""
        return NoSolverError(f"has no {request}: problems of kind {self.name!r} have none", field=problem.name)


def run_of_plan(problem: Problem, plan: object, rules: Rules | None = None) -> AnyRun:
    """Return the run of a plan; default rules are the released ones."""
    benchmark = registry.of(problem)
    return benchmark.run(problem, plan, rules or benchmark.rules.profiles["released"])


def run_of_answer(problem: Problem, answer: Any, rules: Rules | None) -> AnyRun:
    """Return the run of a plan, or of an object with a ``plan``; raise `InputError` if there is none."""
    plan = getattr(answer, "plan", answer)
    if not plan:
        raise missing_schedule(answer)
    return run_of_plan(problem, plan, rules)


def missing_schedule(answer: Any) -> InputError:
    """Return the error for an answer without schedule or plan, with its reason or status."""
    reason = getattr(answer, "reason", "")
    status = getattr(answer, "status", "")
    message = f"is missing (status: {status})" if status else "is missing"
    return InputError(reason or message, field="schedule")
