"""Plans from schedules of transport tasks: tasks are listed, scheduled and executed several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.kitchen import split_name
from planoracle.instances.model.limits import NEVER as NO_DEADLINE
from planoracle.instances.model.limits import Deadline
from planoracle.solver.kitchens.goals import Group
from planoracle.solver.kitchens.state_view import NEVER, Abstraction, Context, StateView
from planoracle.solver.kitchens.transport.scheduling import CookTurn, ScheduleInput, schedule
from planoracle.solver.kitchens.transport.transport_tasks import TransportTask, transport_tasks

# Number of groups, and schedules for each as (delay of effects in ticks, seed). If no plan results, the first schedules
# are tried with more items put aside.
_GROUPS, _TRIES, _CLEARING_TRIES = 2, ((1, 0), (0, 0), (0, 1)), 2


def transport_plans(
    context: Context, abstraction: Abstraction, start: State, groups: Sequence[Group], most: int, deadline: Deadline
) -> Iterator[tuple[int, ...]]:
    """Yield plans as deeds, each shorter than the one before and than ``most`` steps.

    Details that the schedule ignores (an occupied station, an effect that misses a tick) cost steps when it is
    executed, or make it fail; so several schedules are tried.

    Raises
    ------
    TimeOverError
        Soon after the deadline.
    """
    view, is_first = abstraction.view(start), True
    for clearing, (late, seed) in [
        *((False, each) for each in _TRIES),
        *((True, each) for each in _TRIES[:_CLEARING_TRIES]),
    ]:
        for group in groups[:_GROUPS]:
            tasks = transport_tasks(context, view, group, clearing=clearing) if is_first or not clearing else None
            if tasks is None:
                continue
            setting = _setting(context, abstraction, view, start, tasks, late)
            # A single cook that executes all tasks in sequence takes no longer, if a plan exists.
            longest = len(setting.cooks) * sum(task.length + task.ticks + 3 for task in tasks)
            turns = schedule(setting, tasks, min(most - 1, longest), deadline.sooner(deadline.remaining() / 2), seed)
            deeds = None if turns is None else act(abstraction, start, tasks, turns, most - 1, deadline)
            if deeds is not None:
                yield deeds
                most, is_first = len(deeds), False


def _setting(
    context: Context,
    abstraction: Abstraction,
    view: StateView,
    start: State,
    tasks: Sequence[TransportTask],
    late: int,
) -> ScheduleInput:
    engine = abstraction.compiled
    players = engine.kitchen.players
    in_hands = {thing: view.at[player] for player, thing in view.hands.items()}
    first = players.index(engine.player(start))
    moving = {task.thing for task in tasks}
    occupied = {place[0] for thing, place in view.places.items() if thing not in moving}
    occupied |= {task.to for task in tasks if task.to in context.stations}
    free = Counter({context.kinds[station]: 0 for station in context.stations})
    free.update(context.kinds[station] for station in context.stations if station not in occupied)
    return ScheduleInput(
        tuple(view.at[player] for player in (*players[first:], *players[:first])),
        {thing: place[0] for thing, place in view.places.items()} | in_hands,
        dict(free),
        {
            thing: context.kinds[view.places[thing][0]]
            for thing in sorted(moving - {*in_hands})
            if not view.places[thing][1]
        },
        frozenset(context.containers),
        engine.rules.moves == "joint",
        late,
    )


# Counted work (seconds) of a step.
_STEP = 5e-5
# Idle turns of each cook, without a running effect, after which the execution is stuck.
_IDLE = 30
# Actions by the fact that they make true.
_DEEDS = {
    "iscut": "cut",
    "iscooked": "cook",
    "isfried": "fry",
    "new water": "fill-pot",
    "isboiling": "boil-water",
}


class _Cook:
    """A cook with its tasks, the finished actions of the first, its next turn, and its destination."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.turns: list[CookTurn] = []
        self.done = 0
        self.turn = 0
        self.target = ""


