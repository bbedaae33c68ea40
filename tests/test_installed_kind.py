"""Package with a benchmark and a kind of problems, installed by pip: all commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import blocking_shop
from support.installed_packages import create_environment, install, planoracle, run

from tests.support.reports import chunks

LINE, OPPOSITE = "blocking_shop/line", "blocking_shop/opposite"
PROJECT = """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "planoracle-blocking-shop"
version = "0.1.0"

[project.entry-points."planoracle.benchmarks"]
blocking_shop = "planoracle_blocking_shop:benchmark"

[project.entry-points."planoracle.kinds"]
blocking-shop = "planoracle_blocking_shop.kind:KIND"

[tool.setuptools]
packages = ["planoracle_blocking_shop"]
"""
PLANS = {
    "good": ["blue", "blue", "red", "red", "raw"],
    "slow": ["red", "red", "blue", "blue", "raw"],
    "stuck": ["blue", "red"],
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a virtual environment in which the package is installed, and with plans."""
    place = tmp_path_factory.mktemp("kind")
    create_environment(place)
    package = place / "made" / "planoracle_blocking_shop"
    shutil.copytree(Path(blocking_shop.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (place / "made" / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    install(place, place / "made")
    lines = [json.dumps({"id": name, "model": "me", "instance": LINE, "plan": plan}) for name, plan in PLANS.items()]
    (place / "plans.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return place


@pytest.fixture
def output_of(place: Path) -> Callable[..., str]:
    """Function that runs a command in the virtual environment and returns its output, errors included."""

    def call(*words: str, status: int = 0) -> str:
        done = run(*planoracle(place), *words, folder=place)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    return call


def rows_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_installed_kind_is_solved_and_listed(output_of: Callable[..., str], place: Path) -> None:
    solved = rows_of(output_of("solve", "blocking_shop", "-f", "jsonl"))
    assert [(row["status"], row["makespan"]) for row in solved] == [("optimal", 9), ("optimal", 10)]
    listed = rows_of(output_of("instances", "blocking_shop", "-f", "jsonl"))
    assert {row["instance"]: row["actions"] for row in listed} == {LINE: 5, OPPOSITE: 4}
    pieces = rows_of(output_of("solve", LINE, "--schedule", "-f", "jsonl"))
    assert sorted(row["task"] for row in pieces if "task" in row) == ["blue", "blue", "raw", "red", "red"]
    (document,) = rows_of(output_of("instances", OPPOSITE, "--export"))
    (place / "own.json").write_text(json.dumps(document), encoding="utf-8")
    assert rows_of(output_of("solve", "own.json", "-f", "jsonl"))[0]["makespan"] == 10
    assert '"kind": "blocking-shop"' in output_of("benchmark", "list", "--format", "json")


def test_plans_for_an_installed_kind_are_graded_and_explained(output_of: Callable[..., str]) -> None:
    grades = {row["id"]: row for row in rows_of(output_of("grade", "plans.jsonl", "-f", "jsonl"))}
    outcome = {name: (row["success"], row["makespan"], row["optimal_makespan"]) for name, row in grades.items()}
    assert outcome == {"good": (True, 9, 9), "slow": (True, 12, 9), "stuck": (False, 2, 9)}
    review = output_of("critique", "plans.jsonl")
    assert "Job blue blocks the saw, which job red needs." in review


def test_installed_kind_is_compared_drawn_and_reported(output_of: Callable[..., str], place: Path) -> None:
    compared = rows_of(output_of("compare", LINE, "--methods", "optimum", "-f", "jsonl"))
    assert [(row["optimum"], row["makespan"]) for row in compared] == [(9, 9)]
    output_of("gantt", LINE, "-o", "plan.svg")
    assert "paint" in (place / "plan.svg").read_text(encoding="utf-8")
    output_of("report", "plans.jsonl", "-o", "report.html")
    page = json.dumps(chunks((place / "report.html").read_text(encoding="utf-8")))
    assert all(text in page for text in ("Blocking job shops", "blocks the saw", "paint"))


def test_installed_kind_is_run_live(output_of: Callable[..., str]) -> None:
    def played(agent: str, status: int) -> str:
        return output_of("run", LINE, "--agent", agent, "--run", agent, "--format", "jsonl", status=status)

    assert "Blocking job shops" in played("random", 0)
    assert "has no values of states: problems of kind 'blocking-shop' have none" in played("optimal", 1)


@pytest.mark.parametrize("command", ["next", "explain", "regret", "repair"])
def test_command_that_an_installed_kind_does_not_define_is_refused_by_name(
    command: str, output_of: Callable[..., str]
) -> None:
    target = LINE if command in ("next", "explain") else "plans.jsonl"
    text = " ".join(output_of(command, target, status=1).split())
    assert "problems of kind 'blocking-shop' have none" in text
