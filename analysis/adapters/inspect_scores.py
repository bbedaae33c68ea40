"""The scorer for inspect_ai: the grade of what was handed in, beside the proved optimum."""

from __future__ import annotations

from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from planoracle.analysis.critique import critique_of
from planoracle.analysis.grade import Grade, Grader
from planoracle.analysis.intake.logs import STORED
from planoracle.analysis.oracle import Oracle
from planoracle.analysis.profiles import profiles
from planoracle.analysis.regret import regret_of
from planoracle.instances.benchmark import AnyRun
from planoracle.instances.deadline import Limit, Work
from planoracle.instances.visible import visible

__all__ = ["explained", "planoracle"]

#: Of what there is no value for a sample; left out of means.
_NOTHING = float("nan")
#: Decisions of longer runs are not priced.
MAX_PRICED = 300


@scorer(
    metrics={
        "success": [mean(), stderr()],
        "main_score": [mean(), stderr()],
        "ratio": [mean(), stderr()],
        "regret": [mean(), stderr()],
    }
)
def planoracle(profile: str = "paper", prices: bool = True) -> Scorer:
    """Grade what was handed in, as ``planoracle grade`` does.

    ``success`` (0 or 1); ``main_score``, the benchmark's main figure; of successes ``ratio``, makespan by proved
    optimum, and ``regret``, their difference in ticks. A plan that cannot be read has no score.

    Parameters
    ----------
    profile
        Rules: ``paper`` or ``released``.
    prices
        Say what the first fault cost, which takes a search for every decision.
    """
    grader = Grader(profiles(profile))

    async def score(state: TaskState, target: Target) -> Score:
        submission = _submission(state)
        grade = grader.grade(submission)
        answer = visible(str(next(iter(submission.values()), "")))[:2000]
        if not grade.scored:
            return Score.unscored(reason="invalid_response_format", answer=answer, explanation=grade.reason)
        run = grader.run(submission)
        return Score(
            value={
                "success": float(bool(grade.success)),
                "main_score": _number(grade.main_score),
                "ratio": _number(_ratio(grade)),
                "regret": _number(_regret(grade)),
            },
            answer=answer,
            explanation=explained(run, grade, grader.oracle, Work(2.0) if prices else None),
            metadata={name: value for name, value in grade.row().items() if name not in ("violations", "metadata")},
        )

    return score


def _submission(state: TaskState) -> dict[str, Any]:
    """Return what a solver of ours has handed in, else what any solver has answered."""
    kept = state.store.get(STORED)
    handed_in = kept["submission"] if kept else {"plan": state.output.completion}
    return {**handed_in, "instance": str(state.sample_id), "id": f"{state.sample_id}_epoch_{state.epoch}"}


def _number(value: float | None) -> float:
    return _NOTHING if value is None else float(value)


def _ratio(grade: Grade) -> float | None:
    known = grade.success and grade.makespan is not None and grade.optimal_makespan
    return grade.makespan / grade.optimal_makespan if known else None  # type: ignore[operator]


def _regret(grade: Grade) -> float | None:
    known = grade.success and grade.makespan is not None and grade.optimal_makespan is not None
    return grade.makespan - grade.optimal_makespan if known else None  # type: ignore[operator]


def explained(run: AnyRun, grade: Grade, oracle: Oracle, limit: Limit | None) -> str:
    """Return the verdict in words: the outcome, the first fault, the dearest decision and what they cost; the critique.

    Parameters
    ----------
    limit
        For the price of a decision; ``None``: prices are not told.
    """
    unit = run.problem.unit
    lines = str(grade).splitlines()
    if limit is not None and len(run.steps) <= MAX_PRICED:
        priced = regret_of(run, seconds=limit)
        broken = next((one for one in priced.decisions if one.violation is not None), None)
        if broken is not None:
            lines.append(f"first fault: {broken.violation}, {broken.command}, cost {_price(broken.cost, unit)}")
        for one in (priced.decisions[at] for at in priced.costliest(1)):
            lines.append(f"dearest decision: {one.command} ({one.start} to {one.end}), cost {_price(one.cost, unit)}")
        if priced.no_return is not None:
            lines.append(f"nothing led to success any more after: {priced.decisions[priced.no_return].command}")
    elif run.verdict.violations:
        lines.append(f"first fault: {run.verdict.violations[0].kind}, {run.verdict.violations[0].subject}")
    report = critique_of(run, oracle=oracle, regret=False).prose()
    return visible("\n".join([*lines, "", report]), keep="\n")


def _price(cost: int | None, unit: str) -> str:
    return "what is not known" if cost is None else f"{cost} {unit}{'' if cost == 1 else 's'}"
