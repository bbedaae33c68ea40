"""``planoracle generate``."""

from __future__ import annotations

import json

import pytest
from support.runner import invoke

from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.generate.styles import generate


def rows(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def generated(*args):
    return invoke("generate", *args)


@pytest.mark.slow
def test_generated_files_can_be_solved_and_are_not_overwritten(tmp_path) -> None:
    args = ("generic", "--count", 3, "--seed", 4, "--tasks", 2, "--actions", 5, "--out", tmp_path / "a", "-f", "jsonl")
    first = generated(*args)
    assert first.exit_code == 0
    table = rows(first.stdout)
    assert [row["instance"] for row in table] == [f"generated/generic/v1/tasks=2,actions=5/4-{n}" for n in range(3)]
    problems = [catalog.single(str(row["file"])) for row in table]
    assert problems == [generate("generic", 4, n, tasks=2, actions=5).problem for n in range(3)]
    solved = invoke("solve", *(row["file"] for row in table), "-f", "jsonl")
    assert [json.loads(line)["status"] for line in solved.stdout.splitlines()] == ["optimal"] * 3
    assert generated(*args).stdout == first.stdout
    changed = generated(*args, "--windows", 0.9)
    assert isinstance(changed.exception, InputError)
    assert "exists with other content" in str(changed.exception)
    blocked = generated("generic", "--out", table[0]["file"])
    assert isinstance(blocked.exception, InputError)
    assert str(blocked.exception) == f"{table[0]['file']}: cannot be created as a folder: File exists"


def test_problems_on_standard_output_are_written_without_a_table() -> None:
    plain = generated("recipe2plan", "--count", 2)
    assert plain.exit_code == 0
    assert [json.loads(line)["benchmark"] for line in plain.stdout.splitlines()] == ["recipe2plan"] * 2
    assert plain.stderr == ""


def test_combinations_with_a_name_are_written_as_names() -> None:
    names = generated("timearena", "--combine", "--count", 3)
    assert all(catalog.load(name).benchmark == "timearena" for name in names.stdout.split())
    assert len(names.stdout.split()) == 3


def _scenarios(name: str) -> list[str]:
    return [task.rstrip("0123456789") for task in name.removeprefix("timearena/").split("+")]


@pytest.mark.parametrize(("kind", "tasks", "count", "scenarios"), [("similar", 2, 135, 1), ("cross", 3, 50, 3)])
def test_combinations_of_one_or_of_different_scenarios(kind: str, tasks: int, count: int, scenarios: int) -> None:
    names = generated("timearena", "--combine", "--kind", kind, "--tasks", tasks, "--count", count).stdout.split()
    assert len({frozenset(name.split("/")[1].split("+")) for name in names}) == count
    assert {len(set(_scenarios(name))) for name in names} == {scenarios}
    assert all(catalog.names_problem(name) for name in names)
    other = generated("timearena", "--combine", "--kind", kind, "--tasks", tasks, "--count", 3, "--seed", 1)
    assert other.stdout.split() != names[:3]


def test_former_name_of_a_benchmark_is_accepted_with_a_note() -> None:
    now, once = (generated(style, "--count", 2, "--tasks", 1) for style in ("generic", "own"))
    assert once.stdout == now.stdout != ""
    assert "own has been renamed to generic" in once.stderr
    assert "called" not in now.stderr


def test_errors_name_the_parameter() -> None:
    for args, match in (
        (("nope",), "style"),
        (("generic", "--windows", 1.5), "windows"),
        (("timearena", "--windows", 0.5), "windows"),
        (("recipe2plan", "--combine", "--tasks", 30), "tasks"),
        (("timearena", "--combine", "--kind", "mixed"), "kind"),
        (("timearena", "--combine", "--kind", "cross", "--tasks", 4), "tasks"),
        (("timearena", "--combine", "--kind", "similar", "--count", 136), "count"),
        (("timearena", "--combine", "--kind", "similar", "--variant", "1"), "variant"),
    ):
        failed = generated(*args)
        assert isinstance(failed.exception, InputError)
        assert failed.exception.field == match
