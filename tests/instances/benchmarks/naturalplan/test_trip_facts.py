"""Facts of trips: reading of texts, bundled trips, orders that fit and optima."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.naturalplan.source_records import task_text
from planoracle.instances.benchmarks.naturalplan.trip_facts import Stay, TripFacts, consecutive
from planoracle.instances.benchmarks.naturalplan.trip_tasks import bundled, instance, read
from planoracle.instances.benchmarks.naturalplan.trip_text import statements_of
from planoracle.instances.errors import InputError
from planoracle.solver.exact.search import solve

#: Trips in which the parsed constraints omit flights that the text lists.
_OMITTED_FLIGHTS = frozenset(("1088", "1094", "1434", "1487", "1596"))
_TEXT = """You plan to visit 3 European cities for 7 days in total. You only take direct flights to commute between \
cities. You want to spend 3 days in New York. You would like to visit Oslo for 4 days. You plan to stay in Rome for 2 \
days. {event}

Here are the cities that have direct flights:
Oslo and New York, from Rome to Oslo.

Find a trip plan of visiting the cities for 7 days by taking direct flights to commute between them."""
_EVENTS = (
    "You are going to attend a wedding in Rome between day 1 and day 2.",
    "You plan to visit relatives in Rome between day 1 and day 2.",
    "During day 1 and day 2, you have to attend a conference in Rome.",
    "You have to attend a workshop in Rome between day 1 and day 2.",
    "You want to meet a friend in Rome between day 1 and day 2.",
    "From day 1 to day 2, there is a annual show you want to attend in Rome.",
    "You would like to meet your friends at Rome between day 1 and day 2 to tour together.",
)


def _records(shared: Path) -> dict[str, Any]:
    path = shared / "benchmarks" / "naturalplan" / "trip_planning_100.json"
    return dict(json.loads(path.read_bytes()))


def _read(event: str = _EVENTS[0], before: str = "", after: str = "", **fields: str) -> TripFacts:
    text = _TEXT.format(event=event).replace(before, after) if before else _TEXT.format(event=event)
    record = {"prompt_0shot": text, "cities": "Rome**Oslo**New York", "durations": "2**4**3"}
    return read(record | fields, "trip_planning_example_1")


def _count_orders(facts: TripFacts) -> int:
    """Return the number of orders that fit, by a table over sets of cities and the last of them."""
    days = dict(facts.stays)
    flights = set(facts.flights)

    def fits(city: str, first: int) -> bool:
        last = first + days[city] - 1
        events = [event for event in facts.events if event.city == city]
        return all(first <= event.first and event.last <= last for event in events)

    @cache
    def count(visited: frozenset[str], last: str) -> int:
        before = visited - {last}
        first = 1 + sum(days[city] - 1 for city in before)
        if not fits(last, first):
            return 0
        if not before:
            return 1
        return sum(count(before, city) for city in before if (city, last) in flights)

    all_cities = frozenset(days)
    return sum(count(all_cities, city) for city in all_cities)


def test_text_states_cities_days_events_and_flights() -> None:
    facts = _read()
    assert facts.days == 7
    assert facts.stays == (("New York", 3), ("Oslo", 4), ("Rome", 2))
    assert facts.events == (Stay("Rome", 1, 2),)
    assert facts.flights == (("Oslo", "New York"), ("New York", "Oslo"), ("Rome", "Oslo"))
    assert facts.reference == (("Rome", 2), ("Oslo", 4), ("New York", 3))


@pytest.mark.parametrize("event", _EVENTS)
def test_each_kind_of_event_is_read(event: str) -> None:
    assert _read(event).events == (Stay("Rome", 1, 2),)


@pytest.mark.parametrize(
    "sentence",
    [
        "You want to avoid Rome between day 1 and day 2.",
        "You must not stay in Rome for 2 days.",
        "During day 1, you have to attend a conference in Rome.",
    ],
)
def test_unknown_sentence_is_an_error_that_names_it(sentence: str) -> None:
    with pytest.raises(InputError, match="prompt_0shot: is a sentence that this reader does not know") as caught:
        _read(sentence)
    assert sentence in str(caught.value)
    assert "trip_planning_example_1" in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for 7 days in total", "for 9 days in total"),
        ("3 European", "4 European"),
        ("day 1 and day 2", "day 1 and day 3"),
        ("day 1 and day 2", "day 2 and day 1"),
        ("Oslo and New York,", "Oslo and Paris,"),
        ("Rome for 2", "Oslo for 2"),
        ("Here are the cities", "There are no cities"),
    ],
)
def test_contradictions_in_a_text_are_errors(before: str, after: str) -> None:
    with pytest.raises(InputError):
        _read(before=before, after=after)


@pytest.mark.parametrize(
    ("field", "value"), [("cities", "Rome**Oslo"), ("durations", "2**4"), ("durations", "2**x**3"), ("num_cities", "2")]
)
def test_fields_of_a_record_must_agree_with_its_text(field: str, value: str) -> None:
    with pytest.raises(InputError, match=field):
        _read(**{field: value})


def test_flights_are_ways_in_their_direction_only() -> None:
    facts = _read()
    assert facts.orders() == [("Rome", "Oslo", "New York")]
    assert replace(facts, flights=(("Oslo", "New York"), ("Oslo", "Rome"))).orders() == []
    assert solve(instance(facts, "there")).makespan == 6
    assert solve(instance(replace(facts, flights=(("Oslo", "Rome"),)), "back")).status == "infeasible"


def test_bundled_facts_are_those_of_the_texts(shared: Path) -> None:
    for name, record in _records(shared).items():
        facts, row = read(record, name), bundled()[name.rpartition("_")[2]]
        assert set(facts.flights) == set(row.flights)
        assert replace(facts, flights=()) == replace(row, flights=())


def test_texts_of_examples_in_prompts_are_read(shared: Path) -> None:
    texts = set()
    for record in _records(shared).values():
        for example in record["prompt_5shot"].split("TASK:")[1:]:
            texts.add(example.partition("SOLUTION:")[0].strip())
        assert task_text({"prompt_5shot": record["prompt_5shot"]}) == record["prompt_0shot"].strip()
    assert len(texts) == 140
    for text in texts:
        statements = statements_of(text)
        assert sum(days - 1 for _, days in statements.stays) == statements.days - 1


def test_facts_are_the_constraints_that_others_parsed(shared: Path) -> None:
    path = shared / "benchmarks" / "naturalplan" / "trip_planning_100_constraints.json"
    differing = set()
    for name, row in json.loads(path.read_bytes()).items():
        number = name.rpartition("_")[2]
        facts, parsed = bundled()[number], row["constraints"]
        events = {Stay(event["city"], event["start"], event["end"]) for event in parsed["city_day_ranges"]}
        assert facts.days == parsed["trip_length"]
        assert dict(facts.stays) == {stay["city"]: stay["days"] for stay in parsed["city_length"]}
        assert set(facts.events) == events
        flights = {frozenset((flight["from"], flight["to"])) for flight in parsed["direct_flights"]}
        if flights != set(map(frozenset, facts.flights)):
            differing.add(number)
    assert differing == _OMITTED_FLIGHTS


def test_references_are_orders_that_fit_and_five_trips_have_others() -> None:
    counts = {}
    for number, facts in bundled().items():
        orders = facts.orders()
        assert tuple(city for city, _ in facts.reference) in orders
        assert facts.reference_stays[-1].last == facts.days
        assert len(orders) == _count_orders(facts)
        counts[number] = len(orders)
    several = {number: count for number, count in counts.items() if count > 1}
    assert several == {"1009": 2, "1450": 7, "1487": 9, "1511": 2, "1568": 2}


def test_optimum_is_an_order_that_fits_in_the_days_of_the_trip() -> None:
    for number, facts in bundled().items():
        result = solve(instance(facts, f"naturalplan/trip/{number}"))
        assert (result.status, result.makespan) == ("optimal", facts.days - 1)
        order = tuple(piece.action.removeprefix("trip/") for piece in result.schedule.pieces)
        assert order in facts.orders()


def test_official_problem_has_only_the_published_order() -> None:
    for number, facts in bundled().items():
        result = solve(instance(facts, f"naturalplan/trip/{number}", is_official=True))
        order = [piece.action.removeprefix("trip/") for piece in result.schedule.pieces]
        assert order == [city for city, _ in facts.reference]


def test_stays_share_the_day_of_the_flight() -> None:
    assert consecutive((("Rome", 2), ("Oslo", 1), ("Nice", 3))) == [
        Stay("Rome", 1, 2),
        Stay("Oslo", 2, 2),
        Stay("Nice", 2, 4),
    ]
