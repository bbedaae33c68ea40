"""Tabu search for job shops: valid schedules, known optima, repeated results, and refusals."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from planoracle.heuristics.improve import Budget
from planoracle.heuristics.job_shop import job_shop
from planoracle.heuristics.order_graph import OrderGraph
from planoracle.heuristics.registry import run
from planoracle.heuristics.tabu import TabuParams, TabuSearch
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import WorkLimit, deadline_of
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.search import solve

#: Machine and ticks of the operations of every job of ft06 (Fisher and Thompson, 1963), whose optimum is 55.
FT06 = (
    ((2, 1), (0, 3), (1, 6), (3, 7), (5, 3), (4, 6)),
    ((1, 8), (2, 5), (4, 10), (5, 10), (0, 10), (3, 4)),
    ((2, 5), (3, 4), (5, 8), (0, 9), (1, 1), (4, 7)),
    ((1, 5), (0, 5), (2, 5), (3, 3), (4, 8), (5, 9)),
    ((2, 9), (1, 3), (4, 5), (5, 4), (0, 3), (3, 1)),
    ((1, 3), (3, 3), (5, 9), (0, 10), (4, 4), (2, 1)),
)


def operation(name, duration, machine=None, **fields):
    """Return an action without agents on at most one machine."""
    demands = () if machine is None else (Demand(machine),)
    return Action(f"t/{name}", "t", duration, 0, modes=(Mode(demands),), agents=(), **fields)


def classic_shop(jobs):
    actions = []
    lags = []
    for number, operations in enumerate(jobs):
        job = [operation(f"{number}-{k}", ticks, f"m{machine}") for k, (machine, ticks) in enumerate(operations)]
        lags += [Lag(before.id, after.id) for before, after in pairwise(job)]
        actions += job
    machines = [Resource(f"m{number}") for number in range(len(jobs[0]))]
    return Instance("shop", tuple(actions), tuple(lags), tuple(machines))


def random_shop(seed, size=9):
    """Return a shop with any acyclic precedences, lags, releases, machines used again, and operations without one."""
    random = Random(f"shop {seed}")
    machines = ["saw", "drill", None]
    actions = []
    for number in range(size):
        machine = random.choices(machines, (4, 4, 1))[0]
        release = random.choice((0, 0, 0, 5))
        actions.append(operation(number, random.randint(0, 6), machine, release=release))
    lags = []
    for position, after in enumerate(actions):
        for before in random.sample(actions[:position], min(position, random.choice((0, 1, 1, 2, 3)))):
            lags.append(Lag(before.id, after.id, random.choice((0, 0, 0, 2, 7))))
    return Instance("shop", tuple(actions), tuple(lags), (Resource("saw"), Resource("drill", 3)))


def exclusive(instance):
    """Let each use of the drill take two of its three units."""
    actions = []
    for action in instance.actions:
        demands = tuple(
            replace(demand, amount=2) if demand.resource == "drill" else demand for demand in action.modes[0].demands
        )
        actions.append(replace(action, modes=(Mode(demands),)))
    return replace(instance, actions=tuple(actions))


def in_sequence(instance):
    """Return the starts of the actions one after the other in the order of the instance."""
    starts = []
    time = 0
    for position, action in enumerate(instance.actions):
        ready = [
            starts[before] + instance.actions[before].duration + lag for before, lag in instance.predecessors[position]
        ]
        time = max([time, action.release, *ready])
        starts.append(time)
        time += action.duration
    return starts


def test_optimum_of_ft06_is_reached():
    answer = run(classic_shop(FT06), "tabu", Budget(bound=55, iterations=50))
    assert (answer.makespan, answer.heuristic) == (55, "tabu")


@pytest.mark.parametrize("seed", range(40))
def test_schedules_of_small_shops_are_valid_and_optimal(seed):
    instance = exclusive(random_shop(seed))
    shop = job_shop(instance)
    search = TabuSearch(shop, in_sequence(instance), seed, TabuParams(patience=20))
    optimum = solve(instance).makespan
    search.search(bound=optimum, moves=2000)
    schedule = shop.schedule(search.starts)
    assert list(find_violations(instance, schedule)) == []
    assert schedule.makespan == search.makespan == optimum


@pytest.mark.parametrize("seed", range(20))
def test_moves_close_no_cycle_and_longest_paths_stay_up_to_date(seed):
    instance = exclusive(random_shop(seed, size=30))
    search = TabuSearch(job_shop(instance), in_sequence(instance), seed, TabuParams(patience=10))
    graph = search._graph
    for _ in range(60):
        search.search(moves=1)
        places = {node: place for place, node in enumerate(graph.order)}
        assert len(places) == len(graph.shop.machines)
        arcs = [*enumerate(graph.heads.job), *enumerate(graph.heads.machine)]
        assert all(places[before] < places[node] for node, before in arcs if before >= 0)
        measured = OrderGraph(graph.shop, graph.order)
        assert (measured.heads, measured.tails) == (graph.heads, graph.tails)
        assert measured.makespan == graph.makespan


def test_results_repeat_under_counted_work_and_are_never_worse_than_the_start():
    instance = exclusive(random_shop(1, size=40))
    starts = in_sequence(instance)
    results = []
    for _ in range(2):
        search = TabuSearch(job_shop(instance), starts, seed=3)
        search.search(deadline_of(WorkLimit(0.05)))
        results.append((search.moves, search.makespan, search.starts))
    assert results[0] == results[1]
    start_makespan = max(start + action.duration for start, action in zip(starts, instance.actions, strict=True))
    assert results[0][1] <= start_makespan


def test_search_in_turns_keeps_its_incumbent_and_takes_better_schedules():
    instance = classic_shop(FT06)
    shop = job_shop(instance)
    best = TabuSearch(shop, in_sequence(instance))
    best.search(bound=55, moves=5000)
    improvements = []
    search = TabuSearch(shop, in_sequence(instance))
    search.search(moves=10, on_progress=lambda makespan, moves: improvements.append((makespan, moves)))
    assert improvements[-1][0] == search.makespan
    assert sorted(improvements, reverse=True) == sorted(improvements, key=lambda improvement: improvement[1])
    search.continue_from(best.starts)
    search.continue_from(in_sequence(instance))
    assert search.search(moves=5) == 55
    assert shop.schedule(search.starts).makespan == 55


def test_ctrl_c_stops_the_search():
    deadline = deadline_of(60.0)
    search = TabuSearch(job_shop(classic_shop(FT06)), in_sequence(classic_shop(FT06)))
    search.search(deadline, on_progress=lambda makespan, moves: deadline.stopped.set())
    assert 0 < search.moves < 1000


FIRST, SECOND = operation("first", 2, "saw"), operation("second", 3, "saw")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"lags": (Lag("t/first", "t/second", 0, 4),)},
            "lags with a maximum, or with a negative minimum: that from t/first to t/second",
        ),
        (
            {"lags": (Lag("t/first", "t/second", -1),)},
            "lags with a maximum, or with a negative minimum: that from t/first to t/second",
        ),
        ({"actions": (replace(FIRST, agents=None), SECOND)}, "actions that need an agent: t/first"),
        ({"actions": (FIRST, replace(SECOND, interruptible=True))}, "interruptible actions: t/second"),
        ({"actions": (replace(FIRST, modes=(*FIRST.modes, Mode())), SECOND)}, "actions with several modes: t/first"),
        ({"resources": (Resource("saw", 2),)}, "resources for several actions at a time: saw"),
        (
            {
                "actions": (replace(FIRST, modes=(Mode((Demand("saw", requires="on"),)),)), SECOND),
                "resources": (Resource("saw", 1, "on"),),
            },
            "states of resources: t/first",
        ),
        ({"actions": (replace(FIRST, deadline=9), SECOND)}, "deadlines and windows"),
    ],
)
def test_problems_that_are_no_job_shops_are_refused_with_a_reason(changes, reason):
    instance = replace(Instance("shop", (FIRST, SECOND), resources=(Resource("saw"),)), **changes)
    answer = run(instance, "tabu")
    assert answer.schedule is None
    assert answer.reason == f"the tabu search for job shops cannot respect {reason}"
