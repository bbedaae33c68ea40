"""Benchmark of Gymnasium environments: random steps per second of processor time, by id and reward.

Run ``python tests/benchmarks/gym_steps.py [ID ...]``; it prints two tables in Markdown: the speed of whole runs, and
that of the steps up to a step of a run, which shows how the cost of a step depends on the length of the run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from time import process_time
from typing import NamedTuple

import gymnasium
import numpy as np

from planoracle import Model
from planoracle.analysis.adapters.gym import IDS
from planoracle.instances.errors import NoSolverError

REWARDS = (None, "success", "score", "regret")
#: Problems by benchmark; the others have their default problem.
SETS = {name: name for name in ("asynchow", "asynctool", "kitchens", "recipe2plan", "robotouille", "timearena")}
SETS |= {"asyncplanning": "asyncplanning/xxl/5", "naturalplan": "naturalplan/meeting"}
#: Steps and seconds after which a measurement ends.
STEPS, SECONDS = 5000, 20.0
#: Steps of a run up to which speeds are compared, and the number of steps before each that are measured.
LENGTHS, WINDOW = (20, 100, 400), 10
#: Least number of steps behind a speed.
MIN_STEPS = 50


class StepTime(NamedTuple):
    """Processor time of a step in seconds, with its number in the run, from 1."""

    number: int
    seconds: float


def selection(benchmark: str) -> dict[str, object]:
    """Return the option with the problems of a benchmark."""
    if benchmark == "generic":
        return {"instance": Model("shop").task("bread").action("bake", 2).action("eat", 1, after="bake").build()}
    return {"instance": SETS[benchmark]} if benchmark in SETS else {}


def step_times(benchmark: str, reward: str | None) -> Iterator[StepTime]:
    """Yield the times of random legal steps; the first step of a run includes the reset."""
    environment = gymnasium.make(IDS[benchmark], reward=reward, observation="structured", **selection(benchmark))
    chance = Random(0)
    start = before = process_time()
    _, info = environment.reset(seed=1)
    number = 0
    for _ in range(STEPS):
        legal = np.flatnonzero(info["action_mask"]).tolist()
        _, _, ended, cut, info = environment.step(chance.choice(legal))
        now = process_time()
        number += 1
        yield StepTime(number, now - before)
        if now - start > SECONDS:
            return
        before = process_time()
        if ended or cut:
            _, info = environment.reset()
            number = 0


def speed_text(times: list[StepTime]) -> str:
    """Return the steps per second as text, empty for too few steps."""
    if len(times) < MIN_STEPS:
        return ""
    speed = len(times) / sum(time.seconds for time in times)
    return f"{speed:,.0f}" if speed >= 1 else f"{speed:.1f}"


def cells(times: list[StepTime]) -> list[str]:
    """Return the speeds of all steps, and of the steps up to each length."""
    texts = [speed_text(times)]
    for length in LENGTHS:
        window = range(length - WINDOW + 1, length + 1)
        texts.append(speed_text([time for time in times if time.number in window]))
    return texts


def row(benchmark: str) -> list[list[str]]:
    """Return the cells of every reward; all are empty for a reward that needs a solver, where there is none."""
    columns = []
    for reward in REWARDS:
        try:
            columns.append(cells(list(step_times(benchmark, reward))))
        except NoSolverError:
            columns.append(cells([]))
    return columns


def print_table(headings: list[str], rows: list[list[str]]) -> None:
    """Print a table in Markdown with numbers in all columns but the first."""
    print(f"| {' | '.join(headings)} |")
    print("|---|" + "--:|" * (len(headings) - 1))
    for texts in rows:
        print(f"| {' | '.join(texts)} |")


def main(selected: list[str]) -> None:
    """Measure every environment and print the tables."""
    whole_runs, by_length = [], []
    for benchmark, name in IDS.items():
        if selected and name not in selected:
            continue
        columns = row(benchmark)
        print(name, columns, file=sys.stderr, flush=True)
        label = f"`{name}`"
        whole_runs.append([label, *(column[0] for column in columns)])
        by_length.append([label, *(" / ".join(filter(None, column[1:])) for column in columns)])
    titles = [f"`{reward}`" if reward else "none" for reward in REWARDS]
    print_table(["environment", *titles], whole_runs)
    print()
    print_table([f"steps {' / '.join(map(str, LENGTHS))}", *titles], by_length)


if __name__ == "__main__":
    main(sys.argv[1:])
