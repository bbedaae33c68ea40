"""Metrics of AsyncHow: accuracy (Lin et al., 2024, section 5), and the reading of an answer."""

from __future__ import annotations

from planoracle.instances.benchmarks.asynchow.bundled_data import FEW_SHOT
from planoracle.instances.benchmarks.asynchow.problems import least, origin_of
from planoracle.instances.benchmarks.asynchow.rules import Profile
from planoracle.instances.benchmarks.asynchow.run import AsyncHowRun
from planoracle.plugin import (
    Average,
    Claim,
    Declarations,
    Instance,
    Measurement,
    Metric,
    MetricSet,
    Reference,
    Row,
)


def declare(rules: Profile) -> Declarations[Measurement[AsyncHowRun]]:
    """Return the metrics; averages exclude the three problems that the prompts show."""
    return (
        Average(
            "accuracy",
            "share of right answers and optimal plans",
            lambda row: None if row["few_shot"] else row["success"] and row["makespan"] == row["optimal_makespan"],
            role=("success", "main"),
        ),
        Average(
            "score",
            "1 for a right answer; optimum divided by makespan for a plan",
            lambda row: None if row["few_shot"] else _score(row),
        ),
        Average(
            "wrong_answers",
            "wrong answers by reason",
            lambda row: [row["violation"]] if row["violation"] and row["given"] == "answer" else [],
            "counts",
        ),
        Metric(
            "given",
            "kind of submission: answer or plan",
            lambda its: "plan" if its.run.answer is None else "answer",
            kind="text",
        ),
        Metric(
            "parsed",
            "shortest and longest time that was read; 0 and 0 without a time",
            lambda its: None if its.run.answer is None else list(its.run.answer.parsed),
            "seconds",
            "text",
            is_shown=True,
        ),
        Metric(
            "gold",
            "shortest and longest time that count as right",
            lambda its: list(its.run.right_answer),
            "seconds",
            "text",
        ),
        Metric(
            "complexity",
            "nodes and edges of the graph, with START and END",
            lambda its: origin_of(its.run.problem).facts.complexity,
            kind="count",
        ),
        Metric(
            "few_shot",
            "the prompts of the paper show the answer",
            lambda its: origin_of(its.run.problem).facts.name in FEW_SHOT,
            kind="flag",
        ),
    )


def _score(row: Row) -> float:
    if not row["success"]:
        return 0.0
    return row["optimal_makespan"] / row["makespan"] if row["makespan"] else 1.0


# Reasons for which eight released answers are too short.
_FAULTS = {
    "misread": "only the last unit of durations was read",
    "overwritten": "the shortest time of another path replaced that of the longest path",
}


def _released(problem: Instance) -> Claim:
    facts, ticks = origin_of(problem).facts, problem.seconds_per_tick or 1
    claimed = facts.released_answer[0] // ticks
    is_feasible = claimed >= least(problem)
    return Claim(claimed, is_feasible, "" if is_feasible else _FAULTS[str(facts.fault)])


METRICS = MetricSet(
    Measurement[AsyncHowRun],
    declare,
    references=(Reference("released_answer", "released answer", _released, main=True, published="released_answer"),),
)
