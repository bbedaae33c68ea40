"""Schedules as problems of one kind among others: the exact solver."""

from __future__ import annotations

from typing import Any

from planoracle.instances.certify import certify
from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem, of_kind
from planoracle.instances.profiles import Rules
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.status import Status
from planoracle.solver.exact import solve as exact
from planoracle.solver.options import Options
from planoracle.solver.result import Result, versions

__all__ = ["packed", "solve", "unpacked"]


def solve(problem: Problem, options: Options) -> Result:
    """Solve an instance."""
    _no_rules(options.rules)
    if options.after:
        raise InputError("is for kitchens; see planoracle.instances.state for schedules", field="after")
    _, time_limit, seed, workers, finest, _ = options
    instance = of_kind(problem, Instance)
    return exact.solve(instance, time_limit=time_limit, seed=seed, workers=workers, finest=finest)


def packed(result: Result) -> dict[str, Any]:
    """Return what of a settled result must be kept."""
    return {
        "status": result.status,
        "makespan": result.makespan,
        "pieces": None if result.schedule is None else [list(piece) for piece in result.schedule.pieces],
        "canonical": result.canonical,
        "proof": result.proof,
        "grid": result.grid,
    }


def unpacked(problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
    """Return the result that was packed, its schedule certified again."""
    _no_rules(rules)
    instance = of_kind(problem, Instance)
    status, makespan, pieces, grid = Status(entry["status"]), entry["makespan"], entry["pieces"], entry["grid"]
    schedule = plan = None
    if status == Status.optimal:
        schedule = Schedule(tuple(Piece(*piece) for piece in pieces))
        plan = certify(instance, schedule, makespan)
    elif status != Status.infeasible or makespan is not None or pieces is not None:
        raise ValueError("no proved result")
    if type(grid) is not int or grid < 1:
        raise ValueError("no grid")
    return Result(
        instance=instance.name,
        status=status,
        makespan=makespan,
        lower_bound=makespan,
        plan=plan,
        proof=str(entry["proof"]),
        versions=versions(),
        unit=instance.unit,
        schedule=schedule,
        canonical=bool(entry["canonical"]),
        grid=grid,
    )


def _no_rules(rules: Rules | None) -> None:
    if rules is not None:
        raise InputError("is for kitchens; the rules of schedules are in the problem", field="rules", value=rules)
