"""A plan by way of a schedule: errands are listed, scheduled and run, some times over, and the shortest plan counts."""

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
from planoracle.solver.kitchens.transport.transport_tasks import TransportTask, errands

# Choices that are tried, and schedules for each: ticks by which effects may be late, and the seed of the search; the
# first ones once more where nothing came of them, with more put aside.
_GROUPS, _TRIES, _AGAIN = 2, ((1, 0), (0, 0), (0, 1)), 2


def errand_plans(
    context: Context, abstraction: Abstraction, start: State, groups: Sequence[Group], most: int, deadline: Deadline
) -> Iterator[tuple[int, ...]]:
    """Yield plans as deeds, each shorter than the one before and than ``most`` steps.

    What the schedule leaves out (a station that is taken for other reasons, an effect that misses a tick) costs steps
    when it is carried out, or there is no plan: so others are tried.

    Raises
    ------
    TimeOverError
        Soon after the deadline.
    """
    view, none = abstraction.view(start), True
    for clearing, (late, seed) in [*((False, each) for each in _TRIES), *((True, each) for each in _TRIES[:_AGAIN])]:
        for group in groups[:_GROUPS]:
            listed = errands(context, view, group, clearing=clearing) if none or not clearing else None
            if listed is None:
                continue
            setting = _setting(context, abstraction, view, start, listed, late)
            # One cook alone, doing one thing after the other, takes no longer, if there is a way at all.
            longest = len(setting.cooks) * sum(errand.length + errand.ticks + 3 for errand in listed)
            turns = schedule(setting, listed, min(most - 1, longest), deadline.sooner(deadline.remaining() / 2), seed)
            found = None if turns is None else act(abstraction, start, listed, turns, most - 1, deadline)
            if found is not None:
                yield found
                most, none = len(found), False


def _setting(
    context: Context,
    abstraction: Abstraction,
    view: StateView,
    start: State,
    listed: Sequence[TransportTask],
    late: int,
) -> ScheduleInput:
    engine = abstraction.compiled
    players = engine.kitchen.players
    held = {thing: view.at[player] for player, thing in view.hands.items()}
    first = players.index(engine.player(start))
    moving = {errand.thing for errand in listed}
    taken = {place[0] for thing, place in view.places.items() if thing not in moving}
    taken |= {errand.to for errand in listed if errand.to in context.stations}
    free = Counter({context.kinds[station]: 0 for station in context.stations})
    free.update(context.kinds[station] for station in context.stations if station not in taken)
    return ScheduleInput(
        tuple(view.at[player] for player in (*players[first:], *players[:first])),
        {thing: place[0] for thing, place in view.places.items()} | held,
        dict(free),
        {
            thing: context.kinds[view.places[thing][0]]
            for thing in sorted(moving - {*held})
            if not view.places[thing][1]
        },
        frozenset(context.containers),
        engine.rules.moves == "joint",
        late,
    )


# Of counted work: seconds for a step.
_STEP = 5e-5
# Turns of each cook in which nobody does anything, and nothing can be under way, after which nobody will.
_IDLE = 30
# The actions by what they bring about.
_DEEDS = {
    "iscut": "cut",
    "iscooked": "cook",
    "isfried": "fry",
    "new water": "fill-pot",
    "isboiling": "boil-water",
}


