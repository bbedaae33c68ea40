"""Rewards of steps and their sums, and rewards of completions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from support.live_runs import play_at_random
from support.samples import sample

from planoracle import environment, grade, load, reward, solve
from planoracle.analysis.agents.agent import PlayedRun, play
from planoracle.analysis.agents.builtin import agent
from planoracle.analysis.diagnosis.regret import regret_of
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.rewards import RegretReward, Score, Success
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.limits import Status, WorkLimit
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.scoring import without_live_row
from planoracle.solver.result import Result
from planoracle.solver.runs import Live, StateValue
from planoracle.solver.states.state_solver import Value

PROBLEMS = ("timearena/household1+household2", "robotouille/asynchronous/0_cheese_chicken_sandwich")
ALL = (*PROBLEMS, "recipe2plan/timed/Cobbler_Pancakes", "asynctool/similar2/01", "asynchow/async/829")


#: Values of states that are lost, and whose best makespan is not proved.
LOST, OPEN = Value.infeasible(), Value(13, None)


def played(run: AnyEnvironment, name: str, seed: int = 0) -> PlayedRun:
    return asyncio.run(play(run, agent(name, seed=seed)))


def infos(run: PlayedRun) -> list[dict[str, object]]:
    return [dict(one.transition.info) for one in run.exchanges]


def test_step_costs_equal_regrets_of_the_whole_run() -> None:
    for seed in range(5):
        result = played(environment(load(PROBLEMS[0]), reward="regret"), "random", seed)
        run = result.environment.run()
        costs = [one.cost for one in regret_of(run).decisions]
        step_costs = [info["cost"] for info in infos(result)]
        cut = len(step_costs) if run.success else step_costs.index(None)
        assert step_costs[:cut] == costs[:cut]


@pytest.mark.parametrize("name", PROBLEMS)
def test_costs_of_a_success_sum_to_its_gap(name: str) -> None:
    slow = environment(load(name), reward="regret")
    waits = [one.text for one in slow.legal() if one.kind == "wait"]
    first = [slow.step(waits[0]) for _ in range(4)]
    result = played(slow, "optimal")
    run = result.environment.run()
    graded = grade(result.environment.submission())
    assert run.success
    assert graded.optimal_makespan is not None
    lost = run.makespan - graded.optimal_makespan
    assert lost > 0
    assert sum(one.reward for one in first) + result.total == -lost
    assert sum(one.info["cost"] for one in first) == lost
    assert all(info["status"] == "optimal" and info["proved"] for info in infos(result))


def test_failed_run_costs_ten_times_the_optimum() -> None:
    run = environment(load("timearena/household1"), reward="regret")
    steps = [run.step("wait"), *(run.step("wash kettle") for _ in range(5))]
    assert run.state.over == "five_invalid"
    *before, last = steps
    assert [one.info["cost"] for one in steps] == [1, 1, 1, 1, 1, None]
    # The optimum is 13, so the total is 130; five minutes are charged already.
    assert (last.info["penalty"], last.info["lost"], last.info["status"]) == (125, "over", "infeasible")
    assert last.reward == -125.0
    assert sum(one.reward for one in before) == -5.0


def test_stopped_run_costs_as_much_as_a_failed_one() -> None:
    run = environment(load("timearena/household1"), reward="regret")
    assert run.step("wait").reward == -1.0
    last = run.stop("stopped")
    assert (last.reward, last.done, last.observation.over, run.state.over) == (-129.0, True, "stopped", "stopped")
    assert last.observation.text == run.observation.text
    with pytest.raises(InputError, match="the run is over"):
        run.stop("stopped")


@pytest.mark.parametrize("limit", [1, 3])
def test_run_ends_with_its_last_message(limit: int) -> None:
    run = environment(load(TEA), reward="regret", limit=limit)
    for _ in range(limit):
        assert not run.done
        assert run.legal()
        last = run.step("wait")
    assert (run.done, last.observation.over, run.legal()) == (True, "message_limit", ())
    assert last.reward == -130.0 + (limit - 1)


def test_penalty_can_be_set() -> None:
    run = environment(load("timearena/household1"), reward=RegretReward(penalty=99))
    assert run.step("exit").reward == -99.0


def test_whole_plans_have_one_reward() -> None:
    problem = load("timearena/household1")
    late = environment(problem, reward="regret", loop="open")
    best = asyncio.run(agent("optimal").act(late))
    assert best is not None
    step = late.step("wait\nwait\n" + best)
    assert (step.done, step.reward, step.info["cost"]) == (True, -2.0, 2)
    without_plan = environment(problem, reward="regret", loop="open").step("I do not know.")
    assert (without_plan.reward, without_plan.info["lost"]) == (-130.0, "over")


def test_forked_and_restored_runs_have_their_own_rewards() -> None:
    run = environment(load("timearena/household1"), reward="regret")
    begin = run.state
    other = run.fork()
    assert [run.step("wait").reward for _ in range(3)] == [-1.0] * 3
    assert other.step("activate kettle").reward == 0.0
    run.restore(begin)
    assert run.step("activate kettle").reward == 0.0


def test_unproved_decision_has_no_cost_and_is_marked() -> None:
    """Without solver work only final states have a known cost."""
    run = environment(
        load("robotouille/asynchronous/0_cheese_chicken_sandwich@84"), reward=RegretReward(limit=WorkLimit(1e-9))
    )
    chance = Random(1)
    for _ in range(5):
        transition = run.step(chance.choice(run.legal()).text)
        assert (transition.reward, transition.info["cost"], transition.info["proved"]) == (0.0, None, False)
    assert transition.info["steps"] == 5
    assert transition.info["status"] in ("unknown", "feasible")
    optimum = Live(WorkLimit(1e-9)).state_value(environment(run.problem)).value.makespan
    assert optimum is not None
    result = played(run, "optimal")
    assert run.success
    assert result.total == optimum - run.run().makespan < 0


def test_failed_run_with_an_unproved_optimum_costs_ten_times_its_lower_bound() -> None:
    run = environment(load(PROBLEMS[0]), reward=RegretReward(limit=WorkLimit(1e-9)))
    value = Live(WorkLimit(1e-9)).state_value(run).value
    assert value.makespan is None
    assert run.step("wait").info["before"] is None
    assert run.stop("stopped").info["penalty"] == 10 * value.lower
    stopped_run = environment(run.problem, reward=RegretReward(limit=WorkLimit(1e-9)))
    assert stopped_run.stop("stopped").reward == -10 * value.lower


@pytest.mark.parametrize(
    ("values", "penalty", "details"),
    [
        ([13, 33, LOST, LOST, 35], 130, [(-20, 13, 20, None, 1), (-110, 33, None, 110, 1), (0, None, None, None, 1)]),
        ([13, LOST, 15], 130, [(-130, 13, None, 130, 1), (128, None, 2, -130, 1)]),
        ([13, 38, LOST, 39], 20, [(-20, 13, 25, None, 1), (0, 38, None, 0, 1), (0, None, 1, 0, 1)]),
        ([13, OPEN, OPEN, 20, 22], None, [(0, 13, None, None, 1), (0, None, None, None, 2), (-7, None, 7, None, 3)]),
        ([13, OPEN, LOST, 20], None, [(0, 13, None, None, 1), (-130, None, None, 130, 2), (123, None, 7, -130, 1)]),
    ],
)
def test_reward_of_a_step_follows_from_the_values_around_it(
    values: list[int | Value],
    penalty: int | None,
    details: list[tuple[int | None, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reward, best makespan before, cost, penalty and number of steps; by default a failed run costs 130."""
    bounds = iter(value if isinstance(value, Value) else Value(value, value) for value in values)
    monkeypatch.setattr(Live, "state_value", lambda *arguments: StateValue(next(bounds)))
    run = environment(load(TEA), reward=RegretReward(penalty=penalty))
    for expected in details:
        transition = run.step("wait")
        info = transition.info
        assert (transition.reward, info["before"], info["cost"], info["penalty"], info["steps"]) == expected


