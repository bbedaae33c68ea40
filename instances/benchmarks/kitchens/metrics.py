"""Metrics of runs in kitchens: success within the step limit, optimality, and failures.

Sections of the paper are in brackets.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import cast

from planoracle.instances.benchmarks.kitchens.failures import failure
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.measures import foresight, published_steps, repetitions, step_limit
from planoracle.instances.benchmarks.kitchens.reasoning import messages_of
from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.benchmarks.kitchens.simulation import REFUSALS, KitchenSimulator
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.plan import submitted_plan
from planoracle.instances.protocol.scoring import (
    Average,
    Claim,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Optimum,
    Oracle,
    Reference,
    Row,
)


class KitchenMeasurement(Measurement[KitchenRun]):
    """Run up to its step limit, with its failure class and the remaining steps at its end."""

    def __init__(self, run: KitchenRun, oracle: Oracle) -> None:
        super().__init__(run, oracle)
        submitted = submitted_plan(run.submission, run.benchmark.plan_fields)
        self.min_steps = self.optimum.makespan
        self.limit = _step_limit(run.problem, run.rules, self.min_steps)
        if self.limit is not None and run.rules.stop_at_limit and run.record.steps_taken >= self.limit:
            self.run = run = KitchenRun(run.problem, replace(run.plan, limit=self.limit), run.rules)
        self.record = run.record
        self.steps = run.record.steps_taken
        messages = messages_of(submitted, len(run.plan.commands))
        self.failure = failure(run.record, self.limit, messages)
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


def _step_limit(kitchen: Kitchen, rules: KitchenRules, min_steps: int | None) -> int | None:
    """Return the step limit of a success by the rules, ``None`` if its reference is not known."""
    reference = min_steps if rules.limit == "optimum" else published_steps(kitchen.name)
    return None if reference is None else step_limit(reference)


def _live_row(environment: AnyEnvironment, oracle: Oracle) -> Row | None:
    """Return the success within the step limit, from the state.

    A joint move can reach the goal after its round has reached the limit. Such runs are graded.
    """
    simulator = cast(KitchenSimulator, environment.simulator)
    kitchen, rules = simulator.engine.kitchen, environment.rules
    min_steps = Optimum.of(oracle.best(kitchen, rules)).makespan
    limit = _step_limit(kitchen, rules, min_steps)
    if limit is None:
        return {"within_limit": None}
    is_late = environment.state.world.ticks >= limit
    return None if environment.success and is_late else {"within_limit": environment.success}


def declare(rules: KitchenRules) -> Declarations[KitchenMeasurement]:
    """Return the metrics, and success rates and efficiency (sections 4.2.2 and 4.2.3)."""
    return (*_steps_and_success(), *_efficiency(), *_wrong_actions(), *_long_running_work(), *_failures())


def _steps_and_success() -> Declarations[KitchenMeasurement]:
    """Return numbers of steps, and the success within the step limit."""
    return (
        Metric("end", "reason for the end of the run", lambda measurement: measurement.record.end, kind="text"),
        Metric(
            "steps_taken",
            "legal actions, and refused ones by the rule count_refused; with joint moves complete rounds",
            lambda measurement: measurement.steps,
            "steps",
            "count",
            average=Average("average_steps", "steps of all runs (Table 4)", _steps_taken, is_shown=False),
        ),
        Metric(
            "attempts",
            "all actions, refused ones included",
            lambda measurement: len(measurement.record.steps),
            "steps",
            "count",
        ),
        Metric(
            "optimal_steps",
            "proved minimum number of steps",
            lambda measurement: measurement.min_steps,
            "steps",
            "count",
        ),
        Metric(
            "lower_bound",
            "proved lower bound on the number of steps",
            lambda measurement: measurement.best.lower_bound,
            "steps",
            "count",
        ),
        Metric(
            "step_limit", "step limit: 1.5 times the reference", lambda measurement: measurement.limit, "steps", "count"
        ),
        # The paper's success [4.2.2, question 1].
        Metric(
            "within_limit",
            "goal reached within the step limit",
            _is_within_limit,
            kind="flag",
            is_shown=True,
            average=Average(
                "success", "goal reached within the step limit, where the limit is known", role=("success", "main")
            ),
        ),
        Average("unproved", "runs whose step limit is not known", _is_unproved, "sum"),
        Average("completed", "goal reached, with or without a known step limit", lambda row: row["end"] == "completed"),
        Metric(
            "within_limit_attempts",
            "goal reached within the step limit, refused actions counted",
            _is_within_limit_by_attempts,
            kind="flag",
        ),
    )


def _is_within_limit(measurement: KitchenMeasurement) -> bool | None:
    return measurement.within(measurement.steps)


def _is_within_limit_by_attempts(measurement: KitchenMeasurement) -> bool | None:
    return measurement.within(len(measurement.record.steps))


def _steps_taken(row: Row) -> int | None:
    return row.get("steps_taken")


def _is_unproved(row: Row) -> int:
    return int(row["within_limit"] is None)


def _efficiency() -> Declarations[KitchenMeasurement]:
    """Return metrics relative to the minimum number of steps (4.2.2, questions 2 and 3)."""
    return (
        Metric(
            "optimality",
            "steps divided by the minimum number of steps, of a successful run",
            _optimality,
            "share",
            is_shown=True,
            average=Average("optimality", "steps divided by the minimum number of steps, of successful runs"),
        ),
        Metric(
            "steps_to_go",
            "minimum remaining steps divided by the minimum number of steps",
            _steps_to_go,
            "share",
        ),
        Metric(
            "steps_left",
            "proved minimum number of steps from the final state",
            lambda measurement: measurement.steps_left,
            kind="json",
        ),
        Metric(
            "rest",
            "status of steps_left; infeasible: the goal can no longer be reached",
            lambda measurement: measurement.rest and measurement.rest.status,
            kind="json",
        ),
        Metric(
            "lost", "(steps taken + steps left) / minimum number of steps - 1, of a failed run", _total_loss, "share"
        ),
    )


def _optimality(measurement: KitchenMeasurement) -> float | None:
    return measurement.by_min_steps(measurement.steps) if measurement.within(measurement.steps) else None


def _steps_to_go(measurement: KitchenMeasurement) -> float | None:
    return measurement.by_min_steps(measurement.steps_left)


def _wrong_actions() -> Declarations[KitchenMeasurement]:
    """Return metrics of repeated and refused actions (4.2.3, question 5)."""
    return (
        Metric(
            "repeated_transitions",
            "actions that were tried before in the same state",
            lambda measurement: measurement.repeated,
            kind="json",
        ),
        Metric(
            "repeated_share",
            "share of repeated transitions",
            _repeated_share,
            "share",
            average=Average(
                "repeated_share", "share of repeated transitions", lambda row: row.get("repeated_share") or 0.0
            ),
        ),
        Metric(
            "invalid_actions",
            "refused actions",
            lambda measurement: len(measurement.record.refusals),
            kind="count",
            average=Average("invalid_actions", "refused actions"),
        ),
        Metric(
            "invalid_kinds",
            "refused actions by kind",
            _invalid_kinds,
            kind="json",
            average=Average("invalid_kinds", "refused actions by kind", aggregate="counts", is_shown=False),
        ),
    )


def _repeated_share(measurement: KitchenMeasurement) -> float:
    return measurement.repeated / max(len(measurement.record.steps), 1)


def _long_running_work() -> Declarations[KitchenMeasurement]:
    """Return metrics of the foresight of a run (4.2.4, question 6)."""
    return (
        Metric(
            "prioritised",
            "long-running work started before other work",
            lambda measurement: measurement.foresight.prioritised,
            kind="flag",
        ),
        Metric(
            "slow_needed",
            "pieces of long-running work that the goal needs",
            lambda measurement: measurement.foresight.slow_needed,
            kind="json",
        ),
        Metric(
            "slow_started",
            "actions that started long-running work",
            lambda measurement: measurement.foresight.slow_started,
            kind="json",
        ),
        Metric(
            "first_slow_start",
            "steps before the first start of long-running work",
            lambda measurement: measurement.foresight.first_slow_start,
            kind="json",
        ),
        Metric(
            "other_before",
            "actions for other work before that start",
            lambda measurement: measurement.foresight.other_before,
            kind="json",
        ),
    )


def _failures() -> Declarations[KitchenMeasurement]:
    """Return the failure of a run and its steps (4.2.3, A.9)."""
    return (
        Metric(
            "failure",
            "class of the failure",
            lambda measurement: measurement.failure.kind,
            kind="text",
            is_shown=True,
            average=Average(
                "failures",
                "failed runs by class",
                _failure_of_row,
                "counts",
            ),
        ),
        Metric(
            "cause", "cause of the failure", lambda measurement: measurement.failure.cause, kind="text", is_shown=True
        ),
        Metric(
            "cause_index",
            "position of the action that caused the failure",
            lambda measurement: measurement.failure.position,
            kind="json",
        ),
        Metric(
            "lacks",
            "conditions of the goal that do not hold at the end",
            _lacks,
            kind="json",
        ),
        Metric(
            "recovered",
            "refused actions from which the run recovered",
            lambda measurement: measurement.failure.recovered,
            kind="json",
        ),
        *_mistakes(),
        Metric(
            "steps",
            "all actions, each as action, legal, goal reached, number of legal actions before",
            _steps,
            kind="json",
        ),
    )


def _mistakes() -> Declarations[KitchenMeasurement]:
    """Return recovery from mistakes and their repetition, of a transition failure (A.12)."""
    recovery = "the run recovered from a mistake, which broke a rule"
    repetition = "after that recovery the run repeats the mistake: the same action at a station of the same kind"
    return (
        Metric(
            "recovered_mistake",
            recovery,
            _has_recovered,
            kind="flag",
            average=Average("recovered_mistake", f"share of transition failures: {recovery}", is_shown=False),
        ),
        Metric(
            "repeated_mistake",
            repetition,
            _has_repeated,
            kind="flag",
            average=Average("repeated_mistake", f"share of recovered failures: {repetition}", is_shown=False),
        ),
    )


def _has_recovered(measurement: KitchenMeasurement) -> bool | None:
    mistake = measurement.failure.mistake
    return None if mistake is None else mistake.recovered


def _has_repeated(measurement: KitchenMeasurement) -> bool | None:
    mistake = measurement.failure.mistake
    return None if mistake is None else mistake.repeated


def _failure_of_row(row: Row) -> list[str]:
    return [] if row["failure"] == "success" else [row["failure"]]


def _lacks(measurement: KitchenMeasurement) -> list[dict[str, object]]:
    return [
        {
            "kind": lack.kind,
            "condition": list(lack.condition),
            "objects": list(lack.objects),
            "made": lack.is_own_doing,
        }
        for lack in measurement.failure.lacks
    ]


def _steps(measurement: KitchenMeasurement) -> list[list[object]]:
    return [[step.action, step.valid, step.reached, step.choices] for step in measurement.record.steps]


def _total_loss(measurement: KitchenMeasurement) -> float | None:
    if measurement.run.success or measurement.steps_left is None or not measurement.min_steps:
        return None
    return (measurement.steps + measurement.steps_left) / measurement.min_steps - 1


def _invalid_kinds(measurement: KitchenMeasurement) -> dict[str, int]:
    kinds = Counter(refusal.kind for refusal in measurement.record.refusals)
    return {kind: kinds[kind] for kind in REFUSALS}


def _published_claim(kitchen: Kitchen) -> Claim:
    return Claim(published_steps(kitchen.name))


METRICS = MetricSet(
    KitchenMeasurement,
    declare,
    references=(
        Reference(
            "published",
            "published",
            _published_claim,
            main=True,
            published="published",
            profile="released",
        ),
    ),
    live_row=_live_row,
)
