"""How many steps are left at least: objects are assigned to the roles of the goal, with the costs of items.

Every object that has to get somewhere needs steps that are its own: a walk to it, picking it up, carrying it, putting
it down, preparing it. ``README.md`` beside this module says why none of them is counted twice.
"""

from __future__ import annotations

from typing import Any

from planoracle.solver.kitchens.abstraction import Abstraction, View
from planoracle.solver.kitchens.assignment_bound import AssignmentBound
from planoracle.solver.kitchens.context import NEVER, Context, Scene
from planoracle.solver.kitchens.goals import Group, Roles
from planoracle.solver.kitchens.item_costs import ItemCosts, Stack
from planoracle.solver.kitchens.time_bound import TimeBound
from planoracle.solver.kitchens.vessel_costs import VesselCosts

__all__ = ["Bound"]

# Stacks of a group after which the memory of their costs is emptied.
_MEMORY = 100_000


class Bound:
    """Least numbers of steps for the states of one kitchen, which is the ``context``."""

    def __init__(self, abstraction: Abstraction, roles: Roles) -> None:
        self.context = self._context = context = Context(abstraction, roles)
        self._item_costs = ItemCosts(context)
        self._vessel_costs = VesselCosts(context, self._item_costs)
        self._time_bound = TimeBound(context)
        self._assignment_bound = AssignmentBound(context)
        self._known: dict[Group, dict[Any, Stack]] = {}
        self._needs = context.bits.union(
            (process.predicate, item)
            for item in context.items
            for process in {process for role in roles.roles for process in role.needs}
        )

    def remaining(self, view: View, group: Group) -> int:
        """Return how many steps, all players' together, are left at least with the choices of a group."""
        options = self._context.choices(group)
        tables = [self._table(view, group.bottoms[i], dish.bottom) for i, dish in enumerate(self._context.roles.dishes)]
        scene = Scene(view, group, options, tables)
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
                found = known[key] = self._item_costs.lying(scene, station, stack)
            rows.update(zip(stack, found.rows, strict=True))
            scene.direct.update(found.direct)
            if found.leaving:
                scene.leaving.add(station)
        for item in view.hands.values():
            if item in options:
                rows[item] = tuple(self._item_costs.held(scene, item, role) for role in options[item])
        for item, meal in view.added:
            rows[item] = tuple(self._item_costs.gone(scene, item, meal, role) for role in options[item])
        total = self._assignment_bound.least(scene, rows)
        if total >= NEVER:
            return NEVER
        total += self._vessel_costs.soups(scene)
        for place, vessel in enumerate(self._context.roles.vessels):
            if vessel.station and (
                vessel.kind != "pot" or not self._context.roles.meals
            ):  # a pot of soup is there already
                total += self._vessel_costs.standing(scene, group.vessels[place], vessel.station)
        return max(1, total, self._time_bound.least(scene) if self._context.alone else 0)

    def _table(self, view: View, bottom: str, role: int) -> str:
        place = view.places.get(bottom)
        if role < 0 or place is None or place[1]:
            return ""
        asked = self._context.roles.roles[role]
        right = self._context.fits(place[0], self._context.roles.dishes[asked.dish].station)
        return place[0] if right and (asked.loose or not self._context.todo(view, bottom, asked)) else ""
