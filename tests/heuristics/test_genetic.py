"""Genetic search for projects: valid schedules, optima, repeated results, and refusals."""

from dataclasses import replace
from random import Random

import pytest

from planoracle.heuristics.genetic import GeneticSearch
from planoracle.heuristics.improve import Budget, list_schedule
from planoracle.heuristics.project import project_of
from planoracle.heuristics.registry import run
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import WorkLimit, deadline_of
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.search import solve


def random_project(seed, size=10, ticks=1):
    """Return a project whose durations, lags and releases are multiples of some ticks, possibly 0.

    Its actions are in no topological order, and some take a whole capacity.
    """
    random = Random(f"project {seed}")
    capacities = {"crane": 1, "crew": 5, "power": 8}
    actions = []
    for number in range(size):
        names = random.sample(sorted(capacities), random.randint(0, 2))
        demands = [Demand(name, random.choice((0, 1, capacities[name]))) for name in names]
        duration = ticks * random.randint(0, 6)
        release = ticks * random.choice((0, 0, 0, 9))
        action = Action(f"p/{number}", "p", duration, 0, modes=(Mode(tuple(demands)),), agents=(), release=release)
        actions.append(action)
    lags = []
    for position, after in enumerate(actions):
        for before in random.sample(actions[:position], min(position, random.randint(0, 2))):
            lags.append(Lag(before.id, after.id, ticks * random.choice((0, 0, 3))))
    random.shuffle(actions)
    resources = [Resource(name, capacity) for name, capacity in capacities.items()]
    return Instance("project", tuple(actions), tuple(lags), tuple(resources))


def latest_starts(instance):
    """Return the starts of a list schedule, in ticks."""
    return list(list_schedule(instance).start)


@pytest.mark.parametrize("seed", range(30))
def test_schedules_are_valid_and_optimal_for_small_projects(seed):
    instance = random_project(seed, ticks=1 + seed % 3)
    optimum = solve(instance).makespan
    search = GeneticSearch(project_of(instance), seed)
    search.search(bound=optimum, children=500)
    schedule = search.project.schedule(search.starts)
    assert list(find_violations(instance, schedule)) == []
    assert schedule.makespan == search.makespan == optimum


@pytest.mark.parametrize("seed", range(10))
def test_continued_search_is_never_worse_than_its_start_or_an_added_schedule(seed):
    instance = random_project(seed, size=40)
    project = project_of(instance)
    other_schedule = GeneticSearch(project, seed + 1)
    other_schedule.search(children=20)
    start = list_schedule(instance)
    search = GeneticSearch(project, seed, start.start)
    makespans = [start.makespan, search.makespan]
    for _ in range(3):
        makespans.append(search.search(children=30))
    search.continue_from(other_schedule.starts)
    makespans.append(search.makespan)
    assert makespans == sorted(makespans, reverse=True)
    assert search.makespan <= other_schedule.makespan
    assert list(find_violations(instance, project.schedule(search.starts))) == []


def test_starts_between_time_units_are_accepted():
    instance = random_project(0, size=20, ticks=4)
    starts = latest_starts(instance)
    delayed = [start + 3 for start in starts]
    search = GeneticSearch(project_of(instance), starts=delayed)
    assert list(find_violations(instance, search.project.schedule(search.starts))) == []


def test_result_depends_on_counted_work_and_seed_alone():
    project = project_of(random_project(1, size=60))
    results = []
    for seed in (1, 1, 2):
        search = GeneticSearch(project, seed)
        search.search(deadline_of(WorkLimit(0.05)))
        results.append((search.children, search.starts))
    assert results[0] == results[1] != results[2]
    assert results[0][0] > 1


def test_search_stops_at_the_bound_and_reports_improvements():
    project = project_of(random_project(2, size=60))
    makespans = []
    search = GeneticSearch(project)
    first = search.makespan
    search.search(bound=first, children=100)
    assert search.makespan == first
    assert search.children == 0
    search.search(children=500, on_progress=lambda makespan, children: makespans.append(makespan))
    assert makespans == sorted(set(makespans), reverse=True)
    assert makespans[-1:] == [search.makespan]


def test_heuristic_improves_the_list_schedule_of_a_project():
    instance = random_project(4, size=60)
    answer = run(instance, "genetic", Budget(iterations=10))
    assert answer.schedule.makespan == answer.makespan <= list_schedule(instance).makespan


AGENTS = Instance("i", (Action("t/a", "t", 2, 2),))
WORK = Action("t/a", "t", 2, 0, modes=(Mode((Demand("oven"),)),), agents=())
OVEN = Instance("i", (WORK, replace(WORK, id="t/b")), resources=(Resource("oven"),))
HOT = Mode((Demand("oven", requires="hot"),))


@pytest.mark.parametrize(
    ("instance", "reason"),
    [
        (AGENTS, "actions that need an agent: t/a"),
        (replace(OVEN, lags=(Lag("t/a", "t/b", 0, 5),)), "lags with a maximum, or with a negative minimum"),
        (replace(OVEN, lags=(Lag("t/a", "t/b", -1),)), "lags with a maximum, or with a negative minimum"),
        (replace(OVEN, actions=(replace(WORK, interruptible=True),)), "interruptible actions: t/a"),
        (replace(OVEN, actions=(replace(WORK, modes=(Mode(), *WORK.modes)),)), "actions with several modes: t/a"),
        (
            replace(OVEN, actions=(replace(WORK, modes=(HOT,)),), resources=(Resource("oven", state="hot"),)),
            "states of resources: t/a",
        ),
        (replace(OVEN, actions=(replace(WORK, deadline=9),)), "deadlines and windows"),
        (replace(OVEN, actions=(WORK, replace(WORK, id="t/b", duration=1001))), "more than 50 units per action"),
    ],
)
def test_refusal_names_the_reason(instance, reason):
    assert project_of(instance) is None
    answer = run(instance, "genetic")
    assert answer.schedule is None
    assert answer.reason.startswith("the genetic search for projects cannot respect")
    assert reason in answer.reason
