"""Instants, limits and refusals of live runs and replays, whatever the benchmark."""

from __future__ import annotations

import re

import pytest

from planoracle import environment, load
from planoracle.instances.benchmarks.timearena.rules import PROFILES
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Optimum
from planoracle.instances.protocol.simulator import CLOSE, fold
from planoracle.instances.protocol.start_times import moments

BOIL = Instance("kitchen", (Action("tea/boil", "tea", 4, 1),), agents=("cook",), time_limit=5)


@pytest.mark.parametrize(
    ("name", "plan", "clock", "fault"),
    [
        ("timearena/household1", [], 3, "waits are commands of the plan (got 3)"),
        ("robotouille/synchronous/0_cheese_sandwich", [], 3, "waits are commands of the plan (got 3)"),
        ("recipe2plan/timed/Cobbler_Pancakes", "", -1, "must be a whole number of ticks, at least 0 (got -1)"),
    ],
)
def test_refused_wait_is_named(name: str, plan: object, clock: int, fault: str) -> None:
    problem = load(name)
    run = registry.of(problem).run(problem, {"plan": plan})
    with pytest.raises(InputError, match=re.escape(fault)):
        run.wait_until(clock)


def test_message_after_the_end_of_a_run_is_refused_by_name() -> None:
    run = environment(BOIL)
    run.step(run.legal()[0])
    with pytest.raises(InputError, match=r"the run is over \(got 'again'\)"):
        run.step("again")


def test_unknown_loop_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"must be one of closed, open \(got 'wide'\)"):
        environment(BOIL, loop="wide")


def test_makespan_at_the_limit_is_in_time() -> None:
    live = environment(BOIL)
    replayed = live.run()
    assert replayed.time_limit == 5
    for run in (live, replayed):
        assert (run.in_time(5), run.in_time(6)) == (True, False)


def test_unreadable_plan_is_a_step_without_time() -> None:
    [step] = environment(BOIL, loop="open").step("[[").outcomes
    assert (step.kind, step.start, step.end) == ("lost", 0, 0)


def test_commands_after_the_end_of_a_run_have_no_steps() -> None:
    simulator = environment(BOIL).simulator
    _, steps = fold(simulator, [CLOSE, CLOSE])
    assert len(steps) == 1


def test_wait_follows_the_last_point_before_a_refused_piece() -> None:
    plan = [{"action": "tea/boil", "start": 1}, {"action": "tea/boil", "start": 2}]
    run = registry.of(BOIL).run(BOIL, {"plan": plan})
    assert [step.kind for step in run.steps] == ["wait", "act", "lost"]
    assert [point.state.clock for point in run.points] == [0, 1, 2, 2]
    run.wait_until(7)
    assert [point.state.clock for point in run.points] == [0, 1, 2, 7]


def test_optimum_of_another_weight_has_no_ticks() -> None:
    optimum = Optimum(9, Status.optimal, 8, weight=5, weight_bound=5)
    assert optimum.at_weight(5) == optimum.at_weight(None) == optimum
    assert optimum.at_weight(4) == Optimum(None, Status.optimal, None, 5, 5)


def test_metrics_in_json_have_no_column() -> None:
    columns = registry.get("timearena").metrics.columns(PROFILES["paper"])
    assert {metric.kind for metric in columns} == {"count", "number", "text"}


def test_starts_are_offered_so_that_a_maximum_lag_is_kept() -> None:
    actions = (Action("t/cut", "t", 2, 2), Action("t/cook", "t", 10, 0), Action("t/mix", "t", 1, 1))
    lags = (Lag("t/cut", "t/mix", maximum=3), Lag("t/cook", "t/mix", 0))
    problem = Instance("soup", actions, lags=lags)
    assert moments(problem, 0, [10], [2, 0, 1]) == [(0, None), (5, frozenset({0})), (10, None)]
    assert moments(problem, 0, [10], [2, 3, 1])[1:3] == [(5, frozenset({0})), (8, frozenset({0}))]
    assert moments(problem, 0, [10], [0, 0, 1]) == [(0, None), (10, None)]
    assert moments(problem, 6, [10], [2, 0, 1]) == [(6, None), (10, None)]
