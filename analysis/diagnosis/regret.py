"""Regret of the decisions of a run, and advice: commands that keep the best makespan reachable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from planoracle.analysis.grading.oracle import WORK
from planoracle.instances.errors import PlanError
from planoracle.instances.model.limits import Limit, Status, WorkLimit, deadline_of
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.plan import AMBIGUOUS, FAULTS, NO_PLAN, Plan
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.simulator import Step
from planoracle.solver.runs import Option, lost_after, solver_of
from planoracle.solver.states.state_solver import Value


@dataclass(frozen=True, slots=True)
class DecisionRegret:
    """Decision and its cost. Times in ticks.

    Attributes
    ----------
    position
        Position of the command in order of execution; a wait has that of the next command.
    command, kind
        Command as written; ``act``, ``wait`` or ``lost`` (rejected, or without effect).
    start, end
        Time span of the decision.
    before, after
        Best reachable makespan before and after it; ``None`` if not proved or if there is none. A time limit of the
        rules is ignored (`RunRegret.no_return` respects it), so that late commands have a cost, too.
    cost
        ``after - before``. Negative only if a call on a guess, or a gap in the rules, saved time.
    status
        Status of ``after``: ``optimal`` (proved), ``infeasible`` (success is impossible, proved),
        ``feasible`` (between ``lower`` and ``upper``) or ``unknown``.
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
    lower: int | None
    upper: int | None
    violation: str | None


