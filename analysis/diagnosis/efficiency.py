"""Efficiency of a plan: makespan and idle time beside the optimum, and work for idle time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations, gaps
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.feedback import Examination, clean, listed, named
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import Oracle

#: Most schedules tried to find work for idle time.
MAX_TRIES = 3_000
#: Most intervals named in prose.
MAX_INTERVALS = 8

Interval = tuple[int, int]


class Opening(NamedTuple):
    """Idle interval and the actions that could each be moved there without a violation.

    ``agent`` is the idle agent if there are several.
    """

    start: int
    end: int
    actions: tuple[str, ...]
    agent: str | None = None


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
    openings
        See `Opening`; for plans without a fault.
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
    openings: tuple[Opening, ...]
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
            "openings": [one._asdict() | {"actions": list(one.actions)} for one in self.openings],
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
    unused: tuple[Opening, ...] = ()
    if gap != 0 and examined.schedule is not None and examined.instance is not None:
        unused = tuple(_all_openings(examined.instance, examined.schedule, idle))
    text = " ".join(_sentences(examined, best, makespan, idle, unused))
    return Efficiency(best.status, makespan, best.makespan, best.lower_bound, gap, idle, best.idle, unused, text)


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


def _all_openings(instance: Instance, schedule: Schedule, idle: tuple[Interval, ...]) -> Iterator[Opening]:
    if len(instance.agents) == 1:
        yield from openings(instance, schedule, idle)
        return
    for agent in instance.agents:
        busy = [(p.start, p.start + _attended_ticks(instance, p)) for p in schedule.pieces if p.agent == agent]
        yield from openings(instance, schedule, gaps(sorted(busy), schedule.makespan), agent)


def _attended_ticks(instance: Instance, piece: Piece) -> int:
    action = instance.by_id[piece.action]
    return piece.duration if action.interruptible and action.attended else action.attended


def openings(
    instance: Instance, schedule: Schedule, idle: Iterable[Interval], agent: str | None = None
) -> Iterator[Opening]:
    """Yield idle intervals into which a later attended action can be moved.

    With ``agent`` the interval is idle time of that agent, who would carry the action out.

    Only that action is moved, or the part of an interruptible one that fits; the general rules then accept the whole
    schedule. Nothing is yielded for a schedule that they do not accept as it is.

    Examples
    --------
    >>> boil = Action("t/boil", "t", duration=9, attended=0)
    >>> chop = Action("t/chop", "t", duration=4, attended=4)
    >>> kitchen = Instance("k", (boil, chop))
    >>> plan = Schedule.of(kitchen, [Piece("t/boil", 0, 9, "agent"), Piece("t/chop", 9, 4, "agent")])
    >>> list(openings(kitchen, plan, [(0, 9)]))
    [Opening(start=0, end=9, actions=('t/chop',), agent=None)]
    """
    if next(find_violations(instance, schedule), None) is not None:
        return
    tries = MAX_TRIES
    for start, end in idle:
        fitting = []
        for action in instance.actions:
            for moved in _moved_schedules(instance, schedule, action, (start, end), agent):
                tries -= 1
                if tries < 0:
                    return
                if next(find_violations(instance, moved), None) is None:
                    fitting.append(action.id)
                    break
        if fitting:
            yield Opening(start, end, tuple(fitting), agent)


def _moved_schedules(
    instance: Instance, schedule: Schedule, action: Action, interval: Interval, agent: str | None
) -> Iterator[Schedule]:
    """Yield schedules with a later action moved into an interval, for each possible start."""
    start, end = interval
    own = [piece for piece in schedule.pieces if piece.action == action.id]
    later = [piece for piece in own if piece.start > start]
    if not later or not action.attended or (agent is not None and agent not in instance.eligible(action)):
        return
    mover = later[0].agent if agent is None else agent
    others = [piece for piece in schedule.pieces if piece.action != action.id]
    finish = schedule.finish()
    ready = max(start, action.release)
    for position, minimum in instance.predecessors[instance.index[action.id]]:
        ready = max(ready, finish[instance.actions[position].id] + minimum)
    latest = min(end, later[0].start)
    instants = sorted(t for t in {ready, *(piece.end for piece in others)} if ready <= t < latest)
    for instant in instants:
        if action.interruptible and action.continuous:
            length = min(end - instant, sum(piece.duration for piece in later))
            if length > 0:
                first = Piece(action.id, instant, length, mover, later[0].mode)
                rest = [piece for piece in own if piece.start <= start]
                yield Schedule.of(instance, [*others, *rest, first, *_without(later, length)])
        elif len(own) == 1 and instant + action.attended <= end:
            yield Schedule.of(instance, [*others, own[0]._replace(start=instant, agent=mover)])


def _without(pieces: list[Piece], ticks: int) -> Iterator[Piece]:
    """Drop so many ticks of work from the first pieces on."""
    for piece in pieces:
        cut = min(ticks, piece.duration)
        ticks -= cut
        if cut < piece.duration:
            yield piece._replace(start=piece.start + cut, duration=piece.duration - cut)


def _total(intervals: Iterable[Interval]) -> int:
    return sum(end - start for start, end in intervals)


def _sentences(
    examined: Examination, best: BestPlan, makespan: int | None, idle: tuple[Interval, ...], unused: tuple[Opening, ...]
) -> Iterator[str]:
    span, stretch = examined.clock.span, examined.clock.stretch
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
    if examined.instance is not None:
        for one in unused[:MAX_INTERVALS]:
            names = " or ".join(dict.fromkeys(named(examined.instance, action) for action in one.actions[:3]))
            agent = "you" if one.agent is None else clean(one.agent)
            yield f"Meanwhile ({stretch(one.start, one.end)}) {agent} could do {names}, which comes later in the plan."


def _intervals(examined: Examination, intervals: tuple[Interval, ...]) -> str:
    texts = [examined.clock.stretch(start, end) for start, end in intervals]
    more = len(texts) - MAX_INTERVALS
    return listed(texts if more <= 0 else [*texts[:MAX_INTERVALS], f"{more} more"])
