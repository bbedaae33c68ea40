"""Ways to pass ParaCook's checker by less work."""

from __future__ import annotations

import pytest

from planoracle.analysis.audit.auditor import Auditor
from planoracle.instances.benchmarks.paracook_abstract.metrics import LOOPHOLES
from planoracle.instances.files.catalog import problem
from planoracle.instances.protocol import registry
from planoracle.solver.solve import solve

ABSTRACT = registry.get("paracook_abstract")
NAME = "tea/seed_1/orders_num_1"


def test_each_way_past_the_checker_is_graded_as_less_than_the_optimum() -> None:
    found = list(Auditor().check_loopholes(ABSTRACT))
    assert [one.reference for one in found] == [way.name for way in LOOPHOLES]
    for one in found:
        assert one.optimum is not None
        assert one.claimed is not None
        assert (one.verdict, one.feasible) == ("infeasible", False)
        assert one.claimed < one.optimum
    assert [one.violation for one in found] == ["repeated_task", "repeated_task", "too_many_lists"]


@pytest.mark.parametrize("way", LOOPHOLES, ids=lambda way: way.name)
def test_every_plan_of_a_way_passes_by_the_released_rules_only(way) -> None:
    known = problem(way.problem)
    plans = list(way.plans(known, lambda one: solve(one).plan))
    assert plans
    for plan in plans:
        released = ABSTRACT.run(known, {"plan": plan}, ABSTRACT.rules.profiles["released"])
        assert released.success
        assert not ABSTRACT.run(known, {"plan": plan}, ABSTRACT.rules.profiles["paper"]).success
        if way.name != "more_lists":
            assert len(plan) <= len(known.agents)
            assert sum(map(len, plan)) == len(known.actions)
            assert len({task for one in plan for task in one}) < len(known.actions)
        else:
            assert len(plan) == len(known.agents) + 1
