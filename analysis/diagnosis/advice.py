"""Advice: which commands keep the best makespan within reach, in any state of a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from planoracle.analysis.grading.oracle import WORK
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.runs import Option, solver_of
from planoracle.solver.states.state_solver import NEVER


@dataclass(frozen=True, slots=True)
class Advice:
    """Recommended commands in a state.

    Attributes
    ----------
    best, status
        Best makespan that the state leaves, in ticks, and whether it is proved; a time limit of the rules is left
        out of account, see ``over``.
    options
        Commands, those that cost least first; those that cost nothing only, unless all were asked for.
    plan
        The run so far and the best completion as text, replayed by the rules; ``None`` if there is none.
    over
        Reason why the run cannot continue; ``time_limit``: it cannot end in time.
    clock
        Ticks; the time before which nothing else can start. Whoever takes an advised wait hands this time and the
        wait back as ``clock`` of `next_commands`. 0 in kitchens.
    grid
        Ticks: pieces of interruptible actions have lengths that are multiples of it, or all that is left, and a wait
        that costs something lasts one step of it. What starts or ends in between is not listed. 1 in kitchens.
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
    """Return the commands that keep the best makespan within reach after a run so far.

    Parameters
    ----------
    submission, rules
        The run so far, see `planoracle.instances.protocol.benchmark.Benchmark.run`; nothing for the beginning. What the
        rules refused has changed nothing but the time.
    all_commands
        Return all commands that the rules allow, with their costs, in steps of `Advice.grid`.
    clock
        Current time in ticks, if it is later than the end of the last command (only for problems without wait
        commands).
    seconds
        For one state: wall time at most, or counted work, by which no answer depends on the machine.

    Raises
    ------
    PlanError, InputError
        If the run so far cannot be read.

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
    if clock is not None:
        run.wait_until(clock)
    return next_of(run, all_commands=all_commands, seconds=seconds)


def next_of(run: AnyRun, *, all_commands: bool = False, seconds: Limit = WORK) -> Advice:
    """Return the recommended commands at the end of a run, see `next_commands`."""
    solver, problem = solver_of(run, seconds), run.problem
    if run.impossible is not None:
        return Advice(problem.name, problem.unit, None, Status.infeasible, (), None, run.impossible, grid=solver.grid)
    value, ended = solver.value, solver.over
    over = ended
    if over is None and value.lower < NEVER and not run.in_time(value.lower):
        over = "time_limit"
    plan = None
    if run.lost_at(run.stop) != "over" and value.upper is not None and run.in_time(value.upper):
        plan = solver.complete_plan(value)
    options = [] if ended is not None else list(solver.options(value))
    best = (
        sorted(options, key=lambda one: (one.cost is None, one.cost or 0))
        if all_commands
        else [option for option in options if option.cost == 0]
    )
    return Advice(
        problem.name, problem.unit, value.makespan, value.status, tuple(best), plan, over, solver.clock, solver.grid
    )
