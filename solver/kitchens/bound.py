"""How many steps are left at least: objects are assigned to the roles of the goal, with their errands as costs.

Every object that has to get somewhere needs steps that are its own: a walk to it, picking it up, carrying it, putting
it down, preparing it. ``README.md`` beside this module says why none of them is counted twice.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import Any, NamedTuple

from planoracle.instances.robotouille.kitchen import split_name
from planoracle.solver.kitchens.goals import Group, Process, Role, Roles, pot_processes
from planoracle.solver.kitchens.scenery import Scenery, View

__all__ = ["NEVER", "Bound"]

#: More steps than any plan takes: the goal cannot be reached this way any more.
NEVER = 10**6

# Stacks of a group after which the memory of their costs is emptied.
_MEMORY = 100_000


class _Scene:
    """What one evaluation works on: a state, the choices of a group, and what follows from both."""

    __slots__ = ("direct", "group", "here", "leaving", "options", "tables", "view")

    def __init__(self, view: View, group: Group, options: dict[str, tuple[int, ...]], tables: list[str]) -> None:
        self.view = view
        self.group = group
        self.here = frozenset(view.at.values())
        self.options = options
        self.tables = tables  # where every dish is being put together, "": nowhere yet
        self.leaving: set[str] = set()  # stations that some item has to leave, whatever its role
        self.direct: dict[tuple[str, int], str] = {}  # where an item comes from that is carried straight to its dish


class _Stack(NamedTuple):
    """What is known of a stack: the costs of its items by role, whether some have to leave, what leaves straight."""

    rows: tuple[tuple[int, ...], ...]
    leaving: bool
    direct: dict[tuple[str, int], str]


class Bound:
    """Least numbers of steps for the states of one kitchen."""

    def __init__(self, scenery: Scenery, roles: Roles) -> None:
        kitchen = scenery.compiled.kitchen
        self._bits = scenery.compiled.bits
        self._roles = roles
        self._fill, self._boil = pot_processes(kitchen.domain)
        self._kinds = {name: split_name(name)[0] for name, _ in kitchen.objects}
        self._items = [name for name, kind in kitchen.objects if kind == "item"]
        self._count = {kind: list(self._kinds.values()).count(kind) for kind in roles.kinds}
        self._pots = [name for name, kind in kitchen.objects if kind == "container" and self._kinds[name] == "pot"]
        self._stations = [name for name, kind in kitchen.objects if kind == "station"]
        self._containers = [name for name, kind in kitchen.objects if kind == "container"]
        self._alone = len(kitchen.players) == 1
        self._bottlenecks, self._wanted = self._shared()
        self._number = {kind: list(self._kinds.values()).count(kind) for kind in self._bottlenecks}
        self._options: dict[Group, dict[str, tuple[int, ...]]] = {}
        self._known: dict[Group, dict[Any, _Stack]] = {}
        self._needs = self._bits.union(
            (process.predicate, item)
            for item in self._items
            for process in {process for role in roles.roles for process in role.needs}
        )
        self._least: dict[tuple[int, tuple[tuple[int, ...], ...]], tuple[int, tuple[int, ...]]] = {}

    def _shared(self) -> tuple[dict[str, list[tuple[Process, list[Any]]]], dict[tuple[str, str], int]]:
        """Return by kind of station what takes time there and for which kinds or meals, and how often by kind."""
        found: dict[str, list[tuple[Process, list[Any]]]] = {}
        wanted: dict[tuple[str, str], int] = {}
        known: dict[str, Process] = {}
        if any(role.loose and process.ticks for role in self._roles.roles for process in role.needs):
            return {}, {}
        for role in self._roles.roles:
            for process in role.needs:
                if process.ticks:
                    known[process.predicate] = process
                    wanted[role.kind, process.predicate] = wanted.get((role.kind, process.predicate), 0) + 1
        for predicate, process in known.items():
            kinds = [kind for kind, each in wanted if each == predicate]
            found.setdefault(process.station, []).append((process, kinds))
        meals = [place for place, meal in enumerate(self._roles.meals) if meal.boiled and meal.vessel >= 0]
        if meals:
            found.setdefault(self._boil.station, []).append((self._boil, meals))
        return found, wanted

    def remaining(self, view: View, group: Group) -> int:
        """Return how many steps, all players' together, are left at least with the choices of a group."""
        options = self._options.get(group) or self._choices(group)
        tables = [self._table(view, group.bottoms[i], dish.bottom) for i, dish in enumerate(self._roles.dishes)]
        scene = _Scene(view, group, options, tables)
        rows: dict[str, tuple[int, ...]] = {}
        known = self._known.setdefault(group, {})
        ready = view.facts & self._needs
        where = tuple(tables)
        for station, stack in view.stacks.items():
            ticks = tuple(entry for entry in view.ticks.items() if entry[0][0] in stack) if view.ticks else ()
            key = (station, station in scene.here, tuple(stack), where, ready, ticks)
            found = known.get(key)
            if found is None:
                if len(known) > _MEMORY:
                    known.clear()
                found = known[key] = self._lying(scene, station, stack)
            rows.update(zip(stack, found.rows, strict=True))
            scene.direct.update(found.direct)
            if found.leaving:
                scene.leaving.add(station)
        for item in view.hands.values():
            if item in options:
                rows[item] = tuple(self._held(scene, item, role) for role in options[item])
        for item, meal in view.added:
            rows[item] = tuple(self._gone(scene, item, meal, role) for role in options[item])
        total = self._assigned(scene, rows)
        if total >= NEVER:
            return NEVER
        for place, soup in enumerate(self._roles.meals):
            if soup.vessel >= 0 and self._roles.vessels[soup.vessel].kind != "pot":
                total += self._soup(scene, place)
        for place, vessel in enumerate(self._roles.vessels):
            if vessel.station and (vessel.kind != "pot" or not self._roles.meals):  # a pot of soup is there already
                total += self._standing(scene, group.vessels[place], vessel.station)
        return max(1, total, self._occupied(scene, total) if self._alone else 0)

    # Time that passes whatever else is done meanwhile.

    def _occupied(self, scene: _Scene, total: int) -> int:
        """Return the least time for what has to pass through the only station of a kind, one after the other.

        From carrying something to the station until it has been put to its place nothing else that needs the station
        can be carried, so these times do not overlap.
        """
        least = 0
        for station, predicates in self._bottlenecks.items():
            spans: list[int] = []
            for process, kinds in predicates:
                if process is self._boil:
                    spans += [self._span_of_meal(scene, place) for place in kinds]
                    continue
                for kind in kinds:
                    own = sorted(self._span(scene, item, process) for item in self._roles.items[kind])
                    spans += own[: self._wanted[kind, process.predicate]]
            single = self._number[station] == 1
            least = max(least, sum(spans) if single else max(spans, default=0))
        return least

    def _span(self, scene: _Scene, item: str, process: Process) -> int:
        """Return the time from carrying an item to where it is prepared until it is in its place."""
        view = scene.view
        if view.facts & self._bits.mask((process.predicate, item)):
            return 0
        place = view.places.get(item)
        if place is None:
            held = item in view.hands.values()
            near = held and any(self._kinds[station] == process.station for station in scene.here)
            return (1 if near or not held else 2) + process.acts + process.ticks + 2
        at = place[0]
        here = at in scene.here
        if self._kinds[at] == process.station and not place[1]:
            running = view.ticks.get((item, process.predicate, at))
            if running is not None:
                return max(running, 0 if here else 1) + 3
            return (0 if here else 1) + process.acts + process.ticks + 2
        return (0 if here else 1) + 3 + process.acts + process.ticks + 2

    def _span_of_meal(self, scene: _Scene, place: int) -> int:
        view, process = scene.view, self._boil
        meal = scene.group.meals[place]
        if view.facts & self._bits.mask((process.predicate, meal)):
            return 0
        pot = view.inside.get(meal)
        at = view.places.get(pot, ("", 0))[0] if pot is not None else ""
        if at and self._kinds[at] == process.station:
            running = view.ticks.get((meal, process.predicate, at))
            return (running if running is not None else process.acts + process.ticks - 1) + 3
        return 1 + process.acts + process.ticks + 2

    def _choices(self, group: Group) -> dict[str, tuple[int, ...]]:
        """Return for every item the roles it may play; -1: none."""
        fixed = {name: self._roles.dishes[i].bottom for i, name in enumerate(group.bottoms) if name}
        found: dict[str, tuple[int, ...]] = {}
        for item in self._items:
            if item in fixed:
                found[item] = (fixed[item],)
                continue
            open_roles = (i for i in self._roles.kinds.get(self._kinds[item], ()) if i not in fixed.values())
            found[item] = (*open_roles, -1)
        self._options[group] = found
        return found

    def _table(self, view: View, bottom: str, role: int) -> str:
        place = view.places.get(bottom)
        if role < 0 or place is None or place[1]:
            return ""
        asked = self._roles.roles[role]
        right = self._fits(place[0], self._roles.dishes[asked.dish].station)
        return place[0] if right and (asked.loose or not self._todo(view, bottom, asked)) else ""

    def _fits(self, station: str, asked: str) -> bool:
        return asked in (station, self._kinds[station])

    def _todo(self, view: View, item: str, role: Role) -> tuple[Process, ...]:
        if not role.needs:
            return ()
        return tuple(each for each in role.needs if not view.facts & self._bits.mask((each.predicate, item)))

    # What an item costs in a role.

    def _lying(self, scene: _Scene, station: str, stack: list[str]) -> _Stack:
        """Work out the costs of a stack's items, from the bottom: what lies on something that leaves has to leave."""
        rows = []
        direct: dict[tuple[str, int], str] = {}
        view, roles = scene.view, self._roles.roles
        walk = 0 if station in scene.here else 1
        last = len(stack) - 1
        surely = capped = False
        before: dict[int, int] = {}  # by dish, the least rank of what lies below and has to get there first
        for height, item in enumerate(stack):
            row = []
            goes_anyway = True
            for place in scene.options[item]:
                role = roles[place] if place >= 0 else None
                goes = surely or capped or self._goes(scene, station, stack, height, role)
                goes_anyway = goes_anyway and (goes or (place < 0 and self._needed(item, scene.options[item])))
                if not goes:
                    row.append(self._staying(view, item, station, role))
                    continue
                cost = (walk if height == last else 1) + self._errand(scene, item, station, height, place, role, direct)
                if role is not None and role.rank > before.get(role.dish, NEVER) and not self._todo(view, item, role):
                    cost += 4 if scene.tables[role.dish] != station and self._alone else 0  # it is put down in between
                row.append(cost)
            rows.append(tuple(row))
            surely = surely or goes_anyway
            options = scene.options[item]
            if goes_anyway and options[0] >= 0 and self._needed(item, options):
                asked = [roles[place] for place in options if place >= 0]
                dish = asked[0].dish
                if dish >= 0 and all(role.dish == dish for role in asked):
                    before[dish] = min(before.get(dish, NEVER), max(role.rank for role in asked))
            capped = all(place >= 0 and roles[place].top for place in options)
        return _Stack(tuple(rows), surely, direct)

    def _needed(self, item: str, options: tuple[int, ...]) -> bool:
        """Whether an item must play one of the roles, there being no more of its kind than roles."""
        kind = self._kinds[item]
        return options[0] >= 0 and (len(options) == 1 or self._count[kind] == len(self._roles.kinds[kind]))

    def _goes(self, scene: _Scene, station: str, stack: list[str], height: int, role: Role | None) -> bool:
        """Whether an item cannot stay where it is, in a role."""
        if role is None:
            return not height and any(
                dish.station == station and dish.bottom >= 0 and stack[0] != scene.group.bottoms[i]
                for i, dish in enumerate(self._roles.dishes)
            )
        item = stack[height]
        if role.name and role.name != item:
            return False
        if role.meal >= 0:
            return True
        if role.dish >= 0:
            dish = self._roles.dishes[role.dish]
            if dish.bottom >= 0:
                if scene.tables[role.dish] != station:
                    return True
            elif not self._fits(station, dish.station):
                return True
            if role.top and not self._complete(dish.crew, role, stack[:height]):
                return True
        if role.under and (not height or self._kinds[stack[height - 1]] != role.under):
            return True
        return any(height or each.station != self._kinds[station] for each in self._todo(scene.view, item, role))

    def _complete(self, crew: dict[str, int], role: Role, below: list[str]) -> bool:
        """Whether so many items of every kind lie below as the rest of a crew has."""
        kinds = [self._kinds[item] for item in below]
        return all(kinds.count(kind) >= count - (kind == role.kind) for kind, count in crew.items())

    def _staying(self, view: View, item: str, station: str, role: Role | None) -> int:
        if role is None:
            return 0
        if role.name and role.name != item:
            return NEVER
        return sum(self._effort(view, item, each, station)[0] for each in self._todo(view, item, role))

    def _errand(
        self,
        scene: _Scene,
        item: str,
        station: str,
        height: int,
        place: int,
        role: Role | None,
        direct: dict[tuple[str, int], str],
    ) -> int:
        """Return the steps of an item that lies somewhere and has to leave, without the walk to it."""
        total = 1  # picking it up
        if role is None:
            return total + 2
        if role.name and role.name != item:
            return NEVER
        todo = self._todo(scene.view, item, role)
        now = next((each for each in todo if not height and each.station == self._kinds[station]), None)
        if now is not None:
            acts, pause = self._effort(scene.view, item, now, station)
            # Whoever stays for it need not walk to it; whoever walks to it need not wait.
            total += acts + (pause if acts or station in scene.here else 0)
            todo = tuple(each for each in todo if each is not now)
        if role.loose:
            return total + 2 + self._loosely(scene.view, item, todo)
        total += self._prepared(scene.view, item, todo)
        if role.meal >= 0:  # into a meal; others might bring the pot
            return total + (2 if self._alone or todo else 1)
        if role.dish >= 0 and not todo and self._roles.dishes[role.dish].bottom >= 0:
            if scene.tables[role.dish] == station:
                back = self._roles.dishes[role.dish].last == place  # only one is charged for coming back: README.md
                return total + (6 if back else 2)  # 6: put down, walked to, picked up, carried, put down
            direct[item, place] = station
        return total + 2

    def _loosely(self, view: View, item: str, todo: tuple[Process, ...]) -> int:
        """Return the steps of preparing an item, once it is put somewhere, that may stay where it is prepared last."""
        return sum(self._effort(view, item, each, None)[0] for each in todo) + 3 * max(0, len(todo) - 1)

    def _prepared(self, view: View, item: str, todo: tuple[Process, ...]) -> int:
        """Return the steps of carrying an item to where it is prepared, preparing it and picking it up."""
        total = 0
        for each in todo:
            acts, pause = self._effort(view, item, each, None)
            total += 3 + acts + pause
        return total

    def _effort(self, view: View, name: str, process: Process, at: str | None) -> tuple[int, int]:
        """Return the actions that a process still takes, and 1 if one has to wait for it or come back.

        ``at`` is the station where it is going on or may be begun; ``None`` if the object has yet to be put to one.
        """
        if not process.ticks:
            return view.ticks.get((name, process.predicate, ""), process.acts), 0
        running = [
            ticks
            for (other, predicate, station), ticks in view.ticks.items()
            if other == name and predicate == process.predicate and (at is None or station == at)
        ]
        if not running:
            return process.acts, int(process.ticks > 1)
        return 0, int(min(running) > (0 if at is not None else 1))  # putting it down is a tick

    def _held(self, scene: _Scene, item: str, place: int) -> int:
        """Return the steps of an item in somebody's hand."""
        view, here = scene.view, scene.here
        aside = 1 + here.issubset(scene.leaving)  # put down, and not on what has to leave
        if place < 0:
            return aside if self._alone else 0  # it must be put down before anything else can be done
        role = self._roles.roles[place]
        if role.name and role.name != item:
            return NEVER
        todo = self._todo(view, item, role)
        if role.loose:
            return 1 + self._loosely(view, item, todo)
        if todo and self._taken(scene, *(each.station for each in todo)):
            return aside + 2 + self._prepared(view, item, todo) + 2  # it is put down first, walked to and picked up
        if todo:
            near = any(self._kinds[station] == each.station for each in todo for station in here)
            total = self._prepared(view, item, todo) - near
            return total + (2 if self._alone or role.meal < 0 else 1)
        if role.meal >= 0:
            meal = scene.group.meals[role.meal]
            pot = view.inside.get(meal)
            if not self._alone or pot in view.hands.values():
                return 1
            if pot is None:
                filled = [name for name, predicate, _ in view.ticks if predicate == self._fill.predicate]
                if not filled:  # it is put down, a pot is filled, it is walked to, picked up, carried, put in
                    return aside + 4
                return 1 if any(view.places.get(name, ("",))[0] in here for name in filled) else 2
            return 1 if view.places[pot][0] in here else 2
        if role.dish < 0:
            return 1
        dish = self._roles.dishes[role.dish]
        table = scene.tables[role.dish]
        if role.bottom and self._taken(scene, dish.station):
            return aside + 4
        if dish.bottom < 0 or role.bottom:
            return 1 if any(self._fits(station, dish.station) for station in here) else 2
        if self._alone and not self._ready(scene, table, dish.crew, role):
            return aside + 4  # it is put down, walked to, picked up, carried, put down
        return 1 if table in here or not table else 2

    def _taken(self, scene: _Scene, *asked: str) -> bool:
        """Whether something is on every station of some kinds, so that nothing can be put there by a full hand."""
        if not self._alone:
            return False
        view = scene.view
        standing = [view.places[name][0] for name in self._containers if name in view.places]
        return not any(
            station not in view.stacks and station not in standing
            for station in self._stations
            if any(self._fits(station, each) for each in asked)
        )

    def _ready(self, scene: _Scene, table: str, crew: dict[str, int], role: Role) -> bool:
        """Whether an item may be put to its place in a dish now."""
        if not table or table in scene.leaving:
            return False
        stack = scene.view.stacks.get(table, [])
        if role.under and (not stack or self._kinds[stack[-1]] != role.under):
            return False
        return not role.top or self._complete(crew, role, stack)

    def _gone(self, scene: _Scene, item: str, meal: str, place: int) -> int:
        """Return 0 if an item is where it must be, having been put into a meal; nothing comes out of one."""
        if place < 0:
            return 0
        role = self._roles.roles[place]
        right = role.meal >= 0 and scene.group.meals[role.meal] == meal and role.name in ("", item)
        return 0 if right and not self._todo(scene.view, item, role) else NEVER

    # Who plays which role.

    def _assigned(self, scene: _Scene, rows: dict[str, tuple[int, ...]]) -> int:
        """Return the least cost of an assignment of items to roles."""
        total = 0
        kinds: dict[str, list[str]] = {}
        for item, row in rows.items():
            if len(row) == 1:
                total += row[0]
            else:
                kinds.setdefault(self._kinds[item], []).append(item)
        chosen: dict[str, int] = {}
        least: dict[str, int] = {}
        for kind, items in kinds.items():
            cost, picks = self._match(tuple(rows[item] for item in items))
            least[kind] = cost
            total += cost
            for role, pick in enumerate(picks):
                chosen[items[pick]] = scene.options[items[pick]][role]
        for kind, listed in self._roles.kinds.items():
            if kind not in kinds and any(not role.bottom for role in map(self._roles.roles.__getitem__, listed)):
                return NEVER
        if not self._alone or not scene.direct or total >= NEVER:
            return total
        return total + self._detours(scene, rows, kinds, least, chosen)

    def _match(self, rows: tuple[tuple[int, ...], ...]) -> tuple[int, tuple[int, ...]]:
        """Return the least cost of giving every role (column but the last) another row, and the row of every role."""
        roles = len(rows[0]) - 1
        key = (roles, rows)
        found = self._least.get(key)
        if found is None:
            base = sum(row[-1] for row in rows)
            ways = (
                (base + sum(rows[row][role] - rows[row][-1] for role, row in enumerate(picks)), picks)
                for picks in permutations(range(len(rows)), roles)
            )
            found = min(ways, default=(NEVER, ()))
            if len(self._least) > 100_000:
                self._least.clear()
            self._least[key] = found
        return found

    def _detours(
        self,
        scene: _Scene,
        rows: dict[str, tuple[int, ...]],
        kinds: dict[str, list[str]],
        least: dict[str, int],
        chosen: dict[str, int],
    ) -> int:
        """Return the steps that are added because of items each of which waits for the place of the next."""
        if not (looped := _cycles(self._straight(scene, chosen))):
            return 0
        involved = sorted({self._kinds[item] for item in looped} & kinds.keys())
        ways = [list(permutations(kinds[kind], len(rows[kinds[kind][0]]) - 1)) for kind in involved]
        best = NEVER
        for way in product(*ways):
            cost = sum(rows[item][-1] for kind in involved for item in kinds[kind])
            cast = {item: scene.options[item][role] for row in way for role, item in enumerate(row)}
            cost += sum(rows[item][role] - rows[item][-1] for row in way for role, item in enumerate(row))
            if cost < best:
                cast |= {item: place for item, place in self._fixed(scene).items() if item in looped}
                best = min(best, cost + 4 * len(set(_cycles(self._straight(scene, cast)).values())))
        return best - sum(least[kind] for kind in involved)

    def _fixed(self, scene: _Scene) -> dict[str, int]:
        return {item: places[0] for item, places in scene.options.items() if len(places) == 1 and places[0] >= 0}

    def _straight(self, scene: _Scene, cast: dict[str, int]) -> dict[str, tuple[str, str]]:
        """Return station and goal of the items that are carried straight to the dish of their role."""
        found = {}
        for item, place in cast.items():
            station = scene.direct.get((item, place))
            goal = scene.tables[self._roles.roles[place].dish] if place >= 0 else ""
            if station is not None and goal:
                found[item] = (station, goal)
        return found

    # Meals and vessels.

    def _soup(self, scene: _Scene, place: int) -> int:
        """Return the steps of the pot from where it is until the meal is in its vessel."""
        view = scene.view
        meal, vessel = scene.group.meals[place], scene.group.vessels[self._roles.meals[place].vessel]
        pot = view.inside.get(meal)
        asked = sum(role.meal == place for role in self._roles.roles)
        adds = max(0, asked - sum(to == meal for _, to in view.added))
        todo = [] if pot else [self._fill]
        if self._roles.meals[place].boiled and not view.facts & self._bits.mask((self._boil.predicate, meal)):
            todo.append(self._boil)
        if pot is not None and pot not in self._pots:  # nothing is put into it, and it is set to boil, in pots only
            boils = not todo or any(name == meal and predicate == "isboiling" for name, predicate, _ in view.ticks)
            return 0 if pot == vessel and not adds and boils else NEVER
        pots = [pot] if pot else self._pots
        return min((self._cooked(scene, meal, each, vessel, todo, adds) for each in pots), default=NEVER)

    def _cooked(self, scene: _Scene, meal: str, pot: str, vessel: str, todo: list[Process], adds: int) -> int:
        view, here = scene.view, scene.here
        total = 0
        walks = 0  # to the pot; whoever comes to put something into it need not walk to it again
        held = pot not in view.places
        if not held:
            at = view.places[pot][0]
            exists = meal in view.inside
            if todo and todo[0].station == self._kinds[at]:
                acts, pause = self._effort(view, pot if todo[0] is self._fill else meal, todo[0], at)
                total += acts
                walks += pause if acts or at in here else 0
                exists = True
                todo = todo[1:]
            if at not in here:
                if exists:
                    walks += 1
                else:
                    total += 1
            total += 1
        near = False
        if held and todo and self._taken(scene, todo[0].station):
            total += 3  # it is put down first, walked to and picked up
            held = False
        for each in todo:
            near = held and any(self._kinds[station] == each.station for station in here)
            acts, pause = self._effort(view, pot if each is self._fill else meal, each, None)
            total += 3 + acts - near
            walks += pause
            held = False
        near = held and view.places.get(vessel, ("", 0))[0] in here
        carry = 0 if near or not self._alone else 1
        return total + carry + 1 + max(0, walks - adds)

    def _standing(self, scene: _Scene, vessel: str, station: str) -> int:
        place = scene.view.places.get(vessel)
        if place is None:
            return 1 if any(self._fits(each, station) for each in scene.here) else 2
        if self._fits(place[0], station):
            return 0
        return 3 + (place[0] not in scene.here)


def _cycles(straight: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Return the items in disjoint cycles, each with one item that stands for its cycle.

    An item that is carried straight to its place leaves after those that lie there and have to leave; in a cycle of
    such items one cannot.

    >>> _cycles({"a": ("table1", "table2"), "b": ("table2", "table1"), "c": ("table3", "table1")})
    {'a': 'a', 'b': 'a'}
    """
    there: dict[str, list[str]] = {}
    for item, (station, _) in straight.items():
        there.setdefault(station, []).append(item)
    found: dict[str, str] = {}
    done: set[str] = set()
    for start in straight:
        path: list[str] = []
        item = start
        while item and item not in done and item not in path:
            path.append(item)
            item = next((each for each in there.get(straight[item][1], ()) if each not in found), "")
        if item in path:
            found.update(dict.fromkeys(path[path.index(item) :], item))
        done.update(path)
    return found
