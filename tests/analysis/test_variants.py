"""Optima of variants beside the number that all share; the table in Robotouille's documentation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.comparison.compare import Comparison, MethodResult, by_variant
from planoracle.instances.benchmarks.robotouille import problems
from planoracle.instances.benchmarks.robotouille.measures import published_steps
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import Status
from planoracle.solver.solve import solve

README = Path(__file__).resolve().parents[2] / "instances" / "benchmarks" / "robotouille" / "README.md"


def printed() -> dict[str, int]:
    """Return what the table of the documentation says, by name; ``NAME@`` is the published number."""
    rows = [line.strip("| ").split(" | ") for line in README.read_text(encoding="utf-8").splitlines()]
    (head,) = (row for row in rows if row[0] == "problem")
    body = [row for row in rows if row[0].startswith("robotouille/") and len(row) == len(head)]
    columns = ["", *head[2:]]
    return {f"{row[0]}@{name}": int(n) for row in body for name, n in zip(columns, row[1:], strict=True)}


def test_the_documentation_has_all_200_and_the_published_numbers() -> None:
    found = printed()
    published = {name: found.pop(name) for name in [*found] if name.endswith("@")}
    assert published == {f"{name}@": published_steps(name) for name in problems.names() if problems.seeds(name)}
    assert list(found) == list(problems.members("robotouille"))
    first, second = (
        f"robotouille/asynchronous/{task}" for task in ("0_cheese_chicken_sandwich", "1_lettuce_chicken_sandwich")
    )
    assert (found[f"{first}@420"], published[f"{first}@"]) == (22, 21)
    assert (found[f"{second}@420"], published[f"{second}@"]) == (29, 27)
    more = [n - published_steps(name) for name, n in found.items()]  # type: ignore[operator]
    assert [sum(n > 0 for n in more), sum(n < 0 for n in more), more.count(0)] == [37, 139, 24]
    assert "37 need more steps than it says, 139 fewer (one half of it), 24 just as many" in README.read_text(
        encoding="utf-8"
    )


#: Problems whose proof takes long. ``planoracle verify --bundled`` proves all bundled optima; here a part.
HARD = ("asynchronous/7", "asynchronous/8", "asynchronous/9", "synchronous/9", "synchronous/8", "synchronous/7")


@pytest.mark.parametrize(
    "name",
    [
        name if number % 24 == 0 else pytest.param(name, marks=pytest.mark.slow)
        for number, name in enumerate(problems.members("robotouille"))
        if number % 4 == 0 and not name.removeprefix("robotouille/").startswith(HARD)
    ],
)  # fmt: skip
def test_the_documentation_is_right(name: str) -> None:
    best = solve(catalog.problem(name), time_limit=900)
    assert (best.status, best.makespan) == (Status.optimal, printed()[name])


def test_the_command_prints_it() -> None:
    names = ["robotouille/asynchronous/0_*@420", "robotouille/asynchronous/1_*@420", "kitchens/synchronous/3_burger"]
    done = CliRunner().invoke(app, ["compare", "--variants", "--format", "jsonl", *names])
    assert done.exit_code == 0, done.output
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"problem": "robotouille/asynchronous/0_cheese_chicken_sandwich", "published": 21, "420": 22},
        {"problem": "robotouille/asynchronous/1_lettuce_chicken_sandwich", "published": 27, "420": 29},
        {"problem": "kitchens/synchronous/3_burger", "itself": 12},
    ]


def test_what_is_not_proved() -> None:
    def made(name: str, status: Status, makespan: int | None, bound: int | None = None) -> Comparison:
        return Comparison(name, "robotouille", "step", None, MethodResult("optimum", makespan, status), bound, ())

    found = by_variant([
        made("a@1", Status.optimal, 7, 7),
        made("b@1", Status.feasible, 9, 6),
        made("a@2", Status.infeasible, None),
        made("a@3", Status.unknown, None),
        made("a", Status.optimal, 5, 5),
    ])  # fmt: skip
    assert found == [
        {"problem": "a", "published": None, "1": 7, "2": "infeasible", "3": None, "itself": 5},
        {"problem": "b", "published": None, "1": "6..9"},
    ]
