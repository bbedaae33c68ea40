"""States of runs in grid kitchens: bounds are valid, and completions pass the rules."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random

import pytest

from planoracle.analysis.agents.solver_agents import Optimal
from planoracle.analysis.diagnosis.regret import next_of, regret_of
from planoracle.analysis.diagnosis.repair import Repairer
from planoracle.heuristics.grid_kitchens import anneal
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.files.catalog import problem
from planoracle.instances.model.limits import WorkLimit, counted_work
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig
from planoracle.solver.grid_kitchens.completion import CompletedWork, has_prefix
from planoracle.solver.grid_kitchens.kind import plan
from planoracle.solver.grid_kitchens.run_solver import RunValues, Solver, messages
from planoracle.solver.solve import solve
from tests.support.grid_kitchens import tiny
from tests.support.samples import sample

BENCHMARK = registry.get("paracook")
RULES = {name: BENCHMARK.rules.profiles[name] for name in ("paper", "released")}
LIMIT = WorkLimit(0.6)


def replayed(grid_kitchen: GridKitchen, submission: object, rules: str = "paper") -> GridKitchenRun:
    run = BENCHMARK.run(grid_kitchen, submission, RULES[rules])
    assert isinstance(run, GridKitchenRun)
    return run


def best(grid_kitchen: GridKitchen, rules: str = "paper") -> dict[str, list[dict[str, object]]]:
    result = solve(grid_kitchen, rules=RULES[rules], time_limit=WorkLimit(0.5))
    assert result.plan is not None
    return json.loads(result.plan)  # type: ignore[no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_values_never_fall_along_a_run(rules: str) -> None:
    grid_kitchen = tiny("chopped", "raw")
    run = replayed(grid_kitchen, {"plan": best(grid_kitchen, rules)}, rules)
    solver = Solver(run, LIMIT)
    values = solver.values
    assert len(values) == len(run.steps) + 1
    assert values[-1].makespan == run.makespan
    for before, after in pairwise(values):
        assert before.lower <= after.lower
        assert after.upper is not None
        assert before.upper is not None
        assert before.upper <= after.upper
    priced = regret_of(run, seconds=LIMIT)
    assert priced.final == run.makespan


@pytest.mark.slow
def test_completion_of_a_stopped_run_begins_with_the_run() -> None:
    grid_kitchen = tiny("chopped", "raw")
    whole = CompletedWork(replayed(grid_kitchen, {"plan": best(grid_kitchen)}))
    run = replayed(grid_kitchen, {"plan": whole.prefix(whole.count // 2)})
    assert not run.success
    assert run.verdict.fatal is None
    solver = Solver(run, WorkLimit(2.0))
    assert solver.value.upper is not None
    completion = solver.complete_plan(solver.value)
    assert completion is not None
    completed_plan = json.loads(completion)
    done = CompletedWork(run)
    assert has_prefix(completed_plan, done.prefix(done.count))
    replay = replayed(grid_kitchen, {"plan": completed_plan})
    assert (replay.success, replay.makespan) == (True, solver.value.upper)
    assert solver.rest.makespan == solver.value.upper - solver.clock
    advice = next_of(run, all_commands=True, seconds=WorkLimit(0.02))
    assert {option.kind for option in advice.options} == {"act", "wait"}


@pytest.mark.slow
def test_values_of_all_options_stay_within_the_limit_of_one_state() -> None:
    solver = Solver(
        replayed(problem("paracook/cook/own/seed_1/agent_num_2/orders_num_1"), {"plan": {}}), WorkLimit(0.5)
    )
    value, before = solver.value, counted_work()
    options = list(solver.options(value))
    assert len(options) > 10
    # An option may end a step late.
    assert counted_work() - before < 1e9


@pytest.mark.slow
@pytest.mark.parametrize("rules", sample(RULES))
def test_repair_passes_the_rules_and_keeps_correct_plans(rules: str) -> None:
    grid_kitchen = tiny("chopped")
    whole = best(grid_kitchen, rules)
    name = max(whole, key=lambda one: len(whole[one]))
    wrong = {**whole, name: [*whole[name][:2], {"action": "Interact", "target": "wall"}, *whole[name][2:]]}
    repairer = Repairer({"paracook": RULES[rules]}, time_limit=WorkLimit(2.0))
    result = repairer.repair(grid_kitchen, {"plan": wrong})
    assert result.changed
    assert result.violations == 1
    run = replayed(grid_kitchen, {"plan": result.plan}, rules)
    assert (run.success, run.makespan) == (True, result.makespan)
    assert any("wall" in one.command for one in result.dropped)
    assert not repairer.repair(grid_kitchen, {"plan": whole}).changed
    unknown = repairer.repair(grid_kitchen, {"plan": {"nobody": []}})
    assert unknown.changed
    assert replayed(grid_kitchen, {"plan": unknown.plan}, rules).success


def test_run_restarts_after_an_error() -> None:
    grid_kitchen = tiny("raw", cooks=1)
    wrong = {"agent1": [{"action": "Wait", "duration": 5}, {"action": "Interact", "target": "wall"}]}
    run = replayed(grid_kitchen, {"submissions": [wrong]})
    solver = Solver(run, LIMIT)
    assert run.restarts
    assert solver.over is None
    assert solver.clock == 0
    assert solver.value == solver.values[0] == solver.values[-1]
    over = replayed(grid_kitchen, {"submissions": [wrong] * 3})
    assert Solver(over, LIMIT).over == "over"
    assert regret_of(over, seconds=LIMIT).no_return_reason == "over"


@pytest.mark.slow
def test_optimal_agent_completes_the_run_from_any_state() -> None:
    import asyncio

    for seed in range(3):
        run = BENCHMARK.environment(tiny("chopped", "raw"), RULES["paper"], RunConfig())
        random = Random(seed)
        for _ in range(seed * 4):
            run.step(random.choice([one for one in run.legal() if "MoveTo" in one.text]))
        player = Optimal(limit=LIMIT)
        while not run.done:
            message = asyncio.run(player.act(run))
            assert message is not None
            run.step(message)
        assert run.state.over == "done"
        assert run.run().success


def test_value_of_a_live_run_never_exceeds_the_makespan_of_its_plan() -> None:
    grid_kitchen = tiny("raw", cooks=1)
    result = plan(grid_kitchen, RULES["paper"], LIMIT)
    assert result.plan is not None
    initial_run = replayed(grid_kitchen, None)
    plan_messages = messages(initial_run, json.loads(result.plan))
    assert plan_messages is not None
    values, done = RunValues(LIMIT), []
    for message in plan_messages:
        done.append(json.loads(message))
        run = replayed(grid_kitchen, {"submissions": done})
        state_value = values.value_of_run(run)
        assert state_value.value.upper is not None
        assert state_value.value.upper <= result.makespan or run.success  # type: ignore[operator]
    assert run.success


@pytest.mark.parametrize("rules", RULES)
def test_plan_submitted_message_by_message_has_the_same_makespan(rules: str) -> None:
    for name in (
        "seed_1/agent_num_2/orders_num_1",
        "seed_2/agent_num_2/orders_num_2",
        "seed_3/agent_num_3/orders_num_2",
    ):
        grid_kitchen = problem(f"paracook/cook/own/{name}")
        assert isinstance(grid_kitchen, GridKitchen)
        annealed_plan = anneal(grid_kitchen, RULES[rules], tries=500)
        plan_messages = messages(replayed(grid_kitchen, None, rules), annealed_plan)
        assert plan_messages is not None
        submitted = replayed(grid_kitchen, {"submissions": [json.loads(one) for one in plan_messages]}, rules)
        assert (submitted.success, submitted.makespan) == (
            True,
            replayed(grid_kitchen, {"plan": annealed_plan}, rules).makespan,
        )
