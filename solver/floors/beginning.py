"""What cooks have done up to a point of a run, as the beginning of plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

from planoracle.instances.floors.acts import FINISH, WAIT, spoken, written
from planoracle.instances.floors.clock import Clock, Deed
from planoracle.instances.floors.floor import FloorRules
from planoracle.instances.floors.run import FloorRun, carry_out
from planoracle.instances.floors.world import Time
from planoracle.solver.floors.found import FloorPlan

#: A plan to begin with: of every cook a list.
Beginning: TypeAlias = dict[str, list[dict[str, Any]]]


class Done:
    """What has been done in a run, without the action that failed and what was begun after it.

    Attributes
    ----------
    rules
        By which plans that begin like the run are carried out: one that is handed in piece by piece ends with the last
        dish.
    here
        Where the run goes on, a fresh kitchen after an error that is not the last one.
    count
        How many deeds there are.
    """

    def __init__(self, run: FloorRun) -> None:
        clock, fault = run.outcome.clock, run.verdict.fatal
        failed = None if fault is None else fault.position
        self._floor, self._clock = run.problem, clock
        self._deeds = clock.deeds[:failed]
        self._stopped = clock.deeds[failed].start if failed is not None and failed < len(clock.deeds) else clock.time
        self.rules: FloorRules = replace(run.rules, end="served") if run.live else run.rules
        self.here = Clock.of(run.problem, run.rules) if run.restarts else clock
        self.count = len(self._deeds)

    def now(self, count: int) -> Time:
        """Return the moment after so many deeds: that of the last one, or at which the run stopped."""
        if count == self.count:
            return self._stopped
        return self._deeds[count - 1].start if count else 0

    def begun(self, count: int) -> Beginning:
        """Return the plan by which cooks do so many deeds, each at its time, and then nothing up to `now`."""
        of, now = self._clock.ground, self.now(count)
        made: list[list[dict[str, Any]]] = [[] for _ in of.cooks]
        free: list[Time] = [0] * len(of.cooks)
        finished: set[int] = set()
        for deed in self._deeds[:count]:
            own = made[deed.cook]
            if deed.start > free[deed.cook]:
                own.append(_wait(deed.start - free[deed.cook]))
            own.append(written(of, deed.act))
            free[deed.cook] = deed.end
            if deed.act.word == FINISH:
                finished.add(deed.cook)
        for cook, own in enumerate(made):
            if free[cook] < now and cook not in finished:
                own.append(_wait(now - free[cook]))
        return dict(zip(of.cooks, made, strict=True))

    @cached_property
    def faithful(self) -> bool:
        """Whether these deeds, handed in as a whole, come to the same.

        Not so for some runs that are handed in piece by piece, where it matters who has his turn first at a moment.
        """
        again = carry_out(self._floor, self.begun(self.count), self.rules).clock
        return again.error is None and _plain(again.deeds) == _plain(self._deeds)


def lasting(begun: Beginning) -> Beginning:
    """Return a beginning of one's own, to add to."""
    return {name: [*actions] for name, actions in begun.items()}


def begins(plan: FloorPlan, begun: FloorPlan) -> bool:
    """Whether a plan begins like another; where that waits at its end, this may wait for longer.

    Examples
    --------
    >>> wait = lambda ticks: {"action": "Wait", "duration": ticks}
    >>> begins({"a": [wait(3), wait(2)]}, {"a": [wait(3), wait(1)]}), begins({"a": [wait(3)]}, {"a": [wait(4)]})
    (True, False)
    """
    for name, actions in begun.items():
        own = plan.get(name, ())
        if len(own) < len(actions):
            return False
        for at, action in enumerate(actions):
            longer = at + 1 == len(actions) and action["action"] == WAIT == own[at]["action"]
            if own[at] != action and not (longer and own[at]["duration"] >= action["duration"]):
                return False
    return True


def left_of(plan: FloorPlan, begun: Beginning) -> Beginning:
    """Return what a plan that `begins` so has left to be done."""
    left: Beginning = {}
    for name, actions in begun.items():
        own = [dict(action) for action in plan.get(name, ())]
        left[name] = own[len(actions) :]
        if actions and own[len(actions) - 1] != actions[-1]:
            longer = own[len(actions) - 1]["duration"] - actions[-1]["duration"]
            left[name].insert(0, _wait(longer))
    return left


def _plain(deeds: Sequence[Deed]) -> list[tuple[object, ...]]:
    return sorted((one.start, one.cook, one.end, one.act) for one in deeds if one.act.word != WAIT)


def _wait(ticks: Time) -> dict[str, Any]:
    return {"action": WAIT, "duration": spoken(ticks)}
