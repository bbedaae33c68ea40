"""Solving takes no more calls of CP-SAT, no larger models and no longer searches than when that was stored."""

from __future__ import annotations

import platform
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from support.samples import sample

from planoracle.instances.catalogue import load
from planoracle.instances.deadline import NEVER
from planoracle.solver.exact import solve as exact
from planoracle.solver.exact.cp import Model, counted, run
from tests.benchmarks import efforts
from tests.benchmarks.efforts import CASES, HEAVY, Spent, grown, measure, stored

SPENT = stored()
KITCHEN = "recipe2plan/untimed/Cobbler_Pancakes"

on_linux = pytest.mark.skipif(platform.system() != "Linux", reason="how CP-SAT branches was stored on Linux")


def test_what_is_measured_is_what_is_stored() -> None:
    assert list(SPENT) == list(CASES)


@on_linux
@pytest.mark.parametrize("name", sample([pytest.param(n, marks=pytest.mark.slow) if n in HEAVY else n for n in CASES]))
def test_efforts_do_not_grow(name: str) -> None:
    worse = grown(SPENT[name], measure(CASES[name]))
    assert not worse, f"{name}: {'; '.join(worse)}. Where that is meant, store it anew: see tests/benchmarks/README.md"


@on_linux
def test_leaving_out_a_cheap_step_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "schedule_in_order", lambda instance, bounds, step, least, most, deadline: (None, least))
    worse = " ".join(grown(SPENT[KITCHEN], measure(CASES[KITCHEN])))
    assert "calls: 1, where 0 were enough" in worse
    assert "size:" in worse


@on_linux
def test_a_weaker_bound_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "lower_bound", lambda instance, bounds: 1)
    some = [name for name in CASES if name.startswith("made/20/")]
    assert len([name for name in some if grown(SPENT[name], measure(CASES[name]))]) > len(some) / 2


BEFORE = Spent(calls=2, size=100, branches=1000, conflicts=400, units=0.01, work=0.05, proved=3)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({}, []),
        ({"calls": 1, "size": 10, "branches": 0, "work": 0.0}, []),
        ({"branches": 1700, "conflicts": 700, "units": 0.0155, "work": 0.077}, []),
        ({"calls": 3}, ["calls: 3, where 2 were enough"]),
        (
            {"size": 111, "branches": 1701},
            ["size: 111, where 100 were enough", "branches: 1701, where 1000 were enough"],
        ),
        ({"work": 0.08, "proved": 2}, ["2 answers are proved, where 3 were", "work: 0.08, where 0.05 were enough"]),
    ],
)
def test_only_growth_beyond_slack_is_told(now: dict[str, int], said: list[str]) -> None:
    assert grown(BEFORE, replace(BEFORE, **now)) == said


def test_what_is_stored_is_read_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(efforts, "STORED", tmp_path / "efforts.csv")
    efforts.store({"one, or another": BEFORE})
    assert stored() == {"one, or another": BEFORE}


def solved() -> None:
    model = Model()
    model.minimize(model.integer(2, 9))
    run(model, deadline=NEVER)


def refused() -> None:
    model = Model()
    model.integer(9, 2)
    run(model, deadline=NEVER)


def test_calls_are_counted_by_all_who_count_and_only_inside() -> None:
    with counted() as outer:
        solved()
        with counted() as inner:
            solved()
        with pytest.raises(RuntimeError, match="CP-SAT refused"), counted() as failed:
            refused()
    solved()
    assert (inner.calls, inner.size, outer.calls, outer.size, failed.calls) == (1, 1, 2, 2, 0)


def test_what_other_threads_solve_is_not_counted() -> None:
    with counted() as efforts, ThreadPoolExecutor(1) as pool:
        pool.submit(solved).result()
    assert efforts.calls == 0


def test_the_same_is_counted_however_long_it_takes() -> None:
    name = "recipe2plan/timed/Vada_Chocolate-Cake"
    first = measure(CASES[name])
    exact.solve(load(name))
    assert measure(CASES[name]) == first
