"""Regret: what every decision of a run cost, by the best makespan that could still be reached before and after it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from planoracle.analysis.trajectories import trajectory_of
from planoracle.instances.errors import InternalError
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.profile import PROFILES
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem, of_kind
from planoracle.instances.schedule import Schedule
from planoracle.instances.status import Status
from planoracle.instances.trajectory import DecisionPoint, Trajectory
from planoracle.solver.states.solver import NEVER, StateSolver, Value
from planoracle.solver.states.values import step_of, value_of, values_of

__all__ = ["Decision", "Regret", "completed", "regret", "regret_of"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision and its price. Times in ticks.

    Attributes
    ----------
    position
        Of the command in order of execution; a wait has that of the command that it precedes.
    command, kind
        As written; ``act``, ``wait`` or ``lost`` (refused, or of no use).
    start, end
        The time that the decision took up.
    before, after
        Best makespan that could be reached before and after it; ``None`` if not proved or if there is none. A time
        limit of the rules is left out of account (`Regret.no_return` counts it): what comes too late has a price, too.
    cost
        ``after - before``. Negative only where a call made on a guess saved time.
    status
        Of ``after``: ``optimal`` (proved), ``infeasible`` (proved that nothing leads to success any more),
        ``feasible`` (between ``least`` and ``most``) or ``unknown``.
    violation
        Kind of the rule that the command broke, if any.
    """

    position: int
    command: str
    kind: str
    start: int
    end: int
    before: int | None
    after: int | None
    cost: int | None
    status: Status
    least: int | None
    most: int | None
    violation: str | None


