"""Result of planning a grid kitchen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any, Final, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.descriptions import cooking_left
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import PLATE, GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import (
    FINISH,
    INTERACT,
    MOVE,
    PROCESS,
    WAIT,
    CookAction,
    json_number,
    written,
)
from planoracle.instances.benchmarks.grid_kitchens.rules import DIRTY, Food, KitchenState, Time, Ware
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun, carry_out
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, StartedAction
from planoracle.instances.model.limits import Deadline, Status
from planoracle.instances.protocol import registry
from planoracle.solver.grid_kitchens.rollout import FAR, RemainingWork, outlook
from planoracle.solver.result import Result
from planoracle.solver.states.state_solver import NEVER, Value

#: The actions of every cook as a submission has them, by name; who is missing does nothing.
FloorPlan: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]


class PlanAndBound(NamedTuple):
    """A plan, a bound, or both.

    Attributes
    ----------
    status
        ``optimal``: no plan ends earlier, proved. ``feasible``: ``bound`` holds. ``infeasible``: proved that no plan
        serves all orders. ``unknown``: no plan was found.
    makespan
        Ticks from the beginning of the whole run to its end; ``None`` without a plan.
    bound
        Ticks; no plan ends earlier.
    plan
        From the beginning, what it was to begin with included.
    proof
        In which way the status was settled.
    """

    status: Status
    makespan: int | None
    bound: int
    plan: FloorPlan | None = None
    proof: str = ""


def value_of(found: PlanAndBound) -> Value:
    """Return what a search has found as what is known of the state that it began with."""
    return Value(NEVER, None) if found.status == Status.infeasible else Value(found.bound, found.makespan)


def found_of(result: Result) -> PlanAndBound:
    """Return a result as a search would have told it."""
    plan = None if result.plan is None else json.loads(result.plan)
    return PlanAndBound(result.status, result.makespan, result.lower_bound or 0, plan, result.proof)


#: A plan to begin with: of every cook a list.
Beginning: TypeAlias = dict[str, list[dict[str, Any]]]


class CompletedWork:
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

    def __init__(self, run: GridKitchenRun) -> None:
        clock, fault = run.outcome.clock, run.verdict.fatal
        failed = None if fault is None else fault.position
        self._floor, self._clock = run.problem, clock
        self._deeds = clock.deeds[:failed]
        self._stopped = clock.deeds[failed].start if failed is not None and failed < len(clock.deeds) else clock.time
        self.rules: GridKitchenRules = replace(run.rules, end="served") if run.live else run.rules
        self.here = Simulation.of(run.problem, run.rules) if run.restarts else clock
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


def _plain(deeds: Sequence[StartedAction]) -> list[tuple[object, ...]]:
    return sorted((one.start, one.cook, one.end, one.act) for one in deeds if one.act.word != WAIT)


def _wait(ticks: Time) -> dict[str, Any]:
    return {"action": WAIT, "duration": json_number(ticks)}


# States from which is gone on at a moment, one width after the other.
_WIDTHS: Final = (8, 30, 120)
# Seconds that a state takes about.
_STATE: Final = 1e-4


class _Node(NamedTuple):
    """A state, who has been given what, and the node before."""

    clock: Simulation
    cook: int
    acts: tuple[CookAction, ...]
    before: _Node | None


def completed(
    floor: GridKitchen, rules: GridKitchenRules, begun: Beginning, deadline: Deadline, most: int | None = None
) -> FloorPlan | None:
    """Return a plan that begins so and serves all orders, the best of those that are found; ``None`` if none is.

    Parameters
    ----------
    most
        Ticks; a plan that does not end earlier is of no use.
    """
    search = _Search(floor, rules, begun, deadline, most)
    for width in _WIDTHS:
        search.beam(width)
        if deadline.over(0.0):
            break
    return search.best


class _Search:
    def __init__(
        self, floor: GridKitchen, rules: GridKitchenRules, begun: Beginning, deadline: Deadline, most: int | None
    ) -> None:
        self.floor, self.rules, self.begun, self.deadline = floor, rules, begun, deadline
        # The last dish counts; what is under way then is cut off afterwards.
        self.ending = replace(rules, end="served")
        self.guide: RemainingWork = outlook(floor, self.ending)
        self.best: FloorPlan | None = None
        self.least: Time | None = most
        self.start = Simulation.of(floor, self.ending, keep=False)
        if self.start.load(begun):
            self.start.until_decision()

    def beam(self, width: int) -> None:
        """Of the states at a moment, go on from so many in which least is left to be done."""
        if self.start.error is not None:
            return
        seen: dict[object, Time] = {}
        first, count = _Node(self.start, -1, (), None), 0
        waiting: dict[Time, list[tuple[float, int, _Node]]] = {self.start.time: [(0.0, 0, first)]}
        while waiting:
            now = min(waiting)
            if self.least is not None and now >= self.least:
                return
            here = waiting.pop(now)
            heapify(here)
            for _ in range(width):
                if not here:
                    break
                _, _, node = heappop(here)
                for child in self.children(node):
                    if self.deadline.over(_STATE):
                        return
                    clock = child.clock
                    time = clock.time
                    if clock.world.all_served:
                        self.reached(child)
                        continue
                    key = clock.key()
                    if seen.get(key, FAR) <= time:
                        continue
                    seen[key] = time
                    rank = self.guide.left(clock)
                    if rank >= FAR:
                        continue
                    count += 1
                    entry = rank, count, child
                    if time == now:
                        heappush(here, entry)
                    else:
                        waiting.setdefault(time, []).append(entry)

    def children(self, node: _Node) -> Iterator[_Node]:
        """Yield what the next cook who has nothing to do can do."""
        clock = node.clock
        if not clock.decide:
            return
        cook = clock.decide[0]
        for acts in self.errands(clock, cook):
            after = clock.fork()
            after.give(cook, *acts)
            if not after.decide:
                after.begin()
                after.until_decision()
            if after.error is None:
                yield _Node(after, cook, acts, node)

    def errands(self, clock: Simulation, cook: int) -> Iterator[tuple[CookAction, ...]]:
        """Yield ways to use a station, once it has what is wanted there; and to stand by."""
        world, of = clock.world, clock.ground
        tile = world.tiles[cook]
        walks = of.walks(tile)
        for station in range(len(world.on)):
            far, goal = min(((walks.get(one, FAR), one) for one in of.near[station]), default=(FAR, tile))
            if far >= FAR:
                continue
            come = world.clock + far * of.facts.move
            way = (CookAction(MOVE, goal),) if goal != tile else ()
            trial = world.copy()
            trial.tiles[cook] = goal
            ready = self.ready(clock, trial, station)
            wait = (CookAction(WAIT, duration=ready - come),) if ready > come else ()
            if self.useful(clock, cook, station) and not trial.interact(cook, station):
                use = (*way, *wait, CookAction(INTERACT, station=station))
                yield use
                lying = trial.on[station]
                if of.kinds[station] in ("chopping_board", "sink") and not trial.process(station):
                    worth = isinstance(lying, Food) or lying == DIRTY
                    if worth and lying != world.on[station]:
                        yield (*use, CookAction(PROCESS, station=station))
            elif (
                world.on[station] is not None
                and not any(act is not None and act.station == station for act in clock.acts)
                and not world.copy().process(station)
            ):
                yield (*way, CookAction(PROCESS, station=station))
        until = [end for end, act in zip(clock.ends, clock.acts, strict=True) if act is not None and end > world.clock]
        until += [moment for moment in world.coming if moment > world.clock]
        until += [world.clock + left for n in of.stoves if (left := cooking_left(clock, n)) is not None and left > 0]
        if until:
            yield (CookAction(WAIT, duration=min(until) - world.clock),)

    def ready(self, clock: Simulation, trial: KitchenState, station: int) -> Time:
        """Return from when on a station has what is under way there, and let it be there in the trial."""
        now, of = clock.time, clock.ground
        thing = trial.on[station]
        for act, end in zip(clock.acts, clock.ends, strict=True):
            if act is not None and act.word == PROCESS and act.station == station:
                trial.process(station)
                return end
        if of.kinds[station] == "plate_return" and not trial.dirty and trial.coming:
            trial.dirty = 1
            return trial.coming[0]
        left = cooking_left(clock, station)
        if left is not None:
            assert isinstance(thing, Ware)
            cooked = tuple(Food(food.name, "cooked") for food in thing.contents)
            trial.on[station] = thing._replace(contents=cooked, cooking=False)
            return now + max(left, 1)
        return now

    def useful(self, clock: Simulation, cook: int, station: int) -> bool:
        """Whether it may be good for something to use a station."""
        world, of = clock.world, clock.ground
        held, lying, kind = world.hands[cook], world.on[station], of.kinds[station]
        if kind == "trash":
            return held is not None
        if held is None and lying is None and kind == "dispenser":
            return self.wanted(clock, of.provides[station])
        if held is None and isinstance(lying, Ware) and not lying.contents:
            return lying.kind == PLATE or kind != "stove"
        return True

    def wanted(self, clock: Simulation, name: str) -> bool:
        """Whether there is less of an ingredient than the orders that are left need."""
        world = clock.world
        needed = sum(own == name for dish in clock.ground.dishes[world.served :] for own, _ in dish)
        for thing in (*world.on, *world.hands):
            if isinstance(thing, Food):
                needed -= thing.name == name
            elif isinstance(thing, Ware):
                needed -= sum(food.name == name for food in thing.contents)
        return needed > 0

    def reached(self, node: _Node) -> None:
        """Keep a plan that is better, if the rules see it so as a whole."""
        if self.least is not None and node.clock.time >= self.least:
            return
        lists, of = lasting(self.begun), node.clock.ground
        path: list[_Node] = []
        at: _Node | None = node
        while at is not None and at.cook >= 0:
            path.append(at)
            at = at.before
        for one in reversed(path):
            lists[of.cooks[one.cook]] += [written(of, act) for act in one.acts]
        ended = carry_out(self.floor, lists, self.ending)
        if not ended.done or ended.time != node.clock.time:
            return
        for cook, name in enumerate(of.cooks):
            done = sum(deed.cook == cook and deed.end <= ended.time for deed in ended.events)
            lists[name] = lists[name][: max(done, len(self.begun.get(name, ())))]
        run = registry.of(self.floor).run(self.floor, {"plan": lists}, self.rules)
        if run.success and (self.least is None or run.verdict.makespan < self.least):
            self.best, self.least = lists, run.verdict.makespan
