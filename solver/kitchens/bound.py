"""Lower bound of the steps to the goal: own steps of items and vessels, with the cheapest assignment of items to roles.

Every step is at most one object's own, so the own steps of all objects may be added. ``README.md`` beside this module,
section "The bound", has the argument for every term.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from planoracle.solver.kitchens.abstraction import Abstraction, View
from planoracle.solver.kitchens.context import NEVER, Context, Scene
from planoracle.solver.kitchens.goals import Group, Roles
from planoracle.solver.kitchens.item_costs import ItemCosts, Stack
from planoracle.solver.kitchens.vessel_costs import VesselCosts

# Entries of a memory after which it is emptied.
_MEMORY = 100_000


class Bound:
    """Least numbers of steps for the states of one kitchen, which is the ``context``."""

    def __init__(self, abstraction: Abstraction, roles: Roles) -> None:
        self.context = self._context = context = Context(abstraction, roles)
        self._item_costs = ItemCosts(context)
        self._vessel_costs = VesselCosts(context)
        self._stacks: dict[Group, dict[Any, Stack]] = {}
        self._least: dict[tuple[tuple[int, ...], ...], int] = {}
        self._needs = context.bits.union(
            (process.predicate, item)
            for item in context.items
            for process in {process for role in roles.roles for process in role.needs}
        )

    def remaining(self, view: View, group: Group) -> int:
        """Return how many steps, all players' together, remain at least with the choices of a group."""
        context = self._context
        options = context.choices(group)
        tables = [self._table(view, group.bottoms[i], dish.bottom) for i, dish in enumerate(context.roles.dishes)]
        scene = Scene(view, group, options, tables)
        rows: dict[str, tuple[int, ...]] = {}
        known = self._stacks.setdefault(group, {})
        ready = view.facts & self._needs
        for station, stack in view.stacks.items():
            ticks = tuple(entry for entry in view.ticks.items() if entry[0][0] in stack) if view.ticks else ()
            key = (station, station in scene.attended, tuple(stack), tuple(tables), ready, ticks)
            costs = known.get(key)
            if costs is None:
                if len(known) > _MEMORY:
                    known.clear()
                costs = known[key] = self._item_costs.lying(scene, station, stack)
            rows.update(zip(stack, costs.rows, strict=True))
            if costs.leaving:
                scene.leaving.add(station)
        for item in view.hands.values():
            if item in options:
                rows[item] = tuple(self._item_costs.held(scene, item, role) for role in options[item])
        for item in context.items:
            if item not in rows:
                rows[item] = tuple(self._item_costs.elsewhere(scene, item, role) for role in options[item])
        total = self._assigned(rows)
        if total < NEVER:
            total += self._vessel_costs.least(scene)
        return max(1, min(total, NEVER))

    def _table(self, view: View, bottom: str, role: int) -> str:
        """Return the station where the lowest item of a dish lies, if it may stay there."""
        place = view.places.get(bottom)
        if role < 0 or place is None or place[1]:
            return ""
        asked = self._context.roles.roles[role]
        right = self._context.fits(place[0], self._context.roles.dishes[asked.dish].station)
        return place[0] if right and (asked.loose or not self._context.todo(view, bottom, asked)) else ""

    def _assigned(self, rows: dict[str, tuple[int, ...]]) -> int:
        """Return the least sum of own steps with every role played by another item."""
        total = 0
        kinds: dict[str, list[tuple[int, ...]]] = {}
        for item in self._context.items:
            row = rows[item]
            if len(row) == 1:
                total += row[0]
            else:
                kinds.setdefault(self._context.kinds[item], []).append(row)
        for kind, places in self._context.roles.kinds.items():
            if kind not in kinds and any(not self._context.roles.roles[place].bottom for place in places):
                return NEVER
        return total + sum(self._match(tuple(sorted(listed))) for listed in kinds.values())

    def _match(self, rows: tuple[tuple[int, ...], ...]) -> int:
        """Return the least cost of giving every role (column but the last) another row, of others the last column."""
        least = self._least.get(rows)
        if least is None:
            base = sum(row[-1] for row in rows)
            picks = permutations(rows, len(rows[0]) - 1)
            least = min((base + sum(row[i] - row[-1] for i, row in enumerate(way)) for way in picks), default=NEVER)
            if len(self._least) > _MEMORY:
                self._least.clear()
            self._least[rows] = least
        return least
