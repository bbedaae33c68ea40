"""Runs on a floor, of a plan for every cook or of what was handed in turn by turn, in the form common to all."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.diagnostics import fault_of, told
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import FINISH, WAIT, spoken, whole
from planoracle.instances.benchmarks.grid_kitchens.rules import Time, written
from planoracle.instances.benchmarks.grid_kitchens.simulation import ERRORS, RunError, Simulation, StartedAction, played
from planoracle.instances.model.violations import Replay, ReplayEvent
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.run import Decision, Run

#: Actions by cook; or a list of such, handed in one after the other.
FloorPlan: TypeAlias = Mapping[str, object] | Sequence[object]


class GridKitchenRun(Run[GridKitchen, FloorPlan, GridKitchenRules]):
    """A run on a floor; every action that is begun is a decision.

    Attributes
    ----------
    outcome
        What became of the plan, with its clock at the end.
    live
        Whether it was handed in turn by turn.
    errors
        How many errors there were; after those before the last one, everything began anew.
    """

    def __init__(self, problem: GridKitchen, plan: Plan[FloorPlan], rules: GridKitchenRules) -> None:
        given = plan.commands
        if isinstance(given, Mapping):
            self.live = False
            self.outcome = carry_out(problem, given, rules)
            self.errors = int(self.outcome.error is not None)
        else:
            loop = played(problem, rules, given)
            self.live, self.outcome, self.errors = True, carried_out(loop.clock), loop.errors
        super().__init__(problem, plan, rules, _verdict(self.outcome))

    @property
    def said(self) -> list[str]:
        """The messages of which it is made: the plan, after which nobody is asked again, or what was said by turns."""
        given = self.plan.commands
        if not isinstance(given, Mapping):
            return [json.dumps(one) for one in given]
        plans = {name: given.get(name, []) for name in (*self.problem.agents, *given)}
        return [json.dumps({name: _finished(actions) for name, actions in plans.items()})]

    @property
    def restarts(self) -> bool:
        """Whether everything begins anew, in a fresh kitchen: after an error that is not the last one."""
        return self.live and self.outcome.error is not None and self.errors < ERRORS

    @property
    def stop(self) -> int:
        """Number of steps up to the end of the run, or up to the one that failed."""
        fault = self.verdict.fatal
        failed = None if fault is None or self.restarts else fault.position
        return len(self.steps) if failed is None else failed

    def lost_at(self, count: int) -> str | None:
        """Return ``over`` after the step by which the run has ended without success."""
        if self.success or self.restarts:
            return None
        if self.live and self.outcome.clock.end == "all_finished":
            return "over" if count == len(self.steps) else None
        fault = self.verdict.fatal
        if fault is None or (fault.position is not None and count <= fault.position):
            return None
        return "over" if fault.position is not None or count == len(self.steps) else None

    @cached_property
    def steps(self) -> list[Decision]:
        """All actions begun, in that order, and the one at which the run ended."""
        clock = self.outcome.clock
        fault = self.verdict.fatal
        failed = None if fault is None else fault.position
        found = []
        for n, deed in enumerate(clock.deeds):
            command = told(clock, deed.cook, deed.act)
            kind, broken = "wait" if deed.act.word == WAIT else "act", None
            if fault is not None and n == failed:
                kind, broken = "lost", fault.kind
            found.append(Decision(n, command, kind, whole(deed.start), whole(deed.end), broken))
        if fault is not None and failed == len(found):
            now = whole(self.outcome.time)
            found.append(Decision(failed, fault.subject[:200], "lost", now, now, fault.kind))
        return found


def replay(problem: GridKitchen, plan: Plan[FloorPlan], rules: GridKitchenRules) -> GridKitchenRun:
    """Replay a plan."""
    return GridKitchenRun(problem, plan, rules)


def _verdict(outcome: PlanOutcome) -> Replay:
    """Return what became of a plan in the form common to all benchmarks; progress is the share of orders served."""
    clock = outcome.clock
    orders = len(clock.ground.dishes)
    share = outcome.served / orders if orders else float(outcome.done)
    fault = fault_of(clock)
    failed = None if fault is None else fault.position
    moments = outcome.served_at
    events = tuple(
        ReplayEvent(
            n,
            told(clock, deed.cook, deed.act),
            whole(deed.start),
            whole(deed.end),
            n != failed,
            bisect_right(moments, deed.end) / orders if orders else 0.0,
        )
        for n, deed in enumerate(clock.deeds)
    )
    return Replay(
        events=events,
        violations=() if fault is None else (fault,),
        fatal=fault,
        executed=len(outcome.trace),
        progress=share,
        goal_ratio=share,
        success=outcome.done,
        makespan=whole(outcome.time),
        remaining={},
        idle=_idle(clock),
    )


def _idle(clock: Simulation) -> tuple[tuple[int, int], ...]:
    """Return the intervals in which nobody walks or works."""
    found, until = [], 0
    for deed in sorted(clock.deeds, key=lambda deed: deed.start):
        if deed.act.word != WAIT and deed.end > deed.start:
            if deed.start > until:
                found.append((until, whole(deed.start)))
            until = max(until, whole(deed.end))
    end = whole(clock.time)
    return (*found, (until, end)) if end > until else tuple(found)


def _finished(actions: object) -> object:
    """Return a list of actions that ends with Finish."""
    end = {"action": FINISH}
    return actions if not isinstance(actions, list) or actions[-1:] == [end] else [*actions, end]


@dataclass(frozen=True, slots=True)
class PlanOutcome:
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
    events: tuple[StartedAction, ...]
    clock: Simulation

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


def carry_out(floor: GridKitchen, plan: Mapping[str, object], rules: GridKitchenRules) -> PlanOutcome:
    """Load a plan before moment 0 and go on to the end. Never raises for what the plan holds."""
    clock = Simulation.of(floor, rules)
    if clock.load(plan):
        clock.run()
    return carried_out(clock)


def carried_out(clock: Simulation) -> PlanOutcome:
    """Return what became of a plan whose run is over."""
    world, names = clock.world, clock.ground.cooks
    sums = [sum(each, 0) for each in zip(clock.moving, clock.waiting, clock.processing, strict=True)]
    return PlanOutcome(
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


def _named(fault: RunError | None, names: Sequence[str]) -> tuple[str, str | None, int | None] | None:
    if fault is None:
        return None
    return (fault.kind, None if fault.cook is None else names[fault.cook], fault.position)


def _final(clock: Simulation) -> dict[str, Any]:
    world, of = clock.world, clock.ground
    cooks = zip(of.cooks, world.tiles, world.hands, strict=True)
    standing = zip(of.names, world.on, strict=False)
    return {
        "agents": {name: [*tile, written(thing)] for name, tile, thing in cooks},
        "stations": {name: written(thing) for name, thing in standing if thing is not None},
        "dirty": world.dirty,
    }
