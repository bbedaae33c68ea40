"""Bundled kitchens in the style of ParaCook, drawn from their names."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, access_tiles, distances
from planoracle.instances.benchmarks.paracook import problems
from planoracle.instances.benchmarks.paracook.generator import DISHES, FACTS
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.generate.styles import generate
from planoracle.instances.protocol import registry

COOK, ABSTRACT = "paracook/cook/own", "paracook/abstract/own"


def kitchen(name: str) -> GridKitchen:
    problem = catalog.problem(name)
    assert isinstance(problem, GridKitchen)
    return problem


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLANORACLE_DATA_PARACOOK", raising=False)


def test_names_of_bundled_problems() -> None:
    names = [name for name in catalog.bundled() if name.startswith("paracook")]
    assert len(names) == 3 * 2 + 3 * 4
    assert all(catalog.problem(name).name == name for name in names)
    assert all("ours" in catalog.note(name) for name in names)
    assert catalog.expand(["paracook/cook"]) == names[12:]
    assert problems.set_of(names[0]) == (ABSTRACT, tuple(names[:12]))
    assert problems.set_of(f"{COOK}/seed_99/agent_num_1/orders_num_1") == ("", ())


def test_problems_of_one_seed_share_map_cooks_and_orders() -> None:
    one, three = (kitchen(f"{COOK}/seed_1/agent_num_{count}/orders_num_4") for count in (1, 3))
    assert (one.stations, one.walls) == (three.stations, three.walls)
    assert three.cooks[:1] == one.cooks
    assert kitchen(f"{COOK}/seed_1/agent_num_3/orders_num_2").orders == three.orders[:2]
    assert kitchen(f"{COOK}/seed_1/agent_num_3/orders_num_4~1").cooks == one.cooks
    assert kitchen(f"{COOK}/seed_2/agent_num_3/orders_num_4").stations != three.stations


@pytest.mark.parametrize("seed", range(40))
def test_every_station_is_reachable_and_every_dish_can_be_made(seed: int) -> None:
    own = kitchen(f"{COOK}/seed_{seed}/agent_num_9/orders_num_16")
    reachable = distances(own, own.cooks[0][1])
    assert {place for _, place in own.cooks} <= set(reachable)
    assert all(not reachable.keys().isdisjoint(access_tiles(own, station.name)) for station in own.stations)
    kinds = Counter(station.kind for station in own.stations)
    assert [kinds[kind] for kind in ("table", "serving_window", "sink", "plate_return")] == [4, 1, 1, 1]
    provided = {station.provides for station in own.stations}
    items = Counter(station.holds for station in own.stations)
    assert items["plate"] == 2
    for need in (need for dish in own.orders for need in dish.needs):
        assert need.ingredient in provided
        vessel = FACTS.vessel(need.vessel)
        assert need.state != "chopped" or kinds["chopping_board"] == 2
        assert (need.state == "cooked") == (vessel is not None)
        assert vessel is None or (items[vessel.name] == 2 and need.ingredient in vessel.ingredients)
    for place in ((0, 0), (9, 0), (0, 7), (9, 7)):
        assert place not in own.blocked


def test_abstract_tasks_follow_from_ordered_dishes() -> None:
    steps = {"raw": 1, "chopped": 3}
    for seed in range(1, 4):
        problem = catalog.load(f"{ABSTRACT}/seed_{seed}/orders_num_4")
        orders = kitchen(f"{COOK}/seed_{seed}/agent_num_1/orders_num_4").orders
        cooked = [FACTS.vessel(need.vessel) for dish in orders for need in dish.needs if need.state == "cooked"]
        tasks = sum(steps.get(need.state, 0) for dish in orders for need in dish.needs) + len(orders)
        tasks += sum(2 + 2 * (vessel.takes == "chopped") for vessel in cooked) + 3 * 2
        assert len(problem.actions) == tasks
        lags = Counter(lag.minimum for lag in problem.lags)
        assert lags[10] == 2
        assert lags[16] + lags[24] == len(cooked)
        assert all(action.attended == action.duration > 0 for action in problem.actions)
        shorter = catalog.load(f"{ABSTRACT}/seed_{seed}/orders_num_2~3")
        assert shorter.actions == problem.actions[: len(shorter.actions)]
        assert shorter.agents == ("agent1", "agent2", "agent3")


@pytest.mark.parametrize(
    "name",
    [
        f"{COOK}/seed_1/agent_num_10/orders_num_1",
        f"{COOK}/seed_1/agent_num_1/orders_num_17",
        f"{COOK}/seed_01/agent_num_1/orders_num_1",
        f"{COOK}/seed_1/agent_num_1@burger/burger_full",
        f"{ABSTRACT}/seed_1/orders_num_0",
    ],
)
def test_invalid_names_are_rejected(name: str) -> None:
    assert not catalog.names_problem(name)
    with pytest.raises(InputError):
        catalog.problem(name)


def test_kitchens_are_read_back_equal_and_errors_name_the_field(tmp_path: Path) -> None:
    own = kitchen(f"{COOK}/seed_1/agent_num_2@noodle_bowl+crudites")
    document = registry.of(own).document(own)
    path = tmp_path / "floor.json"
    path.write_text(json.dumps(document))
    assert catalog.read_problems(str(path)) == [own]
    assert registry.of(own).schema()["title"] == "GridKitchenDocument"
    for field, value, message in (
        ("size", [3, 3], "must be a free tile on the map"),
        ("walls", {"wall": [1]}, "walls.wall: must be a column and a row"),
        ("version", 2, "version: must be 1"),
        ("cooks", {}, "cooks: must contain a cook"),
        ("colour", 1, "colour"),
        ("orders", [{"name": "x", "needs": [["egg", "burnt"]]}], "x: must be one of raw, chopped, cooked"),
    ):
        path.write_text(json.dumps(document | {field: value}))
        with pytest.raises(InputError) as caught:
            catalog.read_problems(str(path))
        assert message in str(caught.value)
        assert str(path) in str(caught.value)


def test_generated_kitchens_follow_the_parameters() -> None:
    generated = generate("paracook", 1, tasks=3, agents=4, resources=1).problem
    assert isinstance(generated, GridKitchen)
    assert (len(generated.orders), len(generated.cooks)) == (3, 4)
    assert {dish.name for dish in generated.orders} <= set(DISHES)
    assert sum(station.kind == "chopping_board" for station in generated.stations) <= 1
    for field, value in (("tasks", 17), ("agents", 10), ("resources", 0), ("resources", 4)):
        with pytest.raises(InputError, match=f"{field}: must be from 1 to"):
            generate("paracook", 1, **{field: value})
    abstract = generate("paracook_abstract", 1, tasks=2, agents=3, shortest=5, longest=5).problem
    assert {action.duration % 5 for action in abstract.actions} <= {0, FACTS.chop}
    with pytest.raises(InputError, match="shortest: must be 1 or more"):
        generate("paracook_abstract", 1, shortest=0)
