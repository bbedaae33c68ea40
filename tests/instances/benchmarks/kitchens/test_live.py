"""Live runs in kitchens: limits, rounds of several players, and observations."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from dataclasses import replace

import pytest

from planoracle import load
from planoracle.analysis.grading.grader import Grader
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.language import MAX_ACTIONS
from planoracle.instances.benchmarks.kitchens.live import NO_ACTION
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import USUAL, AnyEnvironment, Observation, RunConfig
from planoracle.solver.solve import solve
from tests.support.robotouille import KITCHENS

FREE = RunConfig(bounded=False)
RULES = {
    "paper": PROFILES["paper"],
    "released": PROFILES["released"],
    "joint": replace(PROFILES["paper"], moves="joint"),
}
SOUP = "robotouille/asynchronous/5_potato_soup@42"
NAMES = (SOUP, "kitchens/multi_agent/3_lettuce_fried_chicken_fried_onion_burger", "kitchens/synchronous/3_burger~3")


def live(kitchen: Kitchen, rules: str = "paper", config: RunConfig = FREE) -> AnyEnvironment:
    return registry.of(kitchen).environment(kitchen, RULES[rules], config)


def step_limit(kitchen: Kitchen, rules: str = "paper", config: RunConfig = USUAL) -> int | None:
    return live(kitchen, rules, config).text.step_limit


def test_step_limit_is_that_of_the_paper() -> None:
    run = live(load(SOUP), config=RunConfig())
    assert run.text.step_limit == 31  # 21 steps are the optimum
    for number in range(31):
        assert not run.done
        run.step("jump" if number % 2 else "Do nothing")
    assert run.observation.over == "step_limit"
    assert run.submission()["limit"] == 31
    assert run.run().record.end == "limit"
    published = registry.of(run.problem).environment(run.problem, replace(PROFILES["paper"], limit="published"))
    assert published.text.step_limit == 28  # 1.5 times 19
    # Without a bundled optimum: 30 steps for each of three conditions, or 100, of every player.
    assert step_limit(KITCHENS["soup"]) == 100
    assert step_limit(KITCHENS["crowd"]) == 300
    assert step_limit(KITCHENS["crowd"], "joint") == 100
    assert step_limit(KITCHENS["soup"], config=FREE) is None


@pytest.mark.parametrize("rules", RULES)
def test_step_limit_is_at_least_one_and_a_half_optima(rules: str) -> None:
    for name in ("robotouille", "kitchens"):
        benchmark = registry.get(name)
        for kitchen in map(load, sorted(benchmark.optima)[::20]):
            limit = step_limit(kitchen, rules)
            optima = [way["makespan"] for way in benchmark.optima[kitchen.name] if way["status"] == "optimal"]
            rounds = len(kitchen.players) if rules == "joint" else 1
            assert limit is not None
            assert all(limit >= 3 * makespan // (2 * rounds) for makespan in optima)


BURGER = "robotouille/synchronous/3_burger"  # 8 steps are the optimum, 12 the limit
REFUSED = "Pick up patty1 from table3 using robot1"


def played(messages: list[str], rules: KitchenRules) -> AnyEnvironment:
    """Return a live run of messages up to its end."""
    run = registry.get("robotouille").environment(load(BURGER), rules, USUAL)
    for message in messages:
        if not run.done:
            run.step(message)
    return run


@pytest.mark.parametrize("refused", [REFUSED, "Dance", "Action: fly", "Transfer patty1 to table1 using robot1"])
@pytest.mark.parametrize("count_refused", [True, False])
@pytest.mark.parametrize("count", [4, 5, 20])
def test_live_run_and_grade_of_the_same_actions_agree(refused: str, count_refused: bool, count: int) -> None:
    rules = replace(PROFILES["paper"], count_refused=count_refused, refuse_unread=False)
    actions = [refused] * count + solve(load(BURGER)).plan.splitlines()
    run = played(actions, rules)
    grader = Grader({"robotouille": rules})
    live_grade, list_grade = (
        grader.grade({"instance": BURGER, "actions": commands}) for commands in (run.submission()["actions"], actions)
    )
    is_in_time = count <= 4 or not count_refused
    assert list_grade.success is live_grade.success is run.success is is_in_time
    assert list_grade.metrics["steps_taken"] == live_grade.metrics["steps_taken"] == run.observation.clock
    assert run.observation.over == ("completed" if is_in_time else "step_limit")


def test_no_number_of_refusals_ends_a_run_by_the_released_rules() -> None:
    run = played([REFUSED] * 1_000, PROFILES["released"])
    assert not run.done
    assert run.observation.clock == 0


def test_messages_without_an_action_are_refused_actions() -> None:
    run = live(KITCHENS["soup"])
    for message in ("Hm", "", None, "<think>Do nothing</think>", "Hm"):
        run.step(message)
    assert [entry["action"] for entry in run.submission()["actions"]] == ["Hm", NO_ACTION, NO_ACTION, NO_ACTION, "Hm"]
    assert run.observation.clock == 5
    assert "not understood, the message contains no action" in run.observation.text
    assert run.run().verdict == run.verdict()
    assert {violation.kind for violation in run.verdict().violations} == {"unknown_action"}


@pytest.mark.slow
def test_long_runs_end_and_can_be_copied_and_printed() -> None:
    run = live(KITCHENS["soup"])
    while not run.done:
        run.step("Do nothing")
    assert run.observation.over == "action_limit"
    assert len(run.turns) == MAX_ACTIONS
    assert deepcopy(run).submission() == run.submission()
    assert "Do nothing" in repr(run.state)
    assert run.run().record.steps_taken == MAX_ACTIONS


def test_finish_ends_the_run() -> None:
    run = live(KITCHENS["soup"])
    assert run.step("Thought: enough\nAction: Finish").observation.over == "handed_in"
    assert run.submission()["actions"] == []


def test_joint_message_takes_one_round() -> None:
    run = live(KITCHENS["crowd"], "joint")
    assert run.problem.players == ("robot2", "robot1", "robot3")
    message = {"robot3": "Pick up bread9 from table2 using robot3", "robot2": "Move robot2 from stove1 to board1"}
    outcomes = run.step(message).outcomes
    assert [(one.command, one.kind) for one in outcomes] == [
        ("Move robot2 from stove1 to board1", "act"),
        ("Do nothing", "act"),
        ("Pick up bread9 from table2 using robot3", "lost"),
        ("Do nothing", "act"),
    ]
    # A round, and a step for the refused action.
    assert (run.state.world.ticks, run.observation.clock, run.observation.player) == (2, 2, "robot2")
    assert "takes 3 more rounds" in run.instructions()
    cut = run.step(json.dumps({"robot2": "Cut lettuce1 on board1 using robot2", "robot3": ""}))
    assert [one.kind for one in cut.outcomes] == ["act"] * 3
    assert run.state.world.ticks == 3
    run.step("Cut lettuce1 on board1 using robot2")
    assert run.observation.player == "robot1"
    (early,) = run.step({"robot2": "Do nothing"}).outcomes
    assert early.violation.case == "unreadable"
    assert "robot2 has already acted in this round" in run.observation.text
    run.step({"robot1": "Do nothing"})
    assert (run.state.world.ticks, run.observation.player) == (5, "robot2")


def test_open_loop_plan_has_the_step_limit() -> None:
    bounded = live(load(SOUP), config=RunConfig(loop="open"))
    bounded.step(["Do nothing"] * 100)
    assert len(bounded.run().steps) == 31
    assert bounded.run().record.end == "limit"


def test_observations_contain_goal_refusals_and_valid_actions() -> None:
    run = live(load("kitchens/synchronous/1_lettuce_sandwich"))
    assert run.introduction().startswith("Goal: Cut lettuce between two slices of bread, on a table\n")
    assert "lettuce1: cuttable" in run.introduction()
    text = run.step("Action: Cut lettuce1 on table2 using robot1").observation.text
    assert "refused, it is not one of the valid actions" in text
    earlier = live(run.problem, config=RunConfig(wording=1))
    earlier_text = earlier.step("Action: Cut lettuce1 on table2 using robot1").observation.text
    assert "refused, needs table2 to be board and robot1 at table2" in earlier_text
    assert "- Move robot1 from table1 to board1" in text.splitlines()
    terse = live(run.problem, config=RunConfig(feedback="terse"))
    short = terse.step("Action: Cut lettuce1 on table2 using robot1").observation.text
    assert short.splitlines()[:2] == ['"Cut lettuce1 on table2 using robot1": refused', "robot1 at table1, hands empty"]
    assert "Valid actions" not in short


def test_observation_texts_are_computed_on_first_access() -> None:
    calls: list[int] = []

    def text() -> str:
        calls.append(1)
        return "so"

    observation = Observation(text, 3, over="completed")
    assert not calls
    assert (observation.text, observation.text, len(calls)) == ("so", "so", 1)
    copy = pickle.loads(pickle.dumps(observation))
    assert (copy, hash(copy)) == (observation, hash(observation))
    assert observation != Observation("so", 4)
