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

from planoracle.instances.model.general_violations import GeneralViolation, fault, other_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.piece_variants import Pieces, held_ticks, start_of, whole_runs
from planoracle.instances.model.resource_rules import budgets, capacities, states
from planoracle.instances.model.schedule import Piece, Schedule, variant_of
from planoracle.instances.model.time_rules import off_times, pauses, windows
from planoracle.instances.model.transition_rules import transitions
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
    work = _work_of(instance, schedule.pieces)
    total = len(work)
    finished = 0
    events = []
    for i, piece in enumerate(schedule.pieces):
        if piece.action in work:
            work[piece.action] -= piece.duration
            finished += work[piece.action] == 0
        progress = finished / total if done else 0.0
        events.append(ReplayEvent(i, piece.action, piece.start, piece.end, done, progress))
    fatal = None if done else violations[0]
    executed = len(schedule.pieces) if done else 0
    makespan = schedule.makespan if done else 0
    progress = float(done)
    remaining = {} if done else _durations(instance, schedule.pieces)
    return Replay(
        events=tuple(events),
        violations=violations,
        fatal=fatal,
        executed=executed,
        progress=progress,
        goal_ratio=progress,
        success=done,
        makespan=makespan,
        remaining=remaining,
        idle=_idle(instance, schedule),
    )


def _work_of(instance: Instance, pieces: Sequence[Piece]) -> dict[str, int]:
    """Return the ticks of work of every action that has to be executed.

    Actions of optional tasks count if pieces execute the task. The mode of the pieces decides; an action without pieces
    counts with its shortest mode.
    """
    by_id = instance.by_id
    optional_tasks = instance.weights
    work = {piece.action: variant_of(instance, piece).duration for piece in pieces if piece.action in by_id}
    executed_tasks = {by_id[name].task for name in work} if optional_tasks else set()
    for action in instance.actions:
        if action.id in work or (action.task in optional_tasks and action.task not in executed_tasks):
            continue
        work[action.id] = _shortest(instance, action.id)
    return work


def _shortest(instance: Instance, name: str) -> int:
    """Return the shortest duration of an action in all modes."""
    return min(variant.duration for variant in instance.variants[name])


