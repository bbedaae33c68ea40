"""Lower bound of a state's steps: own steps of pots, bowls and meals, and the sum over all objects.

``README.md``, section "The bound", has the argument for every term; numbers in brackets refer to its claims.

"""

from __future__ import annotations

from itertools import chain, permutations, product
from typing import Any

from planoracle.solver.kitchens.goals import Group, Process, Roles
from planoracle.solver.kitchens.item_costs import ItemCosts, Stack
from planoracle.solver.kitchens.state_view import UNREACHABLE, Abstraction, Context, GroupScene, StateView


class VesselCosts:
    """Own steps of the vessels and meals of a kitchen."""

    def __init__(self, context: Context) -> None:
        self._context = context
        meals = [role.meal for role in context.roles.roles if role.meal >= 0]
        self._additions = [meals.count(place) for place in range(len(context.roles.meals))]

    def lower_bound(self, scene: GroupScene) -> int:
        """Return the own steps of all vessels and meals [8 to 10]."""
        context, view = self._context, scene.view
        filling = [name for name, predicate, _ in view.ticks if predicate == context.fill.predicate]
        total = 0
        missing = 0  # meals that have to come into being
        carried: dict[str, int] = {}  # by pot, "" for one that is yet to be filled
        for place, vessel in enumerate(context.roles.vessels):
            name = scene.group.vessels[place]
            steps = self._standing(scene, name, vessel.station, filling) if vessel.station else 0
            if name in context.pots:
                carried[name] = steps
            else:
                total += steps
        for place, meal in enumerate(context.roles.meals):
            name = scene.group.meals[place]
            vessel_name = scene.group.vessels[meal.vessel] if meal.vessel >= 0 else ""
            is_raw = meal.boiled and not view.facts & context.bits.mask((context.boil.predicate, name))
            is_boiling = False
            for thing, predicate, _ in view.ticks:
                if thing == name and predicate == context.boil.predicate:
                    is_boiling = True
            is_short = self._additions[place] > sum(to == name for _, to in view.added)
            if not (vessel_name or is_raw or is_short):
                continue
            must_be_set_to_boil = is_raw and not is_boiling
            vessel_of_meal = view.inside.get(name)
            if vessel_of_meal is not None and vessel_of_meal not in context.pots:
                if is_short or must_be_set_to_boil or vessel_name not in ("", vessel_of_meal):
                    return UNREACHABLE  # nothing leaves a bowl, and only in a pot is a meal added to or set to boil
                continue
            is_poured = bool(vessel_name) and vessel_name not in context.pots
            total += is_poured + must_be_set_to_boil
            if vessel_of_meal is None:
                missing += 1
                pots = [vessel_name] if vessel_name and not is_poured else context.pots
                fetching = [
                    self._count_moved(scene, pot, context.fill) + self._walk(scene, pot, filling) for pot in pots
                ]
                steps = min(fetching, default=UNREACHABLE)
                steps += 3 * is_raw + 2 * is_poured
                carried[""] = max(carried.get("", 0), steps)
                continue
            if vessel_name and not is_poured and vessel_name != vessel_of_meal:
                return UNREACHABLE
            steps = self._count_carried(scene, vessel_of_meal, is_raw, is_boiling, vessel_name if is_poured else "")
            carried[vessel_of_meal] = max(carried.get(vessel_of_meal, 0), steps)
        unfilled = carried.pop("", 0)
        unfillable = max(0, missing - len(filling))
        return total + unfillable + max(unfilled, sum(carried.values()))

    def _count_moved(self, scene: GroupScene, vessel: str, process: Process) -> int:
        """Return the steps of carrying a vessel to where a process is, 0 if it stands there."""
        place = scene.view.places.get(vessel)
        if place is None:
            return 1 + (not self._context.suits(scene.view.held_at(vessel), process))
        return 0 if self._context.suits(place[0], process) else 3

    def _walk(self, scene: GroupScene, vessel: str, filling: list[str]) -> int:
        """Return 1 if a cook has to walk to a vessel with empty hands.

        A cook with full hands walks only to a pot with a meal.
        """
        place = scene.view.places.get(vessel)
        if place is None or place[0] in scene.attended:
            return 0
        has_meal = vessel in filling or vessel in scene.view.inside.values()
        return int(vessel not in self._context.pots or not has_meal)

    def _count_carried(self, scene: GroupScene, pot: str, raw: bool, is_boiling: bool, bowl: str) -> int:
        """Return the steps of a pot with a meal until it is boiled and, if there is a ``bowl``, at that bowl."""
        view = scene.view
        boil = self._count_moved(scene, pot, self._context.boil) if raw else 0
        if not bowl:
            return boil
        pour = 2
        if pot not in view.places:  # in a hand
            is_near = view.places.get(bowl, ("", 0))[0] == view.held_at(pot)
            pour = 1 - is_near
        if not raw:
            return pour
        if is_boiling and boil:  # alternative: pour first, and boil on in the bowl once the pot is back on the stove
            return min(boil + 2, pour + 2)
        return boil + 2

    def _standing(self, scene: GroupScene, vessel: str, station: str, filling: list[str]) -> int:
        """Return the steps of a vessel to the station, or kind of station, where it must stand."""
        place = scene.view.places.get(vessel)
        if place is None:
            return 1 + (not self._context.fits(scene.view.held_at(vessel), station))
        if self._context.fits(place[0], station):
            return 0
        return 3 + self._walk(scene, vessel, filling)


