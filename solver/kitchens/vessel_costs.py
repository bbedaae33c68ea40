"""Own steps of pots and bowls, and of meals: the least number until every meal is where it must be.

The argument for every term is in ``README.md``, section "The bound"; numbers in brackets refer to its claims.
"""

from __future__ import annotations

from planoracle.solver.kitchens.context import NEVER, Context, Scene
from planoracle.solver.kitchens.goals import Process


class VesselCosts:
    """Own steps of the vessels and meals of a kitchen."""

    def __init__(self, context: Context) -> None:
        self._context = context
        asked = [role.meal for role in context.roles.roles if role.meal >= 0]
        self._asked = [asked.count(place) for place in range(len(context.roles.meals))]

    def least(self, scene: Scene) -> int:
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
            raw = meal.boiled and not view.facts & context.bits.mask((context.boil.predicate, name))
            begun = any(other == name and what == context.boil.predicate for other, what, _ in view.ticks)
            short = self._asked[place] > sum(to == name for _, to in view.added)
            if not (vessel_name or raw or short):
                continue
            where = view.inside.get(name)
            if where is not None and where not in context.pots:
                if short or (raw and not begun) or vessel_name not in ("", where):
                    return NEVER  # nothing leaves a bowl, and only in a pot is a meal added to or set to boil
                continue
            pour = bool(vessel_name) and vessel_name not in context.pots
            total += pour + (raw and not begun)
            if where is None:
                missing += 1
                pots = [vessel_name] if vessel_name and not pour else context.pots
                steps = min((self._filled(scene, pot, filling) for pot in pots), default=NEVER)
                steps += 3 * raw + 2 * pour
                carried[""] = max(carried.get("", 0), steps)
                continue
            if vessel_name and not pour and vessel_name != where:
                return NEVER
            steps = self._carried(scene, where, raw, begun, vessel_name if pour else "")
            carried[where] = max(carried.get(where, 0), steps)
        unfilled = carried.pop("", 0)
        return total + max(0, missing - len(filling)) + max(unfilled, sum(carried.values()))

    def _moved(self, scene: Scene, vessel: str, process: Process) -> int:
        """Return the steps of carrying a vessel to where a process is, 0 if it stands there."""
        place = scene.view.places.get(vessel)
        if place is None:
            return 1 + (not self._context.suits(scene.view.held_at(vessel), process))
        return 0 if self._context.suits(place[0], process) else 3

    def _walk(self, scene: Scene, vessel: str, filling: list[str]) -> int:
        """Return 1 if somebody has to come with empty hands to a vessel: with full ones only to a pot with a meal."""
        place = scene.view.places.get(vessel)
        if place is None or place[0] in scene.attended:
            return 0
        return int(vessel not in self._context.pots or vessel not in (*scene.view.inside.values(), *filling))

    def _filled(self, scene: Scene, pot: str, filling: list[str]) -> int:
        """Return the steps of a pot until it is filled, without the action itself."""
        return self._moved(scene, pot, self._context.fill) + self._walk(scene, pot, filling)

    def _carried(self, scene: Scene, pot: str, raw: bool, begun: bool, bowl: str) -> int:
        """Return the steps of a pot with a meal until it is boiled and, if there is a ``bowl``, at that bowl."""
        view = scene.view
        boil = self._moved(scene, pot, self._context.boil) if raw else 0
        if not bowl:
            return boil
        held = pot not in view.places
        near = held and view.places.get(bowl, ("", 0))[0] == view.held_at(pot)
        if not raw:
            return 1 - near if held else 2
        if begun and boil:  # it may be poured first, and go on boiling in the bowl once the pot is back on the stove
            return min(boil + 2, (1 - near if held else 2) + 2)
        return boil + 2

    def _standing(self, scene: Scene, vessel: str, station: str, filling: list[str]) -> int:
        """Return the steps of a vessel to the station, or kind of station, where it must stand."""
        place = scene.view.places.get(vessel)
        if place is None:
            own = scene.view.held_at(vessel)
            return 0 if not own else 1 + (not self._context.fits(own, station))
        if self._context.fits(place[0], station):
            return 0
        return 3 + self._walk(scene, vessel, filling)
