"""A plan for a floor carried out: whether it served everything, how long that took, and who did what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planoracle.instances.floors.acts import spoken
from planoracle.instances.floors.clock import Clock, Deed, Fault
from planoracle.instances.floors.floor import Floor, FloorRules
from planoracle.instances.floors.world import Time, written


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a plan. Times in ticks, fractions only where plans wait for such; cooks by name.

    Attributes
    ----------
    done, all_served
        Whether every order was served, ``done``: and there was no fault.
    error
        Why the run ended: the kind, and cook and index of the action concerned, if it was one.
    time
        The moment of the end.
    served, served_at
        How many orders, and when.
    progress
        Actions begun, and how many there are.
    busy, waiting, moving, processing
        Ticks of the actions begun.
    trace
        Moment, cook and index of every action that took effect, in order.
    final
        Where cooks are and what they hold, what stands on stations, and dirty plates that can be taken.
    events
        All actions begun, in that order; for pictures.
    clock
        The run at its end.
    """

    done: bool
    all_served: bool
    error: tuple[str, str | None, int | None] | None
    time: Time
    served: int
    served_at: tuple[Time, ...]
    progress: dict[str, tuple[int, int]]
    busy: dict[str, Time]
    waiting: dict[str, Time]
    moving: dict[str, Time]
    processing: dict[str, Time]
    trace: tuple[tuple[Time, str, int], ...]
    final: dict[str, Any]
    events: tuple[Deed, ...]
    clock: Clock

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        error = dict(zip(("kind", "agent", "index"), self.error, strict=True)) if self.error else None
        figures = {
            name: {
                "progress": list(self.progress[name]),
                "busy": spoken(self.busy[name]),
                "waiting": spoken(self.waiting[name]),
                "moving": spoken(self.moving[name]),
                "processing": spoken(self.processing[name]),
            }
            for name in self.progress
        }
        return {
            "done": self.done,
            "all_served": self.all_served,
            "error": error,
            "time": spoken(self.time),
            "served": self.served,
            "agents": figures,
            "trace": [[spoken(moment), cook, index] for moment, cook, index in self.trace],
            "final": self.final,
        }


def carry_out(floor: Floor, plan: Mapping[str, object], rules: FloorRules) -> Outcome:
    """Load a plan before moment 0 and go on to the end. Never raises for what the plan holds."""
    clock = Clock.of(floor, rules)
    if clock.load(plan):
        clock.run()
    return carried_out(clock)


def carried_out(clock: Clock) -> Outcome:
    """Return what became of a plan whose run is over."""
    world, names = clock.world, clock.ground.cooks
    sums = [sum(each, 0) for each in zip(clock.moving, clock.waiting, clock.processing, strict=True)]
    return Outcome(
        done=world.all_served and clock.error is None,
        all_served=world.all_served,
        error=_named(clock.error, names),
        time=clock.time,
        served=world.served,
        served_at=clock.served_at,
        progress={name: (clock.taken[n], len(clock.queues[n])) for n, name in enumerate(names)},
        busy=dict(zip(names, sums, strict=True)),
        waiting=dict(zip(names, clock.waiting, strict=True)),
        moving=dict(zip(names, clock.moving, strict=True)),
        processing=dict(zip(names, clock.processing, strict=True)),
        trace=tuple((moment, names[cook], index) for moment, cook, index in clock.trace),
        final=_final(clock),
        events=tuple(clock.deeds),
        clock=clock,
    )


def _named(fault: Fault | None, names: Sequence[str]) -> tuple[str, str | None, int | None] | None:
    if fault is None:
        return None
    return (fault.kind, None if fault.cook is None else names[fault.cook], fault.position)


def _final(clock: Clock) -> dict[str, Any]:
    world, of = clock.world, clock.ground
    cooks = zip(of.cooks, world.tiles, world.hands, strict=True)
    standing = zip(of.names, world.on, strict=False)
    return {
        "agents": {name: [*tile, written(thing)] for name, tile, thing in cooks},
        "stations": {name: written(thing) for name, thing in standing if thing is not None},
        "dirty": world.dirty,
    }
