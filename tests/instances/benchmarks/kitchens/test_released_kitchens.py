"""Released kitchens: equality of our notation with the simulator's files, names, and sets."""

from __future__ import annotations

import io
import json
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from planoracle.instances.benchmarks.kitchens import problems as ours
from planoracle.instances.benchmarks.kitchens import released_kitchens as problems
from planoracle.instances.benchmarks.kitchens.released_kitchens import (
    goal_of,
    kitchen_of,
    released,
)
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.protocol import registry
from tests.support.robotouille import kitchen
from tests.support.robotouille_originals import find_kitchens, goal_text, kitchen_text, load_kitchen, main

BURGER = "robotouille/synchronous/3_burger"
SEEDS = tuple(str(42 * n) for n in range(1, 11))


def _originals(shared: Path) -> dict[str, Path]:
    folders = [shared / "benchmarks" / name for name in ("robotouille", "robotouille_seeded")]
    return {f"robotouille/{task}" + (f"@{seed}" if seed else ""): path
            for task, seed, path in find_kitchens(folders)}  # fmt: skip


def test_bundled_kitchens_equal_the_released_files(shared: Path) -> None:
    originals = _originals(shared)
    assert len(originals) == 232
    assert set(problems.names()) < set(originals)
    for name, path in originals.items():
        problem, original = catalog.problem(name), load_kitchen(path)
        assert problem == replace(original, name=name, text=problem.text), name
        assert problem.text.casefold() != original.text.rstrip(".").casefold()
        assert problem.benchmark == "robotouille"


@pytest.mark.slow
def test_bundled_file_equals_the_output_of_its_script(shared: Path) -> None:
    with redirect_stdout(io.StringIO()) as written:
        main([str(shared / "benchmarks" / name) for name in ("robotouille", "robotouille_seeded")])
    bundled = files(problems.__package__) / "data" / "robotouille" / "released.json"
    assert json.loads(written.getvalue()) == json.loads(bundled.read_text(encoding="utf-8"))


def test_licence_is_bundled() -> None:
    text = (files(problems.__package__) / "data" / "robotouille" / "LICENSE.txt").read_text(encoding="utf-8")
    assert "MIT License\n\nCopyright (c) 2023 PoRTaL Group\n\nPermission is hereby granted" in text
    assert "The above copyright notice and this permission notice shall be included" in text


def test_notation_of_kitchens_round_trips() -> None:
    task = released()["synchronous/3_burger"]
    text = "board1 onion1= | stove1 patty1 lettuce1=iscut | table1 pot1 | robot2 @table1 bread1 | robot1 @stove1"
    problem = kitchen_of("test", text, task)
    assert kitchen_text(problem, task.traits) == text
    assert problem.players == ("robot2", "robot1")
    facts = {" ".join(fact) for fact in problem.facts}
    assert {"atop lettuce1 patty1", "iscut lettuce1", "iscooked patty1", "has_item robot2 bread1"} <= facts
    assert {"container_at pot1 table1", "loc robot1 stove1", "container_empty pot1"} <= facts
    assert not {"iscuttable onion1", "vacant stove1", "station_empty board1"} & facts
    assert goal_of(goal_text(problem.goal)) == problem.goal
    for odd in (
        {"stations": {"table1": []}, "elsewhere": ["bread1"]},
        {"stations": {"table1": ["bowl1"]}, "containers": {"bowl1": ["water1"]}},
        {"stations": {"table1": ["bread1"]}, "less": [["clear", "bread1"]]},
        {"stations": {"table1": []}, "players": {"robot1": {}}},
    ):
        with pytest.raises(InputError, match=r"cannot express|nowhere"):
            kitchen_text(kitchen(**odd), {})


