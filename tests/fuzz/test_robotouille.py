"""Robotouille: mutated kitchens in our own and in the simulator's format, and limits of size."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_inputs import encode_json
from support.mutations import Mutator, result_or_error
from support.samples import examples, sample
from support.valid_inputs import documents

from planoracle.instances.benchmarks.kitchens import kitchen, problems
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.language import MAX_ACTIONS
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.benchmarks.kitchens.simulator_files import read
from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import problem
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.protocol import registry
from tests.support.robotouille import actions_of

SEEDS = st.integers(0, 2**32 - 1)
BENCHMARK = registry.get("robotouille")
NAME = "kitchens/asynchronous/5_potato_soup"
SOUP = problem(NAME)
assert isinstance(SOUP, Kitchen)

ENVIRONMENT = {
    "stations": [{"name": "table", "x": 0, "y": 0}, {"name": "board", "x": 1, "y": 0}],
    "items": [
        {"name": "bread", "x": 0, "y": 0, "stack-level": 0},
        {"name": "lettuce", "x": 1, "y": 0, "stack-level": 0, "predicates": ["iscuttable"]},
    ],
    "players": [{"name": "robot", "x": 0, "y": 1, "direction": [0, -1]}],
    "goal": [
        {"predicate": "iscut", "args": ["lettuce"], "ids": ["a"]},
        {"predicate": "atop", "args": ["lettuce", "bread"], "ids": [1, 2]},
    ],
}
ENVIRONMENT["items"][1]["id"] = "a"  # type: ignore[index]


def read_kitchen(document: object, source: str = "file") -> Kitchen:
    return read(document, source)[0]


def own(stations: int, items: int, goal: list[list[str]]) -> dict[str, Any]:
    contents = {f"table{k}": [f"bread{k}"] if k <= items else [] for k in range(1, stations + 1)}
    head = {"format": problems.FORMAT, "version": 1, "name": "k", "players": {"robot1": {"at": "table1"}}}
    return head | {"stations": contents, "goal": goal}


@pytest.mark.slow
def test_limit_of_actions_above_the_maximum_is_refused() -> None:
    assert actions_of("\n" * 10**6 + "Do nothing" + "\r\n" * 10**6) == ["Do nothing"]
    with pytest.raises(InputError, match=str(MAX_ACTIONS)):
        BENCHMARK.parse(SOUP, {"plan": [], "limit": MAX_ACTIONS + 1})


# --- kitchens -------------------------------------------------------------------------------------


@examples(300)
@given(SEEDS, st.sampled_from(("own", "simulator")))
def test_mutated_kitchens_are_read_or_refused(seed: int, form: str) -> None:
    mutator = Mutator(Random(seed), [ENVIRONMENT, *documents().values()])
    data = encode_json(mutator.times(mutator.tree, ENVIRONMENT if form == "simulator" else documents()["kitchen"]))
    result = result_or_error(lambda: read_kitchen(load_json(data, "file"), "file"))
    if isinstance(result, InputError):
        assert result.source == "file"
    else:
        assert read_kitchen(problems.to_document(result), "again") == result
        assert trace(result, ["Do nothing"]).end in ("completed", "exhausted")


def test_valid_specimens_are_read() -> None:
    assert len(read_kitchen(ENVIRONMENT, "file").objects) == 5


@pytest.mark.slow
@pytest.mark.parametrize("form", sample(["own", "simulator"], 2))
def test_kitchen_with_too_many_stations_is_refused_with_the_limit(form: str) -> None:
    count = 200_000
    document: dict[str, Any] = own(count, 0, [["vacant", "table1"]])
    if form == "simulator":
        document = ENVIRONMENT | {"stations": [{"name": "table", "x": k, "y": 0} for k in range(count)]}
    with pytest.raises(InputError, match=str(kitchen.MAX_OBJECTS)):
        read_kitchen(document, "file")


def test_largest_kitchens_are_run() -> None:
    count = (kitchen.MAX_OBJECTS - 1) // 2
    large = read_kitchen(own(count, count, [["item_at", "bread#1", "table1"], ["iscut", "bread#1"]]), "file")
    run = trace(large, ["Move robot1 from table1 to table2", "Pick up bread2 from table2 using robot1", "Fly"])
    assert [step.valid for step in run.steps] == [True, True, False]


def test_too_large_goals_are_refused_with_the_limit() -> None:
    pairs = [["item_at", f"bread#{k}", f"table#{k}"] for k in range(20)]
    with pytest.raises(InputError, match=str(kitchen.MAX_ATOMS)):
        read_kitchen(own(400, 400, pairs), "file")
    for goal, limit in (([["iscut", f"bread#{k}"] for k in range(201)], kitchen.MAX_CONDITIONS),):
        with pytest.raises(InputError, match=str(limit)):
            read_kitchen(own(300, 300, goal), "file")


@pytest.mark.slow
def test_goal_test_that_searches_too_long_stops_at_the_limit() -> None:
    """Require ten breads on tables and ten others cut, where only those on the tables are cut."""
    goal = [["item_at", f"bread#{k}", "table1"] for k in range(10)] + [["iscut", f"bread#{k}"] for k in range(10, 20)]
    document = own(1, 0, goal) | {"traits": {f"bread{k}": ["iscut"] for k in range(1, 11)}}
    document["stations"] = {"table1": [f"bread{k}" for k in range(1, 11)], "table2": []}
    document["elsewhere"] = [f"bread{k}" for k in range(11, 21)]
    with pytest.raises(InputError, match=str(kitchen.MAX_SEARCH)):
        trace(read_kitchen(document, "file"), ["Move robot1 from table1 to table2"])
