"""Bundled facts of Recipe2Plan: consistency, and equality with the original files."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource

PAIRS = [name.split("/")[2] for name in problems.names() if name.startswith("recipe2plan/timed/")]
SETTINGS = ("timed", "untimed")


def plain(instance: Instance) -> dict[str, Any]:
    """Return all facts of an instance except its name and labels, with lags as a set."""
    return {
        "actions": tuple(replace(action, label="") for action in instance.actions),
        "lags": set(instance.lags),
        "number of lags": len(instance.lags),
        "resources": instance.resources,
        "agents": instance.agents,
        "benchmark": instance.benchmark,
        "unit": instance.unit,
        "seconds_per_tick": instance.seconds_per_tick,
        "time_limit": instance.time_limit,
    }


def rows(setting: str, pair: str) -> list[tuple[int, str, int, int]]:
    return [tuple(command) for command in problems.reference_plan(f"recipe2plan/{setting}/{pair}") or ()]


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    path = shared / "benchmarks" / "recipe2plan"
    if not path.is_dir():
        pytest.skip(f"the original files of Recipe2Plan are missing ({path})")
    return path


@pytest.fixture(scope="module")
def originals(folder: Path) -> dict[str, Instance]:
    pairs = json.loads((folder / "cooking.json").read_text(encoding="utf-8"))
    return {"_".join(recipe["recipe"] for recipe in pair): original(pair) for pair in pairs}


def original(pair: list[dict[str, Any]]) -> Instance:
    """Convert a pair of the original file to an instance."""
    actions, lags = [], []
    for recipe in pair:
        name = recipe["recipe"]
        for number, step in enumerate(recipe["steps"]):
            length = seconds(step["time"])
            demands = [
                Demand(tool, requires=degrees(states.get("require")), sets=degrees(states.get("update")))
                for tool, states in step["physical"].items()
            ]
            attended = 0 if step["parallel"] else length
            modes = (Mode(tuple(demands)),)
            actions.append(Action(f"{name}/{number}", name, length, attended, bool(step["interrupt"]), modes))
            within = {int(before): seconds(limit) for before, limit in step["time_constraint"].items()}
            for before in {*step["prequisites"], *within}:
                minimum = 0 if before in step["prequisites"] else None
                lags.append(Lag(f"{name}/{before}", f"{name}/{number}", minimum, within.get(before)))
    objects = tuple(map(Resource, ("oven", "microwave", "stove")))
    return Instance(
        "original", tuple(actions), tuple(lags), objects, benchmark="recipe2plan", unit="second", seconds_per_tick=1
    )


def seconds(text: str) -> int:
    amount, unit = text.split()
    return int(amount) * {"min": 60, "hour": 3600, "sec": 1}[unit.removesuffix("s")]


def degrees(states: dict[str, float] | None) -> str | None:
    return str(int(states["temperature"])) if states else None


@pytest.fixture(scope="module")
def original_plans(folder: Path) -> dict[str, Any]:
    document = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    keys = {"timed": "plan_w_restriction", "untimed": "plan_wo_restriction"}
    return {
        pair: {setting: list(map(tuple, entry[key] or ())) for setting, key in keys.items()}
        for pair, entry in document.items()
    }


@pytest.fixture(scope="module")
def sentences(folder: Path) -> dict[str, str]:
    document = json.loads((folder / "cooking.json").read_text(encoding="utf-8"))
    steps = {f"{r['recipe']}/{step['step']}": step["text"] for pair in document for r in pair for step in r["steps"]}
    return {name: words(text) for name, text in steps.items()}


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def bundled_steps() -> dict[str, str]:
    return {action.id: action.label for pair in PAIRS for action in problems.load(f"recipe2plan/timed/{pair}").actions}


# --- by themselves --------------------------------------------------------------------------------


def test_there_are_24_recipes_65_pairs_130_names() -> None:
    assert len({task for pair in PAIRS for task in problems.load(f"recipe2plan/timed/{pair}").tasks}) == 24
    assert len(set(PAIRS)) == len(PAIRS) == 65
    assert len(set(problems.names())) == len(problems.names()) == 130


def test_names_list_timed_before_untimed_pairs_in_the_same_order() -> None:
    assert problems.names() == tuple(f"recipe2plan/{setting}/{pair}" for setting in SETTINGS for pair in PAIRS)


def test_bundled_recipes_are_a_valid_instance_file() -> None:
    """The file is read without validation, because the validating library is slow to import."""
    file = Path(problems.__file__).with_name("data") / "recipes.json"
    book = catalog.single(str(file))
    assert problems.combine(book.name, list(book.tasks)) == book


@pytest.mark.parametrize("name", problems.names())
def test_instance_has_its_name_and_recipes(name: str) -> None:
    _, setting, pair = name.split("/")
    instance = problems.load(f"recipe2plan/{setting}/{pair}")
    assert instance.name == name
    assert "_".join(instance.tasks) == pair
    assert instance.benchmark == "recipe2plan"
    assert (instance.unit, instance.seconds_per_tick, instance.agents) == ("second", 1, ("agent",))


def test_untimed_is_timed_without_maximum_lags() -> None:
    for pair in PAIRS:
        timed, untimed = (plain(problems.load(f"recipe2plan/{setting}/{pair}")) for setting in SETTINGS)
        lags = {replace(lag, maximum=None) for lag in timed["lags"] if lag.minimum is not None}
        assert untimed == timed | {"lags": lags, "number of lags": len(lags)}


def test_one_reference_plan_is_missing() -> None:
    missing = [name for name in problems.names() if problems.reference_plan(name) is None]
    assert missing == ["recipe2plan/timed/Pizza_Chocolate-Egg"]


def test_reference_plans_contain_only_existing_steps() -> None:
    for setting in SETTINGS:
        for pair in PAIRS:
            steps = problems.load(f"recipe2plan/{setting}/{pair}").by_id
            assert [row for row in rows(setting, pair) if f"{row[1]}/{row[0]}" not in steps] == []


def test_every_step_has_a_short_label() -> None:
    labels = bundled_steps()
    assert [name for name, label in labels.items() if not 0 < len(label) <= 60] == []


@pytest.mark.parametrize(
    ("setting", "pair"), [("timed", "Soup_Soup"), ("sometimes", PAIRS[0]), ("timed", ""), ("", "")]
)
def test_unknown_problem_is_named_in_the_error(setting: str, pair: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        problems.load(f"recipe2plan/{setting}/{pair}")
    assert f"recipe2plan/{setting}/{pair}" in str(caught.value)


def test_unknown_pair_has_no_reference_plan() -> None:
    assert problems.reference_plan("recipe2plan/timed/Soup_Soup") is None


# --- against the originals ------------------------------------------------------------------------


def test_pairs_equal_the_original_in_order(originals: dict[str, Instance]) -> None:
    assert list(originals) == PAIRS


@pytest.mark.parametrize("pair", PAIRS)
def test_timed_facts_equal_the_original(originals: dict[str, Instance], pair: str) -> None:
    assert plain(problems.load(f"recipe2plan/timed/{pair}")) == plain(originals[pair])


@pytest.mark.parametrize("setting", SETTINGS)
def test_reference_plans_equal_the_original(original_plans: dict[str, Any], setting: str) -> None:
    assert {pair: rows(setting, pair) for pair in PAIRS} == {pair: original_plans[pair][setting] for pair in PAIRS}
    assert set(original_plans) == set(PAIRS)


def test_labels_differ_from_the_original_sentences(sentences: dict[str, str]) -> None:
    labels = bundled_steps()
    assert set(labels) == set(sentences)
    assert [name for name, label in labels.items() if words(label) == sentences[name]] == []
