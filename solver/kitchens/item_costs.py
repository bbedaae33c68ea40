"""Costs of items: the steps that one item costs in a role, from where it is to where it must be."""

from __future__ import annotations

from typing import NamedTuple

from planoracle.solver.kitchens.abstraction import View
from planoracle.solver.kitchens.context import NEVER, Context, Scene
from planoracle.solver.kitchens.goals import Process, Role

__all__ = ["ItemCosts", "Stack"]


class Stack(NamedTuple):
    """What is known of a stack: the costs of its items by role, whether some have to leave, what leaves straight."""

    rows: tuple[tuple[int, ...], ...]
    leaving: bool
    direct: dict[tuple[str, int], str]


class ItemCosts:
    """Costs of items; `lying` those of a stack, `held` of an item in a hand, `gone` of one in a meal."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def lying(self, scene: Scene, station: str, stack: list[str]) -> Stack:
        """Work out the costs of a stack's items, from the bottom: what lies on something that leaves has to leave."""
        rows = []
        direct: dict[tuple[str, int], str] = {}
        view, roles = scene.view, self._context.roles.roles
        walk = 0 if station in scene.here else 1
        last = len(stack) - 1
        surely = capped = False
        before: dict[int, int] = {}  # by dish, the least rank of what lies below and has to get there first
        for height, item in enumerate(stack):
            row = []
            goes_anyway = True
            for place in scene.options[item]:
                role = roles[place] if place >= 0 else None
                own = self._goes(scene, station, stack, height, role)
                must = (own and role is not None) or (self._context.alone and (own or surely))
                goes = own or surely or capped
                goes_anyway = goes_anyway and (goes or (place < 0 and self._needed(item, scene.options[item])))
                if not goes:
                    row.append(self._staying(view, item, station, role))
                    continue
                cost = walk if height == last else 1
                aside = role is None or (role.dish < 0 and role.meal < 0 and role.name in ("", item))
                if aside and not must:
                    cost += 1  # it may be in a hand at the end
                else:
                    cost += self._errand(scene, item, station, height, place, role, direct)
                if (
                    role is not None
                    and role.rank > before.get(role.dish, NEVER)
                    and not self._context.todo(view, item, role)
                ):
                    cost += (
                        4 if scene.tables[role.dish] != station and self._context.alone else 0
                    )  # it is put down in between
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
        return Stack(tuple(rows), surely, direct)

    def _needed(self, item: str, options: tuple[int, ...]) -> bool:
        """Whether an item must play one of the roles, there being no more of its kind than roles."""
        kind = self._context.kinds[item]
        return options[0] >= 0 and (
            len(options) == 1 or self._context.count[kind] == len(self._context.roles.kinds[kind])
        )

    def _goes(self, scene: Scene, station: str, stack: list[str], height: int, role: Role | None) -> bool:
        """Whether an item cannot stay where it is, in a role."""
        if role is None:
            return not height and any(
                dish.station == station and dish.bottom >= 0 and stack[0] != scene.group.bottoms[i]
                for i, dish in enumerate(self._context.roles.dishes)
            )
        item = stack[height]
        if role.name and role.name != item:
            return False
        if role.meal >= 0:
            return True
        if role.dish >= 0:
            dish = self._context.roles.dishes[role.dish]
            if dish.bottom >= 0:
                if scene.tables[role.dish] != station:
                    return True
            elif not self._context.fits(station, dish.station):
                return True
            if role.top and not self._complete(dish.crew, role, stack[:height]):
                return True
        if role.under and (not height or self._context.kinds[stack[height - 1]] != role.under):
            return True
        return any(
            height or each.station != self._context.kinds[station]
            for each in self._context.todo(scene.view, item, role)
        )

    def _complete(self, crew: dict[str, int], role: Role, below: list[str]) -> bool:
        """Whether so many items of every kind lie below as the rest of a crew has."""
        kinds = [self._context.kinds[item] for item in below]
        return all(kinds.count(kind) >= count - (kind == role.kind) for kind, count in crew.items())

    def _staying(self, view: View, item: str, station: str, role: Role | None) -> int:
        if role is None:
            return 0
        if role.name and role.name != item:
            return NEVER
        return sum(self._context.effort(view, item, each, station)[0] for each in self._context.todo(view, item, role))

    def _errand(
        self,
        scene: Scene,
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
        todo = self._context.todo(scene.view, item, role)
        now = next((each for each in todo if not height and each.station == self._context.kinds[station]), None)
        if now is not None:
            acts, pause = self._context.effort(scene.view, item, now, station)
            # Whoever stays for it need not walk to it; whoever walks to it need not wait.
            total += acts + (pause if acts or station in scene.here else 0)
            todo = tuple(each for each in todo if each is not now)
        if role.loose:
            return total + 2 + self._loosely(scene.view, item, todo)
        total += self._prepared(scene.view, item, todo)
        if role.meal >= 0:  # carried and put into it; nobody else can bring the pot to where somebody stands
            return total + 2
        if role.dish >= 0 and not todo and self._context.roles.dishes[role.dish].bottom >= 0:
            if scene.tables[role.dish] == station:
                back = (
                    self._context.roles.dishes[role.dish].last == place
                )  # only one is charged for coming back: README.md
                return total + (6 if back else 2)  # 6: put down, walked to, picked up, carried, put down
            direct[item, place] = station
        return total + 2

    def _loosely(self, view: View, item: str, todo: tuple[Process, ...]) -> int:
        """Return the steps of preparing an item, once it is put somewhere, that may stay where it is prepared last."""
        return sum(self._context.effort(view, item, each, None)[0] for each in todo) + 3 * max(0, len(todo) - 1)

    def _prepared(self, view: View, item: str, todo: tuple[Process, ...]) -> int:
        """Return the steps of carrying an item to where it is prepared, preparing it and picking it up."""
        total = 0
        for each in todo:
            acts, pause = self._context.effort(view, item, each, None)
            total += 3 + acts + pause
        return total

    def held(self, scene: Scene, item: str, place: int) -> int:
        """Return the steps of an item in somebody's hand."""
        view, here = scene.view, scene.here
        own = view.held_at(item)
        aside = 1 + here.issubset(scene.leaving)  # put down, and not on what has to leave
        if place < 0:
            return aside if self._context.alone else 0  # it must be put down before anything else can be done
        role = self._context.roles.roles[place]
        if role.name and role.name != item:
            return NEVER
        todo = self._context.todo(view, item, role)
        if role.loose and role.dish < 0 and not todo and not self._context.alone:
            return 0  # it may stay there, and others do the rest
        if role.loose:
            return 1 + self._loosely(view, item, todo)
        if todo and self.taken(scene, *(each.station for each in todo)):
            return aside + 2 + self._prepared(view, item, todo) + 2  # it is put down first, walked to and picked up
        if todo:
            near = any(self._context.kinds.get(own) == each.station for each in todo)
            return self._prepared(view, item, todo) - near + 2
        if role.meal >= 0:
            meal = scene.group.meals[role.meal]
            pot = view.inside.get(meal)
            if pot is not None:
                aloft = self._context.alone and pot in view.hands.values()
                return 1 if aloft or view.places.get(pot, ("",))[0] == own else 2
            filled = [name for name, predicate, _ in view.ticks if predicate == self._context.fill.predicate]
            if self._context.alone and not filled:  # it is put down, a pot is filled, it is fetched and put in
                return aside + 4
            return 1 if any(view.places.get(name, ("",))[0] == own for name in filled) else 2
        if role.dish < 0:
            return 1
        dish = self._context.roles.dishes[role.dish]
        table = scene.tables[role.dish]
        if role.bottom and self.taken(scene, dish.station):
            return aside + 4
        if dish.bottom < 0 or role.bottom:
            return 1 if self._context.fits(own, dish.station) else 2
        if self._context.alone and not self._ready(scene, table, dish.crew, role):
            return aside + 4  # it is put down, walked to, picked up, carried, put down
        return 1 if table in (own, "") else 2

    def taken(self, scene: Scene, *asked: str) -> bool:
        """Whether something is on every station of some kinds, so that nothing can be put there by a full hand."""
        if not self._context.alone:
            return False
        view = scene.view
        standing = [view.places[name][0] for name in self._context.containers if name in view.places]
        return not any(
            station not in view.stacks and station not in standing
            for station in self._context.stations
            if any(self._context.fits(station, each) for each in asked)
        )

    def _ready(self, scene: Scene, table: str, crew: dict[str, int], role: Role) -> bool:
        """Whether an item may be put to its place in a dish now."""
        if not table or table in scene.leaving:
            return False
        stack = scene.view.stacks.get(table, [])
        if role.under and (not stack or self._context.kinds[stack[-1]] != role.under):
            return False
        return not role.top or self._complete(crew, role, stack)

    def gone(self, scene: Scene, item: str, meal: str, place: int) -> int:
        """Return 0 if an item is where it must be, having been put into a meal; nothing comes out of one."""
        if place < 0:
            return 0
        role = self._context.roles.roles[place]
        right = role.meal >= 0 and scene.group.meals[role.meal] == meal and role.name in ("", item)
        return 0 if right and not self._context.todo(scene.view, item, role) else NEVER
