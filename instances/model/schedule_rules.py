"""General rules: check a schedule against every constraint of an instance.

They implement the definitions of :mod:`planoracle.instances.model.instance`, and recompute everything from the pieces,
independently of solvers and heuristics.
"""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from operator import itemgetter

from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.resource_rules import GeneralViolation, Pieces, capacities, fault, other_of, states
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import MAX_OTHERS, Other, Replay, ReplayEvent, Violation

#: Most violations of a replay.
MAX_VIOLATIONS = 1000


def referee(instance: Instance, schedule: Schedule) -> Replay:
    """Replay a schedule by the general rules.

    The general rules check the schedule as a whole: the first violation is fatal, and only a valid schedule
    counts as executed.

    Parameters
    ----------
    instance
        Problem.
    schedule
        Schedule for it, valid or not.
    """
    violations = tuple(itertools.islice(find_violations(instance, schedule, MAX_VIOLATIONS), MAX_VIOLATIONS))
    done = not violations
    total = len(instance.actions)
    finished = 0
    events = []
    work = {a.id: a.duration for a in instance.actions}
    for i, piece in enumerate(schedule.pieces):
        if piece.action in work:
            work[piece.action] -= piece.duration
            finished += work[piece.action] == 0
        events.append(ReplayEvent(i, piece.action, piece.start, piece.end, done, finished / total if done else 0.0))
    return Replay(
        events=tuple(events),
        violations=violations,
        fatal=violations[0] if violations else None,
        executed=len(schedule.pieces) if done else 0,
        progress=float(done),
        goal_ratio=float(done),
        success=done,
        makespan=schedule.makespan if done else 0,
        remaining={} if done else {a.id: a.duration for a in instance.actions if a.duration},
        idle=_idle(instance, schedule),
    )


def refused(instance: Instance, verdict: Replay, violation: Violation) -> Replay:
    """Return the verdict on a schedule that a further rule refuses: nothing counts as executed."""
    violations = verdict.violations
    if (violation.position, violation.kind) not in [(entry.position, entry.kind) for entry in violations]:
        violations = (*violations, violation)
    return replace(
        verdict,
        events=tuple(event._replace(accepted=False, progress=0.0) for event in verdict.events),
        violations=violations,
        fatal=verdict.fatal or violation,
        executed=0,
        progress=0.0,
        goal_ratio=0.0,
        success=False,
        makespan=0,
        remaining={action.id: action.duration for action in instance.actions if action.duration},
    )


def violations_of_last(instance: Instance, pieces: Sequence[Piece]) -> Iterator[Violation]:
    """Yield the violations of the last piece, if the earlier ones violate no rule.

    Missing actions and time lags are not checked; a paused action has too short a duration.
    """
    entries = list(enumerate(pieces))
    last = entries[-1:]
    _, piece = last[0]
    own = [entry for entry in entries if entry[1].action == piece.action]
    modes = instance.by_id[piece.action].modes
    for check, concerned in ((_mode, own), (_agent, last), (_window, last), (_work, own)):
        yield from check(instance, concerned)
    yield from _attendance(instance, [entry for entry in entries if entry[1].agent == piece.agent])
    used = {demand.resource for demand in modes[piece.mode].demands} if 0 <= piece.mode < len(modes) else set()
    if used:
        yield from capacities(instance, entries, used)
        yield from states(instance, entries, used)


def find_violations(instance: Instance, schedule: Schedule, most: int | None = None) -> Iterator[Violation]:
    """Yield the violations of a schedule in the order of `KINDS`: all, or about ``most`` of every kind."""
    entries = []
    for i, piece in enumerate(schedule.pieces):
        if piece.action in instance.by_id:
            entries.append((i, piece))
        else:
            yield fault("unknown_action", i, piece)
    for check in _CHECKS:  # in the order of their kinds
        violations = itertools.islice(check(instance, entries), most)
        yield from sorted(violations, key=lambda violation: KINDS.index(violation.kind))


