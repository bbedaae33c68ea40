"""Behaviour that live runs of all benchmarks share: forks, pickling, messages of any kind, legal commands."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from planoracle import environment
from planoracle.analysis.grading.oracle import optimum
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.catalog import problem as problem_of
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment
from tests.support.grid_kitchens import tiny
from tests.support.hostile import FLOODS, VALUES
from tests.support.robotouille import KITCHENS

NAMES = (
    "recipe2plan/timed/Cobbler_Pancakes",
    "recipe2plan/timed/Cobbler_Pancakes~2",
    "timearena/household1+cooking1",
    "asynctool/cross2/01@0-2:3",
    "asynctool/files_1+messages_1@0",
    "asynchow/async/829",
    "robotouille/asynchronous/5_potato_soup@42",
    "kitchens/synchronous/1_lettuce_sandwich",
    "kitchens/multi_agent/3_lettuce_fried_chicken_fried_onion_burger",
    "paracook/abstract/own/seed_2/orders_num_2~2",
)
PROBLEMS: dict[str, Problem] = {
    **{name: problem_of(name) for name in NAMES},
    "soup": KITCHENS["soup"],
    "crowd": KITCHENS["crowd"],
    "floor": tiny("raw"),
}
each = pytest.mark.parametrize("name", PROBLEMS)


def live(name: str, **config: Any) -> AnyEnvironment:
    return environment(PROBLEMS[name], bounded=False, **config)


def played(name: str, steps: int = 3) -> AnyEnvironment:
    run, random = live(name), Random(0)
    for _ in range(steps):
        run.step(random.choice(run.legal()).text)
    return run


def view(run: AnyEnvironment) -> tuple[object, ...]:
    return len(run.turns), run.legal(), run.messages(), run.submission(), run.run().verdict


@each
def test_forks_are_independent_and_states_can_be_restored(name: str) -> None:
    run = played(name, 1)
    state, before = run.state, view(run)
    for other in (run.fork(), deepcopy(run)):
        for command in (other.legal()[0].text, "nonsense"):
            other.step(command)
        assert len(other.turns) == 3
        assert view(run) == before
        other.restore(state)
        assert view(other) == before
    run.reset()
    assert view(run) == view(live(name))


@each
def test_runs_can_be_pickled(name: str) -> None:
    run = played(name)
    if isinstance(run.problem, Kitchen):
        pytest.skip("runs in kitchens share compiled states")
    list(run.benchmark.metrics.averages(run.rules))
    copy = pickle.loads(pickle.dumps(run))
    assert view(copy) == view(run)
    assert copy.step(copy.legal()[0]) == run.step(run.legal()[0])
    assert view(copy) == view(run)


@each
def test_a_run_that_is_over_takes_no_more_commands(name: str) -> None:
    run = played(name, 1)
    run.stop("stopped")
    before = run.state
    assert (run.done, run.legal(), run.state.over) == (True, (), "stopped")
    for said in ("wait", "", None):
        with pytest.raises(InputError, match="the run is over"):
            run.step(said)
    assert run.state is before


@each
def test_legal_commands_are_accepted_as_commands_and_as_text(name: str) -> None:
    run, random = live(name), Random(1)
    for _ in range(6):
        legal = run.legal()
        for command in random.sample(legal, min(len(legal), 12)):
            one, other = run.fork(), run.fork()
            given = one.step(command)
            assert given == other.step(command.text)
            assert one.messages() == other.messages()
            assert [made.violation for made in given.outcomes if made.command == command.text] in ([None], [])
        run.step(random.choice([one for one in legal if one.kind != "close"]))
        if run.done:
            break


@each
def test_the_action_space_has_all_legal_commands(name: str) -> None:
    run = played(name)
    known = registry.of(run.problem).action_space(run.problem)
    if known is not None:
        assert len(set(known.names)) == len(known.names)
        assert {known.name_of(one.text) for one in run.legal()} <= set(known.names)


@pytest.mark.slow
@each
def test_a_whole_plan_is_handed_in_at_once(name: str) -> None:
    best = optimum(PROBLEMS[name])
    run = live(name, loop="open")
    assert run.step(best.plan).observation.over == "handed_in"
    assert (run.run().success, run.run().makespan) == (True, best.makespan)


DEEP: list[object] = []
for _ in range(50_000):
    DEEP = [DEEP]
CYCLE: list[object] = []
CYCLE.append(CYCLE)
NOT_JSON: tuple[object, ...] = (DEEP, CYCLE, {"content": CYCLE}, {1: 2})
MESSAGES: list[object] = [
    *VALUES,
    *(flood * 300 for flood in FLOODS),
    *({key: value} for key in ("content", "action", "tool_calls", "robot1", "agent1") for value in VALUES[::3]),
    *(object(), b"wait", float("nan"), [[]], [None], {"action": [[]]}),
    *("\x00\ud800" * 50, "{" * 9_999, '{"robot1": ' * 300, "x y" * 200_000, "1e999 " * 100, "Do nothing" * 5_000),
    *("Action: " + "Move robot1 from " * 4_000, "Pick up " + "a" * 5_000 + "1 from table1 using robot1"),
    *({"action": {"action": "Do nothing"}}, {"robot1": {"robot1": "Do nothing"}}, {"robot1": "x" * 5_000}),
    *({"role": "assistant", "content": [{"type": "text", "text": 3}]}, [{"role": "user", "content": "Do nothing"}]),
]


@pytest.mark.slow
@pytest.mark.parametrize("loop", ["closed", "open"])
@pytest.mark.parametrize("profile", ["paper", "released"])
@each
def test_no_message_raises(name: str, profile: str, loop: str) -> None:
    start = environment(PROBLEMS[name], profile=profile, loop=loop, bounded=False)
    for said in (*MESSAGES, *(NOT_JSON if loop == "closed" or isinstance(PROBLEMS[name], Kitchen) else ())):
        run = start.fork()
        assert isinstance(run.step(said).observation.text, str)
        assert len(run.turns) == 1
        assert run.messages()[0]["role"] == "system"
        try:
            replayed = run.run()
        except PlanError:
            assert loop == "open"
            continue
        assert not replayed.success
        assert json.loads(json.dumps(run.submission())) == run.submission()
