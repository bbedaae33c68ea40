"""Costs of pots and other vessels."""

from __future__ import annotations

from collections import Counter

from planoracle.solver.kitchens.context import NEVER, Context, Scene
from planoracle.solver.kitchens.goals import Process
from planoracle.solver.kitchens.item_costs import ItemCosts

__all__ = ["VesselCosts"]


class VesselCosts:
    """Costs of meals and vessels."""

    def __init__(self, context: Context, item_costs: ItemCosts) -> None:
        self._context = context
        self._item_costs = item_costs

    def soups(self, scene: Scene) -> int:
        """Return the steps of pots until all meals are in their vessels.

        A pot that one meal has been poured from is in a hand already if it is filled for another; but if no meal is in
        a pot yet, some pot is filled for the first time. Two meals in one pot are carried together.
        """
        filled = False
        costs: list[int] = []
        spared: list[int] = []
        for place, meal in enumerate(self._context.roles.meals):
            if meal.vessel >= 0 and self._context.roles.vessels[meal.vessel].kind != "pot":
                cost, again = self._soup(scene, place)
                costs.append(cost)
                pot = scene.view.inside.get(scene.group.meals[place])
                filled = filled or pot in self._context.pots
                if pot is None:
                    spared.append(max(0, cost - again))
        if len(costs) > 1 and self._doubled(scene):
            return max(costs)
        return sum(costs) - sum(spared) + (0 if filled else min(spared, default=0))

    def _doubled(self, scene: Scene) -> bool:
        """Whether some pot holds two meals, or may without being emptied before: it is being filled twice, say."""
        filling = [name for name, predicate, _ in scene.view.ticks if predicate == self._context.fill.predicate]
        count = Counter([*scene.view.inside.values(), *filling])
        return any(count[pot] > 1 for pot in self._context.pots)

    def _soup(self, scene: Scene, place: int) -> tuple[int, int]:
        """Return the steps of the pot until a meal is in its vessel: from where it is, from the vessel of another."""
        view = scene.view
        meal, vessel = scene.group.meals[place], scene.group.vessels[self._context.roles.meals[place].vessel]
        pot = view.inside.get(meal)
        asked = sum(role.meal == place for role in self._context.roles.roles)
        adds = max(0, asked - sum(to == meal for _, to in view.added))
        todo = [] if pot else [self._context.fill]
        if self._context.roles.meals[place].boiled and not view.facts & self._context.bits.mask(
            (self._context.boil.predicate, meal)
        ):
            todo.append(self._context.boil)
        if (
            pot is not None and pot not in self._context.pots
        ):  # nothing is put into it, and it is set to boil, in pots only
            boils = not todo or any(name == meal and predicate == "isboiling" for name, predicate, _ in view.ticks)
            return 0 if pot == vessel and not adds and boils else NEVER, NEVER
        pots = [pot] if pot else self._context.pots
        least = min((self._cooked(scene, meal, each, vessel, todo, adds) for each in pots), default=NEVER)
        again = 4 * len(todo) + 2 + max(0, sum(each.ticks > 1 for each in todo) - adds)
        return least, again if least < NEVER else NEVER

    def _cooked(self, scene: Scene, meal: str, pot: str, vessel: str, todo: list[Process], adds: int) -> int:
        view, here = scene.view, scene.here
        total = 0
        walks = 0  # to the pot; whoever comes to put something into it need not walk to it again
        held = pot not in view.places
        own = view.held_at(pot)
        if not held:
            at = view.places[pot][0]
            exists = meal in view.inside
            if todo and todo[0].station == self._context.kinds[at]:
                acts, pause = self._context.effort(view, pot if todo[0] is self._context.fill else meal, todo[0], at)
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
        if held and todo and self._item_costs.taken(scene, todo[0].station):
            total += 3  # it is put down first, walked to and picked up
            held = False
        for each in todo:
            near = held and self._context.kinds.get(own) == each.station
            acts, pause = self._context.effort(view, pot if each is self._context.fill else meal, each, None)
            total += 3 + acts - near
            walks += pause
            held = False
        carry = 0 if held and view.places.get(vessel, ("?", 0))[0] == own else 1
        return total + carry + 1 + max(0, walks - adds)

    def standing(self, scene: Scene, vessel: str, station: str) -> int:
        """Return the steps of a vessel to the station, or kind of station, where it must stand."""
        place = scene.view.places.get(vessel)
        if place is None:
            return 1 if self._context.fits(scene.view.held_at(vessel), station) else 2
        if self._context.fits(place[0], station):
            return 0
        return 3 + (place[0] not in scene.here)
