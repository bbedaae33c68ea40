"""Names of AsyncTool problems, and composition of new problems from bundled tasks."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha1
from importlib.resources import files
from itertools import combinations
from typing import Any

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.instances.benchmarks.asynctool import composition, problem_model, problems
from planoracle.instances.benchmarks.asynctool.composition import KINDS, compose
from planoracle.instances.benchmarks.asynctool.problem_model import Delays
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog

# Samples of the paper's data set by kind and number of tasks (Table 5).
SHARES = {("similar", 2): 120, ("cross", 2): 132, ("similar", 3): 240, ("cross", 3): 220}
#: Families of which the first hundred problems have no task.
LATER_FAMILIES = {"formats", "generation"}
#: Tasks that are combined first, five of each family.
FIRST_TASKS = [task for task in problems.tasks() if task[-1] in "12345"]


def proportional(count: int) -> dict[tuple[str, int], int]:
    """Distribute a number of problems as in the paper's Table 5, by largest remainders."""
    total = sum(SHARES.values())
    shares = {key: count * share // total for key, share in SHARES.items()}
    by_remainder = sorted(SHARES, key=lambda key: -(count * SHARES[key] % total))
    for key in by_remainder[: count - sum(shares.values())]:
        shares[key] += 1
    return shares


def composed(kind: str | None, size: int, count: int, seed: int = 0) -> list[tuple[str, ...]]:
    """Return the ids of the tasks of composed problems."""
    return [tuple(name.partition("/")[2].split("+")) for name in compose(kind, None, size, count, seed)]


def family(task: str) -> str | None:
    return problems.tasks()[task].family


# --- names ----------------------------------------------------------------------------------------


def test_bundled_problems_are_in_proportion_of_four_kinds() -> None:
    names = problems.names()
    assert len(set(names)) == len(names) == 120
    assert names[:2] == ("asynctool/similar2/01", "asynctool/similar2/02")
    assert Counter(name.split("/")[1] for name in names) == {
        "similar2": 17,
        "cross2": 18,
        "similar3": 34,
        "cross3": 31,
        "data": 20,
    }
    assert [name for name in catalog.bundled() if name.startswith("asynctool")] == list(names)
    sizes = Counter(problems.problem(name).size for name in names)
    assert sizes == {f"{kind} {size}": count for (kind, size), count in proportional(120).items()}
    for name in names:
        problem = problems.problem(name)
        label = name.split("/")[1]
        families = {task.family for task in problem.tasks}
        assert label in ("data", problem.size.replace(" ", ""))
        assert (label == "data") == bool(families & LATER_FAMILIES)
        assert len(families) in (1, len(problem.tasks))
        assert (problem.name, problem.delays) == (name, Delays())
    assert len({frozenset(problems.problem(name).by_id) for name in names}) == 120


def test_all_families_occur_in_bundled_problems() -> None:
    bundled = {task for name in problems.names() for task in problems.problem(name).by_id}
    assert {family(task) for task in bundled} == {task.family for task in problems.tasks().values()}
    assert len({family(task) for task in bundled}) == 12


def test_bundled_sets_equal_compositions_of_ten_families(monkeypatch: pytest.MonkeyPatch) -> None:
    first = {task.id: task for task in problems.tasks().values() if task.family not in LATER_FAMILIES}
    monkeypatch.setattr(composition, "tasks", lambda: first)
    compositions = {
        f"{kind}{size}": [list(row) for row in composed(kind, size, count)]
        for (kind, size), count in proportional(100).items()
    }
    assert bundled_sets() == compositions | {"data": bundled_sets()["data"]}


def test_set_with_the_other_two_families_equals_compositions_of_all() -> None:
    rows: list[list[str]] = []
    for (kind, size), count in proportional(120).items():
        candidates = [list(row) for row in composed(kind, size, 120)]
        later = [row for row in candidates if not LATER_FAMILIES.isdisjoint(map(family, row))]
        rows += later[: count - proportional(100)[kind, size]]
    assert bundled_sets()["data"] == rows


def bundled_sets() -> dict[str, list[list[str]]]:
    path = files("planoracle.instances.benchmarks.asynctool") / "data" / "sets.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("pattern", "count", "first"),
    [
        ("asynctool", 120, "asynctool/similar2/01"),
        ("asynctool/", 120, "asynctool/similar2/01"),
        ("asynctool/cross2", 18, "asynctool/cross2/01"),
        ("asynctool/similar3/", 34, "asynctool/similar3/01"),
        ("asynctool/*/01", 5, "asynctool/similar2/01"),
        ("asynctool/cross?/0[12]", 4, "asynctool/cross2/01"),
        ("*/cross3/31", 1, "asynctool/cross3/31"),
        ("asynctool/cross2/18", 1, "asynctool/cross2/18"),
        ("asynctool@2", 120, "asynctool/similar2/01@2"),
        ("asynctool/cross2@0-1", 18, "asynctool/cross2/01@0-1"),
        ("asynctool/cross2@1-2:7", 18, "asynctool/cross2/01@1-2:7"),
        ("asynctool/cross2/01@1", 1, "asynctool/cross2/01@1"),
        ("asynctool/files_1", 1, "asynctool/files_1"),
        ("asynctool/text_2+files_1@0-1:7", 1, "asynctool/text_2+files_1@0-1:7"),
    ],
)
def test_names_prefixes_and_globs_expand_to_problems(pattern: str, count: int, first: str) -> None:
    names = catalog.expand([pattern])
    assert (len(names), names[0]) == (count, first)
    assert len(set(names)) == count
    assert all(catalog.names_problem(name) for name in names)
    assert catalog.load(names[-1]).name == names[-1]


