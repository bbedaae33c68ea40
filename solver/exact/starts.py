"""Actions that hold nobody need somebody who can start them, stated for all starts at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planoracle.solver.exact.cp import Model

#: Pairs of a start and a piece of one agent up to which a literal for each of them proves more.
_FEW_PAIRS = 1_000


class Inside(NamedTuple):
    """The moments ``after`` to ``after + size - 1`` behind a variable are inside a piece, if all literals hold."""

    begin: int
    after: int
    size: int
    present: tuple[int, ...]


class Start(NamedTuple):
    """Something is started at the moment of a variable, if all literals hold."""

    moment: int
    present: tuple[int, ...]


def starts_are_counted(agents: int, starts: int, spans: int) -> bool:
    """Whether all starts at once are better than a literal for every start and span."""
    return agents > 1 or starts * spans > _FEW_PAIRS


def keep_out(model: Model, agents: int, spans: Sequence[Inside], starts: Sequence[Start]) -> None:
    """Let somebody of a crew be free at every start: at most ``agents - 1`` of the spans hold at its moment.

    One capacity says so, of as many units for every agent as there are starts. Whoever is inside takes all his units, a
    start takes one: where all are inside none is left, and where one is not there are enough for all starts
    together. With a literal for every start and span the model would grow with their product.
    """
    if len(spans) < agents or not starts:
        return
    intervals = [
        (model.interval(span.begin, span.size, *span.present, after=span.after), len(starts)) for span in spans
    ]
    intervals += [(model.interval(start.moment, 1, *start.present), 1) for start in starts]
    model.capacity(intervals, agents * len(starts))
