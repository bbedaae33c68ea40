"""Ways of agents between places and set-up times of resources: rules."""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import pytest

from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.model.transition_rules import MAX_TIED_VISITS
from planoracle.instances.model.transitions import Transitions
from tests.support.rule_cases import act, kinds, messages, run

#: Ways of a lone agent. From the shop, no way leads home.
WAYS = (("home", "shop", 3), ("home", "park", 1), ("park", "shop", 1), ("shop", "park", 2), ("park", "home", 1))
A, B, C = act("a", place="home"), act("b", place="shop"), act("c", place="park")


def travel(*actions: Action, ways: Any = WAYS, start: Any = (), **more: Any) -> Instance:
    return Instance("k", actions, transitions=(Transitions(("agent",), ways, start),), **more)


def setup(*actions: Action, times: Any, start: Any = (), **more: Any) -> Instance:
    tables = (Transitions(("press",), times, start),)
    return Instance("k", actions, resources=(Resource("press"),), transitions=tables, **more)


def printed(name: str, family: str, duration: int = 2, attended: int = 0, **more: Any) -> Action:
    return act(name, duration, attended, Demand("press", family=family), **more)


def test_way_lies_between_consecutive_visits() -> None:
    assert kinds(travel(A, B), run("a", 0), run("b", 5)) == []
    expected = "starts at 4, but agent needs 3 ticks after t/a, not 2"
    assert messages(travel(A, B), run("a", 0), run("b", 4)) == [expected]


def test_times_need_not_be_symmetric() -> None:
    assert kinds(travel(B, C), run("b", 0), run("c", 4)) == []
    assert kinds(travel(B, C), run("b", 0), run("c", 3)) == ["transition"]
    assert kinds(travel(B, C), run("c", 0), run("b", 3)) == []


def test_missing_time_is_no_way() -> None:
    assert messages(travel(A, B), run("b", 0), run("a", 99)) == ["agent has no way from shop to home"]


def test_times_are_used_as_given_through_other_visits() -> None:
    """By the park the shop is two ticks away, directly three."""
    instance = travel(A, B, act("c", 1, place="park"))
    assert kinds(instance, run("a", 0), run("c", 3, 1), run("b", 5)) == []


def test_way_to_the_same_place_takes_no_time_unless_given() -> None:
    second = act("c", place="home")
    assert kinds(travel(A, second), run("a", 0), run("c", 2)) == []
    slow = travel(A, second, ways=(*WAYS, ("home", "home", 1)))
    assert kinds(slow, run("a", 0), run("c", 2)) == ["transition"]
    assert kinds(slow, run("a", 0), run("c", 3)) == []


def test_place_without_times_is_reached_only_from_itself() -> None:
    far, near = act("a", place="far"), act("b", place="far")
    assert kinds(travel(far, near), run("a", 0), run("b", 2)) == []
    assert kinds(travel(far, B), run("a", 0), run("b", 99)) == ["transition"]


def test_first_visit_is_reached_from_the_start() -> None:
    start = (("agent", "home"),)
    assert kinds(travel(B, start=start), run("b", 3)) == []
    assert messages(travel(B, start=start), run("b", 2)) == ["starts at 2, but agent cannot begin it before 3"]
    assert kinds(travel(A, start=start), run("a", 0)) == []
    assert kinds(travel(A, start=start, ways=(*WAYS, ("home", "home", 2))), run("a", 1)) == ["transition"]
    assert messages(travel(A, start=(("agent", "shop"),)), run("a", 99)) == ["agent has no way from shop to home"]


def test_first_visit_without_a_start_is_anywhere() -> None:
    assert kinds(travel(B), run("b", 0)) == []


def test_only_attended_ticks_are_a_visit() -> None:
    bake = act("a", 9, 2, place="home")
    assert kinds(travel(bake, B), run("a", 0, 9), run("b", 5)) == []
    assert kinds(travel(bake, B), run("a", 0, 9), run("b", 4)) == ["transition"]


def test_start_of_an_unattended_piece_is_a_visit() -> None:
    boil = act("a", 9, 0, place="home")
    assert kinds(travel(boil, B), run("a", 0, 9), run("b", 3)) == []
    assert kinds(travel(boil, B), run("a", 0, 9), run("b", 2)) == ["transition"]
    assert kinds(travel(act("a", 0, place="home"), B), run("a", 0, 0), run("b", 2)) == ["transition"]


def test_agents_travel_by_themselves() -> None:
    tables = (Transitions(("agent", "bob"), WAYS),)
    instance = Instance("k", (A, B), agents=("agent", "bob"), transitions=tables)
    assert kinds(instance, run("a", 0), run("b", 2, agent="bob")) == []
    assert kinds(instance, run("a", 0), run("b", 2)) == ["transition"]


def test_agents_have_tables_of_their_own() -> None:
    tables = Transitions(("agent",), WAYS), Transitions(("bob",), (("home", "shop", 1),))
    instance = Instance("k", (A, B), agents=("agent", "bob"), transitions=tables)
    assert kinds(instance, run("a", 0, agent="bob"), run("b", 3, agent="bob")) == []
    assert kinds(instance, run("a", 0), run("b", 3)) == ["transition"]