# Largest number of entries of a cache; a full cache is cleared.
_CACHE_SIZE = 100_000


class Bound:
    """Lower bounds of steps for the states of one kitchen, given by its ``context``."""

    def __init__(self, abstraction: Abstraction, roles: Roles) -> None:
        self.context = self._context = context = Context(abstraction, roles)
        self._item_costs = ItemCosts(context)
        self._vessel_costs = VesselCosts(context)
        self._stacks: dict[Group, dict[Any, Stack]] = {}
        self._min_costs: dict[tuple[tuple[int, ...], ...], int] = {}
        needed_processes = set(chain.from_iterable(role.needs for role in roles.roles))
        needs = product(context.items, needed_processes)
        self._needs = context.bits.union((process.predicate, item) for item, process in needs)

    def remaining(self, view: StateView, group: Group) -> int:
        """Return a lower bound of the remaining steps of all players with the choices of a group."""
        context = self._context
        options = context.choices(group)
        tables = [self._table(view, group.bottoms[i], dish.bottom) for i, dish in enumerate(context.roles.dishes)]
        scene = GroupScene(view, group, options, tables)
        rows: dict[str, tuple[int, ...]] = {}
        stacks = self._stacks.setdefault(group, {})
        ready = view.facts & self._needs
        for station, stack in view.stacks.items():
            ticks: tuple[Any, ...] = ()
            if view.ticks:
                ticks = tuple([entry for entry in view.ticks.items() if entry[0][0] in stack])
            key = (station, station in scene.attended, tuple(stack), tuple(tables), ready, ticks)
            costs = stacks.get(key)
            if costs is None:
                if len(stacks) > _CACHE_SIZE:
                    stacks.clear()
                costs = stacks[key] = self._item_costs.lying(scene, station, stack)
            rows.update(zip(stack, costs.rows, strict=True))
            if costs.leaving:
                scene.leaving.add(station)
        for item in view.hands.values():
            if item in options:
                rows[item] = tuple(self._item_costs.in_hand(scene, item, role) for role in options[item])
        for item in context.items:
            if item not in rows:
                rows[item] = tuple(self._item_costs.count_unplaced(scene, item, role) for role in options[item])
        total = self._assign(rows)
        if total < UNREACHABLE:
            total += self._vessel_costs.lower_bound(scene)
        return max(1, min(total, UNREACHABLE))

    def _table(self, view: StateView, bottom: str, role: int) -> str:
        """Return the station where the lowest item of a dish lies, if it may stay there."""
        place = view.places.get(bottom)
        if role < 0 or place is None or place[1]:
            return ""
        lowest = self._context.roles.roles[role]
        if not self._context.fits(place[0], self._context.roles.dishes[lowest.dish].station):
            return ""
        return place[0] if lowest.loose or not self._context.todo(view, bottom, lowest) else ""

    def _assign(self, rows: dict[str, tuple[int, ...]]) -> int:
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
                return UNREACHABLE
        return total + sum(self._match(tuple(sorted(listed))) for listed in kinds.values())

    def _match(self, rows: tuple[tuple[int, ...], ...]) -> int:
        """Return the least cost of an assignment of rows to roles (columns); other rows use the last column."""
        min_cost = self._min_costs.get(rows)
        if min_cost is None:
            base = sum(row[-1] for row in rows)
            assignments = permutations(rows, len(rows[0]) - 1)
            costs = (sum([row[i] - row[-1] for i, row in enumerate(chosen)]) for chosen in assignments)
            min_cost = min((base + cost for cost in costs), default=UNREACHABLE)
            if len(self._min_costs) > _CACHE_SIZE:
                self._min_costs.clear()
            self._min_costs[rows] = min_cost
        return min_cost
