"""Metrics of AsyncHow: accuracy (Lin et al., 2024, section 5), and the reading of an answer."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.asynchow.bundled_data import FEW_SHOT
from planoracle.instances.benchmarks.asynchow.problems import least, origin_of
from planoracle.instances.benchmarks.asynchow.rules import Profile
from planoracle.instances.benchmarks.asynchow.run import AsyncHowRun
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.environment import AnyEnvironment
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
)


def declare(rules: Profile) -> Declarations[Measurement[AsyncHowRun]]:
    """Return the metrics; averages exclude the three problems that the prompts show."""
    accuracy = Average("accuracy", "share of right answers and optimal plans", _accuracy, role=("success", "main"))
    score = Average("score", "1 for a right answer; optimum divided by makespan for a plan", _score)
    wrong_answers = Average("wrong_answers", "wrong answers by reason", _reasons, "counts")
    kind = Metric("given", "kind of submission: answer or plan", _kind_of_submission, kind="text")
    parsed = Metric(
        "parsed",
        "shortest and longest time that was read; 0 and 0 without a time",
        _time_read,
        "seconds",
        "text",
        is_shown=True,
    )
    gold = Metric("gold", "shortest and longest time that count as right", _right_time, "seconds", "text")
    complexity = Metric("complexity", "nodes and edges of the graph, with START and END", _complexity, kind="count")
    few_shot = Metric("few_shot", "the prompts of the paper show the answer", _is_few_shot, kind="flag")
    return accuracy, score, wrong_answers, kind, parsed, gold, complexity, few_shot


def _accuracy(row: Row) -> Any:
    """Return whether a grade is right, ``None`` for a problem that the prompts show."""
    if row["few_shot"]:
        return None
    return row["success"] and row["makespan"] == row["optimal_makespan"]


def _reasons(row: Row) -> list[str]:
    """Return the reason for a wrong answer."""
    violation = row["violation"]
    return [violation] if violation and row["given"] == "answer" else []


def _kind_of_submission(measurement: Measurement[AsyncHowRun]) -> str:
    return "plan" if measurement.run.answer is None else "answer"


def _time_read(measurement: Measurement[AsyncHowRun]) -> list[float] | None:
    answer = measurement.run.answer
    return None if answer is None else list(answer.parsed)


def _right_time(measurement: Measurement[AsyncHowRun]) -> list[int]:
    return list(measurement.run.right_answer)


def _complexity(measurement: Measurement[AsyncHowRun]) -> int:
    return origin_of(measurement.run.problem).facts.complexity


def _is_few_shot(measurement: Measurement[AsyncHowRun]) -> bool:
    return _is_shown(measurement.run.problem)


def _is_shown(problem: Instance) -> bool:
    """Return True if the prompts of the paper show the answer to a problem."""
    return origin_of(problem).facts.name in FEW_SHOT


def _live_row(environment: AnyEnvironment, oracle: Oracle) -> Row | None:
    """Return whether the problem is shown, and the failure of a run so far; a success is graded."""
    is_shown = _is_shown(environment.problem)
    if environment.success and not is_shown:
        return None
    return {"few_shot": is_shown, "success": False}


def _score(row: Row) -> float | None:
    if row["few_shot"]:
        return None
    if not row["success"]:
        return 0.0
    return row["optimal_makespan"] / row["makespan"] if row["makespan"] else 1.0


# Reasons for which eight released answers are too short.
_FAULTS = {
    "misread": "only the last unit of durations was read",
    "overwritten": "the shortest time of another path replaced that of the longest path",
}


def _released_claim(problem: Instance) -> Claim:
    """Return the makespan that the released answer states."""
    facts = origin_of(problem).facts
    ticks = problem.seconds_per_tick or 1
    claimed = facts.released_answer[0] // ticks
    is_feasible = claimed >= least(problem)
    reason = "" if is_feasible else _FAULTS[str(facts.fault)]
    return Claim(claimed, is_feasible, reason)


_RELEASED = Reference("released_answer", "released answer", _released_claim, main=True, published="released_answer")


METRICS = MetricSet(
    Measurement[AsyncHowRun],
    declare,
    references=(_RELEASED,),
    live_row=_live_row,
)
