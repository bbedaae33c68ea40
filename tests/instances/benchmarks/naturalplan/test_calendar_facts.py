"""Facts of calendar tasks: reading of texts, bundled tasks, right slots and optima."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.naturalplan.calendar_facts import (
    WEEKDAYS,
    Absence,
    CalendarFacts,
    Slot,
    clock_text,
    minutes_of,
)
from planoracle.instances.benchmarks.naturalplan.calendar_tasks import bundled, instance, read, slot_of
from planoracle.instances.benchmarks.naturalplan.calendar_text import facts_of
from planoracle.instances.errors import InputError
from planoracle.solver.exact.search import solve

#: Tasks in which the parsed constraints omit a day that a wish names alone, as in "on Monday. Tuesday before 9:30.",
#: and one in which they have 10.3 for 10:30.
_PARSED_AMISS = frozenset(("502", "625", "704", "707", "765", "776", "778", "786", "867", "910"))

_TEXT = """TASK: You need to schedule a meeting for Ann, Bob and Eve for half an hour between the work hours of 9:00 \
to 17:00 on either Monday or Tuesday.

Here are the existing schedules for everyone during the days:
Annhas no meetings the whole week.
Bob is busy on Monday during 9:00 to 10:30, 16:00 to 17:00, Tuesday during 12:00 to 13:00;
Eve's calendar is wide open the entire week.

