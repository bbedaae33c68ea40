"""Live runs of the abstract part of ParaCook, and what the states of its runs are worth."""

from __future__ import annotations

from random import Random

import pytest

from planoracle.analysis.diagnosis.regret import regret_of
from planoracle.analysis.diagnosis.repair import repair
from planoracle.heuristics import registry as heuristics
from planoracle.instances.benchmarks.paracook_abstract.problems import by_name, instance
from planoracle.instances.benchmarks.paracook_abstract.rules import MAX_REFUSALS, command_text
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from planoracle.instances.protocol.schedule_benchmark import settled
from planoracle.solver.exact.search import solve
from planoracle.solver.runs import Live, solver_of
from tests.support.hostile import VALUES
from tests.support.live import at_random, decisions, replayed
from tests.support.paracook_abstract import DISH, best_after, random_lists, random_problem
from tests.support.samples import sample

ROOM = registry.get("paracook_abstract")
TWO = instance("two", DISH, 2)
LIMIT = WorkLimit(10.0)


def live(problem=TWO, profile="paper", **config) -> AnyEnvironment:
    return ROOM.environment(problem, ROOM.rules.profile(profile), RunConfig(**config))


def odd(problem):
    """Return what makes commands that are refused: unknown names, tasks given twice or too soon, prose."""

    def one(random: Random) -> object:
        agent, task = random.choice([*problem.agents, "agent9"]), random.choice([*by_name(problem), "stir", "t99"])
        return random.choice([command_text(agent, task), task, "Let me think.", *VALUES[:20]])

    return one


@pytest.mark.parametrize("seed", sample(range(40), 4))
@pytest.mark.parametrize("profile", ["paper", "released"])
def test_random_runs_are_what_their_submissions_replay_as(seed, profile):
    problem = random_problem(seed, 6)
    run = live(problem, profile)
    for step in at_random(run, seed, odd(problem)):
        done = [one for one in decisions(run) if one[1] == "act"]
        whole = run.run()
        assert sorted(done, key=str) == sorted((one for one in replayed(run) if one[1] == "act"), key=str)
        assert whole.success == (step.observation.over == "completed")
        assert run.observation.clock == whole.points[whole.stop].state.clock
        assert {one.kind for one in whole.verdict.violations} <= {"missing_task"}
    assert run.state.over in ("completed", "too_many_refusals")


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_can_be_said_in_legal_commands(seed):
    problem = random_problem(seed, 7)
    best = solve(problem)
    run = live(problem)
    for said in ROOM.run(problem, best.plan).command_texts:
        assert said in [one.text for one in run.legal()]
        run.step(said)
    assert (run.state.over, run.run().makespan) == ("completed", best.makespan)


def test_what_is_refused_changes_nothing_and_ends_the_run_in_the_end():
    run = live()
    begin = run.state.world.lists
    said = ["agent1: stir", "agent1: serve", "fry", "agent3: fry", "Well?", "agent1: serve"]
    found = [run.step(one).outcomes[0].violation.kind for one in said]
    kinds = ["unreadable", "never_ready", "no_agent", "too_many_lists", "unreadable", "never_ready"]
    assert found == kinds
    assert run.state.world.lists == begin
    run.step("agent1: fry")
    assert run.step("agent2: fry").outcomes[0].violation.kind == "repeated_task"
    for _ in range(MAX_REFUSALS - len(said)):
        run.step("agent2: fry")
    assert run.state.over == "too_many_refusals"
    assert run.submission()["plan"] == [["fry"], []]


def test_who_gives_up_has_finished():
    run = live()
    run.step("Finish")
    assert (run.state.over, run.run().success) == ("finished", False)


@pytest.mark.parametrize("profile", ["paper", "released"])
def test_an_open_loop_takes_all_lists_at_once(profile):
    for plan in ([["fry", "wash"], ["cut", "serve"]], "[['fry', 'wash'], ['cut', 'serve']]"):
        run = live(profile=profile, loop="open")
        run.step(plan)
        assert (run.state.over, run.run().makespan) == ("handed_in", 14)
        assert run.submission() == {"instance": "two", "plan": plan}
    run = live(profile=profile, loop="open")
    assert run.step("fry first").outcomes[0].violation.kind == "unreadable"