@pytest.mark.parametrize(
    ("name", "tasks", "delays"),
    [
        ("asynctool/files_1", ["files_1"], Delays()),
        ("asynctool/text_2+files_1", ["text_2", "files_1"], Delays()),
        ("asynctool/text_2+files_1+text_1@0", ["text_2", "files_1", "text_1"], Delays(0, 0)),
        ("asynctool/files_1@1000", ["files_1"], Delays(1000, 1000)),
        ("asynctool/files_1@0-2", ["files_1"], Delays(0, 2)),
        ("asynctool/files_1@1-2:123456789", ["files_1"], Delays(1, 2, 123456789)),
    ],
)
def test_name_of_a_combination_gives_tasks_and_delays(name: str, tasks: list[str], delays: Delays) -> None:
    instance = catalog.load(name)
    problem = problem_model.problem_of(instance)
    assert [task.id for task in problem.tasks] == tasks
    assert all(task is problems.tasks()[task.id] for task in problem.tasks)
    assert (instance.name, problem.delays) == (name, delays)
    assert catalog.read_problems(name) == [instance]


WRONG = [
    "asynctool/none",
    "asynctool/cross2/00",
    "asynctool/cross2/1",
    "asynctool/cross2/001",
    "asynctool/cross2/19",
    "asynctool/cross4",
    "asynctool/cross2/01/",
    "asynctool/cross2/01/x",
    "asynctool/files_1/01",
    "asynctool/files_1/",
    "asynctool/FILE_1",
    "asynctool/ files_1",
    "asynctool/files_1+",
    "asynctool/+files_1",
    "asynctool/files_1++text_1",
    "asynctool/files_1+files_1",
    "asynctool/files_1+text_1+files_1",
    "asynctool/files_1+none",
    "asynctool/files_1+cross2/01",
    "asynctool/cross2/01+files_1",
    "asynctool/files_1@",
    "asynctool/files_1@x",
    "asynctool/cross2/01@x",
    "asynctool/cross2/01@",
    "asynctool/files_1@-1",
    "asynctool/files_1@1-",
    "asynctool/files_1@1.5",
    "asynctool/files_1@1001",
    "asynctool/files_1@0-1001",
    "asynctool/files_1@2-1",
    "asynctool/files_1@0-1:",
    "asynctool/files_1@0-1:-1",
    "asynctool/files_1@1:7",
    "asynctool/files_1@1@1",
    "asynctool/files_1@0-1@",
    "asynctool/files_1@١",
    "asynctool/files_1@1\n",
    "asynctool@",
    "asynctool@x",
    "asynctool@2/cross2",
    "asynctool@2@2",
    "asynctool/cross2@",
    "asynctool/cross2@2-1",
    "asynctool/cross9@2",
    "asynctool/none@2",
    "asynctool/__class__",
    "asynctool/../cross2/01",
    "asynctool/files_1\0",
    "asynctool/\ud800",
    "asynctool/" + "files_1+" * 1_000,
    "asynctool/files_1@" + "1" * 4_000,
    "asynctool/" + "+".join(problems.tasks()) * 3,
]


