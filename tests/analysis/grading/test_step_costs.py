"""Cost of a step of a live run with a reward, in calls: it does not grow with the run."""

from __future__ import annotations

import asyncio
import sys
from statistics import median
from types import FrameType

import pytest

from planoracle import environment, load
from planoracle.analysis.agents.agent import play
from planoracle.analysis.agents.builtin import agent
from planoracle.instances.protocol.environment import AnyEnvironment

#: A problem of every simulator with decision points, and of kitchens.
PROBLEMS = (
    "recipe2plan/timed/Cobbler_Pancakes",
    "timearena/cooking2+cooking3",
    "asynctool/similar3/01",
    "asynchow/async/0",
    "paracook/abstract/own/seed_1/orders_num_2",
    "kitchens/synchronous/1_lettuce_sandwich",
)


def calls_of_step(run: AnyEnvironment, message: object) -> int:
    """Return the number of calls of rules, texts and protocol in a step, without those of the solver."""
    count = 0

    def on_event(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call" and "/instances/" in frame.f_code.co_filename

    sys.setprofile(on_event)
    try:
        run.step(message)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", PROBLEMS)
def test_step_with_regret_costs_the_same_early_and_late(name: str) -> None:
    problem = load(name)
    played = asyncio.run(play(environment(problem), agent("optimal")))
    messages = [exchange.message for exchange in played.exchanges]
    run = environment(problem, reward="regret")
    run.step(messages[0])  # fills caches
    run.reset()
    counts = [calls_of_step(run, message) for message in messages[:-1]]
    half = len(counts) // 2
    assert median(counts[half:]) <= 1.25 * median(counts[:half])
