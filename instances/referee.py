"""The general rules: decide whether a schedule obeys an instance, constraint by constraint.

This is the meaning of :mod:`planoracle.instances.model`. It knows neither solver nor heuristics, and
recomputes everything from the pieces.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from planoracle.instances.model import Action, Demand, Instance
from planoracle.instances.replay import Event, Replay, Violation
from planoracle.instances.schedule import Piece, Schedule

__all__ = ["KINDS", "MAX_VIOLATIONS", "find_violations", "referee"]

#: A replay ends its search for further violations after this many.
MAX_VIOLATIONS = 1000

#: Kinds of violation of the general rules.
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


def referee(instance: Instance, schedule: Schedule) -> Replay:
    """Replay a schedule by the general rules.

    The general rules judge the schedule as a whole, so nothing is carried out after a fault: the
    first violation is fatal, and only a faultless schedule counts as executed.
    """
    violations = tuple(itertools.islice(_violations(instance, schedule, MAX_VIOLATIONS), MAX_VIOLATIONS))
    done = not violations
    count, total = len(schedule.pieces), len(instance.actions)
    left = dict.fromkeys(instance.by_id, 0) if done else {a.id: a.duration for a in instance.actions}
    finished = 0
    events = []
    work = {a.id: a.duration for a in instance.actions}
    for i, piece in enumerate(schedule.pieces):
        if piece.action in work:
            work[piece.action] -= piece.duration
            finished += work[piece.action] == 0
        events.append(Event(i, piece.action, piece.start, piece.end, done, finished / total if done else 0.0))
    return Replay(
        events=tuple(events),
        violations=violations,
        fatal=violations[0] if violations else None,
        executed=count if done else 0,
        progress=float(done),
        goal_ratio=float(done),
        success=done,
        makespan=schedule.makespan if done else 0,
        remaining={k: v for k, v in left.items() if v},
        idle=_idle(instance, schedule),
    )


def find_violations(instance: Instance, schedule: Schedule) -> Iterator[Violation]:
    """Yield every violation of a schedule, in the order of `KINDS`."""
    yield from _violations(instance, schedule)


def _violations(instance: Instance, schedule: Schedule, most: int | None = None) -> Iterator[Violation]:
    """Yield all violations, or about ``most`` of every kind."""
    known = []
    for i, piece in enumerate(schedule.pieces):
        if piece.action in instance.by_id:
            known.append((i, piece))
        else:
            yield Violation(i, "unknown_action", piece.action, "there is no such action")
    for check in _CHECKS:  # in the order of the kinds that they find
        found = itertools.islice(check(instance, known), most)
        yield from sorted(found, key=lambda violation: KINDS.index(violation.kind))


_Pieces = list[tuple[int, Piece]]


def _mode(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
    chosen: dict[str, int] = {}
    for i, piece in pieces:
        modes = instance.by_id[piece.action].modes
        if not 0 <= piece.mode < len(modes):
            yield Violation(i, "wrong_mode", piece.action, f"mode must lie in 0..{len(modes) - 1}, not {piece.mode}")
        elif chosen.setdefault(piece.action, piece.mode) != piece.mode:
            yield Violation(i, "wrong_mode", piece.action, "the mode changes between pieces")


def _agent(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
    for i, piece in pieces:
        eligible = instance.eligible(instance.by_id[piece.action])
        if (piece.agent not in eligible) if eligible else (piece.agent is not None):
            yield Violation(i, "ineligible_agent", piece.action, f"needs one of {list(eligible)}, not {piece.agent}")


def _window(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
    for i, piece in pieces:
        release = instance.by_id[piece.action].release
        if piece.start < release:
            yield Violation(i, "release", piece.action, f"starts at {piece.start}, before {release}")
    for i, piece in pieces:
        if instance.time_limit is not None and piece.end > instance.time_limit:
            yield Violation(i, "time_limit", piece.action, f"ends at {piece.end}, after {instance.time_limit}")


def _work(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
    runs: dict[str, list[tuple[int, Piece]]] = defaultdict(list)
    for i, piece in pieces:
        runs[piece.action].append((i, piece))
        if piece.duration < 0 or (piece.duration == 0 < instance.by_id[piece.action].duration):
            yield Violation(i, "action_duration", piece.action, "a piece must last at least one tick")
    for name, own in runs.items():
        action, total = instance.by_id[name], sum(piece.duration for _, piece in own)
        if total != action.duration:
            yield Violation(own[-1][0], "action_duration", name, f"runs {total} ticks, needs {action.duration}")
        if len(own) > 1 and not action.interruptible:
            yield Violation(own[1][0], "interruptibility", name, "must run in one piece")
        own = sorted(own, key=lambda entry: entry[1].start)
        for (_, first), (j, second) in itertools.pairwise(own):
            if second.start < first.end:
                yield Violation(j, "interruptibility", name, "two pieces of the action overlap")
    for action in instance.actions:
        if action.id not in runs:
            yield Violation(None, "missing_action", action.id, "is never carried out")


def _held(action: Action, piece: Piece) -> int:
    return piece.duration if action.interruptible and action.attended else action.attended


def _attendance(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
    held: dict[str | None, list[tuple[int, int, int, str]]] = defaultdict(list)
    for i, piece in pieces:
        ticks = _held(instance.by_id[piece.action], piece)
        if ticks:
            held[piece.agent].append((piece.start, piece.start + ticks, i, piece.action))
    for agent, spans in held.items():
        spans.sort()
        reach, holder = spans[0][1], spans[0][3]
        for start, end, i, name in spans[1:]:
            if start < reach:
                yield Violation(i, "agent_busy", name, f"{agent} is still busy with {holder} until {reach}")
            if end > reach:
                reach, holder = end, name
    # Up to every span the latest end, so that spans which are over need not be looked at.
    reaches = {agent: list(itertools.accumulate((end for _, end, *_ in spans), max)) for agent, spans in held.items()}
    for i, piece in pieces:
        action = instance.by_id[piece.action]
        if not action.attended and instance.eligible(action) and piece.agent in held:
            spans = held[piece.agent]
            first, last = bisect_right(reaches[piece.agent], piece.start), bisect_left(spans, (piece.start,))
            for start, end, _, name in spans[first:last]:
                if piece.start < end:
                    message = f"{piece.agent} cannot start it in the middle of {name} ({start} to {end})"
                    yield Violation(i, "start_attended", piece.action, message)


def _demands(instance: Instance, pieces: _Pieces) -> dict[str, list[tuple[int, Piece, Demand]]]:
    uses: dict[str, list[tuple[int, Piece, Demand]]] = defaultdict(list)
    for i, piece in pieces:
        modes = instance.by_id[piece.action].modes
        for demand in modes[piece.mode].demands if 0 <= piece.mode < len(modes) else ():
            uses[demand.resource].append((i, piece, demand))
    return uses


_Use = tuple[int, Piece, Demand]


def _capacity(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
    for name, uses in _demands(instance, pieces).items():
        capacity = instance.resource[name].capacity
        if not _crowded(uses, capacity):
            continue
        settings = _Settings(instance, name, uses)
        alike: dict[tuple[int, int], list[_Use]] = defaultdict(list)
        for use in uses:
            alike[use[1].start, use[1].end].append(use)
        roomy = [
            use
            for use in uses
            if use[1].duration and not _shares(instance, settings, use, alike[use[1].start, use[1].end])
        ]
        # Capacity can only be exceeded first at some start.
        begun = _Sums((piece.start, demand.amount) for _, piece, demand in roomy if piece.duration > 0)
        over = _Sums((piece.end, demand.amount) for _, piece, demand in roomy if piece.duration > 0)
        for i, piece, own in roomy:
            load = begun.until(piece.start) - over.until(piece.start)
            if own.amount and load > capacity:
                yield Violation(i, "resource_capacity", piece.action, f"{name} would carry {load} of {capacity}")


def _crowded(uses: list[_Use], capacity: int) -> bool:
    """Whether the uses of a resource exceed its capacity at some instant, if each takes its own room."""
    changes = []
    for _, piece, demand in uses:
        if piece.duration > 0:
            changes.append((piece.start, demand.amount))
            changes.append((piece.start + piece.duration, -demand.amount))
    changes.sort()  # at the same instant, what ends comes first
    load = 0
    for _, change in changes:
        load += change
        if load > capacity:
            return True
    return False


class _Sums:
    """Amounts at instants, added up."""

    def __init__(self, amounts: Iterable[tuple[int, int]]) -> None:
        rows = sorted(amounts)
        self._times = [time for time, _ in rows]
        self._sums = [0, *itertools.accumulate(amount for _, amount in rows)]

    def until(self, time: int) -> int:
        """Return the sum of all amounts up to an instant, that included."""
        return self._sums[bisect_right(self._times, time)]


class _Settings:
    """The states that the uses of a resource set, by their starts."""

    def __init__(self, instance: Instance, name: str, uses: list[_Use]) -> None:
        self._initial: set[str | None] = {instance.resource[name].state}
        self._at: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for i, piece, demand in uses:
            if demand.sets is not None:
                self._at[piece.start].append((i, demand.sets))
        self._times = sorted(self._at)

    def before(self, start: int) -> set[str | None]:
        """Return the state that the last setting before an instant left; several if they are simultaneous."""
        place = bisect_left(self._times, start)
        return {state for _, state in self._at[self._times[place - 1]]} if place else set(self._initial)

    def during(self, i: int, start: int, end: int) -> set[str | None]:
        """Return the states set at the start of a piece by others, and while it runs."""
        times = self._times[bisect_left(self._times, start) : bisect_left(self._times, max(end, start + 1))]
        return {state for time in times for j, state in self._at[time] if j != i}


def _shares(instance: Instance, settings: _Settings, use: _Use, alike: list[_Use]) -> bool:
    """Whether a setting needs no room of its own among uses over its interval, see `planoracle.instances.model`."""
    i, piece, own = use
    if own.sets is None:
        return False
    attended = instance.by_id[piece.action].attended > 0
    for j, other, demand in alike:
        if j == i or demand.amount < own.amount:
            continue
        whole = instance.by_id[other.action]
        if whole.interruptible and whole.duration > 1:
            continue
        if demand.sets == own.sets:
            if (demand.amount, -j) > (own.amount, -i):  # of several equal settings one takes the room
                return True
        elif (
            demand.sets is None
            and (attended or not instance.by_id[other.action].attended)
            and settings.before(piece.start) == {own.sets}
        ):
            return True
    return False


def _state(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
    for name, uses in _demands(instance, pieces).items():
        if all(demand.requires is None for _, _, demand in uses):
            continue
        settings = _Settings(instance, name, uses)
        for i, piece, demand in uses:
            if demand.requires is None:
                continue
            found = settings.before(piece.start) | settings.during(i, piece.start, piece.end)
            if found != {demand.requires}:
                message = f"needs {name} to be {demand.requires}, not {' or '.join(sorted(map(str, found)))}"
                yield Violation(i, "resource_state", piece.action, message)


def _lags(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
    runs: dict[str, list[tuple[int, Piece]]] = {}
    begin: dict[str, tuple[int, Piece]] = {}
    finish: dict[str, int] = {}
    for entry in pieces:
        piece = entry[1]
        name, end = piece.action, piece.start + piece.duration
        if name not in runs:
            runs[name], begin[name], finish[name] = [entry], entry, end
            continue
        runs[name].append(entry)
        if piece.start < begin[name][1].start:
            begin[name] = entry
        if end > finish[name]:
            finish[name] = end
    for name, (i, first) in begin.items():
        modes = instance.by_id[name].modes
        for before in modes[first.mode].after if 0 <= first.mode < len(modes) else ():
            if before not in finish or first.start < finish[before]:
                yield Violation(i, "minimum_lag", name, f"starts at {first.start}, before {before} is finished")
    for lag in instance.lags:
        if lag.before not in runs or lag.after not in runs:
            continue
        over = finish[lag.before]
        i, first = begin[lag.after]
        if lag.minimum is not None and first.start < over + lag.minimum:
            message = f"starts at {first.start}, earliest {over + lag.minimum} after {lag.before}"
            yield Violation(i, "minimum_lag", lag.after, message)
        if lag.maximum is not None:
            for j, piece in runs[lag.after]:
                if piece.start > over + lag.maximum:
                    message = f"starts at {piece.start}, latest {over + lag.maximum} after {lag.before}"
                    yield Violation(j, "maximum_lag", lag.after, message)


_CHECKS: tuple[Callable[[Instance, _Pieces], Iterator[Violation]], ...] = (
    _mode,
    _agent,
    _window,
    _work,
    _attendance,
    _capacity,
    _state,
    _lags,
)


def _idle(instance: Instance, schedule: Schedule) -> tuple[tuple[int, int], ...]:
    busy = sorted(
        (piece.start, piece.start + _held(instance.by_id[piece.action], piece))
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
