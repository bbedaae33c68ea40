"""Exhaustive search for the best plans of tiny grid kitchens, which hands every action to the rules.

Nothing is decided here but what to hand in: a run (`Simulation`) is forked, given acts and advanced. At every turn of
a cook
all chains of interactions with the stations next to him are tried, and after each of them working at each of those
stations, walks, and waits; runs are kept in the order of their next moment, each that can still go on differently once.

Left out is what cannot be missed:

- Walks by detours, and walks after waits (where a walk is first the same can be done). Walks and waits are split into
  ticks but for the last part, which with several cooks may also have 2 ticks, those of a work (``L``), or ``L + 1``.
  What is split decides only who has his turn first when two are due: who began earlier, or comes first on the map. The
  last part must be long enough to have begun before (or with) the other's last act, which is split as well, so that 2
  against 1 is enough, or is a work. Such a part is of use only if both use a station then, and its cook would have
  come last otherwise. More moments can only make the stamp of cookware older. ``sparse``: none of this is left out.
- More than ``spare`` pieces of food that no open order can need; by the rules with stamps they could set a clock. A
  plate that holds what no open order has is as good as any other such plate, so it does not count.
- If ``pruned``: runs that cannot serve by the horizon, a cook, plate or ingredient being too far from the window.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    STATES,
    GridKitchen,
    GridKitchenRules,
    Tile,
    steps,
)
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import Food, KitchenState, Ware
from planoracle.instances.benchmarks.grid_kitchens.language import INTERACT, MOVE, PROCESS, WAIT, CookAction, written
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, carry_out
from planoracle.instances.model.limits import Status, WorkLimit
from planoracle.solver.grid_kitchens.kind import plan


class SearchLimitError(Exception):
    """There is too much to be tried."""


class EarliestRun(NamedTuple):
    """The moment of the last serving, a plan for it, and how many runs were looked at."""

    time: int
    plan: dict[str, list[dict[str, Any]]]
    runs: int


def min_time(
    kitchen: GridKitchen,
    rules: GridKitchenRules,
    horizon: int,
    *,
    most: int = 400_000,
    spare: int = 0,
    sparse: bool = False,
    pruned: bool = True,
    parts: int = 1,
    start: Simulation | None = None,
) -> EarliestRun | None:
    """Return when the last order can be served at the earliest, ``None`` if not up to ``horizon``.

    Parameters
    ----------
    parts
        Waits of so many to a tick are tried as well.
    start
        Where the run goes on; by default at its beginning.

    Raises
    ------
    TooMuchError
        After ``most`` runs.
    """
    return _Search(kitchen, rules, horizon, spare, sparse, pruned, parts).run(most, start)


def random_run(kitchen: GridKitchen, rules: GridKitchenRules, random: Random, moments: int) -> Simulation:
    """Return a run in which cooks did something at random for so many moments, or until it could not go on."""
    trial = _Search(kitchen, rules, 10**6, 9, sparse=False, pruned=False, parts=1)
    trial.left = 10**6
    clock = trial.first
    for _ in range(moments):
        children = [child for child in trial.children(clock) if not child.world.all_served]
        if not children:
            break
        clock = random.choice(children)
    return clock


def compare_with_planner(
    kitchen: GridKitchen, rules: GridKitchenRules, *, most: int = 20_000, horizon: int = 25
) -> tuple[str, list[str]]:
    """Compare the plan and the bounds that are found for a kitchen with what there is; return the status and faults.

    The status is ``too much`` where nothing could be compared. A plan is carried out by the rules, so that it is enough
    to try whether there is an earlier one; ``horizon``: of that where no plan was found.
    """
    found = plan(kitchen, rules, WorkLimit(0.5))
    faults = []
    if found.plan is not None:
        outcome = carry_out(kitchen, json.loads(found.plan), rules)
        if not outcome.done or outcome.time != found.makespan:
            faults.append(f"the plan ends at {outcome.time}, not at {found.makespan}")
    try:
        best = min_time(kitchen, rules, horizon if found.makespan is None else found.makespan - 1, most=most)
    except SearchLimitError:
        return "too much", faults
    time = found.makespan if best is None else best.time
    if best is not None:
        outcome = carry_out(kitchen, best.plan, rules)
        if not outcome.done or outcome.time != best.time:
            faults.append(f"the best plan ends at {outcome.time}, not at {best.time}")
        if found.status in (Status.optimal, Status.infeasible):
            faults.append(f"{found.status.value} {found.makespan}, but {best.time} is possible: {best.plan}")
    if time is not None and time < found.lower_bound:
        faults.append(f"the bound {found.lower_bound} is above {time}")
    return found.status.value, faults


class _Search:
    def __init__(
        self,
        kitchen: GridKitchen,
        rules: GridKitchenRules,
        horizon: int,
        spare: int,
        sparse: bool,
        pruned: bool,
        parts: int,
    ) -> None:
        self.kitchen, self.horizon, self.spare, self.pruned = kitchen, horizon, spare, pruned
        self.first = Simulation.of(kitchen, rules, keep=False)
        self.of = self.first.ground
        self.cooks = range(len(kitchen.cooks))
        self.dishes = [Counter(dish) for dish in self.of.dishes]
        works = [kitchen.facts.chop] * bool(self.of.boards) + [kitchen.facts.wash] * bool(self.of.sinks)
        lengths = {1} if len(kitchen.cooks) == 1 else {1, 2, *works, *(work + 1 for work in works)}
        longest = max(works, default=1) + kitchen.width * kitchen.height * kitchen.facts.move
        if kitchen.facts.move > 1:
            lengths |= {kitchen.facts.move, kitchen.facts.move + 1}
        self.lengths = frozenset(range(1, longest + 1)) if sparse else frozenset(lengths)
        self.sparse, self.stamped = sparse, self.of.stamped
        self.waits: list[Any] = sorted(length for length in self.lengths if not sparse or length <= horizon)
        if parts > 1:
            self.waits.insert(0, Fraction(1, parts))
        self.walked = kitchen.facts.move
        self.sub = lru_cache(None)(self._sub)
        self.excess = lru_cache(None)(self._excess)
        self.timed = lru_cache(None)(self._timed)
        self.uses = lru_cache(None)(self._uses)
        self.cooking = {item: one.ticks for one in kitchen.facts.cookware for item in one.ingredients}
        self._measure()

    # What there is to do

    def _uses(self, tile: Tile) -> tuple[CookAction, ...]:
        return tuple(
            CookAction(INTERACT, station=s) for s in range(len(self.kitchen.stations)) if tile in self.of.near[s]
        )

    def _timed(self, tile: Tile) -> tuple[tuple[CookAction, ...], ...]:
        """Return what takes time: works, waits, and walks step by step but for the last part."""
        works = [
            (CookAction(PROCESS, station=s),) for s in (*self.of.boards, *self.of.sinks) if tile in self.of.near[s]
        ]
        walks: list[tuple[CookAction, ...]] = []
        for goal, far in self.of.walks(tile).items():
            if self.sparse and far:
                walks.append((CookAction(MOVE, goal),))
            elif far:
                route = self.route(tile, goal)
                walks += [
                    (*(CookAction(MOVE, step) for step in route[: far - last]), CookAction(MOVE, goal))
                    for last in range(1, far + 1)
                    if last == 1 or last in self.lengths
                ]
        return (*works, *walks, *((CookAction(WAIT, duration=ticks),) for ticks in self.waits))

    def route(self, tile: Tile, goal: Tile) -> list[Tile]:
        found, back = [], self.of.walks(goal)
        while tile != goal:
            tile = min(near for near in steps(tile) if near in back and back[near] < back[tile])
            found.append(tile)
        return found

    def run(self, most: int, start: Simulation | None = None) -> EarliestRun | None:
        numbers, start = count(), start or self.first
        heap: list[tuple[Any, int, Simulation]] = [(start.time, 0, start)]
        seen: set[Any] = set()
        self.left = most
        while heap:
            moment, _, clock = heappop(heap)
            if moment > self.horizon:
                return None
            for child in self.children(clock):
                if child.world.all_served:
                    return self.told(child, len(seen))
                key = self.key(child)
                if key in seen:
                    continue
                seen.add(key)
                if self.pruned and self.earliest(child) > self.horizon:
                    continue
                ends = [end for end, act in zip(child.ends, child.acts, strict=True) if act is not None]
                then = min(ends, default=None) if child.opened else 0
                assert then is not None
                heappush(heap, (then, next(numbers), child))
        return None

    def told(self, clock: Simulation, runs: int) -> EarliestRun:
        acts = {
            name: [written(self.of, act) for act in clock.queues[cook][: clock.started[cook]]]
            for cook, name in enumerate(self.kitchen.agents)
        }
        for cook, act in enumerate(clock.acts):
            if act is not None:  # it is still under way, for nothing
                acts[self.kitchen.agents[cook]].pop()
        time: Any = clock.time
        return EarliestRun(time, acts, runs)

    def children(self, clock: Simulation) -> Iterator[Simulation]:
        """Yield what comes of all that those who are due at the next moment can do, one after the other."""
        if clock.opened:
            agenda = clock.key()[1]
            assert isinstance(agenda, tuple)
            due = [cook for left, cook, _ in agenda if left == agenda[0][0]]
        else:
            due = list(self.cooks)
        yield from self._turns(clock, due)

    def _turns(self, clock: Simulation, due: list[int], must: bool = False) -> Iterator[Simulation]:
        """Give the first of those who are due what he can do, then the others.

        ``must``: he must use a station, because another took care to have his turn before him.
        """
        if not due:
            run = self.advanced(clock.fork())
            if run.error is None and not self.vain(run):
                yield run
            return
        cook, *others = due
        ended, was = clock.acts[cook], clock.world.tiles[cook]
        if clock.started[cook] < len(clock.queues[cook]):  # he is still walking
            if not must:
                yield from self._turns(clock, others)
            return
        long = self.long(ended, was)
        if long and not any(other < cook or self.ticks(clock, other) > 1 for other in others):
            return
        before = "" if ended is None or self.sparse else ended.word
        for run, chain in self._chains(clock, cook):
            if run.world.all_served:
                yield run
                return
            for acts in self.timed(run.world.tiles[cook]):
                word = acts[0].word
                if not chain:
                    if (must or long) and word != PROCESS:
                        continue
                    if word == MOVE and before == MOVE:
                        continue  # he could have walked there at once
                    here = acts[-2].tile if len(acts) > 1 else run.world.tiles[cook]
                    if word == MOVE and before == WAIT and self.walked == 1 and not self.long(acts[-1], here):
                        continue  # he could have walked before
                then = clock.fork()
                then.give(cook, *chain, *acts)
                yield from self._turns(then, others, long)

    def advanced(self, run: Simulation) -> Simulation:
        """Let a run go to its next moment."""
        self.left -= 1
        if self.left < 0:
            raise SearchLimitError
        run.advance()
        return run

    def ticks(self, clock: Simulation, cook: int) -> Any:
        """Return how long a cook's act takes, from its beginning."""
        act = clock.acts[cook]
        if act is None:
            return 0
        if act.word == PROCESS:
            return self.kitchen.facts.chop if act.station in self.of.boards else self.kitchen.facts.wash
        return act.duration if act.word == WAIT else self.of.walks(clock.world.tiles[cook])[act.tile] * self.walked

    def long(self, act: CookAction | None, tile: Tile) -> bool:
        """Whether a walk or wait could be split, so that it is only of use for having the turn before somebody."""
        if act is None or self.sparse:
            return False
        return self.of.walks(tile)[act.tile] > 1 if act.word == MOVE else act.duration > 1

    def vain(self, clock: Simulation) -> bool:
        """Whether somebody walks or waits in one piece though nobody else can be due when it ends."""
        if self.sparse:
            return False
        for cook, act in enumerate(clock.acts):
            if self.long(act, clock.world.tiles[cook]) and clock.started[cook] == len(clock.queues[cook]):
                end = clock.ends[cook]
                if all(other == cook or clock.ends[other] > end for other in self.cooks):
                    return True
        return False

    def _chains(self, clock: Simulation, cook: int) -> list[tuple[Simulation, tuple[CookAction, ...]]]:
        """Return chains of interactions of a cook at the next moment, with what there is after the turns of all."""
        found: list[tuple[Simulation, tuple[CookAction, ...]]] = []
        chains: list[tuple[CookAction, ...]] = [()]
        seen = set()
        for chain in chains:
            run = clock.fork()
            run.give(cook, *chain)
            self.advanced(run)
            if run.error is not None and run.error.cook == cook:
                continue
            if run.error is not None and run.acts[cook] is not None:
                continue  # somebody who comes first has failed
            key = (self.world_key(run.world), run.error)
            if key in seen or self.foods(run.world) > self.spare:
                continue
            seen.add(key)
            found.append((run, chain))
            if run.world.all_served:
                return found[-1:]
            chains += [(*chain, act) for act in self.uses(run.world.tiles[cook])]
        return found

    # What is the same

    def key(self, clock: Simulation) -> tuple[object, ...]:
        agenda = clock.key()[1]
        assert isinstance(agenda, tuple)
        tiles, doing = list(clock.world.tiles), []
        for left, cook, act in agenda:
            tag = act.station if act.word == PROCESS else -3 if self.long(act, tiles[cook]) else -len(act.word)
            rest = clock.queues[cook][clock.started[cook] :]
            if act.word == MOVE:
                tiles[cook] = act.tile
            for then in rest:
                last = self.of.walks(tiles[cook])[then.tile]
                left, tag, tiles[cook] = left + last * self.walked, -10 - last, then.tile
            doing.append((left, cook, tag))
        return (tuple(tiles), *self.world_key(clock.world)[1:], tuple(doing))

    def world_key(self, world: KitchenState) -> tuple[object, ...]:
        tiles, hands, on, *rest = world.key()
        return (tiles, self._plain(hands, world), self._plain(on, world), *rest)

    def _plain(self, things: Any, world: KitchenState) -> tuple[object, ...]:
        plain: list[object] = []
        for thing in things:
            if type(thing) is tuple and thing[0] == "plate":
                plain.append(thing if self.sub(thing[1], world.served) else "lost")
            elif type(thing) is tuple and len(thing) > 3 and thing[2] - thing[4] > self.horizon - world.clock:
                plain.append((*thing[:2], "never"))  # by stamps, what has been poured away is still to be cooked
            else:
                plain.append(thing)
        return tuple(plain)

    def _sub(self, contents: tuple[Food, ...], served: int) -> bool:
        """Whether a plate can still be served, with what is on it and more."""
        held = Counter((food.name, food.state) for food in contents)
        return any(held <= dish for dish in self.dishes[served:])

    def foods(self, world: KitchenState) -> int:
        """Return how much food there is that cannot all be needed."""
        found: list[Food] = []
        for thing in (*world.hands, *world.on):
            if isinstance(thing, Food):
                found.append(thing)
            elif isinstance(thing, Ware) and (thing.kind != "plate" or self.sub(thing.contents, world.served)):
                found += thing.contents
        return self.excess(tuple(sorted(found)), world.served)

    def _excess(self, found: tuple[Food, ...], served: int) -> int:
        balance: Counter[tuple[str, int]] = Counter()
        for name, state in found:
            balance.update((name, level) for level in range(STATES.index(state) + 1))
        for dish in self.dishes[served:]:
            for (name, state), times in dish.items():
                balance.subtract({(name, level): times for level in range(STATES.index(state) + 1)})
        return sum(max(0, *(balance[name, level] for level in range(3))) for name in {food.name for food in found})

    # What is too far

    def _measure(self) -> None:
        """Work out how far everything is from the window for things, which are handed on over stations."""
        kitchen, pace = self.kitchen, self.kitchen.facts.move
        free = {(x, y) for x in range(kitchen.width) for y in range(kitchen.height)} - set(kitchen.blocked)
        far: dict[Tile, int] = {one.place: 0 for one in kitchen.stations if one.kind == "serving_window"}
        places = {one.place for one in kitchen.stations}
        heap = [(0, place) for place in far]
        while heap:
            ticks, place = heappop(heap)
            for near in steps(place):
                if near in free or near in places:
                    cost = ticks + (pace if near in free and place in free else 0)
                    if cost < far.get(near, 10**6):
                        far[near] = cost
                        heappush(heap, (cost, near))
        self.far = far

    def earliest(self, clock: Simulation) -> Any:
        """Return a moment before which the next order is not served."""
        world, of, never = clock.world, self.of, 10**6
        start, ends = list(world.tiles), clock.ends[:]
        for c, act in enumerate(clock.acts):
            if act is not None and act.word == MOVE:
                start[c] = act.tile
                for then in clock.queues[c][clock.started[c] :]:
                    ends[c] += of.walks(start[c])[then.tile] * self.walked
                    start[c] = then.tile
        walks = [self.of.walks(tile) for tile in start]
        pace = self.walked

        def reached(station: int) -> Any:
            return min(
                ends[c] + pace * min((walks[c][t] for t in of.near[station] if t in walks[c]), default=never)
                for c in self.cooks
            )

        places: list[tuple[Any, Any]] = [
            (thing, ends[c] + self.far.get(start[c], never)) for c, thing in enumerate(world.hands) if thing is not None
        ]
        for station, one in enumerate(self.kitchen.stations):
            here = None
            thing = world.on[station]
            if thing is not None:
                here = reached(station) + self.far.get(one.place, never)
                places.append((thing, here))
            elif one.kind == "dispenser":
                here = reached(station) + self.far.get(one.place, never)
                places.append((Food(one.provides, "raw"), here))
            if one.kind == "serving_window":
                window = reached(station)
        first = window
        plates = [at for thing, at in places if isinstance(thing, Ware) and thing.kind == "plate"]
        if plates and not world.dirty and not world.coming and "dirty_plate" not in (*world.hands, *world.on):
            first = max(first, min(plates))
        for name, state in self.dishes[world.served]:
            best = never
            for thing, at in places:
                ware = thing if isinstance(thing, Ware) else None
                for food in ware.contents if ware is not None else (thing,) if isinstance(thing, Food) else ():
                    if food.name != name or STATES.index(food.state) > STATES.index(state):
                        continue
                    more = 0
                    if food.state == "raw" and (state == "chopped" or (state == "cooked" and name == "meat")):
                        more = self.kitchen.facts.chop
                    if not self.stamped and state == "cooked" and (ware is None or ware.kind == "plate"):
                        more += self.cooking[name] * (food.state != "cooked")
                    best = min(best, at + more)
            first = max(first, best)
        return first
