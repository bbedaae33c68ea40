"""Visits: what some cook must do at some station in every plan that serves all orders, and what comes after what.

Take any plan, by either profile, and round all times down to whole ticks: differences of whole numbers of ticks between
its events stay at least as large. Every need has *one* ingredient, that which is served. Every plan has these visits:

- ``get``: the ingredient leaves its dispenser, in a hand or in a vessel that is held, for another station;
- ``chop``: somebody chops it at a board, and before the end ``bring``: it comes to that board for the last time, in a
  hand, from another station. Where the cook who got it does nothing listed here before he chops
  it, ``bring`` is left out.
  (What was raw on a plate is never chopped, so it comes in the hand by itself.)
- ``off``: afterwards it leaves the board for another station; ``cook``: it comes to a stove for the first time, in a
  hand (into cookware there) or in cookware; ``out``: cooked, it leaves the last stove, in cookware or on a plate;
- ``pan``: cookware leaves a stove, where the ingredient came into it elsewhere or changed stoves;
- ``plate``: the plate it is served on leaves where it stands at the beginning, or, washed, a sink; ``serve``.

Only the end of chopping asks what lies on the board, so *another* cook may bring it while somebody chops already: the
ingredient has come before the end. The same holds of washing. Who brings it himself does so before he begins.

Food leaves a dispenser or board in the hand by itself, or in a vessel in which it goes to the window (or which cooks
it, or, where cookware takes it as it is, rides in that). What can be in a hand before and after a visit is listed
(`Visit.before`, `Visit.after`); ``any`` for chopping, which leaves hands alone.

Time of cooking by stamps: the clock of a vessel begins when anything first goes into it, and the k-th ingredient it
ever takes is not cooked before k times its ticks have gone since. So an ingredient that is the first in its vessel
cooks that long from when it goes in, and at most one per vessel is that; any other is not cooked before twice
the ticks from the earliest moment at which anything can be in cookware. By the paper it
cooks that long from when it is on a stove.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planoracle.instances.floors.floor import PLATE, Dish, Floor, Need, Vessel
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.floors.bounds.carriage import NEVER, Ways

__all__ = ["ANY", "NOTHING", "Visit", "Visits"]

NOTHING = "nothing"
ANY = "any"
_COOKWARE = "cookware"


@dataclass(eq=False)
class Visit:
    """A visit.

    Attributes
    ----------
    before, after
        What may be in the hand.
    ticks
        How long the cook is busy there.
    places
        Variables by station and tile, exactly one of them true.
    by_station
        Variables (or 1) by station.
    present
        Variable for visits that may not be needed.
    """

    name: str
    before: frozenset[str]
    after: frozenset[str]
    ticks: int
    time: Any
    places: list[tuple[Any, str, tuple[int, int]]]
    by_station: dict[str, Any]
    present: Any = None
    got: Visit | None = None
    brought: Visit | None = None


class Visits:
    """The visits of a floor as variables of a model; ``time`` is when the last order is served."""

    def __init__(self, floor: Floor, rules: FloorRules, model: Any, most: int) -> None:
        self.floor, self.model, self.most = floor, model, most
        self.ways = Ways(floor)
        self.stamped = rules.cooking == "stamp"
        self.time = model.new_int_var(0, most, "")
        self.all: list[Visit] = []
        self.order: set[tuple[Visit, Visit]] = set()
        self.possible = True
        self._boards, self._stoves = self._of("chopping_board"), self._of("stove")
        self._chops: list[Visit] = []
        self._first: dict[tuple[str, ...], list[Any]] = {}
        self._serves: list[Visit] = []
        self._plates: list[Visit] = []
        for order, dish in enumerate(floor.orders):
            self._dish(order, dish)
        for names, chosen in self._first.items():
            model.add(sum(chosen) <= sum(station.holds in names for station in floor.stations))
        for station in floor.stations:
            ways = [plate.by_station[station.name] for plate in self._plates if station.name in plate.by_station]
            if station.holds == PLATE:
                model.add(sum(ways) <= 1)
        for board in self._boards:
            spans = [(one.time, one.by_station[board]) for one in self._chops if board in one.by_station]
            chop = floor.facts.chop
            model.add_no_overlap([model.new_optional_fixed_size_interval_var(t, chop, on, "") for t, on in spans])
        model.add(self.time == self._serves[-1].time)

    def _of(self, *kinds: str) -> list[str]:
        return [station.name for station in self.floor.stations if station.kind in kinds]

    def _visit(
        self, name: str, stations: list[str], before: set[str], after: set[str], ticks: int = 0, *, rare: bool = False
    ) -> Visit:
        model = self.model
        stations = [station for station in dict.fromkeys(stations) if self.ways.ports[station]]
        if not stations:
            self.possible = False
        places = [(model.new_bool_var(""), one, tile) for one in stations for tile in self.ways.ports[one]]
        model.add_exactly_one([variable for variable, _, _ in places])
        chosen = {one: model.new_bool_var("") for one in stations}
        for one, variable in chosen.items():
            model.add(sum(place for place, station, _ in places if station == one) == variable)
        made = Visit(
            name, frozenset(before), frozenset(after), ticks, model.new_int_var(0, self.most, ""), places, chosen
        )
        if rare:
            made.present = model.new_bool_var("")
        else:
            model.add(made.time + ticks <= self.time)
        self.all.append(made)
        return made

    def _then(self, one: Visit, other: Visit, early: int = 0) -> None:
        """Let one visit come after another (or begin so much too early), and the thing be carried between them."""
        self.order.add((one, other))
        given = [visit.present for visit in (one, other) if visit.present is not None]
        far = self.ways.carried
        least = min((far[a, b] for a in one.by_station for b in other.by_station), default=0)
        for a, at in one.by_station.items():
            for b, to in other.by_station.items():
                if far[a, b] >= NEVER:
                    self.model.add_bool_or([~literal for literal in (*given, at, to)])
                elif far[a, b] > least:
                    self.model.add(other.time + early >= one.time + one.ticks + far[a, b]).only_enforce_if(
                        *given, at, to
                    )
        if least < NEVER:
            row = self.model.add(other.time + early >= one.time + one.ticks + least)
            if given:
                row.only_enforce_if(*given)

    def _before(self, ticks: int) -> int:
        """Return how much of some work may be done before what is worked on has come: only its end asks for it."""
        return ticks if len(self.floor.cooks) > 1 else 0

    def _same(self, one: Visit, other: Visit) -> None:
        for station, variable in one.by_station.items():
            self.model.add(variable == other.by_station[station])

    def _dish(self, order: int, dish: Dish) -> None:
        own = f"order {order}"
        serve = self._visit("serve", self._of("serving_window"), {own}, {NOTHING})
        standing = [station.name for station in self.floor.stations if station.holds == PLATE]
        sinks = self._of("sink") if order else []
        plate = self._visit("plate", [*standing, *sinks], {NOTHING}, {own})
        self._then(plate, serve)
        facts = self.floor.facts
        if self._serves:
            self.model.add(serve.time >= self._serves[-1].time)
            for sink in sinks:
                if sink in plate.by_station and sink not in standing:
                    wash = facts.wash - self._before(facts.wash)
                    later = plate.time >= self._serves[0].time + facts.plate_return + wash
                    self.model.add(later).only_enforce_if(plate.by_station[sink])
        self._serves.append(serve)
        self._plates.append(plate)
        for place, need in enumerate(dish.needs):
            self._then(self._need(f"{order} {place} {need.ingredient}", own, need), serve)

    def _need(self, it: str, own: str, need: Need) -> Visit:
        """Return the last visit of a need before it is served."""
        there = {station.holds for station in self.floor.stations}
        pans = [one for one in self.floor.facts.cookware if need.ingredient in one.ingredients and one.name in there]
        sources = [station.name for station in self.floor.stations if station.provides == need.ingredient]
        chopped = need.state == "chopped" or (need.state == "cooked" and not any(one.takes == "raw" for one in pans))
        if need.state == "cooked":
            ride = {_COOKWARE}
        else:
            ride = {own, *([_COOKWARE] if any(one.takes == need.state for one in pans) else [])}
        if not chopped:
            last = self._visit("get", sources, {NOTHING, *ride}, {it, *ride})
        else:
            got = self._visit("get", sources, {NOTHING}, {it})
            chop = self._visit("chop", self._boards, {ANY}, {ANY}, self.floor.facts.chop)
            brought = self._visit("bring", self._boards, {it}, {NOTHING}, rare=True)
            last = self._visit("off", self._boards, {NOTHING, *ride}, {it, *ride})
            chop.got, chop.brought = got, brought
            self._chops.append(chop)
            self._then(got, chop, self._before(self.floor.facts.chop))
            self._then(got, brought)
            self._then(brought, chop, self._before(self.floor.facts.chop))
            self._then(chop, last)
            self._same(brought, chop)
            self._same(chop, last)
        return self._cooked(it, own, pans, last) if need.state == "cooked" else last

    def _cooked(self, it: str, own: str, pans: list[Vessel], last: Visit) -> Visit:
        model = self.model
        ticks = min((one.ticks for one in pans), default=0)
        cook = self._visit("cook", self._stoves, {it, _COOKWARE}, {NOTHING})
        out = self._visit("out", self._stoves, {NOTHING, own}, {own, _COOKWARE})
        self._then(last, cook)
        self._then(cook, out)
        names = tuple(sorted(one.name for one in pans))
        filled, moved = model.new_bool_var(""), model.new_bool_var("")
        into = model.new_int_var(0, self.most, "")
        model.add(into >= last.time)
        model.add(into >= cook.time).only_enforce_if(~filled)
        if all(self.floor.by_name[st.name].kind == "stove" for st in self.floor.stations if st.holds in names):
            pan = self._visit("pan", self._stoves, {NOTHING}, {_COOKWARE, own}, rare=True)
            model.add_bool_or([filled, moved]).only_enforce_if(pan.present)
            model.add_implication(filled, pan.present)
            model.add_implication(moved, pan.present)
            model.add(pan.time <= into).only_enforce_if(filled)
            model.add(pan.time <= out.time)
            self.order.add((pan, out))
        for stove in self._stoves:
            if stove in cook.by_station:
                model.add_bool_or([~cook.by_station[stove], out.by_station[stove], moved])
        if not self.stamped:
            model.add(out.time >= cook.time + ticks)
            return out
        first = model.new_bool_var("")
        self._first.setdefault(names, []).append(first)
        model.add(out.time >= into + ticks).only_enforce_if(first)
        model.add(out.time >= self._earliest(pans) + 2 * ticks).only_enforce_if(~first)
        return out

    def _earliest(self, pans: list[Vessel]) -> int:
        """Return when something can be in cookware at the earliest."""
        found = []
        for one in pans:
            for station in self.floor.stations:
                if station.provides in one.ingredients:
                    near = self.ways.ports[station.name]
                    walks = [self.ways.walk(place, tile) for _, place in self.floor.cooks for tile in near]
                    prepared = 0
                    if one.takes == "chopped":
                        far = [self.ways.carried[station.name, board] for board in self._boards]
                        chop = self.floor.facts.chop
                        prepared = min(far, default=NEVER) + chop - self._before(chop)
                    found.append(min(walks, default=NEVER) + prepared)
        return min((*found, self.most))
