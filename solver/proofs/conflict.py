"""Why an instance is impossible: a minimal set of constraints that contradict each other.

Dropping a constraint never makes an instance harder, so a set from which no single constraint can be dropped without
it becoming possible is minimal among all sets (deletion test).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, NamedTuple

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, deadline_of
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.bounds import common_tick, grid_matters, horizon, lower_bound, windows
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search import solve
from planoracle.solver.proofs.arithmetic import arithmetic
from planoracle.solver.proofs.constraints import Constraint, constraints, only

# How to settle whether there is any schedule: options, and effort in CP-SAT's deterministic time. It is only believed
# that there is none if both say so.
_ATTEMPTS: tuple[tuple[dict[str, object], float], ...] = (({}, 0.02), ({"presolve": True, "linearization": 1}, 0.3))
# Seconds for a test that need not be settled.
_CASUAL = 1.0

_TIMES = {"release", "limit", "decision", "clock"}
_LAGS = {"minimum", "maximum", "after"}
_PEOPLE = {"attendance", "start", "eligibility"}
#: Kinds that may suffice for an explanation, simplest first.
_SIMPLE = (
    _TIMES | _LAGS,
    _TIMES | _PEOPLE,
    _TIMES | {"use"},
    _TIMES | _LAGS | _PEOPLE,
    _TIMES | _LAGS | {"use", "state"},
)
#: In which order to try to do without constraints.
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
        Its name.
    status
        ``infeasible``: proved. ``unknown``: the time was over before that was settled; then nothing is listed.
    constraints
        Together with the facts (durations, modes, what may be paused) they are impossible to obey.
    minimal
        Whether without any one of them the others are possible to obey, shown by a schedule that the rules accept.
        If false, the time was over before all were tested.
    arithmetic
        The sum that cannot come out right, in one line, where there is one; else empty.
    proof
        How the contradiction was proved.
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
            return [f"{self.instance}: whether it is possible at all could not be settled in the time given."]
        number = len(self.constraints)
        told = f"these {number} constraints cannot all be obeyed"
        if number == 1:
            told = "this constraint cannot be obeyed"
        elif self.minimal:
            told += f", but any {number - 1} of them can"
        listed = [f"- {constraint.text}" for constraint in self.constraints]
        return [f"{self.instance} is impossible: {told}:", *listed, *([self.arithmetic] if self.arithmetic else [])]

    def as_dict(self) -> dict[str, Any]:
        """Return the conflict for JSON, the same for the same instance."""
        return {
            "instance": self.instance,
            "status": self.status,
            "minimal": self.minimal,
            "constraints": [
                {"kind": constraint.kind, "subject": list(constraint.subject), "text": constraint.text}
                for constraint in self.constraints
            ],
            "arithmetic": self.arithmetic,
            "proof": self.proof,
            "grid": self.grid,
        }


def find_conflict(instance: Instance, *, time_limit: Limit = 60.0) -> Conflict | None:
    """Explain why there is no schedule.

    Simple explanations are preferred: time alone, then the agents' work, then one use of a resource after another, and
    long actions before short ones. Also works on
    `planoracle.instances.model.state.residual_instance`, whose decisions are constraints like others.

    Parameters
    ----------
    time_limit
        Seconds of wall time, or counted work. When they are over, the constraints not shown to be superfluous are
        returned.

    Returns
    -------
    Conflict or None
        ``None`` if there is a schedule. Feasible and not settled are never mixed up, see `Conflict.status`.

    Raises
    ------
    InternalError
        If a schedule found does not pass the rules.

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
    it is 00:10:00 already, and nothing more can start earlier
    step 2 of Cobbler was started at 00:02:00
    step 3 of Cobbler must start within 2 min after step 2 of Cobbler is finished
    """
    return _Search(instance, time_limit).run()


class _Search:
    """Drops constraints as long as what is left is proved impossible."""

    def __init__(self, instance: Instance, time_limit: Limit) -> None:
        self.instance = instance
        self.deadline = deadline_of(time_limit)
        self.share = 20  # of the time that is left for one test
        self.exact_grid = False  # whether to settle at once what pauses at every tick can do
        self.proof = _Verdict(Status.unknown)  # of the last set proved impossible

    def left(self) -> float:
        return self.deadline.remaining()

    def run(self) -> Conflict | None:
        ranked = sorted(constraints(self.instance), key=lambda constraint: _worth(self.instance, constraint))
        for exact_grid in (False, True):
            self.exact_grid = exact_grid
            self.proof = _decide(self.instance, self.deadline, exact_grid=exact_grid)
            if self.proof.status == Status.feasible:
                return None
            if self.proof.status == Status.unknown:
                return Conflict(self.instance.name, Status.unknown, proof=self.proof.proof)
            kept, minimal = self.shrunk(self.narrowed(ranked))
            if not minimal:  # what is left of the time may settle it
                self.share = 2
                kept, minimal = self.shrunk(kept)
            self.exact_grid = True
            if self.proof.grid == 1 or self.status(kept) != Status.feasible:
                break
        some = set(kept)
        told = tuple(constraint for constraint in constraints(self.instance) if constraint in some)
        sums = arithmetic(only(self.instance, told), told, self.deadline)
        return Conflict(self.instance.name, Status.infeasible, told, minimal, sums, self.proof.proof, self.proof.grid)

    def status(self, kept: Sequence[Constraint], *, casual: bool = False) -> Status:
        """Return ``feasible``, ``infeasible`` or ``unknown`` for the instance with these constraints only."""
        left = self.left()
        if left <= 0:
            return Status.unknown
        seconds = min(left, _CASUAL if casual else max(_CASUAL, left / self.share))
        found = _decide(only(self.instance, kept), self.deadline.sooner(seconds), exact_grid=self.exact_grid)
        if found.status == Status.infeasible:
            self.proof = found
        return found.status

    def narrowed(self, kept: list[Constraint]) -> list[Constraint]:
        """Drop what can be dropped at once: kinds of constraints, then tasks."""
        for kinds in _SIMPLE:
            some = [constraint for constraint in kept if constraint.kind in kinds]
            if len(some) < len(kept) and self.status(some, casual=True) == Status.infeasible:
                kept = some
                break
        for task in self.instance.tasks if len(self.instance.tasks) > 1 else ():
            if self.left() <= 0:
                break
            others = [constraint for constraint in kept if not _concerns(constraint, task)]
            if len(others) < len(kept) and self.status(others, casual=True) == Status.infeasible:
                kept = others
        return kept

    def shrunk(self, kept: list[Constraint]) -> tuple[list[Constraint], bool]:
        """Drop chunks, larger after a success and smaller after a failure, until every constraint left is needed.

        Also returns whether all of that was settled.
        """
        position, size, settled = 0, max(1, len(kept) // 8), True
        while position < len(kept):
            if self.left() <= 0:
                return kept, False
            fewer = kept[:position] + kept[position + size :]
            status = self.status(fewer, casual=size > 1)
            if status == Status.infeasible:
                kept, size = fewer, size * 2
            elif size > 1:
                size //= 2
            else:
                position += 1
                settled &= status == Status.feasible
        return kept, settled


class _Verdict(NamedTuple):
    """``feasible``, ``infeasible`` or ``unknown``, and for pauses at multiples of how many ticks."""

    status: Status
    proof: str = ""
    grid: int = 1


def _decide(instance: Instance, deadline: Deadline, *, exact_grid: bool) -> _Verdict:
    """Settle whether there is a schedule; any will do, but the rules have to accept it."""
    bounds = windows(instance)
    most = horizon(instance)
    if instance.time_limit is not None:
        most = min(most, instance.time_limit)
    step, least = _coarse_tick(instance), lower_bound(instance, bounds)
    if bounds.consistent and -(-least // step) <= most // step:
        model = ScheduleModel(instance, bounds, step, least, most)
        model.model.drop_objective()
        refuted = True
        for options, effort in _ATTEMPTS:
            found = run(model.model, deadline=deadline, deterministic=effort, **options)  # type: ignore[arg-type]
            if found.solution:
                certify(instance, model.schedule(found.solution))
                return _Verdict(Status.feasible)
            refuted &= found.status == Status.infeasible
        if refuted and step == common_tick(instance) and (step == 1 or not grid_matters(instance)):
            return _Verdict(Status.infeasible, "CP-SAT with presolve on and off")
    result = solve(instance, time_limit=deadline, exact_grid=exact_grid)
    return _Verdict(Status.feasible if result.schedule is not None else result.status, result.proof, result.grid)


def _coarse_tick(instance: Instance) -> int:
    """Return a tick on which a schedule is found sooner than on `common_tick`, though perhaps there is none on it."""
    lags = [ticks or 0 for lag in instance.lags for ticks in (lag.minimum, lag.maximum)]
    return gcd(*lags, *(ticks for a in instance.actions for ticks in (a.duration, a.attended, a.release))) or 1


def _concerns(constraint: Constraint, task: str) -> bool:
    return any(subject.startswith(f"{task}/") for subject in constraint.subject)


def _worth(instance: Instance, constraint: Constraint) -> tuple[int, int]:
    """Tell how late to try to do without a constraint."""
    work = instance.by_id[constraint.subject[0]].duration if constraint.kind in ("attendance", "use") else 0
    return _DISPENSABLE.index(constraint.kind), work
