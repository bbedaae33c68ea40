"""States of live runs on floors, see `planoracle.solver.live`: a plan is good for all states that it leads through."""

from __future__ import annotations

import json
from typing import cast

from planoracle.instances.deadline import Limit
from planoracle.instances.floors.acts import FINISH
from planoracle.instances.floors.run import FloorRun
from planoracle.solver.floors.beginning import Beginning, Done, begins, left_of
from planoracle.solver.floors.found import FloorPlan, Found, found_of, value_of
from planoracle.solver.floors.planner import plan
from planoracle.solver.known import known as shipped
from planoracle.solver.live import Known
from planoracle.solver.states.solver import Value

# States kept.
_MOST = 10_000


class Values:
    """Values of runs on one floor; ``limit`` is the planner's at one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._found: dict[str, Known] = {}

    def known(self, run: FloorRun, before: Known | None = None) -> Known:
        """Return what is known of where a run stopped."""
        if run.success and run.makespan is not None:
            return Known(Value(run.makespan, run.makespan))
        done, begun = _begun(run)
        if not done.faithful:
            return Known(Value(0, None))
        if before is not None and not run.restarts and _leads_through(before, begun):
            return before
        key = json.dumps(begun)
        if key not in self._found:
            if len(self._found) >= _MOST:
                self._found.clear()
            found = self._searched(run, done, begun)
            self._found[key] = Known(value_of(found), found.plan)
        return self._found[key]

    def commands(self, run: FloorRun, known: Known) -> list[str] | None:
        """Return the actions of the best plan known, one by one, as they are asked for; ``None`` if none leads on."""
        if run.success:
            return []
        return None if known.keep is None else messages(run, cast("FloorPlan", known.keep))

    def _searched(self, run: FloorRun, done: Done, begun: Beginning) -> Found:
        found = None if any(begun.values()) else shipped(run.problem, run.rules)
        return plan(run.problem, done.rules, self.limit, begun) if found is None else found_of(found)


def messages(run: FloorRun, plan: FloorPlan) -> list[str] | None:
    """Return what a plan that begins like a run has left: an action of every cook whenever it is asked.

    Where it matters at a moment who has his turn first, all that a cook has left at once, as the plan has been carried
    out as a whole. ``None`` if it does not serve all orders like that either.
    """
    return next(filter(None, (_handed_in(run, plan, whole=whole) for whole in (False, True))), None)


def _handed_in(run: FloorRun, plan: FloorPlan, *, whole: bool) -> list[str] | None:
    done, begun = _begun(run)
    left = left_of(plan, begun)
    clock, names, found = done.here.fork(), run.problem.agents, list[str]()
    while not clock.end:
        said = {}
        for name in (names[cook] for cook in clock.decide):
            count = len(left[name]) if whole else 1
            said[name] = left[name][:count] or [{"action": FINISH}]
            left[name] = left[name][count:]
        found.append(json.dumps(said))
        clock.submit(said)
        clock.until_decision()
    return found if clock.world.all_served and clock.error is None else None


def _begun(run: FloorRun) -> tuple[Done, Beginning]:
    done = Done(run)
    return done, done.begun(0 if run.restarts else done.count)


def _leads_through(before: Known, begun: Beginning) -> bool:
    """Whether the plan that is known, and proved to be the best, begins so."""
    if before.value.makespan is None or before.keep is None:
        return False
    return begins(cast("FloorPlan", before.keep), begun)
