"""Windows of actions, and pieces of actions that pause in breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planoracle.instances.model.calendars import Calendar, OffTimes, working_spans
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, variant_of


def windows_of(action: Action, horizon: int) -> list[tuple[int, int]]:
    """Return the spans of ticks in which pieces of an action may lie, until a horizon.

    >>> windows_of(Action("t/a", "t", 2, 2, release=3, deadline=9, windows=((0, 5), (8, 12))), 20)
    [(3, 5), (8, 9)]
    """
    deadline = horizon if action.deadline is None else min(action.deadline, horizon)
    windows = action.windows or ((0, deadline),)
    spans = []
    for begin, end in windows:
        opening = max(begin, action.release)
        closing = min(end, deadline)
        if opening <= closing:
            spans.append((opening, closing))
    return spans


def breaks_of(instance: Instance, piece: Piece) -> OffTimes:
    """Return the breaks of an action that pauses in breaks, with the agent and mode of a piece."""
    variant = variant_of(instance, piece)
    members = [demand.resource for demand in variant.demands]
    if variant.attended and piece.agent is not None:
        members.append(piece.agent)
    return OffTimes(calendars_of_members(instance, members))


def calendars_of_members(instance: Instance, members: Iterable[str | None]) -> tuple[Calendar, ...]:
    """Return the calendars of some agents and resources."""
    calendars: dict[Calendar, None] = {}
    for member in members:
        if member in instance.off_times:
            calendars.update(dict.fromkeys(instance.off_times[member].calendars))
    return tuple(calendars)


def worked_pieces(instance: Instance, piece: Piece) -> Iterator[Piece]:
    """Yield the pieces of an action without its pauses in breaks.

    Parameters
    ----------
    piece
        First start of the action, and the ticks that it works; other actions are yielded as they are.
    """
    is_pausing = instance.by_id[piece.action].pauses_in_breaks and piece.duration > 0
    if not is_pausing or not instance.calendars:
        yield piece
        return
    for begin, end in working_spans(breaks_of(instance, piece), piece.start, piece.duration):
        yield piece._replace(start=begin, duration=end - begin)
