"""Other models of the same instances agree with ours; and disagreement is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planoracle.instances.catalogue import expand, load
from planoracle.instances.model import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.solver.exact.solve import solve
from tests.benchmarks.peers.answer import Answer, Starts, UnsupportedError
from tests.benchmarks.peers.made import project
from tests.benchmarks.peers.methods import METHODS, OURS, available, method
from tests.benchmarks.peers.runner import Measured, contradictions, judge, measure
from tests.benchmarks.peers.sets import Problem
from tests.benchmarks.peers.tables import summary, verdicts
from tests.support.random_instances import kitchen

EXACT = [name for name in METHODS if name not in (OURS, "released") and available(name)]
LIMIT = 10.0


def agree(instance: Instance) -> int:
    """Hold every method that can state the instance against ours; return how many could."""
    ours = solve(instance, time_limit=LIMIT)
    count = 0
    for name in EXACT:
        try:
            answer = method(name)(replace(instance), LIMIT)
        except UnsupportedError:
            continue
        count += 1
        assert judge(instance, answer) == "", name
        assert (answer.status, answer.makespan) == (ours.status, ours.makespan), name
    return count


@pytest.mark.parametrize("seed", range(8))
def test_projects(seed: int) -> None:
    assert agree(project(7, seed)) == len(EXACT)


PAIR = tuple(Action(f"p/{i}", "p", 2, 0, modes=(Mode((Demand("r"),)),), agents=()) for i in range(2))
LOOP = (Lag("p/0", "p/1", 3, None), Lag("p/1", "p/0", -6, None))
CROWD = (Lag("p/0", "p/1", -2, -1),)


@pytest.mark.parametrize("lags", [LOOP, CROWD])
def test_infeasible_projects(lags: tuple[Lag, ...]) -> None:
    instance = Instance("never", PAIR, lags, (Resource("r"),), agents=())
    assert solve(instance).status == "infeasible"
    assert agree(instance) == len(EXACT)


@pytest.mark.parametrize("seed", range(12))
def test_kitchens(seed: int) -> None:
    instance = kitchen(seed)
    plain = replace(instance, lags=tuple(lag for lag in instance.lags if lag.minimum is not None))
    agree(plain.without_maximum_lags("plain"))


@pytest.mark.parametrize("name", [*expand(["timearena"])[::15], *expand(["asynctool"])[::25]])
def test_bundled(name: str) -> None:
    assert agree(load(name)) >= 3


def test_some_kitchens_can_be_stated() -> None:
    assert sum(agree(kitchen(seed).without_maximum_lags("k")) >= 3 for seed in range(20, 32)) >= 3


PROBLEM = Problem("two", Instance("two", tuple(Action(f"p/{i}", "p", 3, 3) for i in range(2))), 0.0, (6, 6))


def test_judge_knows_wrong_answers() -> None:
    instance = PROBLEM.instance
    good = Answer("optimal", 6, 6, Starts([[0], [3]], [0, 0]))
    assert judge(instance, good) == ""
    assert "agent is still busy" in judge(
        instance, replace(good, makespan=5, bound=5, found=Starts([[0], [2]], [0, 0]))
    )
    assert "the schedule takes 6" in judge(instance, replace(good, makespan=7, bound=7))
    assert "at least 7" in judge(instance, replace(good, status="feasible", bound=7))
    assert "lower bound of 5" in judge(instance, replace(good, bound=5))
    assert "without a schedule" in judge(instance, Answer("optimal", 6))
    assert "with a schedule" in judge(instance, replace(good, status="infeasible"))
    assert judge(instance, Answer("unknown", bound=3)) == ""


def test_contradictions_are_told() -> None:
    def lines(**found: Measured) -> str:
        return " / ".join(contradictions(PROBLEM, found))

    six = Measured("optimal", 6, 6)
    assert lines(a=six, b=Measured("feasible", 7, 5), c=Measured()) == ""
    assert lines(a=six, b=Measured("optimal", 7, 7)) == "two: at least 7 says b, at most 6 says a"
    assert "at least 6 says literature, at most 5 says a" in lines(a=Measured("optimal", 5, 5))
    assert "infeasible says b, 6 says a" in lines(a=six, b=Measured("infeasible"))
    assert lines(a=Measured("optimal", 6, 6, fault="is wrong")) == "two: a is wrong"
    known = replace(PROBLEM, known="infeasible")
    assert contradictions(known, {"a": six}) == ["two: infeasible says literature, 6 says a"]


@pytest.mark.slow
def test_measuring_and_tables() -> None:
    names = [OURS, "direct", "released"]
    problem = Problem("timearena/lab1", load("timearena/lab1"), 0.0)
    rows = []
    for turn in range(2):
        found = measure(problem, names, LIMIT, 2, turn)
        assert list(found) == names
        assert found[OURS].proved
        assert found["direct"].makespan == found[OURS].makespan
        assert 0 < found["direct"].build < found["direct"].seconds
        rows.append((problem.name, len(problem.instance.actions), found))
    table = list(summary("lab", rows, names))
    assert len(table) == 2 + len(names)
    assert table[2].startswith("| planoracle | 2 | 2 | 0 | 0 |")
    assert table[2].endswith("| 1.00 | 1.00 |")
    assert "lab: 2 of 2 proved in 10 s" in list(verdicts("lab", rows, LIMIT))
