"""Cost of a step of a live run with a reward, in calls: it does not grow with the run."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
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
#: Parts of the package whose calls count, by reward. The solver's calls depend on the state.
COUNTED = {"regret": ("/instances/",), "score": ("/instances/", "/analysis/"), "success": ("/instances/", "/analysis/")}


def calls_of_step(run: AnyEnvironment, message: object, parts: Sequence[str]) -> int:
    """Return the number of calls of functions of some parts of the package in a step."""
    count = 0

    def on_event(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        path = frame.f_code.co_filename
        count += event == "call" and any(part in path for part in parts)

    sys.setprofile(on_event)
    try:
        run.step(message)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("reward", COUNTED)
@pytest.mark.parametrize("name", PROBLEMS)
def test_step_with_reward_costs_the_same_early_and_late(name: str, reward: str) -> None:
    problem = load(name)
    played = asyncio.run(play(environment(problem), agent("optimal")))
    messages = [exchange.message for exchange in played.exchanges]
    run = environment(problem, reward=reward)
    run.step(messages[0])  # fills caches
    run.reset()
    counts = [calls_of_step(run, message, COUNTED[reward]) for message in messages[:-1]]
    half = len(counts) // 2
    assert median(counts[half:]) <= 1.25 * median(counts[:half])
