"""General rules: check a schedule against every constraint of an instance.

They implement the definitions of :mod:`planoracle.instances.model.instance`, and recompute everything from the pieces,
independently of solvers and heuristics.
"""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    work = {action.id: action.duration for action in instance.actions}
    for i, piece in enumerate(schedule.pieces):
        if piece.action in work:
            work[piece.action] -= piece.duration
            finished += work[piece.action] == 0
        progress = finished / total if done else 0.0
        events.append(ReplayEvent(i, piece.action, piece.start, piece.end, done, progress))
    fatal = None if done else violations[0]
    executed = len(schedule.pieces) if done else 0
    makespan = schedule.makespan if done else 0
    return Replay(
        events=tuple(events),
        violations=violations,
        fatal=fatal,
        executed=executed,
        progress=float(done),
        goal_ratio=float(done),
        success=done,
        makespan=makespan,
        remaining={} if done else _durations(instance),
        idle=_idle(instance, schedule),
    )


def _durations(instance: Instance) -> dict[str, int]:
    """Return the durations of the actions that take time, by name."""
    return {action.id: action.duration for action in instance.actions if action.duration}


def refused(instance: Instance, verdict: Replay, violation: Violation) -> Replay:
    """Return the verdict on a schedule that a further rule refuses: nothing counts as executed."""
    violations = verdict.violations
    if (violation.position, violation.kind) not in [(entry.position, entry.kind) for entry in violations]:
        violations = (*violations, violation)
    events = tuple(event._replace(accepted=False, progress=0.0) for event in verdict.events)
    return replace(
        verdict,
        events=events,
        violations=violations,
        fatal=verdict.fatal or violation,
        executed=0,
        progress=0.0,
        goal_ratio=0.0,
        success=False,
        makespan=0,
        remaining=_durations(instance),
    )


def violations_of_last(instance: Instance, pieces: Sequence[Piece]) -> Iterator[Violation]:
    """Yield the violations of the last piece, if the earlier ones violate no rule.

    Missing actions and time lags are not checked; a paused action has too short a duration.
    """
    entries = list(enumerate(pieces))
    last = entries[-1:]
    _, piece = last[0]
    same_action = [entry for entry in entries if entry[1].action == piece.action]
    modes = instance.by_id[piece.action].modes
    for check, concerned in ((_mode, same_action), (_agent, last), (_window, last), (_work, same_action)):
        yield from check(instance, concerned)
    same_agent = [entry for entry in entries if entry[1].agent == piece.agent]
    yield from _attendance(instance, same_agent)
    demands = modes[piece.mode].demands if 0 <= piece.mode < len(modes) else ()
    used = {demand.resource for demand in demands}
    if used:
        yield from capacities(instance, entries, used)
        yield from states(instance, entries, used)


def find_violations(instance: Instance, schedule: Schedule, max_per_kind: int | None = None) -> Iterator[Violation]:
    """Yield the violations in the order of `KINDS`: all, or about ``max_per_kind`` of every kind."""
    entries = []
    for i, piece in enumerate(schedule.pieces):
        if piece.action in instance.by_id:
            entries.append((i, piece))
        else:
            yield fault("unknown_action", i, piece)
    for check in _CHECKS:  # in the order of their kinds
        violations = itertools.islice(check(instance, entries), max_per_kind)
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
    for name, entries in runs.items():
        action = instance.by_id[name]
        total = sum(piece.duration for _, piece in entries)
        if total != action.duration:
            yield fault("action_duration", *entries[-1], required=action.duration, actual=total)
        if len(entries) == 1:
            continue
        if not action.interruptible:
            conflicting = (entries[0], *entries[2 : MAX_OTHERS + 1])
            conflicts = tuple(other_of(piece) for _, piece in conflicting)
            yield fault("interruptibility", *entries[1], conflicts, required=1, actual=len(entries))
        by_start = sorted(entries, key=lambda entry: entry[1].start)
        for (_, first), (j, second) in itertools.pairwise(by_start):
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
    starts = []  # of unattended actions by an agent
    for i, piece in pieces:
        action = instance.by_id[piece.action]
        ticks = _attended_ticks(action, piece)
        if ticks:
            end = piece.start + ticks
            attended[piece.agent].append((piece.start, end, i, piece))
        elif not action.attended and instance.eligible(action):
            starts.append((piece.start, i, piece))
    for spans in attended.values():
        spans.sort()
        last = spans[0]  # with the latest end so far
        for span in spans[1:]:
            if span[0] < last[1]:
                yield _busy("agent_busy", span[2], span[3], last)
            if span[1] > last[1]:
                last = span
    starts = [entry for entry in starts if entry[2].agent in attended]
    yield from _starts_while_busy(attended, starts)


