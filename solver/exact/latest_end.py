"""A makespan that some optimal schedule does not exceed, for any problem.

*Claim.* Let ``period`` be the least common multiple of the periods of all calendars, and ``settled`` the last
off-time, window or release that is not periodic. After ``settled``, any ``period`` consecutive idle ticks can be cut
out of a schedule: what comes later begins ``period`` ticks earlier, at the same place of every periodic calendar,
inside the same last windows, and no lag, way or state notices it. A tick is idle if no action is under way in it, no
action of no length stands at its first instant, no minimum lag or way runs over it, and no lag with a negative maximum
``-k`` has its ``after`` starting in the ``k`` ticks before it or at it.

So some optimal schedule has fewer than ``period`` idle ticks between any two times that are not idle, and before the
first one. There are no more such times than pieces, because lags and ways can be counted next to a piece.
"""

from __future__ import annotations

from planoracle.instances.model.calendars import OffTimes
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.working_times import calendars_of_members
from planoracle.solver.exact.bounds import longest_duration


def latest_end(instance: Instance) -> int:
    """Return a makespan that some optimal schedule does not exceed, if there is a schedule at all.

    Examples
    --------
    Somebody works 8 of 24 hours. A job of 20 hours may begin at the end of a day, and takes at most four days then:

    >>> from planoracle.instances.model.calendars import Calendar
    >>> off = (Calendar(("agent",), ((8, 24),), 24),)
    >>> job = Action("t/job", "t", 20, 20, pauses_in_breaks=True)
    >>> latest_end(Instance("work", (job,), calendars=off))
    119
    """
    times = OffTimes(instance.calendars)
    settled = max([times.last_end, *(_last_opening(action) for action in instance.actions)])
    period = times.period
    total = settled
    longest_lags = _longest_lags(instance)
    for action in instance.actions:
        pieces = max(1, longest_duration(action)) if action.interruptible else 1
        busy = max(_longest_span(instance, action, settled), 1)
        total += busy + longest_lags[action.id] + pieces * (_ticks_on_ways(instance, action) + period - 1)
    return total


def _last_opening(action: Action) -> int:
    """Return the last tick at which a release or window of an action begins."""
    return max([action.release, *(begin for begin, _ in action.windows)])


def _longest_lags(instance: Instance) -> dict[str, int]:
    """Return by action the longest time that a lag keeps something else away from its end or start."""
    after_ends = dict.fromkeys(instance.by_id, 0)
    after_starts = dict.fromkeys(instance.by_id, 0)
    for lag in instance.lags:
        if lag.minimum is not None:
            after_ends[lag.before] = max(after_ends[lag.before], lag.minimum)
        if lag.maximum is not None and lag.maximum < 0:
            after_starts[lag.after] = max(after_starts[lag.after], 1 - lag.maximum)
    return {name: after_ends[name] + after_starts[name] for name in after_ends}


def _longest_span(instance: Instance, action: Action, settled: int) -> int:
    """Return the longest time from start to end of an action that has no tick before ``settled``."""
    longest = longest_duration(action)
    if not action.pauses_in_breaks:
        return longest
    spans = [longest]
    for variant in instance.variants[action.id]:
        resources = [demand.resource for demand in variant.demands]
        for agent in variant.agents or (None,):
            members: list[str | None] = [*resources]
            if variant.attended:
                members.append(agent)
            times = OffTimes(calendars_of_members(instance, members))
            working_ticks = _working_ticks(times, settled)
            if working_ticks and times.calendars:
                rounds = -(-variant.duration // working_ticks) + 1
                spans.append(rounds * times.period)
    return max(spans)


def _working_ticks(times: OffTimes, settled: int) -> int:
    """Return the ticks of a period after ``settled`` that are not off."""
    horizon = settled + times.period
    working = times.period
    for begin, end in times.spans_after(settled):
        if begin >= horizon:
            break
        working -= min(end, horizon) - max(begin, settled)
    return working


def _ticks_on_ways(instance: Instance, action: Action) -> int:
    """Return the ticks that all members of an action need at most on their ways to it."""
    used = set[str]()
    for mode in action.modes:
        used.update(demand.resource for demand in mode.demands)
    agents = set(instance.agents)
    total = 0
    for transitions in instance.transitions:
        longest = max((ticks for _, _, ticks in transitions.times), default=0)
        shared = used.intersection(transitions.members)
        total += longest * (len(shared) + any(member in agents for member in transitions.members))
    return total
