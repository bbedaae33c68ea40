"""Kind ``blocking-shop``: solved by one CP-SAT model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, cast

from planoracle.plugin import (
    Action,
    Demand,
    InputError,
    Instance,
    Kind,
    Mode,
    Piece,
    Problem,
    Resource,
    Result,
    Rules,
    Run,
    Schedule,
    SolveOptions,
    Status,
    Timeline,
)

from . import benchmark
from .rules import ShopRun
from .shop import BlockingShop


class BlockingShopKind(Kind):
    """Blocking job shops, which have no values of states, repairs and explanations."""

    name = "blocking-shop"

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        """Solve a shop, and replay its plan by the rules."""
        shop = _checked(problem)
        if options.after:
            raise InputError("must be empty for blocking shops", field="after")
        order, makespan = _optimal_order(shop)
        return _result(shop, order, Status.optimal, makespan, makespan)

    def pack(self, problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
        """Return status, makespan, lower bound and plan."""
        bound = result.lower_bound
        return {"status": result.status, "makespan": result.makespan, "bound": bound, "plan": result.plan}

    def unpack(self, problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
        """Restore a result and replay its plan."""
        order = entry["plan"].split("\n")
        return _result(_checked(problem), order, Status(entry["status"]), entry["makespan"], entry["bound"])

    def timeline(self, run: Run[Any, Any, Any]) -> Timeline:
        """Return the operations of a run on their machines."""
        shop_run = cast(ShopRun, run)
        shop = shop_run.problem
        actions = []
        pieces = []
        for job, starts in zip(shop.jobs, shop_run.state.starts, strict=True):
            for number, start in enumerate(starts):
                operation = job.operations[number]
                name = f"{job.name}/{number + 1}"
                mode = Mode((Demand(operation.machine),))
                actions.append(Action(name, job.name, operation.duration, 0, modes=(mode,), label=operation.machine))
                pieces.append(Piece(name, start, operation.duration, None))
        if not pieces:
            raise InputError("no operation was carried out", field=shop.name)
        instance = Instance(shop.name, tuple(actions), (), tuple(map(Resource, shop.machines)))
        return instance, Schedule.of(instance, pieces)

    def size(self, problem: Problem) -> Mapping[str, int]:
        """Return the number of operations."""
        return {"actions": sum(len(job.operations) for job in _checked(problem).jobs)}


KIND = BlockingShopKind()


def _checked(problem: Problem) -> BlockingShop:
    """Return a problem that is a blocking shop; raise `InputError` for others."""
    if not isinstance(problem, BlockingShop):
        raise InputError("must be a blocking shop", value=problem.name)
    return problem


def _result(shop: BlockingShop, order: list[str], status: Status, makespan: int, bound: int | None) -> Result:
    """Return the result of a plan; raise `ValueError` unless the rules accept it with its makespan."""
    run = benchmark.run(shop, {"plan": order})
    if run.makespan != makespan or run.verdict.violations:
        raise ValueError("the rules must accept the plan with the stored makespan")
    plan = "\n".join(order)
    return Result(shop.name, status, makespan, bound, plan, proof="one model", kind=shop.kind, unit=shop.unit)


def _optimal_order(shop: BlockingShop) -> tuple[list[str], int]:
    """Return the jobs of all operations in the order of their starts, and the makespan.

    A job leaves a machine later than the next operation of the job starts. So jobs cannot change places at one time,
    which the rules do not allow. This takes one of many small units of a tick, whose sum is less than a tick.
    """
    from ortools.sat.python import cp_model  # slow to import

    tick = 1 + sum(len(job.operations) for job in shop.jobs)
    horizon = tick * (1 + sum(operation.duration for job in shop.jobs for operation in job.operations))
    model = cp_model.CpModel()
    makespan = model.new_int_var(0, horizon, "makespan")
    intervals_by_machine = defaultdict(list)
    operation_starts: list[tuple[Any, str]] = []
    for job in shop.jobs:
        starts = [model.new_int_var(0, horizon, "") for _ in job.operations]
        operation_starts += [(start, job.name) for start in starts]
        model.add(makespan >= starts[-1] + tick * job.operations[-1].duration)
        departures = [start + 1 for start in starts[1:]]
        departures.append(starts[-1] + tick * job.operations[-1].duration)
        for operation, start, departure in zip(job.operations, starts, departures, strict=True):
            waits = departure is not departures[-1]
            length = model.new_int_var(tick * operation.duration + waits, horizon, "")
            interval = model.new_interval_var(start, length, departure, "")
            intervals_by_machine[operation.machine].append(interval)
    for intervals in intervals_by_machine.values():
        model.add_no_overlap(intervals)
    model.minimize(makespan)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    in_order = sorted(operation_starts, key=lambda entry: solver.value(entry[0]))
    return [name for _, name in in_order], solver.value(makespan) // tick
