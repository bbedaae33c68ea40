"""Answers about meetings: forms that are read, broken rules, and verdicts on recorded answers."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.naturalplan.meeting_answers import SENTENCES, grade, reading
from planoracle.instances.benchmarks.naturalplan.meeting_tasks import MeetingFacts, Person, bundled, instance
from planoracle.instances.benchmarks.naturalplan.rules import PROFILES, PlanVerdict, Profile
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol import registry

_EXACT, _OFFICIAL = PROFILES["paper"], PROFILES["released"]
_PERSONS = (Person("Ann", "Old Hill", 600, 660, 30), Person("Bo", "Fisher's Park", 570, 780, 45))
_WAYS = (
    ("Harbour", "Old Hill", 20),
    ("Harbour", "Fisher's Park", 5),
    ("Old Hill", "Fisher's Park", 10),
    ("Fisher's Park", "Old Hill", 12),
)
#: Two friends, of whom the published plan meets both: Bo from 9:30 to 10:15, Ann from 10:27 to 10:57.
_MEETING = instance(MeetingFacts("Harbour", 540, _PERSONS, _WAYS, ("Bo", "Ann")), "naturalplan/meeting/1")
_PLAN = (
    "You start at Harbour at 9:00AM. You travel to Fisher's Park in 5 minutes and arrive at 9:05AM. You wait until"
    " 9:30AM. You meet Bo for 45 minutes from 9:30AM to 10:15AM. You travel to Old Hill in 12 minutes and arrive at"
    " 10:27AM. You meet Ann for 30 minutes from 10:27AM to 10:57AM."
)
#: Answers that keep all rules: exact, official, and most friends with both.
_RIGHT_ANSWERS = {
    "DeepSeek-R1": (81, 80, 76),
    "DeepSeek-R1-Distill-Llama-70B": (4, 9, 4),
    "DeepSeek-R1-Distill-Llama-8B": (19, 5, 2),
    "DeepSeek-V3": (27, 29, 27),
    "Llama-3.1-70B-Instruct": (12, 18, 12),
    "Llama-3.1-8B-Instruct": (3, 4, 3),
    "gpt-4o-mini-2024-07-18": (4, 6, 4),
    "o3-mini-2025-01-31": (87, 89, 83),
}


def _entry(person: str | None, place: str | None, start: object, end: object = None) -> dict[str, Any]:
    return {"action": "meet", "location": place, "person": person, "start_time": start, "end_time": end}


_ITINERARY = [_entry("Bo", "Fisher's Park", "9:30", "10:15"), _entry("Ann", "Old Hill", "10:27", "10:57")]


def _verdict(submitted: object, rules: Profile = _EXACT, problem: Instance = _MEETING) -> PlanVerdict:
    return grade(problem, reading(problem, submitted, rules).commands, rules)


def _violations(submitted: object, rules: Profile = _EXACT) -> list[tuple[str, str]]:
    return [(fault.kind, fault.subject) for fault in _verdict(submitted, rules).replay.violations]


def _itinerary(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"itinerary": list(entries)}


@pytest.mark.parametrize("rules", [_EXACT, _OFFICIAL], ids=["exact", "official"])
@pytest.mark.parametrize(
    "submitted",
    [
        _PLAN,
        f"SOLUTION: {_PLAN}",
        f"I think, You wait until 5:00PM.</think>\nSOLUTION:\n{_PLAN}",
        [f"{sentence}." for sentence in _PLAN.removesuffix(".").split(". ")],
        _itinerary(*_ITINERARY),
        json.dumps(_itinerary(*_ITINERARY)),
        f"SOLUTION:\n```json\n{json.dumps(_itinerary(*_ITINERARY))}\n```\nBo is met before Ann leaves.",
        f"SOLUTION: Here is my plan.\n```json\n{json.dumps(_itinerary(*_ITINERARY))}\n```",
        f"1. Meet Bo at 9:00AM.\n\n```json\n{json.dumps(_itinerary(*_ITINERARY))}\n```",
        _itinerary(_entry("bo", "Fishers Park", "9:30AM", "10:15 am"), _entry("Ann", "The Old Hill", "10:27", "10:57")),
        _itinerary(_entry("N/A", "Harbour", "9:00"), *_ITINERARY),
        [
            {"location": "Harbour", "person_name": "N/A", "start_time": "9:00AM"},
            {"location": "Fisher's Park", "person_name": "Bo", "start_time": "9:30AM"},
            {"location": "Old Hill", "person_name": "Ann", "start_time": "10:27AM"},
        ],
        [{"role": "user", "content": "Plan!"}, {"role": "assistant", "content": _PLAN}],
        {"schedule": [{"friend": "Bo", "place": "Fisher's Park", "time": "9:30AM - 10:15AM"}, _ITINERARY[1]]},
        _itinerary(
            {"action": "travel", "from": "Harbour", "to": "Fisher's Park", "start_time": "9:00", "end_time": "9:05"},
            _ITINERARY[0],
            {"action": "travel", "location": "Old Hill", "start_time": "10:15", "end_time": "10:27"},
            _ITINERARY[1],
        ),
        "9:30 AM - 10:15 AM: Meet Bo at Fisher's Park\n**10:27 AM - 10:57 AM**: Meet Ann at Old Hill",
        f"First:\n{json.dumps(_itinerary(_ITINERARY[0]))}\nFinal answer:\n{json.dumps(_itinerary(*_ITINERARY))}",
    ],
)
def test_right_plan_succeeds_in_every_form(submitted: object, rules: Profile) -> None:
    replay = _verdict(submitted, rules).replay
    assert (replay.success, replay.executed, replay.makespan, replay.violations) == (True, 2, 117, ())


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([_entry("Cy", "Old Hill", "10:00", "10:30")], [("unknown_person", "Cy")]),
        ([_entry("You", "Harbour", "9:00", "9:30"), *_ITINERARY], [("unknown_person", "You")]),
        ([_entry("Bo", "Island", "9:30", "10:15")], [("unknown_place", "Island")]),
        ([_entry("Bo", "Old Hill", "9:30", "10:15")], [("wrong_place", "Bo")]),
        ([_entry("Bo", "Fisher's Park", "9:30", "10:14")], [("too_short", "Bo")]),
        ([_entry("Bo", "Fisher's Park", "9:29", "10:15")], [("not_there_yet", "Bo")]),
        ([_entry("Ann", "Old Hill", "10:31", "11:01")], [("gone", "Ann")]),
        ([_ITINERARY[0], _entry("Ann", "Old Hill", "10:26", "10:57")], [("too_early", "Ann")]),
        ([*_ITINERARY, _entry("Bo", "Fisher's Park", "11:07", "12:00")], [("repeated_person", "Bo")]),
        ([_entry(None, "Old Hill", "9:19"), _ITINERARY[1]], [("travel_time", "Old Hill")]),
    ],
)
def test_each_broken_rule_of_an_itinerary_is_a_violation(
    entries: list[dict[str, Any]], expected: list[tuple[str, str]]
) -> None:
    assert _violations(_itinerary(*entries)) == expected
    assert not _verdict(_itinerary(*entries)).replay.success


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("You start at Old Hill at 9:00AM. You meet Ann for 30 minutes from 10:00AM to 10:30AM.", "wrong_start"),
        ("You start at Harbour at 8:59AM. You travel to Old Hill in 20 minutes.", "too_early"),
        ("You travel to Old Hill in 19 minutes and arrive at 9:19AM.", "travel_time"),
        ("You wait until 8:00AM. You travel to Old Hill in 20 minutes.", "wait_in_past"),
        ("You travel to Island in 5 minutes. You wait until 9:30AM.", "unknown_place"),
        ("You travel to Fisher's Park. You wait until 9:30AM. You meet Bo for 44 minutes.", "too_short"),
        ("You travel to Fisher's Park. You meet Bo for 45 minutes.", "not_there_yet"),
    ],
)
def test_each_broken_rule_of_sentences_is_a_violation(text: str, kind: str) -> None:
    assert _violations(text)[0][0] == kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You start at Old Hill at 9:00AM.", ("wrong_start", "Old Hill", "Harbour", None)),
        ("You start at Harbour at 8:59AM.", ("too_early", "Harbour", 0, -1)),
        ("You travel to Old Hill in 20 minutes. You wait until 8:00AM.", ("wait_in_past", "wait", 20, -60)),
    ],
)
def test_violation_has_the_required_and_the_stated_value(text: str, expected: tuple[object, ...]) -> None:
    [violation] = _verdict(text).replay.violations
    assert (violation.kind, violation.subject, violation.required, violation.actual) == expected


def test_sentence_of_a_violation_has_the_subject_and_times_of_day() -> None:
    [violation] = _verdict("You start at Harbour at 8:59AM.").replay.violations
    sentence = SENTENCES[violation.kind](_MEETING, violation)
    assert sentence == "Harbour is stated for 8:59AM, but you are free and there at 9:00AM"


def test_official_verdict_on_a_chat_is_that_on_its_last_message() -> None:
    plan = f"{_PLAN} You eat lunch."
    chat = [{"role": "user", "content": "Plan!"}, {"role": "assistant", "content": plan}]
    assert _violations(chat, _OFFICIAL) == _violations(plan, _OFFICIAL) == [("unread_step", "eat lunch")]


def test_meeting_longer_than_wished_succeeds_and_counts_to_its_end() -> None:
    replay = _verdict(_itinerary(_entry("Bo", "Fisher's Park", "9:30", "12:30"))).replay
    assert (replay.success, replay.makespan) == (True, 210)


@pytest.mark.parametrize(
    ("submitted", "makespan"),
    [
        ("You travel to Fisher's Park in 5 minutes. You wait until 9:30AM. You meet Bo for 50 minutes.", 80),
        ("You travel to Fisher's Park in 40 minutes. You meet Bo for 45 minutes.", 85),
        ("You travel to Fisher's Park and arrive at 10:00AM. You meet Bo for 45 minutes.", 105),
        (_itinerary({"location": "Fisher's Park", "person": "Bo"}), 75),
        (_itinerary(_entry(None, "Fisher's Park", "9:40"), {"location": "Fisher's Park", "person": "Bo"}), 85),
    ],
)
def test_meeting_begins_when_one_is_there_and_takes_the_stated_time(submitted: object, makespan: int) -> None:
    replay = _verdict(submitted).replay
    assert (replay.success, replay.makespan, replay.violations) == (True, makespan, ())


def test_progress_is_the_share_of_friends_up_to_the_first_violation_and_1_for_a_success() -> None:
    some, most = _itinerary(_ITINERARY[0]), _itinerary(*_ITINERARY)
    late = _itinerary(_ITINERARY[0], _entry("Ann", "Old Hill", "10:26", "10:57"))
    early = _itinerary(_entry("Ann", "Old Hill", "9:00", "9:30"), _entry("Bo", "Fisher's Park", "9:40", "10:25"))
    figures = []
    for plan in (some, most, late, early):
        replay = _verdict(plan).replay
        figures.append((replay.progress, replay.goal_ratio, replay.executed, replay.makespan))
    assert figures == [(1.0, 1.0, 1, 75), (1.0, 1.0, 2, 117), (0.5, 0.0, 1, 75), (0.0, 0.0, 0, 0)]
    assert [event.progress for event in _verdict(late).replay.events] == [0.5, 0.0]


def test_meeting_of_some_friends_is_an_exact_success_and_an_official_failure() -> None:
    plan = _itinerary(_ITINERARY[0])
    assert _verdict(plan).replay.success
    assert not _verdict(plan, _OFFICIAL).replay.success


def test_official_meetings_take_the_wished_time_and_ways_the_given_one() -> None:
    text = _PLAN.replace("in 5 minutes", "in 1 minutes").replace("to 10:15AM", "to 9:31AM").replace("for 45", "for 1")
    assert _verdict(text, _OFFICIAL).replay.success
    assert not _verdict(text).replay.success


@pytest.mark.parametrize(
    ("text", "met"),
    [
        (_PLAN.replace("You wait until 9:30AM.", "You wait until 9:30 AM."), 0),
        (_PLAN.replace("You wait until 9:30AM.", "You stay. You wait until 9:30AM."), 0),
        (_PLAN.replace("You meet Ann", "You wait until 10:27AM. You meet Ann"), 1),
        (f"{_PLAN} You meet Bo for 45 minutes.", 2),
        ("Here is my plan. " + _PLAN, 2),
        (f"Here is my plan. SOLUTION: Yes. {_PLAN}", 0),
    ],
)
def test_official_meetings_count_up_to_the_first_step_that_fails(text: str, met: int) -> None:
    replay = _verdict(text, _OFFICIAL).replay
    assert (replay.executed, replay.success) == (met, met == 2)


def test_official_itinerary_passes_over_unknown_friends() -> None:
    plan = _itinerary(_entry("You", "Harbour", "9:00", "9:20"), *_ITINERARY)
    assert _verdict(plan, _OFFICIAL).replay.success


def test_official_list_passes_over_its_first_entry() -> None:
    entries = [{"location": "Fisher's Park", "person_name": "Bo", "start_time": "9:30AM"}]
    assert _verdict(entries, _OFFICIAL).replay.executed == 0
    assert _verdict(entries).replay.executed == 1


@pytest.mark.parametrize("submitted", ["", "I cannot plan this.", {"itinerary": []}, [], '{"itinerary": []}'])
@pytest.mark.parametrize("rules", [_EXACT, _OFFICIAL], ids=["exact", "official"])
def test_answer_without_plan_fails(submitted: object, rules: Profile) -> None:
    run = registry.get("naturalplan").run(_MEETING, {"plan": submitted}, rules)
    assert (run.success, [fault.kind for fault in run.verdict.violations]) == (False, ["no_plan"])


@pytest.mark.parametrize(
    ("start", "end", "field"),
    [("noon", "13:00", "start_time"), ("9:30", "9:60", "end_time"), (930, "10:15", "start_time")],
)
def test_unreadable_time_of_a_meeting_is_an_error(start: object, end: object, field: str) -> None:
    with pytest.raises(PlanError) as error:
        reading(_MEETING, _itinerary(_entry("Bo", "Fisher's Park", start, end)), _EXACT)
    assert error.value.field == field


@pytest.mark.parametrize(
    "sentence",
    [
        "You wait until 24:30PM",
        "You start at Old Hill at 25:00",
        "You meet Bo for 30 minutes from 9:75AM to 10:30AM",
        "You meet Bo for 30 minutes from 9:45AM to 99:15AM",
    ],
)
def test_sentence_with_a_time_of_no_day_is_not_read(sentence: str) -> None:
    assert ("unread_step", sentence.removeprefix("You ")) in _violations(f"{_PLAN} {sentence}.")


@pytest.mark.parametrize("submitted", [7, None, True])
def test_plan_of_another_type_is_an_error(submitted: object) -> None:
    with pytest.raises(PlanError, match="itinerary"):
        reading(_MEETING, submitted, _EXACT)


@pytest.mark.parametrize("length", [20, 150, -2])
def test_itinerary_that_is_cut_off_fails(length: int) -> None:
    text = json.dumps(_itinerary(*_ITINERARY))[:length]
    run = registry.get("naturalplan").run(_MEETING, {"plan": f"SOLUTION: {text}"})
    assert not run.success


@pytest.mark.parametrize(
    "remark", ["It is not possible to meet Cy.", "A meeting is not feasible for Cy.", "I could not include Cy."]
)
@pytest.mark.parametrize("plan", [_PLAN, json.dumps(_itinerary(*_ITINERARY), indent=1)], ids=["sentences", "itinerary"])
def test_remark_on_a_friend_left_out_takes_no_plan_back(plan: str, remark: str) -> None:
    run = registry.get("naturalplan").run(_MEETING, {"plan": f"SOLUTION:\n{plan}\n\n{remark}"})
    assert run.success


def test_numbered_sentences_are_an_exact_success_only() -> None:
    sentences = _PLAN.removesuffix(".").split(". ")
    lines = [f"{number}. {sentence}." for number, sentence in enumerate(sentences, 1)]
    assert _verdict("\n".join(lines)).replay.success
    assert _violations("SOLUTION:\n" + "\n".join(lines), _OFFICIAL) == [("unread_step", "1")]


def test_each_violation_has_a_sentence_with_times_of_day() -> None:
    benchmark = registry.get("naturalplan")
    run = benchmark.run(_MEETING, _itinerary(_ITINERARY[0], _entry("Ann", "Old Hill", "10:26", "10:57")))
    (finding,) = benchmark.examine(run).findings
    assert finding.text == "Ann is stated for 10:26AM, but you are free and there at 10:27AM."
    kinds = set(chain.from_iterable(topic.kinds for topic in benchmark.feedback.TOPICS))
    assert set(SENTENCES) <= kinds


def _outputs(shared: Path) -> list[dict[str, Any]]:
    path = shared / "benchmarks" / "naturalplan" / "outputs" / "meeting.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_recorded_answers_have_the_expected_verdicts(shared: Path) -> None:
    counts: dict[str, Counter[str]] = {}
    unscored = 0
    for record in _outputs(shared):
        number = record["instance"].rpartition("_")[2]
        problem = instance(bundled()[number], number)
        plan = record["formatted"] if record["response"] is None else record["response"]
        count = counts.setdefault(record["model"], Counter())
        count["official"] += _verdict(plan, _OFFICIAL, problem).replay.success
        try:
            replay = _verdict(plan, _EXACT, problem).replay
        except PlanError:
            unscored += 1
            continue
        count["exact"] += replay.success
        count["most"] += replay.success and replay.executed == len(bundled()[number].order)
        assert replay.success or not record["recorded_correct"], record["instance"]
    rows = {model: (count["exact"], count["official"], count["most"]) for model, count in counts.items()}
    assert (rows, unscored) == (_RIGHT_ANSWERS, 2)


def test_published_evaluation_gives_the_published_answers_the_same_share(shared: Path) -> None:
    path = shared / "benchmarks" / "naturalplan" / "meeting_planning_100.json"
    successes = 0
    for name, record in json.loads(path.read_text("utf-8")).items():
        number = name.rpartition("_")[2]
        problem = instance(bundled()[number], number)
        successes += _verdict(record["pred_5shot_pro"], _OFFICIAL, problem).replay.success
        assert _verdict(record["golden_plan"], _OFFICIAL, problem).replay.success
        assert _verdict(record["golden_plan"], _EXACT, problem).replay.success
    assert successes == 38
