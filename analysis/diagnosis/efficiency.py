"""Efficiency of a plan: makespan and idle time beside the optimum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.feedback import Examination, listed
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import Optimum, Oracle

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
    idle
        Intervals without a busy agent, up to the end of the plan.
    text
        The paragraph without its heading.
    """

    status: Status
    makespan: int | None
    optimum: int | None
    lower_bound: int | None
    gap: int | None
    idle: tuple[Interval, ...]
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
            "text": self.text,
        }


def best_of(problem: Problem, rules: Rules, oracle: Oracle) -> Optimum:
    """Return the known optimum under some rules."""
    benchmark = registry.of(problem)
    try:
        judged = benchmark.under(problem, rules)
    except InputError:  # infeasible under these rules
        return Optimum(status=Status.infeasible)
    makespan = benchmark.formula_optimum(judged)
    if makespan is None:
        return Optimum.of(oracle.best(judged, rules))
    return Optimum(makespan, Status.optimal, makespan)


def efficiency(examined: Examination, best: Optimum, weight: int | None = None) -> Efficiency:
    """Compare a plan with the optimum.

    Parameters
    ----------
    examined
        The plan.
    best
        The optimum.
    weight
        Total weight of the optional tasks of the plan; ``None`` if no task is optional. Plans of different weight are
        not compared by their makespan.
    """
    run = examined.replay
    makespan = run.makespan if run.success else None
    comparable = best.at_weight(weight) if run.success else best
    gap = None if makespan is None or comparable.makespan is None else makespan - comparable.makespan
    idle = join_intervals(run.idle)
    if comparable == best or examined.outcome:
        text = " ".join(_sentences(examined, best, makespan, idle))
    else:
        text = f"{_weights(best, weight)} Makespans of plans with different weights are not compared."
    return Efficiency(best.status, makespan, best.makespan, best.lower_bound, gap, idle, text)


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


def _weights(best: Optimum, weight: int | None) -> str:
    """Return the weight of a plan beside the best one, in a sentence."""
    optional = f"The optional tasks of your plan weigh {weight}"
    if best.weight is None:
        return f"{optional}; the best weight is not known."
    return f"{optional}; those of the best plans weigh {best.weight}."


def _sentences(examined: Examination, best: Optimum, makespan: int | None, idle: tuple[Interval, ...]) -> Iterator[str]:
    span = examined.clock.span
    if examined.outcome:
        return
    if best.status == Status.infeasible:
        yield "No plan completes all tasks under these rules."
        return
    if best.makespan is None:
        bound = "" if not best.lower_bound else f"; it is at least {span(best.lower_bound)}"
        yield f"The optimal makespan is not known{bound}."
    elif makespan is None:
        yield f"The optimal plan takes {span(best.makespan)}; your plan does not complete all tasks."
    elif makespan > best.makespan:
        less = span(makespan - best.makespan)
        yield f"Your plan takes {span(makespan)}; the optimal plan takes {span(best.makespan)}, {less} less."
    else:
        yield f"Your plan takes {span(makespan)}, which is optimal."
        return
    if idle:
        subject = "You are" if examined.instance is None or len(examined.instance.agents) == 1 else "All agents are"
        yield f"{subject} idle for {span(_total(idle))}: {_intervals(examined, idle)}."


def _intervals(examined: Examination, intervals: tuple[Interval, ...]) -> str:
    texts = [examined.clock.stretch(start, end) for start, end in intervals]
    more = len(texts) - MAX_INTERVALS
    return listed(texts if more <= 0 else [*texts[:MAX_INTERVALS], f"{more} more"])
