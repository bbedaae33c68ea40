"""The best plans on small random floors: with and without bounds, and by trying everything by the rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.blind_floors import quickest, small

from planoracle.instances.deadline import NEVER, Work
from planoracle.instances.floors.profile import FloorRules
from planoracle.instances.floors.replay import carry_out
from planoracle.instances.status import Status
from planoracle.solver.floors.bound import Bound
from planoracle.solver.floors.planner import plan
from planoracle.solver.floors.search import Search

RELEASED = FloorRules(cooking="stamp", sinks="shared", finish="ignored", end="plans")
PAPER = FloorRules()


@pytest.mark.parametrize("rules", [RELEASED, PAPER], ids=["released", "paper"])
@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 40), marks=pytest.mark.slow)], ids=["few", "many"])
def test_bounds_take_no_plan_away(rules: FloorRules, seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found with bounds is as good as what is found without; no state on the way is thought too far away."""
    served = 0
    for seed in seeds:
        floor = small(seed)
        search = Search(floor, rules)
        found = search.run(NEVER)
        if found.uses is None:
            continue
        served += 1
        with monkeypatch.context() as without:
            without.setattr(Bound, "chains", lambda self, state: state.moment)
            without.setattr(Bound, "walks", lambda self, state: state.moment)
            assert Search(floor, rules).run(NEVER).bound == found.bound, floor.name
        state = search.moves.start()
        for use in found.uses:
            assert search.bound.root(state) <= found.bound, (floor.name, state)
            state = next(after for one, after in search.moves.children(state) if one == use)
        assert state.moment == found.bound
    assert served > 3


@pytest.mark.parametrize("rules", [RELEASED, PAPER], ids=["released", "paper"])
def test_plans_are_carried_out_as_they_were_thought(rules: FloorRules) -> None:
    """The rules say of a plan what the search says."""
    for seed in range(12):
        floor = small(seed)
        found = plan(floor, rules, Work(5.0))
        assert found.status in (Status.optimal, Status.infeasible), floor.name
        if found.plan is not None:
            outcome = carry_out(floor, found.plan, rules)
            assert outcome.done, floor.name
            assert outcome.time == found.makespan == found.bound, floor.name


@pytest.mark.slow
@pytest.mark.parametrize("rules", [RELEASED, PAPER], ids=["released", "paper"])
def test_nothing_is_better(rules: FloorRules) -> None:
    """Trying everything, tick by tick, with food that nobody needs as well, finds nothing that ends earlier."""
    tried = 0
    for seed in (371, *range(30)):  # the first needs a cook who waits a tick to have his turn after another
        floor = small(seed)
        found = Search(floor, rules).run(NEVER)
        if found.uses is None or found.bound > 6:
            continue
        try:
            assert quickest(floor, rules, most=found.bound - 1, states=9_000) is None, floor.name
            tried += 1
        except OverflowError:
            continue
    assert tried


def test_long_work_is_not_taken_for_impossible() -> None:
    """Durations up to the largest that files may have are no reason to say that there is no plan."""
    floor = small(1)
    slow = replace(floor, facts=replace(floor.facts, chop=10**6, move=10**6))
    found, quick = plan(slow, PAPER, Work(2.0)), plan(floor, PAPER, Work(2.0))
    assert (found.status == Status.infeasible) == (quick.status == Status.infeasible)
    assert found.bound <= (found.makespan or 10**12)
