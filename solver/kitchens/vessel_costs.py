"""Costs of pots and other vessels."""

from __future__ import annotations

from planoracle.solver.kitchens.context import NEVER, Context, Scene
from planoracle.solver.kitchens.goals import Process
from planoracle.solver.kitchens.item_costs import ItemCosts

__all__ = ["VesselCosts"]


class VesselCosts:
    """Costs of meals and vessels."""

    def __init__(self, context: Context, item_costs: ItemCosts) -> None:
        self._context = context
        self._item_costs = item_costs

    def soup(self, scene: Scene, place: int) -> int:
        """Return the steps of the pot from where it is until the meal is in its vessel."""
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
            return 0 if pot == vessel and not adds and boils else NEVER
        pots = [pot] if pot else self._context.pots
        return min((self._cooked(scene, meal, each, vessel, todo, adds) for each in pots), default=NEVER)

    def _cooked(self, scene: Scene, meal: str, pot: str, vessel: str, todo: list[Process], adds: int) -> int:
        view, here = scene.view, scene.here
        total = 0
        walks = 0  # to the pot; whoever comes to put something into it need not walk to it again
        held = pot not in view.places
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
            near = held and any(self._context.kinds[station] == each.station for station in here)
            acts, pause = self._context.effort(view, pot if each is self._context.fill else meal, each, None)
            total += 3 + acts - near
            walks += pause
            held = False
        near = held and view.places.get(vessel, ("", 0))[0] in here
        carry = 0 if near or not self._context.alone else 1
        return total + carry + 1 + max(0, walks - adds)

    def standing(self, scene: Scene, vessel: str, station: str) -> int:
        """Return the steps of a vessel to the station, or kind of station, where it must stand."""
        place = scene.view.places.get(vessel)
        if place is None:
            return 1 if any(self._context.fits(each, station) for each in scene.here) else 2
        if self._context.fits(place[0], station):
            return 0
        return 3 + (place[0] not in scene.here)
