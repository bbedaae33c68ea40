"""Optimal plans for kitchens, compared with blind search, known optima and remaining steps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.robotouille import kitchen as small
from support.robotouille import min_steps_of
from support.samples import sample

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.domain import bundled
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Goal
from planoracle.instances.benchmarks.kitchens.problems import kitchen, names
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.errors import InputError
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.kitchens.heuristic import heuristic
from tests.support.robotouille_originals import load_kitchen

#: Optima of the released default kitchens, in their order.
OPTIMA = {
    "synchronous": (8, 14, 24, 8, 15, 23, 35, 43, 39, 57),
    "asynchronous": (21, 27, 37, 42, 46, 19, 42, 44, 62, 80),
}


@pytest.mark.parametrize(
    "name", sample([name for name in names() if "/multi_agent/" not in name and "/9_" not in name], 10)
)
def test_bundled_kitchens_are_proved(name: str) -> None:
    result = plan(kitchen(name))
    assert (result.status, result.lower_bound) == ("optimal", result.makespan)
    replayed = trace(kitchen(name), result.actions)
    assert replayed.success
    assert replayed.steps_taken == result.makespan == len(result.actions)


@pytest.mark.slow
@pytest.mark.parametrize("setting", sample(OPTIMA, 2))
def test_released_default_kitchens_have_known_optima(shared: Path, setting: str) -> None:
    folder = shared / "benchmarks" / "robotouille" / setting
    for task, steps in enumerate(OPTIMA[setting]):
        (path,) = folder.glob(f"{task}_*.json")
        result = plan(load_kitchen(path))
        assert (result.status, result.makespan) == ("optimal", steps), path.name


@pytest.mark.parametrize(("place", "steps"), [("table1", 1), ("table2", 2)])
def test_bound_allows_that_a_cook_holds_an_obstacle_at_the_end(place: str, steps: int) -> None:
    stations = {"table1": ["bread1", "cheese1"], "table2": []}
    goal = [["clear", "bread#1"], ["item_on", "bread#1", "table#1"]]
    problem = small(stations, players={"robot1": {"at": place}}, goal=goal)
    compiled = CompiledKitchen(problem)
    [(bound, _)] = heuristic(compiled).root(compiled.start())
    assert bound == plan(problem).makespan == steps


def test_named_objects_of_a_goal_leave_no_choice() -> None:
    stations = {f"table{number}": [f"lettuce{number}"] for number in range(1, 7)}
    goal = [["item_on", f"lettuce{number}", f"table{number + 1}"] for number in range(1, 7)]
    problem = small({**stations, "table7": []}, goal=goal)
    assert heuristic(CompiledKitchen(problem)).familiar
    assert plan(problem).makespan == 24


def test_plan_continues_after_executed_actions() -> None:
    problem = kitchen("kitchens/synchronous/0_cheese_sandwich")
    whole = plan(problem)
    assert whole.makespan is not None
    for done in range(whole.makespan + 1):
        rest = plan(problem, after=whole.actions[:done])
        assert rest.makespan == whole.makespan - done
    assert plan(problem, after=["Do nothing"]).makespan == whole.makespan
    with pytest.raises(InputError, match=r"after\[0\]: is not a legal action in this state"):
        plan(problem, after=["Cook robot1 on table1 using robot1"])


def test_goal_that_is_true_at_the_start_takes_one_step() -> None:
    problem = kitchen("kitchens/synchronous/0_cheese_sandwich")
    player = problem.players[0]
    result = plan(replace(problem, goal=Goal.of([("nothing", player)])))
    assert (result.status, result.actions) == ("optimal", ("Do nothing",))


def test_goal_on_an_object_kind_that_is_absent_is_infeasible() -> None:
    problem = kitchen("kitchens/synchronous/0_cheese_sandwich")
    result = plan(replace(problem, goal=Goal.of([("iscooked", "chicken#1"), ("item_at", "chicken#1", "table#1")])))
    assert (result.status, result.makespan, result.lower_bound) == ("infeasible", None, None)
    assert result.expanded == 0


def test_time_limit_leaves_a_bound() -> None:
    result = plan(
        kitchen("kitchens/multi_agent/10_potato_tomato_chicken_soup_potato_cheese_onion_soup"), time_limit=0.2
    )
    assert result.status in ("feasible", "unknown")
    assert result.lower_bound is not None
    assert result.makespan is None or result.makespan >= result.lower_bound


def test_unusual_domain_is_searched_without_a_heuristic() -> None:
    problem = small({"table1": ["bread1"], "table2": []}, goal=[["item_on", "bread#1", "table2"]])
    domain = bundled()
    fewer = replace(domain, actions=tuple(action for action in domain.actions if action.name != "fry"))
    assert not heuristic(CompiledKitchen(replace(problem, domain=fewer))).familiar
    assert (
        plan(replace(problem, domain=fewer)).makespan
        == plan(problem).makespan
        == min_steps_of(problem, PROFILES["released"])
    )


def test_same_kitchen_gives_the_same_plan() -> None:
    problem = kitchen("kitchens/asynchronous/2_lettuce_tomato_fried_chicken_sandwich")
    assert plan(problem).actions == plan(problem).actions


@pytest.mark.slow
def test_plans_for_joint_moves_pass_the_rules():
    problem = kitchen("kitchens/multi_agent/4_lettuce_chicken_sandwich")
    result = plan(problem, time_limit=4, rules=replace(PROFILES["paper"], moves="joint"))
    assert result.status in ("optimal", "feasible")
    assert result.rounds == result.makespan


def test_goal_that_is_true_at_the_start_takes_one_joint_move() -> None:
    problem = small(
        {"table1": ["lettuce1"], "table2": []},
        players={"robot1": {"at": "table1"}, "robot2": {"at": "table2"}},
        goal=[["item_on", "lettuce#1", "table1"]],
    )
    result = plan(problem, rules=replace(PROFILES["released"], moves="joint"))
    assert (result.status, result.makespan, result.unit, len(result.actions)) == ("optimal", 1, "round", 2)
    assert trace(problem, result.actions, replace(PROFILES["released"], moves="joint")).success


@pytest.mark.parametrize(("back", "steps"), [(False, 0), (True, 1)])
def test_executed_actions_may_pass_through_the_goal(back: bool, steps: int) -> None:
    problem = small({"table1": [], "table2": []}, goal=[["loc", "robot1", "table2"]])
    after = ["Move robot1 from table1 to table2", *["Move robot1 from table2 to table1"] * back]
    result = plan(problem, after=after)
    assert (result.status, result.makespan) == ("optimal", steps)
