"""What the critic says of efficiency, and of the decisions that cost most."""

from __future__ import annotations

import json

import pytest

from planoracle.analysis.diagnosis.efficiency import openings
from planoracle.analysis.grading.oracle import optimum
from planoracle.instances.benchmarks.asynctool import language as talk
from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol import registry
from planoracle.solver.kitchens.astar import plan as plan_kitchen
from tests.support.critiques import KITCHEN, PAIR, TABLES, TEA, A, B, act, piece, report, walk
from tests.support.random_instances import kitchen as random_kitchen
from tests.support.random_instances import workshop
from tests.support.robotouille import kitchen


def test_efficiency_of_a_slow_plan() -> None:
    problem = catalog.load(PAIR)
    plan = ", ".join(command.text for command in problems.reference_plan("recipe2plan/timed/Cobbler_Pancakes"))
    found = report(problem, plan).efficiency
    best = optimum(problem)
    assert (found.status, found.makespan, found.optimum, found.gap) == ("optimal", 4380, 4080, 300)
    run = registry.of(problem).run(problem, plan).verdict
    assert found.idle == run.idle
    assert found.optimal_idle == registry.of(problem).run(problem, best.plan).verdict.idle
    row = found.as_dict()
    assert row["idle_total"] == sum(end - start for start, end in run.idle)


@pytest.mark.slow
def test_openings_are_open() -> None:
    """Every action said to fit into an idle interval does: some start there is accepted, all else unchanged."""
    offered = 0
    for seed in range(120):
        instance = random_kitchen(seed) if seed % 2 else workshop(seed)
        schedule = optimum(instance).schedule
        if schedule is None:
            continue
        late = Schedule.of(instance, [p._replace(start=p.start + 3) for p in schedule.pieces])
        for start, end, names, _ in openings(instance, late, [(0, 3)]):
            for name in names:
                action = instance.by_id[name]
                held = [p for p in late.pieces if p.action == name]
                if action.interruptible or len(held) > 1:
                    continue
                others = [p for p in late.pieces if p.action != name]
                moved = (Schedule.of(instance, [*others, held[0]._replace(start=s)]) for s in range(start, end))
                assert any(not list(find_violations(instance, one)) for one in moved)
                offered += 1
    assert offered > 20


def test_an_opening_for_a_part_of_an_interruptible_action() -> None:
    chop = act("chop", 6, interruptible=True)
    boil = act("boil", 4, 0)
    instance = Instance("k", (boil, chop))
    plan = Schedule.of(instance, [piece("boil", 0, 4), piece("chop", 4, 6)])
    assert list(openings(instance, plan, [(0, 4)])) == [(0, 4, ("t/chop",), None)]
    assert list(openings(instance, plan, [(20, 24)])) == []


def test_an_opening_for_another_agent() -> None:
    instance = Instance("k", (act("a", 4, agents=("x",)), act("b", 3), act("c", 2)), agents=("x", "y"))
    rows = [
        piece("a", 0, 4, "x")._asdict(),
        piece("b", 4, 3, "x")._asdict(),
        piece("c", 0, 2, "y")._asdict(),
    ]
    found = report(instance, rows)
    assert found.efficiency.openings == ((2, 7, ("t/b",), "y"),)
    assert (found.efficiency.makespan, found.efficiency.optimum) == (7, 5)


def test_an_impossible_problem_is_said_to_be_so() -> None:
    hasty = Instance("k", (A, B), time_limit=3)
    found = report(hasty, [])
    assert (found.efficiency.status, found.efficiency.optimum) == ("infeasible", None)
    assert "No plan at all" in found.prose()


# --- decisions -----------------------------------------------------------------------------------


