"""Optima of variants beside the number that all share."""

from __future__ import annotations

import json

from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.comparison.compare import Comparison, MethodResult
from planoracle.analysis.comparison.method_tables import by_variant
from planoracle.instances.benchmarks.kitchens.rules import PROFILES
from planoracle.instances.benchmarks.robotouille import Robotouille, problems
from planoracle.instances.benchmarks.robotouille.measures import published_steps
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_results import by_key, key_of

RELEASED = PROFILES["released"].deciding()


def bundled(name: str) -> int:
    """Return the bundled optimum of a kitchen by the released rules."""
    ways = by_key(registry.get("robotouille").optima[name])
    optimum: int = ways[key_of(catalog.problem(name), RELEASED)]["makespan"]
    return optimum


def test_published_numbers_beside_the_optima_of_variants() -> None:
    more = {name: bundled(name) - (published_steps(name) or 0) for name in problems.members("robotouille")}
    assert len(more) == 200
    assert more["robotouille/asynchronous/0_cheese_chicken_sandwich@420"] == 22 - 21
    assert more["robotouille/asynchronous/1_lettuce_chicken_sandwich@420"] == 29 - 27
    counts = [sum(n > 0 for n in more.values()), sum(n < 0 for n in more.values()), [*more.values()].count(0)]
    assert counts == [37, 139, 24]
    text = " ".join((Robotouille.__doc__ or "").split())
    assert "37 need more steps than the published number, 139 fewer (one half of it), 24 just as many" in text


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
