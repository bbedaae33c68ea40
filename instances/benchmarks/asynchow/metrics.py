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
    """Return the metrics; the averages leave out the three problems that the prompts show."""
    return (
        Average(
            "accuracy",
            "answers that are right, plans that are optimal",
            lambda row: None if row["few_shot"] else row["success"] and row["makespan"] == row["optimal_makespan"],
            role=("success", "main"),
        ),
        Average(
            "score",
            "1 for a right answer; optimum by makespan of a plan",
            lambda row: None if row["few_shot"] else _score(row),
        ),
        Average(
            "wrong_answers",
            "why answers are wrong, how often",
            lambda row: [row["violation"]] if row["violation"] and row["given"] == "answer" else [],
            "counts",
        ),
        Metric(
            "given",
            "what was handed in: answer or plan",
            lambda its: "plan" if its.run.answer is None else "answer",
            kind="text",
        ),
        Metric(
            "parsed",
            "least and most seconds of a right answer, 0 and 0 of a wrong one",
            lambda its: None if its.run.answer is None else list(its.run.answer.parsed),
            "seconds",
            "text",
            is_shown=True,
        ),
        Metric(
            "gold",
            "least and most seconds that count as right",
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
            "whether the prompts of the paper show its answer",
            lambda its: origin_of(its.run.problem).facts.name in FEW_SHOT,
            kind="flag",
        ),
    )


def _score(row: Row) -> float:
    if not row["success"]:
        return 0.0
    return row["optimal_makespan"] / row["makespan"] if row["makespan"] else 1.0


# Why no schedule keeps the released answer, for eight problems.
_FAULTS = {
    "misread": "durations were read by their last unit only",
    "overwritten": "the least time of another path took the place of the longest path's",
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
