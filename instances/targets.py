"""What a submission wants of every action: its commands as pieces, whether or not they were carried out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.model import Instance
from planoracle.instances.schedule import Piece


class Target(NamedTuple):
    """A command of the submission as a piece of an action."""

    position: int
    command: str
    piece: Piece


class Dropped(NamedTuple):
    """A command that a repaired plan does without: its position in the submission (from 0), its words, and why."""

    position: int
    command: str
    reason: str


@dataclass(frozen=True, slots=True)
class Targets:
    """A submission as the scheduling model sees it.

    Attributes
    ----------
    problem
        What is to be scheduled, with the limits that the rules set every plan.
    targets
        In the order of the commands.
    dropped
        Commands that are no piece of any action.
    """

    problem: Instance
    targets: tuple[Target, ...] = ()
    dropped: tuple[Dropped, ...] = ()


def first_or_attempted(
    carried: Iterable[Target], attempted: Iterable[tuple[Target, str]]
) -> tuple[tuple[Target, ...], tuple[Dropped, ...]]:
    """Put commands that were carried out and attempts together.

    Of an action that was never carried out the first attempt counts. The others are dropped, for the reasons given.
    """
    targets = list(carried)
    known = {target.piece.action for target in targets}
    dropped = []
    for target, reason in attempted:
        if target.piece.action in known:
            dropped.append(Dropped(target.position, target.command, reason))
        else:
            known.add(target.piece.action)
            targets.append(target)
    return tuple(sorted(targets, key=lambda one: (one.piece.start, one.position))), tuple(dropped)
