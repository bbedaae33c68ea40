"""Critiques of efficiency and of the costliest decisions."""

from __future__ import annotations

import json

from planoracle.analysis.diagnosis.efficiency import efficiency
from planoracle.analysis.grading.oracle import optimum
from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Optimum
from planoracle.solver.kitchens.astar import plan as plan_kitchen
from tests.support.critiques import KITCHEN, PAIR, TABLES, TEA, A, B, critique_actions, report
from tests.support.robotouille import kitchen


def test_efficiency_of_a_slow_plan() -> None:
    problem = catalog.load(PAIR)
    plan = ", ".join(command.text for command in problems.reference_plan("recipe2plan/timed/Cobbler_Pancakes"))
    efficiency = report(problem, plan).efficiency
    assert (efficiency.status, efficiency.makespan, efficiency.optimum, efficiency.gap) == ("optimal", 4380, 4080, 300)
    run = registry.of(problem).run(problem, plan).verdict
    assert efficiency.idle == run.idle
    row = efficiency.as_dict()
    assert row["idle_total"] == sum(end - start for start, end in run.idle)


def test_infeasible_problem_is_reported() -> None:
    hasty = Instance("k", (A, B), time_limit=3)
    result = report(hasty, [])
    assert (result.efficiency.status, result.efficiency.optimum) == ("infeasible", None)
    assert "No plan completes all tasks" in result.prose()


def test_efficiency_states_the_bound_of_an_unproved_optimum_and_does_not_compare_weights() -> None:
    problem = catalog.load(TEA)
    examined = registry.of(problem).examine(registry.of(problem).run(problem, optimum(problem).plan))
    bounded = efficiency(examined, Optimum(None, Status.feasible, 9))
    assert bounded.gap is None
    assert "The optimal makespan is not known; it is at least 9 min." in bounded.text
    best = Optimum(12, Status.optimal, 12, weight=5)
    light, equal = efficiency(examined, best, weight=3), efficiency(examined, best, weight=5)
    assert (light.gap, equal.gap) == (None, 1)
    assert "weigh 3; those of the best plans weigh 5. Makespans of" in light.text
    assert "Your plan takes 13 min; the optimal plan takes 12 min, 1 min less." in equal.text


# --- decisions -----------------------------------------------------------------------------------


def test_costliest_decisions_are_named() -> None:
    late = "Step(0, Cobbler, 10 min, 00:05:00), Step(0, Cobbler, 10 min, 00:05:00)"
    result = report(catalog.load(PAIR), late, regret=True)
    assert result.decisions is not None
    assert [(one.kind, one.start, one.end, one.cost) for one in result.decisions.costly] == [("wait", 0, 300, 300)]
    assert (result.decisions.no_return, result.decisions.completion, result.decisions.optimal_count) == (None, 4380, 0)
    assert (
        "Decisions: This decision delays the end of the plan most: waiting (00:00:00 to 00:05:00) by 5 min."
        in result.prose()
    )
    assert "still be completed in 1 h 13 min" in result.prose()
    assert optimum(catalog.load(PAIR)).plan not in json.dumps(result.as_dict())


def test_point_of_no_return_has_reason() -> None:
    result = report(KITCHEN, [[1, "Bread", 300, 0], [1, "Pie", 180, 361], [2, "Bread", 120, 541]], regret=True)
    assert result.decisions is not None
    last = result.decisions.no_return
    assert last is not None
    assert (last.position, last.kind, last.status) == (1, "wait", "infeasible")
    assert (result.decisions.cause, result.decisions.proved) == ("constraints", True)
    assert any("step 2 of Bread" in reason for reason in result.decisions.reasons)
    assert "After waiting (00:05:00 to 00:06:01), no continuation completes all tasks" in result.prose()


def test_very_long_runs_have_no_costs_of_decisions() -> None:
    result = report(catalog.load(TEA), {"actions": ["wait"] * 1200, "time_limit": 1200}, regret=True)
    assert result.decisions is not None
    assert (result.decisions.costly, result.decisions.count) == ((), 1200)
    assert "too many to compute their costs" in result.prose()


def test_optimal_plan_has_no_costly_decisions() -> None:
    for name in (PAIR, TEA, "asynctool/files_1"):
        problem = catalog.load(name)
        result = report(problem, optimum(problem).plan, regret=True)
        assert result.decisions is not None
        assert (result.decisions.costly, result.decisions.no_return) == ((), None)
        assert result.decisions.optimal_count == result.decisions.count


def test_completion_of_kitchen_plan_is_reported() -> None:
    result = critique_actions(TABLES, "Pick up bread1 from table1 using robot1", "Do nothing", regret=True)
    assert result.decisions is not None
    assert (result.decisions.completion, result.decisions.no_return) == (4, None)
    assert [(one.position, one.kind, one.cost) for one in result.decisions.costly] == [(1, "act", 1)]
    assert "still be completed in 4 steps in total" in result.prose()


def test_point_of_no_return_in_kitchen() -> None:
    fried = kitchen(
        {"board1": ["potato1"], "fryer1": [], "table1": []},
        traits={"potato1": ["iscuttable", "isfryable"]},
        goal=[["isfried", "potato#1"], ["item_at", "potato#1", "table1"]],
    )
    cuts = ["Do nothing", *["Cut potato1 on board1 using robot1"] * 3, "Do nothing"]
    result = critique_actions(fried, *cuts, regret=True)
    assert result.decisions is not None
    last = result.decisions.no_return
    assert last is not None
    assert plan_kitchen(fried, after=cuts[: last.position]).status == "optimal"
    assert plan_kitchen(fried, after=cuts[: last.position + 1]).status == "infeasible"
    assert "no continuation completes all tasks" in result.prose()
