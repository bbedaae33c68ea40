"""Kind of problems for tests: job shops without buffers, solved by a CP-SAT model of their own."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

from ortools.sat.python import cp_model

from planoracle.instances.model.cache import CacheHolder
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import of_kind
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.solver.kinds.kind import Kind, Timeline
from planoracle.solver.result import Result


class Operation(NamedTuple):
    """Operation of a job on a machine, in ticks."""

    machine: str
    duration: int


@dataclass(frozen=True, repr=False)
class BlockingShop(CacheHolder):
    """Job shop in which a job stays on its machine until its next one is free."""

    name: str
    jobs: tuple[tuple[Operation, ...], ...]
    kind = "blocking-shop"
    benchmark = "generic"
    unit = "tick"
    seconds_per_tick = None
    agents = ()
    time_limit = None


class BlockingShopKind(Kind):
    """Blocking job shops; a plan is a list of starts for each job."""

    name = "blocking-shop"

    def solve(self, problem: Any, options: Any) -> Result:
        """Solve a shop by one model."""
        shop = of_kind(problem, BlockingShop)
        horizon = sum(operation.duration for job in shop.jobs for operation in job)
        model = cp_model.CpModel()
        makespan = model.new_int_var(0, horizon, "makespan")
        starts = [[model.new_int_var(0, horizon, "") for _ in job] for job in shop.jobs]
        occupied = defaultdict(list)
        for job, times in zip(shop.jobs, starts, strict=True):
            for operation, start, departure in zip(job, times, [*times[1:], makespan], strict=True):
                if departure is makespan:
                    departure = start + operation.duration
                    model.add(makespan >= departure)
                length = model.new_int_var(operation.duration, horizon, "")
                occupied[operation.machine].append(model.new_interval_var(start, length, departure, ""))
        for intervals in occupied.values():
            model.add_no_overlap(intervals)
        model.minimize(makespan)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        assert solver.solve(model) == cp_model.OPTIMAL
        plan = json.dumps([[solver.value(start) for start in times] for times in starts])
        return self._result(shop, Status.optimal, solver.value(makespan), plan)

    def pack(self, problem: Any, rules: Any, result: Result) -> dict[str, Any]:
        """Return status, makespan and plan."""
        return {"status": result.status, "makespan": result.makespan, "plan": result.plan}

    def unpack(self, problem: Any, rules: Any, entry: dict[str, Any]) -> Result:
        """Restore a result; its plan must have the makespan."""
        shop = of_kind(problem, BlockingShop)
        _, schedule = self.timeline_of_plan(shop, entry["plan"])
        if schedule.makespan != entry["makespan"]:
            raise ValueError("the plan must have the stored makespan")
        return self._result(shop, Status(entry["status"]), entry["makespan"], entry["plan"])

    def timeline(self, run: Any) -> Timeline:
        """Return the operations of a run."""
        return self.timeline_of_plan(run.problem, run.plan.submitted)

    def timeline_of_plan(self, problem: Any, plan: Any) -> Timeline:
        """Return the operations of a plan, without the time that jobs block machines."""
        shop = of_kind(problem, BlockingShop)
        actions, pieces = [], []
        for number, (job, starts) in enumerate(zip(shop.jobs, json.loads(plan), strict=True)):
            for operation, start in zip(job, starts, strict=True):
                action = f"job{number}/{operation.machine}"
                mode = Mode((Demand(operation.machine),))
                actions.append(Action(action, f"job{number}", operation.duration, 0, modes=(mode,)))
                pieces.append(Piece(action, start, operation.duration, None))
        machines = dict.fromkeys(operation.machine for job in shop.jobs for operation in job)
        instance = Instance(shop.name, tuple(actions), (), tuple(map(Resource, machines)))
        return instance, Schedule.of(instance, pieces)

    def size(self, problem: Any) -> dict[str, int]:
        """Return the number of operations."""
        return {"actions": sum(map(len, of_kind(problem, BlockingShop).jobs))}

    def result_fields(self, result: Result) -> dict[str, Any]:
        """Return the seed."""
        return {"seed": result.seed}

    def _result(self, shop: BlockingShop, status: Status, makespan: int, plan: str) -> Result:
        return Result(shop.name, status, makespan, makespan, plan, proof="one model", kind=self.name, unit=shop.unit)


KIND = BlockingShopKind()
