"""What has to be done in a kitchen, as errands: once it is known which object plays which role, little is open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from math import perm

from planoracle.solver.kitchens.goals import Group, Process
from planoracle.solver.kitchens.state_view import NEVER, Context, StateView

# Ways to deal out items of a kind that are all looked at.
_MOST_WAYS = 720
# What an item must be for a process, one of these; some kitchens say it of some items of a kind only.
_ABLE = {"iscut": ("iscuttable",), "iscooked": ("iscookable",), "isfried": ("isfryable", "isfryableifcut")}
_UNABLE = 100


@dataclass(frozen=True, slots=True)
class TransportTask:
    """One cook takes something somewhere and does there what is to be done, without doing anything else in between.

    Attributes
    ----------
    thing
        What is carried, an item or a container.
    carried
        Whether it is; otherwise it is there already, and only something is done to it.
    to
        Name of the station it is carried to, or a kind of which any will do; the container it is put or poured into.
    last
        What ends the carrying: ``put``, ``add`` or ``pour``; ``""`` if nothing is carried.
    makes, deeds, ticks
        What is brought about then (see `Process`), by how many actions, how many ticks after the last (0: at once).
    before
        Places of the errands that must be over, with their effects, before it can begin.
    floor
        Places of those that must be over before its carrying ends: what lies below in a pile, or was in the way there.
    saved
        Turns that it takes less as its thing is in a hand at the start, and its cook perhaps where it is put.
    """

    thing: str
    carried: bool
    to: str
    last: str
    makes: str = ""
    deeds: int = 0
    ticks: int = 0
    before: tuple[int, ...] = ()
    floor: tuple[int, ...] = ()
    saved: int = 0

    @property
    def length(self) -> int:
        """Turns that it takes, the first walk left out."""
        return 3 * self.carried + self.deeds - self.saved


class _Odd(Exception):  # noqa: N818  # it is no error: never seen outside of this module
    """Nothing is listed for such a kitchen."""


def errands(context: Context, view: StateView, group: Group, *, clearing: bool = False) -> list[TransportTask] | None:
    """Return what has to be done from the start of a kitchen with the choices of a group.

    With ``clearing`` what is in a hand, or lies where others are prepared, is put aside first, lest it wait for
    what waits for it.

    ``None`` where more would have to be chosen than is chosen here: somebody is nowhere or holds a pot or a bowl,
    something is under way, a pot is needed twice, or there is no station for a dish. What is listed is enough for the
    goal, as a rule, though more than may be needed: whoever carries it out asks the rules.
    """
    if view.ticks or view.inside or view.added or len(view.at) < context.cooks:
        return None
    if not set(view.hands.values()).isdisjoint(context.containers):
        return None
    try:
        return _Listing(context, view, group, clearing).all()
    except _Odd:
        return None


class _Listing:
    """The errands of one kitchen, while they are listed."""

    def __init__(self, context: Context, view: StateView, group: Group, clearing: bool = False) -> None:
        self.context, self.view, self.group, self.clearing = context, view, group, clearing
        self.roles = context.roles.roles
        self.found: list[TransportTask] = []
        self.hands = {thing: view.at[cook] for cook, thing in view.hands.items()}
        self.plays = self.dealt()
        self.stays: set[str] = set()  # what lies where it belongs
        self.taken: set[str] = set()  # stations for dishes
        self.used = {process.station for role in self.roles for process in role.needs}
        self.used |= {process.station for process in (context.fill, context.boil) if context.roles.meals}
        self.occupied = {view.places[name][0] for name in context.containers if name in view.places}
        self.tables = [self.table(dish) for dish in range(len(context.roles.dishes))]
        self.away: dict[str, int] = {}  # by thing, the errand that takes it from where it is at the start

    def all(self) -> list[TransportTask]:
        pots = self.pots()
        for item in list(self.hands):
            self.held(item, pots)
        for station, stack in self.view.stacks.items():
            self.pile(station, stack, pots)
        self.meals(pots)
        for kind in dict.fromkeys(errand.to for errand in self.found if errand.carried and errand.deeds):
            self.clear(kind)
        return self.piled()

    def pile(self, station: str, stack: list[str], pots: dict[int, tuple[str, int]]) -> None:
        """List what is done to the items of a pile, the topmost first, down to the last that has to move."""
        playing = [height for height, item in enumerate(stack) if self.moves(item)]
        standing = [sum(item in self.stays for item in stack)] if station in self.taken else []
        for height in reversed(range(min([*playing, *standing], default=len(stack)), len(stack))):
            item = stack[height]
            if item in self.stays:
                continue
            if not self.moves(item) or self.early(station, stack, height) or self.waits(station, item):
                self.aside(item)
            if item in self.plays:
                self.item(item, pots)

    def moves(self, item: str) -> bool:
        """Whether something has to be done with an item for the role that it plays."""
        if item not in self.plays or item in self.stays:
            return False
        role = self.roles[self.plays[item]]
        return role.dish >= 0 or role.meal >= 0 or bool(self.context.todo(self.view, item, role))

    def early(self, station: str, stack: list[str], height: int) -> bool:
        """Whether an item has to be put down somewhere: its place is free only when what lies below has moved."""
        item = stack[height]
        role = self.roles[self.plays[item]]
        if role.dish < 0 or self.context.todo(self.view, item, role):
            return False
        lower = self.lower(item)
        needed = station in self.taken or self.context.kinds[station] in self.used
        return bool(lower) and (needed or any(one in stack[:height] for one in lower))

    def waits(self, station: str, item: str) -> bool:
        """Whether an item is to be put aside as it lies where others are prepared, and it is not."""
        kind = self.context.kinds[station]
        todo = self.context.todo(self.view, item, self.roles[self.plays[item]])
        return self.clearing and kind in self.used and not (todo and todo[0].station == kind)

    def lower(self, item: str) -> list[str]:
        """Return what has yet to come under an item of a dish."""
        role = self.roles[self.plays[item]]
        return [
            one
            for one, place in self.plays.items()
            if one not in self.stays and self.roles[place].dish == role.dish and self.roles[place].rank < role.rank
        ]

    def held(self, item: str, pots: dict[int, tuple[str, int]]) -> None:
        """List what is done to an item in a hand, which has to be put down first of all."""
        role = self.roles[self.plays[item]] if self.moves(item) else None
        todo = () if role is None else self.context.todo(self.view, item, role)
        if role is None or self.clearing or (not todo and (role.dish < 0 or self.lower(item))):
            self.aside(item)
        if role is not None:
            self.item(item, pots)

    def add(self, errand: TransportTask) -> int:
        """List an errand; the first of what is in a hand begins there."""
        at = self.hands.pop(errand.thing, None)
        self.found.append(errand if at is None else replace(errand, saved=1 + (errand.to == at)))
        return len(self.found) - 1

    def dealt(self) -> dict[str, int]:
        """Return which role every item plays, none for those that play none."""
        found: dict[str, int] = {}
        for dish, name in zip(self.context.roles.dishes, self.group.bottoms, strict=True):
            if name and name not in self.view.places and name not in self.hands:
                raise _Odd
            if name:
                found[name] = dish.bottom
        for kind, places in self.context.roles.kinds.items():
            places = [place for place in places if place not in found.values()]
            items = [item for item in self.context.roles.items[kind] if item not in found]
            if perm(len(items), len(places)) > _MOST_WAYS:
                raise _Odd
            ways: list[dict[str, int]] = [
                dict(zip(chosen, places, strict=True)) for chosen in permutations(items, len(places))
            ]
            ways = [way for way in ways if all(self.roles[r].name in ("", item) for item, r in way.items())]
            if not ways:
                raise _Odd
            best: dict[str, int] = min(ways, key=self.effort)
            found |= best
        return found

    def effort(self, way: dict[str, int]) -> int:
        return sum(self.cost(item, place) for item, place in way.items())

    def cost(self, item: str, place: int) -> int:
        """Return roughly how much there is to do to an item in a role."""
        role = self.roles[place]
        at = self.view.places.get(item)
        if at is None and item not in self.hands:
            raise _Odd
        above = 0 if at is None else len(self.view.stacks[at[0]]) - 1 - at[1]
        todo = self.context.todo(self.view, item, role)
        return 4 * above + sum(4 + each.acts + _UNABLE * (not self.able(item, each)) for each in todo)

    def able(self, item: str, process: Process) -> bool:
        """Whether a process can be done to an item."""
        bits = self.context.bits
        return any(self.view.facts & bits.existing_mask((trait, item)) for trait in _ABLE.get(process.predicate, ()))

    def table(self, dish: int) -> str:
        """Return where a dish is made; what lies there as it should stays."""
        asked = self.context.roles.dishes[dish]
        members = [item for item, place in self.plays.items() if self.roles[place].dish == dish]
        for item in members:
            station, height = self.view.places.get(item, ("", 1))
            role = self.roles[self.plays[item]]
            if height or not self.context.fits(station, asked.station) or not (role.bottom or asked.bottom < 0):
                continue
            ranks = {each: self.roles[self.plays[each]].rank for each in members}
            for each in self.view.stacks[station]:
                least = min(ranks.values(), default=-1)
                if ranks.pop(each, NEVER) > least or self.context.todo(self.view, each, self.roles[self.plays[each]]):
                    break
                self.stays.add(each)
            if item in self.stays:
                self.taken.add(station)
                return station
        free = [station for station in self.context.stations if station not in self.taken | self.occupied]
        free = [station for station in free if self.context.fits(station, asked.station)]
        if not free:
            raise _Odd
        station = min(free, key=lambda station: len(self.view.stacks.get(station, ())))
        self.taken.add(station)
        return station

    def aside(self, item: str) -> None:
        """Have an item put down where it is in nobody's way: what is in a hand at once, if there is nothing yet."""
        to, at = "table", self.hands.get(item, "")
        if at and not self.view.stacks.get(at) and at not in self.taken | self.occupied:
            to = to if self.context.kinds[at] in self.used else at
        self.away[item] = self.add(TransportTask(item, True, to, "put", before=self.uncovered(item)))

    def clear(self, kind: str) -> None:
        """Have what is in nobody's way elsewhere put down there, if it lies on all stations of a kind."""
        things = {errand.thing for errand in self.found}
        fixed = {self.view.places[name][0] for name in self.context.containers if name in {*self.view.places} - things}
        stations = [one for one in self.context.stations if self.context.kinds[one] == kind]
        left = {
            station: [item for item in self.view.stacks.get(station, ()) if item not in things]
            for station in stations
            if station not in fixed | self.taken
        }
        for item in reversed(min(left.values(), key=len, default=[])):
            self.aside(item)

    def uncovered(self, item: str) -> tuple[int, ...]:
        """Return the errand that takes what lies on an item."""
        if item not in self.view.places:
            return ()
        station, height = self.view.places[item]
        stack = self.view.stacks[station]
        return (self.away[stack[height + 1]],) if height + 1 < len(stack) else ()

    def item(self, item: str, pots: dict[int, tuple[str, int]]) -> None:
        """List what is done to an item that plays a role, one errand after the other."""
        role = self.roles[self.plays[item]]
        before = (self.away[item],) if item in self.away else self.uncovered(item)
        # Only what lies on the station itself can be prepared there.
        station, height = self.view.places.get(item, ("", 0))
        station = "" if item in self.away or height else station
        for process in self.context.todo(self.view, item, role):
            there = bool(station) and self.context.kinds[station] == process.station
            acts = self.context.effort(self.view, item, process, station if there else None)[0]
            last = "" if there else "put"
            new = TransportTask(item, not there, process.station, last, process.predicate, acts, process.ticks, before)
            before, station = (self.add(new),), ""
            self.away.setdefault(item, before[0])
        if role.meal >= 0:
            pot, filled = pots[role.meal]
            final = self.add(TransportTask(item, True, pot, "add", before=(*before, filled)))
        elif role.dish >= 0:
            final = self.add(TransportTask(item, True, self.tables[role.dish], "put", before=before))
        else:
            return
        self.away.setdefault(item, final)

    def pots(self) -> dict[int, tuple[str, int]]:
        """Return by meal its pot, and the errand after which something can be put into it."""
        meals = self.context.roles.meals
        there = [pot for pot in self.context.pots if pot in self.view.places]
        there.sort(key=lambda pot: (self.kind_at(pot) != self.context.fill.station, pot))
        if len(there) < len(meals):
            raise _Odd
        found = {}
        for meal, pot in zip(range(len(meals)), there, strict=False):
            at_once = self.kind_at(pot) == self.context.fill.station
            last = self.process(pot, self.context.fill, not at_once, ())
            if meals[meal].boiled:
                last = self.process(pot, self.context.boil, True, (last,))
            found[meal] = (pot, last)
        return found

    def kind_at(self, thing: str) -> str:
        return self.context.kinds[self.view.places[thing][0]]

    def process(self, pot: str, process: Process, carried: bool, before: tuple[int, ...]) -> int:
        last, acts, ticks = "put" if carried else "", process.acts, process.ticks
        return self.add(TransportTask(pot, carried, process.station, last, process.predicate, acts, ticks, before))

    def meals(self, pots: dict[int, tuple[str, int]]) -> None:
        """List the pouring of soups into bowls, or the carrying of pots to where they must stand."""
        for place, vessel in enumerate(self.context.roles.vessels):
            name = self.group.vessels[place]
            inside = [meal for meal, asked in enumerate(self.context.roles.meals) if asked.vessel == place]
            station = self.view.places.get(name, ("", 0))[0]
            stands = not vessel.station or self.context.fits(station, vessel.station)
            if len(inside) > 1 or not station or (inside and vessel.kind == "pot"):
                raise _Odd
            carried = () if stands else (self.add(TransportTask(name, True, vessel.station, "put")),)
            if inside:
                pot, filled = pots[inside[0]]
                added = [n for n, errand in enumerate(self.found) if errand.last == "add" and errand.to == pot]
                self.add(TransportTask(pot, True, name, "pour", before=(filled, *added), floor=carried))

    def piled(self) -> list[TransportTask]:
        """Return the errands, told what has to lie below."""
        ends: dict[str, list[tuple[int, int]]] = {}
        for n, errand in enumerate(self.found):
            if errand.last == "put" and errand.to in self.taken and errand.thing in self.plays:
                ends.setdefault(errand.to, []).append((self.roles[self.plays[errand.thing]].rank, n))
        found = []
        for n, errand in enumerate(self.found):
            own = next((rank for rank, m in ends.get(errand.to, ()) if m == n), None)
            if own is None:
                found.append(errand)
                continue
            lower = [m for rank, m in ends[errand.to] if rank < own]
            start = self.view.places
            away = [m for thing, m in self.away.items() if thing in start and start[thing][0] == errand.to and m != n]
            found.append(replace(errand, floor=tuple(sorted({*lower, *away}))))
        return found
