"""Plans from schedules of transport tasks: tasks are listed, scheduled and executed several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.kitchen import split_name
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.solver.kitchens.goals import Group
from planoracle.solver.kitchens.state_view import UNREACHABLE, Abstraction, Context, StateView
from planoracle.solver.kitchens.transport.scheduling import CookTurn, ScheduleInput, schedule
from planoracle.solver.kitchens.transport.transport_tasks import TransportTask, transport_tasks

# Number of groups, and schedules for each as (delay of effects in ticks, seed).
_GROUPS = 2
_TRIES = ((1, 0), (0, 0), (0, 1))
# If no plan results, so many of the schedules are tried with more items put aside.
_CLEARING_TRIES = 2


def transport_plans(
    context: Context,
    abstraction: Abstraction,
    start: State,
    groups: Sequence[Group],
    too_long: int,
    deadline: Deadline,
) -> Iterator[tuple[int, ...]]:
    """Yield plans as codes of actions, each shorter than the one before and than ``too_long`` steps.

    Details that the schedule ignores (an occupied station, an effect that misses a tick) cost steps when it is
    executed, or make it fail; so several schedules are tried.

    Raises
    ------
    TimeOverError
        Soon after the deadline.
    """
    view = abstraction.view(start)
    has_plan = False
    tries = [(False, *entry) for entry in _TRIES]
    tries += [(True, *entry) for entry in _TRIES[:_CLEARING_TRIES]]
    for clearing, late, seed in tries:
        for group in groups[:_GROUPS]:
            if clearing and has_plan:
                return
            tasks = transport_tasks(context, view, group, clearing=clearing)
            if tasks is None:
                continue
            setting = _setting(context, abstraction, view, start, tasks, late)
            # A single cook that executes all tasks in sequence takes no longer, if a plan exists.
            total_time = sum(task.length + task.ticks + 3 for task in tasks)
            in_sequence = len(setting.cooks) * total_time
            half = deadline.sooner(deadline.remaining() / 2)
            longest = min(too_long - 1, in_sequence)
            turns = schedule(setting, tasks, longest, half, seed)
            if turns is None:
                continue
            codes = act(abstraction, start, tasks, turns, too_long - 1, deadline)
            if codes is not None:
                yield codes
                too_long, has_plan = len(codes), True


def _setting(
    context: Context,
    abstraction: Abstraction,
    view: StateView,
    start: State,
    tasks: Sequence[TransportTask],
    late: int,
) -> ScheduleInput:
    engine = abstraction.compiled
    in_hands = {thing: view.at[player] for player, thing in view.hands.items()}
    stations_of_things = {thing: place[0] for thing, place in view.places.items()}
    moving = {task.thing for task in tasks}
    occupied = {station for thing, station in stations_of_things.items() if thing not in moving}
    occupied |= {task.to for task in tasks if task.to in context.stations}
    free = Counter({context.kinds[station]: 0 for station in context.stations})
    for station in context.stations:
        if station not in occupied:
            free[context.kinds[station]] += 1
    standing = {}
    for thing in sorted(moving - {*in_hands}):
        station, height = view.places[thing]
        if not height:
            standing[thing] = context.kinds[station]
    cooks = tuple(view.at[player] for player in _players_in_turn(engine, start))
    return ScheduleInput(
        cooks=cooks,
        places=stations_of_things | in_hands,
        free=dict(free),
        standing=standing,
        vessels=frozenset(context.containers),
        joint=engine.rules.moves == "joint",
        late=late,
    )


def _players_in_turn(engine: CompiledKitchen, state: State) -> list[str]:
    """Return the players in the order of their turns, beginning with the current one."""
    players = engine.kitchen.players
    first = players.index(engine.player(state))
    return [*players[first:], *players[:first]]


# Counted work (seconds) of a step.
_STEP = 5e-5
# Idle turns of each cook, without a running effect, after which the execution is stuck.
_IDLE = 30
# Actions by the fact that they make true.
_ACTIONS = {
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
    max_steps: int,
    deadline: Deadline = NO_LIMIT,
) -> tuple[int, ...] | None:
    """Return a plan of at most so many steps, as codes of actions; ``None`` without one.

    A cook begins no task before its turn, waits while its action is not legal, and makes room for others when idle.
    """
    return _Acting(abstraction, start, listed, turns).run(max_steps, deadline)


class _Acting:
    """Execution of the tasks in one kitchen."""

    def __init__(
        self, abstraction: Abstraction, start: State, listed: Sequence[TransportTask], turns: Sequence[CookTurn]
    ) -> None:
        self.abstraction, self.listed = abstraction, listed
        self.engine: CompiledKitchen = abstraction.compiled
        self.state = start
        kitchen = self.engine.kitchen
        self.cooks = [_Cook(name) for name in _players_in_turn(self.engine, start)]
        for turn in turns:
            self.cooks[turn.cook].turns.append(turn)
        for cook in self.cooks:
            task = self.task_of(cook)
            cook.done = int(task is not None and task.saved > 0)
        self.written = {action.name: action.write for action in kitchen.domain.actions}
        self.stations = [name for name, kind in kitchen.objects if kind == "station"]
        self.containers = [name for name, kind in kitchen.objects if kind == "container"]
        named_places = {*self.stations, *self.containers}
        self.destinations = {task.to for task in listed if task.actions or task.to in named_places}
        self.over: set[int] = set()

    def task_of(self, cook: _Cook) -> TransportTask | None:
        """Return the first task of a cook."""
        return self.listed[cook.turns[0].task] if cook.turns else None

    def run(self, max_steps: int, deadline: Deadline) -> tuple[int, ...] | None:
        codes: list[int] = []
        longest_effect = max((task.ticks for task in self.listed), default=0)
        idle = 0
        patience = len(self.cooks) * (_IDLE + longest_effect)
        for step in range(max_steps):
            deadline.check(_STEP)
            cook = self.cooks[step % len(self.cooks)]
            view = self.abstraction.view(self.state)
            text, done = self.wish(cook, view)
            code = self.engine.find(self.state, text) if text else None
            if code is None:
                waiting = self.written["wait"]({})
                code = self.engine.find(self.state, waiting)
                assert code is not None
                idle += 1
                if idle > patience:
                    return None
            else:
                self.advance(cook, done)
                idle = 0
            cook.turn += 1
            codes.append(code)
            self.state = self.engine.step(self.state, code)
            if self.engine.goal(self.state):
                return tuple(codes)
        return None

    def advance(self, cook: _Cook, done: int) -> None:
        """Store the progress of a cook's first task."""
        cook.done, cook.target = done, ""
        task = self.task_of(cook)
        if task is not None and done >= task.length + task.saved:
            self.over.add(cook.turns.pop(0).task)
            cook.done = 0

    def wish(self, cook: _Cook, view: StateView) -> tuple[str, int]:
        """Return a cook's next action, ``""`` for none, and the progress of its first task afterwards."""
        at = view.at[cook.name]
        carried = view.hands.get(cook.name, "")
        task = self.task_of(cook)
        if carried and not cook.done:  # the pot it has poured from
            if task is None:
                return "", 0
            if not self.is_bare(at, view):
                return self.move(cook, at, self.quiet_station(view)), 0
            names = {"p1": cook.name, "c1": carried, "s1": at}
            return self.written["place-container"](names), 0
        if task is None:
            return self.step_aside(cook, at, "", view), 0
        origin = self.station_of(task.thing, view)
        if not cook.done and cook.turn < cook.turns[0].first - (at != origin):
            return self.step_aside(cook, at, origin, view), 0
        if not task.carried or cook.done > 2:
            if at != origin:
                return self.move(cook, at, origin), cook.done
            names = {"p1": cook.name, "i1": task.thing, "c1": task.thing, "s1": at, "m1": ""}
            write = self.written[_ACTIONS[task.makes]]
            return write(names), cook.done + 1
        if not cook.done:
            if at != origin:
                return self.move(cook, at, origin), 0
            if not self.is_ready(task, view):
                return "", 1
            return self.take(cook, task.thing, at, view), 1
        if cook.done == 1:
            target = self.target(task, view)
            if target != at:
                return self.move(cook, at, target), 2
        if not self.over.issuperset(task.before_put):
            return "", 3
        return self.finish(cook, task, at, view), 3

    def is_ready(self, task: TransportTask, view: StateView) -> bool:
        """Return whether a thing may be taken; preconditions of a pot count when the cook is there."""
        needed = task.before
        if task.last == "add":
            needed = tuple(earlier for earlier in task.before if self.listed[earlier].thing == task.thing)
        if not self.over.issuperset(needed):
            return False
        return all(self.has_effect(self.listed[earlier], view) for earlier in needed)

    def has_effect(self, task: TransportTask, view: StateView) -> bool:
        """Return whether the fact of a task is true."""
        if not task.makes:
            return True
        meals = [meal for meal, pot in view.inside.items() if pot == task.thing]
        if task.makes == "new water":
            return bool(meals)
        things = (task.thing, *meals)
        return any(self.engine.holds(self.state, (task.makes, name)) for name in things)

    def move(self, cook: _Cook, at: str, to: str) -> str:
        cook.target = to
        if not to:
            return ""
        names = {"p1": cook.name, "s1": at, "s2": to}
        return self.written["move"](names)

    def step_aside(self, cook: _Cook, at: str, origin: str, view: StateView) -> str:
        """Return the move of an idle cook out of the way."""
        if at == origin:
            return ""
        rivals = (rival for rival in self.cooks if rival is not cook)
        is_in_the_way = any(rival.target == at for rival in rivals)
        pots = {self.station_of(name, view) for name in self.containers if name in self.destinations}
        if not (is_in_the_way or self.is_destination(at) or at in pots):
            return ""
        return self.move(cook, at, self.quiet_station(view))

    def is_destination(self, station: str) -> bool:
        """Return whether some task leads to a station, by name or kind."""
        return not self.destinations.isdisjoint((station, self.kind(station)))

    def kind(self, name: str) -> str:
        return split_name(name)[0]

    def station_of(self, thing: str, view: StateView) -> str:
        """Return the station of a thing, empty if it is on none."""
        return view.places.get(thing, ("", 0))[0]

    def is_bare(self, station: str, view: StateView) -> bool:
        """Return whether a station is empty."""
        if view.stacks.get(station):
            return False
        return all(self.station_of(name, view) != station for name in self.containers)

    def quiet_station(self, view: StateView) -> str:
        """Return a station without a cook that no task needs, preferably an empty one."""

        def disturbance(station: str) -> tuple[bool, bool]:
            return not self.is_bare(station, view), self.is_destination(station)

        free = [name for name in self.stations if name not in view.at.values()]
        return min(free, key=disturbance, default="")

    def target(self, task: TransportTask, view: StateView) -> str:
        """Return the destination of a task: a named station, that of a pot, or a free one of a kind.

        Things put aside go on piles if necessary, on that whose items are needed last.
        """
        to = task.to
        if to in self.containers:
            return self.station_of(to, view)
        if to in self.stations:
            return to
        visited = view.at.values()
        candidates = [name for name in self.stations if name not in self.destinations and name not in visited]
        if task.actions or task.thing in self.containers:
            stations = [name for name in candidates if self.kind(name) == to]
            return next((name for name in stations if self.is_bare(name, view)), "")
        stations = [name for name in candidates if not self.is_destination(name)]
        free = [name for name in stations if self.is_bare(name, view)]
        if free:
            return free[0]
        piles = [name for name in stations if view.stacks.get(name)]
        return max(piles, key=lambda name: self.soonest(view.stacks[name]), default="")

    def soonest(self, items: Sequence[str]) -> int:
        """Return the turn of the first remaining task of some items."""
        turns = chain.from_iterable(cook.turns for cook in self.cooks)
        starts = (turn.first for turn in turns if self.listed[turn.task].thing in items)
        return min(starts, default=UNREACHABLE)

    def take(self, cook: _Cook, thing: str, at: str, view: StateView) -> str:
        names = {"p1": cook.name, "i1": thing, "c1": thing, "s1": at}
        if thing in self.containers:
            return self.written["pick-up-container"](names)
        height = view.places[thing][1]
        if not height:
            return self.written["pick-up-item"](names)
        lower = view.stacks[at][height - 1]
        return self.written["unstack"](names | {"i2": lower})

    def finish(self, cook: _Cook, task: TransportTask, at: str, view: StateView) -> str:
        """Return the action that ends the carrying."""
        names = {"p1": cook.name, "i1": task.thing, "c1": task.thing, "s1": at}
        if task.last == "add":
            return self.written["add-to"](names | {"c1": task.to})
        if task.last == "pour":
            vessels = {"c1": task.to, "c2": task.thing}
            return self.written["fill-bowl"](names | vessels)
        if task.thing in self.containers:
            return self.written["place-container"](names)
        stack = view.stacks.get(at)
        if not stack:
            return self.written["place-item"](names)
        return self.written["stack"](names | {"i2": stack[-1]})
