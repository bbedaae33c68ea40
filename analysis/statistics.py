"""Averages over grades, with what is missing and undefined said; one pass, nothing kept but sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Protocol

from planoracle.analysis.grade import Grade
from planoracle.instances import catalogue
from planoracle.instances.asynctool.metrics import Hits
from planoracle.instances.timearena import metrics as timearena

__all__ = ["Averages", "summarize", "summarize_asynctool", "summarize_robotouille", "summarize_timearena"]


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
    return Averages(missing=missing).over(grades).plain()


def summarize_timearena(grades: Iterable[Grade]) -> list[dict[str, Any]]:
    """Compute the paper's AS, CS, CR and CT per model and set from the grades of TimeArena runs.

    Returns
    -------
    list of dict
        ``model, set, runs, unscored, AS, CS, CR, CT``, as `planoracle.instances.timearena.metrics.Summary`.
    """
    return Averages().over(grades).timearena()


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
    return Averages(f1=f1).over(grades).asynctool()


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
    return Averages().over(grades).robotouille()


class Averages:
    """Sums over grades, by benchmark, model and set, of which the averages are made.

    Parameters
    ----------
    missing, f1
        See `summarize` and `summarize_asynctool`.
    """

    def __init__(self, *, missing: str = "failed", f1: str = "nestful") -> None:
        self.missing = missing
        self.f1 = f1
        self._groups: dict[str, dict[tuple[str, str], _Group]] = {name: {} for name in ("", *_KINDS)}

    def add(self, grade: Grade) -> None:
        """Count a grade."""
        kind = grade.benchmark or ""
        where, members = _set_of(grade.instance or "")
        groups, key = self._groups.get(kind, self._groups[""]), (grade.model or "", where)
        if key not in groups:
            groups[key] = _KINDS.get(kind, _Plain)(members)
        groups[key].add(grade)

    def over(self, grades: Iterable[Grade]) -> Averages:
        """Count several grades; return the same averages."""
        for grade in grades:
            self.add(grade)
        return self

    def plain(self) -> list[dict[str, Any]]:
        """Return what `summarize` does."""
        return self._rows("")

    def timearena(self) -> list[dict[str, Any]]:
        """Return what `summarize_timearena` does."""
        return self._rows("timearena")

    def asynctool(self) -> list[dict[str, Any]]:
        """Return what `summarize_asynctool` does."""
        return self._rows("asynctool")

    def robotouille(self) -> list[dict[str, Any]]:
        """Return what `summarize_robotouille` does."""
        return self._rows("robotouille")

    def _rows(self, kind: str) -> list[dict[str, Any]]:
        groups = sorted(self._groups[kind].items(), key=lambda entry: entry[0])
        return [{"model": model, "set": where} | group.row(self) for (model, where), group in groups]


_set_of = lru_cache(maxsize=4096)(catalogue.set_of)


class _Sums:
    """Sums by name, and how many values each is of; ``None`` is no value."""

    def __init__(self) -> None:
        self.total: dict[str, float] = {}
        self.number: dict[str, int] = {}

    def add(self, **values: float | None) -> None:
        for name, value in values.items():
            if value is not None:
                self.total[name] = self.total.get(name, 0) + value
                self.number[name] = self.number.get(name, 0) + 1

    def of(self, name: str) -> float:
        """Return a sum."""
        return self.total.get(name, 0)

    def mean(self, name: str, count: int | None = None) -> float | None:
        """Return the sum by a number, that of its values if none is given."""
        number = self.number.get(name, 0) if count is None else count
        return self.of(name) / number if number else None


class _Group(Protocol):
    def add(self, grade: Grade) -> None: ...

    def row(self, about: Averages) -> dict[str, Any]: ...


class _Base(ABC):
    """What is counted everywhere: submissions, those without a score, and problems without a submission."""

    def __init__(self, members: tuple[str, ...]) -> None:
        self.number = self.scored = 0
        self.absent = dict.fromkeys(members)
        self.sums = _Sums()

    def add(self, grade: Grade) -> None:
        self.number += 1
        self.absent.pop(grade.instance or "", None)
        if grade.scored:
            self.scored += 1
            self.count(grade)

    @abstractmethod
    def count(self, grade: Grade) -> None:
        """Count a grade that is scored."""

    @property
    def unscored(self) -> int:
        return self.number - self.scored


class _Plain(_Base):
    def count(self, grade: Grade) -> None:
        self.sums.add(
            success=bool(grade.success),
            progress=grade.progress or 0.0,
            goal_ratio=grade.goal_ratio or 0.0,
            r_efficiency=grade.r_efficiency,
            multitasking_score=grade.multitasking_score,
        )

    def row(self, about: Averages) -> dict[str, Any]:
        sums, absent = self.sums, list(self.absent)
        failed = len(absent) if about.missing == "failed" else 0
        count = self.scored + failed
        return {
            "submissions": self.number,
            "unscored": self.unscored,
            "missing": len(absent),
            "success": sums.mean("success", count),
            "progress": sums.mean("progress", count),
            "goal_ratio": sums.mean("goal_ratio", count),
            "r_efficiency": sums.mean("r_efficiency"),
            "multitasking_score": sums.mean("multitasking_score", failed + sums.number.get("multitasking_score", 0)),
            "undefined": self.scored - sums.number.get("r_efficiency", 0),
            "missing_names": absent,
        }


class _TimeArena(_Base):
    def count(self, grade: Grade) -> None:
        self.sums.add(
            score=grade.details["best_score"],
            time=grade.details["best_time"],
            minutes=grade.makespan if grade.success else None,
        )

    def row(self, about: Averages) -> dict[str, Any]:
        sums = self.sums
        summary = timearena.Summary.of_sums(
            self.scored, sums.of("score"), sums.of("time"), sums.number.get("minutes", 0), sums.of("minutes")
        )
        return {
            "runs": self.number,
            "unscored": self.unscored,
            "AS": summary.average_score,
            "CS": summary.completion_speed,
            "CR": summary.completion_rate,
            "CT": summary.completion_time,
        }


class _AsyncTool(_Base):
    def __init__(self, members: tuple[str, ...]) -> None:
        super().__init__(members)
        self.tasks = 0
        self.labels: dict[str, Counter[str]] = {"functions": Counter(), "parameters": Counter()}
        self.causes: Counter[str] = Counter()

    def count(self, grade: Grade) -> None:
        one = grade.details
        self.tasks += one["subtasks"]
        for level, labels in self.labels.items():
            labels.update(one["labels"][level])
        self.causes.update(cause["cause"] for cause in one["causes"] if cause["failed"])
        shares = ("subtask_char", "subtask_env", "subtask_acc")
        self.sums.add(**{name: one[name] for name in _MEANS}, **{name: one[name] * one["subtasks"] for name in shares})
        if one["overall"] and one["closed"]:
            self.sums.add(turns=one["turns"], turn_efficiency=one["turn_efficiency"])

    def row(self, about: Averages) -> dict[str, Any]:
        mean: Callable[..., float | None] = self.sums.mean
        func, param = (
            Hits(**{key: labels[key] for key in ("hits", "vain", "missed")}).f1 if self.scored else None
            for labels in self.labels.values()
        )
        return {
            "runs": self.number,
            "unscored": self.unscored,
            "missing": len(self.absent),
            "func": func if about.f1 == "micro" else mean("func_f1"),
            "param": param if about.f1 == "micro" else mean("param_f1"),
            "char": mean("subtask_char", self.tasks),
            "env": mean("subtask_env", self.tasks),
            "acc": mean("subtask_acc", self.tasks),
            "task_char": mean("task_char"),
            "task_env": mean("task_env"),
            "overall": mean("overall"),
            "streak": mean("streak"),
            "streak_excess": mean("streak_excess"),
            "turns": mean("turns"),
            "efficiency": mean("turn_efficiency"),
            "premature": mean("premature_calls"),
            "idle": mean("idle_turns"),
            "usable_idle": mean("usable_idle_turns"),
            "func_micro": func,
            "param_micro": param,
            "causes": dict(sorted(self.causes.items())),
        }


_MEANS = (
    "func_f1",
    "param_f1",
    "task_char",
    "task_env",
    "overall",
    "streak",
    "streak_excess",
    "premature_calls",
    "idle_turns",
    "usable_idle_turns",
)


class _Robotouille(_Base):
    def __init__(self, members: tuple[str, ...]) -> None:
        super().__init__(members)
        self.failures: Counter[str] = Counter()

    def count(self, grade: Grade) -> None:
        one = grade.details
        self.sums.add(
            success=one["within_limit"],
            optimality=one["optimality"],
            completed=one["end"] == "completed",
            repeated_share=one["repeated_share"] or 0.0,
            invalid_actions=one["invalid_actions"],
        )
        if one["failure"] != "success":
            self.failures[one["failure"]] += 1

    def row(self, about: Averages) -> dict[str, Any]:
        mean = self.sums.mean
        return {
            "runs": self.number,
            "unscored": self.unscored,
            "missing": len(self.absent),
            "success": mean("success"),
            "unproved": self.scored - self.sums.number.get("success", 0),
            "completed": mean("completed"),
            "optimality": mean("optimality"),
            "repeated_share": mean("repeated_share"),
            "invalid_actions": mean("invalid_actions"),
            "failures": dict(sorted(self.failures.items())),
        }


_KINDS: dict[str, Callable[[tuple[str, ...]], _Group]] = {
    "timearena": _TimeArena,
    "asynctool": _AsyncTool,
    "robotouille": _Robotouille,
}
