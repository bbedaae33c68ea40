"""Optimal TimeArena runs, compared with exhaustive search through the rules and published means."""

from __future__ import annotations

import pytest
from support.samples import sample
from support.timearena import optimum, replay

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.problems import names, scenario_set, task_names, world
from planoracle.instances.benchmarks.timearena.rules import PROFILES
from planoracle.instances.errors import InputError
from planoracle.solver.exact.search import solve

#: Combinations that the released reservations make impossible.
IMPOSSIBLE = {
    "timearena/cooking2+cooking3",
    "timearena/cooking3+cooking4",
    "timearena/cooking10+cooking1",
    "timearena/cooking2+cooking3+cooking4",
    "timearena/cooking9+cooking10+cooking1",
}


@pytest.mark.parametrize("task", sample(task_names()))
def test_single_tasks_agree_with_exhaustive_search_through_the_rules(task: str) -> None:
    name = f"timearena/{task}"
    assert optimum(world(name), 300_000) == ("complete", solve(problems.load(name)).makespan)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    sample(
        [
            *scenario_set("household", 2),
            *scenario_set("lab", 2),
            "timearena/cooking3+cooking4",
            "timearena/cooking3+lab3",
            "timearena/shared/cooking2",
            "timearena/shared/cooking7",
            "timearena/shared/cooking3+cooking4",
        ],
        5,
    ),
)
def test_combinations_agree_with_exhaustive_search_through_the_rules(name: str) -> None:
    assert optimum(world(name), 300_000) == ("complete", solve(problems.load(name)).makespan)


@pytest.mark.parametrize(
    ("scenario", "size", "mean"),
    sample(
        [
            ("household", 1, 13.2),
            ("household", 2, 23.6),
            ("household", 3, 35.4),
            ("cooking", 1, 18.9),
            ("cooking", 2, 35.0),
            ("cooking", 3, 52.5),
            ("lab", 1, 16.1),
            ("lab", 2, 24.4),
            ("lab", 3, 34.7),
        ],
        several=True,
    ),
)
def test_mean_optima_of_the_paper_sets(scenario: str, size: int, mean: float) -> None:
    total = 0
    for name in scenario_set(scenario, size):
        result = solve(problems.load(name))
        assert result.status == "optimal", name
        assert result.makespan is not None
        assert result.schedule is not None
        total += result.makespan
        run = replay(name, problems.decisions(problems.load(name), result.schedule.pieces, end=result.makespan))
        assert (run.record.end, run.record.total_time, run.record.score) == ("completed", result.makespan, 100), name
    assert total == round(10 * mean)


def test_combination_of_all_thirty_tasks_is_proved() -> None:
    result = solve(problems.load("timearena/" + "+".join(task_names())))
    assert (result.status, result.makespan) == ("optimal", 408)


def test_combinations_without_modes_under_released_rules_are_refused() -> None:
    """Such an action has no available object, so the instance itself is refused."""
    for name in names():
        if name in IMPOSSIBLE:
            with pytest.raises(InputError, match="needs at least one mode"):
                problems.load(name, PROFILES["released"])
        else:
            assert all(action.modes for action in problems.load(name, PROFILES["released"]).actions)


@pytest.mark.slow
def test_exhaustive_search_through_released_rules_agrees() -> None:
    released = PROFILES["released"]
    assert optimum(world("timearena/cooking3+cooking4", released), 300_000, released) == ("impossible", None)
    for name in ("timearena/cooking1", "timearena/household1+household2", "timearena/lab10+lab1"):
        result = solve(problems.load(name, released))
        assert optimum(world(name, released), 300_000, released) == ("complete", result.makespan)
