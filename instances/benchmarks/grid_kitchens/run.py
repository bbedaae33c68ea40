"""Runs on grid kitchens: of a plan for every cook, or of submissions turn by turn."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.diagnostics import action_text, fault_of
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import FINISH, WAIT, json_number, whole
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import Time, written
from planoracle.instances.benchmarks.grid_kitchens.simulation import (
    ERRORS,
    RunError,
    Simulation,
    StartedAction,
    replay_submissions,
)
from planoracle.instances.model.violations import Replay, ReplayEvent
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import Step

#: Actions by cook; or a list of such, handed in one after the other.
GridKitchenPlan: TypeAlias = Mapping[str, object] | Sequence[object]


class GridKitchenRun(Run[GridKitchen, GridKitchenPlan, GridKitchenRules]):
    """A run on a grid kitchen; every action that is begun is a decision.

    Attributes
    ----------
    outcome
        Result of the plan, with its simulation at the end.
    live
        Whether it was handed in turn by turn.
    errors
        How many errors there were; after those before the last one, everything began anew.
    """

    def __init__(self, problem: GridKitchen, plan: Plan[GridKitchenPlan], rules: GridKitchenRules) -> None:
        commands = plan.commands
        if isinstance(commands, Mapping):
            self.live = False
            self.outcome = carry_out(problem, commands, rules)
            self.errors = int(self.outcome.error is not None)
        else:
            loop = replay_submissions(problem, rules, commands)
            self.live, self.outcome, self.errors = True, carried_out(loop.clock), loop.errors
        super().__init__(problem, plan, rules, _verdict(self.outcome))

    @property
    def command_texts(self) -> list[str]:
        """Messages of the run: the plan with final Finish actions, or the submissions by turns."""
        commands = self.plan.commands
        if not isinstance(commands, Mapping):
            return [json.dumps(one) for one in commands]
        plans = {name: commands.get(name, []) for name in (*self.problem.agents, *commands)}
        return [json.dumps({name: _finished(actions) for name, actions in plans.items()})]

    @property
    def restarts(self) -> bool:
        """True if the next submission starts in a fresh kitchen: after an error but the last."""
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
    def steps(self) -> list[Step]:
        """All actions begun, in that order, and the one at which the run ended."""
        clock = self.outcome.clock
        fault = self.verdict.fatal
        failed = None if fault is None else fault.position
        decisions = []
        for n, deed in enumerate(clock.deeds):
            command = action_text(clock, deed.cook, deed.act)
            kind, broken = "wait" if deed.act.word == WAIT else "act", None
            if fault is not None and n == failed:
                kind, broken = "lost", fault
            decisions.append(Step(n, command, kind, whole(deed.start), whole(deed.end), broken))
        if fault is not None and failed == len(decisions):
            now = whole(self.outcome.time)
            decisions.append(Step(failed, fault.subject[:200], "lost", now, now, fault))
        return decisions


def replay(problem: GridKitchen, plan: Plan[GridKitchenPlan], rules: GridKitchenRules) -> GridKitchenRun:
    """Replay a plan."""
    return GridKitchenRun(problem, plan, rules)


def _verdict(outcome: PlanOutcome) -> Replay:
    """Return the verdict in the common form; progress is the share of orders served."""
    clock = outcome.clock
    orders = len(clock.ground.dishes)
    share = outcome.served / orders if orders else float(outcome.done)
    fault = fault_of(clock)
    failed = None if fault is None else fault.position
    moments = outcome.served_at
    events = tuple(
        ReplayEvent(
            n,
            action_text(clock, deed.cook, deed.act),
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
    intervals, until = [], 0
    for deed in sorted(clock.deeds, key=lambda deed: deed.start):
        if deed.act.word != WAIT and deed.end > deed.start:
            if deed.start > until:
                intervals.append((until, whole(deed.start)))
            until = max(until, whole(deed.end))
    end = whole(clock.time)
    return (*intervals, (until, end)) if end > until else tuple(intervals)


def _finished(actions: object) -> object:
    """Return a list of actions that ends with Finish."""
    end = {"action": FINISH}
    return actions if not isinstance(actions, list) or actions[-1:] == [end] else [*actions, end]


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """Result of a plan. Times in ticks, fractions only where plans wait for such; cooks by name.

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
                "busy": json_number(self.busy[name]),
                "waiting": json_number(self.waiting[name]),
                "moving": json_number(self.moving[name]),
                "processing": json_number(self.processing[name]),
            }
            for name in self.progress
        }
        return {
            "done": self.done,
            "all_served": self.all_served,
            "error": error,
            "time": json_number(self.time),
            "served": self.served,
            "agents": figures,
            "trace": [[json_number(moment), cook, index] for moment, cook, index in self.trace],
            "final": self.final,
        }


def carry_out(kitchen: GridKitchen, plan: Mapping[str, object], rules: GridKitchenRules) -> PlanOutcome:
    """Load a plan before moment 0 and go on to the end. Never raises for what the plan holds."""
    clock = Simulation.of(kitchen, rules)
    if clock.load(plan):
        clock.run()
    return carried_out(clock)


def carried_out(clock: Simulation) -> PlanOutcome:
    """Return the result of a run that is over."""
    world, names = clock.world, clock.ground.cooks
    sums = [sum(each, 0) for each in zip(clock.moving, clock.waiting, clock.processing, strict=True)]
    return PlanOutcome(
        done=world.all_served and clock.error is None,
        all_served=world.all_served,
        error=_named(clock.error, names),
        time=clock.time,
        served=world.served,
        served_at=clock.served_at,
        progress={name: (clock.started[n], len(clock.queues[n])) for n, name in enumerate(names)},
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
