"""State of a grid kitchen at one moment, and the effects of using stations.

A world is made to be copied, compared and hashed very often: things are tuples of text and numbers without identity.
Times are whole ticks, or fractions where a plan waits for such.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import PLATE, STOVE, WALL, StationMap, Tile

Time: TypeAlias = int | Fraction


class Food(NamedTuple):
    """An ingredient and its state."""

    name: str
    state: str


class Ware(NamedTuple):
    """A plate or a piece of cookware, with what is in it in order of arrival.

    Attributes
    ----------
    cooking
        Whether time is charged to it.
    stamp
        The moment up to which time has been charged; 0 if there is none.
    remaining
        Ticks until what is in it becomes cooked.
    """

    kind: str
    contents: tuple[Food, ...] = ()
    cooking: bool = False
    stamp: Time = 0
    remaining: Time = 0


class Early(NamedTuple):
    """Vessel as it was when it was emptied onto a plate though its contents were not cooked."""

    clock: Time
    cook: int
    station: int
    ware: Ware


#: A plate that somebody has eaten from; nothing can be put on it.
DIRTY: Final = "dirty_plate"
Thing: TypeAlias = Food | Ware | str | None


def written(thing: Thing) -> str | None:
    """Write a thing: ``meat:raw``, ``pan[meat:chopped]``, ``dirty_plate``."""
    if isinstance(thing, Food):
        return f"{thing.name}:{thing.state}"
    if isinstance(thing, Ware):
        foods = [f"{food.name}:{food.state}" for food in thing.contents]
        contents = ",".join(foods)
        return f"{thing.kind}[{contents}]"
    return thing


class KitchenState:
    """Positions of all cooks and things. `copy` before changing it.

    `interact` and `process` return the kind of fault, ``""`` if there is none, and then only change anything.

    Attributes
    ----------
    clock
        The moment.
    tiles, hands
        Of every cook, by number; a hand holds one thing.
    on
        What stands on every station, by number.
    dirty, coming
        Dirty plates at the plate return, and moments at which others will appear there.
    served
        How many orders are.
    early
        What was poured onto a plate before it was cooked; this decides nothing.
    """

    __slots__ = ("clock", "coming", "dirty", "early", "ground", "hands", "on", "served", "tiles")

    def __init__(self, ground: StationMap) -> None:
        kitchen = ground.kitchen
        self.ground = ground
        self.clock: Time = 0
        self.tiles: list[Tile] = [tile for _, tile in kitchen.cooks]
        self.hands: list[Thing] = [None] * len(kitchen.cooks)
        self.on: list[Thing] = [Ware(station.holds) if station.holds else None for station in kitchen.stations]
        self.dirty = 0
        self.coming: tuple[Time, ...] = ()
        self.served = 0
        self.early: tuple[Early, ...] = ()

    def copy(self) -> KitchenState:
        """Return a world of its own in the same state."""
        copied: KitchenState = object.__new__(KitchenState)
        copied.ground = self.ground
        copied.clock = self.clock
        copied.tiles = self.tiles[:]
        copied.hands = self.hands[:]
        copied.on = self.on[:]
        copied.dirty = self.dirty
        copied.coming = self.coming
        copied.served = self.served
        copied.early = self.early
        return copied

    @property
    def all_served(self) -> bool:
        """True if all orders are served."""
        return self.served == len(self.ground.dishes)

    def update(self) -> None:
        """Let the stations work up to the clock: cookware on stoves, and dirty plates that come back."""
        clock = self.clock
        for number in self.ground.stoves:
            ware = self.on[number]
            if type(ware) is Ware and ware.cooking:
                passed = clock - ware.stamp
                if passed >= ware.remaining:
                    cooked = tuple([Food(food.name, "cooked") for food in ware.contents])
                    self.on[number] = Ware(ware.kind, cooked, False, clock, 0)
                elif passed:
                    self.on[number] = ware._replace(stamp=clock, remaining=ware.remaining - passed)
        if self.coming and self.coming[0] <= clock:
            later = tuple([moment for moment in self.coming if moment > clock])
            self.dirty += len(self.coming) - len(later)
            self.coming = later

    def interact(self, cook: int, station: int) -> str:
        """Let a cook who stands next to it use a station."""
        kind = self.ground.kinds[station]
        if kind == WALL:
            return "wall"
        if kind == "serving_window":
            return self._serve(cook)
        if kind == "sink":
            return self._sink(cook, station)
        if kind == "plate_return":
            return self._take_dirty(cook, station)
        if kind == "trash":
            return self._discard(cook)
        return self._exchange(cook, station, kind == STOVE)

    def _exchange(self, cook: int, station: int, stove: bool) -> str:
        """Take from a surface or a stove, put down, put in, or pour."""
        in_hand = self.hands[cook]
        lying = self.on[station]
        if in_hand is None:
            if lying is None and self.ground.kinds[station] != "dispenser":
                return "nothing_here"
            thing = Food(self.ground.provides[station], "raw") if lying is None else lying
            self.hands[cook] = self._move(thing, False)
            self.on[station] = None
            return ""
        vessel = in_hand if lying is None else lying
        if stove and not (type(vessel) is Ware and vessel.kind != PLATE):
            return "stove_refuses"
        if lying is None:
            self.on[station] = self._move(in_hand, True) if stove else in_hand
            self.hands[cook] = None
            return ""
        put: tuple[Ware | None, Ware | None]
        if type(in_hand) is Food and type(lying) is Ware:
            put = self._fill(lying, in_hand, stove), None
        elif type(in_hand) is Ware and type(lying) is Food:
            put = None, self._fill(in_hand, lying, False)
        elif type(in_hand) is Ware and type(lying) is Ware and PLATE in (in_hand.kind, lying.kind):
            plate, poured = (in_hand, lying) if in_hand.kind == PLATE else (lying, in_hand)
            if poured.cooking and poured.contents:
                self.early = (*self.early, Early(self.clock, cook, station, poured))
            full = plate._replace(contents=plate.contents + poured.contents)
            emptied = self._empty(poured)
            put = (emptied, full) if plate is in_hand else (full, emptied)
        else:
            return "stove_refuses" if stove else "cannot_place"
        if put == (None, None):
            return "wrong_for_cookware"
        self.on[station], self.hands[cook] = put
        return ""

    def _fill(self, ware: Ware, food: Food, stove: bool) -> Ware | None:
        contents = (*ware.contents, food)
        ground = self.ground
        if ware.kind == PLATE:
            return ware._replace(contents=contents)
        if food not in ground.takes[ware.kind]:
            return None
        stamp: Time
        if ground.stamped:
            stamp = ware.stamp or self.clock
        else:
            stamp = self.clock if stove else 0
        remaining = ware.remaining + ground.ticks[ware.kind]
        return Ware(ware.kind, contents, True, stamp, remaining)

    def _empty(self, ware: Ware) -> Ware:
        return ware._replace(contents=()) if self.ground.stamped else Ware(ware.kind)

    def _move(self, thing: Thing, onto: bool) -> Thing:
        """Return cookware as it is after it was put on a stove, or taken from it."""
        if self.ground.stamped or type(thing) is not Ware or not thing.cooking:
            return thing
        return thing._replace(stamp=self.clock if onto else 0)

    def _serve(self, cook: int) -> str:
        in_hand, ground = self.hands[cook], self.ground
        if self.clock == 0:
            return "serve_at_zero"
        if type(in_hand) is not Ware or in_hand.kind != PLATE:
            return "serve_no_plate"
        if self.served == len(ground.dishes):
            return "no_order_left"
        needs = ground.dishes[self.served]
        if len(in_hand.contents) != len(needs):
            return "dish_wrong_count"
        if tuple(sorted(in_hand.contents)) != needs:
            return "dish_mismatch"
        self.hands[cook] = None
        self.served += 1
        if ground.plate_return is not None:
            self.coming = (*self.coming, self.clock + ground.facts.plate_return)
        return ""

    def _sink(self, cook: int, station: int) -> str:
        in_hand = self.hands[cook]
        lying = self.on[station]
        if in_hand is None:
            if type(lying) is not Ware or lying.kind != PLATE:
                return "no_clean_plate"
            self.hands[cook], self.on[station] = lying, None
            return ""
        if in_hand != DIRTY or lying is not None:
            return "sink_refuses"
        self.hands[cook], self.on[station] = None, in_hand
        return ""

    def _take_dirty(self, cook: int, station: int) -> str:
        if self.hands[cook] is not None:
            return "hands_full"
        if not self.dirty or station != self.ground.plate_return:
            return "no_dirty_plate"
        self.dirty -= 1
        self.hands[cook] = DIRTY
        return ""

    def _discard(self, cook: int) -> str:
        in_hand = self.hands[cook]
        if in_hand is None:
            return "nothing_to_discard"
        self.hands[cook] = self._empty(in_hand) if type(in_hand) is Ware else None
        return ""

    def process(self, station: int) -> str:
        """Let the work at a station come to its end."""
        kind = self.ground.kinds[station]
        lying = self.on[station]
        if kind == STOVE:
            return "stove_process"
        if kind == "sink":
            if lying != DIRTY:
                return "nothing_to_wash"
            self.on[station] = Ware(PLATE)
            return ""
        if type(lying) is not Food:
            return "nothing_to_chop"
        if lying.state != "raw":
            return "not_raw"
        self.on[station] = Food(lying.name, "chopped")
        return ""

    def work(self, station: int) -> tuple[str, Time]:
        """Return why nobody can begin to process at a station, ``""`` if somebody can, and for how many ticks."""
        kind = self.ground.kinds[station]
        facts = self.ground.facts
        if kind == "chopping_board":
            return "", facts.chop
        if kind == "sink":
            return "", facts.wash
        if kind != STOVE:
            return "process_unsupported", 0
        ware = self.on[station]
        if type(ware) is Ware and ware.kind != PLATE:
            return "", self.ground.ticks[ware.kind]
        return "stove_empty", 0
