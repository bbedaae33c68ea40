"""Uses that were found with turns in any order are carried out with the turns as the rules have them."""

from __future__ import annotations

import pytest
from support.floors import PAPER, RELEASED
from support.random_floors import random_floor

from planoracle.instances.deadline import Work, deadline_of
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.floors.moves import FAR
from planoracle.solver.floors.proving import replayed
from planoracle.solver.floors.search import Search
from planoracle.solver.floors.turns import followed

pytest.importorskip("numba")

from planoracle.solver.floors.compiled.search import CompiledSearch


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
def test_what_the_rules_refuse_is_done_in_another_order_or_a_little_later(rules: FloorRules) -> None:
    refused = saved = 0
    for seed in range(60):
        search = Search(random_floor(seed, 2), rules)
        start = search.moves.start()
        if search.bound.root(start) >= FAR:
            continue
        found = CompiledSearch(search).best_first(deadline_of(Work(0.2)), 300, 0, [start])
        if found.uses is None:
            continue
        again = followed(search.moves, found.uses, 300)
        plan, ends = replayed(search, rules, found.uses)
        if plan is not None:
            assert again is not None, seed
            assert again[-1].moment == ends == found.bound, seed
            continue
        refused += 1
        if again is None:
            continue
        plan, ends = replayed(search, rules, again)
        assert ends >= found.bound or plan is None, seed
        own = {cook: [use[1:3] for use in again if use.cook == cook] for cook in (0, 1)}
        assert own == {cook: [use[1:3] for use in found.uses if use.cook == cook] for cook in (0, 1)}
        saved += plan is not None
        assert followed(search.moves, found.uses, again[-1].moment) is None
    assert refused
    assert saved
