"""Benchmark of Gymnasium environments: random steps per second of processor time, by id and reward.

Run ``python tests/benchmarks/gym_steps.py [ID ...]``; it prints two tables in Markdown: the speed of short runs on many
problems, and that of the last steps before a length on one problem, which must not depend on the length.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from random import Random
from time import process_time
from typing import Any, NamedTuple

import gymnasium

from planoracle import Model
from planoracle.analysis.adapters.gym import IDS, LiveEnv
from planoracle.instances.errors import InputError
from planoracle.instances.protocol.simulator import LegalCommand

REWARDS = (None, "success", "score", "regret")
#: Problems by benchmark; the others have their default problem.
SETS: dict[str, Any] = {
    "asynchow": "asynchow/parallel",
    "asyncplanning": "asyncplanning/xxl/5",
    "asynctool": "asynctool/cross2",
    "generic": Model("shop").task("bread").action("bake", 2).action("eat", 1, after="bake").build(),
    "kitchens": "kitchens",
    "naturalplan": "naturalplan/meeting",
    "recipe2plan": "recipe2plan/timed",
    "robotouille": "robotouille/asynchronous",
    "timearena": "timearena",
}
_FEAST = "9_onion_potato_soup_and_fried_onion_ring_lettuce_burger_and_onion_cheese_sandwich"
#: Problems whose runs have at least the first length, by benchmark; runs of the others are shorter.
LONG = {
    "asyncplanning": "asyncplanning/xxl/100/1",
    "asynctool": "asynctool/cross3/01",
    "kitchens": f"kitchens/asynchronous/{_FEAST}",
    "paracook": "paracook/cook/own/seed_3/agent_num_1/orders_num_1",
    "paracook_abstract": "paracook/abstract/own/seed_1/orders_num_3",
    "recipe2plan": "recipe2plan/timed/Cobbler_Pancakes",
    "robotouille": f"robotouille/asynchronous/{_FEAST}",
    "timearena": "timearena/lab6+lab7+lab8",
}
#: Steps and seconds after which a measurement ends.
STEPS, SECONDS = 2000, 2.0
#: Lengths of runs, the number of steps before each that are measured, and the least number of steps behind a speed.
LENGTHS, WINDOW, MIN_STEPS = (20, 100), 10, 10
#: Share of waits, where they are legal, in runs that are to be long.
WAITS = 0.9

#: Function that chooses the number of a legal command.
Policy = Callable[[dict[int, LegalCommand], Random], int]


class StepTime(NamedTuple):
    """Processor time of a step in seconds, with its number in the run, from 1."""

    number: int
    seconds: float


def random_command(legal: dict[int, LegalCommand], chance: Random) -> int:
    """Return any command that does not end the run, if there is one."""
    numbers = [number for number, command in legal.items() if command.kind != "close"]
    return chance.choice(numbers or list(legal))


def mostly_wait(legal: dict[int, LegalCommand], chance: Random) -> int:
    """Return a wait in most steps, where waits are commands."""
    waits = [number for number, command in legal.items() if command.kind == "wait"]
    return chance.choice(waits) if waits and chance.random() < WAITS else random_command(legal, chance)


def step_times(benchmark: str, instance: Any, reward: str | None, policy: Policy) -> Iterator[StepTime]:
    """Yield the times of legal steps; the first step of a run includes the reset."""
    wrapped = gymnasium.make(IDS[benchmark], instance=instance, reward=reward, observation="structured")
    environment = wrapped.unwrapped
    assert isinstance(environment, LiveEnv)
    chance = Random(0)
    start = process_time()
    environment.reset(seed=1)
    seconds, number = process_time() - start, 0
    for _ in range(STEPS):
        action = policy(environment.commands(), chance)
        before = process_time()
        environment.step(action)
        number += 1
        is_over = environment.run.done
        now = process_time()
        yield StepTime(number, seconds + now - before)
        if now - start > SECONDS:
            return
        before = process_time()
        if is_over:
            environment.reset()
            number = 0
        seconds = process_time() - before


def speed_text(times: list[StepTime]) -> str:
    """Return the steps per second as text."""
    speed = len(times) / sum(time.seconds for time in times)
    return f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}"


def short_cell(benchmark: str, reward: str | None) -> str:
    """Return the speed of random runs on the problems of a benchmark."""
    return speed_text(list(step_times(benchmark, SETS.get(benchmark), reward, random_command)))


def long_cell(benchmark: str, reward: str | None) -> str:
    """Return the speeds of the last steps before each length that runs reach."""
    times = list(step_times(benchmark, LONG[benchmark], reward, mostly_wait))
    texts = []
    for length in LENGTHS:
        window = [time for time in times if length - WINDOW < time.number <= length]
        texts.append(speed_text(window) if len(window) >= MIN_STEPS else "–")
    return " / ".join(texts)


def print_row(benchmark: str, cell: Callable[[str, str | None], str]) -> None:
    """Print the row of a benchmark, with ``none`` for a reward that its runs do not have."""
    cell(benchmark, None)  # caches of the problems fill
    texts = []
    for reward in REWARDS:
        try:
            texts.append(cell(benchmark, reward))
        except InputError:
            texts.append("none")
    print(f"| `{IDS[benchmark]}` | {' | '.join(texts)} |", flush=True)


def main(selected: list[str]) -> None:
    """Measure the environments and print the tables."""
    benchmarks = [benchmark for benchmark, name in IDS.items() if not selected or name in selected]
    titles = [f"`{reward}`" if reward else "no reward" for reward in REWARDS]
    print(f"| environment | {' | '.join(titles)} |")
    print("|---|" + "--:|" * len(titles))
    for benchmark in benchmarks:
        print_row(benchmark, short_cell)
    print(f"\n| steps before {' / '.join(map(str, LENGTHS))} | {' | '.join(titles)} |")
    print("|---|" + "--:|" * len(titles))
    for benchmark in benchmarks:
        if benchmark in LONG:
            print_row(benchmark, long_cell)


if __name__ == "__main__":
    main(sys.argv[1:])
