"""Averages over grades, with what is missing and undefined said."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from planoracle.analysis.grade import Grade
from planoracle.analysis.metrics import timearena
from planoracle.analysis.metrics.asynctool import Hits
from planoracle.instances import catalogue

__all__ = ["summarize", "summarize_asynctool", "summarize_robotouille", "summarize_timearena"]


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
    apart = ("timearena", "asynctool", "robotouille")
    groups = _groups(grade for grade in grades if grade.benchmark not in apart)
    return [_row(model, where, group, missing) for (model, where), group in groups]


def summarize_timearena(grades: Iterable[Grade]) -> list[dict[str, Any]]:
    """Compute the paper's AS, CS, CR and CT per model and set from the grades of TimeArena runs.

    Returns
    -------
    list of dict
        ``model, set, runs, unscored, AS, CS, CR, CT``, as `planoracle.analysis.metrics.timearena.Summary`.
    """
    groups = _groups(grade for grade in grades if grade.benchmark == "timearena")
    rows = []
    for (model, where), group in groups:
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


def summarize_asynctool(grades: Iterable[Grade], *, f1: str = "nestful") -> list[dict[str, Any]]:
    """Compute the columns of the paper's Tables 1 and 12 and Figure 4, and ours, per model and set.

    Parameters
    ----------
    f1
        Rule of the step level: ``"nestful"`` averages over runs, ``"micro"`` pools all labels.

    Returns
    -------
    list of dict
        ``model, set, runs, unscored, missing`` (number of problems of a bundled set without a run; they enter no
        mean), shares ``func, param`` (step level), ``char, env, acc`` (over sub-tasks), ``task_char, task_env,
        overall`` (over runs); means ``streak, streak_excess, premature, idle, usable_idle``; over the runs that
        succeed ``turns`` and ``efficiency`` (optimal turns by turns used); ``func_micro, param_micro``; and
        ``causes``, the number of failed sub-tasks by cause.
    """
    rows = []
    for (model, where), group in _groups(grade for grade in grades if grade.benchmark == "asynctool"):
        scored = [grade for grade in group if grade.scored]
        details = [grade.details for grade in scored]
        tasks = sum(one["subtasks"] for one in details)
        won = [one for one in details if one["overall"] and one["closed"]]
        micro = {level: _pooled(one["labels"][level] for one in details) for level in ("functions", "parameters")}
        causes = Counter(cause["cause"] for one in details for cause in one["causes"] if cause["failed"])
        covered = {grade.instance for grade in group}

        def mean(key: str, rows: list[dict[str, Any]] = details) -> float | None:
            return _mean((one[key] for one in rows), len(rows))

        def share(key: str, rows: list[dict[str, Any]] = details, tasks: int = tasks) -> float | None:
            return _mean((one[key] * one["subtasks"] for one in rows), tasks)

        rows.append(
            {
                "model": model,
                "set": where,
                "runs": len(group),
                "unscored": len(group) - len(scored),
                "missing": sum(name not in covered for name in catalogue.set_of(group[0].instance or "")[1]),
                "func": micro["functions"] if f1 == "micro" else mean("func_f1"),
                "param": micro["parameters"] if f1 == "micro" else mean("param_f1"),
                "char": share("subtask_char"),
                "env": share("subtask_env"),
                "acc": share("subtask_acc"),
                "task_char": mean("task_char"),
                "task_env": mean("task_env"),
                "overall": mean("overall"),
                "streak": mean("streak"),
                "streak_excess": mean("streak_excess"),
                "turns": mean("turns", won),
                "efficiency": _mean((one["turn_efficiency"] for one in won), len(won)),
                "premature": mean("premature_calls"),
                "idle": mean("idle_turns"),
                "usable_idle": mean("usable_idle_turns"),
                "func_micro": micro["functions"],
                "param_micro": micro["parameters"],
                "causes": dict(sorted(causes.items())),
            }
        )
    return rows


def summarize_robotouille(grades: Iterable[Grade]) -> list[dict[str, Any]]:
    """Compute success rates and efficiency per model and set from the grades of kitchens.

    Returns
    -------
    list of dict
        ``model, set, runs, unscored, missing`` (number of kitchens of a bundled set without a run; they enter no mean);
        ``success``, the share of runs that reach the goal within 1.5 times the optimum (section 4.2.2), over those
        whose optimum is proved, and how many are not (``unproved``); ``completed``, the share that reach it at all;
        mean ``optimality`` of these; mean ``repeated_share`` and ``invalid_actions``; ``failures`` by class.
    """
    rows = []
    for (model, where), group in _groups(grade for grade in grades if grade.benchmark == "robotouille"):
        details = [grade.details for grade in group if grade.scored]
        judged = [one["within_limit"] for one in details if one["within_limit"] is not None]
        rates = [one["optimality"] for one in details if one["optimality"] is not None]
        covered = {grade.instance for grade in group}
        failures = Counter(one["failure"] for one in details if one["failure"] != "success")
        rows.append(
            {
                "model": model,
                "set": where,
                "runs": len(group),
                "unscored": len(group) - len(details),
                "missing": sum(name not in covered for name in catalogue.set_of(group[0].instance or "")[1]),
                "success": _mean(judged, len(judged)),
                "unproved": len(details) - len(judged),
                "completed": _mean((one["end"] == "completed" for one in details), len(details)),
                "optimality": _mean(rates, len(rates)),
                "repeated_share": _mean((one["repeated_share"] or 0.0 for one in details), len(details)),
                "invalid_actions": _mean((one["invalid_actions"] for one in details), len(details)),
                "failures": dict(sorted(failures.items())),
            }
        )
    return rows


def _pooled(labels: Iterable[dict[str, int]]) -> float | None:
    rows = list(labels)
    return Hits(**{key: sum(row[key] for row in rows) for key in ("hits", "vain", "missed")}).f1 if rows else None


def _groups(grades: Iterable[Grade]) -> list[tuple[tuple[str, str], list[Grade]]]:
    """Group grades by model and set, sorted."""
    groups: dict[tuple[str, str], list[Grade]] = defaultdict(list)
    for grade in grades:
        groups[grade.model or "", catalogue.set_of(grade.instance or "")[0]].append(grade)
    return sorted(groups.items())


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
