"""Longest paths, forced orders and bounds: all hold in every schedule."""

from collections import Counter
from itertools import combinations
from operator import le
from random import Random

import pytest
from support.all_schedules import QUICK_MAKERS, small_instances, times_of_events
from support.samples import sample

from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import NO_LIMIT, Status
from planoracle.solver.exact.bounds import Windows, horizon, lower_bound, windows
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.latest_end import latest_end
from planoracle.solver.exact.open_time_bound import open_time_bound
from planoracle.solver.exact.precedence import closure, ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel


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


@pytest.mark.parametrize("block", sample(range(4), 4))
def test_problems_that_allow_no_order_are_infeasible(block: int) -> None:
    refuted = 0
    for seed in range(100 * block, 100 * (block + 1)):
        instance = project(seed)
        plain = windows(instance)
        if plain.consistent and not ordered_windows(instance).consistent:
            model = ScheduleModel(instance, plain, 1, 0, horizon(instance))
            assert run(model.model, deadline=NO_LIMIT).status == Status.infeasible, instance.name
            refuted += 1
    assert refuted > 5


CONTRADICTION = "the time lags contradict each other"
BOARD = (Mode((Demand("board"),)),)
SMALL_FAMILIES = (*QUICK_MAKERS, project)


def exclusive_pairs(instance: Instance) -> set[frozenset[int]]:
    """Return the pairs of actions in one piece and mode that never fit on a resource at the same time."""
    pairs = set()
    for (i, first), (j, second) in combinations(enumerate(instance.actions), 2):
        if all(a.duration and not a.interruptible and len(a.modes) == 1 for a in (first, second)):
            amounts = {demand.resource: demand.amount for demand in first.modes[0].demands if demand.sets is None}
            for demand in second.modes[0].demands:
                amount = amounts.get(demand.resource, 0)
                capacity = instance.resource[demand.resource].capacity
                if amount and demand.amount and demand.sets is None and amount + demand.amount > capacity:
                    pairs.add(frozenset((i, j)))
    return pairs


def test_order_against_the_order_of_the_list_is_known() -> None:
    first, second = (Action(f"t/{name}", "t", ticks, 0, modes=BOARD) for name, ticks in (("a", 3), ("b", 5)))
    instance = Instance("pair", (first, second), (Lag("t/b", "t/a"),), (Resource("board"),))
    assert ordered_windows(instance).ordered == ((1, 0, 5),)


def test_uninterrupted_actions_of_one_agent_do_not_overlap() -> None:
    pan = Action("t/pan", "t", 3, 3)
    board = Action("t/board", "t", 5, 5)
    late = ordered_windows(Instance("pair", (pan, board), (Lag("t/pan", "t/board", None, -4),)))
    assert (late.head, late.forced) == ([5, 0], ((1, 0, 5),))


def test_interruptible_action_may_start_shortly_before_another_one_of_its_agent() -> None:
    chop, bell = Action("t/chop", "t", 4, 4, interruptible=True), Action("t/bell", "t", 1, 1, release=2)
    instance = Instance("pause", (chop, bell), (Lag("t/bell", "t/chop", -3),))
    bounds = ordered_windows(instance)
    assert (bounds.head, bounds.forced) == ([0, 2], ())
    assert lower_bound(instance, bounds) == 5


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


def test_order_does_not_follow_through_an_optional_task_or_a_negative_lag() -> None:
    actions = tuple(Action(f"{task}/x", task, 2, 0) for task in "abc")
    chain = (Lag("a/x", "b/x"), Lag("b/x", "c/x"))
    assert closure(Instance("chain", actions, chain)) == [0b0, 0b1, 0b11]
    assert closure(Instance("optional", actions, chain, optional=(("b", 1),))) == [0b0, 0b1, 0b10]
    assert closure(Instance("overlap", actions, (Lag("a/x", "b/x", -1), Lag("b/x", "c/x")))) == [0b0, 0b0, 0b10]