{wishes} Find a time that works for everyone's schedule and constraints.
SOLUTION: """


def _records(shared: Path) -> dict[str, Any]:
    path = shared / "benchmarks" / "naturalplan" / "calendar_scheduling_100.json"
    return dict(json.loads(path.read_bytes()))


def _read(wishes: str, reference: str = "Monday, 10:30 - 11:00") -> CalendarFacts:
    record = {"prompt_0shot": _TEXT.format(wishes=wishes), "golden_plan": f"Here is the proposed time: {reference} "}
    return read(record, "calendar_scheduling_example_1")


def _blocked_minutes(facts: CalendarFacts) -> set[tuple[int, int]]:
    """Return the minutes of the days of a task at which somebody cannot meet, or nobody works."""
    blocked = set()
    for day in facts.days:
        blocked |= {(day, minute) for minute in range(24 * 60) if not facts.opens <= minute < facts.closes}
    for off_time in facts.off_times:
        blocked |= {(off_time.day, minute) for minute in range(off_time.start, off_time.end)}
    return blocked


def _fitting_starts(facts: CalendarFacts) -> list[tuple[int, int]]:
    """Return day and minute of all starts at which everybody can meet, by enumeration of minutes."""
    blocked = _blocked_minutes(facts)
    starts = []
    for day in sorted(facts.days):
        for start in range(24 * 60 - facts.minutes + 1):
            if blocked.isdisjoint((day, minute) for minute in range(start, start + facts.minutes)):
                starts.append((day, start))
    return starts


def test_text_states_people_days_hours_and_busy_times() -> None:
    facts = _read("")
    assert (facts.people, facts.days, facts.opens, facts.closes) == (("Ann", "Bob", "Eve"), (0, 1), 540, 1020)
    assert (facts.minutes, facts.is_earliest, facts.reference) == (30, False, Slot(0, 630, 660))
    assert facts.off_times == (
        Absence("Bob", 0, 540, 630),
        Absence("Bob", 0, 960, 1020),
        Absence("Bob", 1, 720, 780),
    )


def test_wish_of_several_days_holds_for_each_of_them() -> None:
    wishes = _read("Eve would rather not meet on Monday after 11:00. Tuesday. Bob can not meet on Monday before 9:30.")
    assert wishes.off_times[3:] == (
        Absence("Eve", 0, 660, 1440, is_wish=True),
        Absence("Eve", 1, 0, 1440, is_wish=True),
        Absence("Bob", 0, 0, 570, is_wish=True),
    )


def test_earliest_slot_may_be_asked_for() -> None:
    assert _read("The group would like to meet at their earlist availability.\n").is_earliest
    assert _read("You would like to schedule the meeting at their earliest availability.\n").is_earliest


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann would like to bring a cake.",
        "Zoe can not meet on Monday.",
        "Tuesday before 9:30.",
        "Ann can not meet on Someday.",
        "Ann can not meet on Monday after noon.",
    ],
)
def test_unknown_sentence_is_an_error_that_names_it(sentence: str) -> None:
    with pytest.raises(InputError, match="prompt_0shot: is a sentence that this reader does not know") as caught:
        _read(sentence)
    assert sentence in str(caught.value)
    assert "calendar_scheduling_example_1" in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("half an hour", "a while"),
        ("9:00 to 17:00", "17:00 to 9:00"),
        ("9:00 to 10:30", "9:00 to 29:30"),
        ("9:00 to 10:30", "10:30 to 9:00"),
        ("Ann, Bob and Eve", "Ann, Ann and Bob"),
        ("Bob is busy on", "Bob sleeps on"),
        ("Monday or Tuesday", "Monday or Doomsday"),
    ],
)
def test_values_out_of_range_are_errors(before: str, after: str) -> None:
    with pytest.raises(InputError):
        facts_of(_TEXT.format(wishes="").removeprefix("TASK: ").replace(before, after), "Monday, 10:30 - 11:00")


@pytest.mark.parametrize(("field", "value"), [("num_people", "4"), ("num_days", "3"), ("duration", "1")])
def test_numbers_of_a_record_must_agree_with_its_text(field: str, value: str) -> None:
    record = {"prompt_0shot": _TEXT.format(wishes=""), "golden_plan": "Monday, 10:30 - 11:00", field: value}
    with pytest.raises(InputError, match=field):
        read(record, "x")


def test_reference_needs_a_slot() -> None:
    with pytest.raises(InputError, match="golden_plan"):
        _read("", "Monday morning")


def test_clock_times_are_minutes_of_a_day() -> None:
    assert [clock_text(minutes_of(text)) for text in ("0:00", "9:05", "24:00")] == ["0:00", "9:05", "24:00"]
    with pytest.raises(InputError):
        minutes_of("24:01")


def test_bundled_facts_are_those_of_the_texts(shared: Path) -> None:
    facts = {name.rpartition("_")[2]: read(record, name) for name, record in _records(shared).items()}
    assert facts == dict(bundled())


def test_texts_of_examples_in_prompts_are_read(shared: Path) -> None:
    count = 0
    for record in _records(shared).values():
        *examples, _ = record["prompt_5shot"].split("TASK:")[1:]
        for example in examples:
            text, _, reference = example.partition("SOLUTION:")
            facts = facts_of(text.strip(), reference)
            assert facts.fits(facts.reference)
            count += 1
    assert count == 500


def test_off_times_are_the_constraints_that_others_parsed(shared: Path) -> None:
    path = shared / "benchmarks" / "naturalplan" / "calendar_scheduling_100_constraints.json"
    differing = set()
    for name, row in json.loads(path.read_bytes()).items():
        facts = bundled()[name.rpartition("_")[2]]
        parsed = set()
        for span in row["constraints"]["disallowed_ranges"]:
            day = WEEKDAYS.index(span["day"])
            minutes = range(round(span["start"] * 60), round(span["end"] * 60))
            parsed |= {(day, minute) for minute in minutes if day in facts.days}
        blocked = {(day, minute) for day, minute in _blocked_minutes(facts) if day in facts.days}
        assert facts.minutes == row["constraints"]["meeting_duration"] * 60
        assert parsed <= blocked, name
        if parsed != blocked:
            differing.add(name.rpartition("_")[2])
    assert differing == _PARSED_AMISS


def test_references_fit_and_are_first_where_the_earliest_is_asked_for() -> None:
    earliest = [facts for facts in bundled().values() if facts.is_earliest]
    assert all(facts.fits(facts.reference) for facts in bundled().values())
    assert len(earliest) == 18
    assert all(facts.first_slot() == facts.reference for facts in earliest)


def test_right_slots_are_those_of_an_enumeration() -> None:
    counts = []
    for facts in bundled().values():
        starts = _fitting_starts(facts)
        slots = facts.right_slots()
        assert [(slot.day, slot.start) for slot in slots] == [start for start in starts if start[1] % 30 == 0]
        counts.append(len(slots))
    assert (sum(count > 1 for count in counts), max(counts), min(counts)) == (36, 13, 1)


def test_days_that_wishes_name_alone_leave_one_right_slot_in_six_tasks_of_nine() -> None:
    counts = {number: len(bundled()[number].right_slots()) for number in _PARSED_AMISS - {"502"}}
    assert sorted(counts.values()) == [1, 1, 1, 1, 1, 1, 2, 3, 8]


def test_optimum_is_the_first_slot_of_an_enumeration() -> None:
    for number, facts in bundled().items():
        result = solve(instance(facts, f"naturalplan/calendar/{number}"))
        assert result.status == "optimal"
        (piece,) = result.schedule.pieces
        slot = slot_of(piece.start, piece.end)
        assert (slot.day, slot.start) == _fitting_starts(facts)[0]
        assert slot == facts.first_slot()


def test_official_problem_has_only_the_published_slot() -> None:
    for number, facts in bundled().items():
        result = solve(instance(facts, f"naturalplan/calendar/{number}", is_official=True))
        (piece,) = result.schedule.pieces
        assert slot_of(piece.start, piece.end) == facts.reference


def test_off_times_are_named_as_wishes_name_them() -> None:
    spans = ((570, 600), (570, 1440), (0, 570), (0, 1440))
    texts = [Absence("Ann", 1, start, end).text for start, end in spans]
    assert texts == ["Tuesday, 9:30 - 10:00", "Tuesday after 9:30", "Tuesday before 9:30", "Tuesday"]
