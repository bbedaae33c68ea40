"""Live runs of Recipe2Plan: steps in messages, legal commands, ends of runs, and observations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planoracle import load
from planoracle.instances.benchmarks.recipe2plan.language import first_command, parse
from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from planoracle.instances.protocol.schedule_benchmark import remaining_problem
from planoracle.solver.exact.search import solve
from tests.support.live_runs import min_makespan, play_random_commands
from tests.support.random_instances import kitchen
from tests.support.samples import sample

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
BOTH = pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
PAIR = "recipe2plan/timed/Cobbler_Pancakes"


def live(name: str = PAIR, rules=PAPER, **config: object) -> AnyEnvironment:
    return registry.get("recipe2plan").environment(load(name), rules, RunConfig(**config))


def test_only_the_first_action_of_a_message_counts():
    text = (
        "Thought: Step(3, Cobbler, 1 min, 0) comes later.\nAction: Step(1, Cobbler, 60 sec, 0:00)\n"
        "Observation: done\nAction: Step(4, Cobbler, 3 min, 60 sec)\nAction: Finish"
    )
    run = live()
    run.step(text)
    assert run.submission()["plan"] == [{"response": "Step(1, Cobbler, 00:01:00, 00:00:00)"}]
    assert run.messages()[-2] == {"role": "assistant", "content": text}
    run.step("Thought: after Step(1, Cobbler, 60 sec, 60 sec) I would be done.\nAction: Finish")
    assert run.state.over == "finished"
    assert not run.run().success


@BOTH
def test_steps_in_a_thought_are_not_commands(rules):
    done = live(rules=rules)
    done.step("Thought: Step(1, Cobbler, 00:02:00, 00:00:00) was the last. Action: Finish")
    assert (done.state.over, done.submission()["plan"]) == ("finished", [])
    for gap in ("\n", " "):
        run = live(rules=rules)
        thought = "Thought: Step(2, Cobbler, 00:01:00, 00:00:00) has to wait."
        run.step(f"{thought}{gap}Action: Step(1, Cobbler, 00:02:00, 00:00:00)")
        assert run.submission()["plan"] == [{"response": "Step(1, Cobbler, 00:02:00, 00:00:00)"}]


@BOTH
def test_fast_path_and_full_parser_read_rendered_steps_alike(rules):
    problem = load(PAIR)
    for command in live(rules=rules).legal():
        [step] = parse(command.text, problem, rules).commands
        assert first_command(problem, command.text, rules) == step
        assert first_command(problem, f"Action: {command.text}\n", rules) == step


def test_contradictory_reading_rules_are_rejected():
    with pytest.raises(InputError, match="parse_scope: must be everywhere with step_shapes=released"):
        live(rules=replace(PAPER, step_shapes="released"))


def _verdict(run: AnyEnvironment) -> tuple[bool, int]:
    verdict = run.simulator.verdict(run.state.world)
    return verdict.success, verdict.makespan


@pytest.mark.parametrize("part", sample(range(10)))
def test_remaining_optimum_is_reachable_by_legal_commands(part):
    for seed in range(part, 150, 10):
        problem = kitchen(seed, 5)
        run = registry.of(problem).environment(problem)
        play_random_commands(run, seed, 6)
        rest = solve(remaining_problem(problem, run.run().points[-1].state))
        assert rest.status in ("optimal", "infeasible")
        assert min_makespan(run, rest.makespan, _verdict) == rest.makespan


def test_refusal_limits_turn_limit_and_missed_time_constraint_end_the_run():
    run = live()
    for number in range(11):
        assert run.done is False, number
        run.step(f"Step({15 - number % 6}, Pancakes, 10 min, 0)")
    assert run.state.over == "too_many_refusals"
    run = live()
    for number in range(3):
        assert run.done is False, number
        last = run.step("Step(15, Pancakes, 10 min, 0)")
    assert run.state.over == "identical_refusals"
    assert last.observation.text.endswith("The run is over: identical refusals.")
    run = live(rules=RELEASED)
    for number in range(24 + 10):
        assert run.done is False, number
        run.step(f"Step(1, Cobbler, 1 sec, {number} sec)")
    assert run.state.over == "too_many_turns"
    run = live()
    for text in ("Step(1, Cobbler, 2 min, 0)", "Step(2, Cobbler, 1 min, 2 min)", "Step(3, Cobbler, 1 min, 6 min)"):
        last = run.step(text)
    assert run.state.over == "time_constraint"
    assert last.outcomes[-1].violation.kind == "time_constraint"
    assert [step.kind for step in last.outcomes] == ["lost"]


def test_observation_reports_the_result_of_the_step():
    run = live(feedback="terse")
    answer = run.step("Step(0, Cobbler, 10 min, 5 min)").observation.text
    assert answer == '"Step(0, Cobbler, 00:10:00, 00:05:00)": done'
    assert run.step("Well.").observation.text == '"Well.": refused'
    run = live()
    assert run.step("Step(0, Cobbler, 10 min, 5 min)").observation.text == (
        "Step 0 of Cobbler has begun.\nIt is 00:05:00. Under way: step 0 of Cobbler (until 00:15:00). "
        "Oven in use, at 350; microwave free; stove free."
    )
    text = run.step("Step(1, Cobbler, 2 min, 15 min)").observation.text
    assert text.endswith("It is 00:17:00. Complete: 0 and 1 of Cobbler. Oven free, at 350; microwave free; stove free.")


def test_prompt_has_no_implicit_knowledge_unless_the_setting_states_it():
    introduction = live().introduction()
    assert "Step 3 must start within 2 min after the end of step 2" in introduction
    for fact in ("by itself", "by hand", "uses", "after Cobbler"):
        assert fact not in introduction
    assert "by itself; uses oven" in live(wording=1).introduction()