# --- states ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(60), 6))
def test_the_best_of_all_ways_to_go_on_is_the_value_of_a_state(seed):
    problem = random_problem(seed)
    assert solve(problem).makespan == best_after(problem, [[] for _ in problem.agents])
    for given in (1, 2, 4):
        lists = random_lists(problem, seed + given, given)
        run = ROOM.run(problem, lists)
        solver = solver_of(run, LIMIT)
        best = best_after(problem, lists)
        assert solver.value.makespan == best
        plan = solver.complete_plan(solver.value)
        again = ROOM.run(problem, plan)
        assert (again.success, again.makespan) == (True, best)
        assert all(there[: len(one)] == one for one, there in zip(lists, again.plan.commands, strict=True))
        for option in solver.options(solver.value):
            agent, _, task = option.command.partition(": ")
            longer = [[*one, task] if n == problem.agents.index(agent) else one for n, one in enumerate(lists)]
            assert option.best == best_after(problem, longer)


@pytest.mark.parametrize("seed", sample(range(30), 6))
def test_regret_adds_up_and_live_values_are_those_of_replays(seed):
    problem = random_problem(seed, 6)
    lists = random_lists(problem, seed, 6)
    found = regret_of(ROOM.run(problem, lists), seconds=LIMIT)
    assert found.success
    assert found.total == found.final - found.optimum
    assert min(one.cost for one in found.decisions) >= 0
    run, values = live(problem), Live(LIMIT)
    known = None
    for one, decision in zip(ROOM.run(problem, lists).command_texts, found.decisions, strict=True):
        run.step(one)
        known = values.state_value(run.run(), known)
        assert known.value.makespan == decision.after


def test_a_loophole_is_a_decision_that_gains():
    found = regret_of(ROOM.run(TWO, [["fry", "wash", "wash"], ["cut"]], ROOM.rules.profile("released")), seconds=LIMIT)
    assert (found.optimum, found.final, found.total) == (14, 11, -3)
    assert [one.command for one in found.decisions if one.cost < 0] == ["agent1: wash"]
    one = instance("one", [(name, 5, {}) for name in "abc"])
    found = regret_of(ROOM.run(one, [["a"], ["b"], ["c"]], ROOM.rules.profile("released")), seconds=LIMIT)
    assert (found.optimum, found.final, found.total) == (15, 5, -10)


# --- plans without times ---------------------------------------------------------------------------


def test_a_schedule_is_settled_as_its_plan_is_carried_out():
    given = (("fry", 5, 3, 1), ("cut", 9, 2, 2), ("wash", 20, 4, 2), ("serve", 30, 1, 1))
    late = Schedule.of(TWO, (Piece(f"orders/{name}", start, ticks, f"agent{n}") for name, start, ticks, n in given))
    found = settled(TWO, late)
    assert [(one.action, one.start) for one in found.pieces] == [
        ("orders/fry", 0),
        ("orders/cut", 0),
        ("orders/wash", 2),
        ("orders/serve", 13),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["serial-lft", "parallel-spt", "improve"])
def test_schedules_of_heuristics_are_those_of_their_plans(name):
    for seed in range(6):
        problem = random_problem(seed, 8)
        found = heuristics.run(problem, name)
        assert ROOM.run(problem, found.plan).makespan == found.makespan >= solve(problem).makespan


@pytest.mark.parametrize(
    ("plan", "makespan"),
    [
        ([["serve", "fry"], ["cut", "wash"]], 14),
        ([["fry", "wash", "wash"], ["cut"]], 14),
        ([["fry", "serve"], ["cut", "stir"], ["wash"]], 14),
        ([], 14),
    ],
)
def test_plans_are_repaired(plan, makespan):
    found = repair(TWO, {"id": "1", "instance": "two", "plan": plan})
    assert found.makespan == makespan
    again = ROOM.run(TWO, found.plan)
    assert (again.success, again.makespan) == (True, makespan)
