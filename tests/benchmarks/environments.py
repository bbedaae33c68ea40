"""Benchmark of live runs: steps, forks and replays per second of processor time.

Run ``python tests/benchmarks/environments.py [NAME ...] [--reward NAME] [--steps COUNT]``. A random agent plays each
problem repeatedly, at most so many steps a run; for steps with texts it reads every observation.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from random import Random
from time import process_time

import planoracle
from planoracle.instances.files import catalog
from planoracle.instances.protocol.environment import AnyEnvironment

USUAL = (
    "recipe2plan/timed/Cobbler_Pancakes",
    "recipe2plan/timed/Cobbler_Pancakes~2",  # by the general rules
    "asynchow/async/829",
    "timearena/household1+household2",
    "asynctool/files_2",
    "robotouille/synchronous/3_burger",
    "robotouille/asynchronous/5_potato_soup",
    "robotouille/asynchronous/9_onion_potato_soup_and_fried_onion_ring_lettuce_burger_and_onion_cheese_sandwich",
)
#: Seconds of each measurement.
SECONDS = 2.0


def steps_per_second(run: AnyEnvironment, steps: int, *, texts: bool = False) -> float:
    """Return the random steps per second of processor time, resets included."""
    rng = Random(1)
    count = 0
    start = process_time()
    while process_time() - start < SECONDS:
        run.reset()
        for _ in range(steps):
            legal = run.legal()
            if not legal:
                break
            seen = run.step(rng.choice(legal).text).observation
            count += 1
            if texts:
                _ = seen.text
    return count / (process_time() - start)


def microseconds(work: Callable[[], object], times: int = 2_000) -> float:
    """Return the mean processor time of a call in microseconds."""
    start = process_time()
    for _ in range(times):
        work()
    return 1e6 * (process_time() - start) / times


def main(arguments: list[str]) -> None:
    """Measure every problem and print a line for each."""
    parser = ArgumentParser()
    parser.add_argument("names", nargs="*", default=USUAL)
    parser.add_argument("--reward")
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args(arguments)
    print(f"{'steps/s':>9} {'with texts':>10} {'reset':>7} {'fork':>7} {'restore':>7} {'run()':>8}  (µs)")
    for name in catalog.expand(options.names):
        problem = planoracle.load(name)
        run = planoracle.environment(problem, reward=options.reward, bounded=False)
        steps_per_second(run, options.steps)  # caches of a kitchen fill in its first runs
        speeds = steps_per_second(run, options.steps), steps_per_second(run, options.steps, texts=True)
        times = [microseconds(work) for work in (run.fork, partial(run.restore, run.state))]
        replayed = microseconds(run.run, 100)
        reset = microseconds(run.reset)
        cells = f"{speeds[0]:9,.0f} {speeds[1]:10,.0f} {reset:7.1f} {times[0]:7.1f} {times[1]:7.2f} {replayed:8.0f}"
        print(f"{cells}  {name}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