def test_agent_without_transitions_is_anywhere() -> None:
    instance = Instance("k", (A, B), agents=("agent", "bob"), transitions=(Transitions(("agent",), WAYS),))
    assert kinds(instance, run("a", 0, agent="bob"), run("b", 2, agent="bob")) == []


def test_start_comes_before_a_longer_visit_at_its_instant() -> None:
    """A start at the instant at which a longer visit begins comes first, so that its way back must be 0."""
    boil = act("c", 9, 0, place="park")
    near = (("home", "park", 0), ("park", "home", 5))
    assert kinds(travel(A, boil, ways=near), run("c", 0, 9), run("a", 0)) == ["transition"]
    back = (("home", "park", 5), ("park", "home", 0))
    assert kinds(travel(A, boil, ways=back), run("c", 0, 9), run("a", 0)) == []


def test_start_comes_after_a_longer_visit_that_ends_at_its_instant() -> None:
    boil = act("c", 9, 0, place="park")
    near = (("home", "park", 0), ("park", "home", 5))
    assert kinds(travel(A, boil, ways=near), run("a", 0), run("c", 2, 9)) == []
    back = (("home", "park", 5), ("park", "home", 0))
    assert kinds(travel(A, boil, ways=back), run("a", 0), run("c", 2, 9)) == ["transition"]


def test_starts_at_one_instant_may_be_taken_in_any_order() -> None:
    starts = [act(name, 1, 0, place=name) for name in ("x", "y", "z")]
    ways = (("z", "x", 0), ("x", "y", 0))
    pieces = [run(name, 4, 1) for name in ("x", "y", "z")]
    assert kinds(travel(*starts, ways=ways), *pieces) == []
    expected = ["agent cannot make the 3 visits at 4 in any order"]
    assert messages(travel(*starts, ways=(("z", "x", 0), ("x", "y", 1))), *pieces) == expected


def test_order_of_starts_at_one_instant_fits_the_visits_around_them() -> None:
    actions = [act(name, 1, 0, place=name) for name in ("x", "y")]
    actions += [act("before", 1, place="p"), act("after", 1, place="q")]
    both = (("x", "y", 0), ("y", "x", 0))
    pieces = run("before", 0, 1), run("x", 2, 1), run("y", 2, 1), run("after", 3, 1)
    assert kinds(travel(*actions, ways=(*both, ("p", "y", 1), ("x", "q", 1))), *pieces) == []
    assert kinds(travel(*actions, ways=(*both, ("p", "y", 1), ("y", "q", 1))), *pieces) == ["transition"]
    assert kinds(travel(*actions, ways=(*both, ("p", "y", 2), ("x", "q", 1))), *pieces) == ["transition"]
    assert kinds(travel(*actions, ways=(("y", "x", 0), ("p", "y", 1), ("y", "q", 1))), *pieces) == ["transition"]


def test_starts_are_a_path_from_the_start_and_no_circle() -> None:
    actions = [act(name, 1, 0, place=name) for name in ("x", "y")]
    ways = (("x", "y", 0), ("y", "x", 0))
    instance = travel(*actions, ways=ways, start=(("agent", "home"),))
    assert kinds(instance, run("x", 4, 1), run("y", 4, 1)) == ["transition"]


def test_at_most_eight_starts_at_one_instant() -> None:
    actions = [act(str(i), 1, 0, place="home") for i in range(MAX_TIED_VISITS + 1)]
    pieces = [run(str(i), 3, 1) for i in range(MAX_TIED_VISITS + 1)]
    assert kinds(travel(*actions[:-1]), *pieces[:-1]) == []
    assert messages(travel(*actions), *pieces) == ["agent makes more than 8 visits at 3"]
    assert kinds(travel(*actions), *pieces[:-1], run(str(MAX_TIED_VISITS), 4, 1)) == []


def test_cut_at_a_start_makes_two_visits() -> None:
    """Both ways between the piece and the start inside it must take no time."""
    knead, boil = act("a", 4, 4, interruptible=True, place="home"), act("b", 3, 0, place="park")
    pieces = run("a", 0, 4), run("b", 2, 3)

    def faults(ways: Any) -> list[str]:
        instance = travel(knead, boil, ways=ways)
        schedule = Schedule.of(instance, pieces)
        assert [piece.duration for piece in schedule.pieces] == [2, 3, 2]
        return [violation.kind for violation in find_violations(instance, schedule)]

    assert faults((("home", "park", 0), ("park", "home", 0))) == []
    assert faults((("home", "park", 0), ("park", "home", 1))) == ["transition"]
    assert faults((("home", "park", 1), ("park", "home", 0))) == ["transition"]


def test_each_piece_of_an_interruptible_action_is_a_visit() -> None:
    knead = act("a", 4, 4, interruptible=True, place="home")
    ways = (("home", "shop", 1), ("shop", "home", 2))
    pieces = run("a", 0), run("b", 3), run("a", 7)
    assert kinds(travel(knead, B, ways=ways), *pieces) == []
    assert kinds(travel(knead, B, ways=ways), *pieces[:2], run("a", 6)) == ["transition"]


