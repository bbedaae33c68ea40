"""The scorer for inspect_ai: the grade of what was handed in, beside the proved optimum."""

from __future__ import annotations

from functools import partial
from typing import Any

import anyio
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from planoracle.analysis.adapters.verdicts import verdict_in_worker
from planoracle.analysis.grade import Grade
from planoracle.analysis.intake.columns import plan_fields
from planoracle.analysis.intake.logs import STORED
from planoracle.instances.visible import visible

#: Of what there is no value for a sample; left out of means.
_NOTHING = float("nan")
_FIGURES = [mean(), stderr()]


@scorer(metrics={"success": _FIGURES, "main_score": _FIGURES, "ratio": _FIGURES, "regret": _FIGURES})
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

    async def score(state: TaskState, target: Target) -> Score:
        submission = _submission(state)
        grade, told = await anyio.to_thread.run_sync(partial(verdict_in_worker, submission, profile, prices))
        answer = visible(str(next(submission[name] for name in plan_fields() if name in submission)))[:2000]
        if not grade.scored:
            return Score.unscored(reason="invalid_response_format", answer=answer, explanation=told)
        return Score(
            value={
                "success": float(bool(grade.success)),
                "main_score": _number(grade.main_score),
                "ratio": _number(_ratio(grade)),
                "regret": _number(_regret(grade)),
            },
            answer=answer,
            explanation=told,
            metadata={name: value for name, value in grade.row().items() if name != "violations"},
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
