"""What the compiled search looks up, as arrays: distances, stations, things, and what becomes of them.

All of it comes from `Moves`, `Things` and `Bound`, which say what is so. What things become, and whether all food there
is can still be used, is asked of them when the search first needs it, and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from planoracle.solver.floors.bound import Bound
from planoracle.solver.floors.compiled.sizes import FAR, HOLDING, LOADS
from planoracle.solver.floors.errands import BRING, CHOP, CHOP_FRY, FRY, SEE
from planoracle.solver.floors.moves import Moves
from planoracle.solver.floors.places import Places

__all__ = [
    "BOARD",
    "LAY",
    "NONE",
    "NOT_ASKED",
    "RETURN",
    "SINK",
    "STOVE",
    "WINDOW",
    "Fixed",
    "Lookup",
    "Tables",
    "spread",
]

Ints: TypeAlias = NDArray[np.int32]

#: What an exchange is of which nobody has asked yet.
NOT_ASKED: Final = -2
_STATES: Final = ("raw", "chopped", "cooked")
#: Kinds of stations, by what is done there.
LAY, BOARD, STOVE, WINDOW, RETURN, SINK, NONE = range(7)
_KINDS: Final = {
    "chopping_board": BOARD,
    "stove": STOVE,
    "serving_window": WINDOW,
    "plate_return": RETURN,
    "sink": SINK,
    "trash": NONE,
}


class Fixed(NamedTuple):
    """Arrays of one floor that do not change; single numbers are tuples, so that the compiler knows their type.

    Attributes
    ----------
    walks
        From tile to tile.
    reach
        From tile to station, for cooks.
    sides
        By station: how many tiles it is used from, and which.
    kind, gives
        By station: what is done there, the thing a dispenser gives.
    out, board, chopped, stove, fried, ways
        As in `Places`.
    go, last
        By kind of errand and where it begins: steps to where the next begins, and to its own end (see `Errands`).
    counts, ends
        By orders served and ingredient: how many are needed, and in which states (bits).
    errand, work
        By orders served, ingredient and state: kind of errand, ticks of work.
    sources
        By ingredient: how many stations give it, and which.
    cookware, takes
        By ingredient: kind of vessel that cooks it (-1 for none), state in which it takes it.
    ticks
        By kind of vessel.
    windows
        How many, and which.
    soonest
        As in `Places`.
    """

    cooks: int
    stations: int
    orders: int
    stamped: int
    chop: int
    wash: int
    back: int
    returns: int
    longest: int
    served: int
    plate: int
    turns: int
    walks: Ints
    reach: Ints
    sides: Ints
    kind: Ints
    gives: Ints
    out: Ints
    board: Ints
    chopped: Ints
    stove: Ints
    fried: Ints
    ways: Ints
    go: Ints
    last: Ints
    counts: Ints
    ends: Ints
    errand: Ints
    work: Ints
    sources: Ints
    cookware: Ints
    takes: Ints
    ticks: Ints
    windows: Ints
    soonest: Ints


class Lookup(NamedTuple):
    """Arrays that grow.

    Attributes
    ----------
    things
        By thing: ticks that an ingredient more takes, whether it cooks, what it is chopped and cooked, how many foods
        are in it, its kind (0 for food by itself, 1 for plates, from 2 on cookware, -1 for nothing and dirty plates).
    names, states
        By thing: of each food.
    meals
        By thing and orders served: whether it can be served then.
    exchange
        By stove, held and lying: -1 for none, else what is then held, what lies there, and how it went, see `packed`.
    keys, fits
        Whether all food there is can be used, by orders served and things: an open table.
    """

    things: Ints
    names: Ints
    states: Ints
    meals: Ints
    exchange: NDArray[np.int64]
    keys: NDArray[np.int16]
    fits: NDArray[np.int8]


class Tables:
    """The arrays of one floor."""

    def __init__(self, moves: Moves, bound: Bound, turns: bool, closed: Sequence[int]) -> None:
        self.moves, self.things = moves, moves.things
        foods = {name for dish in self.things.dishes for name, _ in dish}
        self.names = sorted(foods | set(bound.sources))
        self._name = {name: n for n, name in enumerate(self.names)}
        cookware = moves.floor.facts.cookware
        self._kinds = {"": 0, "plate": 1} | {kind.name: n + 2 for n, kind in enumerate(cookware)}
        self.fixed = self._fixed(bound, turns)
        self.fixed.kind[list(closed)] = NONE
        self._known = self._asked = 0
        self._most = max([1, *(len(dish) for dish in self.things.dishes)])
        self.lookup = self._empty(128, 1 << 14)
        self.learn()

    def _fixed(self, bound: Bound, turns: bool) -> Fixed:
        moves, places, names = self.moves, bound.places, self.names
        facts = moves.floor.facts
        ware = [bound.cookware.get(name) for name in names]
        errands = [
            [[bound.errand(name, state, row.get(name, frozenset())) for state in _STATES] for name in names]
            for row in bound.ends
        ]
        return Fixed(
            len(moves.floor.cooks),
            len(moves.kinds),
            len(self.things.meals),
            int(moves.stamped),
            facts.chop,
            facts.wash,
            facts.plate_return,
            int(moves.returns),
            min(moves.longest, FAR),
            min(places.served, FAR),
            self.things.plate,
            int(turns and len(moves.floor.cooks) > 1),
            _ints(moves.walks),
            _ints(places.walks),
            _ragged(moves.beside),
            _ints([_KINDS.get(kind, LAY) for kind in moves.kinds]),
            _ints(moves.gives),
            _ints(places.out),
            _ints(places.board),
            _ints(places.chopped),
            _ints(places.stove),
            _ints(places.fried),
            _ints(places.ways),
            *_errands(places, moves),
            _ints([[row.get(name, 0) for name in names] for row in bound.counts]),
            _ints([[_bits(row.get(name, ())) for name in names] for row in bound.ends]),
            _ints([[[one[0] for one in by_state] for by_state in row] for row in errands]),
            _ints([[[one[1] for one in by_state] for by_state in row] for row in errands]),
            _ragged([bound.sources.get(name, ()) for name in names]),
            _ints([-1 if kind is None else self._kinds[kind.name] for kind in ware]),
            _ints([_STATES.index(kind.takes) if kind and kind.takes in _STATES else -1 for kind in ware]),
            _ints([0, 0, *(kind.ticks for kind in facts.cookware)]),
            _ints([len(moves.windows), *moves.windows]),
            _ints(places.soonest),
        )

    def _empty(self, things: int, keys: int) -> Lookup:
        return Lookup(
            np.zeros((things, 6), np.int32),
            np.zeros((things, self._most + 1), np.int32),
            np.zeros((things, self._most + 1), np.int32),
            np.zeros((things, len(self.things.meals) + 1), np.int32),
            np.full((2, things, things), NOT_ASKED, np.int64),
            np.zeros((keys, LOADS + 1), np.int16),
            np.full(keys, NOT_ASKED, np.int8),
        )

    def learn(self) -> None:
        """Take in the things that have become known."""
        things, n = self.things, self._known
        while n < len(things.forms):
            if n >= len(self.lookup.things):
                self._grow()
            form = things.forms[n]
            table = self.lookup
            kind = self._kinds[form.vessel] if form.vessel in self._kinds and (form.vessel or form.foods) else -1
            cooked = things.cooked(n) if form.cooking else n
            table.things[n] = (things.ticks[n], form.cooking, things.chopped(n), cooked, len(form.foods), kind)
            for position, (name, state) in enumerate(form.foods[: self._most]):
                table.names[n, position], table.states[n, position] = self._name[name], _STATES.index(state)
            for served, meal in enumerate(things.meals):
                table.meals[n, served] = kind == 1 and form.foods == meal
            n += 1
        self._known = n

    def _grow(self) -> None:
        old = self.lookup
        count = len(old.things)
        new = self._empty(2 * count, 0)
        for a, b in zip(new[:4], old[:4], strict=True):
            a[:count] = b
        new.exchange[:, :count, :count] = old.exchange
        self.lookup = new._replace(keys=old.keys, fits=old.fits)

    def answer_exchange(self, held: int, lying: int, stove: bool) -> None:
        """Ask what comes of an exchange."""
        done = self.things.exchange(held, lying, stove)
        self.learn()
        self.lookup.exchange[int(stove), held, lying] = (
            -1 if done is None else done[2] + 8 * (done[0] + HOLDING * done[1])
        )

    def answer_fits(self, key: Sequence[int]) -> None:
        """Ask whether what there is can be used: orders served, then things, then zeros."""
        if 2 * self._asked >= len(self.lookup.fits):
            old = self.lookup
            empty = self._empty(1, 4 * len(old.fits))
            self.lookup = old._replace(keys=empty.keys, fits=empty.fits)
            for known in np.flatnonzero(old.fits != NOT_ASKED):
                self._keep(old.keys[known], int(old.fits[known]))
        good = self.things.fits(key[0], tuple(thing for thing in key[1:] if thing))
        self._asked += 1
        self._keep(np.array(key, np.int16), int(good))

    def _keep(self, key: NDArray[np.int16], value: int) -> None:
        keys, fits = self.lookup.keys, self.lookup.fits
        slot = spread(key) & (len(fits) - 1)
        while fits[slot] != NOT_ASKED:
            if (keys[slot] == key).all():
                return
            slot = (slot + 1) & (len(fits) - 1)
        keys[slot], fits[slot] = key, value


def spread(key: Iterable[Any]) -> int:
    """Return a number that differs for most keys; the compiled search does the same."""
    mixed = 0
    for one in key:
        mixed = (mixed * 1_000_003 + int(one) + 17) & 0x3FFFFFFFFFFF
    return mixed ^ (mixed >> 21)


def _errands(places: Places, moves: Moves) -> tuple[Ints, Ints]:
    """Return what errands cost by kind and place, as `Errands` counts it: on to any place, and to their own end."""
    ways = np.minimum(np.array(places.ways, np.int64), FAR)
    boards, stoves, window = list(places.boards), list(moves.stoves), list(moves.windows)
    chop = _through(ways, boards)
    ends = {CHOP: (ways, boards), CHOP_FRY: (chop, stoves), FRY: (ways, stoves), SEE: (ways, []), BRING: (ways, window)}
    go, last = [], []
    for what in sorted(ends):
        first, at = ends[what]
        if what == SEE:
            go.append(ways)
            last.append(np.zeros(len(ways), np.int64))
            continue
        to_end = first[:, at]
        last.append(to_end.min(axis=1, initial=FAR))
        go.append(np.min(to_end[:, :, None] + ways[at][None], axis=1, initial=FAR))
    return _ints(go), _ints(last)


def _through(ways: NDArray[np.int64], places: list[int]) -> NDArray[np.int64]:
    return np.min(ways[:, places, None] + ways[places][None], axis=1, initial=FAR)


def _ints(values: Any) -> Ints:
    return np.minimum(np.array(values, np.int64), FAR).astype(np.int32)


def _ragged(rows: Sequence[Sequence[int]]) -> Ints:
    most = max((len(row) for row in rows), default=0)
    return _ints([[len(row), *row, *[0] * (most - len(row))] for row in rows])


def _bits(states: Iterable[str]) -> int:
    return sum(1 << _STATES.index(state) for state in states)
