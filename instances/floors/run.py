"""Runs on a floor, of a plan for every cook or of what was handed in turn by turn, in the form common to all."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from planoracle.instances.floors.acts import FINISH, WAIT, whole
from planoracle.instances.floors.clock import Clock
from planoracle.instances.floors.faults import fault_of, told
from planoracle.instances.floors.floor import Floor, FloorRules
from planoracle.instances.floors.loop import ERRORS, played
from planoracle.instances.floors.replay import Outcome, carried_out, carry_out
from planoracle.instances.plan import Plan
from planoracle.instances.replay import Event, Replay
from planoracle.instances.run import Run, Step

#: Actions by cook; or a list of such, handed in one after the other.
FloorPlan: TypeAlias = Mapping[str, object] | Sequence[object]


class FloorRun(Run[Floor, FloorPlan, FloorRules]):
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

    def __init__(self, problem: Floor, plan: Plan[FloorPlan], rules: FloorRules) -> None:
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
    def steps(self) -> list[Step]:
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
            found.append(Step(n, command, kind, whole(deed.start), whole(deed.end), broken))
        if fault is not None and failed == len(found):
            now = whole(self.outcome.time)
            found.append(Step(failed, fault.subject[:200], "lost", now, now, fault.kind))
        return found


def replay(problem: Floor, plan: Plan[FloorPlan], rules: FloorRules) -> FloorRun:
    """Replay a plan."""
    return FloorRun(problem, plan, rules)


def _verdict(outcome: Outcome) -> Replay:
    """Return what became of a plan in the form common to all benchmarks; progress is the share of orders served."""
    clock = outcome.clock
    orders = len(clock.ground.dishes)
    share = outcome.served / orders if orders else float(outcome.done)
    fault = fault_of(clock)
    failed = None if fault is None else fault.position
    moments = outcome.served_at
    events = tuple(
        Event(
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


def _idle(clock: Clock) -> tuple[tuple[int, int], ...]:
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
