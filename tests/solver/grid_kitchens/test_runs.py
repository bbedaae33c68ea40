"""States of runs in grid kitchens: their bounds hold, and plans that begin like a run pass the rules."""

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

ROOM = registry.get("paracook")
RULES = {name: ROOM.rules.profiles[name] for name in ("paper", "released")}
LIMIT = WorkLimit(0.6)


def replayed(place: GridKitchen, submission: object, rules: str = "paper") -> GridKitchenRun:
    found = ROOM.run(place, submission, RULES[rules])
    assert isinstance(found, GridKitchenRun)
    return found


def best(place: GridKitchen, rules: str = "paper") -> dict[str, list[dict[str, object]]]:
    found = solve(place, rules=RULES[rules], time_limit=WorkLimit(0.5))
    assert found.plan is not None
    return json.loads(found.plan)  # type: ignore[no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_values_lie_between_those_before_and_the_end(rules: str) -> None:
    place = tiny("chopped", "raw")
    run = replayed(place, {"plan": best(place, rules)}, rules)
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
def test_a_run_that_stopped_is_completed_and_the_completion_begins_like_it() -> None:
    place = tiny("chopped", "raw")
    whole = CompletedWork(replayed(place, {"plan": best(place)}))
    run = replayed(place, {"plan": whole.prefix(whole.count // 2)})
    assert not run.success
    assert run.verdict.fatal is None
    solver = Solver(run, WorkLimit(2.0))
    assert solver.value.upper is not None
    told = solver.complete_plan(solver.value)
    assert told is not None
    found = json.loads(told)
    done = CompletedWork(run)
    assert has_prefix(found, done.prefix(done.count))
    again = replayed(place, {"plan": found})
    assert (again.success, again.makespan) == (True, solver.value.upper)
    assert solver.rest.makespan == solver.value.upper - solver.clock
    advice = next_of(run, all_commands=True, seconds=WorkLimit(0.02))
    assert {option.kind for option in advice.options} == {"act", "wait"}


@pytest.mark.slow
def test_all_that_cooks_can_do_is_priced_within_the_limit_of_one_state() -> None:
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
def test_repairs_pass_the_rules_and_keep_what_was_right(rules: str) -> None:
    place = tiny("chopped")
    whole = best(place, rules)
    name = max(whole, key=lambda one: len(whole[one]))
    wrong = {**whole, name: [*whole[name][:2], {"action": "Interact", "target": "wall"}, *whole[name][2:]]}
    repairer = Repairer({"paracook": RULES[rules]}, time_limit=WorkLimit(2.0))
    found = repairer.repair(place, {"plan": wrong})
    assert found.changed
    assert found.violations == 1
    run = replayed(place, {"plan": found.plan}, rules)
    assert (run.success, run.makespan) == (True, found.makespan)
    assert any("wall" in one.command for one in found.dropped)
    assert not repairer.repair(place, {"plan": whole}).changed
    unknown = repairer.repair(place, {"plan": {"nobody": []}})
    assert unknown.changed
    assert replayed(place, {"plan": unknown.plan}, rules).success


def test_after_an_error_everything_begins_anew() -> None:
    place = tiny("raw", cooks=1)
    wrong = {"agent1": [{"action": "Wait", "duration": 5}, {"action": "Interact", "target": "wall"}]}
    run = replayed(place, {"submissions": [wrong]})
    solver = Solver(run, LIMIT)
    assert run.restarts
    assert solver.over is None
    assert solver.clock == 0
    assert solver.value == solver.values[0] == solver.values[-1]
    over = replayed(place, {"submissions": [wrong] * 3})
    assert Solver(over, LIMIT).over == "over"
    assert regret_of(over, seconds=LIMIT).no_return_reason == "over"


@pytest.mark.slow
def test_the_best_plan_known_is_followed_from_any_state() -> None:
    import asyncio

    for seed in range(3):
        run = ROOM.environment(tiny("chopped", "raw"), RULES["paper"], RunConfig())
        random = Random(seed)
        for _ in range(seed * 4):
            run.step(random.choice([one for one in run.legal() if "MoveTo" in one.text]))
        player = Optimal(limit=LIMIT)
        while not run.done:
            said = asyncio.run(player.act(run))
            assert said is not None
            run.step(said)
        assert run.state.over == "done"
        assert run.run().success


def test_values_of_live_runs_keep_a_plan_as_long_as_it_is_followed() -> None:
    place = tiny("raw", cooks=1)
    found = plan(place, RULES["paper"], LIMIT)
    assert found.plan is not None
    begun = replayed(place, None)
    said = messages(begun, json.loads(found.plan))
    assert said is not None
    values, done = RunValues(LIMIT), []
    for message in said:
        done.append(json.loads(message))
        run = replayed(place, {"submissions": done})
        known = values.state_value(run)
        assert known.value.upper is not None
        assert known.value.upper <= found.makespan or run.success  # type: ignore[operator]
    assert run.success


@pytest.mark.parametrize("rules", RULES)
def test_plans_can_be_handed_in_piece_by_piece(rules: str) -> None:
    for name in (
        "seed_1/agent_num_2/orders_num_1",
        "seed_2/agent_num_2/orders_num_2",
        "seed_3/agent_num_3/orders_num_2",
    ):
        place = problem(f"paracook/cook/own/{name}")
        assert isinstance(place, GridKitchen)
        found = anneal(place, RULES[rules], tries=500)
        said = messages(replayed(place, None, rules), found)
        assert said is not None
        handed = replayed(place, {"submissions": [json.loads(one) for one in said]}, rules)
        assert (handed.success, handed.makespan) == (True, replayed(place, {"plan": found}, rules).makespan)
