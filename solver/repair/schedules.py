"""Repair of runs on scheduling problems: the nearest plan that passes the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from planoracle.instances.deadline import Limit, Status
from planoracle.instances.errors import InternalError
from planoracle.instances.plan import Dropped, Target
from planoracle.instances.problem import Problem
from planoracle.instances.schedule import Piece
from planoracle.instances.schedule_benchmark import agrees, language
from planoracle.instances.scoring import Best
from planoracle.instances.trajectory import AnyTrajectory
from planoracle.instances.validate import MAX_TICKS
from planoracle.solver.repair.answer import Moved, Repair
from planoracle.solver.repair.minimal_change import MinimalChange, minimal_change


def repair_schedule(
    run: AnyTrajectory,
    best: Callable[[Problem], Best],
    objectives: tuple[str, ...],
    time_limit: Limit,
    salvaged: tuple[Dropped, ...] = (),
) -> Repair:
    """Repair a run, see `planoracle.solver.runs.RunSolver.repaired`."""
    verdict, instance = run.verdict, run.problem
    answer: dict[str, Any] = {
        "instance": instance.name,
        "benchmark": instance.benchmark,
        "violations": len(verdict.violations),
        "unit": instance.unit,
        "objectives": objectives,
    }
    if run.impossible is not None:
        return Repair(status=Status.infeasible, **answer)
    targets = run.targets()
    problem, pieces = targets.problem, [target.piece for target in targets.targets]
    exact = best(problem)
    answer["optimum"] = exact.makespan if exact.status == Status.optimal else None
    if verdict.success and not verdict.violations:
        unchanged: dict[str, Any] = {"changed": False, "shift": 0, "makespan": verdict.makespan, "plan": run.plan.given}
        return Repair(status=Status.optimal, proved=objectives, **answer, **unchanged)
    by_action: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_action.setdefault(piece.action, []).append(piece)
    found = minimal_change(problem, by_action, objectives=objectives, time_limit=time_limit)
    answer |= {"status": found.status, "proved": found.proved, "grid": found.grid, "added": found.added}
    answer["dropped"] = tuple(sorted((*salvaged, *targets.dropped, *_redundant(targets.targets, found))))
    if found.schedule is None:
        return Repair(**answer)
    written = language(problem).written(problem, found.schedule)
    again = replace(language(problem).parse(problem, written, run.rules), limit=run.plan.limit)
    passed = language(problem).replay(problem, again, run.rules).verdict
    if passed.violations or not passed.success or not agrees(problem, passed.makespan, found.makespan):
        raise InternalError(f"{instance.name}: a repaired plan of ours does not pass the rules")
    return Repair(
        changed=True,
        moves=_moves(by_action, found),
        shift=found.shift,
        makespan=passed.makespan,
        plan=written,
        **answer,
    )


def _moves(by_action: Mapping[str, Sequence[Piece]], found: MinimalChange) -> tuple[Moved, ...]:
    assert found.schedule is not None
    pieces = found.schedule.pieces
    return tuple(
        Moved(
            name,
            tuple(by_action[name]),
            tuple(piece for piece in pieces if piece.action == name),
            found.shifts[name],
        )
        for name in found.moved
    )


def _redundant(targets: Sequence[Target], found: MinimalChange) -> list[Dropped]:
    """Name the commands whose pieces are of no use; of equal ones the last."""
    left = Counter(found.redundant)
    dropped = []
    for target in reversed(targets):
        if left[target.piece]:
            left[target.piece] -= 1
            dropped.append(Dropped(target.position, target.command, _reason(target.piece)))
    return dropped


def _reason(piece: Piece) -> str:
    if not piece.duration:
        return "lasts no time"
    return "is too late" if piece.start > MAX_TICKS else "repeats what is complete"
