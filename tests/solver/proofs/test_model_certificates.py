"""Certificates of problems with modes, budgets, windows, calendars and pauses in breaks."""

from __future__ import annotations

from itertools import product

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.model.transitions import Transitions
from planoracle.solver.exact.search import solve
from planoracle.solver.proofs import checker
from planoracle.solver.proofs.certificate import certificate


def _kind_and_bound(instance: Instance) -> tuple[str, int]:
    """Return kind and bound of a certificate of the optimum; the checker refuses the bound plus one."""
    result = solve(instance)
    proof = certificate(instance, result.makespan, result.schedule)
    assert proof is not None
    document, problem = proof.as_dict(), to_document(instance)
    assert checker.check(problem, document) == proof.bound
    assert checker.check_schedule(problem, document) == result.makespan
    higher = {"bound": proof.bound + 1, "makespan": None, "gap": None, "schedule": None, "supposed": None}
    with pytest.raises(checker.RefusedError):
        checker.check(problem, document | higher)
    return proof.kind, proof.bound


def _action(name: str, duration: int, *modes: Mode, attended: int = 0, **fields: object) -> Action:
    agents = None if attended or any(mode.attended for mode in modes) else ()
    fields = {"agents": agents, **fields}
    return Action(f"t/{name}", "t", duration, attended, modes=modes or (Mode(),), **fields)


def test_shortest_mode_counts_on_the_critical_path() -> None:
    cut = _action("cut", 5, Mode(duration=3), Mode())
    assert _kind_and_bound(Instance("p", (cut, _action("glue", 2)), (Lag("t/cut", "t/glue", 1),))) == (
        "critical path",
        6,
    )


def test_attended_ticks_of_the_least_attended_mode_count_as_busy_time() -> None:
    modes = Mode(duration=4, attended=2), Mode(duration=3, attended=3)
    cuts = tuple(_action(name, 3, *modes, attended=3) for name in "abc")
    assert _kind_and_bound(Instance("p", cuts)) == ("cases", 7)


def test_mode_without_an_agent_is_no_busy_time() -> None:
    modes = Mode(), Mode(agents=())
    cuts = tuple(_action(name, 3, *modes, attended=3) for name in "ab")
    assert _kind_and_bound(Instance("p", cuts)) == ("critical path", 3)


def test_budget_is_no_machine() -> None:
    spend = tuple(_action(name, 3, Mode((Demand("money"),))) for name in "ab")
    assert _kind_and_bound(Instance("p", spend, resources=(Resource("money", 2, renewable=False),))) == (
        "critical path",
        3,
    )


def test_work_may_take_longer_than_its_ticks_if_it_pauses_in_breaks() -> None:
    saw = _action("saw", 3, attended=3, pauses_in_breaks=True)
    soon = Lag("t/saw", "t/glue", 0, 0)
    shop = Instance("p", (saw, _action("glue", 1)), (soon,), calendars=(Calendar(("agent",), ((1, 3),)),))
    assert solve(shop).makespan == 6
    assert _kind_and_bound(shop) == ("search", 4)


def test_opening_of_the_first_window_counts_as_release() -> None:
    paint = _action("paint", 2, windows=((4, 9), (11, 20)))
    assert _kind_and_bound(Instance("p", (paint,))) == ("critical path", 6)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"optional": (("t", 1),)}, "optional tasks"),
        ({"transitions": (Transitions(("agent",), (("home", "shop", 1),)),)}, "ways and set-up times"),
    ],
)
def test_checker_refuses_features_that_it_does_not_know(fields: dict[str, object], reason: str) -> None:
    place = "shop" if "transitions" in fields else None
    instance = Instance("p", (_action("a", 1, attended=1, place=place),), **fields)
    proof = certificate(Instance("p", (_action("a", 1, attended=1),)), 1).as_dict()
    with pytest.raises(checker.RefusedError, match=reason):
        checker.check(to_document(instance), proof)
    with pytest.raises(InputError, match=f"certificates cannot respect {reason}"):
        certificate(instance)


REST = Calendar(("agent", "press"), ((2, 4), (8, 9)))
SHOP = Instance(
    "shop",
    (
        _action("saw", 3, attended=3, pauses_in_breaks=True),
        _action("press", 2, Mode((Demand("press"),)), Mode((Demand("money", 2),), duration=1)),
        _action("paint", 1, windows=((0, 2), (5, 9)), deadline=8),
        _action("stamp", 0, Mode((Demand("press"),))),
        _action("pack", 1, Mode(after=("t/press",))),
        _action("dry", 3, agents=("agent",), pauses_in_breaks=True),
    ),
    resources=(Resource("press"), Resource("money", 1, renewable=False)),
    calendars=(REST,),
)
PIECES = {
    "saw": [Piece("t/saw", 0, 2, "agent"), Piece("t/saw", 4, 1, "agent")],
    "press": [Piece("t/press", 0, 2, None)],
    "paint": [Piece("t/paint", 5, 1, None)],
    "stamp": [Piece("t/stamp", 1, 0, None)],
    "pack": [Piece("t/pack", 2, 1, None)],
    "dry": [Piece("t/dry", 5, 3, "agent")],
}


