"""General rules of times: releases, deadlines, windows, off-times of calendars, and pauses in breaks."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter

from planoracle.instances.model.calendars import FOREVER, OffTimes
from planoracle.instances.model.general_violations import fault, other_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.piece_variants import Pieces, held_ticks, start_of, whole_runs
from planoracle.instances.model.schedule import Piece, variant_of
from planoracle.instances.model.violations import MAX_NAMES, Violation
from planoracle.instances.model.working_times import breaks_of


def windows(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    """Yield the pieces that start before the release, end too late, or lie in no window of their action."""
    limit = instance.time_limit
    by_id = instance.by_id
    for i, piece in pieces:
        action = by_id[piece.action]
        if piece.start < action.release:
            yield fault("release", i, piece, required=action.release, actual=piece.start)
        if action.deadline is not None and piece.end > action.deadline:
            yield fault("deadline", i, piece, required=action.deadline, actual=piece.end)
        if action.windows and not _fits(action.windows, piece):
            spans = tuple(f"{begin} to {end}" for begin, end in action.windows[:MAX_NAMES])
            yield fault("window", i, piece, required=spans, actual=piece.start)
        if limit is not None and piece.end > limit:
            yield fault("time_limit", i, piece, required=limit, actual=piece.end)


def _fits(spans: tuple[tuple[int, int], ...], piece: Piece) -> bool:
    """Return whether a piece lies in one of some sorted windows."""
    place = bisect_right(spans, piece.start, key=itemgetter(0))
    return place > 0 and piece.end <= spans[place - 1][1]


def off_times(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    """Yield the pieces that run or are started while their agent, or a resource that they use, is off.

    Later pieces of an unattended action that pauses in breaks are not started by an agent; ``pieces`` has all pieces
    of the actions.
    """
    calendars = instance.off_times
    if not calendars:
        return
    first_starts = {piece.action: piece.start for _, piece in whole_runs(instance, pieces)}
    for i, piece in pieces:
        action = instance.by_id[piece.action]
        variant = variant_of(instance, piece)
        if variant.agents and piece.agent in calendars:
            ticks = held_ticks(action, variant, piece)
            is_continued = action.pauses_in_breaks and piece.start > first_starts[piece.action]
            if ticks or not is_continued:
                case = "" if ticks else "start_off"
                yield from _overlap(calendars[piece.agent], piece.agent, (i, piece), ticks, case)
        for demand in variant.demands:
            name = demand.resource
            if name in calendars:
                yield from _overlap(calendars[name], name, (i, piece), piece.duration)


def _overlap(times: OffTimes, member: str, entry: tuple[int, Piece], ticks: int, case: str = "") -> Iterator[Violation]:
    """Yield the violation of a piece that needs a member for some ticks, or at its start, while it is off."""
    i, piece = entry
    start = piece.start
    span = next(times.spans_after(start), None)
    if span is None:
        return
    begin, end = span
    if begin < start + max(ticks, 1):
        required = None if end == FOREVER else end
        yield fault("off_time", i, piece, resource=member, required=required, actual=max(begin, start), case=case)


def pauses(instance: Instance, pieces: Pieces) -> Iterator[Violation]:
    """Yield the pieces after pauses during which nothing that the action needs is off."""
    pausing = instance.pausing
    if not pausing:
        return
    by_action: dict[str, Pieces] = defaultdict(list)
    for entry in pieces:
        if entry[1].action in pausing:
            by_action[entry[1].action].append(entry)
    for entries in by_action.values():
        entries.sort(key=start_of)
        if not variant_of(instance, entries[0][1]).duration:
            continue  # several pieces without duration violate another rule
        times = breaks_of(instance, entries[0][1])
        for (_, earlier), (i, piece) in itertools.pairwise(entries):
            if earlier.end < piece.start and not _is_off(times, earlier.end, piece.start):
                yield fault("pause", i, piece, (other_of(earlier),), required=earlier.end, actual=piece.start)


def _is_off(times: OffTimes, start: int, end: int) -> bool:
    """Return whether every tick of a span is in an off-time."""
    span = next(times.spans_after(start), None)
    return span is not None and span[0] <= start and end <= span[1]