def test_ways_may_fall_into_off_times() -> None:
    instance = travel(A, B, calendars=(Calendar(("agent",), ((2, 5),)),))
    assert kinds(instance, run("a", 0), run("b", 5)) == []


def test_set_up_time_lies_between_uses_of_different_families() -> None:
    instance = setup(printed("a", "red"), printed("b", "blue"), times=(("red", "blue", 3), ("blue", "red", 1)))
    assert kinds(instance, run("a", 0), run("b", 5)) == []
    assert kinds(instance, run("a", 0), run("b", 4)) == ["transition"]
    assert kinds(instance, run("b", 0), run("a", 3)) == []


def test_set_up_time_counts_from_the_end_of_the_use() -> None:
    """Compare the whole piece, also of a partly attended use."""
    first = printed("a", "red", 9, 2)
    instance = setup(first, printed("b", "blue"), times=(("red", "blue", 3),))
    assert kinds(instance, run("a", 0, 9), run("b", 12)) == []
    assert kinds(instance, run("a", 0, 9), run("b", 11)) == ["transition"]


def test_first_set_up_counts_from_tick_0() -> None:
    instance = setup(printed("a", "red"), times=(("off", "red", 4),), start=(("press", "off"),))
    assert kinds(instance, run("a", 4)) == []
    assert kinds(instance, run("a", 3)) == ["transition"]


def test_family_is_that_of_the_chosen_mode() -> None:
    modes = Mode((Demand("press", family="red"),)), Mode((Demand("press", family="blue"),), duration=3)
    instance = setup(printed("a", "red"), act("b", 2, 0, modes=modes), times=(("red", "blue", 5),))
    assert kinds(instance, run("a", 0), run("b", 2)) == []
    assert kinds(instance, run("a", 0), run("b", 6, 3, mode=1)) == ["transition"]
    assert kinds(instance, run("a", 0), run("b", 7, 3, mode=1)) == []


def test_resources_without_transitions_have_no_set_up() -> None:
    modes = Mode((Demand("press", family="red"),)), Mode((Demand("hand"),))
    actions = act("a", 2, 0, modes=modes), printed("b", "blue")
    tables = (Transitions(("press",), (("red", "blue", 3),)),)
    instance = Instance("k", actions, resources=(Resource("press"), Resource("hand")), transitions=tables)
    assert kinds(instance, run("a", 0, mode=1), run("b", 2)) == []
    assert kinds(instance, run("a", 0), run("b", 2)) == ["transition"]


def test_overlapping_visits_are_reported_once() -> None:
    near = (("home", "shop", 0), ("shop", "home", 0))
    assert kinds(travel(A, B, ways=near), run("a", 0), run("b", 1)) == ["agent_busy"]
    assert kinds(travel(A, act("b", 2, 0, place="shop"), ways=near), run("a", 0), run("b", 1)) == ["start_attended"]


def test_ineligible_agents_make_no_visits() -> None:
    free = act("a", place=None, agents=("bob",))
    instance = Instance("k", (free, B), agents=("agent", "bob"), transitions=(Transitions(("agent",), WAYS),))
    assert kinds(instance, run("a", 0), run("b", 2)) == ["ineligible_agent"]


@pytest.mark.parametrize("seed", range(40))
def test_rule_agrees_with_all_orders_of_the_starts(seed: int) -> None:
    """Try every order of all visits that follows their starts and ends."""
    random = Random(seed)
    places = ["x", "y", "z"]
    ways = {(p, q): random.choice([0, 0, 1, 2, None]) for p in places for q in places}
    table = tuple((p, q, ticks) for (p, q), ticks in ways.items() if ticks is not None)
    lookup = {**{(p, p): 0 for p in places}, **{(p, q): ticks for p, q, ticks in table}}
    clock, pieces, actions = 0, list[Piece](), list[Action]()
    for i in range(6):
        attended = random.choice([0, 0, 1])
        actions.append(act(str(i), 1, attended, place=random.choice(places)))
        pieces.append(run(str(i), clock, 1))
        clock += attended + random.choice([0, 0, 1])
    start = random.choice([None, *places])
    start_of = (("agent", start),) if start else ()
    place_of = {action.id: action.place for action in actions}
    end_of = {piece.action: piece.start + action.attended for piece, action in zip(pieces, actions, strict=True)}

    def fits(order: tuple[Piece, ...]) -> bool:
        spans = [(piece.start, end_of[piece.action]) for piece in order]
        if spans != sorted(spans):
            return False
        place, since = start, 0
        for piece in order:
            ticks = 0 if place is None else lookup.get((place, place_of[piece.action]))
            if ticks is None or piece.start - since < ticks:
                return False
            place, since = place_of[piece.action], end_of[piece.action]
        return True

    expected = any(map(fits, permutations(pieces)))
    assert (kinds(travel(*actions, ways=table, start=start_of), *pieces) == []) == expected
