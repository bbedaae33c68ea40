"""Answers to calendar tasks: forms that are read, and the verdicts on recorded and published answers."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from planoracle.instances.benchmarks.naturalplan import calendar_answers
from planoracle.instances.benchmarks.naturalplan.calendar_answers import ReadSlot, reading
from planoracle.instances.benchmarks.naturalplan.calendar_facts import Absence, CalendarFacts, Slot
from planoracle.instances.benchmarks.naturalplan.calendar_tasks import bundled, instance
from planoracle.instances.benchmarks.naturalplan.rules import PROFILES, PlanAnswer
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.violations import Replay

_EXACT, _OFFICIAL = PROFILES["paper"], PROFILES["released"]
_BUSY = (Absence("Ann", 0, 600, 660), Absence("Bob", 0, 540, 570, is_wish=True))
#: A task of one day, in which the first slot is 9:30 to 10:00, and one of two days that asks for the earliest slot.
_MONDAY = CalendarFacts(("Ann", "Bob"), (0,), 540, 1020, 30, _BUSY, False, Slot(0, 660, 690))
_TWO_DAYS = CalendarFacts(("Ann", "Bob"), (0, 1), 540, 1020, 30, _BUSY, True, Slot(0, 570, 600))
_SLOT = "Monday, 9:30 - 10:00"
#: Right answers to calendars of eight models, by number of tasks: in the published evaluation, and exactly.
_RIGHT_ANSWERS = {
    "DeepSeek-R1": (87, 96),
    "DeepSeek-R1-Distill-Llama-70B": (69, 75),
    "DeepSeek-R1-Distill-Llama-8B": (3, 3),
    "DeepSeek-V3": (31, 36),
    "Llama-3.1-70B-Instruct": (49, 53),
    "Llama-3.1-8B-Instruct": (15, 17),
    "gpt-4o-mini-2024-07-18": (18, 20),
    "o3-mini-2025-01-31": (89, 98),
}


def _task(facts: CalendarFacts = _MONDAY) -> Instance:
    return instance(facts, "naturalplan/calendar/1")


def _slots(submitted: object, facts: CalendarFacts = _MONDAY, rules: Any = _EXACT) -> list[str]:
    return [read_slot.text for read_slot in reading(_task(facts), submitted, rules).commands.steps]


def _verdict(submitted: object, facts: CalendarFacts = _MONDAY, rules: Any = _EXACT) -> Replay:
    """Return the verdict on an answer; one without a plan fails with its fault."""
    answer = reading(_task(facts), submitted, rules)
    assert isinstance(answer.commands, PlanAnswer)
    return calendar_answers.grade(_task(facts), answer.commands, rules).replay


def _kinds(submitted: object, facts: CalendarFacts = _MONDAY, rules: Any = _EXACT) -> list[str]:
    return [violation.kind for violation in _verdict(submitted, facts, rules).violations]


@pytest.mark.parametrize(
    "submitted",
    [
        _SLOT,
        "Here is the proposed time: Monday, 9:30 - 10:00 \n",
        "We meet on **Monday** from 9:30 AM to 10:00 AM.",
        "The slot is 9:30–10:00 on Monday.",
        "9:30 - 10:00 on Monday",
        "9:30 - 10:00",
        "**Day:** Monday\n**Time:** 9:30 - 10:00",
        "| Day | Time |\n|---|---|\n| Monday | 9:30 - 10:00 |",
        "Draft: Monday, 11:00 - 11:30.\nNo, wait.\nFinal answer: Monday, 9:30 - 10:00",
        "<think>Monday, 9:00 - 9:30?</think>\n\nMonday, 9:30 - 10:00",
        "The proposed time: **Monday, 9:30 - 10:00**\n\n* Monday 9:00-9:30 is out.\n* Ann is busy Monday 10:00-11:00.",
        '{"time_range": "{09:30:10:00}", "day": "Monday"}',
        '{ "time_range": "9:30:10:00", "day": "Monday" }',
        '{"day": "Monday", "start_time": "9:30", "end_time": "10:00"}',
        '{"meeting": {"day": "monday", "start": "09:30 am", "end": "10:00 am"}}',
        '{"time_range": "{09:30:10:00}"}',
        '{"time_range": "9:30 - 10:00", "day": "Monday"',
        'Monday is free.\n</think>\n\n```json\n{"time_range": "{09:30:10:00}", "day": "Monday"}\n```\nAll can come.',
        {"day": "Monday", "time_range": "9:30-10:00"},
        [_SLOT],
        [{"response": _SLOT}],
        [{"role": "user", "content": "When?"}, {"role": "assistant", "content": _SLOT}],
    ],
)
def test_forms_of_a_slot_are_read_alike(submitted: object) -> None:
    assert _slots(submitted) == [_SLOT]


def test_half_of_the_day_holds_for_both_times() -> None:
    assert _slots("Monday, 1:30 - 2:00 PM") == ["Monday, 13:30 - 14:00"]
    assert _slots("Monday, 11:30 - 12:00 PM") == ["Monday, 11:30 - 12:00"]
    assert _slots("Monday, 12:00 AM - 1 AM") == ["Monday, 0:00 - 1:00"]


@pytest.mark.parametrize(
    "submitted", ["", "There is no slot in which all can meet.", '{"time_range": null, "day": null}', {"day": "Monday"}]
)
@pytest.mark.parametrize("rules", [_EXACT, _OFFICIAL])
def test_answer_without_a_slot_fails(submitted: object, rules: Any) -> None:
    answer = reading(_task(), submitted, rules)
    assert answer.fault == "no_plan"
    if rules is _OFFICIAL:
        assert answer.unread == 0
    assert _kinds(submitted, rules=rules) == ["no_plan"]


def test_several_slots_without_a_choice_are_ambiguous() -> None:
    assert reading(_task(), "Monday, 9:30 - 10:00 or Monday, 11:00 - 11:30", _EXACT).fault == "ambiguous"


@pytest.mark.parametrize(
    ("submitted", "field"),
    [
        ('{"time_range": "{09:30}", "day": "Monday"}', "time_range"),
        ('{"time_range": "{29:30:10:00}", "day": "Monday"}', "time_range"),
        ('{"time_range": "{09:30:10:00}", "day": "Someday"}', "day"),
        ({"meeting": [9, 10]}, "plan"),
        (42, "plan"),
    ],
)
def test_slot_that_cannot_be_read_is_unscored(submitted: object, field: str) -> None:
    with pytest.raises(PlanError, match=field):
        reading(_task(), submitted, _EXACT)


def test_times_without_a_day_are_unscored_if_there_are_several_days() -> None:
    with pytest.raises(PlanError, match="9:30 - 10:00"):
        reading(_task(_TWO_DAYS), "9:30 - 10:00", _EXACT)


@pytest.mark.parametrize(
    ("slot", "broken"),
    [
        (_SLOT, []),
        ("Monday, 9:31 - 10:00", ["length None 30 29"]),
        ("Monday, 10:00 - 9:30", ["length None 30 -30"]),
        ("Monday, 11:07 - 11:37", []),
        ("Monday, 10:45 - 11:15", ["busy Ann Monday, 10:00 - 11:00 SLOT"]),
        ("Monday, 10:59 - 11:29", ["busy Ann Monday, 10:00 - 11:00 SLOT"]),
        ("Monday, 9:15 - 9:45", ["wish Bob Monday, 9:00 - 9:30 SLOT"]),
        ("Monday, 8:30 - 9:00", ["hours None 9:00 - 17:00 SLOT"]),
        ("Monday, 16:31 - 17:01", ["hours None 9:00 - 17:00 SLOT"]),
        ("Monday, 16:30 - 17:00", []),
        ("Tuesday, 9:30 - 10:00", ["day None Monday Tuesday"]),
        (
            "Monday, 9:00 - 11:00",
            ["length None 30 120", "busy Ann Monday, 10:00 - 11:00 SLOT", "wish Bob Monday, 9:00 - 9:30 SLOT"],
        ),
    ],
)
def test_each_rule_that_a_slot_breaks_is_a_violation(slot: str, broken: list[str]) -> None:
    verdict = _verdict(slot)
    rows = []
    for fault in verdict.violations:
        rows.append(f"{fault.kind} {fault.resource} {fault.required} {fault.actual}")
        assert (fault.position, fault.subject) == (0, "calendar/meeting")
    assert rows == [row.replace("SLOT", slot) for row in broken]
    assert (verdict.success, verdict.progress) == (not broken, float(not broken))
    sentences = [calendar_answers.SENTENCES[fault.kind](_task(), fault) for fault in verdict.violations]
    assert all(sentence and "{" not in sentence for sentence in sentences)


def test_only_the_first_slot_is_right_where_the_earliest_is_asked_for() -> None:
    assert _kinds(_SLOT, _TWO_DAYS) == []
    assert _kinds("Tuesday, 9:00 - 9:30", _TWO_DAYS) == ["not_earliest"]


def test_official_verdict_accepts_only_the_published_slot() -> None:
    assert _kinds("Monday, 11:00 - 11:30", rules=_OFFICIAL) == []
    assert _kinds(_SLOT, rules=_OFFICIAL) == ["other_slot"]
    assert _kinds('{"time_range": "{11:00:11:30}", "day": "Monday"}', rules=_OFFICIAL) == []
    assert _kinds('{"time_range": "{11:00:11:31}", "day": "Monday"}', rules=_OFFICIAL) == ["other_slot"]


def test_official_text_is_read_by_the_published_pattern() -> None:
    assert _kinds("Maybe Monday, 9:30 - 10:00. No, Monday, 11:00 - 11:30", rules=_OFFICIAL) == ["other_slot"]
    assert _kinds("Monday from 11:00 to 11:30", rules=_OFFICIAL) == ["no_plan"]
    assert _kinds("Monday, 11:15 - 11:30", rules=_OFFICIAL) == []  # other minutes than 30 count as the full hour
    assert _kinds("Time, 11:00 - 11:30", rules=_OFFICIAL) == ["other_slot"]
    assert _kinds(_SLOT, _TWO_DAYS, _OFFICIAL) == []
    assert _kinds("Monday, 10:30 - 10:00", _TWO_DAYS, _OFFICIAL) == ["other_slot"]


def test_hostile_texts_take_linear_time() -> None:
    start = process_time()
    for text in ("x" * 100_000, "Monday, " * 15_000, "9:30 - " * 15_000, "1" * 100_000):
        for rules in (_EXACT, _OFFICIAL):
            with suppress(PlanError):
                assert not _verdict(text, _TWO_DAYS, rules).success
    assert process_time() - start < 20


def test_written_slot_is_read_as_the_schedule() -> None:
    for facts in (_MONDAY, _TWO_DAYS):
        task = _task(facts)
        answer = reading(task, facts.reference.text, _EXACT).commands
        assert calendar_answers.written(task, answer) == facts.reference.text
        assert answer.steps == (ReadSlot(facts.reference.text, facts.reference),)


def test_description_states_all_facts() -> None:
    text = calendar_answers.describe(_task(_TWO_DAYS))
    for part in (
        "30 minutes",
        "Monday, Tuesday",
        "9:00 - 17:00",
        "Monday, 10:00 - 11:00",
        "Monday, 9:00 - 9:30",
        "earliest",
    ):
        assert part in text


def _is_right(facts: CalendarFacts, slot: dict[str, str]) -> bool:
    """Return whether a recorded slot fits everybody, and is the first one if that is asked for."""
    day = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday").index(slot["day"])
    start, end = (int(time[:-3]) * 60 + int(time[-2:]) for time in (slot["start_time"], slot["end_time"]))
    off_times = [off for off in facts.off_times if off.day == day]
    is_free = all(end <= off.start or off.end <= start for off in off_times)
    is_open = day in facts.days and facts.opens <= start and end <= facts.closes
    is_first = not facts.is_earliest or (day, start) == facts.reference[:2]
    return is_free and is_open and end - start == facts.minutes and is_first


def test_recorded_answers_have_the_verdicts_of_the_rules(shared: Path) -> None:
    path = shared / "benchmarks" / "naturalplan" / "outputs" / "calendar.jsonl"
    right = {model: Counter[str]() for model in _RIGHT_ANSWERS}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        facts = bundled()[row["instance"].rpartition("_")[2]]
        exact = _verdict(row["response"], facts).success
        official = _verdict(row["response"], facts, _OFFICIAL).success
        assert exact == _is_right(facts, row["formatted"]), (row["model"], row["instance"])
        assert official == (row["formatted"] == row["expected"]), (row["model"], row["instance"])
        right[row["model"]] += Counter(official=official, exact=exact)
    assert {model: (count["official"], count["exact"]) for model, count in right.items()} == _RIGHT_ANSWERS


def test_published_predictions_have_the_published_rate(shared: Path) -> None:
    path = shared / "benchmarks" / "naturalplan" / "calendar_scheduling_100.json"
    right = Counter[str]()
    for name, record in json.loads(path.read_bytes()).items():
        facts = bundled()[name.rpartition("_")[2]]
        assert _verdict(record["golden_plan"], facts).success
        assert _verdict(record["golden_plan"], facts, _OFFICIAL).success
        right["official"] += _verdict(record["pred_5shot_pro"], facts, _OFFICIAL).success
        right["exact"] += _verdict(record["pred_5shot_pro"], facts).success
    assert right == {"official": 56, "exact": 63}
