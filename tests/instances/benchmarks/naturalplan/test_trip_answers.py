"""Answers to trips: forms that are read, and the verdicts on recorded and published answers."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from planoracle.instances.benchmarks.naturalplan import trip_answers
from planoracle.instances.benchmarks.naturalplan.rules import PROFILES
from planoracle.instances.benchmarks.naturalplan.trip_answers import reading
from planoracle.instances.benchmarks.naturalplan.trip_facts import Stay, TripFacts
from planoracle.instances.benchmarks.naturalplan.trip_published import published_stays
from planoracle.instances.benchmarks.naturalplan.trip_tasks import bundled, instance
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.violations import Replay
from planoracle.solver.exact.search import solve

_EXACT, _OFFICIAL = PROFILES["paper"], PROFILES["released"]
_STAYS = (("Rome", 2), ("Oslo", 4), ("Nice", 3))
_FLIGHTS = (("Rome", "Oslo"), ("Oslo", "Rome"), ("Oslo", "Nice"), ("Nice", "Oslo"))
#: A trip with two orders, of which the reference begins in Rome; Oslo has an event.
_TRIP = TripFacts(7, _STAYS, (Stay("Oslo", 3, 4),), _FLIGHTS, _STAYS)
_LINES = "Day 1-2: visit Rome\nDay 2-5: visit Oslo\nDay 5-7: visit Nice"
_ITINERARY = [
    {"day_range": "Day 1-2", "place": "Rome"},
    {"flying": "Day 2-2", "from": "Rome", "to": "Oslo"},
    {"day_range": "Day 2-5", "place": "Oslo"},
    {"flying": "Day 5", "from": "Oslo", "to": "Nice"},
    {"day_range": "Day 5-7", "place": "Nice"},
]
_PUBLISHED_FORM = """Here is the trip plan for visiting the 3 European cities for 7 days:

