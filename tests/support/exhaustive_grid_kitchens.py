"""Exhaustive search for optimal plans of tiny grid kitchens through the rules.

The rules decide every outcome: the search forks a run (`Simulation`), adds acts and advances it. At every turn of a
cook it tries all chains of interactions with the adjacent stations, followed by work at each of these stations, walks
and waits. Runs are ordered by their next event; of several runs with the same future the search keeps one.

The search omits choices that cannot improve a plan:

- Detours, and walks after waits. Walks and waits are split into ticks except for the last part. With several cooks
  this part may also have 2 ticks, the ticks of a work (``L``), or ``L + 1``. Splitting decides only the order of turns
  at the same time: the cook whose act began earlier, or who comes first on the map, is first. The last part must have
  begun before (or with) the last act of the other cook, which is split as well, so 2 ticks are enough against 1, or the
  act is a work. Such a part is useful only if both cooks then use a station and its cook would otherwise be last.
  Further events can only make the stamp of cookware older. ``sparse`` includes all these choices.
- More than ``spare`` pieces of food that no open order needs; by the rules with stamps they could set a clock. Plates
  with contents that no open order has are equivalent and do not count.
- With ``pruned``, runs that cannot serve within the horizon, as a cook, plate or ingredient is too far from the window.
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
    """Search that exceeds its maximum number of runs."""


class EarliestRun(NamedTuple):
    """Time of the last serving, its plan, and the number of explored runs."""

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
    """Return the run that serves the last order earliest; ``None`` if none ends by ``horizon``.

    Parameters
    ----------
    parts
        Number of parts of a tick: waits of one part are tried as well.
    start
        Run to continue; default: the start of the kitchen.

    Raises
    ------
    TooMuchError
        If the search needs more than ``most`` runs.
    """
    return _Search(kitchen, rules, horizon, spare, sparse, pruned, parts).run(most, start)


def random_run(kitchen: GridKitchen, rules: GridKitchenRules, random: Random, moments: int) -> Simulation:
    """Return a run of random acts over ``moments`` events, or until no act is possible."""
    trial = _Search(kitchen, rules, 10**6, 9, sparse=False, pruned=False, parts=1)
    trial.remaining_runs = 10**6
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
    """Compare plan and lower bound of the planner with exhaustive search; return the status and faults.

    The status is ``too much`` if the search exceeds ``most`` runs. The rules check the plan, so the search looks for an
    earlier one only. ``horizon`` limits the search if the planner finds no plan.
    """
    result = plan(kitchen, rules, WorkLimit(0.5))
    faults = []
    if result.plan is not None:
        outcome = carry_out(kitchen, json.loads(result.plan), rules)
        if not outcome.done or outcome.time != result.makespan:
            faults.append(f"the plan ends at {outcome.time}, not at {result.makespan}")
    try:
        best = min_time(kitchen, rules, horizon if result.makespan is None else result.makespan - 1, most=most)
    except SearchLimitError:
        return "too much", faults
    time = result.makespan if best is None else best.time
    if best is not None:
        outcome = carry_out(kitchen, best.plan, rules)
        if not outcome.done or outcome.time != best.time:
            faults.append(f"the best plan ends at {outcome.time}, not at {best.time}")
        if result.status in (Status.optimal, Status.infeasible):
            faults.append(f"{result.status.value} {result.makespan}, but {best.time} is possible: {best.plan}")
    if time is not None and time < result.lower_bound:
        faults.append(f"the bound {result.lower_bound} is above {time}")
    return result.status.value, faults


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
        self.can_be_served = lru_cache(None)(self._can_be_served)
        self.excess = lru_cache(None)(self._excess)
        self.timed = lru_cache(None)(self._timed)
        self.uses = lru_cache(None)(self._uses)
        self.cooking = {item: one.ticks for one in kitchen.facts.cookware for item in one.ingredients}
        self._measure()

    # Choices of a cook

    def _uses(self, tile: Tile) -> tuple[CookAction, ...]:
        return tuple(
            CookAction(INTERACT, station=s) for s in range(len(self.kitchen.stations)) if tile in self.of.near[s]
        )

    def _timed(self, tile: Tile) -> tuple[tuple[CookAction, ...], ...]:
        """Return acts that take time: works, waits, and walks split into steps except for the last part."""
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
        route, back = [], self.of.walks(goal)
        while tile != goal:
            tile = min(near for near in steps(tile) if near in back and back[near] < back[tile])
            route.append(tile)
        return route

    def run(self, most: int, start: Simulation | None = None) -> EarliestRun | None:
        numbers, start = count(), start or self.first
        heap: list[tuple[Any, int, Simulation]] = [(start.time, 0, start)]
        seen: set[Any] = set()
        self.remaining_runs = most
        while heap:
            moment, _, clock = heappop(heap)
            if moment > self.horizon:
                return None
            for child in self.children(clock):
                if child.world.all_served:
                    return self.as_result(child, len(seen))
                key = self.key(child)
                if key in seen:
                    continue
                seen.add(key)
                if self.pruned and self.earliest(child) > self.horizon:
                    continue
                ends = [end for end, act in zip(child.ends, child.acts, strict=True) if act is not None]
                next_end = min(ends, default=None) if child.opened else 0
                assert next_end is not None
                heappush(heap, (next_end, next(numbers), child))
        return None

    def as_result(self, clock: Simulation, runs: int) -> EarliestRun:
        acts = {
            name: [written(self.of, act) for act in clock.queues[cook][: clock.started[cook]]]
            for cook, name in enumerate(self.kitchen.agents)
        }
        for cook, act in enumerate(clock.acts):
            if act is not None:  # the act has not ended and is not needed
                acts[self.kitchen.agents[cook]].pop()
        time: Any = clock.time
        return EarliestRun(time, acts, runs)

    def children(self, clock: Simulation) -> Iterator[Simulation]:
        """Yield the runs after all combinations of acts of the cooks that are due at the next event."""
        if clock.opened:
            agenda = clock.key()[1]
            assert isinstance(agenda, tuple)
            due = [cook for remaining, cook, _ in agenda if remaining == agenda[0][0]]
        else:
            due = list(self.cooks)
        yield from self._turns(clock, due)

    def _turns(self, clock: Simulation, due: list[int], must: bool = False) -> Iterator[Simulation]:
        """Yield runs with all acts of the first due cook, followed by those of the others.

        ``must``: the cook must use a station, since another cook arranged to have the turn before.
        """
        if not due:
            run = self.advanced(clock.fork())
            if run.error is None and not self.has_useless_wait(run):
                yield run
            return
        cook, *others = due
        ended, was = clock.acts[cook], clock.world.tiles[cook]
        if clock.started[cook] < len(clock.queues[cook]):  # the cook is still walking
            if not must:
                yield from self._turns(clock, others)
            return
        splittable = self.is_splittable(ended, was)
        if splittable and not any(other < cook or self.ticks(clock, other) > 1 for other in others):
            return
        before = "" if ended is None or self.sparse else ended.word
        for run, chain in self._chains(clock, cook):
            if run.world.all_served:
                yield run
                return
            for acts in self.timed(run.world.tiles[cook]):
                word = acts[0].word
                if not chain:
                    if (must or splittable) and word != PROCESS:
                        continue
                    if word == MOVE and before == MOVE:
                        continue  # one walk reaches the same tile
                    before_last = acts[-2].tile if len(acts) > 1 else run.world.tiles[cook]
                    if (
                        word == MOVE
                        and before == WAIT
                        and self.walked == 1
                        and not self.is_splittable(acts[-1], before_last)
                    ):
                        continue  # walking first is equivalent
                fork = clock.fork()
                fork.give(cook, *chain, *acts)
                yield from self._turns(fork, others, splittable)

    def advanced(self, run: Simulation) -> Simulation:
        """Advance a run to its next event; raise `SearchLimitError` after too many."""
        self.remaining_runs -= 1
        if self.remaining_runs < 0:
            raise SearchLimitError
        run.advance()
        return run

    def ticks(self, clock: Simulation, cook: int) -> Any:
        """Return the duration of the current act of a cook in ticks."""
        act = clock.acts[cook]
        if act is None:
            return 0
        if act.word == PROCESS:
            return self.kitchen.facts.chop if act.station in self.of.boards else self.kitchen.facts.wash
        return act.duration if act.word == WAIT else self.of.walks(clock.world.tiles[cook])[act.tile] * self.walked

    def is_splittable(self, act: CookAction | None, tile: Tile) -> bool:
        """Return whether an act is a walk or wait of several ticks, which only affects the order of turns."""
        if act is None or self.sparse:
            return False
        return self.of.walks(tile)[act.tile] > 1 if act.word == MOVE else act.duration > 1

    def has_useless_wait(self, clock: Simulation) -> bool:
        """Return whether an unsplit walk or wait ends when no other cook can be due."""
        if self.sparse:
            return False
        for cook, act in enumerate(clock.acts):
            if self.is_splittable(act, clock.world.tiles[cook]) and clock.started[cook] == len(clock.queues[cook]):
                end = clock.ends[cook]
                if all(other == cook or clock.ends[other] > end for other in self.cooks):
                    return True
        return False

    def _chains(self, clock: Simulation, cook: int) -> list[tuple[Simulation, tuple[CookAction, ...]]]:
        """Return the chains of interactions of a cook at the next event, each with the resulting run."""
        results: list[tuple[Simulation, tuple[CookAction, ...]]] = []
        chains: list[tuple[CookAction, ...]] = [()]
        seen = set()
        for chain in chains:
            run = clock.fork()
            run.give(cook, *chain)
            self.advanced(run)
            if run.error is not None and run.error.cook == cook:
                continue
            if run.error is not None and run.acts[cook] is not None:
                continue  # a cook with an earlier turn has failed
            key = (self.world_key(run.world), run.error)
            if key in seen or self.surplus_food(run.world) > self.spare:
                continue
            seen.add(key)
            results.append((run, chain))
            if run.world.all_served:
                return results[-1:]
            chains += [(*chain, act) for act in self.uses(run.world.tiles[cook])]
        return results

    # Equivalent states

    def key(self, clock: Simulation) -> tuple[object, ...]:
        agenda = clock.key()[1]
        assert isinstance(agenda, tuple)
        tiles, doing = list(clock.world.tiles), []
        for remaining, cook, act in agenda:
            tag = act.station if act.word == PROCESS else -3 if self.is_splittable(act, tiles[cook]) else -len(act.word)
            rest = clock.queues[cook][clock.started[cook] :]
            if act.word == MOVE:
                tiles[cook] = act.tile
            for step in rest:
                last = self.of.walks(tiles[cook])[step.tile]
                remaining, tag, tiles[cook] = remaining + last * self.walked, -10 - last, step.tile
            doing.append((remaining, cook, tag))
        return (tuple(tiles), *self.world_key(clock.world)[1:], tuple(doing))

    def world_key(self, world: KitchenState) -> tuple[object, ...]:
        tiles, hands, on, *rest = world.key()
        return (tiles, self._plain(hands, world), self._plain(on, world), *rest)

    def _plain(self, things: Any, world: KitchenState) -> tuple[object, ...]:
        plain: list[object] = []
        for thing in things:
            if type(thing) is tuple and thing[0] == "plate":
                plain.append(thing if self.can_be_served(thing[1], world.served) else "lost")
            elif type(thing) is tuple and len(thing) > 3 and thing[2] - thing[4] > self.horizon - world.clock:
                plain.append((*thing[:2], "never"))  # with stamps, discarded food does not reset the cooking time
            else:
                plain.append(thing)
        return tuple(plain)

    def _can_be_served(self, contents: tuple[Food, ...], served: int) -> bool:
        """Return whether some open order contains all foods of a plate."""
        plate = Counter((food.name, food.state) for food in contents)
        return any(plate <= dish for dish in self.dishes[served:])

    def surplus_food(self, world: KitchenState) -> int:
        """Return the number of pieces of food beyond the needs of the open orders."""
        foods: list[Food] = []
        for thing in (*world.hands, *world.on):
            if isinstance(thing, Food):
                foods.append(thing)
            elif isinstance(thing, Ware) and (
                thing.kind != "plate" or self.can_be_served(thing.contents, world.served)
            ):
                foods += thing.contents
        return self.excess(tuple(sorted(foods)), world.served)

    def _excess(self, foods: tuple[Food, ...], served: int) -> int:
        balance: Counter[tuple[str, int]] = Counter()
        for name, state in foods:
            balance.update((name, level) for level in range(STATES.index(state) + 1))
        for dish in self.dishes[served:]:
            for (name, state), times in dish.items():
                balance.subtract({(name, level): times for level in range(STATES.index(state) + 1)})
        return sum(max(0, *(balance[name, level] for level in range(3))) for name in {food.name for food in foods})

    # Earliest possible serving

    def _measure(self) -> None:
        """Compute the distance of every tile to the window, for things passed over stations."""
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
        """Return a lower bound of the time at which the next order is served."""
        world, of, never = clock.world, self.of, 10**6
        start, ends = list(world.tiles), clock.ends[:]
        for c, act in enumerate(clock.acts):
            if act is not None and act.word == MOVE:
                start[c] = act.tile
                for step in clock.queues[c][clock.started[c] :]:
                    ends[c] += of.walks(start[c])[step.tile] * self.walked
                    start[c] = step.tile
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
            arrival = None
            thing = world.on[station]
            if thing is not None:
                arrival = reached(station) + self.far.get(one.place, never)
                places.append((thing, arrival))
            elif one.kind == "dispenser":
                arrival = reached(station) + self.far.get(one.place, never)
                places.append((Food(one.provides, "raw"), arrival))
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
