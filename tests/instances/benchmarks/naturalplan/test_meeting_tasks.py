"""Meetings: facts of published records, published plans, and optima by an independent search."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.naturalplan import meeting_answers
from planoracle.instances.benchmarks.naturalplan.meeting_tasks import MeetingFacts, Person, bundled, instance, read
from planoracle.instances.errors import InputError
from planoracle.solver.exact.search import solve

_RECORD: dict[str, Any] = {
    "constraints": [
        ["Harbour", "9:00AM"],
        ["Ann", "Hill", "10:00AM to 11:00AM", 30],
        ["Bo", "Park", "9:30AM to 1:00PM", 45],
    ],
    "dist_matrix": {
        "Harbour": {"Hill": 20, "Park": 5},
        "Hill": {"Harbour": 15, "Park": 10},
        "Park": {"Harbour": 6, "Hill": 12},
    },
    "golden_plan": ["You start at Harbour at 9:00AM.", "You meet Bo for 45 minutes from 9:30AM to 10:15AM."],
}


def _records(shared: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    path = shared / "benchmarks" / "naturalplan" / "meeting_planning_100.json"
    for name, record in json.loads(path.read_text("utf-8")).items():
        yield name.rpartition("_")[2], record


def _best(facts: MeetingFacts) -> tuple[int, int]:
    """Return the most persons and their earliest end in ticks, by a table over sets of persons."""
    ways = {(before, after): minutes for before, after, minutes in facts.ways}
    ends: dict[tuple[frozenset[int], str], int] = {(frozenset(), facts.start): facts.arrival}
    best = (0, facts.arrival)
    for _ in facts.persons:
        longer: dict[tuple[frozenset[int], str], int] = {}
        for (met, place), clock in ends.items():
            for number, person in enumerate(facts.persons):
                way = 0 if person.place == place else ways.get((place, person.place))
                if number in met or way is None:
                    continue
                end = max(clock + way, person.begin) + person.minutes
                key = met | {number}, person.place
                if end <= person.end and end < longer.get(key, end + 1):
                    longer[key] = end
        if longer:
            best = (best[0] + 1, min(longer.values()))
        ends = longer
    return best[0], best[1] - facts.arrival


def test_record_is_read_as_its_facts() -> None:
    facts = read(_RECORD, "meeting")
    assert (facts.start, facts.arrival, facts.order) == ("Harbour", 540, ("Bo",))
    assert facts.persons == (Person("Ann", "Hill", 600, 660, 30), Person("Bo", "Park", 570, 780, 45))
    assert ("Hill", "Park", 10) in facts.ways
    assert ("Park", "Hill", 12) in facts.ways


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("constraints", 1, 2), "10:00AM", "constraints[1]"),
        (("constraints", 1, 2), "10:00AM to 25:00", "constraints[1]"),
        (("constraints", 1, 3), 0, "constraints[1]"),
        (("constraints", 1, 1), "Island", "constraints"),
        (("constraints", 2, 0), "Ann", "constraints"),
        (("constraints", 0), ["Harbour"], "constraints[0]"),
        (("dist_matrix", "Hill", "Park"), -1, "dist_matrix.Hill.Park"),
        (("dist_matrix", "Hill", "Park"), "10", "dist_matrix.Hill.Park"),
        (("golden_plan",), "You start at Harbour", "golden_plan"),
    ],
)
def test_faulty_record_is_an_error_that_names_the_field(path: tuple[str | int, ...], value: object, field: str) -> None:
    record: Any = deepcopy(_RECORD)
    entry = record
    for step in path[:-1]:
        entry = entry[step]
    entry[path[-1]] = value
    with pytest.raises(InputError) as error:
        read(record, "mine")
    assert f"mine.{field}" in str(error.value)


def test_record_without_published_plan_is_an_error() -> None:
    with pytest.raises(InputError, match=r"mine\.golden_plan: is missing"):
        read({name: _RECORD[name] for name in ("constraints", "dist_matrix")}, "mine")


def test_friend_at_the_place_of_arrival_needs_no_ways() -> None:
    record = {
        "constraints": [["Hill", "9:00AM"], ["Ann", "Hill", "10:00AM to 11:00AM", 30]],
        "dist_matrix": {},
        "golden_plan": ["You meet Ann for 30 minutes from 10:00AM to 10:30AM."],
    }
    assert solve(instance(read(record, "mine"), "mine")).makespan == 90


def test_windows_before_the_arrival_are_cut_and_never_used() -> None:
    facts = MeetingFacts("Hill", 540, (Person("Ann", "Hill", 500, 570, 30), Person("Bo", "Hill", 400, 500, 10)), (), ())
    problem = instance(facts, "mine")
    assert [action.windows for action in problem.actions] == [((0, 30),), ((0, 0),)]
    assert solve(problem).weight == 1


def test_bundled_facts_are_those_of_the_published_records(shared: Path) -> None:
    records = dict(_records(shared))
    assert set(bundled()) == set(records)
    for number, record in records.items():
        facts = read(record, number)
        used_places = {facts.start, *(person.place for person in facts.persons)}
        ways = [way for way in facts.ways if used_places.issuperset(way[:2])]
        assert bundled()[number]._replace(ways=()) == facts._replace(ways=())
        assert sorted(bundled()[number].ways) == sorted(ways)


def test_published_plans_are_written_word_for_word(shared: Path) -> None:
    for number, record in _records(shared):
        problem = instance(bundled()[number], number)
        assert meeting_answers.published(problem) == record["golden_plan"]


def test_optima_are_proved_and_those_of_a_table_over_sets() -> None:
    for number, facts in bundled().items():
        result = solve(instance(facts, number))
        assert (result.status, (result.weight, result.makespan)) == ("optimal", _best(facts)), number


def test_published_plans_meet_as_many_persons_as_possible() -> None:
    assert all(len(facts.order) == _best(facts)[0] for facts in bundled().values())
