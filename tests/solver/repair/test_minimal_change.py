"""Nearest schedules, compared with exhaustive searches through the rules."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from support import model_distance
from support.exhaustive import count_schedules
from support.model_distance import plain_mix
from support.random_instances import kitchen, workshop
from support.repair_distance import distance, feasible_schedules, random_pieces
from support.samples import sample

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.files.catalog import load
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.search import solve
from planoracle.solver.repair import repair_model
from planoracle.solver.repair.minimal_change import OBJECTIVES, minimal_change
from tests.support.efforts import count_efforts

ORDERS = [order for count in (1, 2, 3) for order in permutations(OBJECTIVES, count)]
MOST_SCHEDULES = 10_000


def tiny(seed):
    """Yield small instances with a time limit, all their schedules and a random generator."""
    random = Random(seed)
    for base in (workshop(seed), kitchen(seed, 4)):
        latest = min(random.choice((5, 6, 7)), base.time_limit or 9)
        if count_schedules(base, latest) <= MOST_SCHEDULES:
            instance = replace(base, time_limit=latest, benchmark="generic")
            yield instance, list(feasible_schedules(instance, latest)), random


def by_action(pieces):
    groups: dict[str, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(piece.action, []).append(piece)
    return groups


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(15), 15))
def test_nearest_schedule_agrees_with_exhaustive_search(block):
    moved = checked = 0
    for seed in range(block, 150, 15):
        for instance, all_schedules, random in tiny(seed):
            for _ in range(2):
                target, order = random_pieces(instance, random, instance.time_limit), random.choice(ORDERS)
                change = minimal_change(instance, target, objectives=order)
                if not all_schedules:
                    assert change.status == "infeasible"
                    continue
                distances = (distance(instance, target, schedule) for schedule in all_schedules)
                best = min(tuple(one[name] for name in order) for one in distances)
                own = distance(instance, target, change.schedule)
                assert change.status == "optimal"
                assert tuple(own[name] for name in order) == best, (seed, instance.name, order)
                assert own == {"moved": len(change.moved), "shift": change.shift, "makespan": change.makespan}
                moved += own["moved"]
                checked += 1
    assert checked > 15
    assert moved > checked / 2


@pytest.mark.parametrize("seed", sample(range(40), 10))
def test_a_feasible_schedule_is_its_own_nearest(seed):
    for instance in (workshop(seed), kitchen(seed)):
        best = solve(instance)
        if best.schedule is None:
            assert minimal_change(instance, {}).status == "infeasible"
            continue
        for objectives in (OBJECTIVES, ("shift",), ("makespan", "moved", "shift")):
            same = minimal_change(instance, by_action(best.schedule.pieces), objectives=objectives)
            assert (same.status, same.moved, same.shift) == ("optimal", (), 0)
            assert same.schedule == best.schedule
        assert minimal_change(instance, {}).makespan == best.makespan


@pytest.mark.slow
def test_minimal_change_of_a_nearest_schedule_is_empty():
    for seed in range(40):
        random = Random(seed)
        for instance in (workshop(seed), kitchen(seed)):
            change = minimal_change(instance, random_pieces(instance, random, 9))
            if change.schedule is not None:
                second_change = minimal_change(instance, by_action(change.schedule.pieces))
                assert (second_change.schedule, second_change.moved, second_change.shift) == (change.schedule, (), 0)


def cooking(**more):
    boil, chop = Action("t/boil", "t", 9, 0), Action("t/chop", "t", 4, 4, interruptible=True)
    serve = Action("t/serve", "t", 1, 1)
    lags = (Lag("t/boil", "t/serve"), Lag("t/chop", "t/serve"))
    return Instance("cooking", (boil, chop, serve), lags, **more)


def cook(*rows):
    return by_action(Piece(f"t/{name}", start, length, "agent") for name, start, length in rows)


def test_shift_is_the_largest_shift_of_any_unit_of_work():
    target = cook(("boil", 0, 9), ("chop", 0, 2), ("chop", 8, 2), ("serve", 20, 1))
    chopped = minimal_change(cooking(time_limit=9 + 1), target, objectives=("makespan", "moved", "shift"))
    # Chopping at ticks 8 and 9 of the target moves to 7 and 8 (shift 1), serving from 20 to 9 (shift 11).
    assert (chopped.moved, chopped.shifts) == (("t/chop", "t/serve"), {"t/boil": 0, "t/chop": 1, "t/serve": 11})
    assert (chopped.shift, chopped.makespan) == (12, 10)
    assert minimal_change(cooking(), target).moved == ()


def test_redundant_pieces_are_reported_and_shortened_actions_count_as_moved():
    change = minimal_change(
        cooking(), cook(("boil", 0, 10), ("chop", 0, 4), ("chop", 5, 3), ("serve", 10, 1), ("serve", 12, 1))
    )
    assert change.moved == ("t/boil",)
    assert change.shift == 0
    assert change.redundant == (Piece("t/chop", 5, 3, "agent"), Piece("t/serve", 12, 1, "agent"))


def test_missing_work_has_no_shift_but_its_action_counts_as_moved():
    change = minimal_change(cooking(), cook(("boil", 0, 9), ("chop", 2, 2), ("serve", 9, 1)))
    assert (change.moved, change.shift, change.makespan) == (("t/chop",), 0, 10)
    assert change.schedule.pieces[1] == Piece("t/chop", 2, 4, "agent")


def test_added_actions_do_not_count_as_moved():
    change = minimal_change(cooking(), cook(("boil", 3, 9)))
    assert (change.moved, change.added, change.makespan) == ((), ("t/chop", "t/serve"), 13)


def test_agent_of_a_piece_is_kept_only_if_the_target_names_one():
    jobs = tuple(Action(f"t/{n}", "t", 2, 2) for n in range(2))
    two = Instance("two", jobs, agents=("a", "b"))
    clash = minimal_change(two, by_action([Piece("t/0", 0, 2, "b"), Piece("t/1", 0, 2, "b")]))
    assert (len(clash.moved), clash.shift, clash.makespan) == (1, 0, 2)
    free = minimal_change(two, by_action([Piece("t/0", 0, 2, None), Piece("t/1", 0, 2, "b")]))
    assert (free.moved, free.shift) == ((), 0)
    assert {piece.action: piece.agent for piece in free.schedule.pieces} == {"t/0": "a", "t/1": "b"}
    stranger = minimal_change(two, by_action([Piece("t/0", 0, 2, "nobody"), Piece("t/1", 0, 2, "b")]))
    assert (stranger.moved, stranger.shift) == (("t/0",), 0)


def test_change_of_the_mode_counts_as_moved():
    pans = (Resource("pan"), Resource("pot"))
    modes = (Mode((Demand("pan"),), "pan"), Mode((Demand("pot"),), "pot"))
    jobs = tuple(Action(f"t/{n}", "t", 3, 0, modes=modes) for n in range(2))
    target = by_action([Piece("t/0", 0, 3, "agent", 1), Piece("t/1", 1, 3, "agent", 1)])
    change = minimal_change(Instance("pans", jobs, resources=pans), target)
    assert (len(change.moved), change.shift, change.makespan) == (1, 0, 4)
    assert {piece.mode for piece in change.schedule.pieces} == {0, 1}


def test_late_times_are_kept_and_absurd_ones_are_ignored():
    late = minimal_change(cooking(), cook(("boil", 10**8, 9), ("chop", 0, 4), ("serve", 5, 1)))
    assert (late.moved, late.makespan) == (("t/serve",), 10**8 + 10)
    absurd = minimal_change(cooking(), cook(("boil", 10**30, 9), ("chop", 0, 4), ("serve", 9, 1)))
    assert (absurd.moved, absurd.added, absurd.makespan) == ((), ("t/boil",), 10)
    long = minimal_change(cooking(), cook(("boil", 0, 10**30), ("chop", 0, 10**30), ("serve", 0, 0)))
    assert (set(long.moved), long.shift, long.makespan) == ({"t/boil", "t/chop"}, 0, 10)


def test_far_shifts_take_no_more_work_than_near_ones():
    """Core search took a minute and gigabytes of uncounted memory for a shift of 10,000 steps."""
    instance = load("asynchow/async/1")
    pieces = {piece.action: [piece] for piece in solve(instance).schedule.pieces}
    action = max(pieces, key=lambda name: pieces[name][0].start)
    earlier = next(lag.before for lag in instance.lags if lag.after == action)
    (piece,) = pieces[earlier]
    target = pieces | {earlier: [piece._replace(start=1_000_000)], action: [pieces[action][0]._replace(start=500_000)]}
    with count_efforts() as efforts:
        change = minimal_change(instance, target, time_limit=WorkLimit(0.05))
    assert change.status == "optimal"
    assert efforts.conflicts < 1_000


def test_time_limit_off_the_grid_is_used_to_the_last_tick():
    instance = Instance("even", (Action("t/0", "t", 2, 2),), time_limit=5)
    assert minimal_change(instance, by_action([Piece("t/0", 4, 2, "agent")])).shift == 1


def test_negative_maximum_lags_keep_actions_apart():
    jobs = (Action("t/a", "t", 1, 1), Action("t/b", "t", 1, 1))
    instance = Instance("apart", jobs, (Lag("t/b", "t/a", None, -100),))
    change = minimal_change(instance, by_action([Piece("t/a", 0, 1, "agent"), Piece("t/b", 1, 1, "agent")]))
    assert (change.moved, change.shift, change.makespan) == (("t/b",), 98, 100)


def test_coarser_grid_is_used_and_reported_if_a_finer_one_is_too_large(monkeypatch):
    jobs = (Action("t/0", "t", 12, 12, interruptible=True), Action("t/1", "t", 6, 6), Action("t/2", "t", 6, 0))
    instance = Instance("long", jobs, time_limit=40)
    target = by_action([Piece("t/0", 1, 12, "agent"), Piece("t/1", 4, 6, "agent"), Piece("t/2", 12, 6, "agent")])
    fine = minimal_change(instance, target)
    # Four ticks start one tick earlier, and the rest five ticks later, around the other action.
    assert (fine.grid, fine.moved, fine.shift) == (1, ("t/0",), 5)
    monkeypatch.setattr(repair_model, "_MOST_SEGMENTS", 1)
    coarse = minimal_change(instance, target)
    # Parts of six ticks cannot; start times have the same grid as before.
    assert (coarse.status, coarse.grid, len(coarse.moved), coarse.shift) == ("optimal", 6, 1, 9)
    assert not list(find_violations(instance, coarse.schedule))


def test_interruptions_of_the_target_are_possible_on_every_grid(monkeypatch):
    jobs = (Action("t/0", "t", 12, 12, interruptible=True), Action("t/1", "t", 6, 6), Action("t/2", "t", 6, 0))
    monkeypatch.setattr(repair_model, "_MOST_SEGMENTS", 1)
    pieces = [Piece("t/0", 0, 5, "agent"), Piece("t/1", 5, 6, "agent"), Piece("t/0", 11, 7, "agent")]
    change = minimal_change(Instance("long", jobs), by_action([*pieces, Piece("t/2", 16, 6, "agent")]))
    assert (change.moved, change.shift) == ((), 0)
    change = minimal_change(Instance("long", jobs), by_action([*pieces, Piece("t/2", 6, 6, "agent")]))
    assert (change.moved, change.shift, change.grid) == (("t/2",), 1, 6)


def test_finer_interruptions_are_tried_before_a_result_is_infeasible(monkeypatch):
    jobs = tuple(Action(f"t/{n}", "t", 2, 2, interruptible=True) for n in range(3))
    halves = Instance("halves", jobs, agents=("a", "b"), time_limit=3)
    target = by_action([Piece("t/0", 1, 2, "b")])
    assert minimal_change(halves, target).status == "optimal"
    monkeypatch.setattr(repair_model, "_MOST_SEGMENTS", 1)
    change = minimal_change(halves, target)
    assert (change.status, change.proved, change.makespan) == ("feasible", (), 3)
    assert minimal_change(replace(halves, time_limit=2), target).status == "infeasible"


@pytest.mark.parametrize("objectives", [(), ("moved", "moved"), ("speed",), "moved"])
def test_invalid_objectives_are_refused(objectives):
    with pytest.raises(InputError, match="objectives"):
        minimal_change(cooking(), {}, objectives=objectives)


def test_unknown_actions_and_invalid_times_are_refused():
    with pytest.raises(InputError, match="must name an action of the instance"):
        minimal_change(cooking(), cook(("fly", 0, 1)))
    for start in (-1, 1.5, True, "0"):
        with pytest.raises(InputError, match="whole number"):
            minimal_change(cooking(), cook(("boil", start, 9)))


def test_without_time_only_a_feasible_target_is_optimal():
    wrong = cook(("boil", 0, 9), ("chop", 0, 4), ("serve", 2, 1))
    hasty = minimal_change(cooking(), wrong, time_limit=0)
    assert hasty.status in ("unknown", "feasible")
    assert hasty.proved == ()
    right = cook(("boil", 0, 9), ("chop", 0, 4), ("serve", 9, 1))
    assert minimal_change(cooking(), right, time_limit=0).status == "optimal"


def test_infeasible_instance_has_the_status_infeasible():
    assert minimal_change(cooking(time_limit=9), cook(("boil", 0, 9))).status == "infeasible"


def test_schedule_that_breaks_the_rules_raises_an_internal_error(monkeypatch):
    broken = Schedule((Piece("t/boil", 0, 9, "agent"),))
    monkeypatch.setattr(repair_model.PerturbationModel, "schedule", lambda self, solution: broken)
    with pytest.raises(InternalError):
        minimal_change(cooking(), {})


@pytest.mark.slow
def test_minimal_change_is_deterministic():
    instance = load("recipe2plan/timed/Cobbler_Pancakes")
    target = {
        name: [piece._replace(start=piece.start + 60 * (k % 5)) for piece in pieces]
        for k, (name, pieces) in enumerate(by_action(solve(instance).schedule.pieces).items())
    }
    ones = [minimal_change(instance, target) for _ in range(3)]
    assert ones[0].schedule == ones[1].schedule == ones[2].schedule
    assert ones[0].proved == OBJECTIVES
    assert ones[0].moved


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(10), 10))
def test_nearest_schedule_of_the_larger_model_agrees_with_exhaustive_search(block):
    checked = 0
    for seed in range(block, 200, 10):
        random = Random(seed)
        try:
            base = plain_mix(seed)
        except InputError:  # an action that pauses would fit in its windows, one that does not would not
            continue
        latest = min(random.choice((5, 6, 7)), base.time_limit or 9)
        if len(base.actions) > 3 or not features_of(base):
            continue
        instance = replace(base, time_limit=latest)
        schedules = list(model_distance.feasible_schedules(instance, latest))
        target, order = model_distance.random_target(instance, random, latest), random.choice(ORDERS)
        change = minimal_change(instance, target, objectives=order)
        if not schedules:
            assert change.status == "infeasible"
            continue
        distances = [model_distance.distance(instance, target, schedule) for schedule in schedules]
        best = min(tuple(row[name] for name in order) for row in distances)
        values = {"moved": len(change.moved), "shift": change.shift, "makespan": change.makespan}
        assert change.status == "optimal"
        assert tuple(values[name] for name in order) == best, (instance.name, target)
        assert model_distance.distance(instance, target, change.schedule) == values
        checked += 1
    assert checked


def test_repair_waits_for_the_end_of_a_break_and_keeps_the_deadline():
    saw, paint = Action("t/saw", "t", 2, 2), Action("t/paint", "t", 2, 2, deadline=8)
    calendar = Calendar(("agent",), ((2, 4),))
    instance = Instance("s", (saw, paint), (Lag("t/saw", "t/paint"),), calendars=(calendar,))
    change = minimal_change(
        instance, {"t/saw": [Piece("t/saw", 1, 2, "agent")], "t/paint": [Piece("t/paint", 7, 2, "agent")]}
    )
    assert [(piece.action, piece.start) for piece in change.schedule.pieces] == [("t/saw", 0), ("t/paint", 6)]
    assert (change.status, change.moved, change.shift) == ("optimal", ("t/saw", "t/paint"), 2)


def test_repair_keeps_a_mode_with_a_duration_unless_its_budget_is_used_up():
    modes = Mode((Demand("money", 2),), duration=1), Mode(duration=4)
    actions = [Action(f"t/{name}", "t", 1, 0, modes=modes, agents=()) for name in "ab"]
    instance = Instance("s", tuple(actions), resources=(Resource("money", 3, renewable=False),))
    change = minimal_change(instance, {f"t/{name}": [Piece(f"t/{name}", 3, 1, None, 0)] for name in "ab"})
    assert sorted((piece.mode, piece.start, piece.duration) for piece in change.schedule.pieces) == [
        (0, 3, 1),
        (1, 3, 4),
    ]
    assert (change.status, len(change.moved), change.shift) == ("optimal", 1, 0)


def test_work_of_no_length_is_compared_by_its_start():
    skip = Action("t/skip", "t", 0, 0, modes=(Mode((Demand("pass", 1),)), Mode(duration=3, attended=3)))
    instance = Instance("s", (skip,), resources=(Resource("pass", 0, renewable=False),))
    change = minimal_change(instance, {"t/skip": [Piece("t/skip", 5, 0, "agent", 0)]})
    assert change.schedule.pieces == (Piece("t/skip", 5, 3, "agent", 1),)
    assert (change.moved, change.shift) == (("t/skip",), 0)
