"""Uses of stations written as a plan: walks, waits, and what is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from planoracle.instances.floors.acts import INTERACT, MOVE, PROCESS, WAIT
from planoracle.solver.floors.moves import Moves, Use

__all__ = ["plan_of"]

Actions: TypeAlias = list[dict[str, Any]]


def plan_of(moves: Moves, uses: Sequence[Use], fine: bool) -> dict[str, Actions]:
    """Write a plan.

    Parameters
    ----------
    fine
        Walk and wait tick by tick: so stations work at every moment. Else as few actions as can be.
    """
    floor = moves.floor
    end = uses[-1].moment
    tiles = [moves.number[tile] for _, tile in floor.cooks]
    free = [0] * len(tiles)
    made: list[Actions] = [[] for _ in tiles]
    lags = _lags(uses)
    for position, (cook, tile, station, moment, work) in enumerate(uses):
        if moment + work > end:
            continue
        if moment > free[cook]:
            made[cook] += _way(moves, tiles[cook], tile, moment - free[cook], lags[position], fine)
        word = PROCESS if work else INTERACT
        made[cook].append({"action": word, "target": floor.stations[station].name})
        tiles[cook], free[cook] = tile, moment + work
    return {name: actions for (name, _), actions in zip(floor.cooks, made, strict=True)}


def _lags(uses: Sequence[Use]) -> list[int]:
    """Return how long before each use its cook must have begun its last action at the latest, to have its turn."""
    ended: dict[tuple[int, int], int] = {(use.cook, use.moment + use.work): use.work for use in uses if use.work}
    lags = [1] * len(uses)
    for position in range(len(uses) - 2, -1, -1):
        use, then = uses[position], uses[position + 1]
        if use.moment == then.moment:
            if use.cook == then.cook:
                lags[position] = lags[position + 1]
            else:
                after = max(lags[position + 1], ended.get((then.cook, then.moment), 1))
                lags[position] = after + (use.cook > then.cook)
    return lags


def _way(moves: Moves, start: int, goal: int, ticks: int, lag: int, fine: bool) -> Actions:
    """Walk from tile to tile and wait, so long altogether; the last action begins early enough."""
    steps = moves.walks[start][goal]
    waits = ticks - steps
    if not fine:
        walk = [_move(moves, goal)] if steps else []
        rest = [_wait(waits)] if waits else []
        return [*rest, *walk] if steps >= max(lag, 1) else [*walk, *rest]
    route = _route(moves, start, goal)
    pace = max(1, moves.floor.facts.move)
    if waits >= lag or not steps:
        last = max(1, min(lag, waits))
        return [*(_move(moves, tile) for tile in route), *(_wait(1) for _ in range(waits - last)), _wait(last)]
    jump = max(1, -(-lag // pace))
    walked = [*route[:-jump], route[-1]]
    return [*(_wait(1) for _ in range(waits)), *(_move(moves, tile) for tile in walked)]


def _route(moves: Moves, start: int, goal: int) -> list[int]:
    route, tile, pace = [], start, moves.floor.facts.move
    while tile != goal:
        left = moves.walks[tile][goal]
        tile = next(n for n, row in enumerate(moves.walks[tile]) if row == pace and moves.walks[n][goal] == left - pace)
        route.append(tile)
    return route


def _move(moves: Moves, tile: int) -> dict[str, Any]:
    return {"action": MOVE, "target": list(moves.tiles[tile])}


def _wait(ticks: int) -> dict[str, Any]:
    return {"action": WAIT, "duration": ticks}
