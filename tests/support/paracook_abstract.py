"""Handmade and random abstract problems of ParaCook, and exhaustive completion of task lists."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from planoracle.instances.benchmarks.paracook_abstract.problems import by_name, instance
from planoracle.instances.benchmarks.paracook_abstract.rules import PROFILES, ListSimulator
from planoracle.instances.model.instance import Instance

#: Frying takes 3 and cools for 10, cutting takes 2, serving 1 and needs both; washing up takes 4 and needs nothing.
DISH = [("fry", 3, {}), ("cut", 2, {}), ("serve", 1, {"fry": 10, "cut": 0}), ("wash", 4, {})]


def random_problem(seed: int, tasks: int = 5) -> Instance:
    """Return a problem with a few tasks for one to three agents."""
    random = Random(seed)
    rows = []
    for number in range(1, tasks + 1):
        before = random.sample(range(1, number), k=min(number - 1, random.choice([0, 0, 1, 1, 2])))
        rows.append((f"t{number}", random.randint(1, 6), {f"t{one}": random.choice([0, 0, 3, 7]) for one in before}))
    return instance(f"random {seed}", rows, random.randint(1, 3))


def random_lists(problem: Instance, seed: int, tasks: int) -> list[list[str]]:
    """Return lists of up to ``tasks`` tasks without a deadlock."""
    random = Random(seed)
    lists: list[list[str]] = [[] for _ in problem.agents]
    for _ in range(tasks):
        lists = random.choice(list(_longer(problem, lists)) or [lists])
    return lists


def _longer(problem: Instance, lists: Sequence[Sequence[str]]) -> list[list[list[str]]]:
    listed = {task for one in lists for task in one}
    longer = []
    for name, action in by_name(problem).items():
        needs = {lag.before.partition("/")[2] for lag in problem.lags if lag.after == action.id}
        if name not in listed and needs <= listed:
            longer += [[[*one, name] if n == k else [*one] for n, one in enumerate(lists)] for k in range(len(lists))]
    return longer


def best_after(problem: Instance, lists: Sequence[Sequence[str]]) -> int:
    """Return the minimum time of all complete lists that start with these, by the rules alone."""
    longer = _longer(problem, lists)
    if not longer:
        record = ListSimulator(problem, PROFILES["paper"]).carry_out(lists)
        assert len(record.entries) == len(problem.actions)
        return record.time
    return min(best_after(problem, one) for one in longer)
