"""Compiled searches do what those in Python do: the same uses and bounds on walks at random, the same optima."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from support.floors import PAPER, RELEASED
from support.odd_floors import odd_floor
from support.random_floors import random_floor

from planoracle.instances.deadline import Work, deadline_of
from planoracle.instances.floors.floor import Floor
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.floors.moves import FAR
from planoracle.solver.floors.search import Search

pytest.importorskip("numba")

from support.compiled_floors import bounds, successors

from planoracle.solver.floors.compiled.meeting import Meetings
from planoracle.solver.floors.compiled.numbers import row_of
from planoracle.solver.floors.compiled.search import CompiledSearch

Made = Callable[[int, int], Floor]
BOTH = pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
MADE = pytest.mark.parametrize("made", [random_floor, odd_floor], ids=["plain", "odd"])


@BOTH
@MADE
@pytest.mark.parametrize("cooks", [1, 2, 3])
@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 60), marks=pytest.mark.slow)], ids=["few", "many"])
def test_uses_and_bounds_are_the_same(rules: FloorRules, made: Made, cooks: int, seeds: range) -> None:
    """Of a single cook uses are left out where one from another side of the station is as good."""
    states = 0
    for seed in seeds:
        search = Search(made(seed, cooks), rules)
        state, random = search.moves.start(), Random(seed)
        if search.bound.root(state) >= FAR:
            continue
        compiled = CompiledSearch(search, turns=True)
        for _ in range(30):
            assert bounds(compiled, state) == (search.bound.chains(state), search.bound.walks(state)), state
            own = list(search.moves.children(state))
            rows = sorted((tuple(use), tuple(row_of(after, compiled._tables.fixed))) for use, after in own)
            found = successors(compiled, state)
            if cooks > 1:
                assert found == rows, state
            else:
                assert set(found) <= set(rows), state
                left_out = [use for use, row in rows if (use, row) not in found]
                assert all(_as_good(search, state, use) for use in left_out), state
            states += 1
            if not own:
                break
            state = random.choice(own)[1]
    assert states > 10 * len(seeds)


def _as_good(search: Search, state: object, use: tuple[int, ...]) -> bool:
    """Whether the cook can use the station from another side and be on this tile at the moment of the use."""
    moves = search.moves
    _, tile, station, moment, _ = use
    here, free = state.cooks[0][:2]  # type: ignore[attr-defined]
    ready = state.since[station]  # type: ignore[attr-defined]
    sides = (side for side in moves.beside[station] if side != tile)
    return any(max(free + moves.walks[here][side], ready) + moves.walks[side][tile] <= moment for side in sides)


@BOTH
@MADE
@pytest.mark.parametrize("cooks", [1, 2])
@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 40), marks=pytest.mark.slow)], ids=["few", "many"])
def test_optima_are_the_same_and_no_bound_is_above(rules: FloorRules, made: Made, cooks: int, seeds: range) -> None:
    compared = 0
    for seed in seeds:
        search = Search(made(seed, cooks), rules)
        start = search.moves.start()
        if search.bound.root(start) >= FAR:
            continue
        own = search.run(deadline_of(Work(0.1)))
        loose, strict = (
            CompiledSearch(search, turns).best_first(deadline_of(Work(0.3)), 300, 0, [start]) for turns in (False, True)
        )
        if not own.complete or not strict.complete or not loose.complete:
            continue
        compared += 1
        assert (own.uses is None) == (strict.uses is None), seed
        if own.uses is not None:
            assert own.bound == strict.bound >= loose.bound, seed
            assert Meetings(search.moves).least(search.bound) <= own.bound, seed
    assert 2 * compared > len(seeds)


@BOTH
def test_who_holds_something_may_be_on_the_way(rules: FloorRules) -> None:
    """A cook who waits for a board that another uses has walked there meanwhile: no bound is above the optimum."""
    search = Search(odd_floor(4, 2), rules)
    found = search.run(deadline_of(Work(2.0)))
    assert found.complete
    assert found.bound == 8
    assert found.uses is not None
    state = search.moves.start()
    for use in found.uses:
        assert search.bound.root(state) <= found.bound
        state = next(after for one, after in search.moves.children(state) if one == use)
