"""Time that passes whatever else is done meanwhile: what has to pass through the only stove, one after the other."""

from __future__ import annotations

from typing import Any

from planoracle.solver.kitchens.context import Context, Scene
from planoracle.solver.kitchens.goals import Process

__all__ = ["TimeBound"]


class TimeBound:
    """Least times of what is prepared by itself."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._bottlenecks, self._wanted = self._shared()
        self._number = {kind: list(context.kinds.values()).count(kind) for kind in self._bottlenecks}

    def least(self, scene: Scene) -> int:
        """Return the least time for what has to pass through the only station of a kind, one after the other.

        From carrying something to the station until it has been put to its place nothing else that needs the station
        can be carried, so these times do not overlap.
        """
        least = 0
        for station, predicates in self._bottlenecks.items():
            spans: list[int] = []
            for process, kinds in predicates:
                if process is self._context.boil:
                    spans += [self._span_of_meal(scene, place) for place in kinds]
                    continue
                for kind in kinds:
                    own = sorted(self._span(scene, item, process) for item in self._context.roles.items[kind])
                    spans += own[: self._wanted[kind, process.predicate]]
            single = self._number[station] == 1
            least = max(least, sum(spans) if single else max(spans, default=0))
        return least

    def _shared(self) -> tuple[dict[str, list[tuple[Process, list[Any]]]], dict[tuple[str, str], int]]:
        """Return by kind of station what takes time there and for which kinds or meals, and how often by kind."""
        found: dict[str, list[tuple[Process, list[Any]]]] = {}
        wanted: dict[tuple[str, str], int] = {}
        known: dict[str, Process] = {}
        if any(role.loose and process.ticks for role in self._context.roles.roles for process in role.needs):
            return {}, {}
        for role in self._context.roles.roles:
            for process in role.needs:
                if process.ticks:
                    known[process.predicate] = process
                    wanted[role.kind, process.predicate] = wanted.get((role.kind, process.predicate), 0) + 1
        for predicate, process in known.items():
            kinds = [kind for kind, each in wanted if each == predicate]
            found.setdefault(process.station, []).append((process, kinds))
        meals = [place for place, meal in enumerate(self._context.roles.meals) if meal.boiled and meal.vessel >= 0]
        if meals:
            found.setdefault(self._context.boil.station, []).append((self._context.boil, meals))
        return found, wanted

    def _span(self, scene: Scene, item: str, process: Process) -> int:
        """Return the time from carrying an item to where it is prepared until it is in its place."""
        view = scene.view
        if view.facts & self._context.bits.mask((process.predicate, item)):
            return 0
        place = view.places.get(item)
        if place is None:
            held = item in view.hands.values()
            near = held and any(self._context.kinds[station] == process.station for station in scene.here)
            return (1 if near or not held else 2) + process.acts + process.ticks + 2
        at = place[0]
        here = at in scene.here
        if self._context.kinds[at] == process.station and not place[1]:
            running = view.ticks.get((item, process.predicate, at))
            if running is not None:
                return max(running, 0 if here else 1) + 3
            return (0 if here else 1) + process.acts + process.ticks + 2
        return (0 if here else 1) + 3 + process.acts + process.ticks + 2

    def _span_of_meal(self, scene: Scene, place: int) -> int:
        view, process = scene.view, self._context.boil
        meal = scene.group.meals[place]
        if view.facts & self._context.bits.mask((process.predicate, meal)):
            return 0
        pot = view.inside.get(meal)
        at = view.places.get(pot, ("", 0))[0] if pot is not None else ""
        if at and self._context.kinds[at] == process.station:
            running = view.ticks.get((meal, process.predicate, at))
            return (running if running is not None else process.acts + process.ticks - 1) + 3
        return 1 + process.acts + process.ticks + 2
