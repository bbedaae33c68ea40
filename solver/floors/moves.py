"""What can be done on a floor: uses of stations, one after the other in time.

A state is what there is after a use. Walks and waits are no steps of their own: who uses a station next must have had
the time to walk there since his own last use, and uses it at the first moment at which he is there and the station is
as it is. Nothing is lost by that, for plans in whole ticks:

- Nobody stands in another's way, so it does not matter where somebody waits; only when he uses what.
- Take a plan, and the order of its uses. Let each be as early as that order at every station and of every cook allows.
  No use is later then, every station is found as before, and food is cooked no later. So some best plan is one in
  which no use could be earlier, and its uses in the order of time are a path here. That is why a use that was possible
  before the moment of the state is left out: other paths have it earlier.
- A vessel on a stove changes by itself once, when its time is over. It is used before that or after.
- Who has his turn first at the same moment began to walk, wait or work earlier, or comes first on the map. A walk and a
  wait can be divided into ticks, so they may begin at any moment from the end of the last use on. Of three cooks each
  two are compared.
- Food that no order needs is not made. By the rules with stamps it can set the clock of a vessel for the food that
  follows; how early such plans may end is worked out apart (`Bound.surplus`).
- Moments: stations are taken to work at every tick while somebody walks or waits, as in a plan written tick by tick.

What is taken for granted beyond the rules (turns of three, moments while all others work) can only make a plan look too
early; the plan is replayed, and then not called best.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from planoracle.instances.floors.floor import Floor, Tile
from planoracle.instances.floors.geometry import beside, distances, tiles
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.floors.things import (
    DIRTY,
    FILL_HELD,
    FILL_LYING,
    NOTHING,
    POUR_OUT,
    PUT,
    TAKE,
    Form,
    Things,
)

__all__ = ["FAR", "NEVER", "Moves", "State", "Use"]

#: Longer than anything takes.
FAR: Final = 10**12
#: What the clock of a vessel says that has never been used.
NEVER: Final = -FAR

#: Of a cook: its tile, the moment from which it is free, what it holds, the clock of that, how long before its last
#: turn at this very moment it may have begun to walk (below 0: ticks of the work that it ends), whether others have
#: had a turn at that moment since.
Cook: TypeAlias = tuple[int, int, int, int, int, bool]


class Use(NamedTuple):
    """A use of a station: who, from which tile, at what moment, and for how long it is worked there."""

    cook: int
    tile: int
    station: int
    moment: int
    work: int


class State(NamedTuple):
    """All that matters after a use, with moments counted from the beginning.

    Attributes
    ----------
    moment
        Of the use.
    cooks
    on, clocks, since
        By station: what lies there, when it will be cooked (or was, for a vessel not cooking; away from stoves, by the
        rules that do not count that time: ticks left), and the moment from which that is so.
    served
        Orders.
    dirty
        Moments at which dirty plates appear, or have appeared, at the plate return.
    actor
        Whose turn it is.
    """

    moment: int
    cooks: tuple[Cook, ...]
    on: tuple[int, ...]
    clocks: tuple[int, ...]
    since: tuple[int, ...]
    served: int
    dirty: tuple[int, ...]
    actor: int


class Moves:
    """The uses that are possible on a floor, and what comes of them."""

    def __init__(self, floor: Floor, rules: FloorRules) -> None:
        self.floor, self.rules = floor, rules
        self.things = Things(floor, rules)
        self.stamped = self.things.stamped
        self.tiles: tuple[Tile, ...] = tiles(floor)
        number = {tile: n for n, tile in enumerate(self.tiles)}
        #: Steps from tile to tile.
        step = floor.facts.move
        self.walks = [[step * distances(floor, a).get(b, FAR) for b in self.tiles] for a in self.tiles]
        self.longest = max(steps for row in self.walks for steps in row if steps < FAR)
        self.stations = floor.stations
        #: By station: tiles from which it is used.
        self.beside = [tuple(number[tile] for tile in beside(floor, one.name)) for one in floor.stations]
        self.kinds = [one.kind for one in floor.stations]
        self.stoves = [n for n, kind in enumerate(self.kinds) if kind == "stove"]
        self.windows = [n for n, kind in enumerate(self.kinds) if kind == "serving_window"]
        self.gives = [
            self.things.food(one.provides) if one.kind == "dispenser" and one.provides else NOTHING
            for one in floor.stations
        ]
        #: By tile and station: tiles from which to use it, with steps.
        self.near = [
            [[(tile, row[tile]) for tile in places if row[tile] < FAR] for places in self.beside] for row in self.walks
        ]
        self.returns = "plate_return" in self.kinds
        self.chop, self.wash = floor.facts.chop, floor.facts.wash
        self.number = number
        self.single = len(floor.cooks) == 1

    def start(self) -> State:
        """Return the state at the beginning."""
        things = self.things
        on = tuple(things.number(Form(one.holds, ())) if one.holds else NOTHING for one in self.stations)
        cooks = tuple((self.number[tile], 0, NOTHING, 0, 0, False) for _, tile in self.floor.cooks)
        clocks = tuple(NEVER if thing and self.stamped else 0 for thing in on)
        return State(0, cooks, on, clocks, (0,) * len(on), 0, (), -1)

    def children(self, state: State) -> Iterator[tuple[Use, State]]:  # noqa: C901 - the inner loop
        """Yield what can be done next, and what it leads to."""
        now, cooks, on, clocks, since, served, dirty, actor = state
        exchange, kinds = self.things.exchange, self.kinds
        for c, (tile, free, held, _, lag, closed) in enumerate(cooks):
            if actor != c and now == free and lag > 0:
                closed = True
            near = self.near[tile]
            for s, kind in enumerate(kinds):
                options = near[s]
                if not options:
                    continue
                lying = on[s]
                ready = since[s]
                work = 0
                if kind == "serving_window":
                    if not held or served == len(self.things.meals):
                        continue
                    form = self.things.forms[held]
                    if form.vessel != "plate" or form.foods != self.things.meals[served]:
                        continue
                    ready = max(ready, 1)  # nothing is served at moment 0
                elif kind == "plate_return":
                    if held or not dirty:
                        continue
                    ready = max(ready, dirty[0])
                elif kind == "sink":
                    if lying == DIRTY:
                        work = self.wash
                    elif not (lying and not held) and not (held == DIRTY and not lying):
                        continue
                elif kind == "trash":
                    continue  # nothing is there that is good for nothing
                elif kind == "stove":
                    found = FAR
                    if lying and self.things.forms[lying].cooking:
                        found = max(clocks[s], ready + 1)
                    if exchange(held, lying, True) is not None:
                        for q, steps in options:
                            at = max(free + steps, ready)
                            if closed and not steps:
                                at = max(at, free + 1)
                            at = self.when(state, c, at, ready)
                            if 0 <= at < found:
                                child = self.carried_out(state, c, q, s, at, 0)
                                if child is not None:
                                    yield child
                    if found == FAR:
                        continue
                    lying = self.things.cooked(lying)
                    if exchange(held, lying, True) is None:
                        continue
                    ready = found
                else:
                    if kind == "chopping_board" and lying and self.things.chopped(lying):
                        work = self.chop
                        for q, steps in options:
                            at = max(free + steps, ready)
                            if closed and not steps:
                                at = max(at, free + 1)
                            at = self.when(state, c, at, ready)
                            if at >= 0:
                                child = self.carried_out(state, c, q, s, at, work)
                                if child is not None:
                                    yield child
                        work = 0
                    if not held and not lying:
                        if not self.gives[s]:
                            continue
                    elif exchange(held, lying, False) is None:
                        continue
                for q, steps in options:
                    at = max(free + steps, ready)
                    if closed and not steps:
                        at = max(at, free + 1)
                    at = self.when(state, c, at, ready)
                    if at >= 0:
                        child = self.carried_out(state, c, q, s, at, work)
                        if child is not None:
                            yield child

    def when(self, state: State, c: int, at: int, ready: int) -> int:
        """Return when a cook uses a station that he has reached, and that is ready, at some moment; -1 for never.

        Those who have had their turns at that moment may keep him from having his after them; then it is a tick later.
        """
        now = state.moment
        if at < now:
            if at != ready or at < now - 1:
                return -1
            at = now
        if self.turn(state, c, at):
            return at
        return at + 1 if at == ready or at == now == ready + 1 else -1

    def turn(self, state: State, c: int, at: int) -> bool:
        """Whether a cook can have its turn at a moment after those who have had theirs at the same moment."""
        if at > state.moment or state.actor == c:
            return at > state.cooks[c][1] or state.actor == c or state.cooks[c][4] <= 0
        cook = state.cooks[c]
        if cook[1] == at and cook[4] > 0:
            return False
        own = 1 if cook[1] < at or not cook[4] else -cook[4]
        for a, other in enumerate(state.cooks):
            if a != c and other[1] == at and other[4] > 0 and not (other[4] > own or (other[4] == own and a < c)):
                return False
        return True

    def carried_out(self, state: State, c: int, tile: int, s: int, at: int, work: int) -> tuple[Use, State] | None:  # noqa: C901 - as the rules are
        """Return a use and the state after it; ``None`` if it makes something that is good for nothing."""
        now, cooks, before, clocks, since, served, dirty, actor = state
        things = self.things
        on, clock, moved = list(before), list(clocks), list(since)
        if at > now:
            for v in self.stoves:
                lying = on[v]
                if lying and things.forms[lying].cooking:
                    found = max(clock[v], moved[v] + 1)
                    if found <= at:
                        on[v] = things.cooked(lying)
                        clock[v], moved[v] = (found if self.stamped else 0), found
        _, free, held, hclock, lag, _ = cooks[c]
        lying = on[s]
        kind = self.kinds[s]
        check = False
        until = at
        if work:
            on[s] = things.plate if kind == "sink" else things.chopped(lying)
            clock[s] = 0
            until = at + work
            check = True
            if self.single and self.stamped:
                for v in self.stoves:
                    if on[v] and things.forms[on[v]].cooking:
                        found = max(clock[v], moved[v] + 1)
                        if at < found < until:
                            clock[v] = until
        elif kind == "serving_window":
            held = NOTHING
            served += 1
            if self.returns:
                dirty = (*dirty, at + self.floor.facts.plate_return)
        elif kind == "plate_return":
            held, hclock = DIRTY, 0
            dirty = dirty[1:]
        elif kind == "sink":
            held, on[s] = lying, held
            hclock, clock[s] = 0, 0
        elif not held and not lying:
            held, hclock = self.gives[s], 0
            check = True
        else:
            done = things.exchange(held, lying, kind == "stove")
            assert done is not None
            stove = kind == "stove" and not self.stamped
            lies = clock[s]
            if done[2] == TAKE:
                cooking = stove and things.forms[lying].cooking
                hclock, clock[s] = (lies - at if cooking else lies), 0
            elif done[2] == PUT:
                cooking = stove and things.forms[held].cooking
                hclock, clock[s] = 0, (hclock + at if cooking else hclock)
            elif done[2] == FILL_LYING:
                clock[s] = self.filled(lying, lies, at, stove)
                hclock = 0
                check = True
            elif done[2] == FILL_HELD:
                hclock = self.filled(held, hclock, at, False)
                clock[s] = 0
                check = True
            else:
                check = True
                if not self.stamped:
                    if done[2] == POUR_OUT:
                        clock[s] = 0
                    else:
                        hclock = 0
            held, on[s] = done[0], done[1]
        moved[s] = until
        if work:
            new = -work
        elif free == at and actor == c and lag > 0:
            new = lag
        elif at == 0:
            new = 1
        else:
            steps = self.walks[cooks[c][0]][tile]
            new = min(7, max(steps, at - free - steps)) if free < at else -lag
        cook: Cook = (tile, until, held, hclock, new, False)
        if actor != c or at > now:
            changed = []
            for n, one in enumerate(cooks):
                if n == c:
                    changed.append(cook)
                elif one[1] == now and one[4] > 0 and n == actor and at == now:
                    changed.append((*one[:5], True))
                else:
                    changed.append(one)
            row = tuple(changed)
        else:
            row = (*cooks[:c], cook, *cooks[c + 1 :])
        if check:
            there = [thing for thing in on if thing > self.things.plate]
            there += [one[2] for one in row if one[2] > self.things.plate]
            there.sort()
            if not things.fits(served, tuple(there)):
                return None
        after = State(at, row, tuple(on), tuple(clock), tuple(moved), served, dirty, c)
        return Use(c, tile, s, at, work), after

    def filled(self, vessel: int, clock: int, at: int, stove: bool) -> int:
        """Return the clock of a vessel after an ingredient was put in."""
        things = self.things
        ticks = self.ticks_of(vessel)
        if not ticks:
            return 0
        form = things.forms[vessel]
        if form.cooking:
            return clock + ticks
        if self.stamped:
            return (at if clock == NEVER else clock) + ticks
        return at + ticks if stove else ticks

    def ticks_of(self, vessel: int) -> int:
        """Return how long a vessel cooks an ingredient, 0 for a plate."""
        return self.things.ticks[vessel]
