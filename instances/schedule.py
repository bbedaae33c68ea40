"""Schedules: what solvers and heuristics return, as a list of pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.model import Action, Instance

__all__ = ["Piece", "Schedule"]


class Piece(NamedTuple):
    """One uninterrupted run of an action; ``start`` and ``duration`` in ticks, ``mode`` its position."""

    action: str
    start: int
    duration: int
    agent: str | None
    mode: int = 0

    @property
    def end(self) -> int:
        """First tick after the piece."""
        return self.start + self.duration


@dataclass(frozen=True, slots=True)
class Schedule:
    """Pieces in the order in which their commands are given.

    Pieces are ordered by start; at the same instant an action that only needs to be started comes
    before one that holds its agent, one that sets no state before one that does; then by the
    instance's order. Use `Schedule.of`.
    """

    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, instance: Instance, pieces: Iterable[Piece]) -> Schedule:
        """Bring pieces into normal form.

        Adjacent pieces of one action by one agent are joined, except where the agent starts an
        action that needs no more than a start: there the piece must be cut, since nobody can start
        anything strictly inside a piece.

        Examples
        --------
        >>> from planoracle.instances.model import Action, Instance
        >>> chop = Action("t/chop", "t", duration=4, attended=4, interruptible=True)
        >>> boil = Action("t/boil", "t", duration=9, attended=0)
        >>> kitchen = Instance("k", (chop, boil))
        >>> units = [Piece("t/chop", k, 1, "agent") for k in range(4)]
        >>> for piece in Schedule.of(kitchen, [*units, Piece("t/boil", 3, 9, "agent")]).pieces:
        ...     print(*piece)
        t/chop 0 3 agent 0
        t/boil 3 9 agent 0
        t/chop 3 1 agent 0
        """
        by_id, index = instance.by_id, instance.index
        ordered = sorted(pieces, key=lambda p: (by_id[p.action].attended > 0, index[p.action], p.start, p.duration))
        joined: list[Piece] = []
        for piece in ordered:
            last = joined[-1] if joined else None
            if (
                last is not None
                and last.action == piece.action
                and last.end == piece.start
                and (last.agent, last.mode) == (piece.agent, piece.mode)
            ):
                joined[-1] = last._replace(duration=last.duration + piece.duration)
            else:
                joined.append(piece)
        starts = sorted((p.start, p.agent) for p in joined if not by_id[p.action].attended and p.agent is not None)
        if starts:
            joined = [part for piece in joined for part in _cut(piece, by_id[piece.action], starts)]
        joined.sort(key=lambda p: (p.start, by_id[p.action].attended > 0, _sets(by_id[p.action], p), index[p.action]))
        return cls(tuple(joined))

    @property
    def makespan(self) -> int:
        """Latest end of a piece, in ticks; 0 for the empty schedule."""
        return max((piece.end for piece in self.pieces), default=0)

    def finish(self) -> dict[str, int]:
        """End of the last piece of every action."""
        ends: dict[str, int] = {}
        for piece in self.pieces:
            ends[piece.action] = max(ends.get(piece.action, 0), piece.end)
        return ends


def _sets(action: Action, piece: Piece) -> bool:
    modes = action.modes
    return 0 <= piece.mode < len(modes) and any(demand.sets is not None for demand in modes[piece.mode].demands)


def _cut(piece: Piece, action: Action, starts: list[tuple[int, str]]) -> Iterator[Piece]:
    """Cut a piece where its agent starts something strictly inside, if it may be cut."""
    if action.interruptible and action.attended:
        for instant, agent in starts:
            if agent == piece.agent and piece.start < instant < piece.end:
                yield piece._replace(duration=instant - piece.start)
                piece = piece._replace(start=instant, duration=piece.end - instant)
    yield piece
