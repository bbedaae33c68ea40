"""A submission replayed: the verdict of the rules, and step by step what each command decided."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.violations import Replay, Violation
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.profiles import Rules


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a run.

    Attributes
    ----------
    position
        Of the command in order of execution; a wait has that of the command that it precedes.
    command
        As the benchmark writes it, or the wait in words.
    kind
        ``act``: carried out; ``wait``: time passes; ``lost``: refused, or of no use.
    start, end
        Ticks; the time that the decision takes up.
    violation
        Kind of the rule that it broke, if any.
    """

    position: int
    command: str
    kind: str
    start: int
    end: int
    violation: str | None = None


_P = TypeVar("_P", bound=Problem, covariant=True)
_C = TypeVar("_C", covariant=True)
_R = TypeVar("_R", bound=Rules, covariant=True)


class Run(ABC, Generic[_P, _C, _R]):
    """One submission under one set of rules. Made once, by `planoracle.instances.protocol.benchmark.Benchmark.replay`.

    Attributes
    ----------
    problem
        That the submission is for, as the rules leave it.
    rules, plan
        By which it was replayed, and what it was read as.
    verdict
        Events, violations and success, in the form common to all benchmarks.
    impossible
        Why there is no run without violation at all, if the rules leave none.
    time_limit
        Ticks, if the rules or the submission set one.
    """

    def __init__(self, problem: _P, plan: Plan[_C], rules: _R, verdict: Replay) -> None:
        self.problem = problem
        self.plan = plan
        self.rules = rules
        self.verdict = verdict
        self.impossible: str | None = None
        self.time_limit: int | None = problem.time_limit if plan.limit is None else plan.limit

    @property
    @abstractmethod
    def steps(self) -> Sequence[Decision]:
        """All decisions up to the end of the run; worked out when they are first asked for."""

    @property
    def said(self) -> list[str]:
        """The commands of the plan, each as a message by which a live run gets it."""
        commands = self.plan.commands if isinstance(self.plan.commands, list) else [self.plan.commands]
        return [one if isinstance(one, str) else json.dumps(one) for one in commands]

    @property
    def success(self) -> bool:
        """Whether the rules call the whole run a success."""
        return self.verdict.success

    @property
    def makespan(self) -> int | None:
        """Ticks, of a run that is a success; else ``None``."""
        return self.verdict.makespan if self.success else None

    def in_time(self, ticks: int) -> bool:
        """Whether a makespan keeps the time limit, if there is one."""
        return self.time_limit is None or ticks <= self.time_limit

    @property
    def fault(self) -> Violation | None:
        """What the rules say of the first decision at fault, else the first that they say at all."""
        found = self.verdict.violations
        lost = next(((one.position, one.violation) for one in self.steps if one.violation is not None), None)
        return next((one for one in found if (one.position, one.kind) == lost), next(iter(found), None))

    @property
    def stop(self) -> int:
        """Number of steps up to the point from which the run would have to be completed."""
        return len(self.steps)

    def lost_at(self, count: int) -> str | None:
        """Return why nothing leads to success after so many steps, as far as the run itself says so.

        ``over``: the run has ended; ``spoiled``: doing all that is left would not be a success, and ways to undo are
        not looked for.
        """
        return None

    def wait_until(self, clock: int) -> None:
        """Let time pass where the run stopped, if its plan cannot say so itself.

        Raises
        ------
        InputError
            If waits are commands in this benchmark, or it is later already.
        """
        raise InputError("waits are commands of the run itself here", field="clock", value=clock)


#: Of several commands so many at least, and of a single one that.
_LEAST = 2


class MismatchEvidence(NamedTuple):
    """Commands that name an action, an object, a step or a tool that is not there.

    Attributes
    ----------
    names
        What they name, for each such command one.
    commands
        All that were looked at.
    fits
        Name of another problem in which the plan is a success, if one that is easily mixed up was tried.
    """

    names: tuple[str, ...] = ()
    commands: int = 0
    fits: str = ""

    def suspicion(self, share: float) -> str | None:
        """Return why a failed plan is probably for another problem, if that is so.

        It is if it fits another one, or at least such a share of its commands names what is not there.

        >>> MismatchEvidence(("table7", "table7", "stove2"), 8).suspicion(0.1)
        '3 of 8 commands name what the problem does not have: table7, stove2'
        >>> MismatchEvidence(("table7",), 8).suspicion(0.1)
        """
        if self.fits:
            return f"it is a success in {self.fits}"
        count = len(self.names)
        if count < min(_LEAST, max(self.commands, 1)) or count < share * self.commands:
            return None
        often = [name for name, _ in Counter(self.names).most_common(3)]
        more = ", ..." if len(set(self.names)) > len(often) else ""
        return f"{count} of {self.commands} commands name what the problem does not have: {', '.join(often)}{more}"
