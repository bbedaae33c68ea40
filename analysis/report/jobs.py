"""Worker tasks of the report: grade and explain each plan, then compute regrets within a limit.

Work is counted, see `planoracle.instances.model.limits`, so that the regrets depend neither on load nor on
processes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.report.details import compact_json, grade_faults, metrics
from planoracle.analysis.report.work import DecisionSheet, GradedSheet, ReportEntry, ReportOptions, ungraded_sheet
from planoracle.instances.workers.pool import TaskFailure, WorkerPool
from planoracle.solver.kinds.registry import find as find_kind

# Plans of one problem whose regrets one task computes.
_PRICED = 20

# Default seconds of counted work for regrets.
_DEFAULT_WORK = 25.0
# Batches that share the remaining work at a time.
_BATCHES = 8
# Remaining work, in seconds, up to which no further batch is started.
_MIN_WORK = 0.2

_GRADING, _PRICING = "grading", "pricing decisions"

#: Callback with the name of the phase, the units done, and their total.
OnProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class PlanWork:
    """Distinct plans; ``lines[i]``, ``sheets[i]`` and ``priced[i]`` belong to plan i.

    ``charts`` has the chart of each known problem by name.
    """

    lines: list[list[ReportEntry]]
    sheets: list[GradedSheet]
    priced: dict[int, DecisionSheet]
    charts: dict[str, str]


def work_on(
    entries: Iterable[ReportEntry],
    options: ReportOptions,
    *,
    regret_seconds: float | None,
    processes: int | None = None,
    on_progress: OnProgress = lambda label, done, total: None,
) -> PlanWork:
    """Grade and explain all submissions, and compute regrets; equal submissions are computed once.

    Parameters
    ----------
    regret_seconds
        Counted work for regrets, in seconds of a quiet core, by default `_DEFAULT_WORK`. The first plan of each model
        and problem comes first.
    processes
        By default one per processor.
    """
    lines: dict[str | int, list[ReportEntry]] = defaultdict(list)
    for entry in entries:
        lines[entry.key].append(entry)
    plans = list(lines.values())
    pool: WorkerPool[tuple[Any, ...], Any]
    seconds = _DEFAULT_WORK if regret_seconds is None else regret_seconds
    with WorkerPool(options.start, options.limits, processes) as pool:
        sheets = _grade_all(plans, pool, on_progress)
        work = PlanWork(plans, sheets, {}, _charts(plans, pool))
        _price_all(work, seconds, pool, on_progress)
    return work


def _grade_all(
    plans: list[list[ReportEntry]],
    pool: WorkerPool[tuple[Any, ...], Any],
    on_progress: OnProgress,
) -> list[GradedSheet]:
    """Return the grade and explanation of each plan."""
    on_progress(_GRADING, 0, len(plans))
    # Plans of one problem follow each other, so that few problems are in memory at a time.
    entries = [members[0] for members in plans]
    order = sorted(range(len(plans)), key=lambda i: entries[i].instance or "")
    submitted = [i for i in order if entries[i].submission is not None]
    answers = pool.map(("show", entries[i].submission) for i in submitted)
    sheets: dict[int, GradedSheet] = {}
    for i, answer in zip(submitted, answers, strict=True):
        if isinstance(answer, TaskFailure):
            answer = ungraded_sheet(Grader(), entries[i].submission or {}, answer.error)
        sheets[i] = answer
        on_progress(_GRADING, len(sheets), len(plans))
    return [sheets[i] if i in sheets else _sheet_of_grade(entry) for i, entry in enumerate(entries)]


def _charts(plans: list[list[ReportEntry]], pool: WorkerPool[tuple[Any, ...], Any]) -> dict[str, str]:
    """Return the chart of every problem that has one, by name."""
    names = list(dict.fromkeys(members[0].instance or "" for members in plans))
    answers = pool.map(("chart", name) for name in names)
    return {name: answer for name, answer in zip(names, answers, strict=True) if isinstance(answer, str)}


def _price_all(work: PlanWork, seconds: float, pool: WorkerPool[tuple[Any, ...], Any], on_progress: OnProgress) -> None:
    """Fill ``work.priced`` within the limit of work; one plan takes at most a tenth."""
    batches = list(_regret_batches(work)) if seconds > 0 else []
    remaining, max_per_plan = seconds, max(1.0, seconds / 10)
    done, total = 0, sum(map(len, batches))
    while batches and remaining > _MIN_WORK:
        current, batches = batches[:_BATCHES], batches[_BATCHES:]
        on_progress(_PRICING, done, total)
        share = remaining / len(current)
        tasks = [("price", share, min(max_per_plan, share), _submissions(work, part)) for part in current]
        for part, answer in zip(current, pool.map(tasks), strict=True):
            # If one plan exceeds the limits, its whole batch has no regrets.
            regrets, nanoseconds = ([], share * 1e9) if isinstance(answer, TaskFailure) else answer
            for i, sheet in zip(part, regrets, strict=False):
                if sheet is not None:
                    work.priced[i] = sheet
            remaining -= nanoseconds / 1e9
            done += len(part)
            on_progress(_PRICING, done, total)
    if done < total:
        on_progress(_PRICING, total, total)


def _submissions(work: PlanWork, part: list[int]) -> list[dict[str, Any] | None]:
    """Return the submissions of some plans."""
    return [work.lines[i][0].submission for i in part]


def _regret_batches(work: PlanWork) -> Iterator[list[int]]:
    """Yield batches of plans of one problem: first one plan per model, then the others."""
    first: dict[str, list[int]] = defaultdict(list)
    later: dict[str, list[int]] = defaultdict(list)
    seen = set()
    for i, members in enumerate(work.lines):
        submission = members[0].submission
        if submission is None or not work.sheets[i].grade.scored:
            continue
        name, model = submission["instance"], submission.get("model")
        group = later if (name, model) in seen else first
        group[name].append(i)
        seen.add((name, model))
    for group in (first, later):
        names = sorted(group, key=partial(_is_slow, work, group))
        batches = [_parts(group[name], _PRICED) for name in names]
        for parts in zip_longest(*batches):
            yield from (part for part in parts if part is not None)


def _is_slow(work: PlanWork, group: Mapping[str, list[int]], name: str) -> bool:
    """Return whether the searches of a problem, with its plans in a group, take much longer than others."""
    sheet = work.sheets[group[name][0]]
    return find_kind(sheet.kind).has_slow_search


def _parts(members: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(members), size):
        yield members[start : start + size]


def _sheet_of_grade(entry: ReportEntry) -> GradedSheet:
    """Return the sheet of a plan of which only the grade is known."""
    grade = entry.grade
    assert grade is not None
    sheet: dict[str, Any] = {}
    if grade.scored:
        sheet = {"graded": 1, "faults": grade_faults(grade), "metrics": metrics(grade)}
    return GradedSheet(grade.without_details(), len(grade.violations or ()), compact_json(sheet))
