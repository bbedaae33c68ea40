"""Some way on from any moment on a floor, by the rules: beams of states, wider and wider; proves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from planoracle.instances import registry
from planoracle.instances.deadline import Deadline
from planoracle.instances.floors.acts import INTERACT, MOVE, PROCESS, WAIT, Act, written
from planoracle.instances.floors.clock import Clock
from planoracle.instances.floors.describe import cooking_left
from planoracle.instances.floors.floor import PLATE, Floor, FloorRules
from planoracle.instances.floors.run import carry_out
from planoracle.instances.floors.world import DIRTY, Food, Time, Ware, World
from planoracle.solver.floors.beginning import Beginning, lasting
from planoracle.solver.floors.found import FloorPlan
from planoracle.solver.floors.outlook import FAR, Outlook, outlook

# States from which is gone on at a moment, one width after the other.
_WIDTHS: Final = (8, 30, 120)
# Seconds that a state takes about.
_STATE: Final = 1e-4


class _Node(NamedTuple):
    """A state, who has been given what, and the node before."""

    clock: Clock
    cook: int
    acts: tuple[Act, ...]
    before: _Node | None


def completed(
    floor: Floor, rules: FloorRules, begun: Beginning, deadline: Deadline, most: int | None = None
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
    def __init__(self, floor: Floor, rules: FloorRules, begun: Beginning, deadline: Deadline, most: int | None) -> None:
        self.floor, self.rules, self.begun, self.deadline = floor, rules, begun, deadline
        # The last dish counts; what is under way then is cut off afterwards.
        self.ending = replace(rules, end="served")
        self.guide: Outlook = outlook(floor, self.ending)
        self.best: FloorPlan | None = None
        self.least: Time | None = most
        self.start = Clock.of(floor, self.ending, keep=False)
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

    def errands(self, clock: Clock, cook: int) -> Iterator[tuple[Act, ...]]:
        """Yield ways to use a station, once it has what is wanted there; and to stand by."""
        world, of = clock.world, clock.ground
        tile = world.tiles[cook]
        walks = of.walks(tile)
        for station in range(len(world.on)):
            far, goal = min(((walks.get(one, FAR), one) for one in of.near[station]), default=(FAR, tile))
            if far >= FAR:
                continue
            come = world.clock + far * of.facts.move
            way = (Act(MOVE, goal),) if goal != tile else ()
            trial = world.copy()
            trial.tiles[cook] = goal
            ready = self.ready(clock, trial, station)
            wait = (Act(WAIT, duration=ready - come),) if ready > come else ()
            if self.useful(clock, cook, station) and not trial.interact(cook, station):
                use = (*way, *wait, Act(INTERACT, station=station))
                yield use
                lying = trial.on[station]
                if of.kinds[station] in ("chopping_board", "sink") and not trial.process(station):
                    worth = isinstance(lying, Food) or lying == DIRTY
                    if worth and lying != world.on[station]:
                        yield (*use, Act(PROCESS, station=station))
            elif (
                world.on[station] is not None
                and not any(act is not None and act.station == station for act in clock.acts)
                and not world.copy().process(station)
            ):
                yield (*way, Act(PROCESS, station=station))
        until = [end for end, act in zip(clock.ends, clock.acts, strict=True) if act is not None and end > world.clock]
        until += [moment for moment in world.coming if moment > world.clock]
        until += [world.clock + left for n in of.stoves if (left := cooking_left(clock, n)) is not None and left > 0]
        if until:
            yield (Act(WAIT, duration=min(until) - world.clock),)

    def ready(self, clock: Clock, trial: World, station: int) -> Time:
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

    def useful(self, clock: Clock, cook: int, station: int) -> bool:
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

    def wanted(self, clock: Clock, name: str) -> bool:
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
