"""Recipe2Plan: R-Efficiency and the other metrics, against the released reference and against the optimum."""

from __future__ import annotations

from typing import Any, cast

from planoracle.analysis.judges.common import given, shared_fields
from planoracle.analysis.optimum import optimum
from planoracle.instances import catalogue
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan import facts
from planoracle.instances.recipe2plan.language import Command, parse
from planoracle.instances.recipe2plan.metrics import Efficiency, measure
from planoracle.instances.recipe2plan.profile import Profile
from planoracle.instances.recipe2plan.rules import replay
from planoracle.instances.replay import Replay
from planoracle.instances.status import Status
from planoracle.solver.exact.solve import Result

__all__ = ["Recipe2PlanJudge", "released_plan"]


class Recipe2PlanJudge:
    """Judge under one profile."""

    def __init__(self, rules: Profile) -> None:
        self.rules = rules
        self._place = f"reference {rules.reference} {rules.missing_ref}"  # in the cache of an instance

    def judge(self, instance: Instance, submission: dict[str, Any]) -> dict[str, Any]:
        """Judge ``submission["plan"]``."""
        best = optimum(instance)
        run = replay(instance, parse(given(submission, "plan"), instance, self.rules), self.rules)
        reference, figures, against_optimum = self._measure(instance, run)
        return shared_fields(run) | {
            "efficiency": figures.efficiency,
            "r_efficiency": figures.r_efficiency,
            "r_efficiency_optimal": against_optimum,
            "multitasking_score": figures.multitasking_score,
            "optimal_makespan": _optimal_makespan(best, run),
            "reference": reference,
        }

    def _measure(self, instance: Instance, run: Replay) -> tuple[str, Efficiency, float | None]:
        name, reference = self._reference(instance)
        figures = measure(instance, run, reference, self.rules, whole=name == "optimal")
        if name == "optimal":
            return name, figures, figures.r_efficiency
        best = measure(instance, run, _optimal_commands(instance), self.rules, whole=True)
        return name, figures, best.r_efficiency

    def _reference(self, instance: Instance) -> tuple[str, tuple[Command, ...] | None]:
        found = instance.cache.get(self._place)
        if found is None:
            plan = released_plan(instance) if self.rules.reference == "heuristic" else None
            name = "heuristic"
            if plan is None and (self.rules.reference == "optimal" or self.rules.missing_ref == "optimum"):
                name, plan = "optimal", _optimal_commands(instance)
            found = instance.cache[self._place] = (name if plan else "none", plan)
        return cast("tuple[str, tuple[Command, ...] | None]", found)


def _optimal_makespan(best: Result, run: Replay) -> int | None:
    """Return the proved optimum; ``None`` beside a shorter success, as only ``zero_duration="accepted"`` allows."""
    if best.status != Status.optimal or best.makespan is None:
        return None
    return None if run.success and run.makespan < best.makespan else best.makespan


def released_plan(instance: Instance) -> tuple[Command, ...] | None:
    """Return the released reference plan of a bundled instance, if it has one."""
    bundled = instance.benchmark == "recipe2plan" and instance.name in catalogue.bundled()
    if not bundled or instance is not catalogue.load(instance.name):
        return None
    _, setting, pair = instance.name.split("/")
    return facts.reference_plan(setting, pair)


def _optimal_commands(instance: Instance) -> tuple[Command, ...] | None:
    commands = instance.cache.get("optimal commands")
    if commands is None:
        best = optimum(instance)
        commands = parse(best.plan, instance).commands if best.status == Status.optimal else ()
        instance.cache["optimal commands"] = commands
    assert isinstance(commands, tuple)
    return commands or None