def _starts_while_busy(
    attended: Mapping[str | None, list[_Span]], starts: Sequence[tuple[int, int, Piece]]
) -> Iterator[Violation]:
    """Yield the starts strictly inside a span in which their agent attends to another action."""
    to_come = {agent: deque(spans) for agent, spans in attended.items()}
    under_way: dict[str | None, list[tuple[int, _Span]]] = defaultdict(list)  # by end, as heaps
    for start, i, piece in sorted(starts):
        coming = to_come[piece.agent]
        running = under_way[piece.agent]
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
    conflict = Other(holder.action, start, end)
    return fault(kind, index, piece, (conflict,), resource=str(piece.agent), required=end, actual=piece.start)


@dataclass(slots=True)
class _Run:
    """Pieces of one action."""

    pieces: Pieces
    first: tuple[int, Piece]
    finish: int
    last_start: int


def _runs_of(pieces: Pieces) -> dict[str, _Run]:
    """Return the pieces of each action, in the order of its first piece."""
    runs: dict[str, _Run] = {}
    for entry in pieces:
        piece = entry[1]
        end = piece.start + piece.duration
        run = runs.get(piece.action)
        if run is None:
            runs[piece.action] = _Run([entry], entry, end, piece.start)
            continue
        run.pieces.append(entry)
        if piece.start < run.first[1].start:
            run.first = entry
        if end > run.finish:
            run.finish = end
        if piece.start > run.last_start:
            run.last_start = piece.start
    return runs


def _lags(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    runs = _runs_of(pieces)
    for name, run in runs.items():
        i, first = run.first
        modes = instance.by_id[name].modes
        for before in modes[first.mode].after if 0 <= first.mode < len(modes) else ():
            earlier = runs.get(before)
            if earlier is None:
                yield fault("minimum_lag", i, first, (Other(before),), required=0, case="order")
            elif first.start < earlier.finish:
                conflict = _other_of_run(before, earlier)
                gap = first.start - earlier.finish
                yield fault("minimum_lag", i, first, (conflict,), required=0, actual=gap, case="order")
    for lag in instance.lags:
        earlier = runs.get(lag.before)
        later = runs.get(lag.after)
        if earlier is None or later is None:
            continue
        finish = earlier.finish
        i, first = later.first
        gap = first.start - finish
        if lag.minimum is not None and gap < lag.minimum:
            conflict = _other_of_run(lag.before, earlier)
            yield fault("minimum_lag", i, first, (conflict,), required=lag.minimum, actual=gap)
        if lag.maximum is not None and later.last_start > finish + lag.maximum:
            conflict = _other_of_run(lag.before, earlier)
            for j, piece in later.pieces:
                gap = piece.start - finish
                if gap > lag.maximum:
                    yield fault("maximum_lag", j, piece, (conflict,), required=lag.maximum, actual=gap)


def _other_of_run(name: str, run: _Run) -> Other:
    return Other(name, run.first[1].start, run.finish)


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
    busy = []
    for piece in schedule.pieces:
        action = instance.by_id.get(piece.action)
        if action is not None:
            end = piece.start + _attended_ticks(action, piece)
            busy.append((piece.start, end))
    return gaps(sorted(busy), schedule.makespan)


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