def test_the_decisions_that_cost_most() -> None:
    late = "Step(0, Cobbler, 10 min, 00:05:00), Step(0, Cobbler, 10 min, 00:05:00)"
    found = report(catalog.load(PAIR), late, regret=True, hints=True)
    assert found.decisions is not None
    assert [(one.kind, one.start, one.end, one.cost) for one in found.decisions.costly] == [("wait", 0, 300, 300)]
    assert (found.decisions.no_return, found.decisions.completion, found.decisions.optimal_count) == (None, 4380, 0)
    assert "Decisions: What puts the end off most: waiting (00:00:00 to 00:05:00) by 5 min." in found.prose()
    assert "still be done in 1 h 13 min" in found.prose()
    assert "Begin differently." in found.prose()
    assert found.decisions.next
    for command in found.decisions.next:
        longer = report(catalog.load(PAIR), f"{late[: late.index('),') + 1]}, {command}", regret=True)
        if command.startswith("Step"):
            assert longer.decisions is not None
            assert longer.decisions.completion == 4380
    assert optimum(catalog.load(PAIR)).plan not in json.dumps(found.as_dict())


def test_the_point_of_no_return_and_its_reason() -> None:
    found = report(KITCHEN, [[1, "Bread", 300, 0], [1, "Pie", 180, 361], [2, "Bread", 120, 541]], regret=True)
    assert found.decisions is not None
    last = found.decisions.no_return
    assert last is not None
    assert (last.index, last.kind, last.status) == (1, "wait", "infeasible")
    assert (found.decisions.cause, found.decisions.proved) == ("constraints", True)
    assert any("step 2 of Bread" in reason for reason in found.decisions.reasons)
    assert "After waiting (00:05:00 to 00:06:01) nothing can complete everything" in found.prose()


def test_hints_do_not_give_away_calls() -> None:
    problem = catalog.load("asynctool/files_1")
    found = report(problem, [talk.WAIT], regret=True, hints=True)
    assert found.decisions is not None
    assert (found.decisions.next, found.decisions.costly[0].cost) == ((), 1)


def test_very_long_runs_are_not_priced() -> None:
    found = report(catalog.load(TEA), {"actions": ["wait"] * 1200, "time_limit": 1200}, regret=True)
    assert found.decisions is not None
    assert (found.decisions.costly, found.decisions.count) == ((), 1200)
    assert "too many decisions" in found.prose()


def test_a_perfect_plan_costs_nothing() -> None:
    for name in (PAIR, TEA, "asynctool/files_1"):
        problem = catalog.load(name)
        found = report(problem, optimum(problem).plan, regret=True, hints=True)
        assert found.decisions is not None
        assert (found.decisions.costly, found.decisions.no_return) == ((), None)
        assert found.decisions.optimal_count == found.decisions.count
        assert "Nothing that you decided costs time." in found.prose()


def test_how_a_kitchen_could_still_be_completed() -> None:
    found = walk(TABLES, "Pick up bread1 from table1 using robot1", "Do nothing", regret=True, hints=True)
    assert found.decisions is not None
    assert (found.decisions.completion, found.decisions.no_return) == (4, None)
    assert [(one.index, one.kind, one.cost) for one in found.decisions.costly] == [(1, "act", 1)]
    assert "still be done in 4 steps in all" in found.prose()
    assert "Go on with one of these: Move robot1 from table1 to table2." in found.prose()


def test_the_point_of_no_return_in_a_kitchen() -> None:
    fried = kitchen(
        {"board1": ["potato1"], "fryer1": [], "table1": []},
        traits={"potato1": ["iscuttable", "isfryable"]},
        goal=[["isfried", "potato#1"], ["item_at", "potato#1", "table1"]],
    )
    cuts = ["Do nothing", *["Cut potato1 on board1 using robot1"] * 3, "Do nothing"]
    found = walk(fried, *cuts, regret=True)
    assert found.decisions is not None
    last = found.decisions.no_return
    assert last is not None
    assert plan_kitchen(fried, after=cuts[: last.index]).status == "optimal"
    assert plan_kitchen(fried, after=cuts[: last.index + 1]).status == "infeasible"
    assert "nothing can complete everything" in found.prose()