@dataclass(frozen=True, slots=True)
class RunRegret:
    """The decisions of a run with their costs.

    Attributes
    ----------
    optimum
        Proved optimal makespan before the first decision, else ``None``.
    final
        Makespan of a successful run; the costs then add up to ``final - optimum``.
    total
        Sum of the costs; ``None`` if one is not known.
    no_return
        Index of the first decision after which no completion without violation exists (within the time limit, if the
        rules have one), ``None`` if there always is one.
    no_return_reason, no_return_status
        ``constraints`` (the rules make success impossible; with ``no_return`` ``None``: before the first decision),
        ``time_limit``, ``over`` (the decision itself ended the run) or ``spoiled`` (completing the remaining work is no
        success; ways to undo effects are not searched); ``proved`` or ``unknown``.
    completion, completion_status, completion_plan
        Best makespan of a completion of the run, and the plan of run and completion as text, replayed by the rules; for
        a successful run its own makespan and no plan. There is no plan if it would exceed the time limit, or if the
        solver limit was reached first.
    fault
        First violation of an unsuccessful run, see `planoracle.instances.model.violations.Violation.as_dict`; for plans
        graded as a whole the violation that ended the run, or the missing part. ``None`` if no rule is broken.
    stop
        Number of decisions before the completion starts.
    grid
        Ticks: completions pause interruptible actions at multiples of it, see ``solver/exact/README.md``.
    """

    instance: str
    benchmark: str
    unit: str
    success: bool
    decisions: tuple[DecisionRegret, ...]
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
    fault: dict[str, Any] | None = None
    stop: int = 0
    run: AnyRun | None = field(default=None, repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields but the run, for JSON."""
        row = asdict(replace(self, run=None)) | {"decisions": [asdict(decision) for decision in self.decisions]}
        del row["run"]
        return row

    def costliest(self, count: int = 3) -> list[int]:
        """Return the indices of the costliest decisions, in descending order; none without a cost."""
        costs = [decision.cost or 0 for decision in self.decisions]
        costly = [position for position, cost in enumerate(costs) if cost > 0]
        costly.sort(key=lambda position: -costs[position])
        return costly[:count]


def regret(problem: Problem, submission: object, rules: Rules | None = None, *, seconds: Limit = WORK) -> RunRegret:
    """Compute the regret of every decision of a submission.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `load`.
    submission, rules
        See `planoracle.instances.protocol.benchmark.Benchmark.run`.
    seconds
        Limit for one state of the run: wall time in seconds, or counted work, which does not depend on the machine.

    Raises
    ------
    PlanError, InputError
        If the submission cannot be read at all.
    InternalError
        If the best completion does not pass the rules.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> late = "Step(0, Cobbler, 10 min, 00:05:00), Step(0, Cobbler, 10 min, 00:05:00)"
    >>> result = regret(load("recipe2plan/timed/Cobbler_Pancakes"), late)
    >>> for one in result.decisions:
    ...     print(one.command, one.before, one.after, one.cost, one.violation)
    wait 5 min 4080 4380 300 None
    Step(0, Cobbler, 00:10:00, 00:05:00) 4380 4380 0 None
    Step(0, Cobbler, 00:10:00, 00:05:00) 4380 4380 0 repeated_action
    >>> result.optimum, result.completion
    (4080, 4380)
    """
    return regret_of(registry.of(problem).run(problem, submission, rules), seconds=seconds)


def _regret_of_step(step: Step, before: Value, after: Value) -> DecisionRegret:
    """Return the regret of a step between the values of two states."""
    cost = None
    if before.makespan is not None and after.makespan is not None:
        cost = after.makespan - before.makespan
    return DecisionRegret(
        position=step.position,
        command=step.command,
        kind=step.kind,
        start=step.start,
        end=step.end,
        before=before.makespan,
        after=after.makespan,
        cost=cost,
        status=after.status,
        lower=after.lower if after.lower > 0 and not after.is_infeasible else None,
        upper=after.upper,
        violation=step.violation and step.violation.kind,
    )


def _first_loss(run: AnyRun, values: Sequence[Value]) -> tuple[int | None, str | None, str | None]:
    """Return the first decision after which no success remains, with reason and status.

    All are ``None`` if there is none; the decision alone is ``None`` if success was impossible before the first one.
    """
    for count, value in enumerate(values):
        loss = lost_after(run, count, value)
        if loss is not None:
            reason, proof = loss
            return count - 1 if count else None, reason, proof
    return None, None, None


def regret_of(run: AnyRun, *, seconds: Limit = WORK) -> RunRegret:
    """Compute the regret of every decision of a run, see `regret`."""
    solver = solver_of(run, seconds)
    steps, values = run.steps, solver.values
    stages = zip(steps, values, values[1:], strict=False)
    decisions = tuple(_regret_of_step(step, before, after) for step, before, after in stages)
    costs = [decision.cost for decision in decisions]
    no_return, reason, proof = _first_loss(run, values)
    value = values[run.stop]
    is_over = run.success or run.lost_at(run.stop) == "over"
    plan = None
    if not is_over and value.upper is not None and run.in_time(value.upper):
        plan = solver.complete_plan(value)
    fault = None if run.success or run.fault is None else run.fault.as_dict()
    return RunRegret(
        instance=run.problem.name,
        benchmark=run.problem.benchmark,
        unit=run.problem.unit,
        success=run.success,
        decisions=decisions,
        optimum=values[0].makespan,
        final=run.makespan,
        total=None if None in costs else sum(cost for cost in costs if cost is not None),
        no_return=no_return,
        no_return_reason=reason,
        no_return_status=proof,
        completion=run.makespan if run.success else value.makespan,
        completion_status=Status.optimal if run.success else value.status,
        completion_plan=plan,
        grid=solver.grid,
        fault=fault,
        stop=run.stop,
        run=run,
    )


@dataclass(frozen=True, slots=True)
class Advice:
    """Recommended commands in a state.

    Attributes
    ----------
    best, status
        Best reachable makespan in ticks, and its status; a time limit of the rules is ignored, see ``over``.
    options
        Commands by ascending cost; only those without cost, unless all were requested.
    plan
        The run so far and the best completion as text, replayed by the rules; ``None`` if there is none.
    over
        Reason why the run cannot continue; ``time_limit``: it cannot end in time.
    clock
        Earliest start of the next command in ticks. After an advised wait, pass this time plus the wait as ``clock`` to
        `next_commands`. 0 in kitchens.
    grid
        Grid in ticks: pieces of interruptible actions have lengths that are multiples of it, or the remaining length; a
        wait with a cost lasts one step of it. Other starts and ends are not listed. 1 in kitchens.
    """

    instance: str
    unit: str
    best: int | None
    status: Status
    options: tuple[Option, ...]
    plan: str | None
    over: str | None = None
    clock: int = 0
    grid: int = 1

    def as_dict(self) -> dict[str, Any]:
        """Return all fields for JSON."""
        return asdict(self)


def next_commands(
    problem: Problem,
    submission: object = None,
    rules: Rules | None = None,
    *,
    all_commands: bool = False,
    clock: int | None = None,
    seconds: Limit = WORK,
) -> Advice:
    """Return the commands that keep the best makespan reachable after a partial run.

    Parameters
    ----------
    submission, rules
        Partial run, see `planoracle.instances.protocol.benchmark.Benchmark.run`; ``None`` for the start. Rejected
        commands only advance the clock.
    all_commands
        Return all commands that the rules allow, with their costs, in steps of `Advice.grid`.
    clock
        Current time in ticks, if it is later than the end of the last command (only for problems without wait
        commands).
    seconds
        Wall time for the answer in seconds, or counted work for each state, which does not depend on the machine.

    Raises
    ------
    PlanError, InputError
        If the partial run cannot be read completely, or is a text without a command.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> advice = next_commands(load("timearena/household1"), ["activate kettle"], all_commands=True)
    >>> advice.best
    13
    >>> [(option.command, option.cost) for option in advice.options]
    [('wash teapot', 0), ('wash cup', 0), ('wait', 0)]
    """
    run = registry.of(problem).run(problem, submission, rules)
    _check_completely_read(run.plan)
    if clock is not None:
        run.wait_until(clock)
    return next_of(run, all_commands=all_commands, seconds=seconds)


def _check_completely_read(plan: Plan[Any]) -> None:
    """Raise `PlanError` for a plan that was not read completely; an empty one is the start of a run."""
    submitted = plan.submitted
    is_empty = not (submitted.strip() if isinstance(submitted, str) else submitted)
    if plan.fault == NO_PLAN and not is_empty:
        raise PlanError("contains no command of this benchmark", field="plan")
    if plan.fault == AMBIGUOUS:
        raise PlanError(FAULTS[AMBIGUOUS], field="plan")
    if plan.ignored:
        message = "lines that look like steps could not be read, so that the state is unknown; write commands only"
        raise PlanError(message, field="plan", value=plan.ignored)


def next_of(run: AnyRun, *, all_commands: bool = False, seconds: Limit = WORK) -> Advice:
    """Return the recommended commands at the end of a run, see `next_commands`."""
    # Wall time limits the whole answer, however many commands are legal.
    limit = seconds if isinstance(seconds, WorkLimit) else deadline_of(seconds)
    solver, problem = solver_of(run, limit), run.problem
    if run.impossible is not None:
        return Advice(problem.name, problem.unit, None, Status.infeasible, (), None, run.impossible, grid=solver.grid)
    value, ended = solver.value, solver.over
    over = ended
    if over is None and not value.is_infeasible and not run.in_time(value.lower):
        over = "time_limit"
    plan = None
    if run.lost_at(run.stop) != "over" and value.upper is not None and run.in_time(value.upper):
        plan = solver.complete_plan(value)
    # Without a proved value no command has a proved cost.
    has_costs = value.makespan is not None
    options = list(solver.options(value)) if ended is None and (all_commands or has_costs) else []
    if all_commands:
        recommended = sorted(options, key=_cost_order)
    else:
        recommended = [option for option in options if option.cost == 0]
    return Advice(
        problem.name,
        problem.unit,
        value.makespan,
        value.status,
        tuple(recommended),
        plan,
        over,
        solver.clock,
        solver.grid,
    )


def _cost_order(option: Option) -> tuple[bool, int]:
    """Return the key that sorts options by cost, unknown costs last."""
    return option.cost is None, option.cost or 0
