"""Efforts of the solver: calls, model sizes and searches stay below those in `data/efforts.csv`.

``PYTHONPATH=. python tests/solver/test_efforts.py`` records the counts of today.
"""

from __future__ import annotations

import csv
import platform
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest

from planoracle.instances.benchmarks.timearena.problems import task_names
from planoracle.instances.files.catalog import expand, load
from planoracle.instances.generate.styles import generate
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import WorkLimit, counted_work
from planoracle.instances.model.problem import of_kind
from planoracle.solver.exact import search as exact
from planoracle.solver.exact import stages
from tests.support.efforts import count_efforts
from tests.support.random_projects import job_shop, project

Efforts: TypeAlias = dict[str, float]

FILE = Path(__file__).with_name("data") / "efforts.csv"
KITCHEN = "recipe2plan/untimed/Cobbler_Pancakes"
#: Growth that is accepted: a factor, and an amount. The branches depend on the release of CP-SAT too.
SLACK = {
    "calls": (1.0, 0.0),
    "size": (1.1, 0.0),
    "branches": (1.5, 200.0),
    "conflicts": (1.5, 100.0),
    "units": (1.5, 0.0005),
    "work": (1.5, 0.002),
}
PATTERNS = {
    "recipe2plan": 13,
    "asynctool": 25,
    "timearena": 18,
    "asynchow": 500,
    "recipe2plan~2": 43,
    "timearena~3": 43,
    "asynctool~2": 50,
}
GENERATED: dict[str, dict[str, float]] = {
    "24 actions": {},
    "pauses": {"interruptible": 1.0},
    "2 agents": {"agents": 2, "eligibility": 0.5},
    "4 agents": {"agents": 4},
    "160 actions": {"tasks": 20},
    "160 actions, 2 agents": {"tasks": 20, "agents": 2, "eligibility": 0.5},
    "160 actions, 3 agents": {"tasks": 20, "agents": 3, "windows": 0.0, "eligibility": 0.7},
}
HEAVY = {"generated/160 actions, 3 agents/0"}


def drawn(seed: int, **options: float) -> Instance:
    return of_kind(generate("generic", seed, **options).problem, Instance)


CASES: dict[str, Callable[[], Instance]] = {
    **{name: partial(load, name) for pattern, every in PATTERNS.items() for name in expand([pattern])[::every]},
    **{f"timearena/{n} tasks": partial(load, "timearena/" + "+".join(task_names()[:n])) for n in (5, 10, 20)},
    **{f"made/20/{seed}": partial(project, 20, seed) for seed in range(0, 30, 4)},
    **{
        f"made/job shop/{jobs}x{machines}": partial(job_shop, jobs, machines, 0)
        for jobs, machines in ((6, 6), (10, 5), (20, 5), (8, 8), (30, 10))
    },
    **{
        f"generated/{label}/{seed}": partial(drawn, seed, **options)
        for label, options in GENERATED.items()
        for seed in (0, 1)
    },
}


def measure(name: str) -> Efforts:
    """Count the efforts of one solve; ``proved`` is 1 if it ends with a proof."""
    instance = replace(CASES[name]())  # a copy without cached values
    before = counted_work()
    with count_efforts() as efforts:
        status = exact.solve(instance, time_limit=WorkLimit(20.0)).status
    return {**asdict(efforts), "work": (counted_work() - before) / 1e9, "proved": status.settled}


def recorded() -> dict[str, Efforts]:
    with FILE.open(newline="", encoding="utf-8") as file:
        return {row.pop("case"): {key: float(value) for key, value in row.items()} for row in csv.DictReader(file)}


def grown(before: Efforts, now: Efforts) -> list[str]:
    """Return the efforts that exceed the slack."""
    lost = ["proved"] if now["proved"] < before["proved"] else []
    return lost + [key for key, (times, more) in SLACK.items() if now[key] > times * before[key] + more]


RECORDED = recorded()
on_linux = pytest.mark.skipif(platform.system() != "Linux", reason="CP-SAT's branches were recorded on Linux")


@on_linux
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in HEAVY else n for n in CASES])
def test_efforts_do_not_grow(name: str) -> None:
    now = measure(name)
    assert not grown(RECORDED[name], now), f"{now}, recorded: {RECORDED[name]}; if intended, record again"


@on_linux
def test_effort_grows_without_the_ordered_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_schedule(instance, bounds, step, lower_bound, longest, deadline):
        return None, lower_bound

    monkeypatch.setattr(stages, "schedule_in_order", no_schedule)
    assert {"calls", "size"} <= set(grown(RECORDED[KITCHEN], measure(KITCHEN)))


if __name__ == "__main__":
    with FILE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["case", *next(iter(RECORDED.values()))], lineterminator="\n")
        writer.writeheader()
        writer.writerows({"case": name, **{key: round(n, 6) for key, n in measure(name).items()}} for name in CASES)
