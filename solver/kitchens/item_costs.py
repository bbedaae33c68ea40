"""Own steps of items: the least number that an item takes in a role, from place to destination.

``README.md``, section "The bound", has the argument for every term; numbers in brackets refer to its claims.

"""

from __future__ import annotations

from typing import NamedTuple

from planoracle.solver.kitchens.goals import ItemRole, Process
from planoracle.solver.kitchens.state_view import UNREACHABLE, Context, GroupScene, StateView


class Stack(NamedTuple):
    """Own steps of the items of a pile by role; ``leaving``: some item has to leave whatever its role."""

    rows: tuple[tuple[int, ...], ...]
    leaving: bool


class ItemCosts:
    """Own steps of items: `lying` in a pile, `in_hand`, or `count_unplaced` (in a meal or nowhere)."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def lying(self, scene: GroupScene, station: str, stack: list[str]) -> Stack:
        """Return the own steps of a pile's items, from the bottom."""
        context = self._context
        roles = context.roles.roles
        rows = []
        surely = covered = False  # an item below has to leave; the item directly below has to be clear
        before: dict[int, int] = {}  # by dish, the least rank of an item below that has to get there first
        for height, item in enumerate(stack):
            options = scene.options[item]
            row = []
            leaves = True
            for place in options:
                role = roles[place] if place >= 0 else None
                if role is not None and role.name not in ("", item):
                    row.append(UNREACHABLE)
                    continue
                must = self._must_leave(scene, station, stack, height, role)
                goes = must or surely or covered
                leaves = leaves and (goes or (place < 0 and self._is_needed(item, options)))
                if not goes:
                    row.append(self._staying(scene, item, station, role))
                    continue
                walk = 0 if station in scene.attended and height == len(stack) - 1 else 1
                cost = walk + 1 + self._count_picked(scene, item, station, height, place, must or surely, walk)
                if role is not None and role.rank > before.get(role.dish, UNREACHABLE):
                    is_away = scene.tables[role.dish] != station
                    if is_away and not context.todo(scene.view, item, role):
                        cost += 4  # put aside, walked to, picked up, carried [12]
                row.append(cost)
            rows.append(tuple(row))
            surely = surely or leaves
            if leaves and context.alone:
                self._note_rank(item, options, before)
            covered = all(place >= 0 and roles[place].top for place in options)
        return Stack(tuple(rows), surely)

    def _note_rank(self, item: str, options: tuple[int, ...], before: dict[int, int]) -> None:
        """Store the highest rank that an item may have in a dish, if it must play a role there."""
        possible_roles = [self._context.roles.roles[place] for place in options if place >= 0]
        possible_roles = [role for role in possible_roles if role.name in ("", item)]
        dishes = {role.dish for role in possible_roles}
        if len(dishes) != 1 or not self._is_needed(item, options):
            return
        dish = dishes.pop()
        if dish >= 0:
            rank = max(role.rank for role in possible_roles)
            before[dish] = min(before.get(dish, UNREACHABLE), rank)

    def _is_needed(self, item: str, options: tuple[int, ...]) -> bool:
        """Return whether an item must play one of its roles, as every item of its kind is needed."""
        if options[0] < 0:
            return False
        kind = self._context.kinds[item]
        return len(options) == 1 or self._context.count[kind] == len(self._context.roles.kinds[kind])

    def _must_leave(
        self, scene: GroupScene, station: str, stack: list[str], height: int, role: ItemRole | None
    ) -> bool:
        """Return whether an item has to be picked up because of its own role [3]."""
        item, dishes = stack[height], self._context.roles.dishes
        if role is None:
            if height:
                return False
            for dish, bottom_item in zip(dishes, scene.group.bottoms, strict=True):
                if dish.station == station and dish.bottom >= 0 and item != bottom_item:
                    return True
            return False
        if role.meal >= 0:
            return True
        if role.dish >= 0:
            dish = dishes[role.dish]
            if dish.bottom >= 0:
                is_away = scene.tables[role.dish] != station
            else:
                is_away = not self._context.fits(station, dish.station)
            if is_away:
                return True
            if role.top and not self._is_complete(dish.crew, role, stack[:height]):
                return True
        if role.under and (not height or self._context.kinds[stack[height - 1]] != role.under):
            return True
        todo = self._context.todo(scene.view, item, role)
        return any(height or not self._context.suits(station, process) for process in todo)

    def _is_complete(self, crew: dict[str, int], role: ItemRole, below: list[str]) -> bool:
        """Return whether as many items of every kind lie below as the other roles of a dish require."""
        kinds = [self._context.kinds[item] for item in below]
        return all(kinds.count(kind) >= count - (kind == role.kind) for kind, count in crew.items())

    def _staying(self, scene: GroupScene, item: str, station: str, role: ItemRole | None) -> int:
        """Return the own steps of an item that may stay: actions on it, and a walk to it [5]."""
        if role is None:
            return 0
        todo = self._context.todo(scene.view, item, role)
        acts = sum(self._context.effort(scene.view, item, process, station)[0] for process in todo)
        return acts + (acts > 0 and station not in scene.attended)

    def _count_picked(
        self, scene: GroupScene, item: str, station: str, height: int, place: int, must_leave: bool, walk: int
    ) -> int:
        """Return the own steps of an item beside the first walk to it and picking it up.

        Parameters
        ----------
        must_leave
            It has to leave the station; otherwise it only has to be in a hand.
        walk
            1 if a cook has to walk to it.
        """
        context, view = self._context, scene.view
        role = context.roles.roles[place] if place >= 0 else None
        todo = context.todo(view, item, role) if role is not None else ()
        total = 0
        if not height and (current := next((process for process in todo if context.suits(station, process)), None)):
            acts, pause = context.effort(view, item, current, station)
            assert role is not None
            if role.loose:  # another station may process it, and it may stay there
                total += min(acts, context.effort(view, item, current, None)[0])
            else:
                total += acts + (pause if acts or not walk else 0)
            todo = tuple(process for process in todo if process is not current)
        if role is None or (role.dish < 0 and role.meal < 0 and not todo):
            if not must_leave:
                return total
            return total + (2 if context.alone else 1)
        total += self._count_prepared(view, item, role, todo) + 2
        if context.alone and role.dish >= 0 and not todo and scene.tables[role.dish] == station:
            dish = context.roles.dishes[role.dish]
            total += 4 if dish.bottom >= 0 and dish.last == place else 0
        return total

    def _count_prepared(self, view: StateView, item: str, role: ItemRole, todo: tuple[Process, ...]) -> int:
        """Return the own steps of an item in a hand for its processes, without its last carrying [4]."""
        efforts = [self._context.effort(view, item, process, None) for process in todo]
        acts = sum(effort[0] for effort in efforts)
        if role.loose:  # it may stay where it is prepared last
            return acts + 3 * max(0, len(todo) - 1)
        return acts + 3 * len(todo) + sum(effort[1] for effort in efforts)

    def in_hand(self, scene: GroupScene, item: str, place: int) -> int:
        """Return the own steps of an item in a hand [6]."""
        context, view = self._context, scene.view
        station = view.held_at(item)
        put_down = (1 + (not scene.attended.isdisjoint(scene.leaving))) if context.alone else 0
        if place < 0:
            return put_down
        role = context.roles.roles[place]
        if role.name not in ("", item):
            return UNREACHABLE
        todo = context.todo(view, item, role)
        if todo:
            if not role.loose and self._is_full(scene, *(process.station for process in todo)):
                return 3 + self._count_prepared(view, item, role, todo) + 2  # put aside, walked to, picked up
            is_near = any(context.suits(station, process) for process in todo)
            return self._count_prepared(view, item, role, todo) + 2 - is_near
        if role.dish < 0 and role.meal < 0:
            return put_down
        if role.meal >= 0:
            return self._count_added(scene, scene.group.meals[role.meal], station)
        dish = context.roles.dishes[role.dish]
        table = scene.tables[role.dish]
        if role.bottom and self._is_full(scene, dish.station):
            return 5
        if dish.bottom < 0 or role.bottom:
            return 1 if context.fits(station, dish.station) else 2
        if context.alone and not self._is_ready(scene, table, dish.crew, role):
            return 5  # put aside, walked to, picked up, carried, put down
        return 1 if table in (station, "") else 2

    def _count_added(self, scene: GroupScene, meal: str, station: str) -> int:
        """Return the own steps of an item in a hand at a station until it is in a meal."""
        view = scene.view
        pot = view.inside.get(meal)
        if pot is not None:
            return 1 if view.places.get(pot, ("",))[0] == station else 2
        filled = [name for name, predicate, _ in view.ticks if predicate == self._context.fill.predicate]
        if self._context.alone and not filled:
            return 5  # put down, and fetched once a pot is filled
        return 1 if any(view.places.get(name, ("",))[0] == station for name in filled) else 2

    def _is_full(self, scene: GroupScene, *kinds: str) -> bool:
        """Return whether a single cook finds an item or container on every station of some kinds."""
        if not self._context.alone:
            return False
        view, fits = scene.view, self._context.fits
        occupied = {view.places[name][0] for name in self._context.containers if name in view.places}
        for station in self._context.stations:
            is_empty = station not in view.stacks and station not in occupied
            if is_empty and any(fits(station, kind) for kind in kinds):
                return False
        return True

    def _is_ready(self, scene: GroupScene, table: str, crew: dict[str, int], role: ItemRole) -> bool:
        """Return whether an item may be put to its place in a dish now."""
        if not table or table in scene.leaving:
            return False
        stack = scene.view.stacks.get(table, [])
        if role.under and (not stack or self._context.kinds[stack[-1]] != role.under):
            return False
        return not role.top or self._is_complete(crew, role, stack)

    def count_unplaced(self, scene: GroupScene, item: str, place: int) -> int:
        """Return the own steps of an item in a meal or nowhere: 0 if it plays the role as it is [7]."""
        if place < 0:
            return 0
        role = self._context.roles.roles[place]
        if role.name not in ("", item) or role.dish >= 0 or role.under or self._context.todo(scene.view, item, role):
            return UNREACHABLE
        return 0 if role.meal < 0 or (item, scene.group.meals[role.meal]) in scene.view.added else UNREACHABLE
