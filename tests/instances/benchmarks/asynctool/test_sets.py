"""Names of AsyncTool problems, and the composer that makes new ones."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from itertools import combinations
from math import comb
from typing import Any

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.instances.benchmarks.asynctool import encoding, problems
from planoracle.instances.benchmarks.asynctool.problem_model import Delays, SubTask
from planoracle.instances.benchmarks.asynctool.problems import KINDS, compose
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog

POOL = list(problems.tasks().values())
# Samples of the paper's data set by kind and number of tasks (Table 5).
SHARES = {("similar", 2): 120, ("cross", 2): 132, ("similar", 3): 240, ("cross", 3): 220}
SIZES = Counter(task.family for task in POOL)


def proportional(count: int) -> dict[tuple[str, int], int]:
    """Share a number of problems out as in the paper's Table 5, by largest remainders."""
    total = sum(SHARES.values())
    found = {key: count * share // total for key, share in SHARES.items()}
    by_remainder = sorted(SHARES, key=lambda key: -(count * SHARES[key] % total))
    for key in by_remainder[: count - sum(found.values())]:
        found[key] += 1
    return found


def ids(rows: list[tuple[SubTask, ...]]) -> list[tuple[str, ...]]:
    return [tuple(task.id for task in row) for row in rows]


def sub_task(family: str | None, number: int) -> SubTask:
    return SubTask(f"{family}_{number}", "", POOL[0].reference_calls, family, {}, {})


# --- names ----------------------------------------------------------------------------------------


def test_the_hundred_bundled_problems() -> None:
    names = problems.names()
    assert len(set(names)) == len(names) == 100
    assert names[:2] == ("asynctool/similar2/01", "asynctool/similar2/02")
    assert Counter(name.split("/")[1] for name in names) == {
        "similar2": 17,
        "cross2": 18,
        "similar3": 34,
        "cross3": 31,
    }
    assert [name for name in catalog.bundled() if name.startswith("asynctool")] == list(names)
    for name in names:
        problem = problems.problem(name)
        families = [task.family for task in problem.tasks]
        kind, size = name.split("/")[1][:-1], int(name.split("/")[1][-1])
        assert len(problem.tasks) == size
        assert len(set(families)) == (1 if kind == "similar" else size)
        assert (problem.name, problem.delays) == (name, Delays())
    assert len({frozenset(problems.problem(name).by_id) for name in names}) == 100


def test_the_bundled_sets_are_what_the_composer_makes() -> None:
    made = {
        f"{kind}{size}": [list(row) for row in ids(compose(POOL, kind, size, count))]
        for (kind, size), count in proportional(100).items()
    }
    path = files("planoracle.instances.benchmarks.asynctool") / "data" / "sets.json"
    assert json.loads(path.read_text(encoding="utf-8")) == made


@pytest.mark.parametrize(
    ("pattern", "count", "first"),
    [
        ("asynctool", 100, "asynctool/similar2/01"),
        ("asynctool/", 100, "asynctool/similar2/01"),
        ("asynctool/cross2", 18, "asynctool/cross2/01"),
        ("asynctool/similar3/", 34, "asynctool/similar3/01"),
        ("asynctool/*/01", 4, "asynctool/similar2/01"),
        ("asynctool/cross?/0[12]", 4, "asynctool/cross2/01"),
        ("*/cross3/31", 1, "asynctool/cross3/31"),
        ("asynctool/cross2/18", 1, "asynctool/cross2/18"),
        ("asynctool@2", 100, "asynctool/similar2/01@2"),
        ("asynctool/cross2@0-1", 18, "asynctool/cross2/01@0-1"),
        ("asynctool/cross2@1-2:7", 18, "asynctool/cross2/01@1-2:7"),
        ("asynctool/cross2/01@1", 1, "asynctool/cross2/01@1"),
        ("asynctool/files_1", 1, "asynctool/files_1"),
        ("asynctool/text_2+files_1@0-1:7", 1, "asynctool/text_2+files_1@0-1:7"),
    ],
)
def test_what_names_prefixes_and_globs_stand_for(pattern: str, count: int, first: str) -> None:
    found = catalog.expand([pattern])
    assert (len(found), found[0]) == (count, first)
    assert len(set(found)) == count
    assert all(catalog.names_problem(name) for name in found)
    assert catalog.load(found[-1]).name == found[-1]


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
def test_combinations_of_bundled_tasks(name: str, tasks: list[str], delays: Delays) -> None:
    instance = catalog.load(name)
    problem = encoding.problem_of(instance)
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
    "asynctool/FILES_1",
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
def test_wrong_names_are_unknown(name: str) -> None:
    assert not problems.covers(name)
    assert problems.set_of(name) == ("", ())
    for function in (problems.problem, problems.load, catalog.load, lambda one: catalog.expand([one])):
        with pytest.raises(UnknownNameError) as caught:
            function(name)
        assert len(str(caught.value)) < 500


def test_the_set_of_a_name() -> None:
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
def test_problems_are_of_their_kind_and_none_comes_twice(kind: str, size: int, count: int, seed: int) -> None:
    rows = compose(POOL, kind, size, count, seed)
    assert len(rows) == count
    assert len({frozenset(row) for row in ids(rows)}) == count
    for row in rows:
        assert len({task.id for task in row}) == len(row) == size
        assert len({task.family for task in row}) == (1 if kind == "similar" else size)
        assert all(task in POOL for task in row)
    assert ids(compose(POOL, kind, size, count, seed)) == ids(rows)


def test_seeds_kinds_and_sizes_give_different_draws() -> None:
    drawn = {tuple(ids(compose(POOL, kind, size, 10, seed))) for kind in KINDS for size in (2, 3) for seed in range(4)}
    assert len(drawn) == 16
    for kind in KINDS:  # classes come in random order
        assert len({tuple(row[0].family for row in compose(POOL, kind, 2, 10, seed)) for seed in range(3)}) == 3
    orders = {POOL.index(first) < POOL.index(second) for first, second in compose(POOL, "cross", 2, 40)}
    assert orders == {True, False}  # as do the tasks of a problem


def test_more_problems_begin_with_the_fewer() -> None:
    assert ids(compose(POOL, "cross", 3, 50))[:20] == ids(compose(POOL, "cross", 3, 20))


@pytest.mark.parametrize(("size", "count"), [(2, 10), (2, 17), (2, 50), (3, 34)])
def test_similar_problems_are_even_over_the_classes(size: int, count: int) -> None:
    for seed in range(5):
        per_class = Counter(row[0].family for row in compose(POOL, "similar", size, count, seed))
        assert all(count // 10 <= per_class[family] <= -(-count // 10) for family in SIZES)


@pytest.mark.parametrize(("size", "count", "groups"), [(2, 18, 45), (2, 90, 45), (3, 31, 120), (3, 120, 120)])
def test_cross_problems_are_even_over_the_sets_of_classes(size: int, count: int, groups: int) -> None:
    for seed in range(3):
        per_set = Counter(frozenset(task.family for task in row) for row in compose(POOL, "cross", size, count, seed))
        assert set(per_set.values()) <= {count // groups, -(-count // groups)}


def test_tasks_are_used_about_equally_often() -> None:
    for kind, size, count in (("similar", 2, 60), ("cross", 3, 120), ("cross", 2, 135)):
        for seed in range(3):
            uses = Counter(id for row in ids(compose(POOL, kind, size, count, seed)) for id in row)
            mean = size * count / len(POOL)
            spread = sum((uses[task.id] - mean) ** 2 for task in POOL) / len(POOL)
            assert spread < 0.6 * mean  # about the mean, if weights did not fall with use


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_all_combinations_can_be_had_and_no_more(size: int) -> None:
    pool = [sub_task(family, n) for family, count in (("a", 4), ("b", 2), ("c", 1), (None, 3)) for n in range(count)]
    for kind in KINDS:
        every = {
            frozenset(task.id for task in row)
            for row in combinations(pool, size)
            if len({task.family for task in row}) == (1 if kind == "similar" else size)
        }
        rows = compose(pool, kind, size, len(every), seed=3)
        assert {frozenset(row) for row in ids(rows)} == every
        with pytest.raises(InputError, match=f"must lie between 0 and {len(every)}:") as caught:
            compose(pool, kind, size, len(every) + 1)
        assert (caught.value.field, caught.value.value) == ("count", len(every) + 1)


@pytest.mark.parametrize(
    ("kind", "size", "count", "field"),
    [
        ("same", 2, 1, "kind"),
        ("", 2, 1, "kind"),
        ("cross", 0, 1, "size"),
        ("similar", -1, 0, "size"),
        ("cross", 2, -1, "count"),
        ("cross", 11, 1, "count"),
        ("similar", 6, 1, "count"),
        ("similar", 2, sum(comb(size, 2) for size in SIZES.values()) + 1, "count"),
        ("cross", 2, 10**9, "count"),
    ],
)
def test_what_cannot_be_composed_is_an_input_error(kind: str, size: int, count: int, field: str) -> None:
    with pytest.raises(InputError) as caught:
        compose(POOL, kind, size, count)
    assert caught.value.field == field


def test_a_task_given_twice_is_an_input_error() -> None:
    for pool in (POOL[:1] * 2, [*POOL[:3], POOL[0]], [sub_task("a", 1), sub_task("a", 1)]):
        with pytest.raises(InputError, match="every id once"):
            compose(pool, "similar", 2, 1)


def test_an_empty_pool_makes_nothing() -> None:
    assert compose([], "cross", 2, 0) == []
    with pytest.raises(InputError):
        compose([], "similar", 1, 1)


# --- planoracle generate asynctool --combine -------------------------------------------------------


def names(*args: Any) -> list[str]:
    result = CliRunner().invoke(app, ["generate", "asynctool", "--combine", *map(str, args)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout.split()


def test_composed_names_are_names_of_problems() -> None:
    found = names("--kind", "similar", "--tasks", 3, "--count", 7, "--seed", 4, "--variant", "0-1:7")
    expected = ids(compose(POOL, "similar", 3, 7, 4))
    assert found == [f"asynctool/{'+'.join(row)}@0-1:7" for row in expected]
    for name, row in zip(found, expected, strict=True):
        problem = problems.problem(name)
        assert ([task.id for task in problem.tasks], problem.delays) == (list(row), Delays(0, 1, 7))


def test_ten_cross_pairs_are_composed_by_default() -> None:
    assert names() == [f"asynctool/{'+'.join(row)}" for row in ids(compose(POOL, "cross", 2, 10))]
    assert names("--variant", "1") == names()


def test_kinds_are_for_combinations_of_asynctool() -> None:
    for args in (("timearena", "--combine", "--kind", "cross"), ("asynctool", "--variant", "1")):
        assert CliRunner().invoke(app, ["generate", *args]).exit_code == 2


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("--kind", "same"), InputError),
        (("--tasks", 11), InputError),
        (("--kind", "similar", "--count", 10**6), InputError),
        (("--longest", 2), InputError),
        (("--variant", "2-1"), UnknownNameError),
        (("--variant", ""), UnknownNameError),
    ],
)
def test_what_cannot_be_composed_is_an_error(args: tuple[Any, ...], error: type) -> None:
    with pytest.raises(error):
        names(*args)
