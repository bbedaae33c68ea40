"""Lower bound of grid kitchens, compared with exhaustive search from initial and later states."""

from __future__ import annotations

from random import Random

import pytest
from support.exhaustive_grid_kitchens import SearchLimitError, min_time, random_run
from support.grid_kitchens import PAPER, RELEASED
from support.random_grid_kitchens import odd_grid_kitchen, random_grid_kitchen
from support.samples import sample

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    Cookware,
    Facts,
    GridKitchen,
    GridKitchenRules,
    Need,
    OrderedDish,
    Station,
)
from planoracle.instances.benchmarks.grid_kitchens.simulation import carry_out
from planoracle.instances.model.limits import WorkLimit
from planoracle.solver.grid_kitchens.kind import plan
from planoracle.solver.grid_kitchens.lower_bound import lower_bound
from planoracle.solver.states.state_solver import NEVER

#: Ticks after the state searched for a plan where the bound claims infeasibility.
FAR = 25


@pytest.mark.parametrize("rules", sample([PAPER, RELEASED]), ids=["paper", "released"])
@pytest.mark.parametrize("cooks", sample([1, 2]))
@pytest.mark.parametrize(
    "seeds", sample([range(1), pytest.param(range(1, 8), marks=pytest.mark.slow)]), ids=["few", "many"]
)
def test_no_plan_ends_before_the_bound(rules: GridKitchenRules, cooks: int, seeds: range) -> None:
    compared = 0
    for seed in seeds:
        for draw in (random_grid_kitchen, odd_grid_kitchen):
            kitchen, random = draw(seed, cooks), Random(seed)
            for moments in (0, 2, 8):
                clock = random_run(kitchen, rules, random, moments)
                bound = lower_bound(clock)
                horizon = bound - 1 if bound < NEVER else int(clock.time) + FAR
                try:
                    best = min_time(
                        kitchen,
                        rules,
                        horizon,
                        most=100,
                        spare=3 if moments else 0,
                        start=clock,
                    )
                except SearchLimitError:
                    continue
                assert best is None or best.time >= bound, (draw.__name__, seed, moments, bound, best)
                compared += 1
    assert compared


@pytest.mark.slow
@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
def test_a_second_cook_washes_before_the_plate_is_in_a_shared_sink(rules: GridKitchenRules) -> None:
    """Release 0.9.0 claimed that no plan ends before 9; under the released rules this one ends at 7."""
    stations = [
        Station("table0", "table", (0, 1), "plate"),
        Station("window", "serving_window", (1, 0)),
        Station("back", "plate_return", (2, 0)),
        Station("sink", "sink", (2, 2)),
        Station("box", "dispenser", (1, 2), provides="meat"),
    ]
    walls = [("wall", (0, 0)), ("wall_1", (3, 0)), ("wall_2", (0, 2)), ("wall_3", (3, 2)), ("wall_4", (3, 1))]
    raw, facts = (
        OrderedDish("raw", (Need("meat", "raw"),)),
        Facts(1, 1, 6, 1, (Cookware("pan", 1, "chopped", ("meat",)),)),
    )
    cooks = [("agent1", (1, 1)), ("agent2", (2, 1))]
    kitchen = GridKitchen.of("two-tiles", "paracook", (4, 3), stations, walls, cooks, [raw, raw], facts)
    use, go = (lambda name: {"action": "Interact", "target": name}), {"action": "MoveTo"}
    first = [use("box"), use("table0"), use("table0"), {"action": "Wait", "duration": 1}, use("window")]
    first += [go | {"target": [2, 1]}, use("back"), use("sink")]
    second = [{"action": "Process", "target": "sink"}, use("sink"), go | {"target": [1, 1]}]
    second += [use(name) for name in ("table0", "box", "table0", "table0", "window")]
    outcome = carry_out(kitchen, {"agent1": first, "agent2": second}, rules)
    result = plan(kitchen, rules, WorkLimit(1.0))
    if rules.sinks == "shared":
        assert outcome.done
        assert outcome.time == 7
        assert result.lower_bound <= 7
    else:
        assert not outcome.done
    assert result.makespan is None or result.lower_bound <= result.makespan