@dataclass(frozen=True, slots=True)
class Regret:
    """The decisions of a run with their costs.

    Attributes
    ----------
    optimum
        Best makespan before the first decision, proved; else ``None``.
    final
        Makespan of a run that is a success; the costs then add up to ``final - optimum``.
    total
        Sum of the costs; ``None`` if one is not known.
    no_return
        Index of the first decision after which no completion without violation exists (within the time limit, if the
        rules have one), ``None`` if there always is one.
    no_return_reason, no_return_status
        ``constraints`` (the rules leave no way; with ``no_return`` ``None``: not even before the first decision),
        ``time_limit``, ``over`` (the decision itself ended the run) or
        ``spoiled`` (doing all that is left is no success; ways to undo are not looked for); ``proved`` or ``unknown``.
    completion, completion_status, completion_plan
        Best makespan from where the run stopped, and the whole plan up to there and on from there as text, replayed
        by the rules; of a run that is a success, its own makespan and no plan, nor of one that gets out of time, nor
        where time was up before the completion was found.
    grid
        Ticks: completions pause interruptible actions at multiples of it, see ``solver/README.md``.
    """

    instance: str
    unit: str
    success: bool
    decisions: tuple[Decision, ...]
    optimum: int | None
    final: int | None
    total: int | None
    no_return: int | None
    no_return_reason: str | None
    no_return_status: str | None
    completion: int | None
    completion_status: Status
    completion_plan: str | None
    grid: int
    course: Trajectory | None = field(default=None, repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return all but the course, for JSON."""
        return asdict(replace(self, course=None)) | {"decisions": [asdict(one) for one in self.decisions]}

    def costliest(self, count: int = 3) -> list[int]:
        """Return the indices of the decisions that cost most, dearest first; none that cost nothing."""
        priced = [(-(one.cost or 0), i) for i, one in enumerate(self.decisions) if (one.cost or 0) > 0]
        return [i for _, i in sorted(priced)[:count]]


def regret(instance: Problem, submission: Any, rules: Any = None, *, seconds: float = 10.0) -> Regret:
    """Price every decision of a submission.

    Parameters
    ----------
    submission, rules
        See `planoracle.analysis.trajectories.trajectory_of`.
    seconds
        Wall time at most for one state of the run.

    Raises
    ------
    PlanError, InputError
        If the submission cannot be read at all.
    InternalError
        If the best completion does not pass the rules.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> late = "Step(0, Cobbler, 10 min, 00:05:00), Step(0, Cobbler, 10 min, 00:05:00)"
    >>> found = regret(load("recipe2plan/timed/Cobbler_Pancakes"), late)
    >>> for one in found.decisions:
    ...     print(one.command, one.before, one.after, one.cost, one.violation)
    wait 5 min 4080 4380 300 None
    Step(0, Cobbler, 00:10:00, 00:05:00) 4380 4380 0 None
    Step(0, Cobbler, 00:10:00, 00:05:00) 4380 4380 0 repeated_action
    >>> found.optimum, found.completion
    (4080, 4380)
    """
    if isinstance(instance, Kitchen):
        from planoracle.analysis.kitchens import kitchen_regret  # brings the planner

        return kitchen_regret(instance, submission, rules or PROFILES["paper"], seconds=seconds)
    return regret_of(trajectory_of(of_kind(instance, Instance), submission, rules), seconds=seconds)


def regret_of(run: Trajectory, *, seconds: float = 10.0) -> Regret:
    """Price every decision of a course, see `regret`."""
    values = values_of(run, seconds=seconds)
    pairs = zip(run.moves, values, values[1:], strict=False)
    decisions = tuple(
        Decision(
            position=move.position,
            command=move.command,
            kind=move.kind,
            start=move.start,
            end=move.end,
            before=before.makespan,
            after=after.makespan,
            cost=None if before.makespan is None or after.makespan is None else after.makespan - before.makespan,
            status=after.status,
            least=after.least if 0 < after.least < NEVER else None,
            most=after.most,
            violation=move.violation,
        )
        for move, before, after in pairs
    )
    costs = [one.cost for one in decisions]
    reasons = (_lost(run, situation, value) for situation, value in zip(run.situations, values, strict=True))
    gone, reason, proof = next(((k, *why) for k, why in enumerate(reasons) if why), (None, None, None))
    stop, value = run.situations[run.stop], values[run.stop]
    plan = None
    if not run.success and stop.over is None and value.most is not None and run.in_time(value.most):
        plan = completed(run, run.stop, value, seconds=seconds)
    return Regret(
        instance=run.instance.name,
        unit=run.instance.unit,
        success=run.success,
        decisions=decisions,
        optimum=values[0].makespan,
        final=run.makespan if run.success else None,
        total=None if None in costs else sum(cost for cost in costs if cost is not None),
        no_return=gone - 1 if gone else None,
        no_return_reason=reason,
        no_return_status=proof,
        completion=run.makespan if run.success else value.makespan,
        completion_status=Status.optimal if run.success else value.status,
        completion_plan=plan,
        grid=step_of(run),
        course=run,
    )


def _lost(run: Trajectory, situation: DecisionPoint, value: Value) -> tuple[str, str] | None:
    """Return why a situation has no completion, and whether that is proved."""
    if situation.over is not None:
        return "over", "proved"
    if value.least >= NEVER:
        return "constraints", "proved"
    if situation.spoiled:
        return "spoiled", "unknown"
    if not run.in_time(value.least):
        return "time_limit", "proved"
    return None


def completed(run: Trajectory, count: int, value: Value, *, seconds: float = 10.0) -> str | None:
    """Return the plan of a run up to a move with its best completion, replayed by the rules.

    ``None`` if the time is up before the completion is found again.

    Parameters
    ----------
    count
        Number of moves.
    value
        Of the situation after them, with a completion known.

    Raises
    ------
    InternalError
        If the rules do not accept the plan, or see another makespan.
    """
    situation, step = run.situations[count], step_of(run)
    rest = Schedule(())
    if not situation.complete:
        # By a solver of its own, so that the plan does not depend on what has been asked for before.
        solver = StateSolver(situation.instance, step, situation.state.clock)
        found = value_of(situation, step, value.least, seconds=seconds, solver=solver)
        witness = found.witness if found.most == value.most else value.witness
        if witness is None and found.makespan is None:
            return None
        if witness is None:
            raise InternalError(f"{run.instance.name}: the completion of makespan {value.most} was not found again")
        rest = solver.completion(witness, situation.state)
    plan, replay = run.completed(count, rest)
    if not replay.success or replay.makespan != value.most:
        fault = replay.violations[0] if replay.violations else f"makespan {replay.makespan}, not {value.most}"
        raise InternalError(f"{run.instance.name}: a completion of ours does not pass the rules: {fault}")
    return plan
