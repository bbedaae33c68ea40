"""Pieces of actions that pause in breaks, from plans that give only a start, or start and end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from planoracle.instances.errors import PlanError
from planoracle.instances.model.calendars import FOREVER, OffTimes, working_spans
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import MAX_PIECES, Piece, variant_of
from planoracle.instances.model.working_times import breaks_of


def with_breaks(problem: Instance, pieces: list[Piece]) -> list[Piece]:
    """Cut the only piece that a plan has of an action at the breaks in which the action pauses.

    A piece with the duration of its action works around the breaks. Any other piece is cut at the breaks that it
    contains; the rules find its fault unless it ends when this work would.

    Examples
    --------
    >>> from planoracle.instances.model.calendars import Calendar
    >>> from planoracle.instances.model.instance import Action
    >>> calendar = Calendar(("agent",), ((4, 6),))
    >>> shop = Instance("shop", (Action("t/cut", "t", 5, 5, pauses_in_breaks=True),), calendars=(calendar,))
    >>> with_breaks(shop, [Piece("t/cut", 2, 5, "agent")]) == with_breaks(shop, [Piece("t/cut", 2, 7, "agent")])
    True
    >>> [(piece.start, piece.end) for piece in with_breaks(shop, [Piece("t/cut", 2, 7, "agent")])]
    [(2, 4), (6, 9)]
    """
    pausing = problem.pausing
    if not pausing or not problem.calendars:
        return pieces
    counts: dict[str, int] = {}
    for piece in pieces:
        counts[piece.action] = counts.get(piece.action, 0) + 1
    cut: list[Piece] = []
    for piece in pieces:
        is_single = piece.action in pausing and counts[piece.action] == 1
        cut += _cut(problem, piece) if is_single else [piece]
    return cut


def end_with_breaks(problem: Instance, piece: Piece) -> int | None:
    """Return the end of an action that pauses in breaks and has the start, agent and mode of a piece.

    It is ``None`` if the action cannot start then or is never finished.
    """
    spans = list(_working_spans(problem, piece))
    worked = sum(end - start for start, end in spans)
    is_finished = spans and worked == variant_of(problem, piece).duration
    return spans[-1][1] if is_finished else None


def _cut(problem: Instance, piece: Piece) -> Iterable[Piece]:
    """Return the pieces of an action of which a plan has one."""
    if piece.duration == variant_of(problem, piece).duration:
        spans = list(_working_spans(problem, piece))
    else:
        spans = list(_limited(_worked_until(breaks_of(problem, piece), piece.start, piece.end)))
    if not spans or spans[0][0] != piece.start:
        return [piece]
    return [piece._replace(start=start, duration=end - start) for start, end in spans]


def _working_spans(problem: Instance, piece: Piece) -> Iterator[tuple[int, int]]:
    """Yield begin and end of the work of an action; nothing if it cannot start, or takes no time."""
    duration = variant_of(problem, piece).duration
    times = breaks_of(problem, piece)
    if duration and not times.covers(piece.start):
        yield from _limited(working_spans(times, piece.start, duration))


def _worked_until(times: OffTimes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans between the breaks of a span."""
    clock = start
    for begin, last in times.spans_after(start):
        if begin >= end:
            break
        if begin > clock:
            yield clock, begin
        clock = last
        if last == FOREVER:
            return
    if clock < end:
        yield clock, end


def _limited(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans; raises `PlanError` for too many."""
    first_spans = list(islice(spans, MAX_PIECES + 1))
    if len(first_spans) > MAX_PIECES:
        raise PlanError(f"has an action with more than {MAX_PIECES} pauses in breaks", field="plan")
    yield from first_spans
