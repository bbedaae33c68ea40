"""Target of a repair: the pieces of a submission by action, and the distance of a schedule from them.

The *work* of an action is its ticks of running time, counted from 0. A schedule and a submission both give each tick of
work a time; the distance between the two is the *shift* of that tick.

"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, variant_of
from planoracle.instances.model.validation import MAX_TICKS


class Shift(NamedTuple):
    """Distance of an action from its target: whether any piece differs, and the largest shift in ticks."""

    moved: bool
    ticks: int


class Stretch(NamedTuple):
    """Work ``[first, end)`` of one piece of the submission."""

    first: int
    end: int
    piece: Piece

    @property
    def origin(self) -> int:
        """Start of the action if it had run without interruption up to this stretch."""
        return self.piece.start - self.first


@dataclass(frozen=True, slots=True)
class TargetPieces:
    """The pieces that a submission gives an action.

    Attributes
    ----------
    stretches
        In order of start, cut where the action is complete.
    complete
        True if they are exactly the work of the action: none is missing, and no piece was cut.
    """

    stretches: tuple[Stretch, ...]
    complete: bool

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces."""
        return tuple(stretch.piece for stretch in self.stretches)

    def within(self, first: int, end: int) -> list[Stretch]:
        """Return the stretches that hold some of the work ``[first, end)``."""
        stretches = []
        for stretch in self.stretches:
            overlaps = stretch.first < end and first < stretch.end
            is_start = stretch.first == first and (first == end or first == stretch.end)
            if overlaps or is_start:  # work of no length is compared by its start
                stretches.append(stretch)
        return stretches

    def shift(self, pieces: Sequence[Piece]) -> Shift:
        """Compare with the pieces of a schedule that carries out the whole action.

        ``moved`` is whether any piece is not as in the target: in start, length, mode, or agent if one was given;
        pieces that touch count as one. ``ticks`` is the largest shift of any unit of work that the target has.

        Examples
        --------
        >>> from planoracle.instances.model.instance import Action
        >>> chop = Action("t/chop", "t", duration=4, attended=4, interruptible=True)
        >>> target, _ = split_pieces(chop, [Piece("t/chop", 0, 2, "a"), Piece("t/chop", 5, 2, "a")])
        >>> target.shift([Piece("t/chop", 0, 4, "a")])
        Shift(moved=True, ticks=3)
        """
        moved, ticks = not self.complete, 0
        actual_stretches = _stretches(sorted(pieces, key=lambda piece: piece.start))
        for target_stretch, actual_stretch in _pairs(self.stretches, actual_stretches):
            distance = abs(target_stretch.origin - actual_stretch.origin)
            ticks = max(ticks, distance)
            target, actual = target_stretch.piece, actual_stretch.piece
            if distance or target.mode != actual.mode or target.agent not in (None, actual.agent):
                moved = True
        return Shift(moved, ticks)


def _stretches(pieces: Sequence[Piece]) -> list[Stretch]:
    stretches, first = [], 0
    for piece in pieces:
        stretches.append(Stretch(first, first + piece.duration, piece))
        first += piece.duration
    return stretches


def _pairs(targets: Sequence[Stretch], actuals: Sequence[Stretch]) -> Iterator[tuple[Stretch, Stretch]]:
    """Yield the stretches of both that hold the same work."""
    i = j = 0
    while i < len(targets) and j < len(actuals):
        target, actual = targets[i], actuals[j]
        yield target, actual
        i += target.end <= actual.end
        j += actual.end <= target.end


def split_pieces(
    action: Action, pieces: Sequence[Piece], duration: int | None = None
) -> tuple[TargetPieces | None, list[Piece]]:
    """Split the pieces that a submission has of an action into its target and redundant pieces.

    Pieces count in order of start until the action is complete; the last of them is cut if it is too long.
    Redundant are those after that, those of no length (unless the action has none), and those that start after
    ``MAX_TICKS``, which no instance's times exceed.

    Parameters
    ----------
    duration
        Ticks of the action in the mode of the pieces; by default those of the action.

    Raises
    ------
    InputError
        If the start or the duration of a piece is no whole number, or negative.
    """
    stretches: list[Stretch] = []
    redundant: list[Piece] = []
    first, is_uncut = 0, True
    work = action.duration if duration is None else duration
    for piece in sorted(pieces, key=_start):
        remaining = work - first
        is_full = not remaining and (bool(work) or bool(stretches))
        is_empty = not piece.duration and work
        if is_full or is_empty or piece.start > MAX_TICKS:
            redundant.append(piece)
            continue
        is_uncut = is_uncut and piece.duration <= remaining
        length = min(piece.duration, remaining)
        stretches.append(Stretch(first, first + length, piece._replace(duration=length)))
        first += length
    if not stretches:
        return None, redundant
    return TargetPieces(tuple(stretches), is_uncut and first == work), redundant


def _start(piece: Piece) -> int:
    for field, value in (("start", piece.start), ("duration", piece.duration)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError("must be a whole number of ticks", field=f"target[{piece.action}].{field}", value=value)
    return piece.start


def split_all_pieces(
    instance: Instance, target: Mapping[str, Sequence[Piece]]
) -> tuple[dict[str, TargetPieces], tuple[Piece, ...]]:
    """Apply `split_pieces` to every action; raise `InputError` for actions that are none of the instance."""
    targets: dict[str, TargetPieces] = {}
    redundant: list[Piece] = []
    for name in target:
        if name not in instance.by_id:
            raise InputError("must name an action of the instance", field="target", value=name)
    for action in instance.actions:
        pieces_of_target = target.get(action.id, ())
        duration = None
        if pieces_of_target:
            first_piece = min(pieces_of_target, key=_start)
            duration = variant_of(instance, first_piece._replace(action=action.id)).duration
        pieces, extra = split_pieces(action, pieces_of_target, duration)
        redundant += extra
        if pieces is not None:
            targets[action.id] = pieces
    return targets, tuple(redundant)
