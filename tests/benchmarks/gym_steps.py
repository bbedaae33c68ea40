"""Benchmark of Gymnasium environments: random steps per second of processor time, by id and reward.

Run ``python tests/benchmarks/gym_steps.py [ID ...]``; it prints a table in Markdown.
"""

from __future__ import annotations

import sys
from random import Random
from time import process_time

import gymnasium
import numpy as np

from planoracle import Model
from planoracle.analysis.adapters.gym import IDS
from planoracle.instances.errors import NoSolverError

REWARDS = ("score", "success", "regret")
#: Problems by benchmark; the others have their default problem.
SETS = {name: name for name in ("asynchow", "asynctool", "kitchens", "recipe2plan", "robotouille", "timearena")}
#: Steps and seconds after which a measurement ends.
STEPS, SECONDS = 1000, 20.0


def selection(benchmark: str) -> dict[str, object]:
    """Return the option with the problems of a benchmark."""
    if benchmark == "generic":
        return {"instance": Model("shop").task("bread").action("bake", 2).action("eat", 1, after="bake").build()}
    return {"instance": SETS[benchmark]} if benchmark in SETS else {}


def steps_per_second(benchmark: str, reward: str) -> float:
    """Return the random legal steps per second of processor time, resets included."""
    environment = gymnasium.make(IDS[benchmark], reward=reward, observation="structured", **selection(benchmark))
    chance = Random(0)
    _, info = environment.reset(seed=1)
    start, count = process_time(), 0
    while count < STEPS and process_time() - start < SECONDS:
        legal = np.flatnonzero(info["action_mask"]).tolist()
        _, _, ended, cut, info = environment.step(chance.choice(legal))
        count += 1
        if ended or cut:
            _, info = environment.reset()
    return count / (process_time() - start)


def speed_text(benchmark: str, reward: str) -> str:
    """Return the steps per second as text; empty for a reward that needs a solver, where there is none."""
    try:
        speed = steps_per_second(benchmark, reward)
    except NoSolverError:
        return ""
    return f"{speed:,.0f}" if speed >= 1 else f"{speed:.1f}"


def main(selected: list[str]) -> None:
    """Measure every environment and print a row for each."""
    print(f"| id | {' | '.join(REWARDS)} |")
    print("|---|" + "--:|" * len(REWARDS))
    for benchmark, name in IDS.items():
        if not selected or name in selected:
            cells = " | ".join(speed_text(benchmark, reward) for reward in REWARDS)
            print(f"| `{name}` | {cells} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
