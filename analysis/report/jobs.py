"""Work on all plans in worker processes: grade and explain all, then compute regrets as far as counted work allows.

Work is counted, see `planoracle.instances.model.limits`, so that the regrets depend neither on load nor on
processes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.batch.process import TaskFailure
from planoracle.analysis.report.details import grade_faults, metrics, packed
from planoracle.analysis.report.work import DecisionSheet, GradedSheet, ReportEntry, ReportOptions, refused

# Plans of one problem whose regrets one task computes.
_PRICED = 20

# Seconds of counted work to price in, if nothing else is said; batches that share what is left of it at once, and the
# share from which on it is not worth while.
_IN_ALL, _AT_ONCE, _WORTH = 25.0, 8, 0.2

_GRADING, _PRICING = "grading", "pricing decisions"

#: Called with what is being done, how much of it is done, and how much there is.
Told = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class PlanWork:
    """Plans that differ, with the lines that hold each; ``lines[i]`` and ``shown[i]`` belong together.

    ``charts`` holds the chart of every problem that exists, by name.
    """

    lines: list[list[ReportEntry]]
    shown: list[GradedSheet]
    priced: dict[int, DecisionSheet]
    charts: dict[str, str]


def work_on(
    entries: Iterable[ReportEntry],
    options: ReportOptions,
    *,
    regret_seconds: float | None,
    processes: int | None = None,
    told: Told = lambda label, done, total: None,
) -> PlanWork:
    """Grade, explain and price all submissions; those that say the same are worked on once.

    Parameters
    ----------
    regret_seconds
        Counted work for the prices of decisions, in seconds of a quiet core, by default `_IN_ALL`. The first plan of
        every model and problem comes first.
    processes
        By default one per processor.
    """
    lines: dict[str | int, list[ReportEntry]] = defaultdict(list)
    for entry in entries:
        lines[entry.key].append(entry)
    plans = list(lines.values())
    pool: WorkerPool[tuple[Any, ...], Any]
    with WorkerPool(options.start, options.limits, processes) as pool:
        work = PlanWork(plans, _shown(plans, options, pool, told), {}, _charts(plans, pool))
        _price_all(work, _IN_ALL if regret_seconds is None else regret_seconds, pool, told)
    return work


def _shown(
    plans: list[list[ReportEntry]], options: ReportOptions, pool: WorkerPool[tuple[Any, ...], Any], told: Told
) -> list[GradedSheet]:
    """Return the grade and the explanation of every plan."""
    told(_GRADING, 0, len(plans))
    # Plans of one problem follow each other, so that few problems are in memory at a time.
    order = sorted(range(len(plans)), key=lambda i: plans[i][0].instance or "")
    submissions = [i for i in order if plans[i][0].submission is not None]
    shown: dict[int, GradedSheet] = {}
    for i, answer in zip(submissions, pool.map(("show", plans[i][0].submission) for i in submissions), strict=True):
        if isinstance(answer, TaskFailure):
            answer = refused(options, plans[i][0].submission or {}, answer.error)
        shown[i] = answer
        told(_GRADING, len(shown), len(plans))
    return [shown[i] if i in shown else _graded(entry) for i, (entry, *_) in enumerate(plans)]


def _charts(plans: list[list[ReportEntry]], pool: WorkerPool[tuple[Any, ...], Any]) -> dict[str, str]:
    """Return the chart of every problem that has one, by name."""
    names = list(dict.fromkeys(entry.instance or "" for entry, *_ in plans))
    answers = zip(names, pool.map(("chart", name) for name in names), strict=True)
    return {name: answer for name, answer in answers if isinstance(answer, str)}


def _price_all(work: PlanWork, seconds: float, pool: WorkerPool[tuple[Any, ...], Any], told: Told) -> None:
    """Fill ``work.priced`` as far as the work allows; no single plan takes a large part of it."""
    batches = list(_ranked(work)) if seconds > 0 else []
    left, most = seconds, max(1.0, seconds / 10)
    done, total = 0, sum(map(len, batches))
    while batches and left > _WORTH:
        some, batches = batches[:_AT_ONCE], batches[_AT_ONCE:]
        told(_PRICING, done, total)
        share = left / len(some)
        tasks = [("price", share, min(most, share), [work.lines[i][0].submission for i in part]) for part in some]
        for part, answer in zip(some, pool.map(tasks), strict=True):
            # Where one plan exceeds the limits, those with it go without.
            regrets, spent = ([], share * 1e9) if isinstance(answer, TaskFailure) else answer
            work.priced.update((i, one) for i, one in zip(part, regrets, strict=False) if one is not None)
            left -= spent / 1e9
            done += len(part)
            told(_PRICING, done, total)
    if done < total:
        told(_PRICING, total, total)


def _ranked(work: PlanWork) -> Iterator[list[int]]:
    """Yield plans to be priced, those of one problem together: first one of every model, then by turns."""
    first: dict[str, list[int]] = defaultdict(list)
    later: dict[str, list[int]] = defaultdict(list)
    seen = set()
    for i, (entry, *_) in enumerate(work.lines):
        if entry.submission is None or not work.shown[i].grade.scored:
            continue
        name, model = entry.submission["instance"], entry.submission.get("model")
        (later if (name, model) in seen else first)[name].append(i)
        seen.add((name, model))
    for group in (first, later):
        # Plans for kitchens and floors take much longer.
        names = sorted(group, key=lambda name: work.shown[group[name][0]].kind in ("kitchen", "floor"))
        for parts in zip_longest(*(_parts(group[name], _PRICED) for name in names)):
            yield from (part for part in parts if part is not None)


def _parts(members: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(members), size):
        yield members[start : start + size]


def _graded(entry: ReportEntry) -> GradedSheet:
    """Return what a row of grades says of a plan."""
    assert entry.grade is not None
    sheet = (
        {"graded": 1, "faults": grade_faults(entry.grade), "metrics": metrics(entry.grade)}
        if entry.grade.scored
        else {}
    )
    return GradedSheet(entry.grade.without_details(), len(entry.grade.violations or ()), packed(sheet))