def _durations(instance: Instance, pieces: Sequence[Piece] = ()) -> dict[str, int]:
    """Return the durations of the actions that take time, by name.

    Optional tasks count only if pieces execute them.
    """
    work = _work_of(instance, pieces)
    return {action.id: work[action.id] for action in instance.actions if work.get(action.id)}


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

    Missing actions and time lags are not checked; a paused action has too short a duration. Ways and set-up times are
    checked as if no further visit came at the start of the last piece.
    """
    entries = list(enumerate(pieces))
    last = entries[-1:]
    _, piece = last[0]
    same_action = [entry for entry in entries if entry[1].action == piece.action]
    for check in (_mode, _agent):
        yield from check(instance, same_action)
    yield from windows(instance, last)
    for check in (off_times, _work, pauses):
        yield from check(instance, same_action)
    used = {demand.resource for demand in variant_of(instance, piece).demands}
    if used:
        yield from budgets(instance, entries, used)
    runs = whole_runs(instance, entries)
    same_agent = [entry for entry in runs if entry[1].agent == piece.agent]
    yield from _attendance(instance, same_agent)
    if used:
        yield from capacities(instance, runs, used)
        yield from states(instance, runs, used)
    yield from transitions(instance, runs)


def find_violations(instance: Instance, schedule: Schedule, max_per_kind: int | None = None) -> Iterator[Violation]:
    """Yield the violations in the order of `KINDS`: all, or about ``max_per_kind`` of every kind."""
    entries = []
    by_id = instance.by_id
    for i, piece in enumerate(schedule.pieces):
        if piece.action in by_id:
            entries.append((i, piece))
        else:
            yield fault("unknown_action", i, piece)
    for check in _CHECKS:  # in the order of their kinds
        violations = list(itertools.islice(check(instance, entries), max_per_kind))
        if violations:
            yield from sorted(violations, key=lambda violation: KINDS.index(violation.kind))


def _mode(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    chosen: dict[str, int] = {}
    by_id = instance.by_id
    for i, piece in pieces:
        modes = by_id[piece.action].modes
        if not 0 <= piece.mode < len(modes):
            yield fault("wrong_mode", i, piece, required=len(modes) - 1, actual=piece.mode)
        elif (first := chosen.setdefault(piece.action, piece.mode)) != piece.mode:
            yield fault("wrong_mode", i, piece, required=first, actual=piece.mode, case="other_mode")


def _agent(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    pausing = instance.pausing
    agents: dict[str, str | None] = {}  # of the first pieces of actions that pause in breaks
    for i, piece in sorted(pieces, key=start_of) if pausing else pieces:
        variant = variant_of(instance, piece)
        eligible = variant.agents
        is_pausing = piece.action in pausing
        if is_pausing and piece.action in agents:
            is_held = variant.attended or piece.agent is not None
            if is_held and piece.agent != agents[piece.action]:
                required = agents[piece.action]
                yield fault("ineligible_agent", i, piece, required=required, actual=piece.agent, case="other_agent")
            continue
        if (piece.agent not in eligible) if eligible else (piece.agent is not None):
            case = "" if eligible else "no_agent"
            yield fault("ineligible_agent", i, piece, required=eligible, actual=piece.agent, case=case)
        if is_pausing:
            agents[piece.action] = piece.agent


def _work(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    runs: dict[str, Pieces] = defaultdict(list)
    by_id = instance.by_id
    for entry in pieces:
        i, piece = entry
        runs[piece.action].append(entry)
        if piece.duration < 0 or (piece.duration == 0 < variant_of(instance, piece).duration):
            yield fault("action_duration", i, piece, required=1, actual=piece.duration, case="no_duration")
    for name, entries in runs.items():
        action = by_id[name]
        first_piece = entries[0][1]
        duration = variant_of(instance, first_piece).duration
        total = first_piece.duration
        if len(entries) > 1:
            total = sum(piece.duration for _, piece in entries)
        if total != duration:
            yield fault("action_duration", *entries[-1], required=duration, actual=total)
        if len(entries) == 1:
            continue
        may_pause = action.interruptible or (action.pauses_in_breaks and duration)
        if not may_pause:
            conflicting = (entries[0], *entries[2 : MAX_OTHERS + 1])
            conflicts = tuple(other_of(piece) for _, piece in conflicting)
            yield fault("interruptibility", *entries[1], conflicts, required=1, actual=len(entries))
        by_start = sorted(entries, key=start_of)
        for (_, first), (j, second) in itertools.pairwise(by_start):
            if second.start < first.end:
                yield fault("interruptibility", j, second, (other_of(first),), case="overlap")


def _missing(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    present = {piece.action for _, piece in pieces}
    optional_tasks = instance.weights
    executed_tasks = {instance.by_id[name].task for name in present} if optional_tasks else set()
    for action in instance.actions:
        if action.id in present or (action.task in optional_tasks and action.task not in executed_tasks):
            continue
        duration = _shortest(instance, action.id)
        yield GeneralViolation(None, "missing_action", action.id, required=duration, actual=0)


_Span = tuple[int, int, int, Piece]  # start, end, index


def _attendance(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    attended: dict[str | None, list[_Span]] = defaultdict(list)
    starts = []  # of unattended actions by an agent
    by_id = instance.by_id
    for i, piece in whole_runs(instance, pieces):
        variant = variant_of(instance, piece)
        ticks = variant.attended
        if ticks and ticks != piece.duration:  # else it holds its agent throughout in any case
            ticks = held_ticks(by_id[piece.action], variant, piece)
        if ticks:
            end = piece.start + ticks
            attended[piece.agent].append((piece.start, end, i, piece))
        elif not variant.attended and variant.agents:
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
    runs = _runs_of(whole_runs(instance, pieces))
    optional_tasks = instance.weights
    for run in runs.values():
        i, first = run.first
        for before in variant_of(instance, first).after:
            earlier = runs.get(before)
            if earlier is None:
                if instance.by_id[before].task in optional_tasks:
                    continue
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
    windows,
    off_times,
    _work,
    pauses,
    _missing,
    budgets,
    _attendance,
    capacities,
    states,
    transitions,
    _lags,
)


def _idle(instance: Instance, schedule: Schedule) -> tuple[tuple[int, int], ...]:
    busy = []
    by_id = instance.by_id
    pieces = [(i, piece) for i, piece in enumerate(schedule.pieces) if piece.action in by_id]
    for _, piece in whole_runs(instance, pieces):
        ticks = held_ticks(by_id[piece.action], variant_of(instance, piece), piece)
        busy.append((piece.start, piece.start + ticks))
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
    "deadline",
    "window",
    "time_limit",
    "off_time",
    "action_duration",
    "interruptibility",
    "pause",
    "missing_action",
    "budget",
    "agent_busy",
    "start_attended",
    "resource_capacity",
    "resource_state",
    "transition",
    "minimum_lag",
    "maximum_lag",
)