def test_names_cover_all_sets_and_seeds() -> None:
    count = Counter((name.split("/")[1], "@" in name) for name in problems.names())
    assert count == {(s, False): 10 for s in problems.SETS} | {(s, True): 100 for s in problems.SETS[:2]}
    assert [name.split("@")[0] for name in problems.names()[::11][:20]] == [
        name.replace("kitchens", "robotouille") for name in ours.names()[:20]
    ]
    assert {len(problems.kitchen(name).players) for name in problems.names() if "multi" not in name} == {1}
    assert {len(problems.kitchen(name).players) for name in problems.names() if "multi" in name} == {2}
    assert all(problems.seeds(name) == SEEDS for name in problems.names() if "@" not in name and "multi" not in name)


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("robotouille", 200),
        ("robotouille/", 200),
        ("robotouille@*", 200),
        ("robotouille/synchronous", 10),
        ("robotouille/asynchronous/", 10),
        ("robotouille/asynchronous@*", 100),
        ("robotouille/asynchronous/@*", 100),
        ("robotouille/multi_agent", 10),
        ("robotouille@42", 20),
        ("robotouille/synchronous@420", 10),
        ("robotouille/*", 230),
        ("robotouille/asynchronous/*@42", 10),
        ("robotouille/*/3_burger@*", 10),
        (BURGER, 1),
        (f"{BURGER}@42", 1),
        (f"{BURGER}@42~2", 1),
        ("robotouille/synchronous@42~2", 10),
        ("robotouille/asynchronous/3.1_lettuce_cheeseburger", 1),
        ("robotouille/multi_agent/multi_fries_and_chicken_lettuce_tomato_sandwich", 1),
        ("kitchens", 30),
        ("kitchens/asynchronous@7", 10),
    ],
)
def test_patterns_expand_to_problems(pattern: str, count: int) -> None:
    names = catalog.expand([pattern])
    assert len(names) == count
    for name in {names[0], names[-1]}:
        assert catalog.problem(name).name.startswith(pattern.split("/")[0].split("@")[0])


def test_all_names_are_bundled() -> None:
    assert set(problems.names()) | set(ours.names()) <= set(catalog.bundled())


def test_sets_of_kitchens_and_variants() -> None:
    label, below = catalog.set_of(f"{BURGER}@42")
    assert (label, below) == ("robotouille/synchronous@*", tuple(catalog.expand([label])))
    assert len(below) == 100
    label, below = catalog.set_of(BURGER)
    assert (label, below) == ("robotouille/synchronous", tuple(catalog.expand([label])))
    label, below = catalog.set_of("robotouille/multi_agent/1_lettuce_burger")
    assert (label, below) == ("robotouille/multi_agent", tuple(catalog.expand([label])))
    assert catalog.set_of("robotouille/asynchronous/3.1_lettuce_cheeseburger") == ("", ())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (f"{BURGER}@7", "seeds are 42, 84, .* 420; .*: kitchens/synchronous/3_burger@7"),
        ("robotouille/synchronous@7", "seeds are 42, .*kitchens/synchronous@7"),
        ("robotouille@7~2", "seeds are 42, .*kitchens@7"),
        ("robotouille/multi_agent/1_lettuce_burger@42", "no variants .*kitchens/multi_agent/1_lettuce_burger@42"),
        (f"{BURGER}@042", "seeds are 42"),
        (f"{BURGER}@", "did you mean"),
        (f"{BURGER}@x", "did you mean"),
        ("robotouille/synchronous/3_burgers@42", "did you mean"),
        ("robotouille/multi_agent@*", "no problem"),
        ("robotouille/nothing", "in the sets robotouille/asynchronous, "),
    ],
)
def test_unknown_names_raise_errors_with_hints(name: str, message: str) -> None:
    for look in (catalog.problem, lambda name: catalog.expand([name])):
        with pytest.raises(UnknownNameError, match=message):
            look(name)


def test_kitchen_documents_are_read_by_their_own_benchmark() -> None:
    mine = catalog.problem("kitchens/synchronous/3_burger")
    theirs = catalog.problem(BURGER)
    assert (mine.benchmark, theirs.benchmark) == ("kitchens", "robotouille")
    for problem in (mine, theirs):
        benchmark = registry.of(problem)
        document = json.loads(json.dumps(benchmark.document(problem)))
        owner = next(one for one in map(registry.get, registry.names()) if one.recognises(document))
        assert owner.read(document, "file") == [problem]
    with pytest.raises(InputError, match="benchmark: must be robotouille or kitchens"):
        kitchen({"table1": []}, benchmark="timearena")


def test_runs_reproduce_released_verdicts(shared: Path) -> None:
    rules = registry.get("robotouille").rules.profiles["released"]
    count = 0
    for line in (shared / "verdicts" / "robotouille.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        label, _, rest = row["instance"].removeprefix("seeded/").removesuffix(".json").partition("__")
        name = f"robotouille/{label}/{rest.replace('__', '@')}" if rest else label
        record = registry.get("robotouille").run(catalog.problem(name), row, rules).record
        assert [[act.action, act.valid, act.reached] for act in record.steps] == row["expected"]["steps"]
        assert [act.choices for act in record.steps] == row["expected"]["n_valid"]
        assert (record.success, record.steps_taken) == (row["expected"]["success"], row["expected"]["steps_taken"])
        count += 1
    assert count == 98
