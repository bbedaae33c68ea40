"""Lower bounds of the moment at which the last order is served, of a state.

- `Bound.chains`: no ingredient and no plate can be at the window before it has gone its way, with all work on it.
- `Bound.walks`: all cooks together cannot walk and work less than all that is left asks for, see `Errands`.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from planoracle.solver.floors.errands import BRING, CHOP, CHOP_FRY, FRY, SEE, Errands
from planoracle.solver.floors.moves import FAR, NEVER, Moves, State
from planoracle.solver.floors.places import Places

__all__ = ["Bound"]


class _Fill(NamedTuple):
    """An ingredient that must go into a vessel yet: of which kind, when at the earliest, and how far it is then."""

    kind: str
    put: int
    rest: int


class Bound:
    """Bounds on one floor."""

    def __init__(self, moves: Moves) -> None:
        self.moves, self.places = moves, Places(moves)
        places = self.places
        self.errands = Errands(places.ways, places.boards, moves.stoves, moves.windows)
        self.cookware = {name: kind for kind in moves.floor.facts.cookware for name in kind.ingredients}
        self.sources: dict[str, tuple[int, ...]] = {}
        for s, thing in enumerate(moves.gives):
            if thing:
                name = moves.things.forms[thing].foods[0][0]
                self.sources[name] = (*self.sources.get(name, ()), s)
        # By orders that are served: how many of every ingredient are needed, and what becomes of them.
        self.counts: list[Counter[str]] = []
        self.ends: list[dict[str, frozenset[str]]] = []
        dishes = moves.things.dishes
        for served in range(len(dishes) + 1):
            needs = [need for dish in dishes[served:] for need in dish]
            self.counts.append(Counter(name for name, _ in needs))
            self.ends.append({name: frozenset(state for one, state in needs if one == name) for name, _ in needs})
        # Cookware in which two ingredients of a dish may be carried together.
        self.shared: set[str] = set()
        for dish in dishes:
            kinds = Counter(
                self.cookware[name].name for name, state in dish if state == "cooked" and name in self.cookware
            )
            self.shared.update(kind for kind, count in kinds.items() if count > 1)

    def root(self, state: State) -> int:
        """Return the better of both bounds."""
        return max(self.chains(state), self.walks(state))

    def surplus(self) -> int:
        """Return a bound for plans that gain by food that nobody needs, which the search leaves out.

        Such food can only start the clock of a vessel that charges a later batch from its stamp: what is put in first
        at ``t`` and poured away lets the next batch be cooked at ``t`` and twice its time, but no sooner. Where all
        that a vessel takes is of one kind, that food itself would have done, sooner. Later in a vessel's life it only
        moves the stamp on.
        """
        found, places, start = FAR, self.places, self.moves.start()
        if not self.moves.stamped:
            return found
        for kind in self.moves.floor.facts.cookware:
            names = [name for name in kind.ingredients if name in self.sources]
            if len(names) < 2 or not any(name in self.counts[0] for name in names):
                continue
            for s in (s for name in names for s in self.sources[name]):
                reach = min(places.walks[cook[0]][s] for cook in start.cooks)
                put = reach + (places.board[s] + self.moves.chop if kind.takes == "chopped" else 0)
                found = min(found, put + 2 * kind.ticks + places.served)
        return found

    def chains(self, state: State) -> int:
        """Return a bound by what every single thing must still go through."""
        moves, places = self.moves, self.places
        plate, forms, walks, kinds = moves.things.plate, moves.things.forms, places.walks, moves.kinds
        now, cooks, on, clocks, since = state.moment, state.cooks, state.on, state.clocks, state.since
        left = dict(self.counts[state.served])
        if not left:
            return now
        ends = self.ends[state.served]
        reach = [(cook[1], walks[cook[0]]) for cook in cooks]
        best = now
        begun: dict[str, int] = {}
        fills: list[_Fill] = []
        there = [
            (thing, s, max(now, since[s], min([free + row[s] for free, row in reach])), clocks[s])
            for s, thing in enumerate(on)
            if thing > plate
        ]
        # Who holds something may have been on the way since his last use.
        there += [(cook[2], places.tile(cook[0]), cook[1], cook[3]) for cook in cooks if cook[2] > plate]
        for thing, place, at, clock in there:
            form = forms[thing]
            if not form.vessel:
                name, food = form.foods[0]
                left[name] -= 1
                value = self.food(name, food, place, at, now, ends[name], fills)
                if value > best:
                    best = value
                continue
            for name, _ in form.foods:
                left[name] -= 1
            if moves.stamped and form.vessel != "plate" and clock != NEVER:
                begun[form.vessel] = min(begun.get(form.vessel, FAR), clock)
            if not form.foods:
                continue
            value = max(now, at + places.out[place])
            if form.cooking and all(ends[name] == {"cooked"} for name, _ in form.foods):
                stands = place < places.count and kinds[place] == "stove"
                ready = max(now, clock) if moves.stamped or stands else now + clock
                value = max(value if stands else at + places.stove[place], ready + places.served)
            if value > best:
                best = value
        for name, count in left.items():
            if count > 0:
                value, only = FAR, self.sources.get(name, ())
                for s in only:
                    at = max(now, min([free + row[s] for free, row in reach]))
                    value = min(value, self.food(name, "raw", s, at, now, ends[name], fills if len(only) == 1 else []))
                if value > best:
                    best = value
        return self.cooked(fills, begun, best) if fills else best

    def cooked(self, fills: list[_Fill], begun: dict[str, int], best: int) -> int:
        """Return a bound by what must still be cooked.

        By the rules with stamps a batch is charged from the end of the one before, whenever it was put in: it may be
        cooked as soon as it is in the vessel, but only after one that was not.
        """
        first: dict[str, int] = {}
        for kind, put, _ in fills:
            first[kind] = min(first.get(kind, FAR), put)
        for kind, put, rest in fills:
            ticks = self.moves.things.vessels[kind].ticks
            done = put + ticks
            if self.moves.stamped:
                done = max(put, min(done, begun.get(kind, FAR) + ticks, first[kind] + 2 * ticks))
            best = max(best, done + rest)
        return best

    def food(
        self, name: str, state: str, place: int, at: int, now: int, ends: frozenset[str], fills: list[_Fill]
    ) -> int:
        """Return when an ingredient that is somewhere can be at the window; what is to be cooked goes to ``fills``.

        It has been under way since ``at``, but is not used before ``now``.
        """
        places = self.places
        if state in ends or state == "cooked":
            return max(now, at + places.out[place])
        chopped, stove, fried = places.soonest
        options = []
        if "chopped" in ends and state == "raw":
            options.append(max(now + chopped, at + places.chopped[place]))
        kind = self.cookware.get(name)
        if "cooked" in ends and kind is not None:
            chop = kind.takes != state
            way = places.fried[place] + self.moves.chop if chop else places.stove[place]
            done = max(at + way, now + (fried + self.moves.chop if chop else stove))
            put = max(now, at + (places.board[place] if chop else 0)) + (self.moves.chop if chop else 0)
            if not options:
                stamped = self.moves.stamped
                fills.append(_Fill(kind.name, put, places.served) if stamped else _Fill(kind.name, done - way, way))
            options.append(done)
        return min(options, default=FAR)

    def walks(self, state: State) -> int:
        """Return a bound by what all cooks together must walk and work."""
        moves, places = self.moves, self.places
        plate, forms, number = moves.things.plate, moves.things.forms, self.errands.number
        now, cooks = state.moment, state.cooks
        left = dict(self.counts[state.served])
        if not left:
            return now
        ends = self.ends[state.served]
        errands: list[int] = []
        plates: list[int] = []
        work = 0
        there = [(thing, s) for s, thing in enumerate(state.on) if thing >= plate]
        there += [(cook[2], places.tile(cook[0])) for cook in cooks if cook[2] >= plate]
        for thing, place in there:
            form = forms[thing]
            for name, _ in form.foods:
                left[name] -= 1
            if form.vessel == "plate":
                plates.append(place)
            elif form.vessel:
                if form.foods:
                    errands.append(number(SEE, (place,)))
            else:
                name, food = form.foods[0]
                what, ticks = self.errand(name, food, ends[name])
                errands.append(number(what, (place,)))
                work += ticks
        for name, count in left.items():
            if count > 0:
                if name not in self.sources:
                    return FAR
                what, ticks = self.errand(name, "raw", ends[name])
                errands += [number(what, self.sources[name])] * count
                work += ticks * count
        dishes = len(moves.things.dishes) - state.served
        if len(plates) > dishes:
            errands += [number(BRING, tuple(sorted(plates)))] * dishes
        else:
            errands += [number(BRING, (place,)) for place in plates]
            errands += [number(BRING, tuple(moves.windows))] * (dishes - len(plates))
        errands.sort()
        where = tuple(sorted([places.tile(cook[0]) for cook in cooks]))
        total = work + self.errands.least(where, tuple(errands))
        total += sum([max(cook[1], now - moves.longest) for cook in cooks])
        return -(-total // len(cooks))

    def errand(self, name: str, state: str, ends: frozenset[str]) -> tuple[int, int]:
        """Return where an ingredient must go by itself before it is on a plate, and ticks of work."""
        if state in ends or len(ends) > 1 or state == "cooked":
            return SEE, 0
        if "chopped" in ends:
            return CHOP, self.moves.chop
        kind = self.cookware.get(name)
        if kind is None:
            return SEE, 0
        alone = kind.name not in self.shared
        if kind.takes == state:
            return (FRY if alone else SEE), 0
        return (CHOP_FRY if alone else CHOP), self.moves.chop
