"""Genetic search for projects: valid schedules, optima, repeated results, and refusals."""

from dataclasses import replace

import pytest
from support.random_projects import project

from planoracle.heuristics.genetic import GeneticParams, GeneticSearch
from planoracle.heuristics.improve import Budget, list_schedule
from planoracle.heuristics.project import project_of
from planoracle.heuristics.registry import run
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import WorkLimit, deadline_of
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.search import solve

#: Small populations, which are soon replaced.
PARAMS = GeneticParams(min_individuals=5, seconds_of_population=0)


def random_project(size, seed, ticks=1):
    """Return a project with lags and releases, whose times are multiples of some ticks.

    Some actions have no duration, and some use a whole capacity. Predecessors come after their successors.
    """
    draft = project(size, seed)
    actions = []
    for position, action in enumerate(draft.actions):
        release = 7 * ticks * (position % 4 == 3)
        actions.append(replace(action, duration=ticks * (action.duration % 7), release=release))
    lags = [replace(lag, minimum=ticks * max(0, lag.minimum), maximum=None) for lag in draft.lags]
    resources = [replace(resource, capacity=resource.capacity // 2) for resource in draft.resources]
    return replace(draft, actions=tuple(actions[::-1]), lags=tuple(lags), resources=tuple(resources))


def checked_makespan(search):
    """Return the makespan of the incumbent, whose schedule is valid and as long."""
    instance = search.project.instance
    schedule = search.project.schedule(search.starts)
    assert list(find_violations(instance, schedule)) == []
    assert schedule.makespan == search.makespan
    return search.makespan


@pytest.mark.parametrize("seed", range(30))
def test_small_projects_are_solved_to_optimality(seed):
    instance = random_project(10, seed, ticks=1 + seed % 3)
    optimum = solve(instance).makespan
    search = GeneticSearch(project_of(instance), seed, params=PARAMS)
    search.search(bound=optimum, children=500)
    assert checked_makespan(search) == optimum


@pytest.mark.parametrize("seed", range(10))
def test_makespan_never_grows(seed):
    instance = random_project(40, seed, ticks=2)
    start = list_schedule(instance)
    # Schedules of other programs may begin between two time units.
    search = GeneticSearch(project_of(instance), seed, [tick + 1 for tick in start.start], PARAMS)
    makespans = [start.makespan, checked_makespan(search)]
    for _ in range(3):
        search.search(children=150)
        makespans.append(checked_makespan(search))
    assert makespans == sorted(makespans, reverse=True)


def test_shorter_schedule_becomes_the_incumbent():
    searches = [GeneticSearch(project_of(random_project(60, 0)), seed) for seed in range(5)]
    searches.sort(key=lambda search: search.makespan)
    searches[-1].continue_from(searches[0].starts)
    assert checked_makespan(searches[-1]) <= searches[0].makespan


def test_result_depends_on_counted_work_and_seed_alone():
    results = []
    for seed in (1, 1, 2):
        search = GeneticSearch(project_of(random_project(60, 1)), seed)
        search.search(deadline_of(WorkLimit(0.05)))
        results.append((search.children, search.starts))
    assert results[0] == results[1] != results[2]
    assert results[0][0] > 1


def test_search_stops_at_the_bound_and_reports_shorter_schedules():
    search = GeneticSearch(project_of(random_project(60, 2)))
    search.search(bound=search.makespan)
    assert search.children == 0
    makespans = [search.makespan]
    search.search(children=500, on_progress=lambda makespan, children: makespans.append(makespan))
    assert makespans == sorted(set(makespans), reverse=True)
    assert makespans[-1] == search.makespan


def test_heuristic_begins_with_a_list_schedule():
    instance = random_project(60, 3)
    assert run(instance, "genetic", Budget(iterations=0)).makespan <= list_schedule(instance).makespan


WORK = Action("t/a", "t", 2, 0, modes=(Mode((Demand("oven"),)),), agents=())
OVEN = Instance("i", (WORK, replace(WORK, id="t/b")), resources=(Resource("oven", state="hot"),))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"agents": None}, "actions that need an agent: t/a"),
        ({"interruptible": True, "modes": (Mode(),)}, "interruptible actions: t/a"),
        ({"modes": (Mode(), *WORK.modes)}, "actions with several modes: t/a"),
        ({"modes": (Mode((Demand("oven", requires="hot"),)),)}, "states of resources: t/a"),
        ({"deadline": 9}, "deadlines and windows"),
        ({"duration": 1001}, "times of more than 50 units per action"),
    ],
)
def test_refused_action_is_named(changes, reason):
    instance = replace(OVEN, actions=(replace(WORK, **changes), OVEN.actions[1]))
    assert project_of(instance) is None
    assert run(instance, "genetic").reason == f"the genetic search for projects cannot respect {reason}"


@pytest.mark.parametrize("lag", [Lag("t/a", "t/b", 0, 5), Lag("t/a", "t/b", -1)])
def test_refused_lag_is_named(lag):
    assert run(replace(OVEN, lags=(lag,)), "genetic").reason.endswith("a negative minimum: from t/a to t/b")
