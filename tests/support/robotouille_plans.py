"""Plans for kitchens that ask for dishes, made without thinking: prepare all things, then put them together."""

from __future__ import annotations

from planoracle.instances.kitchens.compiled import Compiled
from planoracle.instances.kitchens.kitchen import Kitchen, split_name

#: What must be true of a part, the action for it and the station for that, in the order in which it is to be done.
_WAYS = (("iscut", "Cut", "board"), ("iscooked", "Cook", "stove"), ("isfried", "Fry", "fryer"))


class _ReachedError(Exception):
    """The goal is reached."""


def plan_for(kitchen: Kitchen) -> list[str]:
    """Return a plan that reaches the goal of a kitchen, if that asks for dishes on tables; far from optimal."""
    drudge = _Drudge(kitchen)
    try:
        drudge.serve()
    except _ReachedError:
        return drudge.plan
    raise AssertionError((kitchen.name, drudge.plan))


class _Drudge:
    """The first player does everything; the others wait, or step out of its way."""

    def __init__(self, kitchen: Kitchen) -> None:
        self.engine = Compiled(kitchen)
        self.state = self.engine.start()
        self.kitchen = kitchen
        self.me = kitchen.players[0]
        self.plan: list[str] = []
        self.reserved: set[str] = set()  # nothing else is put there

    # What is where.

    def look(self, *pattern: str) -> list[tuple[str, ...]]:
        """Return what may stand for the blanks (``""``) of an atom so that it is true."""
        found = sorted(fact for fact in self.engine.facts(self.state) if len(fact) == len(pattern))
        fits = [fact for fact in found if all(a in ("", b) for a, b in zip(pattern, fact, strict=True))]
        return [tuple(b for a, b in zip(pattern, fact, strict=True) if not a) for fact in fits]

    def true(self, *atom: str) -> bool:
        return atom in self.engine.facts(self.state)

    def one(self, *pattern: str) -> str:
        return self.look(*pattern)[0][0]

    def stations(self, *kinds: str) -> list[str]:
        return [
            name
            for name, its_type in self.kitchen.objects
            if its_type == "station" and (split_name(name)[0] in kinds or not kinds)
        ]

    # What to do.

    def act(self, text: str) -> None:
        self.perform(text)
        while self.engine.player(self.state) != self.me:
            self.perform("Do nothing")

    def perform(self, text: str) -> None:
        action = self.engine.find(self.state, text)
        assert action is not None, (text, self.plan)
        self.state = self.engine.step(self.state, action)
        self.plan.append(text)
        assert len(self.plan) < 3000
        if self.engine.goal(self.state):
            raise _ReachedError

    def go(self, station: str) -> None:
        here = self.one("loc", self.me, "")
        other = self.look("loc", "", station)
        if here == station:
            return
        if other:  # wait for its turn and let it go elsewhere
            [[blocker]] = other
            self.perform("Do nothing")
            while self.engine.player(self.state) != self.me:
                free = [each for each in self.look("vacant", "") if each[0] not in (here, station)]
                away = f"Move {blocker} from {station} to {free[0][0]}" if free else ""
                self.perform(away if self.engine.player(self.state) == blocker else "Do nothing")
        self.act(f"Move {self.me} from {here} to {station}")

    def wait_for(self, *atom: str) -> None:
        while not self.look(*atom):
            self.act("Do nothing")

    def get(self, thing: str) -> None:
        """Take something into the hand, which is empty."""
        if self.look("container_at", thing, ""):
            self.go(self.one("container_at", thing, ""))
            return self.act(f"Pick up {thing} from {self.one('container_at', thing, '')} using {self.me}")
        while above := self.look("atop", "", thing):
            self.get(above[0][0])
            self.away(self.one("loc", self.me, ""))
        self.go(self.one("item_at", thing, ""))
        if below := self.look("atop", thing, ""):
            return self.act(f"Unstack {thing} from {below[0][0]} using {self.me}")
        return self.act(f"Pick up {thing} from {self.one('item_on', thing, '')} using {self.me}")

    def held(self) -> str:
        return next(
            (found[0][0] for hand in ("has_item", "has_container") if (found := self.look(hand, self.me, ""))), ""
        )

    def put(self, station: str) -> None:
        """Put down what is in the hand, on a station or what lies there."""
        self.go(station)
        tops = [item for (item,) in self.look("item_at", "", station) if self.look("clear", item)]
        thing = self.held()
        if tops:
            return self.act(f"Stack {thing} on top of {tops[0]} using {self.me}")
        return self.act(f"Place {thing} on {station} using {self.me}")

    def away(self, *but: str) -> None:
        """Put down what is in the hand where it is in nobody's way."""
        shut = {station for _, station in self.look("container_at", "", "")} | self.reserved | set(but)
        options = [each for each in (*self.stations("table"), *self.stations()) if each not in shut]
        bare = [each for each in options if self.look("station_empty", each)]
        heaps = [each for each in options if each not in bare]
        if self.look("has_container", self.me, ""):
            return self.put(bare[0])
        return self.put(heaps[0] if heaps and len(bare) < 2 else bare[0])

    def clear(self, station: str) -> None:
        """Take away what is on a station; the hand is empty."""
        while things := self.look("item_at", "", station) + self.look("container_at", "", station):
            if self.look("container_at", "", station):
                self.make_room()
            self.get(next((item for (item,) in things if self.look("clear", item)), things[0][0]))
            self.away(station)

    def lay(self, thing: str, station: str) -> None:
        """Put something on a station, where there is nothing else then."""
        reserved = self.reserved
        self.reserved = reserved | {station}
        self.clear(station)
        self.get(thing)
        self.put(station)
        self.reserved = reserved

    def make_room(self) -> None:
        """See to it that there is an empty station, by putting items onto others."""
        if not [each for (each,) in self.look("station_empty", "") if each not in self.reserved]:
            heaps = {station for _, station in self.look("item_at", "", "")} - self.reserved
            heaps -= {station for _, station in self.look("container_at", "", "")}
            self.clear(min(heaps, key=lambda station: (len(self.look("item_at", "", station)), station)))

    def serve(self) -> None:
        """Prepare everything, then put it together."""
        if self.held():
            self.away()
        goal = self.kitchen.goal.conditions
        cast: dict[str, str] = {}
        for role in self.kitchen.goal.roles:
            free = [each for each in self.kitchen.candidates[role] if each not in cast.values()]
            cast[role] = free[0]
        aims = [tuple(cast.get(part, part) for part in condition) for condition in goal]
        self.reserved = {name for name in cast.values() if split_name(name)[0] == "table"}
        for way in _WAYS:
            for item in [aim[1] for aim in aims if aim[0] == way[0]]:
                self.prepare(item, *way)
        for meal, bowl in [aim[1:] for aim in aims if aim[0] == "in"]:
            self.cook_soup(
                meal,
                bowl,
                [aim[1] for aim in aims if aim[0] == "addedto" and aim[2] == meal],
                dict(_pairs(aims, "container_at"))[bowl],
            )
        for bottom, table in _pairs(aims, "item_on"):
            over = {lower: upper for upper, lower in _pairs(aims, "atop")}
            stack = [bottom]
            while stack[-1] in over:
                stack.append(over[stack[-1]])
            rest = [item for item, station in _pairs(aims, "item_at") if station == table]
            stack += sorted(rest, key=lambda item: ("clear", item) in aims)
            self.clear(table)
            for item in stack:
                self.get(item)
                self.put(table)

    def prepare(self, item: str, fact: str, verb: str, kind: str) -> None:
        if self.true(fact, item):
            return
        station = self.stations(kind)[0]
        self.lay(item, station)
        for _ in range(3 if verb == "Cut" else 1):
            self.act(f"{verb} {item} on {station} using {self.me}")
        self.wait_for(fact, item)
        self.get(item)
        self.away(station)

    def cook_soup(self, meal: str, bowl: str, parts: list[str], table: str) -> None:
        sink, stove = self.stations("sink")[0], self.stations("stove")[0]
        pot = next(name for (name,) in self.look("container_empty", "") if split_name(name)[0] == "pot")
        self.clear(table)
        for thing, station in ((bowl, table), (pot, sink), (pot, stove)):
            self.lay(thing, station)
            if station == sink:
                self.act(f"Fill {pot} with water from {sink} using {self.me}")
                self.wait_for("in", "", pot)
        self.act(f"Boil {pot}'s contents on {stove} using {self.me}")
        self.wait_for("isboiling", self.one("in", "", pot))
        for part in parts:
            self.get(part)
            self.go(stove)
            self.act(f"Add {part} into {pot} using {self.me}")
        self.get(pot)
        self.go(table)
        self.act(f"Fill {bowl} with {pot}'s contents using {self.me}")
        self.away()


def _pairs(aims: list[tuple[str, ...]], predicate: str) -> list[tuple[str, str]]:
    return [(aim[1], aim[2]) for aim in aims if aim[0] == predicate]