@pytest.mark.parametrize("name", WRONG, ids=lambda name: ascii(name)[:30])
def test_invalid_names_are_rejected(name: str) -> None:
    assert not problems.covers(name)
    assert problems.set_of(name) == ("", ())
    for function in (problems.problem, problems.load, catalog.load, lambda one: catalog.expand([one])):
        with pytest.raises(UnknownNameError) as caught:
            function(name)
        assert len(str(caught.value)) < 500


def test_set_of_a_problem_includes_its_delay() -> None:
    cross2 = tuple(name for name in problems.names() if "/cross2/" in name)
    assert catalog.set_of("asynctool/cross2/05") == ("asynctool/cross2", cross2)
    label, members = catalog.set_of("asynctool/cross2/05@0-1:7")
    assert label == "asynctool/cross2@0-1:7"
    assert members == tuple(f"{name}@0-1:7" for name in cross2) == problems.members(label)
    for name in (
        "asynctool/files_1+text_1",
        "asynctool/files_1",
        "asynctool/cross2",
        "asynctool",
        "asynctool/cross2@2",
    ):
        assert catalog.set_of(name) == ("", ())


# --- the composer ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "count"), [(1, 50), (2, 0), (2, 1), (2, 100), (3, 100), (4, 40), (5, 10)])
@pytest.mark.parametrize("seed", [0, 5])
def test_composed_problems_have_the_requested_kind_and_differ(kind: str, size: int, count: int, seed: int) -> None:
    rows = composed(kind, size, count, seed)
    assert len(rows) == len(set(map(frozenset, rows))) == count
    for row in rows:
        assert len(set(row)) == len(row) == size
        assert len(set(map(family, row))) == (1 if kind == "similar" else size)
    assert composed(kind, size, count, seed) == rows
    assert composed(kind, size, count // 2, seed) == rows[: count // 2]  # a larger count extends a smaller one


def test_seeds_kinds_and_sizes_give_different_draws() -> None:
    drawn = {tuple(composed(kind, size, 10, seed)) for kind in KINDS for size in (2, 3) for seed in range(4)}
    assert len(drawn) == 16
    for kind in KINDS:  # families are in random order
        assert len({tuple(family(row[0]) for row in composed(kind, 2, 10, seed)) for seed in range(3)}) == 3
    orders = {first < second for first, second in composed("cross", 2, 40)}
    assert orders == {True, False}  # and so are the tasks of a problem


@pytest.mark.parametrize(
    ("kind", "size", "count", "groups"),
    [
        *(("similar", size, count, 12) for size, count in ((2, 12), (2, 17), (2, 120), (3, 34), (3, 240), (4, 300))),
        *(("cross", size, count, groups) for size, count, groups in ((2, 18, 66), (2, 132, 66), (3, 220, 220))),
    ],
)
def test_composed_problems_cover_families_evenly(kind: str, size: int, count: int, groups: int) -> None:
    for seed in range(3):
        per_group = Counter(frozenset(map(family, row)) for row in composed(kind, size, count, seed))
        assert set(per_group.values()) <= {count // groups, -(-count // groups)}


@pytest.mark.parametrize(
    ("kind", "size", "count", "digest"),
    [
        ("similar", 2, 120, "e5d890f96cebcfee7f7293aa6fe4d7f5ba716443"),
        ("similar", 3, 120, "77801b582e9e713446ebcc56b9de38c6ce659adc"),
        ("similar", 4, 60, "b4e27b7149cfb69beef9d0bc273bcffef03a01af"),
        ("cross", 2, 300, "1423b48d648a2da618a307b4c39ca576b97b84e9"),
        ("cross", 3, 300, "3d55fe31228797fc2b2a4154d3fa1c6d2f9efd3a"),
    ],
)
def test_problems_of_a_seed_are_those_of_release_0_11(kind: str, size: int, count: int, digest: str) -> None:
    names = compose(kind, None, size, count, 7)
    assert sha1(" ".join(names).encode()).hexdigest() == digest


def test_later_tasks_are_drawn_when_the_first_ones_are_exhausted() -> None:
    rows = composed("similar", 3, 240)
    assert all({*row} <= {*FIRST_TASKS} for row in rows[:120])
    assert not any({*row} <= {*FIRST_TASKS} for row in rows[120:])


def test_tasks_are_used_about_equally_often() -> None:
    for kind, size, count in (("similar", 2, 60), ("cross", 3, 120), ("cross", 2, 135)):
        for seed in range(3):
            uses = Counter(task for row in composed(kind, size, count, seed) for task in row)
            mean = size * count / len(FIRST_TASKS)
            spread = sum((uses[task] - mean) ** 2 for task in FIRST_TASKS) / len(FIRST_TASKS)
            assert spread < 0.6 * mean  # about the mean, if weights did not fall with use


@pytest.mark.parametrize(("kind", "size"), [("similar", 2), ("similar", 4), ("cross", 1), ("cross", 2)])
def test_all_combinations_can_be_composed_and_more_are_rejected(kind: str, size: int) -> None:
    every = {
        frozenset(row)
        for row in combinations(problems.tasks(), size)
        if len(set(map(family, row))) == (1 if kind == "similar" else size)
    }
    assert set(map(frozenset, composed(kind, size, len(every), seed=3))) == every
    with pytest.raises(InputError, match=f"must lie between 0 and {len(every)}:") as caught:
        compose(kind, None, size, len(every) + 1)
    assert (caught.value.field, caught.value.value) == ("count", len(every) + 1)


@pytest.mark.parametrize(
    ("kind", "size", "count", "field"),
    [
        ("same", 2, 1, "kind"),
        ("", 2, 1, "kind"),
        ("cross", 2, -1, "count"),
        ("cross", 13, 1, "count"),
        ("similar", 8, 1, "count"),
        ("similar", 10**9, 1, "count"),
        ("cross", 2, 10**9, "count"),
    ],
)
def test_impossible_composition_is_rejected(kind: str, size: int, count: int, field: str) -> None:
    with pytest.raises(InputError) as caught:
        compose(kind, None, size, count)
    assert caught.value.field == field


# --- planoracle generate asynctool --combine -------------------------------------------------------


def names(*args: Any) -> list[str]:
    return CliRunner().invoke(app, ["generate", "asynctool", "--combine", *map(str, args)]).stdout.split()


def test_generate_combine_prints_names_of_problems() -> None:
    printed = names("--kind", "similar", "--tasks", 3, "--count", 7, "--seed", 4, "--variant", "0-1:7")
    assert printed == compose("similar", "0-1:7", 3, 7, 4)
    assert all(problems.problem(name).delays == Delays(0, 1, 7) for name in printed)
    assert names() == names("--variant", "1") == compose("cross", None, 2, 10)


@pytest.mark.parametrize(
    "args",
    [
        ("recipe2plan", "--combine", "--kind", "cross"),
        ("timearena", "--combine", "--kind", "same"),
        ("asynctool", "--variant", "1"),
        *(("asynctool", "--combine", *more) for more in (("--kind", "same"), ("--longest", "2"), ("--variant", "2-1"))),
    ],
)
def test_generate_combine_rejects_invalid_options(args: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["generate", *args])
    assert result.exit_code == 2 or isinstance(result.exception, InputError)
