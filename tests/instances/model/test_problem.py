"""Attributes of problems of every kind, and errors of tools for an unknown kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from planoracle.analysis.diagnosis.explain import explain
from planoracle.analysis.diagnosis.regret import next_commands, regret
from planoracle.analysis.diagnosis.repair import repair
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.cache import CacheHolder, fingerprint
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol.registry import of
from tests.support.grades import comparisons

KITCHEN = "kitchens/synchronous/3_burger"


@dataclass(frozen=True)
class Delivery(CacheHolder):
    """Problem of a kind that no tool supports."""

    name: str = "delivery"
    benchmark: str = "generic"
    kind: str = "delivery"
    unit: str = "mile"
    seconds_per_tick: int | None = None
    agents: tuple[str, ...] = ("driver",)
    time_limit: int | None = None


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("recipe2plan/timed/Cobbler_Pancakes", Instance, ("recipe2plan", "second", 1, ("agent",), None)),
        ("timearena/lab1~2", Instance, ("generic", "minute", 60, ("agent1", "agent2"), 40)),
        ("asynctool/files_1", Instance, ("asynctool", "turn", None, ("agent",), None)),
        (KITCHEN, Kitchen, ("kitchens", "step", None, ("robot1",), None)),
        (f"{KITCHEN}~3", Kitchen, ("kitchens", "step", None, ("robot1", "robot2", "robot3"), None)),
    ],
)
def test_problems_of_every_kind_have_common_attributes(name: str, kind: type, expected: tuple[Any, ...]) -> None:
    problem: Problem = catalog.problem(name)
    attributes = (problem.benchmark, problem.unit, problem.seconds_per_tick, problem.agents, problem.time_limit)
    assert attributes == expected
    assert problem.name == name
    assert of_kind(problem, kind) is problem
    assert problem.kind == {Instance: "schedule", Kitchen: "kitchen"}[kind]


EACH_TOOL: list[Callable[[Any], Any]] = [
    lambda one: regret(one, {"plan": []}),
    lambda one: repair(one, {"plan": []}),
    next_commands,
    explain,
    lambda problem: of(problem).document(problem),
]


@pytest.mark.parametrize("tool", EACH_TOOL, ids=["regret", "repair", "advice", "explain", "document"])
def test_tools_reject_problem_of_unknown_kind(tool: Callable[[Any], Any]) -> None:
    with pytest.raises(InputError, match=r"must be of kind .* not Delivery .*'delivery'|delivery: has no solver"):
        tool(Delivery())


def test_comparison_continues_after_problem_of_unknown_kind() -> None:
    burger = catalog.problem(KITCHEN)
    frame = comparisons([Delivery(), burger], ["optimum", "serial-lpt"])
    assert frame["unit"].tolist() == ["mile"] * 2 + ["step"] * 2
    assert frame["benchmark"].tolist() == ["generic"] * 2 + ["kitchens"] * 2
    assert frame["settled"].tolist() == ["unknown"] * 2 + ["optimal"] * 2


def test_fingerprints_of_problems_of_every_kind_differ() -> None:
    problems: list[Problem] = [Delivery(), Delivery("other"), catalog.problem(KITCHEN), catalog.problem(f"{KITCHEN}~2")]
    assert len({fingerprint(one) for one in problems}) == 4
    assert fingerprint(Delivery()) == fingerprint(Delivery())
