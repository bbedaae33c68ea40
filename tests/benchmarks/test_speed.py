"""Time single solves with pytest-benchmark: ``pytest tests/benchmarks`` (see ``conftest.py``)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from planoracle.instances.catalogue import load, read
from planoracle.solver.exact.solve import solve
from tests.support.made import project

pytest.importorskip("pytest_benchmark")

LITERATURE = Path(__file__).resolve().parents[3] / "shared" / "literature"
BUNDLED = ("timearena/cooking1+cooking2", "asynctool/files_2", "recipe2plan/untimed/Cobbler_Pancakes")
FILES = [next(iter(sorted(LITERATURE.glob(name))), None) for name in ("rcpsp_max/j10/*.sch", "rcpsp/j30/*.sm")]


@pytest.mark.parametrize(
    "instance",
    [*map(load, BUNDLED), *(read(str(file))[0] for file in FILES if file), *(project(n, 1) for n in (10, 20, 30))],
    ids=lambda instance: instance.name,
)
def test_solving(benchmark, instance) -> None:
    """An instance from memory to the answer, model building included; every run on a fresh copy."""
    answer = benchmark.pedantic(solve, setup=lambda: ((replace(instance),), {"time_limit": 10.0}), rounds=5)
    assert answer.status.settled
