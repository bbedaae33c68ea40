"""Live runs of Recipe2Plan are what the replay of their submission says, step by step."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from planoracle import grade, load
from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.benchmarks.recipe2plan.language import first_command, parse
from planoracle.instances.benchmarks.recipe2plan.live import Recipe2PlanEnvironment
from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig
from planoracle.instances.protocol.schedule_benchmark import remaining_problem
from planoracle.solver.exact.search import solve
from tests.support.hostile import VALUES
from tests.support.live import at_random, best_end, decisions, replayed, wander
from tests.support.random_instances import kitchen
from tests.support.samples import sample

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
BOTH = pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
PAIR = "recipe2plan/timed/Cobbler_Pancakes"


def live(name: str = PAIR, rules=PAPER, **config: object) -> Recipe2PlanEnvironment:
    return registry.get("recipe2plan").environment(load(name), rules, RunConfig(**config))


def odd(random: Random) -> object:
    """Return a command that may be wrong in any way, or none."""
    if random.random() < 0.2:
        return random.choice(VALUES)
    recipe = random.choice(("Cobbler", "Pancakes", "Tacos"))
    duration, start = (random.choice((0, 30, 60, 120, 300, 600)) for _ in range(2))
    start *= random.randrange(9)
    return f"I think so.\nAction: Step({random.randrange(17)}, {recipe}, {duration} sec, {start} sec)"


def compare(name: str, rules, seeds: range) -> set[str]:
    """Play at random, compare after every turn; return how the runs ended."""
    ends = set()
    for seed in seeds:
        run = live(name, rules)
        for step in at_random(run, seed, odd):
            whole = run.run()
            assert decisions(run, ("no_action",)) == replayed(run)
            assert run.verdict == whole.verdict
            assert run.observation.clock == (whole.steps[-1].end if whole.steps else 0)
            faults = {one.violation for one in step.outcomes} - {None}
            assert faults <= {one.kind for one in whole.verdict.violations}
        graded = grade(run.submission() | {"id": "a"}, profile="paper" if rules is PAPER else "released")
        row, verdict = graded.row(), run.verdict
        assert (row["success"], row["progress"], row["goal_ratio"]) == (
            verdict.success,
            verdict.progress,
            verdict.goal_ratio,
        )
        assert row["violation"] == (verdict.fatal and verdict.fatal.kind)
        ends.add(run.state.over)
    return ends


@BOTH
def test_random_runs_are_what_their_submissions_replay_as(rules):
    ends = compare(PAIR, rules, range(2))
    assert ends <= {"finished", "too_many_refusals", "time_constraint"}


@pytest.mark.slow
@BOTH
def test_a_hundred_random_runs_are_what_their_submissions_replay_as(rules):
    ends = set()
    for seed in range(100):
        ends |= compare(problems.names()[seed % 130], rules, range(seed, seed + 1))
    assert ends >= {"finished", "too_many_refusals"}


def test_messages_that_go_beyond_the_answer_are_cut_at_the_first_action():
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
def test_the_thought_before_an_action_holds_no_command(rules):
    done = live(rules=rules)
    done.step("Thought: Step(1, Cobbler, 00:02:00, 00:00:00) was the last. Action: Finish")
    assert (done.state.over, done.submission()["plan"]) == ("finished", [])
    for gap in ("\n", " "):
        run = live(rules=rules)
        thought = "Thought: Step(2, Cobbler, 00:01:00, 00:00:00) has to wait."
        run.step(f"{thought}{gap}Action: Step(1, Cobbler, 00:02:00, 00:00:00)")
        assert run.submission()["plan"] == [{"response": "Step(1, Cobbler, 00:02:00, 00:00:00)"}]


@BOTH
def test_steps_as_we_write_them_are_read_the_same_on_the_fast_and_on_the_long_way(rules):
    problem = load(PAIR)
    for command in live(rules=rules).legal():
        [step] = parse(command.text, problem, rules).commands
        assert first_command(problem, command.text, rules) == step
        assert first_command(problem, f"Action: {command.text}\n", rules) == step


def test_rules_by_which_no_answer_can_be_read_are_refused_at_once():
    with pytest.raises(InputError, match="parse_scope: reads everywhere only"):
        live(rules=replace(PAPER, step_shapes="released"))


@pytest.mark.slow
def test_what_states_leave_can_be_reached_in_commands_that_are_offered():
    for seed in range(150):
        problem = kitchen(seed, 5)
        run = registry.of(problem).environment(problem)
        wander(run, seed, 6)
        rest = solve(remaining_problem(problem, run.run().points[-1].state))
        assert rest.status in ("optimal", "infeasible")
        assert best_end(run, rest.makespan, lambda one: (one.verdict.success, one.verdict.makespan)) == rest.makespan


@pytest.mark.parametrize("name", sample(problems.names(), 65))
def test_the_optimum_can_be_said_in_legal_commands(name: str) -> None:
    problem, run = load(name), live(name)
    best = solve(problem)
    for text in registry.get("recipe2plan").render(problem, best.schedule).split("), "):
        command = text.removesuffix(")") + ")"
        assert command in [one.text for one in run.legal()]
        run.step(command)
    assert run.legal() == [("Finish", "close")]
    run.step("Finish")
    assert run.run().makespan == best.makespan
    assert grade(run.submission() | {"id": "a"}).success


def test_the_run_is_over_at_the_eleventh_refusal_or_a_missed_time_constraint():
    run = live()
    for number in range(11):
        assert run.done is False, number
        run.step("Step(15, Pancakes, 10 min, 0)")
    assert run.state.over == "too_many_refusals"
    run = live()
    for text in ("Step(1, Cobbler, 2 min, 0)", "Step(2, Cobbler, 1 min, 2 min)", "Step(3, Cobbler, 1 min, 6 min)"):
        last = run.step(text)
    assert run.state.over == "time_constraint"
    assert last.outcomes[-1].violation == "time_constraint"
    assert [one.kind for one in last.outcomes] == ["wait", "lost"]


def test_answers_say_what_became_of_the_step_and_of_nothing_else():
    run = live(feedback="terse")
    answer = run.step("Step(0, Cobbler, 10 min, 5 min)").observation.text
    assert answer == '"Step(0, Cobbler, 00:10:00, 00:05:00)": done'
    assert run.step("Well.").observation.text == '"Well.": refused'
    assert live().step("Step(0, Cobbler, 10 min, 5 min)").observation.text == (
        "Step 0 of Cobbler has begun.\nIt is 00:05:00. Under way: step 0 of Cobbler (until 00:15:00)."
    )


def released(run: Recipe2PlanEnvironment, expected: dict[str, object]) -> None:
    """Compare with what the released code says of a whole plan."""
    verdict = run.run().verdict
    fatal = verdict.fatal
    assert verdict.success == expected["success"]
    assert (fatal and fatal.kind) == expected["violation"]
    assert (fatal and fatal.position) == expected["violation_index"]
    assert verdict.executed == expected["executed"]
    assert verdict.goal_ratio == pytest.approx(expected["goal_ratio"])
    assert verdict.makespan == expected["makespan_s"]
    kinds = [one.violation for one in run.turns[-1].outcomes if one.violation]
    assert kinds == ([] if fatal is None or fatal.kind == "no_action" else [fatal.kind])