def test_refused_actions_cost_a_tick_each_but_no_more_than_a_failed_run() -> None:
    cost = RegretReward(penalty=3)
    memo: Any = cost.begin(environment(load(TEA)))
    rewards = []
    for _ in range(5):
        charge, memo = cost.refused(memo)
        rewards.append(charge)
    assert rewards == [-1, -1, -1, 0, 0]


def test_score_reward_follows_the_progress_of_the_paper() -> None:
    best = played(environment(load(PROBLEMS[0]), reward="score"), "optimal")
    assert best.total == pytest.approx(1.0)
    assert sum(one.transition.reward > 0 for one in best.exchanges) > 5


def test_rewards_by_score_add_up_to_the_last_defined_score(monkeypatch: pytest.MonkeyPatch) -> None:
    scores: list[float | None] = [0.25, None, 1.0, 0.5]
    remaining = iter(scores)
    monkeypatch.setattr(Score, "_score", lambda *arguments: next(remaining))
    run = environment(load(TEA), reward="score")
    steps = [run.step("wait") for _ in scores]
    assert [step.reward for step in steps] == [0.25, 0.0, 0.75, -0.5]
    assert [step.info["score"] for step in steps] == scores


#: Messages that hold no command, or end a run.
ODD = ("", "wait", "Finish", "exit", "Nothing that means anything", '{"content": "ALL COMPLETED"}')
#: A problem of every benchmark, of every task, and with goals that may be left out.
SCORED = (
    *ALL,
    "asynchow/async/1198",
    "asyncplanning/online/easy/online_easy_02_fried_fish_plate",
    "asyncplanning/robo/hard_optimization/hard_optimization_13_deadline_menu",
    "asyncplanning/xxl/5/1",
    "kitchens/synchronous/0_cheese_sandwich~2",
    "naturalplan/calendar/1",
    "naturalplan/meeting/6",
    "naturalplan/trip/21",
    "paracook/abstract/own/seed_1/orders_num_1",
    "paracook/cook/own/seed_3/agent_num_1/orders_num_1",
    "recipe2plan/timed/Cobbler_Pancakes~2",
)