@pytest.mark.parametrize(
    ("name", "pieces", "reason"),
    [
        ("", [], ""),
        ("saw", [Piece("t/saw", 0, 3, "agent")], "agent is off"),
        ("saw", [Piece("t/saw", 0, 2, "agent"), Piece("t/saw", 3, 1, "agent")], "agent is off"),
        ("saw", [Piece("t/saw", 0, 2, "agent"), Piece("t/saw", 4, 1, None)], "have different agents"),
        ("saw", [Piece("t/saw", 4, 1, "agent"), Piece("t/saw", 6, 2, "agent")], "without a break"),
        ("press", [Piece("t/press", 1, 2, None)], "press is off"),
        ("press", [Piece("t/press", 0, 1, None)], "must take 2 in total"),
        ("press", [Piece("t/press", 0, 1, None, 1)], "2 units of money are used up"),
        ("paint", [Piece("t/paint", 3, 1, None)], "in one of its windows"),
        ("paint", [Piece("t/paint", 8, 1, None)], "in one of its windows"),
        ("stamp", [Piece("t/stamp", 4, 0, None)], ""),
        ("stamp", [Piece("t/stamp", 2, 0, None)], "press is off"),
        ("dry", [Piece("t/dry", 7, 3, "agent")], ""),
        ("dry", [Piece("t/dry", 7, 1, "agent"), Piece("t/dry", 9, 2, None)], "t/dry pauses between 8 and 9 without"),
        ("pack", [Piece("t/pack", 1, 1, None)], "t/pack starts less than 0 after the end of t/press"),
    ],
)
def test_checker_refuses_schedules_that_break_a_rule(name: str, pieces: list[Piece], reason: str) -> None:
    schedule = Schedule.of(SHOP, [piece for rows in (PIECES | {name: pieces}).values() for piece in rows])
    proof = {**certificate(SHOP).as_dict(), "schedule": [piece._asdict() for piece in schedule.pieces]}
    proof |= {"makespan": schedule.makespan, "gap": schedule.makespan - proof["bound"]}
    assert referee(SHOP, schedule).success == (not reason)
    if not reason:
        assert checker.check_schedule(to_document(SHOP), proof) == schedule.makespan
        return
    with pytest.raises(checker.RefusedError, match=reason):
        checker.check_schedule(to_document(SHOP), proof)


@pytest.mark.parametrize(("capacity", "is_accepted"), [(4, True), (3, False)])
def test_settings_over_one_interval_take_as_many_units_as_the_largest(capacity: int, is_accepted: bool) -> None:
    demands = Demand("oven", 3, sets="hot"), Demand("oven", 1, sets="hot"), Demand("oven", 1)
    actions = tuple(_action(name, 2, Mode((demand,))) for name, demand in zip("abc", demands, strict=True))
    instance = Instance("oven", actions, resources=(Resource("oven", capacity, "cold"),))
    schedule = Schedule.of(instance, [Piece(action.id, 0, 2, None) for action in actions])
    assert referee(instance, schedule).success == is_accepted
    claim = certificate(instance).as_dict()
    claim |= {"makespan": 2, "gap": 2 - claim["bound"], "schedule": [piece._asdict() for piece in schedule.pieces]}
    if is_accepted:
        assert checker.check_schedule(to_document(instance), claim) == 2
        return
    with pytest.raises(checker.RefusedError, match="oven"):
        checker.check_schedule(to_document(instance), claim)


@pytest.mark.parametrize("is_attended", list(product((False, True), repeat=2)))
def test_unattended_setting_shares_no_units_of_an_attended_use(is_attended: tuple[bool, bool]) -> None:
    actions = []
    for demand, name, attended in zip((Demand("oven", sets="hot"), Demand("oven")), "ab", is_attended, strict=True):
        agents = (name,) if attended else ()
        actions.append(_action(name, 2, Mode((demand,)), attended=2 * attended, agents=agents))
    instance = Instance("oven", tuple(actions), resources=(Resource("oven", 1, "hot"),), agents=("a", "b"))
    pieces = [Piece(action.id, 0, 2, *action.agents or (None,)) for action in actions]
    schedule = Schedule.of(instance, pieces)
    is_accepted = is_attended != (False, True)
    assert referee(instance, schedule).success == is_accepted
    claim = certificate(instance).as_dict()
    claim |= {"makespan": 2, "gap": 2 - claim["bound"], "schedule": [piece._asdict() for piece in schedule.pieces]}
    if is_accepted:
        assert checker.check_schedule(to_document(instance), claim) == 2
        return
    with pytest.raises(checker.RefusedError, match="2 units of oven are in use at 0"):
        checker.check_schedule(to_document(instance), claim)
