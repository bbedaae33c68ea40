"""Metrics of runs in kitchens: success within the step limit, optimality, and failures.

Sections of the paper are in brackets.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property

from planoracle.instances.benchmarks.kitchens.kitchen import KitchenRules
from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.benchmarks.kitchens.simulation import REFUSALS
from planoracle.instances.benchmarks.robotouille.failures import failure
from planoracle.instances.benchmarks.robotouille.measures import foresight, published_steps, repetitions, step_limit
from planoracle.plugin import (
    Average,
    Claim,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Optimum,
    Oracle,
    Reference,
    Status,
)


class KitchenMeasurement(Measurement[KitchenRun]):
    """Run up to its step limit, with its failure class and the remaining steps at its end."""

    def __init__(self, run: KitchenRun, oracle: Oracle) -> None:
        super().__init__(run, oracle)
        self.min_steps = self.optimum.makespan
        reference = self.min_steps if run.rules.limit == "optimum" else published_steps(run.problem.name)
        self.limit = None if reference is None else step_limit(reference)
        if self.limit is not None and run.rules.stop_at_limit and run.record.steps_taken >= self.limit:
            self.run = run = KitchenRun(run.problem, replace(run.plan, limit=self.limit), run.rules)
        self.record = run.record
        self.steps = run.record.steps_taken
        self.failure = failure(run.record, self.limit)
        self.repeated = repetitions(run.record)
        self.foresight = foresight(run.record)

    @cached_property
    def rest(self) -> Optimum | None:
        """Minimum number of steps from the final state; ``None`` if not computed."""
        if self.run.success:
            return Optimum(0, Status.optimal, 0)
        return Optimum.of(self.oracle.rest(self.run)) if self.run.rules.price_rest else None

    @property
    def steps_left(self) -> int | None:
        """Proved minimum number of steps from the final state."""
        return self.rest and self.rest.makespan

    def within(self, steps: int) -> bool | None:
        """Return whether the goal was reached within the step limit; ``None`` without a limit."""
        return None if self.limit is None else self.record.success and steps <= self.limit

    def by_min_steps(self, steps: int | None) -> float | None:
        """Return a number of steps divided by the minimum; ``None`` if one of them is not proved."""
        return None if steps is None or not self.min_steps else steps / self.min_steps


def declare(rules: KitchenRules) -> Declarations[KitchenMeasurement]:
    """Return the metrics, and success rates and efficiency (sections 4.2.2 and 4.2.3)."""
    return (
        Metric("end", "reason for the end of the run", lambda its: its.record.end, kind="text"),
        Metric(
            "steps_taken", "legal actions; with joint moves complete rounds", lambda its: its.steps, "steps", "count"
        ),
        Metric("attempts", "all actions, refused ones included", lambda its: len(its.record.steps), "steps", "count"),
        Metric("optimal_steps", "proved minimum number of steps", lambda its: its.min_steps, "steps", "count"),
        Metric(
            "lower_bound",
            "proved lower bound on the number of steps",
            lambda its: its.best.lower_bound,
            "steps",
            "count",
        ),
        Metric("step_limit", "step limit: 1.5 times the reference", lambda its: its.limit, "steps", "count"),
        # The paper's success [4.2.2, question 1].
        Metric(
            "within_limit",
            "goal reached within the step limit",
            lambda its: its.within(its.steps),
            kind="flag",
            is_shown=True,
            average=Average(
                "success", "goal reached within the step limit, where the limit is known", role=("success", "main")
            ),
        ),
        Average("unproved", "runs whose step limit is not known", lambda row: int(row["within_limit"] is None), "sum"),
        Average("completed", "goal reached, with or without a known step limit", lambda row: row["end"] == "completed"),
        Metric(
            "within_limit_attempts",
            "goal reached within the step limit, refused actions counted",
            lambda its: its.within(len(its.record.steps)),
            kind="flag",
        ),
        # [4.2.2, question 2]
        Metric(
            "optimality",
            "steps divided by the minimum number of steps, of a successful run",
            lambda its: its.by_min_steps(its.steps if its.within(its.steps) else None),
            "share",
            is_shown=True,
            average=Average("optimality", "steps divided by the minimum number of steps, of successful runs"),
        ),
        # [4.2.2, question 3]
        Metric(
            "steps_to_go",
            "minimum remaining steps divided by the minimum number of steps",
            lambda its: its.by_min_steps(its.steps_left),
            "share",
        ),
        Metric(
            "steps_left", "proved minimum number of steps from the final state", lambda its: its.steps_left, kind="json"
        ),
        Metric(
            "rest",
            "status of steps_left; infeasible: the goal can no longer be reached",
            lambda its: its.rest and its.rest.status,
            kind="json",
        ),
        Metric("lost", "(steps taken + steps left) / minimum number of steps - 1, of a failed run", _lost, "share"),
        # [4.2.3, question 5]
        Metric(
            "repeated_transitions",
            "actions that were tried before in the same state",
            lambda its: its.repeated,
            kind="json",
        ),
        Metric(
            "repeated_share",
            "share of repeated transitions",
            lambda its: its.repeated / max(len(its.record.steps), 1),
            "share",
            average=Average(
                "repeated_share", "share of repeated transitions", lambda row: row.get("repeated_share") or 0.0
            ),
        ),
        Metric(
            "invalid_actions",
            "refused actions",
            lambda its: len(its.record.refusals),
            kind="count",
            average=Average("invalid_actions", "refused actions"),
        ),
        Metric("invalid_kinds", "refused actions by kind", _invalid_kinds, kind="json"),
        # [4.2.4, question 6]
        Metric(
            "prioritised",
            "long-running work started before other work",
            lambda its: its.foresight.prioritised,
            kind="json",
        ),
        Metric(
            "slow_needed",
            "pieces of long-running work that the goal needs",
            lambda its: its.foresight.slow_needed,
            kind="json",
        ),
        Metric(
            "slow_started",
            "actions that started long-running work",
            lambda its: its.foresight.slow_started,
            kind="json",
        ),
        Metric(
            "first_slow_start",
            "steps before the first start of long-running work",
            lambda its: its.foresight.first_slow_start,
            kind="json",
        ),
        Metric(
            "other_before",
            "actions for other work before that start",
            lambda its: its.foresight.other_before,
            kind="json",
        ),
        # [4.2.3, A.9]
        Metric(
            "failure",
            "class of the failure",
            lambda its: its.failure.kind,
            kind="text",
            is_shown=True,
            average=Average(
                "failures",
                "failed runs by class",
                lambda row: [] if row["failure"] == "success" else [row["failure"]],
                "counts",
            ),
        ),
        Metric("cause", "cause of the failure", lambda its: its.failure.cause, kind="text", is_shown=True),
        Metric(
            "cause_index",
            "position of the action that caused the failure",
            lambda its: its.failure.position,
            kind="json",
        ),
        Metric(
            "lacks",
            "conditions of the goal that do not hold at the end",
            lambda its: [
                {
                    "kind": lack.kind,
                    "condition": list(lack.condition),
                    "objects": list(lack.objects),
                    "made": lack.is_own_doing,
                }
                for lack in its.failure.lacks
            ],
            kind="json",
        ),
        Metric(
            "recovered", "refused actions from which the run recovered", lambda its: its.failure.recovered, kind="json"
        ),
        Metric(
            "steps",
            "all actions, each as action, legal, goal reached, number of legal actions before",
            lambda its: [[step.action, step.valid, step.reached, step.choices] for step in its.record.steps],
            kind="json",
        ),
    )


def _lost(its: KitchenMeasurement) -> float | None:
    if its.run.success or its.steps_left is None or not its.min_steps:
        return None
    return (its.steps + its.steps_left) / its.min_steps - 1


def _invalid_kinds(its: KitchenMeasurement) -> dict[str, int]:
    kinds = Counter(refusal.kind for refusal in its.record.refusals)
    return {kind: kinds[kind] for kind in REFUSALS}


METRICS = MetricSet(
    KitchenMeasurement,
    declare,
    references=(
        Reference(
            "published",
            "published",
            lambda kitchen: Claim(published_steps(kitchen.name)),
            main=True,
            published="published",
            profile="released",
        ),
    ),
)
