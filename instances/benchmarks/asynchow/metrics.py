"""Metrics of AsyncHow: accuracy (Lin et al., 2024, section 5), and the reading of an answer."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.instances.benchmarks.asynchow.bundled_data import FEW_SHOT
from planoracle.instances.benchmarks.asynchow.encoding import least, origin_of
from planoracle.instances.benchmarks.asynchow.rules import Profile
from planoracle.instances.benchmarks.asynchow.run import AsyncHowRun
from planoracle.instances.protocol.scoring import Average, Measured, Metric, Oracle, Row

COLUMNS = (
    Metric("given", "what was handed in: answer or plan", kind="text"),
    Metric(
        "parsed", "least and most seconds of a right answer, 0 and 0 of a wrong one", "seconds", "text", is_shown=True
    ),
    Metric("gold", "least and most seconds that count as right", "seconds", "text"),
    Metric("complexity", "nodes and edges of the graph, with START and END", kind="count"),
    Metric("few_shot", "whether the prompts of the paper show its answer", kind="flag"),
)


def averages(rules: Profile) -> tuple[Average, ...]:
    """Return the share of right answers, without the three problems that the prompts show."""

    def mean(value: Callable[[Row], float]) -> Callable[[Row], tuple[float, int] | None]:
        return lambda row: None if row["few_shot"] else (value(row), 1)

    def right(row: Row) -> float:
        return float(row["success"] and row["makespan"] == row["optimal_makespan"])

    def score(row: Row) -> float:
        if not row["success"]:
            return 0.0
        return row["optimal_makespan"] / row["makespan"] if row["makespan"] else 1.0

    def reasons(row: Row) -> list[str]:
        return [row["violation"]] if row["violation"] and row["given"] == "answer" else []

    return (
        Average("accuracy", "answers that are right, plans that are optimal", mean(right), role=("success", "main")),
        Average("score", "1 for a right answer; optimum by makespan of a plan", mean(score)),
        Average("wrong_answers", "why answers are wrong, how often", reasons, tally=True),
    )


def measure(run: AsyncHowRun, oracle: Oracle) -> Measured:
    """Compute the metrics of a run; with as many agents as steps the longest path is the optimum."""
    facts, best = origin_of(run.problem).facts, least(run.problem)
    metrics = {
        "given": "plan" if run.answer is None else "answer",
        "parsed": None if run.answer is None else list(run.answer.parsed),
        "gold": list(run.right_answer),
        "complexity": facts.complexity,
        "few_shot": facts.name in FEW_SHOT,
    }
    return Measured(best, metrics)
