"""Problem kind ``schedule``: engine that calls the exact solver."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Status, deadline_of
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import certify, replay_rules
from planoracle.solver.exact import search
from planoracle.solver.exact.lexicographic import with_few_interruptions
from planoracle.solver.result import Result, SolveOptions, check_bound, versions

#: Problems of this kind are solved, see `planoracle.solver.solve.Engine`.
NO_SOLVER = ""


def solve(problem: Problem, options: SolveOptions) -> Result:
    """Solve an instance."""
    _check_rules(problem, options.rules)
    if options.after:
        raise InputError("is for kitchens only; for schedules use planoracle.instances.model.state", field="after")
    instance, deadline = of_kind(problem, Instance), deadline_of(options.time_limit)
    result = search.solve(
        instance,
        time_limit=deadline,
        seed=options.seed,
        workers=options.workers,
        exact_grid=options.exact_grid,
        engine=options.engine,
        on_progress=options.on_progress,
        rules=options.rules,
    )
    if options.min_interruptions and result.schedule is not None:
        return with_few_interruptions(instance, result, deadline, options.rules)
    return result


def rules_for_optimum(rules: Rules | None) -> None:
    """Return ``None``: the rules of schedules are in the problem; others only refuse plans."""


def pack(problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
    """Return the stored form of a result.

    Pieces are five numbers each: action, agent (-1: none), mode, start and duration.
    """
    instance = of_kind(problem, Instance)
    agents = {None: -1} | {agent: number for number, agent in enumerate(instance.agents)}
    numbers: list[int] = []
    for piece in () if result.schedule is None else result.schedule.pieces:
        numbers += [instance.index[piece.action], agents[piece.agent], piece.mode, piece.start, piece.duration]
    entry = {
        "status": result.status,
        "makespan": result.makespan,
        "bound": result.lower_bound,
        "plan": numbers,
        "proof": result.proof,
    }
    return entry if result.grid == 1 else entry | {"grid": result.grid}


def unpack(problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
    """Restore a stored result and certify its schedule again."""
    _check_rules(problem, rules)
    instance = of_kind(problem, Instance)
    status, grid = Status(entry["status"]), entry.get("grid", 1)
    makespan, bound = entry["makespan"], entry["bound"]
    check_bound(status, makespan, bound)
    schedule = plan = None
    if status in (Status.optimal, Status.feasible):
        schedule = Schedule(tuple(_pieces(instance, entry["plan"])))
        plan = certify(instance, schedule, makespan, rules=rules)
    elif makespan is not None or entry["plan"]:
        raise ValueError("a result without a makespan must have no plan")
    if type(grid) is not int or grid < 1:
        raise ValueError("the grid must be a positive integer")
    return Result(
        instance=instance.name,
        status=status,
        makespan=makespan,
        lower_bound=bound,
        plan=plan,
        proof=str(entry["proof"]),
        versions=versions(),
        unit=instance.unit,
        schedule=schedule,
        grid=grid,
    )


def _pieces(instance: Instance, numbers: list[int]) -> Iterator[Piece]:
    for action, agent, mode, start, duration in zip(*[iter(numbers)] * 5, strict=True):
        if action < 0 or agent < -1:
            raise ValueError("a piece must name an action and an agent")
        name = None if agent < 0 else instance.agents[agent]
        yield Piece(instance.actions[action].id, start, duration, name, mode)


def _check_rules(problem: Problem, rules: Rules | None) -> None:
    """Raise `InputError` for rules of a benchmark whose scheduling problems state all rules."""
    if rules is not None and replay_rules(problem, rules) is None:
        raise InputError("is for kitchens only; a scheduling problem contains its rules", field="rules", value=rules)