def stopped(run: AnyEnvironment) -> AnyEnvironment:
    """Return a run after its end, by a stop if it goes on."""
    copy = run.fork()
    if not copy.done:
        copy.stop("stopped")
    return copy


def assert_rewards_equal_grade(run: AnyEnvironment, profile: str) -> None:
    graded = grade(run.submission(), profile=profile)
    score, _, info = Score().after(run, 0.0)
    assert (score, info["score"]) == (graded.main_score or 0.0, graded.main_score)
    success, _, _ = Success().after(stopped(run), None)
    assert success == float(bool(graded.success))


@pytest.mark.parametrize("profile", ["paper", "released"])
@pytest.mark.parametrize("name", sample(SCORED, 5))
def test_score_and_success_of_every_state_equal_those_of_its_grade(name: str, profile: str) -> None:
    for seed in range(3):
        run = environment(load(name), reward="score", profile=profile)
        states = [run.state]
        for _ in play_at_random(run, seed, odd=lambda random: random.choice(ODD), share=0.1 * seed):
            states.append(run.state)
            assert_rewards_equal_grade(run, profile)
        assert run.state.memo == (grade(run.submission(), profile=profile).main_score or 0.0)
        for before, after in pairwise(states):
            assert after.turn is not None
            run.restore(before)
            run.step(after.turn.message)
            assert run.state.memo == after.memo


def test_benchmark_without_live_row_is_graded_in_every_state(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = load(TEA)

    def rewards() -> list[float]:
        exchanges = played(environment(problem, reward="score"), "random").exchanges
        return [exchange.transition.reward for exchange in exchanges]

    by_state = rewards()
    graded_runs: list[object] = []
    of_run = Grade.of_run

    def count_and_grade(run: AnyRun, oracle: SolverOracle, **options: Any) -> Grade:
        graded_runs.append(run)
        return of_run(run, oracle, **options)

    monkeypatch.setattr(registry.of(problem).metrics, "live_row", without_live_row)
    monkeypatch.setattr(Grade, "of_run", count_and_grade)
    assert rewards() == by_state
    assert len(graded_runs) == len(by_state)


@pytest.mark.parametrize("name", sample(ALL))
@pytest.mark.parametrize("seed", sample(range(2)))
def test_costs_sum_to_the_total_of_every_run(name: str, seed: int) -> None:
    result = played(environment(load(name), reward="regret"), "random", seed)
    run, least = result.environment.run(), grade(result.environment.submission()).optimal_makespan
    assert least is not None
    costs = [info["cost"] for info in infos(result)]
    if run.success:
        assert -result.total == sum(costs) == run.makespan - least
    else:
        lost = sum(cost for cost in costs if cost is not None)
        assert -result.total == 10 * least
        assert [info["penalty"] for info in infos(result) if info["penalty"]] == [10 * least - lost]


def test_unknown_rewards_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="must be one of score, regret, success"):
        environment(load(PROBLEMS[0]), reward="regert")


TEA = "timearena/household1"
OPTIMAL = "activate kettle, wash teapot, wash cup, pour kettle into teapot, brew tea with teapot, wait, wait, "
OPTIMAL += "pour teapot into cup"
SLOW = f"wait, wait, {OPTIMAL}"


def test_rewards_of_completions_follow_the_grades() -> None:
    texts = [OPTIMAL, SLOW, "1. wash cup\n2. wash teapot", "I cannot do that.", ""]
    grades = [grade({"instance": TEA, "completion": text}) for text in texts]
    assert reward(texts, TEA) == [one.main_score for one in grades]
    assert reward(texts, TEA, "success") == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert reward(texts, instance=TEA, kind="regret") == [1.0, 13 / 15, 0.0, 0.0, 0.0]
    assert 0 < reward(texts, TEA)[2] < 1


