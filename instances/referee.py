"""The general rules: decide whether a schedule obeys an instance, constraint by constraint.

This is the meaning of :mod:`planoracle.instances.model`. It knows neither solver nor heuristics, and
recomputes everything from the pieces.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from operator import itemgetter

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
            some = f"{list(eligible[:9])}{' and others' if len(eligible) > 9 else ''}"
            yield Violation(i, "ineligible_agent", piece.action, f"needs one of {some}, not {piece.agent}")


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
    begun = [
        (piece.start, i, piece)
        for i, piece in pieces
        if piece.agent in held
        and not instance.by_id[piece.action].attended
        and instance.eligible(instance.by_id[piece.action])
    ]
    to_come = {agent: deque(spans) for agent, spans in held.items()}
    under_way: dict[str | None, list[tuple[int, tuple[int, int, int, str]]]] = defaultdict(list)  # by end, as heaps
    for start, i, piece in sorted(begun):
        coming, running = to_come[piece.agent], under_way[piece.agent]
        while coming and coming[0][0] < start:
            span = coming.popleft()
            heappush(running, (span[1], span))
        while running and running[0][0] <= start:
            heappop(running)
        for _, (since, end, _, name) in sorted(running, key=itemgetter(1)):
            message = f"{piece.agent} cannot start it in the middle of {name} ({since} to {end})"
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
            if use[1].duration > 0:
                alike[use[1].start, use[1].end].append(use)
        roomy = [use for same in alike.values() for use in _roomy(instance, settings, same)]
        roomy.sort(key=lambda use: use[0])
        # Capacity can only be exceeded first at some start.
        begun = _Sums((piece.start, demand.amount) for _, piece, demand in roomy)
        over = _Sums((piece.end, demand.amount) for _, piece, demand in roomy)
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
        self._at: dict[int, set[str | None]] = defaultdict(set)
        self._starts: dict[str, list[int]] = defaultdict(list)
        for _, piece, demand in uses:
            if demand.sets is not None:
                self._at[piece.start].add(demand.sets)
                self._starts[demand.sets].append(piece.start)
        self._times = sorted(self._at)
        for starts in self._starts.values():
            starts.sort()
        self._all = sorted(itertools.chain.from_iterable(self._starts.values()))

    def before(self, start: int) -> set[str | None]:
        """Return the state that the last setting before an instant left; several if they are simultaneous."""
        place = bisect_left(self._times, start)
        return self._at[self._times[place - 1]] if place else self._initial

    def met(self, use: _Use) -> set[str | None]:
        """Return the states that a use meets: that before its start, and those set by others there or while it runs."""
        _, piece, own = use
        during = (state for state, starts in self._starts.items() if _within(starts, piece) > (state == own.sets))
        return self.before(piece.start).union(during)

    def hold(self, use: _Use, state: str) -> bool:
        """Whether a use meets one state alone, without looking at every state there is."""
        _, piece, own = use
        right = _within(self._starts.get(state, ()), piece) - (own.sets == state)
        others = _within(self._all, piece) - (own.sets is not None)
        return right == others and self.before(piece.start) == {state}


def _within(starts: Sequence[int], piece: Piece) -> int:
    """Count the starts (in order) from that of a piece on, and before its end."""
    return bisect_left(starts, max(piece.end, piece.start + 1)) - bisect_left(starts, piece.start)


def _roomy(instance: Instance, settings: _Settings, alike: list[_Use]) -> Iterator[_Use]:
    """Yield those uses over one interval that need room of their own, see `planoracle.instances.model`."""
    most = {True: -1, False: -1}  # that a use lends to a setting that is attended, or not
    for _, piece, demand in alike:
        action = instance.by_id[piece.action]
        if demand.sets is None and not action.interruptible:
            most[True] = max(most[True], demand.amount)
            if not action.attended:
                most[False] = max(most[False], demand.amount)
    largest: dict[str, _Use] = {}  # of the settings that find no other use
    for use in alike:
        _, piece, demand = use
        if demand.sets is None:
            yield use
            continue
        lent = most[instance.by_id[piece.action].attended > 0]
        if demand.amount > lent or not settings.hold(use, demand.sets):
            largest[demand.sets] = max(largest.get(demand.sets, use), use, key=lambda one: one[2].amount)
    yield from largest.values()


def _state(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
    for name, uses in _demands(instance, pieces).items():
        if all(demand.requires is None for _, _, demand in uses):
            continue
        settings = _Settings(instance, name, uses)
        for use in uses:
            i, piece, demand = use
            if demand.requires is not None and not settings.hold(use, demand.requires):
                found = " or ".join(sorted(map(str, settings.met(use))))
                yield Violation(i, "resource_state", piece.action, f"needs {name} to be {demand.requires}, not {found}")


def _lags(instance: Instance, pieces: _Pieces) -> Iterator[Violation]:
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
        if lag.maximum is not None and last[lag.after] > over + lag.maximum:
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
