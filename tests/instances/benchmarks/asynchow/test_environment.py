"""Live runs of AsyncHow: answers in words at once, schedules step by step."""

from __future__ import annotations

import json

import pytest

from planoracle.instances.benchmarks.asynchow.rules import PROFILES
from planoracle.instances.files.catalog import load
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig

NAME = "asynchow/async/829"
BOTH = pytest.mark.parametrize("profile", PROFILES)


def live(name: str = NAME, profile: str = "paper", **config: object) -> AnyEnvironment:
    benchmark = registry.get("asynchow")
    return benchmark.environment(load(name), benchmark.rules.profile(profile), RunConfig(**config))


@BOTH
def test_profile_determines_durations_and_right_answer(profile):
    run = live("asynchow/async/594", profile)
    hours = [json.loads(one.text)["duration"] // 3600 for one in run.legal()]
    assert hours == [
        one.duration // 3600
        for one in run.run().problem.actions
        if not any(lag.after == one.id for lag in run.problem.lags)
    ]
    open_run = live("asynchow/async/594", profile, loop="open")
    open_run.step('"4 days 10 hours 30 min"')
    assert open_run.run().success == (profile == "paper")


def test_answer_in_words_is_unreadable_in_a_closed_loop():
    run = live()
    assert run.step('It takes "72 days".').outcomes[0].violation.kind == "unreadable"
    assert "double quotes" not in run.instructions()
    assert "double quotes" in live(loop="open").instructions()
