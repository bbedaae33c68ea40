"""Live runs of AsyncHow: answers in words at once, schedules step by step."""

from __future__ import annotations

import json

import pytest

from planoracle.instances.benchmarks.asynchow.encoding import least
from planoracle.instances.benchmarks.asynchow.rules import PROFILES
from planoracle.instances.files.catalog import load
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from planoracle.solver.exact.search import solve
from tests.instances.benchmarks.generic.test_environment import compare

NAME = "asynchow/async/829"
BOTH = pytest.mark.parametrize("profile", PROFILES)


def live(name: str = NAME, profile: str = "paper", **config: object) -> AnyEnvironment:
    benchmark = registry.get("asynchow")
    return benchmark.environment(load(name), benchmark.rules.profile(profile), RunConfig(**config))


@BOTH
def test_random_runs_are_what_their_submissions_replay_as(profile):
    assert {compare(live(profile=profile), seed) for seed in range(3)} == {"completed"}


@pytest.mark.parametrize("name", [NAME, "asynchow/parallel/3", "asynchow/sequential/4", "asynchow/async/594"])
def test_the_optimum_can_be_said_in_legal_commands(name):
    run = live(name)
    for piece in solve(load(name)).schedule.pieces:
        said = [(one["action"], one["start"]) for one in (json.loads(command.text) for command in run.legal())]
        assert piece[:2] in said
        run.step({"action": piece.action, "start": piece.start, "duration": piece.duration})
    assert run.state.over == "completed"
    assert run.run().makespan == least(load(name))


@BOTH
def test_durations_and_gold_are_those_of_the_rules(profile):
    run = live("asynchow/async/594", profile)
    hours = [json.loads(one.text)["duration"] // 3600 for one in run.legal()]
    assert hours == [
        one.duration // 3600
        for one in run.run().problem.actions
        if not any(lag.after == one.id for lag in run.problem.lags)
    ]
    asked = live("asynchow/async/594", profile, loop="open")
    asked.step('"4 days 10 hours 30 min"')
    assert asked.run().success == (profile == "paper")


def test_an_answer_in_words_is_no_step():
    run = live()
    assert run.step('It takes "72 days".').outcomes[0].violation.kind == "unreadable"
    assert "double quotes" not in run.instructions()
    assert "double quotes" in live(loop="open").instructions()
