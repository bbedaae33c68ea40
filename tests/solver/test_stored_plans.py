"""Bundled plans of grid kitchens, which have no solver: results, agents, and refusals."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from support.runner import invoke

from planoracle.analysis.agents.agent import AgentError, play
from planoracle.analysis.agents.builtin import agent
from planoracle.analysis.comparison.compare import compare
from planoracle.analysis.diagnosis.explain import explain
from planoracle.analysis.diagnosis.regret import next_commands, regret
from planoracle.analysis.diagnosis.repair import repair
from planoracle.analysis.grading.rewards import reward, step_reward
from planoracle.heuristics.registry import names as heuristic_names
from planoracle.heuristics.registry import run as run_heuristic
from planoracle.instances.benchmarks.grid_kitchens.turn_messages import messages_of
from planoracle.instances.errors import InputError, NoSolverError
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from planoracle.solver.result import SolveOptions
from planoracle.solver.solve import bundled_result, engine_of, has_solver, load_or_solve, solve
from tests.support.grid_kitchens import PAPER, RAW, plan, row

RULES = registry.get("paracook").rules.profiles
#: Status, makespan and lower bound by seed, number of cooks and profile.
BUNDLED = {
    (1, 1, "paper"): ("optimal", 45, 45),
    (1, 1, "released"): ("optimal", 45, 45),
    (1, 2, "paper"): ("optimal", 41, 41),
    (1, 2, "released"): ("feasible", 41, 36),
    (2, 1, "paper"): ("optimal", 42, 42),
    (2, 1, "released"): ("optimal", 42, 42),
    (2, 2, "paper"): ("feasible", 25, 19),
    (2, 2, "released"): ("feasible", 25, 16),
    (3, 1, "paper"): ("feasible", 64, 63),
    (3, 1, "released"): ("feasible", 64, 62),
    (3, 2, "paper"): ("feasible", 60, 49),
    (3, 2, "released"): ("feasible", 60, 42),
}
KITCHEN = catalog.problem("paracook/cook/own/seed_1/agent_num_2/orders_num_1")
OTHER = catalog.problem("paracook/cook/own/seed_9/agent_num_2/orders_num_1")


def bundled_kitchen(seed: int, cooks: int) -> Problem:
    return catalog.problem(f"paracook/cook/own/seed_{seed}/agent_num_{cooks}/orders_num_1")


def live(problem: Problem, profile: str = "paper", **config: Any) -> AnyEnvironment:
    return registry.of(problem).environment(problem, RULES[profile], RunConfig(**config))


@pytest.mark.parametrize("key", BUNDLED, ids=str)
def test_bundled_results_of_kitchens_are_shown(key: tuple[int, int, str]) -> None:
    seed, cooks, profile = key
    problem = bundled_kitchen(seed, cooks)
    result = load_or_solve(problem, SolveOptions(RULES[profile]))
    assert (result.status, result.makespan, result.lower_bound) == BUNDLED[key]
    assert (result.source, result.proof[:9]) == ("bundled", "bundled, ")
    run = registry.of(problem).run(problem, {"plan": result.plan}, RULES[profile])
    assert (run.success, run.makespan) == (True, result.makespan)


def test_commands_without_rules_show_the_result_of_the_released_rules() -> None:
    assert (solve(KITCHEN).makespan, solve(KITCHEN).lower_bound) == (41, 36)
    comparison = compare(KITCHEN)
    assert [(entry.method, entry.outcome) for entry in comparison.entries] == [("optimum", "feasible")]
    assert comparison.lower_bound == 36
    explanation = explain(KITCHEN)
    assert (explanation.status, explanation.makespan, explanation.lower_bound) == ("feasible", 41, 36)
    assert explanation.document is not None
    assert explain(bundled_kitchen(1, 1)).lines()[0].endswith(": optimal, 45 ticks.")


def test_changed_entry_is_refused() -> None:
    engine, result = engine_of(KITCHEN), bundled_result(KITCHEN, RULES["paper"])
    assert result is not None
    entry = engine.pack(KITCHEN, RULES["paper"], result)
    assert engine.unpack(KITCHEN, RULES["paper"], entry).plan == result.plan
    for change in ({"makespan": 40, "bound": 40}, {"bound": 40}, {"plan": {}}, {"plan": None}, {"plan": [1]}):
        with pytest.raises(ValueError, match=r"the plan must pass|must equal its makespan"):
            engine.unpack(KITCHEN, RULES["paper"], entry | change)


#: Requests that need a solver, and the problem that their error names.
REFUSED: dict[str, tuple[Callable[[], object], Problem]] = {
    "recompute": (partial(load_or_solve, KITCHEN, SolveOptions(), recompute=True), KITCHEN),
    "seed": (partial(load_or_solve, KITCHEN, SolveOptions(seed=1)), KITCHEN),
    "other kitchen": (partial(load_or_solve, OTHER, SolveOptions()), OTHER),
    "explain": (partial(explain, OTHER), OTHER),
    "regret": (partial(regret, KITCHEN, {"plan": {}}), KITCHEN),
    "next": (partial(next_commands, KITCHEN), KITCHEN),
    "repair": (partial(repair, KITCHEN, {"plan": {}}), KITCHEN),
    "step reward": (lambda: registry.of(KITCHEN).environment(KITCHEN, reward=step_reward("regret")), KITCHEN),
    "reward": (partial(reward, ["{}"], OTHER, "regret"), OTHER),
}


@pytest.mark.parametrize("name", REFUSED)
def test_requests_that_need_a_solver_are_refused_by_name(name: str) -> None:
    call, problem = REFUSED[name]
    assert not has_solver(problem)
    with pytest.raises(NoSolverError, match=r"has no solver: grid kitchens are graded and played") as caught:
        call()
    assert caught.value.field == problem.name


def test_rewards_without_optimum_are_given() -> None:
    result = bundled_result(KITCHEN, RULES["paper"])
    assert result is not None
    for kind in ("score", "success", "regret"):
        assert reward([str(result.plan)], KITCHEN, kind) == [1.0]
    assert reward(["{}"], OTHER) == [0.0]


def test_heuristics_are_refused() -> None:
    assert heuristic_names(KITCHEN.kind) == ()
    with pytest.raises(InputError, match="is for scheduling problems, not for a floor"):
        run_heuristic(KITCHEN, "improve")


@pytest.mark.parametrize("key", BUNDLED, ids=str)
def test_agent_optimal_follows_the_bundled_plan(key: tuple[int, int, str]) -> None:
    seed, cooks, profile = key
    problem, makespan = bundled_kitchen(seed, cooks), BUNDLED[key][1]
    played = asyncio.run(play(live(problem, profile), agent("optimal")))
    assert played.failure is None
    assert (played.environment.run().success, played.environment.run().makespan) == (True, makespan)
    opened = asyncio.run(play(live(problem, profile, loop="open"), agent("optimal")))
    assert (opened.environment.run().success, opened.environment.run().makespan) == (True, makespan)


def test_agents_are_refused_where_there_is_no_plan_to_follow() -> None:
    deviated = live(KITCHEN)
    deviated.step({cook: [{"action": "Wait", "duration": 3}] for cook in KITCHEN.agents})
    for environment, name, message in (
        (deviated, "optimal", "the run deviates from the bundled plan, and the problem has no solver"),
        (live(OTHER), "optimal", f"{OTHER.name}: has no solver: .*; no plan is bundled under these rules"),
        (live(OTHER, loop="open"), "optimal", f"{OTHER.name}: has no solver: "),
        (live(KITCHEN), "greedy", f"greedy needs a heuristic, and there is none for {KITCHEN.name}"),
        (live(KITCHEN), "improve", "improve is for scheduling problems"),
    ):
        with pytest.raises(AgentError, match=message):
            asyncio.run(agent(name).act(environment))


def test_messages_have_one_action_of_each_idle_cook() -> None:
    kitchen = row(RAW, cooks=2)
    whole = plan("@1 meat @0 table1 table1 @4 window", "~3")
    messages = messages_of(kitchen, PAPER, whole)
    assert messages is not None
    run = registry.of(kitchen).environment(kitchen, RULES["paper"], RunConfig())
    for message in messages:
        run.step(message)
    assert run.run().success
    assert run.run().makespan == registry.of(kitchen).run(kitchen, {"plan": whole}, RULES["paper"]).makespan
    assert messages_of(kitchen, PAPER, {}) is None


def test_solve_command_refuses_other_kitchens_and_solves_the_rest() -> None:
    done = invoke("solve", OTHER.name, "timearena/household1", "-f", "csv", "--columns", "instance,makespan")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == ["instance,makespan", "timearena/household1,13"]
    assert f"{OTHER.name}: has no solver" in done.stderr
    drawn = invoke("gantt", OTHER.name, "-o", "never.svg")
    assert drawn.exit_code != 0
    assert f"{OTHER.name}: has no solver" in drawn.stderr + str(drawn.exception)
