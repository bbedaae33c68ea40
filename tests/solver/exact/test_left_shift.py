"""Left-shifted schedules, compared with all earlier starts that the rules accept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from support.all_schedules import QUICK_MAKERS, small_instances
from support.model_distance import plain_mix
from support.samples import sample

from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_results import by_key
from planoracle.solver.exact.left_shift import LEFT_SHIFT, left_shifted
from planoracle.solver.solve import bundled_result, solve

#: Schedules of a small instance that are shifted.
FEW_SCHEDULES = 2


def accepted(instance: Instance, schedule: Schedule) -> bool:
    return next(find_violations(instance, schedule), None) is None


def moves(instance: Instance, schedule: Schedule, *, cut: bool = True) -> Iterator[tuple[Piece, int]]:
    """Yield every earlier start of a single piece that the rules accept; pieces may be cut or joined."""
    for k, piece in enumerate(schedule.pieces):
        for start in range(piece.start):
            pieces = (*schedule.pieces[:k], piece._replace(start=start), *schedule.pieces[k + 1 :])
            if accepted(instance, Schedule(pieces)) or (cut and accepted(instance, Schedule.of(instance, pieces))):
                yield piece, start


def work(schedule: Schedule) -> Counter[tuple[str, str | None, int]]:
    done: Counter[tuple[str, str | None, int]] = Counter()
    for piece in schedule.pieces:
        done[piece.action, piece.agent, piece.mode] += piece.duration
    return done


@pytest.mark.parametrize("block", range(2))
def test_feasible_schedules_are_shifted_until_no_piece_can_start_earlier(block: int) -> None:
    shifted = 0
    for instance, _, schedules in small_instances(block, 2, (*QUICK_MAKERS, plain_mix)):
        if LEFT_SHIFT.refusal(instance):
            continue
        for late in sorted(schedules, key=lambda schedule: -schedule.makespan)[:FEW_SCHEDULES]:
            for cut in (True, False):
                early = left_shifted(instance, late, cut=cut)
                assert accepted(instance, early), (instance, late)
                assert next(moves(instance, early, cut=cut), None) is None, (instance, late)
                assert early.makespan <= late.makespan
                assert work(early) == work(late)
                assert cut or len(early.pieces) <= len(late.pieces)
                shifted += early != late
    assert shifted > 20


def test_piece_that_requires_states_of_two_resources_is_shifted() -> None:
    demands = {"heat": Demand("kiln", sets="hot"), "light": Demand("lamp", sets="on")}
    actions = [Action(f"t/{name}", "t", 1, 0, modes=(Mode((demand,)),), agents=()) for name, demand in demands.items()]
    mode = Mode((Demand("kiln", requires="hot"), Demand("lamp", requires="on")))
    actions.append(Action("t/fire", "t", 2, 0, modes=(mode,), agents=()))
    instance = Instance("pottery", tuple(actions), resources=(Resource("kiln"), Resource("lamp")))
    pieces = [Piece("t/heat", 0, 1, None), Piece("t/light", 3, 1, None), Piece("t/fire", 9, 2, None)]
    shifted = left_shifted(instance, Schedule.of(instance, pieces))
    assert {piece.action: piece.start for piece in shifted.pieces} == {"t/heat": 0, "t/light": 0, "t/fire": 1}


@pytest.mark.parametrize(
    ("follower", "maximum", "pieces", "expected"),
    [
        # Without the ring the pieces of the chopping join, and begin in time.
        ({"interruptible": True}, 0, [("ring", 4, 0), ("next", 0, 4), ("next", 4, 2)], [("next", 0), ("ring", 0)]),
        # Other work lies between the pieces, so that the second one needs the ring.
        (
            {"interruptible": True},
            0,
            [("ring", 4, 0), ("next", 0, 3), ("hold", 3, 1), ("next", 4, 3)],
            [("hold", 3), ("next", 0), ("next", 4), ("ring", 4)],
        ),
        ({"release": 3}, 2, [("ring", 3, 0), ("next", 3, 6)], [("next", 3), ("ring", 1)]),
    ],
)
def test_action_of_no_length_is_shifted_as_far_as_its_maximum_lag_allows(
    follower: dict[str, Any], maximum: int, pieces: list[tuple[str, int, int]], expected: list[tuple[str, int]]
) -> None:
    work_of = Counter[str]()
    for name, _, duration in pieces:
        work_of[name] += duration
    actions = [Action("t/ring", "t", 0, 0), Action("t/next", "t", work_of["next"], work_of["next"], **follower)]
    if work_of["hold"]:
        actions.append(Action("t/hold", "t", 1, 1, release=3))
    instance = Instance("bell", tuple(actions), (Lag("t/ring", "t/next", None, maximum),))
    late = Schedule.of(instance, [Piece(f"t/{name}", start, duration, "agent") for name, start, duration in pieces])
    assert accepted(instance, late)
    starts = [(piece.action.removeprefix("t/"), piece.start) for piece in left_shifted(instance, late).pieces]
    assert sorted(starts) == expected


@pytest.mark.parametrize("interruptible", [True, False])
def test_agent_and_resource_of_one_name_are_distinct(interruptible: bool) -> None:
    hold = Action("t/hold", "t", 20, 20, agents=("x",))
    call = Action("t/call", "t", 1, 1, interruptible, agents=("x",))
    note = Action("t/note", "t", 1, 1, interruptible, agents=("y",), modes=(Mode((Demand("x", 0),)),))
    instance = Instance("names", (hold, call, note), resources=(Resource("x"),), agents=("x", "y"))
    pieces = Piece("t/hold", 0, 20, "x"), Piece("t/call", 20, 1, "x"), Piece("t/note", 20, 1, "y")
    shifted = left_shifted(instance, Schedule.of(instance, pieces))
    assert {piece.action: piece.start for piece in shifted.pieces}["t/note"] == 0


def test_pieces_tied_by_a_maximum_lag_are_shifted_together() -> None:
    """Shifted one by one, the pieces would move one tick per round."""
    steps = tuple(Action(f"t/{n}", "t", 5, 0) for n in range(3))
    lags = Lag("t/0", "t/1", 0, 1), Lag("t/1", "t/2", 0, 2)
    instance, far = Instance("far", steps, lags), 10**8
    late = Schedule.of(instance, [Piece(f"t/{n}", far + 6 * n, 5, "agent") for n in range(3)])
    assert [piece.start for piece in left_shifted(instance, late).pieces] == [0, 5, 10]


@pytest.mark.parametrize("name", sample(["timearena/cooking1+cooking2", "asynctool/files_2"], 2))
@pytest.mark.parametrize("min_interruptions", [False, True])
def test_schedules_of_solve_are_left_shifted(name: str, min_interruptions: bool) -> None:
    problem = load(name)
    schedule = solve(problem, min_interruptions=min_interruptions).schedule
    assert schedule is not None
    assert left_shifted(problem, schedule, cut=not min_interruptions) == schedule
    assert next(moves(problem, schedule, cut=not min_interruptions), None) is None


@pytest.mark.parametrize("family", ["recipe2plan", "timearena", "paracook_abstract"])
def test_bundled_schedules_are_left_shifted(family: str) -> None:
    own = registry.get(family)
    names = [name for name, ways in own.optima.items() if by_key(ways)]
    for name in names[::40]:
        result = bundled_result(load(name))
        if result is not None and result.schedule is not None:
            assert left_shifted(load(name), result.schedule) == result.schedule, name


def test_a_piece_is_cut_once_where_two_actions_start() -> None:
    hold, chop = Action("t/hold", "t", 3, 3), Action("t/chop", "t", 4, 4, interruptible=True)
    boils = tuple(Action(f"t/boil{n}", "t", 5, 0, release=5) for n in (1, 2))
    pot = Instance("pot", (hold, chop, *boils))
    pieces = [Piece("t/hold", 0, 3, "agent"), Piece("t/chop", 10, 4, "agent")]
    pieces += [Piece(one.id, 5, 5, "agent") for one in boils]
    shifted = left_shifted(pot, Schedule.of(pot, pieces))
    assert [(one.start, one.duration) for one in shifted.pieces if one.action == "t/chop"] == [(3, 2), (5, 2)]