def act(
    abstraction: Abstraction,
    start: State,
    listed: Sequence[TransportTask],
    turns: Sequence[CookTurn],
    most: int,
    deadline: Deadline = NO_DEADLINE,
) -> tuple[int, ...] | None:
    """Return the deeds of a plan of at most so many steps; ``None`` if the schedule does not lead to one.

    A cook begins no task before its turn, waits while its action is not legal, and makes room for others when idle.
    """
    return _Acting(abstraction, start, listed, turns).run(most, deadline)


class _Acting:
    """Execution of the tasks in one kitchen."""

    def __init__(
        self, abstraction: Abstraction, start: State, listed: Sequence[TransportTask], turns: Sequence[CookTurn]
    ) -> None:
        self.abstraction, self.listed = abstraction, listed
        self.engine: CompiledKitchen = abstraction.compiled
        self.state = start
        kitchen = self.engine.kitchen
        at = kitchen.players.index(self.engine.player(start))
        self.cooks = [_Cook(name) for name in (*kitchen.players[at:], *kitchen.players[:at])]
        for turn in turns:
            self.cooks[turn.cook].turns.append(turn)
        for cook in self.cooks:
            cook.done = int(bool(cook.turns) and listed[cook.turns[0].task].saved > 0)
        self.written = {action.name: action.write for action in kitchen.domain.actions}
        self.stations = [name for name, kind in kitchen.objects if kind == "station"]
        self.containers = [name for name, kind in kitchen.objects if kind == "container"]
        self.destinations = {task.to for task in listed if task.deeds or task.to in self.stations + self.containers}
        self.over: set[int] = set()

    def run(self, most: int, deadline: Deadline) -> tuple[int, ...] | None:
        deeds: list[int] = []
        idle, patience = 0, len(self.cooks) * (_IDLE + max((task.ticks for task in self.listed), default=0))
        for step in range(most):
            deadline.check(_STEP)
            cook = self.cooks[step % len(self.cooks)]
            text, done = self.wish(cook, self.abstraction.view(self.state))
            deed = self.engine.find(self.state, text) if text else None
            if deed is None:
                deed = self.engine.find(self.state, self.written["wait"]({}))
                assert deed is not None
                idle += 1
                if idle > patience:
                    return None
            else:
                self.advance(cook, done)
                idle = 0
            cook.turn += 1
            deeds.append(deed)
            self.state = self.engine.step(self.state, deed)
            if self.engine.goal(self.state):
                return tuple(deeds)
        return None

    def advance(self, cook: _Cook, done: int) -> None:
        """Store the progress of a cook's first task."""
        cook.done, cook.target = done, ""
        task = self.listed[cook.turns[0].task] if cook.turns else None
        if task is not None and done >= task.length + task.saved:
            self.over.add(cook.turns.pop(0).task)
            cook.done = 0

    def wish(self, cook: _Cook, view: StateView) -> tuple[str, int]:
        """Return a cook's next action, ``""`` for none, and the progress of its first task afterwards."""
        at, carried = view.at[cook.name], view.hands.get(cook.name, "")
        task = self.listed[cook.turns[0].task] if cook.turns else None
        if carried and not cook.done:  # the pot it has poured from
            if task is None:
                return "", 0
            if not self.bare(at, view):
                return self.move(cook, at, self.calm(view)), 0
            return self.written["place-container"]({"p1": cook.name, "c1": carried, "s1": at}), 0
        origin = view.places.get(task.thing, ("", 0))[0] if task is not None else ""
        if task is None or (not cook.done and cook.turn < cook.turns[0].first - (at != origin)):
            return self.rest(cook, at, origin, view), 0
        if not task.carried or cook.done > 2:
            if at != origin:
                return self.move(cook, at, origin), cook.done
            names = {"p1": cook.name, "i1": task.thing, "c1": task.thing, "s1": at, "m1": ""}
            return self.written[_DEEDS[task.makes]](names), cook.done + 1
        if not cook.done:
            if at != origin:
                return self.move(cook, at, origin), 0
            return (self.take(cook, task.thing, at, view) if self.ready(task, view) else ""), 1
        if cook.done == 1:
            target = self.target(task, view)
            if target != at:
                return self.move(cook, at, target), 2
        return (self.finish(cook, task, at, view) if self.over.issuperset(task.before_put) else ""), 3

    def ready(self, task: TransportTask, view: StateView) -> bool:
        """Return whether a thing may be taken; preconditions of a pot count when the cook is there."""
        needed = [e for e in task.before if task.last != "add" or self.listed[e].thing == task.thing]
        return self.over.issuperset(needed) and all(self.has_effect(self.listed[e], view) for e in needed)

    def has_effect(self, task: TransportTask, view: StateView) -> bool:
        """Return whether the fact of a task is true."""
        if not task.makes:
            return True
        meals = [meal for meal, pot in view.inside.items() if pot == task.thing]
        if task.makes == "new water":
            return bool(meals)
        return any(self.engine.holds(self.state, (task.makes, one)) for one in (task.thing, *meals))

    def move(self, cook: _Cook, at: str, to: str) -> str:
        cook.target = to
        return self.written["move"]({"p1": cook.name, "s1": at, "s2": to}) if to else ""

    def rest(self, cook: _Cook, at: str, origin: str, view: StateView) -> str:
        """Return the move of an idle cook out of the way."""
        is_in_the_way = any(other.target == at for other in self.cooks if other is not cook)
        pots = {view.places.get(name, ("", 0))[0] for name in self.containers if name in self.destinations}
        if at == origin or not (is_in_the_way or self.is_destination(at) or at in pots):
            return ""
        return self.move(cook, at, self.calm(view))

    def is_destination(self, station: str) -> bool:
        """Return whether some task leads to a station, by name or kind."""
        return not self.destinations.isdisjoint((station, self.kind(station)))

    def kind(self, name: str) -> str:
        return split_name(name)[0]

    def bare(self, station: str, view: StateView) -> bool:
        """Return whether a station is empty."""
        return not view.stacks.get(station) and all(
            view.places.get(name, ("", 0))[0] != station for name in self.containers
        )

    def calm(self, view: StateView) -> str:
        """Return a station without a cook that no task needs, preferably an empty one."""
        free = [name for name in self.stations if name not in view.at.values()]
        return min(free, key=lambda name: (not self.bare(name, view), self.is_destination(name)), default="")

    def target(self, task: TransportTask, view: StateView) -> str:
        """Return the destination of a task: a named station, that of a pot, or a free one of a kind.

        Things put aside go on piles if necessary, on that whose items are needed last.
        """
        to = task.to
        if to in self.containers:
            return view.places.get(to, ("", 0))[0]
        if to in self.stations:
            return to
        candidates = [name for name in self.stations if name not in self.destinations and name not in view.at.values()]
        needed = task.deeds or task.thing in self.containers
        candidates = [
            name for name in candidates if (self.kind(name) == to if needed else not self.is_destination(name))
        ]
        free = [name for name in candidates if self.bare(name, view)]
        if free or needed:
            return next(iter(free), "")
        piles = [name for name in candidates if view.stacks.get(name)]
        return max(piles, key=lambda name: self.soonest(view.stacks[name]), default="")

    def soonest(self, items: Sequence[str]) -> int:
        """Return the turn of the first remaining task of some items."""
        turns = [turn.first for cook in self.cooks for turn in cook.turns if self.listed[turn.task].thing in items]
        return min(turns, default=NEVER)

    def take(self, cook: _Cook, thing: str, at: str, view: StateView) -> str:
        names = {"p1": cook.name, "i1": thing, "c1": thing, "s1": at}
        if thing in self.containers:
            return self.written["pick-up-container"](names)
        height = view.places[thing][1]
        if not height:
            return self.written["pick-up-item"](names)
        return self.written["unstack"](names | {"i2": view.stacks[at][height - 1]})

    def finish(self, cook: _Cook, task: TransportTask, at: str, view: StateView) -> str:
        """Return the action that ends the carrying."""
        names = {"p1": cook.name, "i1": task.thing, "c1": task.thing, "s1": at}
        if task.last == "add":
            return self.written["add-to"](names | {"c1": task.to})
        if task.last == "pour":
            return self.written["fill-bowl"](names | {"c1": task.to, "c2": task.thing})
        if task.thing in self.containers:
            return self.written["place-container"](names)
        stack = view.stacks.get(at)
        return self.written["stack"](names | {"i2": stack[-1]}) if stack else self.written["place-item"](names)
