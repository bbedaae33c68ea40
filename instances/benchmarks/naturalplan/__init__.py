"""Natural Plan (Zheng et al., 2024): meetings, calendars and trips, planned from plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from planoracle.instances.benchmarks.naturalplan.rules import PlanAnswer, Profile
from planoracle.instances.model.features import Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.benchmark import lazy
from planoracle.instances.protocol.environment import Environment, Reward, RunConfig
from planoracle.instances.protocol.feedback import ClockFormat
from planoracle.instances.protocol.recorded import RECORDED_FIELDS
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark

_USUAL = RunConfig()


class NaturalPlan(ScheduleBenchmark[PlanAnswer, Profile]):
    """Natural Plan: meetings, calendars and trips, planned from plain text."""

    name = "naturalplan"
    title = "Natural Plan"
    citation = "Zheng et al., 2024"
    plan_fields = ("response", "formatted", "pred_5shot_pro", "plan")
    detail_fields = RECORDED_FIELDS
    stepwise = False
    mismatch_share = 0.5
    features = frozenset(Feature)

    catalog = lazy("planoracle.instances.benchmarks.naturalplan.problems")
    reader = lazy("planoracle.instances.benchmarks.naturalplan.problems")
    language = lazy("planoracle.instances.benchmarks.naturalplan.parts")
    rules = lazy("planoracle.instances.benchmarks.naturalplan.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.naturalplan.run")
    metrics = lazy("planoracle.instances.benchmarks.naturalplan.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.naturalplan.feedback")
    live = lazy("planoracle.instances.benchmarks.naturalplan.live")

    def addressed_name(self, name: str, record: Mapping[str, Any]) -> str:
        """Return the name of a problem that a submission names as the authors do."""
        return str(self.catalog.real_name(name))

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the problem, and its task and number of actions."""
        if not self.catalog.covers(name):
            return {"task": [], "size": []}
        label, _ = self.catalog.set_of(name)
        actions = self.catalog.load(name).actions
        return {"task": [label.partition("/")[2]], "size": [str(len(actions))]}

    def clock(self, problem: Problem) -> ClockFormat:
        """Return the text form of times: times of day, or days."""
        moment = partial(self.language.moment, problem)
        return super().clock(problem)._replace(moment=moment)

    def environment(
        self,
        problem: Instance,
        rules: Profile | None = None,
        config: RunConfig = _USUAL,
        reward: Reward | None = None,
    ) -> Environment[Any, Any, Any]:
        """Return a live run; its states are those of the benchmark's own simulator."""
        rules_of_run = self.default_rules(problem) if rules is None else rules
        return Environment(self, problem, rules_of_run, config, reward)


benchmark = NaturalPlan()
