"""Tabu search for job shops: valid schedules, known optima, repeated results, and refusals."""

from dataclasses import replace
from random import Random

import pytest

from planoracle.heuristics.generation import generate_serial
from planoracle.heuristics.improve import Budget
from planoracle.heuristics.job_shop import job_shop
from planoracle.heuristics.order_graph import OrderGraph
from planoracle.heuristics.registry import run
from planoracle.heuristics.tabu import TabuParams, TabuSearch
from planoracle.instances.literature import jobshop
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import WorkLimit, deadline_of
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.search import solve

#: Fisher and Thompson (1963); its optimum is 55.
FT06 = """6 6
2 1 0 3 1 6 3 7 5 3 4 6
1 8 2 5 4 10 5 10 0 10 3 4
2 5 3 4 5 8 0 9 1 1 4 7
1 5 0 5 2 5 3 3 4 8 5 9
2 9 1 3 4 5 5 4 0 3 3 1
1 3 3 3 5 9 0 10 4 4 2 1
"""
MACHINES = (Resource("saw"), Resource("drill", 3))
SAW, DRILL = Mode((Demand("saw"),)), Mode((Demand("drill", 2),))


def operation(name, duration, mode=SAW, release=0):
    return Action(f"t/{name}", "t", duration, 0, modes=(mode,), agents=(), release=release)


def random_shop(seed, size=9):
    """Return a shop with any precedences, lags and releases, and with actions without a machine."""
    random = Random(f"shop {seed}")
    actions = []
    lags = []
    for number in range(size):
        mode = random.choice((SAW, SAW, DRILL, DRILL, Mode()))
        actions.append(operation(number, random.randint(0, 6), mode, random.choice((0, 0, 5))))
        for before in random.sample(range(number), min(number, random.randint(0, 3))):
            lags.append(Lag(f"t/{before}", f"t/{number}", random.choice((0, 0, 7))))
    return Instance("shop", tuple(actions), tuple(lags), MACHINES)


def search_from_list(instance, seed=0, patience=10):
    """Return a search that starts from the order of the instance."""
    starts = generate_serial(instance, range(len(instance.actions))).start
    return TabuSearch(job_shop(instance), starts, seed, TabuParams(patience=patience))


def test_optimum_of_ft06_is_reached():
    (instance,) = jobshop.read_text(FT06, "ft06")
    assert run(instance, "tabu", Budget(bound=55)).makespan == 55


@pytest.mark.parametrize("seed", range(40))
def test_schedules_of_small_shops_are_valid_and_optimal(seed):
    instance = random_shop(seed)
    search = search_from_list(instance, seed)
    optimum = solve(instance).makespan
    search.search(bound=optimum, moves=2000)
    schedule = search.shop.schedule(search.starts)
    assert not list(find_violations(instance, schedule))
    assert schedule.makespan == search.makespan == optimum


@pytest.mark.parametrize("seed", range(20))
def test_moves_close_no_cycle_and_longest_paths_stay_up_to_date(seed):
    search = search_from_list(random_shop(seed, size=30), seed)
    graph = search._graph
    for _ in range(60):
        search.search(moves=1)
        places = {node: place for place, node in enumerate(graph.order)}
        for before in (graph.heads.job, graph.heads.machine):
            assert all(places.get(before[node], -1) < place for node, place in places.items())
        measured = OrderGraph(graph.shop, graph.order)
        assert (measured.heads, measured.tails) == (graph.heads, graph.tails)
        assert measured.makespan == graph.makespan


def test_results_repeat_under_counted_work_and_are_not_worse_than_the_start():
    results = []
    for _ in range(2):
        search = search_from_list(random_shop(1, size=40))
        start_makespan = search.makespan
        search.search(deadline_of(WorkLimit(0.05)))
        results.append((search.moves, search.makespan, search.starts))
    assert results[0] == results[1]
    assert search.makespan <= start_makespan


def test_search_in_turns_takes_better_schedules_and_keeps_its_incumbent():
    (instance,) = jobshop.read_text(FT06, "ft06")
    search, other_search = search_from_list(instance), search_from_list(instance)
    first_starts = search.starts
    improvements = []
    other_search.search(bound=55, on_progress=lambda makespan, moves: improvements.append(makespan))
    assert improvements == sorted(set(improvements), reverse=True)
    search.continue_from(other_search.starts)
    search.continue_from(first_starts)
    assert (search.search(moves=5), improvements[-1]) == (55, 55)


def test_stop_ends_the_search():
    deadline = deadline_of(60.0)
    search = search_from_list(random_shop(1, size=40))
    search.search(deadline, on_progress=lambda makespan, moves: deadline.stopped.set())
    assert search.moves < 1000


FIRST, SECOND = operation("first", 2), operation("second", 3)


def test_consecutive_actions_of_a_job_on_one_machine_keep_their_order():
    last = operation("last", 1, DRILL)
    lags = (Lag(FIRST.id, SECOND.id), Lag(SECOND.id, last.id))
    search = search_from_list(Instance("shop", (FIRST, SECOND, last), lags, MACHINES))
    search.search(moves=20)
    assert search._graph.starts() == [0, 2, 5]


LAG = "lags with a maximum or a negative minimum: from t/first to t/second"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"lags": (Lag("t/first", "t/second", 0, 4),)}, LAG),
        ({"lags": (Lag("t/first", "t/second", -1),)}, LAG),
        ({"actions": (replace(FIRST, agents=None),)}, "actions that need an agent: t/first"),
        ({"actions": (replace(FIRST, interruptible=True),)}, "interruptible actions: t/first"),
        ({"actions": (replace(FIRST, modes=(SAW, DRILL)),)}, "actions with several modes: t/first"),
        (
            {"actions": (replace(FIRST, modes=(Mode(SAW.demands + DRILL.demands),)),)},
            "actions on several resources: t/first",
        ),
        ({"resources": (Resource("saw", 2),)}, "resources for several actions at a time: saw"),
        ({"actions": (replace(FIRST, deadline=9),)}, "deadlines and windows"),
    ],
)
def test_problems_that_are_no_job_shops_are_refused_with_a_reason(changes, reason):
    instance = replace(Instance("shop", (FIRST, SECOND), resources=MACHINES), **changes)
    answer = run(instance, "tabu")
    assert (answer.schedule, answer.reason) == (None, f"the tabu search for job shops cannot respect {reason}")
