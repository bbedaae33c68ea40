"""Pieces of a schedule: held ticks of agents, and runs of actions that pause in breaks."""

from __future__ import annotations

from planoracle.instances.model.instance import Action, Instance, Variant
from planoracle.instances.model.schedule import Piece, variant_of

#: Pieces with their positions in the schedule.
Pieces = list[tuple[int, Piece]]


def ticks_of_agent(instance: Instance, piece: Piece) -> int:
    """Return the ticks from its start on for which a piece holds its agent."""
    return held_ticks(instance.by_id[piece.action], variant_of(instance, piece), piece)


def held_ticks(action: Action, variant: Variant, piece: Piece) -> int:
    """Return the ticks from its start on for which a piece of an action in a variant holds its agent."""
    attended = variant.attended
    if attended and (action.interruptible or action.pauses_in_breaks):
        return piece.duration
    return attended


def whole_runs(instance: Instance, pieces: Pieces) -> Pieces:
    """Return pieces, with those of each action that pauses in breaks joined.

    Agents, capacities, states, visits and time lags count the span from first start to last end as one piece. It has
    the position and the agent of the first piece.

    Examples
    --------
    >>> instance = Instance("i", (Action("t/a", "t", 3, 3, pauses_in_breaks=True),))
    >>> pieces = [(0, Piece("t/a", 1, 2, "agent")), (1, Piece("t/a", 5, 1, "agent"))]
    >>> for position, piece in whole_runs(instance, pieces):
    ...     print(position, *piece)
    0 t/a 1 5 agent 0
    """
    pausing = instance.pausing
    if not pausing:
        return pieces
    places: dict[str, int] = {}
    runs: Pieces = []
    for i, piece in pieces:
        place = places.setdefault(piece.action, len(runs))
        if piece.action not in pausing or place == len(runs):
            runs.append((i, piece))
            continue
        runs[place] = _joined(runs[place], (i, piece))
    return runs


def _joined(run: tuple[int, Piece], entry: tuple[int, Piece]) -> tuple[int, Piece]:
    """Return two runs of an action as one, with the position and agent of the one that starts first."""
    [first, second] = sorted((run, entry), key=start_of)
    i, piece = first
    end = max(piece.end, second[1].end)
    return i, piece._replace(duration=end - piece.start)


def start_of(entry: tuple[int, Piece]) -> int:
    """Return the start of a piece with its position."""
    return entry[1].start