**Day 1-2:** Arriving in Rome and visit Rome for 2 days.
**Day 2:** Fly from Rome to Oslo.
**Day 2-5:** Visit Oslo for 4 days.
**Day 5:** Fly from Oslo to Nice.
**Day 5-7:** Visit Nice for 3 days."""
#: Right answers to trips of eight models: in the published evaluation, and exactly.
_RIGHT_ANSWERS = {
    "DeepSeek-R1": (63, 63),
    "DeepSeek-R1-Distill-Llama-70B": (0, 0),
    "DeepSeek-R1-Distill-Llama-8B": (0, 0),
    "DeepSeek-V3": (5, 5),
    "Llama-3.1-70B-Instruct": (18, 18),
    "Llama-3.1-8B-Instruct": (0, 0),
    "gpt-4o-mini-2024-07-18": (7, 7),
    "o3-mini-2025-01-31": (66, 69),
}


def _trip(facts: TripFacts = _TRIP) -> Instance:
    return instance(facts, "naturalplan/trip/1")


def _verdict(submitted: object, facts: TripFacts = _TRIP, rules: Any = _EXACT) -> Replay:
    answer = reading(_trip(facts), submitted, rules).commands
    return trip_answers.grade(_trip(facts), answer, rules).replay


def _kinds(submitted: object, rules: Any = _EXACT) -> list[str]:
    return [violation.kind for violation in _verdict(submitted, rules=rules).violations]


@pytest.mark.parametrize(
    "submitted",
    [
        _LINES,
        _LINES.split("\n"),
        _PUBLISHED_FORM,
        {"itinerary": _ITINERARY},
        {"itinerary": {"Day 1-2": "Rome", "Day 2-5": "Oslo", "Day 5-7": "Nice"}},
        _ITINERARY,
        json.dumps({"itinerary": _ITINERARY}),
        f"Day 1-4: Oslo.\n</think>\n```json\n{json.dumps({'itinerary': _ITINERARY})}\n```\n- Oslo (Days 2-6).",
        [{"response": _LINES}],
        json.dumps(
            [{"days": "1-2", "city": "rome"}, {"days": [2, 5], "city": "Oslo (show)"}, {"days": "5-7", "city": "Nice"}]
        ),
        "| Day | City |\n|---|---|\n| Day 1-2 | Rome |\n| Day 2-5 | Oslo |\n| Day 5-7 | Nice |",
        "- **Rome (Days 1-2)**\n- **Oslo (Days 2-5)**: fly from Rome\n- **Nice (Days 5-7)**: fly from Oslo",
        "1. Days 1 to 2: Rome\n2. Days 2 to 5: Oslo\n3. Days 5 to 7: Nice",
    ],
)
def test_forms_of_a_trip_are_read_alike(submitted: object) -> None:
    steps = reading(_trip(), submitted, _EXACT).commands.steps
    assert steps == (Stay("Rome", 1, 2), Stay("Oslo", 2, 5), Stay("Nice", 5, 7))
    assert _verdict(submitted).success


@pytest.mark.parametrize(
    "submitted",
    ["", "It is impossible to visit all cities:\n\n* **Rome:** is far.\n* **Oslo:** is cold.", {"itinerary": []}],
)
@pytest.mark.parametrize("rules", [_EXACT, _OFFICIAL])
def test_answer_without_a_stay_fails(submitted: object, rules: Any) -> None:
    assert reading(_trip(), submitted, rules).fault == "no_plan"
    assert _kinds(submitted, rules) == ["no_plan"]


@pytest.mark.parametrize(
    ("submitted", "field"),
    [
        ({"itinerary": [{"day_range": "the first days", "place": "Rome"}]}, "day_range"),
        ({"itinerary": [["Day 1-2", "Rome"]]}, "plan"),
        (42, "plan"),
        ("Day 1-2: Ro", "plan"),
        ("- **Day 1-2:** Ro", "plan"),
    ],
)
def test_stay_that_cannot_be_read_is_unscored(submitted: object, field: str) -> None:
    with pytest.raises(PlanError, match=field):
        reading(_trip(), submitted, _EXACT)


def test_city_whose_name_begins_with_another_city_is_told_apart() -> None:
    stays = (("York", 2), ("York Town", 3))
    facts = TripFacts(4, stays, (), (("York", "York Town"),), stays)
    steps = reading(_trip(facts), "Day 1-2: York\nDay 2-4: York Town", _EXACT).commands.steps
    assert steps == (Stay("York", 1, 2), Stay("York Town", 2, 4))


def test_progress_is_the_share_of_stays_before_the_first_violation() -> None:
    replay = _verdict(_LINES.replace("5-7: visit Nice", "6-8: visit Nice"))
    assert (replay.progress, replay.executed, replay.makespan) == (pytest.approx(2 / 3), 2, 4)
    assert [(event.accepted, event.start, event.end) for event in replay.events] == [
        (True, 0, 1),
        (True, 1, 4),
        (False, 5, 5),
    ]
    assert (_verdict(_LINES).progress, _verdict(_LINES).makespan) == (1.0, 6)
    published = _verdict("Day 1-3: visit Nice\nDay 3-6: visit Oslo\nDay 6-7: visit Rome", rules=_OFFICIAL)
    assert (published.success, published.progress, published.executed) == (False, 0.0, 0)


#: Stays, and the violations with their positions, cities, cities before, and what is required and given.
_BROKEN = {
    "1-2 Rome, 2-5 Oslo, 5-7 Nice": [],
    "1-3 Nice, 3-6 Oslo, 6-7 Rome": [],
    "1-2 Rome, 2-4 Nice, 4-7 Oslo": ["1 no_flight Nice Rome - -", "2 event Oslo - 3-4 Day 4-7: visit Oslo"],
    "1-2 Rome, 3-6 Oslo, 6-7 Nice": ["1 gap Oslo - 2 3", "2 stay Nice - 3 2"],
    "1-2 Rome, 2-5 Oslo": ["- missing_city Nice - - -", "- last_day Oslo - 7 5"],
    "1-2 Rome, 2-5 Oslo, 5-7 Paris": ["2 unknown_city Paris - - -", "- missing_city Nice - - -"],
    "1-2 Rome, 2-5 Oslo, 5-7 Nice, 7-8 Rome": [
        *("3 repeated_city Rome - - -", "3 no_flight Rome Nice - -", "- last_day Rome - 7 8"),
    ],
    "2-3 Rome, 3-6 Oslo, 6-8 Nice": ["0 first_day Rome - 1 2", "- last_day Nice - 7 8"],
    "3-4 Oslo, 4-5 Oslo, 5-5 Nice": [
        *("0 first_day Oslo - 1 3", "0 stay Oslo - 4 2", "1 repeated_city Oslo - - -", "1 stay Oslo - 4 2"),
        *("1 event Oslo - 3-4 Day 4-5: visit Oslo", "2 stay Nice - 3 1"),
        *("- missing_city Rome - - -", "- last_day Nice - 7 5"),
    ],
}


@pytest.mark.parametrize(("stays", "broken"), _BROKEN.items(), ids=_BROKEN)
def test_each_rule_that_a_trip_breaks_is_a_violation(stays: str, broken: list[str]) -> None:
    lines = ["Day " + stay.replace(" ", ": visit ") for stay in stays.split(", ")]
    verdict = _verdict(lines)
    rows = []
    for fault in verdict.violations:
        values = (fault.position, fault.kind, fault.subject, fault.resource, fault.required, fault.actual)
        rows.append(" ".join("-" if value is None else str(value) for value in values))
    assert rows == broken
    assert verdict.success == (not broken)
    positions = [fault.position for fault in verdict.violations if fault.position is not None]
    executed = min(positions, default=len(lines))
    assert (verdict.executed, verdict.progress) == (executed, executed / 3)
    assert [event.accepted for event in verdict.events] == [number < executed for number in range(len(lines))]
    for violation in verdict.violations:
        sentence = trip_answers.SENTENCES[violation.kind](_trip(), violation)
        assert "{" not in sentence


def test_official_verdict_accepts_only_the_published_order() -> None:
    other_order = (
        "Day 1-3: Nice\nDay 3: fly from Nice to Oslo\nDay 3-6: Oslo\nDay 6: fly from Oslo to Rome\nDay 6-7: Rome"
    )
    assert _kinds(_PUBLISHED_FORM, _OFFICIAL) == []
    assert _kinds(other_order) == []
    assert _kinds(other_order, _OFFICIAL) == ["other_stay"]
    assert _kinds({"itinerary": _ITINERARY}, _OFFICIAL) == []
    assert _kinds({"itinerary": _ITINERARY[:3]}, _OFFICIAL) == ["other_stay"]
    [violation] = _verdict([*_ITINERARY, {"day_range": "Day 7-7", "place": "Oslo"}], rules=_OFFICIAL).violations
    assert (violation.kind, violation.position, violation.subject) == ("other_stay", 3, "Oslo")
    assert _kinds(json.dumps({"itinerary": _ITINERARY}).replace("Nice", "Nice (sea)"), _OFFICIAL) == ["other_stay"]


def test_official_text_is_read_by_the_published_patterns() -> None:
    assert published_stays(_PUBLISHED_FORM) == [Stay("Rome", 1, 2), Stay("Oslo", 2, 5), Stay("Nice", 5, 7)]
    assert _kinds(_LINES, _OFFICIAL) == ["no_plan"]  # flights decide
    assert published_stays(f"{_PUBLISHED_FORM}\n**Day 9-12:** Paris") == published_stays(_PUBLISHED_FORM)
    assert published_stays("Day 1-2: X\nDay 2: from New York to Oslo\nDay 2-5: Oslo") == []
    assert published_stays("Day 1, Day 2: from A to B, from B to C\n1-4")[:1] == [Stay("B", 1, 2)]


def test_hostile_texts_take_linear_time() -> None:
    start = process_time()
    for text in (
        "Day " * 20_000,
        "from A to " * 10_000,
        "1" * 100_000,
        "Day 1-" * 20_000,
        "Day 1 from A to B " * 4_000,
    ):
        for rules in (_EXACT, _OFFICIAL):
            with suppress(PlanError):
                assert not _verdict(text, rules=rules).success
    assert process_time() - start < 20


def test_written_trip_is_read_as_the_schedule_by_both_profiles() -> None:
    for facts in bundled().values():
        trip = _trip(facts)
        schedule = solve(instance(facts, "naturalplan/trip/1", is_official=True)).schedule
        for rules in (_EXACT, _OFFICIAL):
            assert _verdict(trip_answers.written(trip, schedule), facts, rules).success
        assert _verdict(trip_answers.published(trip), facts).success


def test_description_states_all_facts() -> None:
    text = trip_answers.describe(_trip())
    for part in ("7", "Rome: 2 days", "Oslo: 4 days, with events on days 3-4", "Oslo to Nice"):
        assert part in text


def _is_right(facts: TripFacts, itinerary: list[dict[str, str]]) -> bool:
    """Return whether a recorded itinerary keeps the days, the events and the flights of a trip."""
    day = 1
    cities = []
    for entry in itinerary:
        city = entry["place"].partition(" (")[0]
        first, _, last = entry["day_range"].removeprefix("Day").strip().partition("-")
        stay = Stay(city, int(first), int(last or first))
        if stay.first != day or dict(facts.stays).get(city) != stay.days:
            return False
        if cities and (cities[-1], city) not in facts.flights:
            return False
        if not all(
            stay.first <= event.first and event.last <= stay.last for event in facts.events if event.city == city
        ):
            return False
        cities.append(city)
        day = stay.last
    return day == facts.days and sorted(cities) == sorted(dict(facts.stays))


def test_recorded_answers_have_the_verdicts_of_the_rules(shared: Path) -> None:
    path = shared / "benchmarks" / "naturalplan" / "outputs" / "trip.jsonl"
    right = {model: Counter[str]() for model in _RIGHT_ANSWERS}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        facts = bundled()[row["instance"].rpartition("_")[2]]
        exact = _verdict(row["response"], facts).success
        official = _verdict(row["response"], facts, _OFFICIAL).success
        assert exact == _is_right(facts, row["formatted"]["itinerary"]), (row["model"], row["instance"])
        assert official == (row["formatted"] == row["expected"]), (row["model"], row["instance"])
        assert row["recorded_correct"] in (None, official)
        right[row["model"]] += Counter(official=official, exact=exact)
    assert {model: (count["official"], count["exact"]) for model, count in right.items()} == _RIGHT_ANSWERS


def test_published_predictions_have_the_published_rate(shared: Path) -> None:
    path = shared / "benchmarks" / "naturalplan" / "trip_planning_100.json"
    right = Counter[str]()
    for name, record in json.loads(path.read_bytes()).items():
        facts = bundled()[name.rpartition("_")[2]]
        assert _verdict(record["golden_plan"], facts).success
        assert _verdict(record["golden_plan"], facts, _OFFICIAL).success
        right["official"] += _verdict(record["pred_5shot_pro"], facts, _OFFICIAL).success
        right["exact"] += _verdict(record["pred_5shot_pro"], facts).success
    assert right == {"official": 33, "exact": 33}
