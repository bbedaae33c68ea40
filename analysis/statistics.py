"""Averages over grades, with what is missing and undefined said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from planoracle.analysis.grade import Grade
from planoracle.analysis.metrics import timearena
from planoracle.instances import catalogue

__all__ = ["summarize", "summarize_timearena"]


def summarize(grades: Iterable[Grade], *, missing: str = "failed") -> list[dict[str, Any]]:
    """Average grades per model and set (the name of the instance without its last part).

    Parameters
    ----------
    missing
        ``"failed"``: a problem of a bundled set without any submission counts as failed, with
        progress and score 0. ``"skipped"``: it leaves the denominator. An unscored submission is neither
        missing nor failed; it is counted and left out.

    Returns
    -------
    list of dict
        ``model, set, submissions, unscored, missing`` (number), ``missing_names``, and the means
        ``success, progress, goal_ratio, r_efficiency, multitasking_score``; ``undefined`` counts the
        runs whose efficiency is undefined, which are in no mean of it.
    """
    groups: dict[tuple[str, str], list[Grade]] = defaultdict(list)
    for grade in grades:
        if not (grade.instance or "").startswith("timearena/"):
            groups[grade.model or "", catalogue.set_of(grade.instance or "")[0]].append(grade)
    return [_row(model, where, group, missing) for (model, where), group in sorted(groups.items())]


def summarize_timearena(grades: Iterable[Grade]) -> list[dict[str, Any]]:
    """Compute the paper's AS, CS, CR and CT per model and set from the grades of TimeArena runs.

    Returns
    -------
    list of dict
        ``model, set, runs, unscored, AS, CS, CR, CT``, as `planoracle.analysis.metrics.timearena.Summary`.
    """
    groups: dict[tuple[str, str], list[Grade]] = defaultdict(list)
    for grade in grades:
        if (grade.instance or "").startswith("timearena/"):
            groups[grade.model or "", catalogue.set_of(grade.instance or "")[0]].append(grade)
    rows = []
    for (model, where), group in sorted(groups.items()):
        scored = [grade for grade in group if grade.scored]
        summary = timearena.summarize(
            [(g.details["best_score"], g.details["best_time"], g.makespan if g.success else None) for g in scored]
        )
        rows.append(
            {
                "model": model,
                "set": where,
                "runs": len(group),
                "unscored": len(group) - len(scored),
                "AS": summary.average_score,
                "CS": summary.completion_speed,
                "CR": summary.completion_rate,
                "CT": summary.completion_time,
            }
        )
    return rows


def _row(model: str, where: str, group: list[Grade], missing: str) -> dict[str, Any]:
    scored = [grade for grade in group if grade.scored]
    covered = {grade.instance for grade in group}
    members = catalogue.set_of(group[0].instance or "")[1] if where else ()
    absent = [name for name in members if name not in covered]
    count = len(scored) + (len(absent) if missing == "failed" else 0)
    efficiencies = [g.r_efficiency for g in scored if g.r_efficiency is not None]
    scores = [g.multitasking_score for g in scored if g.multitasking_score is not None]
    return {
        "model": model,
        "set": where,
        "submissions": len(group),
        "unscored": len(group) - len(scored),
        "missing": len(absent),
        "success": _mean((bool(g.success) for g in scored), count),
        "progress": _mean((g.progress or 0.0 for g in scored), count),
        "goal_ratio": _mean((g.goal_ratio or 0.0 for g in scored), count),
        "r_efficiency": _mean(efficiencies, len(efficiencies)),
        "multitasking_score": _mean(scores, count - len(scored) + len(scores)),
        "undefined": len(scored) - len(efficiencies),
        "missing_names": absent,
    }


def _mean(values: Iterable[float], count: int) -> float | None:
    return sum(values) / count if count else None
