"""Advice: which commands keep the best makespan within reach, in any situation of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from planoracle.analysis.regret import completed
from planoracle.analysis.trajectories import trajectory_of
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.profile import PROFILES
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem, of_kind
from planoracle.instances.status import Status
from planoracle.instances.trajectory import LegalAction, Trajectory, wait_words, waited
from planoracle.solver.states.solver import NEVER, Value
from planoracle.solver.states.values import state_solver, step_of, value_of

__all__ = ["Advice", "Option", "next_commands"]


@dataclass(frozen=True, slots=True)
class Option:
    """A command that the rules allow now.

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
        Ticks: pieces of an interruptible action, and waits, of all lengths between these (in steps of `Advice.grid`)
        cost the same; ``command`` names the longest. ``None`` for commands that leave no choice.
    """

    command: str
    kind: str
    best: int | None
    cost: int | None
    status: Status
    shortest: int | None = None
    longest: int | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """What can be done in a situation.

    Attributes
    ----------
    best, status
        Best makespan that the situation leaves, in ticks, and whether it is proved; a time limit of the rules is left
        out of account, see ``over``.
    options
        Commands, those that cost least first; those that cost nothing only, unless all were asked for.
    plan
        The run so far and the best completion as text, replayed by the rules; ``None`` if there is none.
    over
        Why the run cannot go on, if so; ``time_limit``: it can, but not end in time.
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
    instance: Problem,
    submission: Any = None,
    rules: Any = None,
    *,
    everything: bool = False,
    clock: int | None = None,
    seconds: float = 10.0,
) -> Advice:
    """Return the commands that keep the best makespan within reach after a run so far.

    Parameters
    ----------
    submission, rules
        The run so far, see `planoracle.analysis.trajectories.trajectory_of`; nothing for the beginning. What the
        rules refused has changed nothing but the time.
    everything
        Return all commands that the rules allow, with their costs, in steps of `Advice.grid`.
    clock
        What time it is, in ticks, if it is later than the run so far says by its last command (not where waits are
        commands, nor in kitchens).
    seconds
        Wall time at most for one situation.

    Raises
    ------
    PlanError, InputError
        If the run so far cannot be read.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> advice = next_commands(load("timearena/household1"), ["activate kettle"], everything=True)
    >>> advice.best
    13
    >>> [(option.command, option.cost) for option in advice.options]
    [('wash teapot', 0), ('wash cup', 0), ('wait', 0)]
    """
    if isinstance(instance, Kitchen):
        return _kitchen_advice(instance, submission, rules or PROFILES["paper"], everything, seconds)
    run = trajectory_of(of_kind(instance, Instance), submission, rules)
    if clock is not None:
        run.wait_until(clock)
    step, here = step_of(run), run.situations[run.stop]
    if run.impossible is not None:
        return Advice(instance.name, instance.unit, None, Status.infeasible, (), None, run.impossible, grid=step)
    value = value_of(here, step, seconds=seconds)
    over = here.over
    if over is None and value.least < NEVER and not run.in_time(value.least):
        over = "time_limit"
    plan = None
    if over is None and value.most is not None and run.in_time(value.most):
        plan = completed(run, run.stop, value, seconds=seconds)
    options: list[Option] = []
    if here.over is None and not here.complete:
        options = list(_options(run, value, step, seconds))
        best = [option for option in options if option.cost == 0]
        options = sorted(options, key=_rank) if everything else best
    now = here.state.clock + here.lost
    return Advice(instance.name, instance.unit, value.makespan, value.status, tuple(options), plan, over, now, step)


def _kitchen_advice(kitchen: Kitchen, submission: Any, rules: Any, everything: bool, seconds: float) -> Advice:
    from planoracle.analysis.kitchens import choices  # brings the planner

    done, before, plan, found = choices(kitchen, submission, rules, seconds)
    options = [
        Option(
            action,
            "act",
            value.makespan,
            None if value.makespan is None or before.makespan is None else value.makespan - before.makespan,
            value.status,
        )
        for action, value in found
    ]
    kept = sorted(options, key=_rank) if everything else [option for option in options if option.cost == 0]
    return Advice(kitchen.name, kitchen.unit, before.makespan, before.status, tuple(kept), plan, done)


def _rank(option: Option) -> tuple[bool, int]:
    return option.cost is None, option.cost or 0


def _options(run: Trajectory, value: Value, step: int, seconds: float) -> Iterator[Option]:
    here = run.situations[run.stop]
    found = [(one, _price(run, value, one, step, seconds)) for one in run.candidates(here, step)]
    for _, group in groupby(found, key=lambda pair: (_subject(pair[0]), pair[1].least, pair[1].most)):
        yield _option(run, value, list(group), step, seconds)


def _subject(one: LegalAction) -> tuple[Any, ...]:
    """Return what candidates share that differ in their lengths alone."""
    return (one.kind, *((piece.action, piece.agent, piece.mode) for piece in one.after.state.pieces[-1:]))


def _price(run: Trajectory, before: Value, one: LegalAction, step: int, seconds: float) -> Value:
    here = run.situations[run.stop]
    after = one.after
    witness = before.witness if before.makespan is not None and not after.spoiled and not after.complete else None
    if witness is not None and state_solver(after.instance, step).keeps(witness, after.state):
        return before
    return value_of(after, step, before.least if after.instance is here.instance else 0, seconds=seconds)


def _option(
    run: Trajectory, before: Value, group: list[tuple[LegalAction, Value]], step: int, seconds: float
) -> Option:
    (first, value), (last, _) = group[0], group[-1]
    known = before.makespan is not None and value.makespan is not None
    cost = value.makespan - before.makespan if known else None  # type: ignore[operator]
    command, shortest, longest = last.command, None, None
    if first.kind == "wait" and cost == 0:
        shortest, longest = step, _longest_wait(run, before, step, seconds)
        if command == wait_words(run.instance, step):  # no command of the benchmark
            command = wait_words(run.instance, longest)
    elif first.kind == "act" and run.instance.by_id[first.after.state.pieces[-1].action].interruptible:
        shortest, longest = (one.after.state.pieces[-1].duration for one in (first, last))
    return Option(command, first.kind, value.makespan, cost, value.status, shortest, longest)


def _longest_wait(run: Trajectory, before: Value, step: int, seconds: float) -> int:
    """Return the longest wait that costs nothing; the best makespan never falls while one waits."""
    here = run.situations[run.stop]
    assert before.makespan is not None
    low, high = 1, max(2, (before.makespan - here.lost - here.state.clock) // step + 1)
    while high - low > 1:
        middle = (low + high) // 2
        later = value_of(waited(here, here.state.clock + middle * step), step, before.makespan, seconds=seconds)
        low, high = (middle, high) if later.makespan == before.makespan else (low, middle)
    return low * step
