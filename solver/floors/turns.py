"""A sequence of uses whose turns at the same moment were not looked at, carried out with the turns as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planoracle.solver.floors.moves import Moves, State, Use

__all__ = ["followed"]

# States that are kept of those in which as much has been done.
_WIDE: Final = 200


def followed(moves: Moves, uses: Sequence[Use], most: int) -> tuple[Use, ...] | None:
    """Return uses in which every cook does the same in the same order, with turns; ``None`` for none before ``most``.

    Whose turn it is may differ, and uses may be later; of all ways those are kept that are the least so.
    """
    tasks: list[list[Use]] = [[use for use in uses if use.cook == c] for c in range(len(moves.floor.cooks))]
    layer: list[tuple[int, State, tuple[int, ...], tuple[Use, ...]]] = [(0, moves.start(), (0,) * len(tasks), ())]
    for _ in uses:
        new = []
        known = set()
        for apart, state, done, path in layer:
            for use, after in moves.children(state):
                position = done[use.cook]
                if position == len(tasks[use.cook]) or use.moment >= most:
                    continue
                task = tasks[use.cook][position]
                if (task.tile, task.station, bool(task.work)) == (use.tile, use.station, bool(use.work)):
                    then = (*done[: use.cook], position + 1, *done[use.cook + 1 :])
                    if (after, then) not in known:
                        known.add((after, then))
                        new.append((apart + abs(use.moment - task.moment), after, then, (*path, use)))
        new.sort(key=lambda one: one[0])
        layer = new[:_WIDE]
    return min((path for _, _, _, path in layer), key=lambda path: path[-1].moment, default=None)
