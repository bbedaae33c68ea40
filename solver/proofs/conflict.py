"""Conflicts: minimal sets of constraints that make an instance infeasible.

Dropping a constraint never makes an instance harder, so a set from which no single constraint can be dropped without
it becoming possible is minimal among all sets (deletion test).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from planoracle.instances.errors import RefusedPlanError
from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, deadline_of
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.bounds import common_divisor, common_tick, grid_matters, horizon, lower_bound, windows
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search import solve
from planoracle.solver.proofs.arithmetic import arithmetic
from planoracle.solver.proofs.constraints import Constraint, constraints, only

#: Features of which conflicts are not explained.
EXPLANATION = Component("the explanation of conflicts", frozenset(Feature))

# Settings of CP-SAT and their efforts for the decision whether a schedule exists. Infeasibility must be proved by both.
_ATTEMPTS: tuple[tuple[dict[str, object], float], ...] = (({}, 0.02), ({"presolve": True, "linearization": 1}, 0.3))
# Seconds of a test whose result is optional.
_CASUAL = 1.0

_TIMES = {"release", "limit", "decision", "clock"}
_LAGS = {"minimum", "maximum", "after"}
_AGENTS = {"attendance", "start", "eligibility"}
#: Kinds of constraints that may suffice for a conflict, simplest first.
_SIMPLE = (
    _TIMES | _LAGS,
    _TIMES | _AGENTS,
    _TIMES | {"use"},
    _TIMES | _LAGS | _AGENTS,
    _TIMES | _LAGS | {"use", "state"},
)
#: Order in which constraints are dropped.
_DISPENSABLE = (
    "start", "eligibility", "state", "use", "attendance",
    "after", "minimum", "release", "maximum", "clock", "decision", "limit",
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
    """

    instance: str
    status: Status
    constraints: tuple[Constraint, ...] = ()
    minimal: bool = False
    arithmetic: str = ""
    proof: str = ""
    grid: int = 1

    def lines(self) -> list[str]:
        """Return the explanation as text."""
        if self.status != Status.infeasible:
            return [f"{self.instance}: feasibility unknown; the time limit ended the search"]
        number = len(self.constraints)
        statement = f"these {number} constraints cannot all be met"
        if number == 1:
            statement = "this constraint cannot be met"
        elif self.minimal:
            fewer = (
                "either of them can be met alone" if number == 2 else f"any {number - 1} of them can be met together"
            )
            statement += f", but {fewer}"
        lines = [f"{self.instance} is infeasible: {statement}:"]
        lines += [f"- {constraint.text}" for constraint in self.constraints]
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
        }


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
        self.proof = _Verdict(Status.unknown)  # of the last set proved infeasible

    def run(self) -> Conflict | None:
        ranked = sorted(constraints(self.instance), key=lambda constraint: _rank(self.instance, constraint))
        for exact_grid in (False, True):
            self.exact_grid = exact_grid
            self.proof = _decide(self.instance, self.deadline, exact_grid=exact_grid)
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
        return Conflict(self.instance.name, Status.infeasible, chosen, minimal, sums, self.proof.proof, self.proof.grid)

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
        verdict = _decide(weakened, deadline, exact_grid=self.exact_grid)
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


class _Verdict(NamedTuple):
    """Status, proof, and the grid of interruptions in ticks for which it holds."""

    status: Status
    proof: str = ""
    grid: int = 1


def _decide(instance: Instance, deadline: Deadline, *, exact_grid: bool) -> _Verdict:
    """Decide whether there is a schedule; a schedule is checked by the rules."""
    bounds = windows(instance)
    min_makespan, max_makespan = lower_bound(instance, bounds), horizon(instance)
    if instance.time_limit is not None:
        max_makespan = min(max_makespan, instance.time_limit)
    # A schedule on this grid is found sooner than on `common_tick`; there may be none on it and one on the other.
    step = common_divisor(instance) or 1
    if bounds.consistent and -(-min_makespan // step) <= max_makespan // step:
        model = ScheduleModel(instance, bounds, step, min_makespan, max_makespan)
        model.model.drop_objective()
        refuted = True
        for options, effort in _ATTEMPTS:
            outcome = run(model.model, deadline=deadline, deterministic=effort, **options)  # type: ignore[arg-type]
            if outcome.solution:
                with suppress(RefusedPlanError):  # a conflict is one of the problem
                    certify(instance, model.schedule(outcome.solution))
                return _Verdict(Status.feasible)
            refuted &= outcome.status == Status.infeasible
        if refuted and step == common_tick(instance) and (step == 1 or not grid_matters(instance)):
            return _Verdict(Status.infeasible, "CP-SAT with presolve on and off")
    try:
        result = solve(instance, time_limit=deadline, exact_grid=exact_grid)
    except RefusedPlanError:
        return _Verdict(Status.feasible)
    return _Verdict(Status.feasible if result.schedule is not None else result.status, result.proof, result.grid)


def _rank(instance: Instance, constraint: Constraint) -> tuple[int, int]:
    """Return the rank of a constraint: constraints of a low rank are dropped first."""
    work = instance.by_id[constraint.subject[0]].duration if constraint.kind in ("attendance", "use") else 0
    return _DISPENSABLE.index(constraint.kind), work
