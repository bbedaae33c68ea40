"""Time single solves with pytest-benchmark, ours beside the peers.

Not part of the plain suite: run ``pytest tests/benchmarks`` (see ``conftest.py``).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.benchmarks.peers.answer import UnsupportedError
from tests.benchmarks.peers.methods import DEFAULT, OURS, available, method
from tests.benchmarks.peers.runner import judge
from tests.benchmarks.peers.sets import LITERATURE, problems

pytest.importorskip("pytest_benchmark")

#: Set and position in it.
CHOSEN = (
    ("made/10", 0),
    ("made/20", 0),
    ("made/30", 1),
    ("timearena/cooking1+cooking2", 0),
    ("asynctool", 0),
    ("recipe2plan/untimed/Cobbler_Pancakes", 0),
    ("rcpsp_max/j10", 0),
    ("rcpsp_max/ubo10", 1),
    ("rcpsp/j30", 1),
    ("jobshop", 0),
)


@pytest.mark.parametrize("name", DEFAULT)
@pytest.mark.parametrize(("label", "place"), CHOSEN, ids=[f"{label}-{place}" for label, place in CHOSEN])
def test_solving(benchmark, label: str, place: int, name: str) -> None:
    """An instance from memory to the answer, model building included; every run on a fresh copy."""
    if not available(name):
        pytest.skip(f"what {name} needs is not installed (extra bench)")
    if label.startswith(("rcpsp", "jobshop")) and not (LITERATURE / label).is_dir():
        pytest.skip(f"the originals are not here ({LITERATURE / label})")
    problem = problems(label)[place]
    benchmark.group = problem.name
    try:
        answer = benchmark.pedantic(
            method(name), setup=lambda: ((replace(problem.instance), 10.0), {}), rounds=5, warmup_rounds=1
        )
    except UnsupportedError as reason:
        pytest.skip(f"{name} cannot state it: {reason}")
    assert judge(problem.instance, answer) == ""
    if name == OURS:
        assert answer.status in ("optimal", "infeasible")
        if isinstance(problem.known, tuple):
            least, most = problem.known
            assert (least or 0) <= answer.makespan <= (most or answer.makespan)
