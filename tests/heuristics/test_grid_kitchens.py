"""Heuristics for grid kitchens: the rules accept every plan at the computed times."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from planoracle.heuristics.grid_kitchens import BY_NAME, RandomMoves, anneal
from planoracle.heuristics.grid_kitchens_jobs import (
    FETCH,
    INTO,
    MOVE,
    PLATE,
    SERVE,
    WASH,
    Job,
    execute_jobs,
    plan_of,
)
from planoracle.heuristics.grid_kitchens_layout import StationLayout, layout_of
from planoracle.heuristics.grid_kitchens_list import list_jobs
from planoracle.heuristics.improve import Budget
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    GridKitchen,
    GridKitchenRules,
    Need,
    OrderedDish,
    Station,
)
from planoracle.instances.benchmarks.grid_kitchens.simulation import carry_out
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import WorkLimit, deadline_of
from tests.support.grid_kitchens import FACTS, PAPER, RAW, RELEASED, STEAK, TARTARE, row, tiny
from tests.support.paracook import kitchen_of_map
from tests.support.samples import sample

OWN = [
    f"paracook/cook/own/seed_{seed}/agent_num_{cooks}/orders_num_{orders}"
    for seed in range(1, 9)
    for cooks in (1, 2, 3)
    for orders in (1, 2, 4)
]


def own(name: str) -> GridKitchen:
    problem = catalog.problem(name)
    assert isinstance(problem, GridKitchen)
    return problem


def accepted(
    problem: GridKitchen, solution: tuple[list[Job], list[int]], *rules: GridKitchenRules, stale: bool = False
) -> int:
    """Return the time of the last dish, computed by the heuristic and confirmed by the rules."""
    shop = layout_of(problem)
    timing = execute_jobs(shop, *solution, stale)
    assert timing is not None
    plan = plan_of(shop, timing)
    for one in rules or (PAPER, RELEASED):
        run = carry_out(problem, plan, one)
        assert (run.done, run.error, run.served_at) == (True, None, tuple(timing.served)), one
        assert run.time == timing.served[-1]
    return timing.served[-1]


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(OWN, 13))
def test_plans_for_bundled_kitchens_pass_the_rules(name: str) -> None:
    problem = own(name)
    first = accepted(problem, list_jobs(layout_of(problem)))
    for rules in (PAPER, RELEASED):
        plan = anneal(problem, rules, tries=300)
        run = carry_out(problem, plan, rules)
        assert run.done
        assert run.time <= first
    assert carry_out(problem, anneal(problem, PAPER, tries=300), RELEASED).done


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(12), 6))
def test_random_feasible_jobs_pass_the_rules(seed: int) -> None:
    """Apply random changes for two or three cooks, whether or not the plan gets shorter."""
    problem = own(f"paracook/cook/own/seed_{seed % 4}/agent_num_{2 + seed % 2}/orders_num_{1 + seed % 3}")
    shop, random = layout_of(problem), Random(seed)
    moves = RandomMoves(shop, random)
    jobs, plates = list_jobs(shop)
    seen = 0
    for _ in range(1000):
        new_jobs, new_plates = jobs[:], plates[:]
        timing = (
            execute_jobs(shop, new_jobs, new_plates, stale=seed % 2 > 0) if moves.change(new_jobs, new_plates) else None
        )
        if timing is None or len(timing.served) < len(plates):
            continue
        jobs, plates = new_jobs, new_plates
        seen += 1
        if not seen % 5:
            accepted(problem, (jobs, plates), *([RELEASED] if seed % 2 else []), stale=seed % 2 > 0)
    assert seen > 100


@pytest.mark.slow
def test_same_seed_gives_the_same_plan_and_limits_are_respected() -> None:
    problem = own("paracook/cook/own/seed_1/agent_num_2/orders_num_2")
    one, same, other = (BY_NAME["improve"](problem, PAPER, Budget(seed, 10)) for seed in (1, 1, 2))
    assert one == same
    assert carry_out(problem, other, PAPER).done
    first = carry_out(problem, BY_NAME["floor-list"](problem, PAPER, Budget()), PAPER).time
    assert carry_out(problem, BY_NAME["improve"](problem, PAPER, Budget(time_limit=0.0)), PAPER).time == first
    least = carry_out(problem, BY_NAME["improve"](problem, PAPER, Budget(bound=int(first))), PAPER).time
    assert least == first


@pytest.mark.parametrize(
    ("orders", "cooks", "best"),
    sample(
        [
            ((RAW,), 1, 6),  # meat at 1, on the plate at 2, at the window at 6
            ((TARTARE,), 1, 12),  # chopped at 6, on the plate at 8, served at 12
            ((STEAK,), 1, 32),  # in the pan at 7, cooked at 31; the plate is there by then
            ((RAW, RAW), 2, 26),  # the only plate is clean again at 21, and the meat on the board
        ],
        several=True,
    ),
)
def test_annealing_finds_optimal_plans_of_a_row_kitchen(orders: tuple[OrderedDish, ...], cooks: int, best: int) -> None:
    problem = row(*orders, cooks=cooks)
    plan = anneal(problem, PAPER, tries=3000)
    assert carry_out(problem, plan, PAPER).time == best


@pytest.mark.slow
def test_cookware_that_counts_from_its_last_batch_saves_time() -> None:
    problem = tiny("cooked", "cooked", "cooked", cooks=1)
    by_paper = anneal(problem, PAPER, tries=2000)
    released = anneal(problem, RELEASED, tries=2000)
    assert carry_out(problem, by_paper, RELEASED).done
    assert carry_out(problem, released, RELEASED).time < carry_out(problem, by_paper, PAPER).time


def test_dependent_step_is_executed_after_the_step_of_another_cook() -> None:
    """The cook with the plate waits at the board for the other cook, whose last step begins later."""
    problem = row(TARTARE, cooks=2)
    shop = layout_of(problem)
    place = {station.name: i for i, station in enumerate(shop.stations)}
    times = {}
    for cook in (0, 1):
        jobs: list[Job] = [(FETCH, 1 - cook, 0, place["board"], False), (PLATE, cook, 0, SERVE, (0,))]
        times[cook] = accepted(problem, (jobs, [0]))
    assert times == {0: 9, 1: 8}  # the first cook of the map acts first, and loses a tick


@pytest.mark.parametrize(
    "jobs",
    [
        [(MOVE, 0, 0, INTO, False)],  # the ingredient is not fetched
        [(FETCH, 0, 0, INTO, False), (FETCH, 0, 0, INTO, False)],
        [(PLATE, 0, 0, SERVE, ())],  # without its ingredient
        [(PLATE, 0, 0, SERVE, (0,))],
        [(WASH, 0, 0, 5, True)],  # nothing is dirty
        [(FETCH, 0, 0, 0, False)],  # on the plate's table
        [(FETCH, 0, 0, 2, True), (PLATE, 0, 0, 2, ())],  # the board is taken
    ],
)
def test_infeasible_jobs_have_no_timing(jobs: list[Job]) -> None:
    assert execute_jobs(StationLayout(row(TARTARE)), jobs, [0]) is None


def test_impossible_dishes_are_refused_with_a_reason() -> None:
    for need, reason in (
        (Need("fish", "raw"), "row: needs fish, which no dispenser provides"),
        (Need("rice", "cooked", "pan"), "row: needs cooked rice, which no cookware on a stove accepts"),
    ):
        with pytest.raises(InputError, match=reason):
            layout_of(row(OrderedDish("odd", (need,))))
    bare = [Station("rice", "dispenser", (0, 0), provides="rice"), Station("table", "table", (1, 0), "plate")]
    raw = OrderedDish("rice", (Need("rice", "raw"),))
    with pytest.raises(InputError, match="odd: has no reachable serving window"):
        layout_of(GridKitchen.of("odd", "paracook", (2, 2), bare, [], [("agent1", (0, 1))], [raw], FACTS))
    bare.append(Station("window", "serving_window", (2, 0)))
    bare.append(Station("table2", "table", (3, 1), "plate"))
    cut_off = GridKitchen.of("odd", "paracook", (4, 2), bare, [("wall", (1, 1))], [("agent1", (2, 1))], [raw], FACTS)
    for planner in ("floor-list", "improve"):
        with pytest.raises(InputError, match="no cook can reach"):
            BY_NAME[planner](cut_off, PAPER, Budget())


@pytest.mark.slow
def test_list_heuristic_plans_every_kitchen_of_the_benchmark(shared: Path) -> None:
    path = shared / "benchmarks" / "paracook" / "orders.json"
    orders: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))["orders"]
    assert len(orders) == 120
    for name, dishes in orders.items():
        for cooks in (1, 2, 3):
            problem = kitchen_of_map(shared, f"{name.rpartition('/')[0]}/agent_num_{cooks}", dishes)
            accepted(problem, list_jobs(layout_of(problem)))


def test_annealing_of_many_orders_stops_at_the_work_limit() -> None:
    many = row(*[TARTARE] * 40, cooks=2)
    deadline = deadline_of(WorkLimit(0.05))
    with pytest.raises(InputError, match="too many orders"):
        anneal(many, PAPER, tries=1000, deadline=deadline)
    assert deadline.remaining() == 0
