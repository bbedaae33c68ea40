"""Live runs of ParaCook's abstract part, and values of their states."""

from __future__ import annotations

import pytest

from planoracle.analysis.diagnosis.regret import regret_of
from planoracle.instances.benchmarks.paracook_abstract.problems import instance
from planoracle.instances.benchmarks.paracook_abstract.rules import MAX_REFUSALS
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from planoracle.instances.protocol.schedule_benchmark import settled
from planoracle.solver.exact.search import solve
from planoracle.solver.runs import solver_of
from tests.support.paracook_abstract import DISH, best_after, random_lists, random_problem
from tests.support.samples import sample

BENCHMARK = registry.get("paracook_abstract")
TWO = instance("two", DISH, 2)
LIMIT = WorkLimit(10.0)


def live(problem=TWO, profile="paper", **config) -> AnyEnvironment:
    return BENCHMARK.environment(problem, BENCHMARK.rules.profile(profile), RunConfig(**config))


def test_refused_commands_change_nothing_and_the_eleventh_ends_the_run():
    run = live()
    begin = run.state.world.lists
    commands = ["agent1: stir", "agent1: serve", "fry", "agent3: fry", "Well?", "agent1: serve"]
    violations = [run.step(one).outcomes[0].violation.kind for one in commands]
    kinds = ["unreadable", "never_ready", "no_agent", "too_many_lists", "unreadable", "never_ready"]
    assert violations == kinds
    assert run.state.world.lists == begin
    run.step("agent1: fry")
    assert run.step("agent2: fry").outcomes[0].violation.kind == "repeated_task"
    for _ in range(MAX_REFUSALS - len(commands)):
        run.step("agent2: fry")
    assert run.state.over == "too_many_refusals"
    assert run.submission()["plan"] == [["fry"], []]


def test_finish_command_ends_the_run():
    run = live()
    run.step("Finish")
    assert (run.state.over, run.run().success) == ("finished", False)


@pytest.mark.parametrize("profile", ["paper", "released"])
def test_open_loop_accepts_all_lists_in_one_message(profile):
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
def test_value_of_a_state_equals_the_best_continuation(seed):
    problem = random_problem(seed)
    assert solve(problem).makespan == best_after(problem, [[] for _ in problem.agents])
    for count in (1, 2, 4):
        lists = random_lists(problem, seed + count, count)
        run = BENCHMARK.run(problem, lists)
        solver = solver_of(run, LIMIT)
        best = best_after(problem, lists)
        assert solver.value.makespan == best
        plan = solver.complete_plan(solver.value)
        completed = BENCHMARK.run(problem, plan)
        assert (completed.success, completed.makespan) == (True, best)
        for one, whole in zip(lists, completed.plan.commands, strict=True):
            assert whole[: len(one)] == one
        for option in solver.options(solver.value):
            agent, _, task = option.command.partition(": ")
            longer = [[*one, task] if n == problem.agents.index(agent) else one for n, one in enumerate(lists)]
            assert option.best == best_after(problem, longer)


def test_loophole_is_a_decision_with_negative_cost():
    released = BENCHMARK.rules.profile("released")
    regret = regret_of(BENCHMARK.run(TWO, [["fry", "wash", "wash"], ["cut"]], released), seconds=LIMIT)
    assert (regret.optimum, regret.final, regret.total) == (14, 11, -3)
    assert [one.command for one in regret.decisions if one.cost < 0] == ["agent1: wash"]
    one = instance("one", [(name, 5, {}) for name in "abc"])
    regret = regret_of(BENCHMARK.run(one, [["a"], ["b"], ["c"]], released), seconds=LIMIT)
    assert (regret.optimum, regret.final, regret.total) == (15, 5, -10)


# --- plans without times ---------------------------------------------------------------------------


def test_settled_schedule_equals_execution_of_its_plan():
    rows = (("fry", 5, 3, 1), ("cut", 9, 2, 2), ("wash", 20, 4, 2), ("serve", 30, 1, 1))
    late = Schedule.of(TWO, (Piece(f"orders/{name}", start, ticks, f"agent{n}") for name, start, ticks, n in rows))
    schedule = settled(TWO, late)
    assert [(one.action, one.start) for one in schedule.pieces] == [
        ("orders/fry", 0),
        ("orders/cut", 0),
        ("orders/wash", 2),
        ("orders/serve", 13),
    ]
