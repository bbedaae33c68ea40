"""Forced orders and symmetry breaking: neither loses an optimal schedule."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from operator import le
from random import Random

import pytest
from support.all_schedules import QUICK_MAKERS, small_instances, times_of_events
from support.random_agent_instances import agent_workshop
from support.random_instances import kitchen, workshop
from support.samples import sample

from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource, merge
from planoracle.solver.exact import search_state, stages
from planoracle.solver.exact.bounds import Windows, horizon, lower_bound, windows
from planoracle.solver.exact.latest_end import latest_end
from planoracle.solver.exact.open_time_bound import open_time_bound
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search import solve


def project(seed: int) -> Instance:
    """Return up to seven activities that share a resource, with start-to-start distances of either sign."""
    random = Random(seed)
    count, capacity = random.randint(3, 7), random.randint(2, 4)
    actions = tuple(
        Action(
            f"p/{i}",
            "p",
            random.randint(1, 4),
            0,
            modes=(Mode((Demand("crew", random.randint(1, capacity)),)),),
            agents=(),
            release=random.choice((0, 0, 2)),
        )
        for i in range(count)
    )
    lags = []
    for i in range(count):
        for j in range(count):
            if i < j and random.random() < 0.3:
                least = random.randint(-2, 3)
                lags.append(Lag(f"p/{i}", f"p/{j}", least, random.choice((None, least + random.randint(0, 4)))))
            elif i > j and random.random() < 0.15:
                lags.append(Lag(f"p/{i}", f"p/{j}", None, random.randint(-4, 8)))
    return Instance(f"project-{seed}", actions, tuple(lags), (Resource("crew", capacity),))


def own(instance: Instance) -> Instance:
    return replace(instance, benchmark="generic")


FAMILIES = (project, workshop, agent_workshop, lambda seed: own(kitchen(seed, 7)))


@pytest.mark.parametrize("family", sample(FAMILIES), ids=("project", "workshop", "crewshop", "kitchen"))
def test_forced_orders_do_not_change_results(family, monkeypatch):
    instances = [family(seed) for seed in range(100 if family is project else 50)]
    tightened = [(instance, ordered_windows(instance), solve(instance)) for instance in instances]
    for module in (search_state, stages):
        monkeypatch.setattr(module, "ordered_windows", windows)
    refuted = forced = 0
    for instance, bounds, result in tightened:
        plain = solve(instance)
        assert (result.status, result.schedule) == (plain.status, plain.schedule), instance.name
        refuted += bounds.fault == "the time lags allow no order of two actions"
        forced += bool(bounds.forced)
        if bounds.fault:
            assert plain.status == "infeasible"
            continue
        if plain.schedule is None:
            continue
        start = {piece.action: piece.start for piece in reversed(plain.schedule.pieces)}
        finish = plain.schedule.finish()
        for action, head, tail in zip(instance.actions, bounds.head, bounds.tail, strict=True):
            assert head <= start[action.id]
            assert finish[action.id] + tail <= plain.makespan
        names = [action.id for action in instance.actions]
        for i, j, least in bounds.forced:
            assert start[names[j]] >= start[names[i]] + least
        for i, j, ahead, behind in bounds.open:
            gap = start[names[j]] - start[names[i]]
            assert gap >= ahead or -gap >= behind
    # Exclude a test without cases: only the family of projects has many windows.
    assert forced > (20 if family is project else 0)
    assert refuted > 5 or family is not project


CONTRADICTION = "the time lags contradict each other"
SMALL_FAMILIES = (*QUICK_MAKERS, project)


def exclusive_pairs(instance: Instance) -> set[frozenset[int]]:
    """Return the pairs of actions in one piece that never fit on a resource at the same time."""
    pairs = set()
    for (i, first), (j, second) in combinations(enumerate(instance.actions), 2):
        if all(action.duration and not action.interruptible for action in (first, second)):
            amounts = {demand.resource: demand.amount for demand in first.modes[0].demands if demand.sets is None}
            for demand in second.modes[0].demands:
                amount = amounts.get(demand.resource, 0)
                capacity = instance.resource[demand.resource].capacity
                if amount and demand.amount and demand.sets is None and amount + demand.amount > capacity:
                    pairs.add(frozenset((i, j)))
    return pairs


def test_contradictory_lags_have_no_windows() -> None:
    actions = tuple(Action(f"t/{name}", "t", 2, 0) for name in "abc")
    lags = Lag("t/a", "t/b"), Lag("t/b", "t/c"), Lag("t/a", "t/c", None, 1)
    assert ordered_windows(Instance("never", actions, lags)) == Windows([], [], [], CONTRADICTION)


@pytest.mark.parametrize("block", sample(range(40), 40))
def test_paths_and_orders_hold_in_every_schedule(block):
    counts = Counter()
    for instance, _, schedules in small_instances(block, 3, SMALL_FAMILIES):
        names = [action.id for action in instance.actions]
        plain = not features_of(instance)
        for bounds in (windows(instance), ordered_windows(instance)) if plain else (windows(instance),):
            assert not bounds.fault
            if bounds.ordered or bounds.open:
                settled = {frozenset(pair[:2]) for pair in (*bounds.ordered, *bounds.open)}
                assert settled.issuperset(exclusive_pairs(instance)), instance
            for schedule in schedules:
                times = times_of_events(instance, schedule)
                start = [times["start", name] for name in names]
                finish = [times["finish", name] for name in names]
                assert all(map(le, bounds.head, start)), instance
                assert all(end + tail <= schedule.makespan for end, tail in zip(finish, bounds.tail, strict=True))
                assert all(start[j] - start[i] >= least for i, j, least in (*bounds.forced, *bounds.ordered)), instance
                for i, j, ahead, behind in bounds.open:
                    assert start[j] - start[i] >= ahead or start[i] - start[j] >= behind, instance
            counts.update(open=len(bounds.open), ordered=len(bounds.ordered), forced=len(bounds.forced))
    # Exclude a comparison without cases; later blocks are small, and may have no order.
    assert (counts["open"] and counts["ordered"]) or block


@pytest.mark.parametrize("block", sample(range(40), 40))
def test_bounds_before_the_search_are_at_most_the_optimum(block):
    tight = 0
    for instance, optimum, _ in small_instances(block, 3, SMALL_FAMILIES):
        bound = lower_bound(instance, windows(instance))
        assert bound <= optimum <= latest_end(instance), instance
        if features_of(instance):
            assert open_time_bound(instance, windows(instance), optimum + 20) <= optimum, instance
        else:
            assert lower_bound(instance, ordered_windows(instance)) <= optimum <= horizon(instance), instance
        tight += bound == optimum
    assert tight > 5


def test_too_large_an_instance_keeps_the_windows_of_its_lags(monkeypatch):
    from planoracle.solver.exact import precedence

    instance = next(i for i in map(project, range(100)) if ordered_windows(i).forced)
    monkeypatch.setattr(precedence, "_EFFORT", 0)
    assert ordered_windows(instance) == windows(instance)


def doubled(seed: int) -> Instance:
    """Return an instance with two or three equal tasks, and one task with two equal actions."""
    random = Random(seed)
    base = kitchen(seed, 4) if seed % 2 else own(workshop(seed))
    base = replace(base, benchmark="generic", time_limit=None)
    task = base.tasks[0]
    members = {action.id for action in base.actions if action.task == task}
    one = replace(
        base,
        actions=tuple(action for action in base.actions if action.id in members),
        lags=tuple(lag for lag in base.lags if {lag.before, lag.after} <= members),
    )
    copies = [_renamed(one, task, f"copy{n}") for n in range(random.choice((2, 3)))]
    twins = Instance(
        "twins",
        tuple(Action(f"twin/{n}", "twin", 2, 2, interruptible=seed % 3 == 0) for n in (1, 2)),
        resources=base.resources,
        agents=base.agents,
        unit=base.unit,
        seconds_per_tick=base.seconds_per_tick,
    )
    return merge(f"doubled-{seed}", [*copies, twins])


def _renamed(instance: Instance, old: str, new: str) -> Instance:
    def name(action: str) -> str:
        return f"{new}/{action.removeprefix(f'{old}/')}"

    return replace(
        instance,
        actions=tuple(
            replace(
                action,
                id=name(action.id),
                task=new,
                modes=tuple(replace(mode, after=tuple(map(name, mode.after))) for mode in action.modes),
            )
            for action in instance.actions
        ),
        lags=tuple(replace(lag, before=name(lag.before), after=name(lag.after)) for lag in instance.lags),
    )


@pytest.mark.slow
def test_breaking_symmetry_keeps_the_optimum(monkeypatch):
    instances = [doubled(seed) for seed in range(60)]
    count = 0
    keep = ScheduleModel.break_symmetry

    def counting(model):
        nonlocal count
        before = model.model.constraints
        keep(model)
        count += model.model.constraints > before

    # Otherwise many instances are solved without a model.
    monkeypatch.setattr(stages, "schedule_in_order", lambda instance, bounds, step, least, *others: (None, least))
    monkeypatch.setattr(ScheduleModel, "break_symmetry", counting)
    broken = [solve(instance, time_limit=3) for instance in instances]
    assert count > 50
    monkeypatch.setattr(ScheduleModel, "break_symmetry", lambda model: None)
    settled = 0
    for instance, result in zip(instances, broken, strict=True):
        plain = solve(instance, time_limit=3)
        if "feasible" in (result.status, plain.status):  # some take longer
            assert max(result.lower_bound, plain.lower_bound) <= min(result.makespan, plain.makespan), instance.name
            continue
        settled += 1
        assert (result.status, result.makespan) == (plain.status, plain.makespan), instance.name
    assert settled > 50