def _mode(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    chosen: dict[str, int] = {}
    for i, piece in pieces:
        modes = instance.by_id[piece.action].modes
        if not 0 <= piece.mode < len(modes):
            yield fault("wrong_mode", i, piece, required=len(modes) - 1, actual=piece.mode)
        elif (first := chosen.setdefault(piece.action, piece.mode)) != piece.mode:
            yield fault("wrong_mode", i, piece, required=first, actual=piece.mode, case="other_mode")


def _agent(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    for i, piece in pieces:
        eligible = instance.eligible(instance.by_id[piece.action])
        if (piece.agent not in eligible) if eligible else (piece.agent is not None):
            case = "" if eligible else "no_agent"
            yield fault("ineligible_agent", i, piece, required=eligible, actual=piece.agent, case=case)


def _window(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    for i, piece in pieces:
        release = instance.by_id[piece.action].release
        if piece.start < release:
            yield fault("release", i, piece, required=release, actual=piece.start)
    for i, piece in pieces:
        if instance.time_limit is not None and piece.end > instance.time_limit:
            yield fault("time_limit", i, piece, required=instance.time_limit, actual=piece.end)


def _work(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    runs: dict[str, list[tuple[int, Piece]]] = defaultdict(list)
    for i, piece in pieces:
        runs[piece.action].append((i, piece))
        if piece.duration < 0 or (piece.duration == 0 < instance.by_id[piece.action].duration):
            yield fault("action_duration", i, piece, required=1, actual=piece.duration, case="no_duration")
    for name, own in runs.items():
        action, total = instance.by_id[name], sum(piece.duration for _, piece in own)
        if total != action.duration:
            yield fault("action_duration", *own[-1], required=action.duration, actual=total)
        if len(own) == 1:
            continue
        if not action.interruptible:
            others = tuple(other_of(piece) for _, piece in (own[0], *own[2 : MAX_OTHERS + 1]))
            yield fault("interruptibility", *own[1], others, required=1, actual=len(own))
        own = sorted(own, key=lambda entry: entry[1].start)
        for (_, first), (j, second) in itertools.pairwise(own):
            if second.start < first.end:
                yield fault("interruptibility", j, second, (other_of(first),), case="overlap")


def _missing(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    present = {piece.action for _, piece in pieces}
    for action in instance.actions:
        if action.id not in present:
            yield GeneralViolation(None, "missing_action", action.id, required=action.duration, actual=0)


def _attended_ticks(action: Action, piece: Piece) -> int:
    return piece.duration if action.interruptible and action.attended else action.attended


_Span = tuple[int, int, int, Piece]  # start, end, index


def _attendance(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    attended: dict[str | None, list[_Span]] = defaultdict(list)
    for i, piece in pieces:
        ticks = _attended_ticks(instance.by_id[piece.action], piece)
        if ticks:
            attended[piece.agent].append((piece.start, piece.start + ticks, i, piece))
    for spans in attended.values():
        spans.sort()
        last = spans[0]  # with the latest end so far
        for span in spans[1:]:
            if span[0] < last[1]:
                yield _busy("agent_busy", span[2], span[3], last)
            if span[1] > last[1]:
                last = span
    starts = [
        (piece.start, i, piece)
        for i, piece in pieces
        if piece.agent in attended
        and not instance.by_id[piece.action].attended
        and instance.eligible(instance.by_id[piece.action])
    ]
    to_come = {agent: deque(spans) for agent, spans in attended.items()}
    under_way: dict[str | None, list[tuple[int, _Span]]] = defaultdict(list)  # by end, as heaps
    for start, i, piece in sorted(starts):
        coming, running = to_come[piece.agent], under_way[piece.agent]
        while coming and coming[0][0] < start:
            span = coming.popleft()
            heappush(running, (span[1], span))
        while running and running[0][0] <= start:
            heappop(running)
        for _, span in sorted(running, key=itemgetter(1)):
            yield _busy("start_attended", i, piece, span)


def _busy(kind: str, index: int, piece: Piece, by: _Span) -> Violation:
    """Return the violation of a piece whose agent attends to another action."""
    start, end, _, holder = by
    other = Other(holder.action, start, end)
    return fault(kind, index, piece, (other,), resource=str(piece.agent), required=end, actual=piece.start)


def _lags(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    runs: dict[str, list[tuple[int, Piece]]] = {}
    begin: dict[str, tuple[int, Piece]] = {}
    finish: dict[str, int] = {}
    last: dict[str, int] = {}  # start of the last piece
    for entry in pieces:
        piece = entry[1]
        name, end = piece.action, piece.start + piece.duration
        if name not in runs:
            runs[name], begin[name], finish[name], last[name] = [entry], entry, end, piece.start
            continue
        runs[name].append(entry)
        if piece.start < begin[name][1].start:
            begin[name] = entry
        if end > finish[name]:
            finish[name] = end
        if piece.start > last[name]:
            last[name] = piece.start

    def earlier(name: str) -> Other:
        return Other(name, begin[name][1].start, finish[name]) if name in begin else Other(name)

    for name, (i, first) in begin.items():
        modes = instance.by_id[name].modes
        for before in modes[first.mode].after if 0 <= first.mode < len(modes) else ():
            if before not in finish or first.start < finish[before]:
                gap = first.start - finish[before] if before in finish else None
                yield fault("minimum_lag", i, first, (earlier(before),), required=0, actual=gap, case="order")
    for lag in instance.lags:
        if lag.before not in runs or lag.after not in runs:
            continue
        over = finish[lag.before]
        i, first = begin[lag.after]
        gap = first.start - over
        if lag.minimum is not None and gap < lag.minimum:
            yield fault("minimum_lag", i, first, (earlier(lag.before),), required=lag.minimum, actual=gap)
        if lag.maximum is not None and last[lag.after] > over + lag.maximum:
            for j, piece in runs[lag.after]:
                gap = piece.start - over
                if gap > lag.maximum:
                    yield fault("maximum_lag", j, piece, (earlier(lag.before),), required=lag.maximum, actual=gap)


_CHECKS: tuple[Callable[[Instance, Pieces], Iterator[Violation]], ...] = (
    _mode,
    _agent,
    _window,
    _work,
    _missing,
    _attendance,
    capacities,
    states,
    _lags,
)


def _idle(instance: Instance, schedule: Schedule) -> tuple[tuple[int, int], ...]:
    busy = sorted(
        (piece.start, piece.start + _attended_ticks(instance.by_id[piece.action], piece))
        for piece in schedule.pieces
        if piece.action in instance.by_id
    )
    return gaps(busy, schedule.makespan)


def gaps(busy: list[tuple[int, int]], until: int) -> tuple[tuple[int, int], ...]:
    """Return the intervals of ``[0, until)`` that no interval of ``busy`` (sorted by start) covers.

    >>> gaps([(0, 2), (1, 3), (5, 6)], 8)
    ((3, 5), (6, 8))
    """
    free = []
    clock = 0
    for start, end in busy:
        if start == end:
            continue
        if start > clock:
            free.append((clock, min(start, until)))
        clock = max(clock, end)
    if clock < until:
        free.append((clock, until))
    return tuple(span for span in free if span[0] < span[1])


#: Kinds of violations of the general rules, in the order of their checks.
KINDS = (
    "unknown_action",
    "wrong_mode",
    "ineligible_agent",
    "release",
    "time_limit",
    "action_duration",
    "interruptibility",
    "missing_action",
    "agent_busy",
    "start_attended",
    "resource_capacity",
    "resource_state",
    "minimum_lag",
    "maximum_lag",
)
