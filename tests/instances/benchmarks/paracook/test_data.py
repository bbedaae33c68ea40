"""User's copy of ParaCook's data: both forms, names of problems, errors."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from support.paracook_copies import clone_of, compact_copy, tiny_copy
from support.samples import sample

from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.record_fields import check_submission
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, Station
from planoracle.instances.benchmarks.paracook import local_copy, problems
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.catalog import read_problems
from planoracle.instances.protocol import registry


@pytest.fixture
def data(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = compact_copy(shared)
    monkeypatch.setenv("PLANORACLE_DATA_PARACOOK", str(folder))
    return folder


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tiny_copy(tmp_path)
    monkeypatch.setenv("PLANORACLE_DATA_PARACOOK", str(tmp_path))
    return tmp_path


def fault(name: str) -> str:
    with pytest.raises(InputError) as caught:
        problems.load(name)
    return str(caught.value)


def test_map_of_the_compact_files_is_loaded(tiny: Path) -> None:
    kitchen = problems.load("paracook/cook/egg/seed_1/agent_num_2/orders_num_1")
    assert isinstance(kitchen, GridKitchen)
    assert kitchen.stations == (
        Station("dispenser1", "dispenser", (0, 0), "", "egg"),
        Station("stove", "stove", (2, 0), "pan"),
    )
    assert kitchen.walls == (("wall", (1, 1)), ("wall_1", (2, 1)))
    assert kitchen.cooks == (("agent1", (0, 2)), ("agent2", (0, 1)))
    assert [(dish.name, dish.needs[0].vessel) for dish in kitchen.orders] == [("egg/fried", "pan")]
    assert kitchen.facts == local_copy.FACTS


def test_maps_with_ordered_dishes_are_loaded(tiny: Path) -> None:
    one = problems.load("paracook/cook/egg/seed_1/agent_num_2@fried+egg/fried")
    assert [dish.name for dish in one.orders] == ["egg/fried"] * 2
    other = problems.place_of("paracook/cook/extra/odd@egg/fried")
    assert other is not None
    assert problems.ordered(other) == "paracook/cook/extra/odd@egg/fried"
    assert problems.set_of("paracook/cook/extra/odd@egg/fried") == ("", ())


def test_abstract_problem_is_loaded(tiny: Path) -> None:
    problem = problems.load("paracook/abstract/egg/seed_1/orders_num_1")
    assert [(lag.before.rpartition("/")[2], lag.minimum) for lag in problem.lags] == [("a", 5)]
    assert [(action.duration, action.attended) for action in problem.actions] == [(2, 2), (3, 3)]
    assert (problem.benchmark, problem.unit, problem.agents) == ("paracook_abstract", "tick", ("agent1",))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("paracook/cook/egg/seed_1/agent_num_2", "it is a map without orders; add dishes"),
        ("paracook/cook/egg/seed_1/agent_num_2@fired", "did you mean fried?"),
        ("paracook/cook/egg/seed_1/agent_num_2@" + "+".join(["fried"] * 65), "at most 64 dishes"),
        ("paracook/cook/../maps", "there is no such problem"),
        ("paracook/abstract/egg/seed_2/orders_num_1", "there is no such problem"),
        ("paracook/cook", "begin with paracook/abstract/ or paracook/cook/"),
    ],
)
def test_unknown_names_are_rejected_with_a_hint(tiny: Path, name: str, message: str) -> None:
    assert not problems.covers(name)
    assert message in fault(name)


@pytest.mark.parametrize(
    ("file", "document", "message"),
    [
        (
            "maps",
            {"maps": {"egg/seed_1/agent_num_2": {"width": 3}}},
            "maps.json#egg/seed_1/agent_num_2: tiles: must be",
        ),
        ("orders", {"orders": {"egg/seed_1/orders_num_1": ["egg/boiled"]}}, "orders: must be one of egg/fried"),
        (
            "recipes",
            {"recipes": {"egg": {"fried": [["egg"]]}}},
            "recipes.json#egg: egg/fried[0]: must be an ingredient",
        ),
        ("maps", [], "maps.json: document: must be an object"),
    ],
)
def test_errors_name_file_and_field(tiny: Path, file: str, document: object, message: str) -> None:
    (tiny / f"{file}.json").write_text(json.dumps(document))
    assert message in fault("paracook/cook/egg/seed_1/agent_num_2/orders_num_1")


def test_incomplete_data_folder_is_rejected(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (tiny / "orders.json").unlink()
    with pytest.raises(InputError, match=r"PLANORACLE_DATA_PARACOOK: lacks orders\.json; must be a clone"):
        local_copy.copy_in(tiny)
    with pytest.raises(InputError, match="is not a copy of ParaCook's data"):
        local_copy.copy_in(tmp_path_factory.mktemp("empty"))


def test_error_without_data_names_option_and_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLANORACLE_DATA_PARACOOK", raising=False)
    assert not problems.covers("paracook/abstract/burger/seed_42/orders_num_3")
    with pytest.raises(UnknownNameError, match="--data paracook=DIR or set PLANORACLE_DATA_PARACOOK"):
        problems.load("paracook/abstract/burger/seed_42/orders_num_3")


def test_names_and_sets_of_the_released_data(data: Path) -> None:
    theirs = [name for name in problems.names() if "/own/" not in name]
    assert [sum(name.startswith(part) for name in theirs) for part in (problems.ABSTRACT, problems.COOK)] == [120, 360]
    assert problems.set_of("paracook/cook/burger/seed_42/agent_num_2/orders_num_2")[0] == "paracook/cook/burger"
    assert len(problems.set_of("paracook/abstract/burger/seed_42/orders_num_3")[1]) == 20
    assert all(problems.load(name).name == name for name in theirs[::9])


@pytest.mark.slow
def test_clone_and_compact_files_give_equal_problems(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = [name for name in problems.names() if "/own/" not in name]
    before = [problems.load(name) for name in theirs]
    monkeypatch.setenv("PLANORACLE_DATA_PARACOOK", str(clone_of(data, tmp_path)))
    assert [name for name in problems.names() if "/own/" not in name] == theirs
    assert [problems.load(name) for name in theirs] == before
    (tmp_path / "data/cook/orders/all_orders.json").unlink()
    local_copy.copy_in.cache_clear()
    with pytest.raises(InputError, match=r"lacks data/cook/orders/all_orders\.json"):
        local_copy.copy_in(tmp_path)


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        (["egg/fried"], "paracook/cook/egg/seed_1/agent_num_2/orders_num_1"),  # as in the data
        (["fried", "egg/fried"], "paracook/cook/egg/seed_1/agent_num_2@fried+fried"),
        ("egg/fried + fried", "paracook/cook/egg/seed_1/agent_num_2@fried+fried"),
        ('["fried", "fried"]', "paracook/cook/egg/seed_1/agent_num_2@fried+fried"),
        (["boiled"], "paracook/cook/egg/seed_1/agent_num_2@boiled"),
    ],
)
def test_orders_of_a_submission_select_the_problem(tiny: Path, orders: object, expected: str) -> None:
    record = {"instance": "paracook/cook/egg/seed_1/agent_num_2", "orders": orders}
    assert check_submission(record)["instance"] == expected
    assert check_submission(record | {"instance": expected})["instance"] == expected
    assert check_submission(record | {"instance": f"{record['instance']}~1"})["instance"] == f"{expected}~1"
    assert check_submission({"instance": "paracook/cook/extra/odd", "orders": ["egg/fried"]})["instance"].endswith(
        "odd@egg/fried"
    )


@pytest.mark.parametrize("orders", [[], "x~2", ["a+b"], ["fried#1"], [3], {}, 7, ["fried"] * 65])
def test_invalid_orders_are_rejected(tiny: Path, orders: object) -> None:
    with pytest.raises(InputError, match="orders"):
        check_submission({"instance": "paracook/cook/egg/seed_1/agent_num_2", "orders": orders})


def test_submissions_with_orders_are_graded_independently(tiny: Path) -> None:
    grader, name = Grader(profiles("released")), "paracook/cook/egg/seed_1/agent_num_2"
    lines = [
        {"instance": name, "orders": ["fried"], "plan": {"agent1": []}},
        {"instance": name, "orders": ["boiled"], "plan": {"agent1": []}},
        {"instance": f"{name}/orders_num_1", "orders": ["fried"], "plan": {"agent1": []}},
        {"instance": f"{name}/orders_num_1", "orders": ["fried", "fried"], "plan": {"agent1": []}},
        {"instance": name, "plan": {"agent1": []}},
        {"instance": f"{name}@fried", "plan": {"agent1": []}},
    ]
    grades = [grader.grade(line) for line in lines]
    assert [grade.scored for grade in grades] == [True, False, True, False, False, True]
    assert grades[0].instance == grades[2].instance == f"{name}/orders_num_1"
    reasons = [grade.reason or "" for grade in grades]
    assert "must be egg/fried" in reasons[1] or "'boiled' must be" in reasons[1]
    assert "orders: must be the orders of the instance, egg/fried, or" in reasons[3]
    assert "it is a map without orders; add dishes" in reasons[4]


def test_data_files_are_read_as_problems(data: Path, tmp_path: Path) -> None:
    copy = clone_of(data, tmp_path)
    for path, count in (
        (data / "abstract.json", 120),
        (data / "maps.json", 360),
        (copy / "data/cook/maps/burger/seed_42/agent_num_2.json", 4),
        (copy / "data/abstract/burger/seed_42/orders_num_3.json", 1),
    ):
        kitchens = read_problems(str(path))
        assert len(kitchens) == count
        assert kitchens[-1] == problems.load(kitchens[-1].name)
    with pytest.raises(InputError, match="is a map without orders in the data"):
        read_problems(str(copy / "config/map_examples/map1.json"))
    alone = tmp_path / "alone" / "map.json"
    alone.parent.mkdir()
    alone.write_bytes((copy / "config/map_examples/map1.json").read_bytes())
    (tmp_path / "config/recipe").rename(tmp_path / "recipes")  # the file is in no copy of the data then
    with pytest.raises(InputError, match="is a map without orders; its folder"):
        read_problems(str(alone))


def _broken(value: object, chance: Random) -> object:
    """Return a document with one part changed at random."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {(chance.choice("³@+~/") + name if name == key else name): entry for name, entry in value.items()}
        return value | {key: _broken(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.8:
        place = chance.randrange(len(value))
        return [*value[:place], _broken(value[place], chance), *value[place + 1 :]]
    return chance.choice(
        [None, -1, 10**30, 0.5, "", "x" * 300, [], {}, [[]], True, [value] * 3, {"a": value}, "egg/egg"]
    )


@pytest.mark.parametrize("seed", sample(range(8), 8))
def test_mutated_data_is_read_or_refused(tiny: Path, seed: int) -> None:
    chance = Random(seed)
    sound = {path: json.loads(path.read_text()) for path in tiny.glob("*.json")}
    for _ in range(60):
        path = chance.choice(sorted(sound))
        path.write_text(json.dumps(_broken(sound[path], chance)))
        local_copy.copy_in.cache_clear()
        problems._names.cache_clear()
        problems._find.cache_clear()
        with suppress(InputError):
            for name in problems.names():
                if "/own/" not in name:
                    assert problems.covers(name)
                    assert problems.load(name).name == name
                    problems.set_of(name)
            problems.hint("paracook/cook/egg/seed_1/agent_num_2@fired")
        path.write_text(json.dumps(sound[path]))
    for path, document in sound.items():
        for _ in range(20):
            broken = _broken(document, chance)
            benchmark = next((one for one in map(registry.get, registry.names()) if one.recognises(broken)), None)
            with suppress(InputError):
                _ = None if benchmark is None else benchmark.read(broken, str(path))


@pytest.mark.parametrize("wrong", ["abstract/own/seed_1/orders_num_99", "cook/own/seed_1/agent_num_2/orders_num_99"])
def test_hint_for_an_own_problem_does_not_ask_for_data(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLANORACLE_DATA_PARACOOK", raising=False)
    assert "--data" not in fault(f"paracook/{wrong}")
    assert "--data paracook=DIR" in fault(f"paracook/{wrong.replace('own', 'burger')}")
