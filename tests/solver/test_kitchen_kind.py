"""Stored results of kitchens."""

from __future__ import annotations

import pytest

from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES
from planoracle.instances.benchmarks.kitchens.problems import kitchen
from planoracle.solver.kinds.kitchen_kind import KIND
from planoracle.solver.solve import bundled_result

BURGER = kitchen("kitchens/synchronous/3_burger")


def test_stored_result_is_restored() -> None:
    best = bundled_result(BURGER)
    assert best is not None
    restored = KIND.unpack(BURGER, PROFILES["released"], KIND.pack(BURGER, PROFILES["released"], best))
    assert (restored.actions, restored.makespan, restored.plan) == (best.actions, best.makespan, best.plan)


@pytest.mark.parametrize("change", [[-1], [None], ["fly"], "Do nothing", []])
def test_plans_that_do_not_pass_the_rules_are_refused(change: list[object]) -> None:
    best = bundled_result(BURGER)
    assert best is not None
    entry = KIND.pack(BURGER, PROFILES["released"], best)
    for plan in (change, [*change, *best.actions], [*best.actions, *change[:1]]):
        if plan != list(best.actions):
            with pytest.raises(ValueError, match="plan"):
                KIND.unpack(BURGER, PROFILES["released"], entry | {"plan": plan})
