"""Conflicts: minimal sets of constraints that make an instance infeasible.

Dropping a constraint never makes an instance harder, so a set from which no single constraint can be dropped without
it becoming possible is minimal among all sets (deletion test).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.solver.proofs.arithmetic import arithmetic
from planoracle.solver.proofs.constraints import Constraint, constraints, pauses
from planoracle.solver.proofs.feasibility import Verdict, decide
from planoracle.solver.proofs.weakening import only

#: Features of which conflicts are not explained.
EXPLANATION = Component("the explanation of conflicts", frozenset({Feature.OPTIONAL, Feature.TRANSITIONS}))

# Seconds of a test whose result is optional.
_CASUAL = 1.0

_TIMES = {"release", "deadline", "window", "limit", "decision", "clock"}
_LAGS = {"minimum", "maximum", "after"}
_AGENTS = {"attendance", "start", "eligibility"}
#: Kinds of constraints that may suffice for a conflict, simplest first.
_SIMPLE = (
    _TIMES | _LAGS,
    _TIMES | _AGENTS,
    _TIMES | {"use"},
    _TIMES | _LAGS | _AGENTS,
    _TIMES | _AGENTS | {"calendar"},
    _TIMES | _LAGS | {"use", "state"},
)
#: Order in which constraints are dropped.
_DISPENSABLE = (
    "start", "eligibility", "state", "calendar", "use", "attendance",
    "after", "minimum", "release", "window", "maximum", "clock", "decision", "deadline", "limit",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conflict:
    """Constraints that contradict each other.

    Attributes
    ----------
    instance
        Name of the instance.
    status
        ``infeasible``: proved. ``unknown``: not settled within the time limit; ``constraints`` is empty.
    constraints
        Together with the facts (durations, modes, interruptibility) they are contradictory.
    minimal
        True if the others can be obeyed without any one of them, shown by a schedule that the rules accept. False if
        the time limit ended the tests.
    arithmetic
        The contradiction as a sum in one line, if there is one; else empty.
    proof
        Method that proved the contradiction.
    grid
        Ticks; the contradiction is proved for pauses at multiples of it, see `planoracle.solver.result.Result`.
    pauses
        Facts in words: when the actions pause that do so in breaks.
    """

    instance: str
    status: Status
    constraints: tuple[Constraint, ...] = ()
    minimal: bool = False
    arithmetic: str = ""
    proof: str = ""
    grid: int = 1
    pauses: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return the explanation as text."""
        if self.status != Status.infeasible:
            return [f"{self.instance}: feasibility unknown; the time limit ended the search"]
        number = len(self.constraints)
        statement = f"these {number} constraints cannot all be met"
        if not number:
            statement = "no action that pauses in breaks can be finished, whatever else is given up"
        elif number == 1:
            statement = "this constraint cannot be met"
        elif self.minimal:
            fewer = (
                "either of them can be met alone" if number == 2 else f"any {number - 1} of them can be met together"
            )
            statement += f", but {fewer}"
        lines = [f"{self.instance} is infeasible: {statement}:"]
        lines += [f"- {constraint.text}" for constraint in self.constraints]
        lines += [f"  ({text})" for text in self.pauses]
        if self.arithmetic:
            lines.append(self.arithmetic)
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Return the conflict for JSON, the same for the same instance."""
        rows = [{"kind": entry.kind, "subject": list(entry.subject), "text": entry.text} for entry in self.constraints]
        return {
            "instance": self.instance,
            "status": self.status,
            "minimal": self.minimal,
            "constraints": rows,
            "arithmetic": self.arithmetic,
            "proof": self.proof,
            "grid": self.grid,
        } | ({"pauses": list(self.pauses)} if self.pauses else {})


def find_conflict(instance: Instance, *, time_limit: Limit = 60.0) -> Conflict | None:
    """Find a minimal set of constraints that contradict each other.

    Simple conflicts are preferred: times alone, then the agents' work, then resources; long actions before short ones.
    The rest of a partly executed run (`planoracle.instances.model.state.residual_instance`) has decisions as
    constraints.

    Parameters
    ----------
    time_limit
        Seconds of wall time, or counted work. At its end the constraints not proved to be superfluous are returned.

    Returns
    -------
    Conflict or None
        ``None`` if there is a schedule. `Conflict.status` tells infeasible from unknown.

    Raises
    ------
    InputError
        If the instance has a feature that `EXPLANATION` refuses.
    InternalError
        If the rules reject a schedule.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> from planoracle.instances.model.schedule import Piece
    >>> from planoracle.instances.model.state import PartialSchedule
    >>> from planoracle.instances.protocol.schedule_benchmark import remaining_problem
    >>> done = Piece("Cobbler/1", 0, 120, "agent"), Piece("Cobbler/2", 120, 60, "agent")
    >>> late = remaining_problem(load("recipe2plan/timed/Cobbler_Pancakes"), PartialSchedule(done, clock=600))
    >>> for constraint in find_conflict(late).constraints:
    ...     print(constraint.text)
    the clock is at 00:10:00; no open action can start earlier
    step 2 of Cobbler was started at 00:02:00
    step 3 of Cobbler must start within 2 min after step 2 of Cobbler is finished
    """
    EXPLANATION.check(instance)
    return _Search(instance, time_limit).run()


class _Search:
    """Search that drops constraints while the remaining ones are proved infeasible."""

    def __init__(self, instance: Instance, time_limit: Limit) -> None:
        self.instance = instance
        self.deadline = deadline_of(time_limit)
        self.share = 20  # inverse of the share of the remaining time for one test
        self.exact_grid = False  # allow interruptions at every tick in each test
        self.proof = Verdict(Status.unknown)  # of the last set proved infeasible

    def run(self) -> Conflict | None:
        ranked = sorted(constraints(self.instance), key=lambda constraint: _rank(self.instance, constraint))
        for exact_grid in (False, True):
            self.exact_grid = exact_grid
            self.proof = decide(self.instance, self.deadline, exact_grid=exact_grid)
            if self.proof.status == Status.feasible:
                return None
            if self.proof.status == Status.unknown:
                return Conflict(self.instance.name, Status.unknown, proof=self.proof.proof)
            retained, minimal = self.shrink(self.drop_groups(ranked))
            if not minimal:  # spend the remaining time on longer tests
                self.share = 2
                retained, minimal = self.shrink(retained)
            self.exact_grid = True
            if self.proof.grid == 1 or self.status(retained) != Status.feasible:
                break
        needed = set(retained)
        chosen = tuple(constraint for constraint in constraints(self.instance) if constraint in needed)
        sums = arithmetic(only(self.instance, chosen), chosen, self.deadline)
        return Conflict(
            instance=self.instance.name,
            status=Status.infeasible,
            constraints=chosen,
            minimal=minimal,
            arithmetic=sums,
            proof=self.proof.proof,
            grid=self.proof.grid,
            pauses=pauses(self.instance, chosen or constraints(self.instance)),
        )

    def status(self, retained: Sequence[Constraint], *, casual: bool = False) -> Status:
        """Return ``feasible``, ``infeasible`` or ``unknown`` for the instance with these constraints only."""
        seconds_left = self.deadline.remaining()
        if seconds_left <= 0:
            return Status.unknown
        longest = _CASUAL
        if not casual:
            longest = max(_CASUAL, seconds_left / self.share)
        weakened = only(self.instance, retained)
        deadline = self.deadline.sooner(min(seconds_left, longest))
        verdict = decide(weakened, deadline, exact_grid=self.exact_grid)
        if verdict.status == Status.infeasible:
            self.proof = verdict
        return verdict.status

    def drop_groups(self, retained: list[Constraint]) -> list[Constraint]:
        """Drop whole groups: kinds of constraints, then tasks."""
        for kinds in _SIMPLE:
            fewer = [constraint for constraint in retained if constraint.kind in kinds]
            if len(fewer) < len(retained) and self.status(fewer, casual=True) == Status.infeasible:
                retained = fewer
                break
        for task in self.instance.tasks if len(self.instance.tasks) > 1 else ():
            if self.deadline.remaining() <= 0:
                break
            fewer = [constraint for constraint in retained if not _concerns(constraint, task)]
            if len(fewer) < len(retained) and self.status(fewer, casual=True) == Status.infeasible:
                retained = fewer
        return retained

    def shrink(self, retained: list[Constraint]) -> tuple[list[Constraint], bool]:
        """Drop chunks, larger after a success and smaller after a failure, until every constraint is needed.

        Also return whether minimality is proved.
        """
        position, size = 0, max(1, len(retained) // 8)
        settled = True
        while position < len(retained):
            if self.deadline.remaining() <= 0:
                return retained, False
            fewer = retained[:position] + retained[position + size :]
            status = self.status(fewer, casual=size > 1)
            if status == Status.infeasible:
                retained, size = fewer, size * 2
            elif size > 1:
                size //= 2
            else:
                position += 1
                settled &= status == Status.feasible
        return retained, settled


def _concerns(constraint: Constraint, task: str) -> bool:
    """Return whether a constraint is about an action of a task."""
    return any(name.startswith(f"{task}/") for name in constraint.subject)


def _rank(instance: Instance, constraint: Constraint) -> tuple[int, int]:
    """Return the rank of a constraint: constraints of a low rank are dropped first."""
    work = instance.by_id[constraint.subject[0]].duration if constraint.kind in ("attendance", "use") else 0
    return _DISPENSABLE.index(constraint.kind), work
