"""Least work of all cooks together: everything that must be walked, chopped and washed, as flows on tiles.

Take any plan that serves all orders, by the rules of either profile, up to the moment ``T`` of the last serving. Its
walks are steps between tiles, each with at most one thing in the hand. What follows holds for the *numbers* of steps,
hand-overs and changes, whoever makes them and whenever; so it holds for every plan, and the least total is a bound.

- *Cooks.* At each tile as many steps begin as end, but for the first tiles of cooks and the tiles where they are at
  ``T``; whoever serves last is next to a window then.
- *Things.* A thing moves by steps of whoever holds it and by hops onto a station and from it, from and to tiles next to
  it: hops are free, so a thing that is put down and taken on, by whomever, costs no more than its steps. A walk in a
  circle needs not be counted as the thing's.
- *Ingredients.* For every need there is one ingredient, its own, which comes from a dispenser, is raw until it is
  chopped while it lies on a board, and may then go into cookware, be cooked while that is on a stove, be poured out;
  at last it is in a vessel that goes to the window. Ingredients of one name are alike until they are in a vessel.
- *Vessels.* What is in a vessel moves with it. Two ingredients that were once in the same vessel stay together, as
  pouring moves everything. So no step carries food for two orders: the steps with food of each order, added up, are no
  more than the steps of plates; an ingredient on a plate (any plate) takes part in its order's only. Food that is to
  be chopped may also ride in cookware that takes it.
- *Plates.* One per order reaches a window. They stand somewhere at the beginning or come, dirty, from the return and
  are washed in a sink.
- *Presence.* A hop is done by a cook on that very tile, who came there from some cook's first tile over steps that are
  all counted: from the first tiles a flow of as much as any one thing hops there must be possible.

Every cook's steps, chopping and washing take ``T`` together at most, so the least total divided by cooks is a bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from planoracle.instances.floors.floor import PLATE, Floor, Need, Tile, Vessel
from planoracle.instances.floors.geometry import beside, steps, tiles
from planoracle.solver.floors.programme import Programme

__all__ = ["Flows", "least_work"]

_Arc: TypeAlias = tuple[Tile, Tile]
_Node: TypeAlias = "Tile | str"
_Terms: TypeAlias = list[tuple[float, int]]
# Nothing is done oftener; a bound is never said to be more.
_CAP = 4_000
# Tiles times ingredients of larger programmes, which would not be solved in time.
_LARGE = 3_000
# Work from which on the slower programme is asked as well.
_LONG = 4.0


def least_work(floor: Floor, work: float, known: int) -> int:
    """Return a lower bound of the moment of the last serving, in ticks, by any rules; at most ``known``.

    Parameters
    ----------
    work
        How much work, about seconds of the processor; the same work gives the same bound.
    known
        A moment at which all orders can be served.
    """
    if len(tiles(floor)) * sum(len(dish.needs) for dish in floor.orders) > _LARGE:
        return 0
    least = Flows(floor, presence=False).bound(work / 2)
    if least < known and work >= _LONG:
        least = max(least, Flows(floor, presence=True).bound(work / 2))
    return min(least, known)


class _Layer:
    """How one thing, or several alike, moves."""

    def __init__(self, flows: Flows, stores: Iterable[str], most: int) -> None:
        new, self.programme, self.most = flows.programme.variable, flows.programme, most
        self.stores = set(stores)
        self.walk: dict[_Arc, int] = {arc: new(most) for arc in flows.arcs}
        self.hop: dict[tuple[Tile, str, bool], int] = {}
        self.rows: dict[_Node, _Terms] = {tile: [] for tile in flows.tiles}
        for store in sorted(self.stores):
            self.rows[store] = []
            for tile in flows.ports[store]:
                for onto in (True, False):
                    self.hop[tile, store, onto] = new(most)

    def source(self, node: _Node, most: int = 1) -> int:
        """Return a new variable that brings something."""
        variable = self.programme.variable(most)
        self.rows[node].append((-1, variable))
        return variable

    def leave(self, node: _Node, other: _Layer | None = None) -> int:
        """Return a new variable for what changes to another layer, or goes."""
        variable = self.programme.variable(self.most)
        self.rows[node].append((1, variable))
        if other is not None:
            other.rows[node].append((-1, variable))
        return variable

    def close(self) -> None:
        """Add the rows of balance: what comes goes."""
        for (start, end), variable in self.walk.items():
            self.rows[start].append((1, variable))
            self.rows[end].append((-1, variable))
        for (tile, store, onto), variable in self.hop.items():
            self.rows[tile].append((1 if onto else -1, variable))
            self.rows[store].append((-1 if onto else 1, variable))
        for terms in self.rows.values():
            if terms:
                self.programme.row(terms, 0, 0)


class Flows:
    """The programme; ``work`` is the variable that is minimised. ``presence`` makes it stronger and slower."""

    def __init__(self, floor: Floor, presence: bool) -> None:
        self.floor = floor
        self.programme = Programme()
        self.tiles = tiles(floor)
        free = set(self.tiles)
        self.arcs: list[_Arc] = [(tile, near) for tile in self.tiles for near in steps(tile) if near in free]
        self.ports = {station.name: beside(floor, station.name) for station in floor.stations}
        self.work = self.programme.variable(_CAP)
        self._cookware = [one for one in floor.facts.cookware if any(st.holds == one.name for st in floor.stations)]
        self._stores = self._of("table", "dispenser", "chopping_board")
        self._stoves = self._of("stove")
        self._windows = self._of("serving_window")
        self._done: _Terms = []
        self._carried: list[_Layer] = []
        self._layers: list[_Layer] = []
        self._vessels()
        self._foods()
        self._cooks(presence)

    def bound(self, work: float) -> int:
        """Return the least moment of the last serving."""
        least = self.programme.bound(self.work, work)
        return 0 if least is None else -(-max(0, min(least, _CAP)) // len(self.floor.cooks))

    def _of(self, *kinds: str) -> list[str]:
        return [station.name for station in self.floor.stations if station.kind in kinds]

    def _layer(self, stores: Iterable[str], most: int, *, carried: bool) -> _Layer:
        layer = _Layer(self, stores, most)
        self._layers.append(layer)
        if carried:
            self._carried.append(layer)
        return layer

    def _vessels(self) -> None:
        floor, orders = self.floor, len(self.floor.orders)
        self.vessels: dict[str, _Layer] = {}
        sinks, returns = self._of("sink"), self._of("plate_return")
        for name in (PLATE, *(one.name for one in self._cookware)):
            starts = [station.name for station in floor.stations if station.holds == name]
            more = [*self._windows, *sinks] if name == PLATE else self._stoves
            layer = self._layer({*self._stores, *more, *starts}, len(starts) + orders, carried=True)
            for station in starts:
                self.programme.row([(1, layer.source(station))], 1, 1)
            for node in layer.rows:
                if node not in self._windows:
                    layer.leave(node)
            self.vessels[name] = layer
        plates = self.vessels[PLATE]
        self.programme.row([(1.0, plates.leave(window)) for window in self._windows], orders, orders)
        if orders > 1 and returns and sinks:
            dirty = self._layer({*self._stores, *returns, *sinks}, orders, carried=True)
            for station in returns:
                dirty.source(station, orders - 1)
            self._done += [(float(floor.facts.wash), dirty.leave(sink, plates)) for sink in sinks]
            dirty.close()

    def _foods(self) -> None:
        orders = self.floor.orders
        self._held = {(order, arc): self.programme.variable(_CAP) for order in range(len(orders)) for arc in self.arcs}
        for arc in self.arcs:
            held: _Terms = [(1, self._held[order, arc]) for order in range(len(orders))]
            self.programme.row([*held, (-1, self.vessels[PLATE].walk[arc])], most=0)
        wanted: dict[str, list[tuple[int, Need]]] = {}
        for order, dish in enumerate(orders):
            for need in dish.needs:
                wanted.setdefault(need.ingredient, []).append((order, need))
        for name, needs in wanted.items():
            self._food(name, needs)
        for layer in self.vessels.values():
            layer.close()

    def _pans(self, need: Need) -> list[Vessel]:
        """Return the cookware there is that takes a need."""
        return [one for one in self._cookware if need.ingredient in one.ingredients]

    def _food(self, name: str, needs: Sequence[tuple[int, Need]]) -> None:
        raw = self._layer(self._stores, len(needs), carried=True)
        given = [raw.source(st.name, len(needs)) for st in self.floor.stations if st.provides == name]
        self.programme.row([(1.0, one) for one in given], len(needs), len(needs))
        chopped = self._layer(self._stores, len(needs), carried=True)
        chop = float(self.floor.facts.chop)
        self._done += [(chop, raw.leave(board, chopped)) for board in self._of("chopping_board")]
        for order, need in needs:
            if need.state == "cooked":
                fresh = raw if any(one.takes == "raw" for one in self._pans(need)) else chopped
                self._cooked(order, need, fresh)
            else:
                own = raw if need.state == "raw" else chopped
                trays = [one.name for one in self._pans(need) if one.takes == need.state]
                plate = self._dish(order, trays)
                self._into(own, plate, stoves=bool(trays))
                plate.close()
        raw.close()
        chopped.close()

    def _into(self, own: _Layer, other: _Layer, *, stoves: bool) -> _Terms:
        """Let an ingredient go into a vessel: at a station where either lies, or from next to a stove."""
        nodes: list[_Node] = [*self._stores]
        if stoves:
            nodes += sorted({tile for stove in self._stoves for tile in self.ports[stove]})
        return [(1.0, own.leave(node, other)) for node in nodes]

    def _dish(self, order: int, trays: Sequence[str] = ()) -> _Layer:
        """Make the layer of what is on a plate, or rides in cookware, until it is served."""
        layer = self._layer({*self._stores, *self._windows, *self._stoves}, 1, carried=False)
        self.programme.row([(1.0, layer.leave(window)) for window in self._windows], 1, 1)
        for arc in self.arcs:
            others: _Terms = [(-1, self.vessels[tray].walk[arc]) for tray in trays]
            self.programme.row([(1, layer.walk[arc]), (-1, self._held[order, arc]), *others], most=0)
        return layer

    def _cooked(self, order: int, need: Need, own: _Layer) -> None:
        stores = {*self._stores, *self._stoves}
        fresh, done = (self._layer(stores, 1, carried=False) for _ in range(2))
        plate = self._dish(order)
        self.programme.row(self._into(own, fresh, stoves=True), 1, 1)
        for stove in self._stoves:
            fresh.leave(stove, done)
        for node in sorted(stores):
            done.leave(node, plate)
        for arc in self.arcs:
            pans: _Terms = [(-1, self.vessels[one.name].walk[arc]) for one in self._pans(need)]
            self.programme.row([(1, fresh.walk[arc]), (1, done.walk[arc]), *pans], most=0)
        for layer in (fresh, done, plate):
            layer.close()

    def _cooks(self, presence: bool) -> None:
        floor, row, new = self.floor, self.programme.row, self.programme.variable
        starts = [place for _, place in floor.cooks]
        walked = {arc: new(_CAP) for arc in self.arcs}
        stay = {tile: new(len(starts)) for tile in self.tiles}
        rows: dict[Tile, _Terms] = {tile: [(1.0, stay[tile])] for tile in self.tiles}
        for arc, variable in walked.items():
            rows[arc[0]].append((1.0, variable))
            rows[arc[1]].append((-1.0, variable))
            row([(1.0, variable), *((-1.0, layer.walk[arc]) for layer in self._carried)], 0)
        for tile, terms in rows.items():
            row(terms, starts.count(tile), starts.count(tile))
        row([(1.0, stay[tile]) for tile in {tile for window in self._windows for tile in self.ports[window]}], 1)
        move = float(floor.facts.move)
        row([(1.0, self.work), *((-move, one) for one in walked.values()), *((-f, v) for f, v in self._done)], 0)
        if presence:
            for tile in sorted({tile for near in self.ports.values() for tile in near} - set(starts)):
                self._present(tile, set(starts), walked)

    def _present(self, goal: Tile, starts: set[Tile], walked: dict[_Arc, int]) -> None:
        new, row = self.programme.variable, self.programme.row
        there = new(1)
        for layer in self._layers:
            for (tile, _, _), variable in layer.hop.items():
                if tile == goal:
                    row([(1, variable), (-layer.most, there)], most=0)
        balance: dict[Tile, _Terms] = {tile: [] for tile in self.tiles}
        for arc, variable in walked.items():
            if arc[1] not in starts and arc[0] != goal:
                part = new(1)
                row([(1, part), (-1, variable)], most=0)
                balance[arc[0]].append((1, part))
                balance[arc[1]].append((-1, part))
        balance[goal].append((1, there))
        for tile, terms in balance.items():
            if tile not in starts and terms:
                row(terms, 0, 0)