class _Cook:
    """A cook: its errands, how many actions of the first are done, its next turn, where it has tried to go."""

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

    A cook begins no errand before its turn, waits while what it wants to do is not legal, and makes room where others
    have something to do and it has not.
    """
    return _Acting(abstraction, start, listed, turns).run(most, deadline)


class _Acting:
    """One kitchen while the errands are run."""

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
            cook.done = int(bool(cook.turns) and listed[cook.turns[0].errand].saved > 0)
        self.written = {action.name: action.write for action in kitchen.domain.actions}
        self.stations = [name for name, kind in kitchen.objects if kind == "station"]
        self.containers = [name for name, kind in kitchen.objects if kind == "container"]
        self.wanted = {errand.to for errand in listed if errand.deeds or errand.to in self.stations + self.containers}
        self.over: set[int] = set()

    def run(self, most: int, deadline: Deadline) -> tuple[int, ...] | None:
        deeds: list[int] = []
        idle, patience = 0, len(self.cooks) * (_IDLE + max((errand.ticks for errand in self.listed), default=0))
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
        """Note how much of its first errand a cook has done."""
        cook.done, cook.target = done, ""
        errand = self.listed[cook.turns[0].errand] if cook.turns else None
        if errand is not None and done >= errand.length + errand.saved:
            self.over.add(cook.turns.pop(0).errand)
            cook.done = 0

    def wish(self, cook: _Cook, view: StateView) -> tuple[str, int]:
        """Return what a cook would do, ``""`` for nothing, and how much of its first errand is done then."""
        at, held = view.at[cook.name], view.hands.get(cook.name, "")
        errand = self.listed[cook.turns[0].errand] if cook.turns else None
        if held and not cook.done:  # the pot it has poured from
            if errand is None:
                return "", 0
            if not self.bare(at, view):
                return self.move(cook, at, self.calm(view)), 0
            return self.written["place-container"]({"p1": cook.name, "c1": held, "s1": at}), 0
        origin = view.places.get(errand.thing, ("", 0))[0] if errand is not None else ""
        if errand is None or (not cook.done and cook.turn < cook.turns[0].first - (at != origin)):
            return self.rest(cook, at, origin, view), 0
        if not errand.carried or cook.done > 2:
            if at != origin:
                return self.move(cook, at, origin), cook.done
            names = {"p1": cook.name, "i1": errand.thing, "c1": errand.thing, "s1": at, "m1": ""}
            return self.written[_DEEDS[errand.makes]](names), cook.done + 1
        if not cook.done:
            if at != origin:
                return self.move(cook, at, origin), 0
            return (self.take(cook, errand.thing, at, view) if self.ready(errand, view) else ""), 1
        if cook.done == 1:
            target = self.target(errand, view)
            if target != at:
                return self.move(cook, at, target), 2
        return (self.finish(cook, errand, at, view) if self.over.issuperset(errand.floor) else ""), 3

    def ready(self, errand: TransportTask, view: StateView) -> bool:
        """Whether what must have happened to a thing before it is taken has; a pot is asked when it is there."""
        needed = [e for e in errand.before if errand.last != "add" or self.listed[e].thing == errand.thing]
        return self.over.issuperset(needed) and all(self.made(self.listed[e], view) for e in needed)

    def made(self, errand: TransportTask, view: StateView) -> bool:
        """Whether what an errand is to bring about is so."""
        if not errand.makes:
            return True
        meals = [meal for meal, pot in view.inside.items() if pot == errand.thing]
        if errand.makes == "new water":
            return bool(meals)
        return any(self.engine.holds(self.state, (errand.makes, one)) for one in (errand.thing, *meals))

    def move(self, cook: _Cook, at: str, to: str) -> str:
        cook.target = to
        return self.written["move"]({"p1": cook.name, "s1": at, "s2": to}) if to else ""

    def rest(self, cook: _Cook, at: str, origin: str, view: StateView) -> str:
        """Return where a cook goes that has nothing to do: out of the way."""
        asked = any(other.target == at for other in self.cooks if other is not cook)
        pots = {view.places.get(name, ("", 0))[0] for name in self.containers if name in self.wanted}
        if at == origin or not (asked or self.asked(at) or at in pots):
            return ""
        return self.move(cook, at, self.calm(view))

    def asked(self, station: str) -> bool:
        """Whether some errand leads to a station, by name or kind."""
        return not self.wanted.isdisjoint((station, self.kind(station)))

    def kind(self, name: str) -> str:
        return split_name(name)[0]

    def bare(self, station: str, view: StateView) -> bool:
        """Whether nothing stands or lies on a station."""
        return not view.stacks.get(station) and all(
            view.places.get(name, ("", 0))[0] != station for name in self.containers
        )

    def calm(self, view: StateView) -> str:
        """Return a station that nobody stands at and nobody needs, if there is one with nothing on it."""
        free = [name for name in self.stations if name not in view.at.values()]
        return min(free, key=lambda name: (not self.bare(name, view), self.asked(name)), default="")

    def target(self, errand: TransportTask, view: StateView) -> str:
        """Return the station that an errand leads to: one with a name, that of a pot, a free one of a kind.

        What is only to be out of the way is put on others, if need be, that are needed last.
        """
        to = errand.to
        if to in self.containers:
            return view.places.get(to, ("", 0))[0]
        if to in self.stations:
            return to
        apart = [name for name in self.stations if name not in self.wanted and name not in view.at.values()]
        needed = errand.deeds or errand.thing in self.containers
        apart = [name for name in apart if (self.kind(name) == to if needed else not self.asked(name))]
        free = [name for name in apart if self.bare(name, view)]
        if free or needed:
            return next(iter(free), "")
        piles = [name for name in apart if view.stacks.get(name)]
        return max(piles, key=lambda name: self.soonest(view.stacks[name]), default="")

    def soonest(self, items: Sequence[str]) -> int:
        """Return the turn of the first errand that is left for some of the items."""
        turns = [turn.first for cook in self.cooks for turn in cook.turns if self.listed[turn.errand].thing in items]
        return min(turns, default=NEVER)

    def take(self, cook: _Cook, thing: str, at: str, view: StateView) -> str:
        names = {"p1": cook.name, "i1": thing, "c1": thing, "s1": at}
        if thing in self.containers:
            return self.written["pick-up-container"](names)
        height = view.places[thing][1]
        if not height:
            return self.written["pick-up-item"](names)
        return self.written["unstack"](names | {"i2": view.stacks[at][height - 1]})

    def finish(self, cook: _Cook, errand: TransportTask, at: str, view: StateView) -> str:
        """Return the action that ends the carrying."""
        names = {"p1": cook.name, "i1": errand.thing, "c1": errand.thing, "s1": at}
        if errand.last == "add":
            return self.written["add-to"](names | {"c1": errand.to})
        if errand.last == "pour":
            return self.written["fill-bowl"](names | {"c1": errand.to, "c2": errand.thing})
        if errand.thing in self.containers:
            return self.written["place-container"](names)
        stack = view.stacks.get(at)
        return self.written["stack"](names | {"i2": stack[-1]}) if stack else self.written["place-item"](names)
