"""Metrics of asyncplanning: share of right answers, and comparison with the optimum."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.asyncplanning.problems import origin_type
from planoracle.instances.benchmarks.asyncplanning.robot_metrics import (
    COLLECTED_REWARD,
    LOST_SECONDS,
    MAKESPAN_RATIO,
    REWARD_SHARE,
    published_claim,
    reward_share,
)
from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.benchmarks.asyncplanning.step_tasks import StepOrigin, longest_path, step_origin
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.recorded_verdict import RECORDED
from planoracle.instances.protocol.scoring import (
    Average,
    Claim,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Oracle,
    Reference,
    Row,
    live_row_of_failure,
)

# Runs of all parts have the attributes `seconds` and `form`.
_Measured = Measurement[Any]


def declare(rules: Profile) -> Declarations[_Measured]:
    """Return the metrics."""
    success = Average("success", "share of right answers and valid plans", _is_success, role=("success",))
    optimal = Average("optimal", "share of successes with the least makespan", _is_optimal)
    score = Average("score", "optimum divided by makespan for a success, else 0", _score, role=("main",))
    failures = Average("failures", "failures by the first violation", _violations, "counts")
    seconds = Metric("seconds", "makespan of a success, stated time of a failure", _seconds, "seconds", is_shown=True)
    form = Metric("form", "form of the answer", _form, kind="text")
    robots = COLLECTED_REWARD, MAKESPAN_RATIO, LOST_SECONDS, REWARD_SHARE
    return success, optimal, score, failures, seconds, form, *robots, RECORDED


def _is_success(row: Row) -> bool:
    return bool(row["success"])


def _optimum_of(row: Row) -> Any:
    return row["optimal_makespan"] or row.get("claimed_optimum")


def _is_optimal(row: Row) -> bool | None:
    """Return whether a plan is right and optimal; ``None`` if the optimum is unknown."""
    share = reward_share(row)
    if not row["success"] or (share is not None and share < 1):
        return False
    optimum = _optimum_of(row)
    return None if optimum is None else row["makespan"] <= optimum


def _score(row: Row) -> float | None:
    """Return the optimum divided by the makespan; a plan cannot be better than the optimum.

    Below the best reward, times are not compared: the share of the reward counts.
    """
    if not row["success"]:
        return 0.0
    share = reward_share(row)
    if share is not None and share < 1:
        return share
    optimum = _optimum_of(row)
    makespan = row["makespan"]
    if optimum is None:
        return None
    return min(1.0, optimum / makespan) if makespan else 1.0


def _violations(row: Row) -> list[str]:
    violation = row["violation"]
    return [violation] if violation else []


def _seconds(measurement: _Measured) -> float | None:
    """Return the makespan in seconds, whatever the length of a tick."""
    seconds = measurement.run.seconds
    return None if seconds is None else float(seconds)


def _form(measurement: _Measured) -> str:
    return str(measurement.run.form)


# --- references -----------------------------------------------------------------------------------


def _released_claim(problem: Instance) -> Claim:
    """Return the makespan that the released data state."""
    if origin_type(problem) is StepOrigin:
        return _released_answer(problem)
    return published_claim(problem)


def _released_answer(problem: Instance) -> Claim:
    """Return the released answer, and why it is wrong."""
    facts = step_origin(problem).facts
    ticks = facts.released_answer // (problem.seconds_per_tick or 1)
    optimum = longest_path(problem)
    if ticks == optimum:
        return Claim(ticks, accepted=True)
    steps = ", ".join(f"step{step}" for step in facts.misread)
    reason = f"the first time in the sentence was read as the duration of {steps}"
    return Claim(ticks, accepted=ticks > optimum, reason=reason)


_RELEASED = Reference("released_answer", "released answer", _released_claim, main=True, published="released_answer")


def _live_row(environment: AnyEnvironment, oracle: Oracle) -> Row | None:
    """Return the failure of a run so far; with optional goals every state may be a success, and is graded."""
    problem = environment.ruled_problem
    has_optional_goals = isinstance(problem, Instance) and bool(problem.weights)
    return None if has_optional_goals else live_row_of_failure(environment, oracle)


METRICS = MetricSet(_Measured, declare, references=(_RELEASED,), live_row=_live_row)
