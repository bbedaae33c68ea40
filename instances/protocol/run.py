"""Replay of a submission: the verdict of the rules, and the decision of every command."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import weight_of
from planoracle.instances.model.violations import Replay, Violation
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.simulator import Step

if TYPE_CHECKING:
    from planoracle.instances.protocol.benchmark import AnyBenchmark

_P = TypeVar("_P", bound=Problem, covariant=True)
_C = TypeVar("_C", covariant=True)
_R = TypeVar("_R", bound=Rules, covariant=True)


class Run(ABC, Generic[_P, _C, _R]):
    """Replay of one submission under one set of rules.

    Attributes
    ----------
    problem
        Problem of the submission, as the rules change it.
    rules, plan
        Rules of the replay, and the plan that was read.
    verdict
        Events, violations and success.
    benchmark
        Benchmark of the problem, which replayed the plan.
    submission
        Record or bare plan that the run was read from, for metrics of its further fields.
    impossible
        Reason why every run breaks a rule, if that is so.
    time_limit
        Ticks, if the rules or the submission set one.
    """

    benchmark: AnyBenchmark

    def __init__(self, problem: _P, plan: Plan[_C], rules: _R, verdict: Replay) -> None:
        self.problem = problem
        self.plan = plan
        self.rules = rules
        self.verdict = verdict
        self.submission: object = None
        self.impossible: str | None = None
        self.time_limit: int | None = problem.time_limit if plan.limit is None else plan.limit

    @property
    @abstractmethod
    def steps(self) -> Sequence[Step]:
        """All decisions up to the end of the run, computed on first use."""

    @property
    def command_texts(self) -> list[str]:
        """Commands of the plan, each as a message to a live run."""
        commands = self.plan.commands
        messages = commands if isinstance(commands, list) else [commands]
        return [message if isinstance(message, str) else json.dumps(message) for message in messages]

    @property
    def success(self) -> bool:
        """True if the run is a success by the rules."""
        return self.verdict.success

    @property
    def makespan(self) -> int | None:
        """Ticks of a successful run, else ``None``."""
        return self.verdict.makespan if self.success else None

    @property
    def weight(self) -> int | None:
        """Total weight of the optional tasks that a success executes, else 0; ``None`` without such tasks."""
        pieces = getattr(self.plan.commands, "pieces", ())
        return weight_of(self.problem, pieces if self.success else ())

    def in_time(self, ticks: int) -> bool:
        """Return True if a makespan keeps the time limit.

        Parameters
        ----------
        ticks
            Makespan in ticks.
        """
        return self.time_limit is None or ticks <= self.time_limit

    @property
    def fault(self) -> Violation | None:
        """Violation of the first decision at fault, else the first violation."""
        violations = self.verdict.violations
        for step in self.steps:
            if step.violation is not None:
                place = step.position, step.violation.kind
                matches = [violation for violation in violations if (violation.position, violation.kind) == place]
                return next(iter((*matches, *violations)), None)
        return next(iter(violations), None)

    @property
    def stop(self) -> int:
        """Number of steps up to the point from which the run would have to be completed."""
        return len(self.steps)

    def lost_at(self, count: int) -> str | None:
        """Return the reason why no success is possible after ``count`` steps, ``None`` if unknown.

        ``over``: the run has ended; ``spoiled``: carrying out the remaining actions is no success. Ways to undo actions
        are not searched.

        Parameters
        ----------
        count
            Number of steps of the run.
        """
        return None

    def wait_until(self, clock: int) -> None:
        """Let time pass at the end of the run, where plans cannot state it.

        Parameters
        ----------
        clock
            Tick at which the wait ends.

        Raises
        ------
        InputError
            If waits are commands in this benchmark, or the time is past.
        """
        raise InputError("in this benchmark, waits are commands of the plan", field="clock", value=clock)


#: Least number of mismatched commands; a single command suffices if it is the only one.
_LEAST = 2


class MismatchEvidence(NamedTuple):
    """Commands that name an action, an object, a step or a tool that the problem does not have.

    Attributes
    ----------
    names
        One missing name for each such command.
    commands
        Number of all commands examined.
    fits
        Name of a similar problem in which the plan is a success, if one was tried.
    """

    names: tuple[str, ...] = ()
    commands: int = 0
    fits: str = ""

    def suspicion(self, share: float) -> str | None:
        """Return the reason why a failed plan is probably for another problem, ``None`` if it is not.

        It is if it fits another problem, or if the ``share`` of mismatched commands is reached.

        >>> MismatchEvidence(("table7", "table7", "stove2"), 8).suspicion(0.1)
        '3 of 8 commands name things that the problem lacks: table7, stove2'
        >>> MismatchEvidence(("table7",), 8).suspicion(0.1)
        """
        if self.fits:
            return f"the plan is a success in {self.fits}"
        count = len(self.names)
        if count < min(_LEAST, max(self.commands, 1)) or count < share * self.commands:
            return None
        often = [name for name, _ in Counter(self.names).most_common(3)]
        more = ", ..." if len(set(self.names)) > len(often) else ""
        examples = f"{', '.join(often)}{more}"
        return f"{count} of {self.commands} commands name things that the problem lacks: {examples}"
