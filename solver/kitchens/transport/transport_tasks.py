"""Transport tasks of a kitchen: the work that follows once objects are assigned to roles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from math import perm

from planoracle.solver.kitchens.goals import Group, Process
from planoracle.solver.kitchens.state_view import UNREACHABLE, Context, StateView

# Largest number of assignments of items of a kind to roles.
_MOST_WAYS = 720
# Properties of an item, one of which a process requires; in some kitchens only some items of a kind have them.
_ABLE = {"iscut": ("iscuttable",), "iscooked": ("iscookable",), "isfried": ("isfryable", "isfryableifcut")}
_UNABLE = 100


@dataclass(frozen=True, slots=True)
class TransportTask:
    """One cook carries a thing to a place and processes it there, without other actions in between.

    Attributes
    ----------
    thing
        The item or container.
    carried
        True if it is carried; otherwise it is in place and only processed.
    to
        Name or kind of the station it is carried to, or name of the container it is put or poured into.
    last
        End of the carrying: ``put``, ``add`` or ``pour``; ``""`` if it is not carried.
    makes, actions, ticks
        Resulting fact (see `Process`), number of actions, ticks after the last action (0: at once).
    before
        Positions of the tasks that must be complete, with their effects, before it begins.
    before_put
        Positions of the tasks that must be complete before its carrying ends: lower items of a pile, obstacles.
    saved
        Turns saved because its thing is in a hand at the start, and possibly its cook at the destination.
    """

    thing: str
    carried: bool
    to: str
    last: str
    makes: str = ""
    actions: int = 0
    ticks: int = 0
    before: tuple[int, ...] = ()
    before_put: tuple[int, ...] = ()
    saved: int = 0

    @property
    def length(self) -> int:
        """Number of turns without the first walk."""
        return 3 * self.carried + self.actions - self.saved


class _OpenChoiceError(Exception):
    """The kitchen needs choices that the listing does not make; used within this module only."""


def transport_tasks(
    context: Context, view: StateView, group: Group, *, clearing: bool = False
) -> list[TransportTask] | None:
    """Return the tasks from the start of a kitchen with the choices of a group.

    With ``clearing`` things in hands, or on stations that others need, are put aside first, to avoid deadlocks.

    ``None`` if more choices are necessary: a cook has no station or holds a container, an effect is running, a pot is
    needed twice, or there is no station for a dish. The tasks normally suffice for the goal, and may be more than
    necessary; the rules decide when they are executed.
    """
    if view.ticks or view.inside or view.added or len(view.at) < context.cooks:
        return None
    if not set(view.hands.values()).isdisjoint(context.containers):
        return None
    try:
        return _Listing(context, view, group, clearing).all()
    except _OpenChoiceError:
        return None


class _Listing:
    """Listing of the tasks of one kitchen."""

    def __init__(self, context: Context, view: StateView, group: Group, clearing: bool = False) -> None:
        self.context = context
        self.view = view
        self.group = group
        self.clearing = clearing
        self.roles = context.roles.roles
        self.tasks: list[TransportTask] = []
        self.hands = {thing: view.at[cook] for cook, thing in view.hands.items()}
        self.plays = self.assign_roles()
        self.stays: set[str] = set()  # items in their final place
        self.dish_stations: set[str] = set()  # stations for dishes
        self.used: set[str] = set()  # kinds of stations of processes
        for role in self.roles:
            self.used.update(process.station for process in role.needs)
        if context.roles.meals:
            self.used |= {context.fill.station, context.boil.station}
        self.occupied = {view.places[name][0] for name in context.containers if name in view.places}
        self.tables = [self.table(dish) for dish in range(len(context.roles.dishes))]
        self.removal: dict[str, int] = {}  # by thing, the task that takes it from its place at the start

    def all(self) -> list[TransportTask]:
        pots = self.pots()
        for item in list(self.hands):
            self.list_held(item, pots)
        for station, stack in self.view.stacks.items():
            self.pile(station, stack, pots)
        self.meals(pots)
        for kind in dict.fromkeys(task.to for task in self.tasks if task.carried and task.actions):
            self.clear(kind)
        return self.order_piles()

    def pile(self, station: str, stack: list[str], pots: dict[int, tuple[str, int]]) -> None:
        """List the tasks of the items of a pile, the topmost first, down to the last that has to move."""
        heights = [height for height, item in enumerate(stack) if self.moves(item)]
        if station in self.dish_stations:
            heights.append(sum(item in self.stays for item in stack))
        lowest = min(heights, default=len(stack))
        for height in reversed(range(lowest, len(stack))):
            item = stack[height]
            if item in self.stays:
                continue
            if not self.moves(item) or self.is_early(station, stack, height) or self.waits(station, item):
                self.put_aside(item)
            if item in self.plays:
                self.item(item, pots)

    def moves(self, item: str) -> bool:
        """Return whether the role of an item requires any action on it."""
        if item not in self.plays or item in self.stays:
            return False
        role = self.roles[self.plays[item]]
        return role.dish >= 0 or role.meal >= 0 or bool(self.context.todo(self.view, item, role))

    def is_early(self, station: str, stack: list[str], height: int) -> bool:
        """Return whether an item must be put down temporarily: its place is free only after lower items moved."""
        item = stack[height]
        role = self.roles[self.plays[item]]
        if role.dish < 0 or self.context.todo(self.view, item, role):
            return False
        lower_items = self.lower_items(item)
        if not lower_items:
            return False
        is_needed = station in self.dish_stations or self.context.kinds[station] in self.used
        return is_needed or not set(lower_items).isdisjoint(stack[:height])

    def waits(self, station: str, item: str) -> bool:
        """Return whether an item is put aside because it lies on a station that others need."""
        kind = self.context.kinds[station]
        todo = self.context.todo(self.view, item, self.roles[self.plays[item]])
        is_processed_there = bool(todo) and todo[0].station == kind
        return self.clearing and kind in self.used and not is_processed_there

    def lower_items(self, item: str) -> list[str]:
        """Return the items that must come under an item of a dish."""
        role = self.roles[self.plays[item]]
        lower_items = []
        for name, place in self.plays.items():
            rival = self.roles[place]
            if name not in self.stays and rival.dish == role.dish and rival.rank < role.rank:
                lower_items.append(name)
        return lower_items

    def list_held(self, item: str, pots: dict[int, tuple[str, int]]) -> None:
        """List the tasks of an item in a hand, which has to be put down first."""
        role = self.roles[self.plays[item]] if self.moves(item) else None
        todo = () if role is None else self.context.todo(self.view, item, role)
        if role is None or self.clearing or (not todo and (role.dish < 0 or self.lower_items(item))):
            self.put_aside(item)
        if role is not None:
            self.item(item, pots)

    def add(self, task: TransportTask) -> int:
        """Add a task; the first task of a thing in a hand begins there."""
        at = self.hands.pop(task.thing, None)
        self.tasks.append(task if at is None else replace(task, saved=1 + (task.to == at)))
        return len(self.tasks) - 1

    def assign_roles(self) -> dict[str, int]:
        """Return the role of every item that plays one."""
        assignment: dict[str, int] = {}
        for dish, name in zip(self.context.roles.dishes, self.group.bottoms, strict=True):
            if name and name not in self.view.places and name not in self.hands:
                raise _OpenChoiceError
            if name:
                assignment[name] = dish.bottom
        for kind, places in self.context.roles.kinds.items():
            open_places = [place for place in places if place not in assignment.values()]
            items = [item for item in self.context.roles.items[kind] if item not in assignment]
            assignment |= self.best_way(items, open_places)
        return assignment

    def best_way(self, items: list[str], places: list[int]) -> dict[str, int]:
        """Return the assignment of items of one kind to roles that takes the least work."""
        if perm(len(items), len(places)) > _MOST_WAYS:
            raise _OpenChoiceError
        ways: list[dict[str, int]] = []
        for chosen in permutations(items, len(places)):
            way = dict(zip(chosen, places, strict=True))
            if all(self.roles[place].name in ("", item) for item, place in way.items()):
                ways.append(way)
        if not ways:
            raise _OpenChoiceError
        return min(ways, key=self.effort)

    def effort(self, way: dict[str, int]) -> int:
        return sum(self.cost(item, place) for item, place in way.items())

    def cost(self, item: str, place: int) -> int:
        """Return an estimate of the work on an item in a role."""
        role = self.roles[place]
        at = self.view.places.get(item)
        if at is None and item not in self.hands:
            raise _OpenChoiceError
        above = 0 if at is None else len(self.view.stacks[at[0]]) - 1 - at[1]
        cost = 4 * above
        for process in self.context.todo(self.view, item, role):
            cost += 4 + process.acts
            if not self.is_suitable(item, process):
                cost += _UNABLE
        return cost

    def is_suitable(self, item: str, process: Process) -> bool:
        """Return whether a process can be applied to an item."""
        bits = self.context.bits
        return any(self.view.facts & bits.existing_mask((trait, item)) for trait in _ABLE.get(process.predicate, ()))

    def table(self, dish: int) -> str:
        """Return the station of a dish; items that lie there correctly stay."""
        goal_dish = self.context.roles.dishes[dish]
        members = [item for item, place in self.plays.items() if self.roles[place].dish == dish]
        for item in members:
            station, height = self.view.places.get(item, ("", 1))
            may_be_lowest = self.roles[self.plays[item]].bottom or goal_dish.bottom < 0
            if height or not self.context.fits(station, goal_dish.station) or not may_be_lowest:
                continue
            self.keep_pile(station, members)
            if item in self.stays:
                self.dish_stations.add(station)
                return station
        unavailable = self.dish_stations | self.occupied
        free = [station for station in self.context.stations if station not in unavailable]
        free = [station for station in free if self.context.fits(station, goal_dish.station)]
        if not free:
            raise _OpenChoiceError
        station = min(free, key=self.pile_height)
        self.dish_stations.add(station)
        return station

    def keep_pile(self, station: str, members: list[str]) -> None:
        """Let the items of a dish stay that lie on a station in the right order and are ready."""
        ranks = {item: self.roles[self.plays[item]].rank for item in members}
        for item in self.view.stacks[station]:
            lowest_rank = min(ranks.values(), default=-1)
            if ranks.pop(item, UNREACHABLE) > lowest_rank:
                return
            if self.context.todo(self.view, item, self.roles[self.plays[item]]):
                return
            self.stays.add(item)

    def pile_height(self, station: str) -> int:
        return len(self.view.stacks.get(station, ()))

    def put_aside(self, item: str) -> None:
        """Add a task that puts an item where it blocks no other task.

        A held item is put down at once if its station is empty.
        """
        to, at = "table", self.hands.get(item, "")
        is_free = bool(at) and not self.view.stacks.get(at) and at not in self.dish_stations | self.occupied
        if is_free and self.context.kinds[at] not in self.used:
            to = at
        self.removal[item] = self.add(TransportTask(item, True, to, "put", before=self.covering_task(item)))

    def clear(self, kind: str) -> None:
        """Put unneeded items aside if they lie on all stations of a kind."""
        things = {task.thing for task in self.tasks}
        places = self.view.places
        fixed = [name for name in self.context.containers if name in places and name not in things]
        unavailable = self.dish_stations | {places[name][0] for name in fixed}
        remaining = []  # by station of the kind, the items that no task moves
        for station in self.context.stations:
            if self.context.kinds[station] == kind and station not in unavailable:
                stack = self.view.stacks.get(station, ())
                remaining.append([item for item in stack if item not in things])
        for item in reversed(min(remaining, key=len, default=[])):
            self.put_aside(item)

    def covering_task(self, item: str) -> tuple[int, ...]:
        """Return the task that removes the item on top of an item."""
        if item not in self.view.places:
            return ()
        station, height = self.view.places[item]
        stack = self.view.stacks[station]
        return (self.removal[stack[height + 1]],) if height + 1 < len(stack) else ()

    def item(self, item: str, pots: dict[int, tuple[str, int]]) -> None:
        """List the tasks of an item that plays a role, one after the other."""
        role = self.roles[self.plays[item]]
        before = (self.removal[item],) if item in self.removal else self.covering_task(item)
        # Only what lies on the station itself can be prepared there.
        station, height = self.view.places.get(item, ("", 0))
        station = "" if item in self.removal or height else station
        for process in self.context.todo(self.view, item, role):
            in_place = bool(station) and self.context.kinds[station] == process.station
            acts = self.context.effort(self.view, item, process, station if in_place else None)[0]
            task = TransportTask(
                item,
                not in_place,
                process.station,
                last="" if in_place else "put",
                makes=process.predicate,
                actions=acts,
                ticks=process.ticks,
                before=before,
            )
            before, station = (self.add(task),), ""
            self.removal.setdefault(item, before[0])
        if role.meal >= 0:
            pot, filled = pots[role.meal]
            final = self.add(TransportTask(item, True, pot, "add", before=(*before, filled)))
        elif role.dish >= 0:
            final = self.add(TransportTask(item, True, self.tables[role.dish], "put", before=before))
        else:
            return
        self.removal.setdefault(item, final)

    def pots(self) -> dict[int, tuple[str, int]]:
        """Return by meal its pot, and the task after which the pot can be filled."""
        meals = self.context.roles.meals
        pots = sorted(pot for pot in self.context.pots if pot in self.view.places)
        pots.sort(key=self.must_move_to_fill)
        if len(pots) < len(meals):
            raise _OpenChoiceError
        pot_of_meal = {}
        for meal, pot in zip(range(len(meals)), pots, strict=False):
            last = self.process(pot, self.context.fill, self.must_move_to_fill(pot), ())
            if meals[meal].boiled:
                last = self.process(pot, self.context.boil, True, (last,))
            pot_of_meal[meal] = (pot, last)
        return pot_of_meal

    def must_move_to_fill(self, pot: str) -> bool:
        """Return whether a pot stands where it cannot be filled."""
        station = self.view.places[pot][0]
        return self.context.kinds[station] != self.context.fill.station

    def process(self, pot: str, process: Process, carried: bool, before: tuple[int, ...]) -> int:
        """Add the task of a process of a pot; return its position."""
        task = TransportTask(
            pot,
            carried,
            process.station,
            last="put" if carried else "",
            makes=process.predicate,
            actions=process.acts,
            ticks=process.ticks,
            before=before,
        )
        return self.add(task)

    def meals(self, pots: dict[int, tuple[str, int]]) -> None:
        """List the pouring of soups into bowls, or the carrying of pots to where they must stand."""
        for place, vessel in enumerate(self.context.roles.vessels):
            name = self.group.vessels[place]
            inside = [meal for meal, meal_role in enumerate(self.context.roles.meals) if meal_role.vessel == place]
            station = self.view.places.get(name, ("", 0))[0]
            stands = not vessel.station or self.context.fits(station, vessel.station)
            if len(inside) > 1 or not station or (inside and vessel.kind == "pot"):
                raise _OpenChoiceError
            carried = () if stands else (self.add(TransportTask(name, True, vessel.station, "put")),)
            if inside:
                pot, filled = pots[inside[0]]
                added = [n for n, task in enumerate(self.tasks) if task.last == "add" and task.to == pot]
                self.add(TransportTask(pot, True, name, "pour", before=(filled, *added), before_put=carried))

    def order_piles(self) -> list[TransportTask]:
        """Return the tasks with their predecessors in piles."""
        ends: dict[str, list[tuple[int, int]]] = {}
        for n, task in enumerate(self.tasks):
            if task.last == "put" and task.to in self.dish_stations and task.thing in self.plays:
                ends.setdefault(task.to, []).append((self.roles[self.plays[task.thing]].rank, n))
        tasks = []
        for n, task in enumerate(self.tasks):
            rank = next((rank for rank, m in ends.get(task.to, ()) if m == n), None)
            if rank is None:
                tasks.append(task)
                continue
            before_put = {m for lower_rank, m in ends[task.to] if lower_rank < rank}
            for thing, removal in self.removal.items():
                if self.view.places.get(thing, ("",))[0] == task.to:
                    before_put.add(removal)
            before_put.discard(n)
            tasks.append(replace(task, before_put=tuple(sorted(before_put))))
        return tasks
