"""Releases, deadlines and windows: rules and checks."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Instance, Mode
from planoracle.instances.model.restriction_validation import window_lengths
from planoracle.instances.model.working_times import windows_of
from tests.support.rule_cases import act, kinds, messages, run


def one_action(duration: int = 2, **more: Any) -> Instance:
    return Instance("k", (act("a", duration, **more),))


def test_piece_ends_by_its_deadline() -> None:
    instance = one_action(deadline=5)
    assert kinds(instance, run("a", 3)) == []
    assert messages(instance, run("a", 4)) == ["ends at 6, after the deadline 5"]


def test_piece_lies_inside_a_window_with_both_ends() -> None:
    instance = one_action(windows=((1, 3), (5, 9)))
    assert [start for start in range(10) if not kinds(instance, run("a", start))] == [1, 5, 6, 7]
    assert messages(instance, run("a", 2)) == ["lies in none of the windows 1 to 3, 5 to 9"]


def test_windows_are_cut_to_release_and_deadline() -> None:
    instance = one_action(release=2, deadline=8, windows=((1, 4), (5, 9)))
    assert [start for start in range(10) if not kinds(instance, run("a", start))] == [2, 5, 6]


def test_window_of_no_length_fits_an_action_of_duration_0() -> None:
    instance = one_action(0, windows=((3, 3), (6, 7)))
    assert [start for start in range(9) if not kinds(instance, run("a", start, 0))] == [3, 6, 7]
    with pytest.raises(InputError, match="too little time for 1 ticks"):
        one_action(1, windows=((3, 3),))


def test_window_cut_to_one_instant_fits_an_action_of_duration_0() -> None:
    instance = one_action(0, windows=((3, 5),), release=5)
    assert [start for start in range(9) if not kinds(instance, run("a", start, 0))] == [5]


@pytest.mark.parametrize("pauses", ["interruptible", "pauses_in_breaks"])
def test_pieces_may_lie_in_different_windows(pauses: str) -> None:
    action = act("a", 4, windows=((0, 3), (6, 9)), **{pauses: True})
    instance = Instance("k", (action,), calendars=(Calendar(("agent",), ((3, 6),)),))
    assert kinds(instance, run("a", 1), run("a", 6)) == []
    instance = Instance("k", (action,), calendars=(Calendar(("agent",), ((3, 5),)),))
    assert kinds(instance, run("a", 1), run("a", 5)) == ["window"]


def test_windows_and_time_limit_are_checked_beside_each_other() -> None:
    instance = Instance("k", (act("a", windows=((0, 9),)),), time_limit=4)
    assert kinds(instance, run("a", 2)) == []
    assert kinds(instance, run("a", 3)) == ["time_limit"]


@pytest.mark.parametrize("windows", [(), ((0, 0), (1, 4), (6, 9)), ((2, 3), (4, 5))])
@pytest.mark.parametrize("release", [0, 1, 3, 4])
@pytest.mark.parametrize("deadline", [None, 3, 7])
def test_spans_of_pieces_are_cut_to_release_deadline_and_horizon(
    windows: tuple[tuple[int, int], ...], release: int, deadline: int | None
) -> None:
    action = act("a", release=release, deadline=deadline, windows=windows)
    for horizon in (3, 8):
        spans = windows_of(action, horizon)
        latest = min(horizon, horizon if deadline is None else deadline)
        for start, end in combinations_with_replacement(range(11), 2):
            is_inside = not windows or any(begin <= start and end <= close for begin, close in windows)
            is_right = is_inside and release <= start and end <= latest
            assert any(begin <= start and end <= close for begin, close in spans) == is_right, (spans, start, end)
        assert all(begin <= close for begin, close in spans)


def test_shorter_mode_may_fit_where_a_longer_one_does_not() -> None:
    instance = one_action(5, deadline=3, modes=(Mode(), Mode(duration=2)))
    assert kinds(instance, run("a", 1, mode=1)) == []
    assert kinds(instance, run("a", 0, 5)) == ["deadline"]


def test_mandatory_action_has_to_fit_into_a_window() -> None:
    assert one_action(2, deadline=2)
    for arguments in ({"deadline": 1}, {"windows": ((0, 1), (3, 4))}, {"release": 4, "deadline": 5}):
        with pytest.raises(InputError, match="too little time for 2 ticks"):
            one_action(2, **arguments)


def test_deadline_before_the_release_leaves_no_window() -> None:
    with pytest.raises(InputError, match=r"actions\[t/a\].deadline: .* 0 ticks from release 5 on \(got 4\)"):
        one_action(0, release=5, deadline=4)
    instance = Instance("k", (act("a", 0, release=5, deadline=4), Action("u/b", "u", 1, 1)), optional=(("t", 1),))
    assert kinds(instance, run("u/b", 0, 1)) == []
    assert kinds(instance, run("u/b", 0, 1), run("a", 5, 0)) == ["deadline"]


def test_windows_of_which_nothing_is_left_allow_nothing() -> None:
    with pytest.raises(InputError, match=r"actions\[t/a\].windows: .* 0 ticks from release 5 on"):
        one_action(0, release=5, windows=((1, 4),))


@pytest.mark.parametrize("pauses", ["interruptible", "pauses_in_breaks"])
def test_all_windows_together_have_to_be_long_enough_for_an_action_that_may_pause(pauses: str) -> None:
    assert one_action(3, windows=((0, 1), (3, 5)), **{pauses: True})
    with pytest.raises(InputError, match="too little time for 4 ticks"):
        one_action(4, windows=((0, 1), (3, 5)), **{pauses: True})


def test_time_limit_is_no_part_of_the_check_of_windows() -> None:
    assert Instance("k", (act("a", windows=((7, 9),)),), time_limit=5)


def test_calendar_without_room_is_no_error() -> None:
    assert Instance("k", (act("a", deadline=4),), calendars=(Calendar(("agent",), ((0, 9),)),))


def test_optional_task_that_does_not_fit_stays() -> None:
    instance = Instance("k", (act("a", deadline=1),), optional=(("t", 1),))
    assert kinds(instance) == []


def test_lengths_of_windows_are_cut() -> None:
    action = act("a", release=2, deadline=8, windows=((0, 1), (1, 4), (5, 9), (9, 12)))
    assert list(window_lengths(action)) == [2, 3]


@pytest.mark.parametrize(
    ("arguments", "field", "message"),
    [
        ({"deadline": -1}, "deadline", "between 0 and 1000000000 (got -1)"),
        ({"deadline": 2.0}, "deadline", "whole number (got 2.0)"),
        ({"windows": ((3, 1),)}, "windows", "must not end before it begins (got [3, 1])"),
        ({"windows": ((1, 3), (3, 5))}, "windows", "write touching windows as one (got [3, 5])"),
        ({"windows": ((5, 8), (1, 3))}, "windows", "must begin after 8"),
        ({"windows": ((-1, 3),)}, "windows", "between 0 and"),
        ({"windows": ((1, "3"),)}, "windows", "whole number (got '3')"),
        ({"windows": ((1, 2, 3),)}, "windows", "pair of ticks"),
        ({"windows": tuple((3 * i, 3 * i + 2) for i in range(10_001))}, "windows", "at most 10000 entries"),
    ],
)
def test_fault_of_windows_names_field_and_value(arguments: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        one_action(**arguments)
    assert caught.value.field == f"actions[t/a].{field}"
    assert message in str(caught.value)
