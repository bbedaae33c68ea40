"""Efficiency of a plan: makespan and idle time beside the optimum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.feedback import Examination, listed
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import Oracle

#: Most intervals named in prose.
MAX_INTERVALS = 8

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Efficiency of a plan compared with the optimum.

    Attributes
    ----------
    status
        Status of the optimum: ``optimal``, ``feasible``, ``infeasible``, ``unknown``.
    makespan
        Ticks; ``None`` unless the plan completes everything.
    optimum, lower_bound
        Ticks; ``optimum`` is ``None`` unless proved.
    gap
        ``makespan - optimum``.
    idle, optimal_idle
        Intervals without a busy agent: in the plan up to its end, and in an optimal schedule (``None`` if unknown).
    text
        The paragraph without its heading.
    """

    status: Status
    makespan: int | None
    optimum: int | None
    lower_bound: int | None
    gap: int | None
    idle: tuple[Interval, ...]
    optimal_idle: tuple[Interval, ...] | None
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Return all fields for JSON, and the ticks of idle time."""
        return {
            "status": self.status,
            "makespan": self.makespan,
            "optimum": self.optimum,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "idle": [list(span) for span in self.idle],
            "idle_total": _total(self.idle),
            "optimal_idle": None if self.optimal_idle is None else [list(span) for span in self.optimal_idle],
            "optimal_idle_total": None if self.optimal_idle is None else _total(self.optimal_idle),
            "text": self.text,
        }


class BestPlan(NamedTuple):
    """Known optimum of a problem: status, proved makespan, lower bound, idle intervals of one plan."""

    status: Status
    makespan: int | None = None
    lower_bound: int | None = None
    idle: tuple[Interval, ...] | None = None


def best_of(problem: Problem, rules: Rules, oracle: Oracle) -> BestPlan:
    """Return the known optimum under some rules."""
    benchmark = registry.of(problem)
    try:
        judged = benchmark.under(problem, rules)
    except InputError:  # infeasible under these rules
        return BestPlan(Status.infeasible)
    result = oracle.best(judged, rules)
    if result.status == Status.optimal and result.plan is not None:
        makespan, idle = _replay(judged, result.plan, rules)
        return BestPlan(result.status, makespan, makespan, idle)
    least = benchmark.formula_optimum(judged)
    if least is not None:  # by a formula, without a plan
        return BestPlan(Status.optimal, least, least)
    return BestPlan(result.status, None, result.lower_bound)


@ProblemCache
def _replay(problem: Problem, plan: str, rules: Rules) -> tuple[int, tuple[Interval, ...]]:
    """Return the makespan and the idle time of the best plan."""
    verdict = registry.of(problem).run(problem, plan, rules).verdict
    return verdict.makespan, join_intervals(verdict.idle)


def efficiency(examined: Examination, best: BestPlan) -> Efficiency:
    """Compare a plan with the best possible."""
    run = examined.replay
    makespan = run.makespan if run.success else None
    gap = None if makespan is None or best.makespan is None else makespan - best.makespan
    idle = join_intervals(run.idle)
    text = " ".join(_sentences(examined, best, makespan, idle))
    return Efficiency(best.status, makespan, best.makespan, best.lower_bound, gap, idle, best.idle, text)


def join_intervals(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Join intervals that touch; they come sorted.

    >>> join_intervals([(0, 1), (1, 2), (4, 5)])
    ((0, 2), (4, 5))
    """
    merged: list[Interval] = []
    for start, end in intervals:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)


def _total(intervals: Iterable[Interval]) -> int:
    return sum(end - start for start, end in intervals)


def _sentences(
    examined: Examination, best: BestPlan, makespan: int | None, idle: tuple[Interval, ...]
) -> Iterator[str]:
    span = examined.clock.span
    if examined.outcome:
        return
    if best.status == Status.infeasible:
        yield "No plan at all can keep these rules and complete everything."
        return
    if best.makespan is None:
        bound = "" if not best.lower_bound else f"; it is no less than {span(best.lower_bound)}"
        yield f"The best possible time is not known{bound}."
    elif makespan is None:
        yield f"The best possible plan takes {span(best.makespan)}; yours does not get everything done."
    elif makespan > best.makespan:
        less = span(makespan - best.makespan)
        yield f"Your plan takes {span(makespan)}; {span(best.makespan)} is possible, {less} less."
    else:
        yield f"Your plan takes {span(makespan)}, and no plan can be faster."
        return
    if idle:
        subject = "You are" if examined.instance is None or len(examined.instance.agents) == 1 else "Everybody is"
        yield f"{subject} idle for {span(_total(idle))}: {_intervals(examined, idle)}."
    if best.idle is not None:
        total = _total(best.idle)
        yield (
            f"The best possible plan is idle for {span(total)}: {_intervals(examined, best.idle)}."
            if total
            else "The best possible plan is never idle."
        )


def _intervals(examined: Examination, intervals: tuple[Interval, ...]) -> str:
    texts = [examined.clock.stretch(start, end) for start, end in intervals]
    more = len(texts) - MAX_INTERVALS
    return listed(texts if more <= 0 else [*texts[:MAX_INTERVALS], f"{more} more"])