@pytest.mark.parametrize("status", [Status.feasible, Status.unknown])
def test_regret_of_a_completion_uses_the_lower_bound_of_an_unproved_optimum(
    status: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounded = Result(TEA, status, 14 if status == Status.feasible else None, lower_bound=10)
    monkeypatch.setattr(SolverOracle, "best", lambda *arguments: bounded)
    assert reward([OPTIMAL, SLOW, "wash cup"], TEA, "regret") == [10 / 13, 10 / 15, 0.0]
    bounded = replace(bounded, lower_bound=14)
    assert reward([OPTIMAL, SLOW], TEA, "regret") == [1.0, 14 / 15]
    bounded = replace(bounded, lower_bound=None)
    assert reward([OPTIMAL], TEA, "regret") == [0.0]


def test_regret_of_a_plan_with_less_reward_than_is_best_is_complete() -> None:
    name = "asyncplanning/robo/hard_optimization/hard_optimization_01_deadline_menu"
    light = "0: (grill robot1 patty01) [10]\n0: (cut robot2 lettuce01) [3]"
    assert reward([solve(load(name)).plan, light], name, "regret") == [1.0, 0.0]
    assert reward([light], name, "success") == [1.0]
    assert 0 < reward([light], name)[0] < 1


def test_score_of_a_completion_lies_between_0_and_1(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([-0.5, 0.0, 0.25, 1.0, 1.5, None])
    of_run = Grade.of_run

    def with_score(run: AnyRun, oracle: SolverOracle, **options: Any) -> Grade:
        return replace(of_run(run, oracle, **options), main_score=next(scores))

    monkeypatch.setattr(Grade, "of_run", with_score)
    assert reward([OPTIMAL] * 6, TEA) == [0.0, 0.0, 0.25, 1.0, 1.0, 0.0]


def test_reward_has_the_interface_of_trl() -> None:
    chat = [{"role": "assistant", "content": SLOW}]
    columns = {"prompts": ["go"] * 2, "completion_ids": [[1], [2]], "trainer_state": None}
    names = [TEA, "timearena/household2"]
    assert reward(completions=[chat, chat], instance=names, kind="success", **columns) == [1.0, 0.0]
    assert reward([OPTIMAL, chat], load(TEA), "regret") == reward((OPTIMAL, chat), (TEA, load(TEA)), "regret")
    assert reward([], TEA) == []


def test_scores_above_one_are_clipped() -> None:
    name = "recipe2plan/timed/Cobbler_Pancakes"
    plan = solve(load(name)).plan
    assert grade({"instance": name, "plan": plan}).main_score > 1
    assert reward([plan], name) == [1.0]


STRANGE = [None, 3, float("nan"), {}, {1: 2}, {(1, 2): 3}, object(), b"\xff\x00", "\ud800", [None], [["a"]], "[" * 9999]
STRANGE += [[{"role": "assistant"}], [{"role": 3, "content": {}}], [{"role": "assistant", "tool_calls": [None, 3]}]]


@pytest.mark.parametrize("name", sample([*ALL, "paracook/abstract/own/seed_1/orders_num_1"]))
@pytest.mark.parametrize("kind", ["score", "success", "regret"])
def test_reward_never_raises_for_a_completion(name: str, kind: str) -> None:
    chance = Random(1)
    texts = [*STRANGE, *(chance.randbytes(chance.randrange(99)) for _ in range(50))]
    assert reward(texts, name, kind) == [0.0] * len(texts)
    assert reward([OPTIMAL.encode()], TEA, kind) == [1.0]


def test_internal_errors_are_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planoracle.analysis.grading.rewards.Grade.of_run", lambda *args, **options: 1 / 0)
    with pytest.warns(
        RuntimeWarning, match="household1: the reward is 0 because of an internal error: ZeroDivisionError"
    ):
        assert reward([OPTIMAL], TEA) == [0.0]


@pytest.mark.parametrize(
    ("completions", "instance", "kind", "message"),
    [
        (["a"], "timearena/household11", "score", "did you mean timearena/household1"),
        (["a"], [None], "score", "must be a problem"),
        (["a"], "timearena", "score", "stands for a set of 90 problems"),
        (["a", "b"], [TEA], "score", "one problem for each of the 2 completions"),
        (["a"], TEA, "regrets", "did you mean regret"),
        ("a", TEA, "score", "completions: must be a list"),
        (None, TEA, "score", "completions: must be a list"),
    ],
)
def test_invalid_arguments_of_reward_raise(completions: Any, instance: Any, kind: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reward(completions, instance, kind)
