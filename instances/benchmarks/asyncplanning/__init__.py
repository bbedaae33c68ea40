"""Async planning (Zhang et al., 2026): steps in parallel, robots in kitchens, orders that arrive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.model.features import Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.benchmark import lazy
from planoracle.instances.protocol.recorded import RECORDED_FIELDS
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark


class AsyncPlanning(ScheduleBenchmark[Any, Profile]):
    """Async planning.

    Source
    ------
    To be written.
    """

    name = "asyncplanning"
    title = "Async planning"
    citation = "Zhang et al., 2026"
    plan_fields = ("pred_answer", "responses", "stage_records", "solver_plan", "llm_plan", "plan")
    address_fields = ("question",)
    detail_fields = RECORDED_FIELDS
    stepwise = False
    original_data = ""
    features = frozenset((Feature.BUDGETS, Feature.OPTIONAL, Feature.EXCESS))
    group_units: Mapping[str, str] = {"size": "steps"}

    catalog = lazy("planoracle.instances.benchmarks.asyncplanning.problems")
    reader = lazy("planoracle.instances.benchmarks.asyncplanning.problems")
    language = lazy("planoracle.instances.benchmarks.asyncplanning.parts")
    rules = lazy("planoracle.instances.benchmarks.asyncplanning.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.asyncplanning.parts")
    metrics = lazy("planoracle.instances.benchmarks.asyncplanning.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.asyncplanning.parts")
    live = lazy("planoracle.instances.benchmarks.asyncplanning.parts")

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the problem, its part, and its size or difficulty."""
        _, *parts = name.split("/")
        part = parts[:1] if len(parts) > 2 else []
        size = parts[1:2] if len(parts) > 2 else []
        return {"task": [name], "part": part, "size": size}

    def addressed_name(self, name: str, record: Mapping[str, Any]) -> str:
        """Return the name; for a recorded answer without a name that of the problem with its question."""
        return name or str(self.catalog.name_of_question(record.get("question")))

    def default_rules(self, problem: Instance) -> Profile:
        """Return the rules that a problem was encoded for."""
        rules: Profile = self.catalog.rules_of(problem)
        return rules

    def formula_optimum(self, problem: Instance) -> int | None:
        """Return the longest path for steps without limits of agents."""
        optimum: int | None = self.catalog.formula_optimum(problem)
        return optimum


benchmark = AsyncPlanning()
