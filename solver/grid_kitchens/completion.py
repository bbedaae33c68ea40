"""Beam search for plans that continue a run of a grid kitchen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any, Final, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.descriptions import cooking_left
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import PLATE, GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import DIRTY, Food, KitchenState, Time, Ware
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
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, StartedAction, carry_out
from planoracle.instances.model.limits import Deadline, Status
from planoracle.instances.protocol import registry
from planoracle.solver.grid_kitchens.rollout import FAR, RemainingWork, rollout
from planoracle.solver.result import Result
from planoracle.solver.states.state_solver import NEVER, Value

#: Actions by cook, in the form of submissions; a missing cook does nothing.
GridKitchenPlan: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]


def value_of(result: Result) -> Value:
    """Return the result of planning as the value of its initial state."""
    is_infeasible = result.status == Status.infeasible
    return Value(NEVER, None) if is_infeasible else Value(result.lower_bound or 0, result.makespan)


#: Prefix of a plan: a list of actions by cook.
Prefix: TypeAlias = dict[str, list[dict[str, Any]]]


class CompletedWork:
    """Executed actions of a run, without the action that failed and those begun after it.

    Attributes
    ----------
    rules
        Rules for plans with the run as prefix; live runs end with the last dish.
    resumption
        Simulation from which the run continues: a fresh kitchen after an error that restarts the run.
    count, resumed
        Number of deeds, and of those in the plan that the run continues.
    """

    def __init__(self, run: GridKitchenRun) -> None:
        clock, fault = run.outcome, run.verdict.fatal
        failed = None if fault is None else fault.position
        self._grid_kitchen, self._clock = run.problem, clock
        self._deeds = list(clock.started_actions)[:failed]
        self._stopped = (
            clock.started_actions[failed].start
            if failed is not None and failed < len(clock.started_actions)
            else clock.time
        )
        self.rules: GridKitchenRules = replace(run.rules, end="served") if run.live else run.rules
        self.resumption = Simulation.of(run.problem, run.rules) if run.restarts else clock
        self.count = len(self._deeds)
        self.resumed = 0 if run.restarts else self.count

    def now(self, count: int) -> Time:
        """Return the time of the last of ``count`` deeds; of all deeds, that at which the run stopped."""
        if count == self.count:
            return self._stopped
        return self._deeds[count - 1].start if count else 0

    def prefix(self, count: int) -> Prefix:
        """Return the plan of the first ``count`` deeds, each at its time, with waits up to `now`."""
        of, now = self._clock.ground, self.now(count)
        lists: list[list[dict[str, Any]]] = [[] for _ in of.cooks]
        free: list[Time] = [0] * len(of.cooks)
        finished: set[int] = set()
        for deed in self._deeds[:count]:
            own = lists[deed.cook]
            if deed.start > free[deed.cook]:
                own.append(_wait(deed.start - free[deed.cook]))
            own.append(written(of, deed.act))
            free[deed.cook] = deed.end
            if deed.act.word == FINISH:
                finished.add(deed.cook)
        for cook, own in enumerate(lists):
            if free[cook] < now and cook not in finished:
                own.append(_wait(now - free[cook]))
        return dict(zip(of.cooks, lists, strict=True))

    @cached_property
    def faithful(self) -> bool:
        """True if these deeds, submitted as a whole, give the same run.

        This fails for some live runs, in which the order of turns at one moment matters.
        """
        replayed = carry_out(self._grid_kitchen, self.prefix(self.count), self.rules)
        return replayed.error is None and _plain(replayed.started_actions) == _plain(self._deeds)


def copy_prefix(prefix: Prefix) -> Prefix:
    """Return a copy of a prefix that can be extended."""
    return {name: [*actions] for name, actions in prefix.items()}


def has_prefix(plan: GridKitchenPlan, prefix: GridKitchenPlan) -> bool:
    """Return whether a plan begins with a prefix; a final wait of the prefix may be longer in the plan.

    Examples
    --------
    >>> wait = lambda ticks: {"action": "Wait", "duration": ticks}
    >>> has_prefix({"a": [wait(3), wait(2)]}, {"a": [wait(3), wait(1)]})
    True
    >>> has_prefix({"a": [wait(3)]}, {"a": [wait(4)]})
    False
    """
    for name, actions in prefix.items():
        own = plan.get(name, ())
        if len(own) < len(actions):
            return False
        for at, action in enumerate(actions):
            longer = at + 1 == len(actions) and action["action"] == WAIT == own[at]["action"]
            if own[at] != action and not (longer and own[at]["duration"] >= action["duration"]):
                return False
    return True


def rest_of_plan(plan: GridKitchenPlan, prefix: Prefix) -> Prefix:
    """Return the rest of a plan after a prefix."""
    rest: Prefix = {}
    for name, actions in prefix.items():
        own = [dict(action) for action in plan.get(name, ())]
        rest[name] = own[len(actions) :]
        if actions and own[len(actions) - 1] != actions[-1]:
            longer = own[len(actions) - 1]["duration"] - actions[-1]["duration"]
            rest[name].insert(0, _wait(longer))
    return rest


def _plain(deeds: Iterable[StartedAction]) -> list[tuple[object, ...]]:
    return sorted((one.start, one.cook, one.end, one.act) for one in deeds if one.act.word != WAIT)


def _wait(ticks: Time) -> dict[str, Any]:
    return {"action": WAIT, "duration": json_number(ticks)}


# Widths of the beam, tried one after the other.
_WIDTHS: Final = (8, 30, 120)
# Counted work (seconds) of a state.
_STATE: Final = 1e-4


class _Node(NamedTuple):
    """A state, the cook that decided, its actions, and the node before."""

    clock: Simulation
    cook: int
    acts: tuple[CookAction, ...]
    before: _Node | None


def complete(
    grid_kitchen: GridKitchen, rules: GridKitchenRules, prefix: Prefix, deadline: Deadline, most: int | None = None
) -> GridKitchenPlan | None:
    """Return the best plan with a prefix that the search finds, ``None`` if it finds none.

    Parameters
    ----------
    most
        Ticks; only plans that end earlier count.
    """
    search = _Search(grid_kitchen, rules, prefix, deadline, most)
    for width in _WIDTHS:
        search.beam(width)
        if deadline.over(0.0):
            break
    return search.best


class _Search:
    """Beam search over the states at which a cook decides."""

    def __init__(
        self, grid_kitchen: GridKitchen, rules: GridKitchenRules, prefix: Prefix, deadline: Deadline, most: int | None
    ) -> None:
        self.grid_kitchen, self.rules, self.prefix, self.deadline = grid_kitchen, rules, prefix, deadline
        # The last dish counts; later actions are removed afterwards.
        self.ending = replace(rules, end="served")
        self.guide: RemainingWork = rollout(grid_kitchen, self.ending)
        self.best: GridKitchenPlan | None = None
        self.least: Time | None = most
        self.start = Simulation.of(grid_kitchen, self.ending, keep=False)
        if self.start.load(prefix):
            self.start.until_decision()

    def beam(self, width: int) -> None:
        """Expand, of the states at each time, the ``width`` states with the least remaining work."""
        if self.start.error is not None:
            return
        seen: dict[object, Time] = {}
        first, count = _Node(self.start, -1, (), None), 0
        waiting: dict[Time, list[tuple[float, int, _Node]]] = {self.start.time: [(0.0, 0, first)]}
        while waiting:
            now = min(waiting)
            if self.least is not None and now >= self.least:
                return
            states = waiting.pop(now)
            heapify(states)
            for _ in range(width):
                if not states:
                    break
                _, _, node = heappop(states)
                for child in self.children(node):
                    if self.deadline.over(_STATE):
                        return
                    clock = child.clock
                    time = clock.time
                    if clock.world.all_served:
                        self.submit(child)
                        continue
                    key = clock.key()
                    if seen.get(key, FAR) <= time:
                        continue
                    seen[key] = time
                    rank = self.guide.estimate(clock)
                    if rank >= FAR:
                        continue
                    count += 1
                    entry = rank, count, child
                    if time == now:
                        heappush(states, entry)
                    else:
                        waiting.setdefault(time, []).append(entry)

    def children(self, node: _Node) -> Iterator[_Node]:
        """Yield the states after each option of the next idle cook."""
        clock = node.clock
        if not clock.decide:
            return
        cook = clock.decide[0]
        for acts in self.options(clock, cook):
            after = clock.fork()
            after.give(cook, *acts)
            if not after.decide:
                after.begin()
                after.until_decision()
            if after.error is None:
                yield _Node(after, cook, acts, node)

    def options(self, clock: Simulation, cook: int) -> Iterator[tuple[CookAction, ...]]:
        """Yield ways to use a station, with a wait until its item is ready; and waits."""
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
        until += [world.clock + ticks for n in of.stoves if (ticks := cooking_left(clock, n)) is not None and ticks > 0]
        if until:
            yield (CookAction(WAIT, duration=min(until) - world.clock),)

    def ready(self, clock: Simulation, trial: KitchenState, station: int) -> Time:
        """Return when a station's running process ends, and apply its effect to the trial state."""
        now, of = clock.time, clock.ground
        thing = trial.on[station]
        for act, end in zip(clock.acts, clock.ends, strict=True):
            if act is not None and act.word == PROCESS and act.station == station:
                trial.process(station)
                return end
        if of.kinds[station] == "plate_return" and not trial.dirty and trial.coming:
            trial.dirty = 1
            return trial.coming[0]
        ticks = cooking_left(clock, station)
        if ticks is not None:
            assert isinstance(thing, Ware)
            cooked = tuple(Food(food.name, "cooked") for food in thing.contents)
            trial.on[station] = thing._replace(contents=cooked, cooking=False)
            return now + max(ticks, 1)
        return now

    def useful(self, clock: Simulation, cook: int, station: int) -> bool:
        """Return whether using a station can help."""
        world, of = clock.world, clock.ground
        carried, lying, kind = world.hands[cook], world.on[station], of.kinds[station]
        if kind == "trash":
            return carried is not None
        if carried is None and lying is None and kind == "dispenser":
            return self.lacks(clock, of.provides[station])
        if carried is None and isinstance(lying, Ware) and not lying.contents:
            return lying.kind == PLATE or kind != "stove"
        return True

    def lacks(self, clock: Simulation, name: str) -> bool:
        """Return whether the remaining orders need more of an ingredient than there is."""
        world = clock.world
        needed = sum(own == name for dish in clock.ground.dishes[world.served :] for own, _ in dish)
        for thing in (*world.on, *world.hands):
            if isinstance(thing, Food):
                needed -= thing.name == name
            elif isinstance(thing, Ware):
                needed -= sum(food.name == name for food in thing.contents)
        return needed > 0

    def submit(self, node: _Node) -> None:
        """Store a better plan, if the rules accept it as a whole."""
        if self.least is not None and node.clock.time >= self.least:
            return
        lists, of = copy_prefix(self.prefix), node.clock.ground
        path: list[_Node] = []
        at: _Node | None = node
        while at is not None and at.cook >= 0:
            path.append(at)
            at = at.before
        for one in reversed(path):
            lists[of.cooks[one.cook]] += [written(of, act) for act in one.acts]
        ended = carry_out(self.grid_kitchen, lists, self.ending)
        if not ended.done or ended.time != node.clock.time:
            return
        for cook, name in enumerate(of.cooks):
            done = sum(action.cook == cook and action.end <= ended.time for action in ended.started_actions)
            lists[name] = lists[name][: max(done, len(self.prefix.get(name, ())))]
        run = registry.of(self.grid_kitchen).run(self.grid_kitchen, {"plan": lists}, self.rules)
        if run.success and (self.least is None or run.verdict.makespan < self.least):
            self.best, self.least = lists, run.verdict.makespan
