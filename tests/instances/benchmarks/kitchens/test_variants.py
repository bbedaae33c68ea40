"""Variants of kitchens in files, compared with those that the benchmark's repository made."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.runner import invoke

from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.simulator_files import environment_from_document
from planoracle.instances.benchmarks.kitchens.variants import variant
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from tests.support.robotouille import document, kitchen
from tests.support.robotouille_originals import find_kitchens, load_kitchen

DATA = Path(__file__).parents[3] / "facts" / "data"
SANDWICH = DATA / "lettuce_cheese.json"


def environment(**more: Any) -> dict[str, Any]:
    """Return the lettuce cheese sandwich of Figure 2 with other fields."""
    return json.loads(SANDWICH.read_text(encoding="utf-8")) | more


def of(**more: Any) -> Kitchen:
    return environment_from_document(environment(**more), "mine.json", "mine")


def test_variants_of_released_files_equal_the_released_variants(shared: Path) -> None:
    folders = [shared / "benchmarks" / name for name in ("robotouille", "robotouille_seeded")]
    paths = {(task, seed): path for task, seed, path in find_kitchens(folders)}
    seeds = Counter()
    for (task, seed), path in paths.items():
        if seed:
            seeds[task] += 1
            changed, original = variant(load_kitchen(paths[task, ""]), seed), load_kitchen(path)
            assert changed == replace(original, name=changed.name), (task, seed)
    assert len(seeds) == 20
    assert set(seeds.values()) == {10}


def test_variant_of_a_variant_file_forgets_its_numbers(shared: Path) -> None:
    folder = shared / "benchmarks" / "robotouille" / "seeded"
    seeded = load_kitchen(folder / "synchronous__3_burger__42.json")
    second = variant(seeded, "1")
    assert len(second.objects) >= len(seeded.objects)
    assert second.goal == seeded.goal


def test_variant_keeps_goal_config_and_predicates() -> None:
    original = of(config={"num_cuts": {"lettuce": 5}})
    changed = variant(original, "7")
    assert changed.name == "mine@7"
    assert (changed.goal, changed.text, changed.domain) == (original.goal, original.text, original.domain)
    kinds = Counter(name.rstrip("0123456789") for name, _ in changed.objects)
    assert kinds >= Counter(name.rstrip("0123456789") for name, _ in original.objects)
    assert ("iscuttable", "lettuce1") in changed.facts
    assert variant(original, "7") == changed != variant(original, "8")


def test_variant_is_made_after_pickling() -> None:
    assert variant(pickle.loads(pickle.dumps(of())), "42") == variant(of(), "42")


@pytest.mark.parametrize("label", ["x", "-1", "042", "1.5", "9999999999", "*"])
def test_label_other_than_a_seed_is_refused(label: str) -> None:
    with pytest.raises(InputError, match="must be a seed, a whole number from 0 to 999999999") as caught:
        variant(of(), label)
    assert caught.value.value == label


@pytest.mark.parametrize(
    ("more", "field", "message"),
    [
        ({"width": 0}, "width, height", "needs a grid of 1 to 400 cells"),
        ({"width": 10**9}, "width, height", "needs a grid of 1 to 400 cells"),
        ({"width": 2, "height": 2}, "width, height", "finds no space .* seeds 42 to 141; use a larger grid"),
        (
            {"players": [{"name": "robot", "x": x, "y": 0, "direction": [0, 1]} for x in (0, 1)]},
            "players",
            "places one player",
        ),
        (
            {"containers": [{"name": "pot", "x": 4, "y": 1}], "meals": [{"name": "water", "x": 4, "y": 1}]},
            "meals",
            "must be empty for a variant",
        ),
    ],
)
def test_kitchen_that_the_generator_cannot_shuffle_is_refused(
    more: dict[str, Any], field: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(environment(**more)))
    with pytest.raises(InputError, match=message) as caught:
        catalog.single(f"{path}@42")
    assert (caught.value.source, caught.value.field) == (str(path), field)


def test_file_in_our_format_has_variants_like_our_kitchens(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document({"table1": ["bread1"], "table2": [], "board1": []})))
    changed = catalog.single(f"{path}@3")
    assert changed.name == "test@3"
    assert len(changed.objects) >= 5
    odd = kitchen({"table1": ["bread1"]}, less=[["clear", "bread1"]])
    with pytest.raises(InputError, match="has no variants, because this fact does not follow"):
        variant(odd, "3")


def test_names_of_files_have_variants_and_agents(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(environment()))
    lines = tmp_path / "more.jsonl"
    lines.write_text("".join(json.dumps(document({"table1": [], "table2": []}, name=name)) + "\n" for name in "ab"))
    assert [problem.name for problem in catalog.read_problems(f"{path}@42~2")] == ["mine@42~2"]
    assert [problem.name for problem in catalog.read_problems(f"{lines}@1")] == ["a@1", "b@1"]
    assert [problem.name for problem in catalog.read_problems(f"{lines}#b@1~2")] == ["b@1~2"]
    assert catalog.expand([f"{tmp_path}@5~2"]) == [f"{path}@5~2", f"{lines}@5~2"]
    assert catalog.file_path(f"{path}#mine@42~2") == str(path)
    with pytest.raises(UnknownNameError, match=r"file .*none\.json does not exist"):
        catalog.expand([f"{tmp_path}/none.json@42"])
    with pytest.raises(UnknownNameError):
        catalog.expand([f"{path}~2@42"])


def test_file_whose_name_contains_an_at_sign_is_no_variant(tmp_path: Path) -> None:
    path = tmp_path / "mine.json@42"
    path.write_text(json.dumps(environment()))
    (tmp_path / "mine.json").write_text(json.dumps(environment()))
    assert catalog.single(str(path)) == replace(of(), name="mine")


def test_problem_of_another_benchmark_has_no_variants(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    action = {"name": "a", "duration": 1}
    task = {"name": "t", "actions": [action]}
    path.write_text(json.dumps({"format": "planoracle/instance", "version": 1, "name": "shop", "tasks": [task]}))
    with pytest.raises(InputError, match="problems of generic have no variants"):
        catalog.single(f"{path}@42")


def test_name_below_a_data_folder_has_variants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "synchronous").mkdir()
    path = tmp_path / "synchronous" / "3_burger.json"
    path.write_text(json.dumps(environment()))
    monkeypatch.setenv("PLANORACLE_DATA_ROBOTOUILLE", str(tmp_path))
    assert catalog.expand(["robotouille/synchronous/3_burger@7"]) == [f"{path}@7"]
    assert catalog.single("robotouille/synchronous/3_burger@7").goal == of().goal


def rows(*arguments: str) -> list[dict[str, Any]]:
    result = invoke(*arguments, "--format", "jsonl")
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_variants_are_solved_graded_and_played(tmp_path: Path) -> None:
    (row,) = rows("solve", f"{SANDWICH}@42")
    assert (row["instance"], row["status"], row["makespan"]) == ("lettuce_cheese@42", "optimal", 11)
    actions = row["plan"].splitlines()
    names = ["lettuce_cheese@42", f"{SANDWICH}@42", "lettuce_cheese@43", "lettuce_cheese@x"]
    path = tmp_path / "plans.jsonl"
    plans = [{"id": str(number), "instance": name, "actions": actions} for number, name in enumerate(names)]
    path.write_text("".join(json.dumps(plan) + "\n" for plan in plans))
    graded = rows("grade", str(path), "--problems", str(SANDWICH))
    assert [grade["success"] for grade in graded] == [True, True, False, None]
    assert "must be a seed" in graded[3]["reason"]
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "lettuce_cheese@42.txt").write_text("\n".join(actions))
    assert [grade["success"] for grade in rows("grade", str(texts), "--problems", str(SANDWICH))] == [True]
    compared = rows("compare", f"{SANDWICH}@42", "--methods", "optimum")
    assert [(entry["instance"], entry["makespan"]) for entry in compared] == [("lettuce_cheese@42", 11)]
    played = rows("run", f"{SANDWICH}@42", "--agent", "greedy", "--run", str(tmp_path / "run"))
    assert [(entry["instance"], entry["success"]) for entry in played] == [("lettuce_cheese@42", True)]
    assert rows("next", f"{SANDWICH}@42")[0]["best"] == 11
