"""What cooks can do at a moment, and how it is written."""

from __future__ import annotations

import json
from collections.abc import Iterator

from planoracle.instances.floors.acts import FINISH, INTERACT, MOVE, PROCESS, WAIT, Act, written
from planoracle.instances.floors.clock import Clock
from planoracle.instances.floors.describe import cooking_left
from planoracle.instances.floors.ground import Ground
from planoracle.instances.floors.world import Time


def choices(clock: Clock, cook: int) -> Iterator[Act]:
    """Yield what a cook can do that is no error as things stand.

    Of walks those to where something can be used, of waits those up to something that is under way, and of a tick.
    """
    world, of = clock.world, clock.ground
    here = world.tiles[cook]
    beside = [number for number, near in enumerate(of.near) if here in near]
    if not (clock.finished[cook] and of.rules.finish == "final"):
        acts = [Act(word, station=number) for word in (INTERACT, PROCESS) for number in beside]
        yield from (act for act in acts if not clock.refusal(cook, act))
        useful = set().union(*of.near[: len(world.on)])
        for tile in sorted(tile for tile in of.walks(here) if tile in useful and tile != here):
            yield Act(MOVE, tile)
        for duration in _waits(clock):
            yield Act(WAIT, duration=duration)
    yield Act(FINISH)


def _waits(clock: Clock) -> list[Time]:
    """Return a tick, and the ticks until each thing that is under way has happened."""
    world = clock.world
    until = [end - world.clock for end, act in zip(clock.ends, clock.acts, strict=True) if act is not None]
    until += [moment - world.clock for moment in world.coming]
    until += [left for number in clock.ground.stoves if (left := cooking_left(clock, number)) is not None]
    return sorted({1, *(ticks for ticks in until if ticks > 0)})


def submitted(of: Ground, cook: int, act: Act) -> str:
    """Return an action as a submission of its own."""
    return json.dumps({of.cooks[cook]: [written(of, act)]})
