"""TimeArena: the run of the decisions, its score over time, and what its waits cost."""

from __future__ import annotations

from typing import Any

from planoracle.analysis.judges.common import given, minutes_limit, shared_fields
from planoracle.analysis.optimum import optimum
from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance
from planoracle.instances.status import Status
from planoracle.instances.timearena import encode
from planoracle.instances.timearena.language import parse
from planoracle.instances.timearena.metrics import measure
from planoracle.instances.timearena.profile import Profile
from planoracle.instances.timearena.rules import as_replay, replay
from planoracle.instances.timearena.trajectory import TimeArenaTrajectory
from planoracle.instances.timearena.world import world
from planoracle.solver.states.values import values_of

__all__ = ["TimeArenaJudge"]


class TimeArenaJudge:
    """Judge under one profile; with ``price_waits`` waits are split into costless and costly ones."""

    def __init__(self, rules: Profile, *, price_waits: bool = False) -> None:
        self.rules = rules
        self.price_waits = price_waits
        self._minutes: dict[str, int | None] = {}

    def judge(self, instance: Instance, submission: dict[str, Any]) -> dict[str, Any]:
        """Judge ``submission["actions"]`` (or ``"plan"``) within ``submission["time_limit"]`` minutes."""
        made = given(submission, "actions", "plan")
        limit = minutes_limit(submission, instance.time_limit)
        scene = world(instance.name)
        decisions = parse(made, scene, self.rules)
        run = replay(scene, decisions, limit, self.rules)
        figures = measure(run)
        details = {
            "end": run.end,
            "total_time": run.total_time,
            "score": run.score,
            "best_score": figures.best_score,
            "best_time": figures.best_time,
            "kinds": figures.kinds,
            "necessary_waits": figures.necessary_waits,
            "unnecessary_waits": figures.unnecessary_waits,
            "steps": [list(step) for step in run.steps],
        }
        if self.price_waits:
            details |= self._priced(instance, decisions, limit)
        return shared_fields(as_replay(run)) | {
            "makespan": run.total_time,
            "optimal_makespan": self._least_minutes(instance),
            "details": details,
        }

    def _least_minutes(self, instance: Instance) -> int | None:
        """Optimum under the rules that grade, ``None`` if they leave no way to complete the tasks."""
        if instance.name not in self._minutes:
            problem: Instance | None = instance
            if self.rules.reserved_objects != "task":
                try:
                    problem = encode.instance(world(instance.name), self.rules)
                except InputError:  # an action is left without any object to do it with
                    problem = None
            best = None if problem is None else optimum(problem)
            self._minutes[instance.name] = best.makespan if best is not None and best.status == Status.optimal else None
        return self._minutes[instance.name]

    def _priced(self, instance: Instance, made: list[str], limit: int) -> dict[str, Any]:
        course = TimeArenaTrajectory(instance, made, self.rules, limit)
        values = [value.makespan for value in values_of(course)]
        costs = [
            None if before is None or after is None else after - before
            for move, before, after in zip(course.moves, values, values[1:], strict=False)
            if move.kind == "wait"
        ]
        known = [cost for cost in costs if cost is not None]
        return {
            "costless_waits": known.count(0),
            "costly_waits": len(known) - known.count(0),
            "unpriced_waits": len(costs) - len(known),
            "wait_cost": sum(known),
        }
