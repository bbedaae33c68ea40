"""A compiler that is there and does not work: everything is answered without it, and one warning says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_SOLVE = """
from planoracle.instances.catalogue import problem
from planoracle.instances.deadline import Work
from planoracle.solver.solve import solve
for name in {names}:
    found = solve(problem(name), time_limit=Work(5.0))
    print(found.status, found.makespan)
"""
NAMES = [
    "robotouille/synchronous/1_lettuce_sandwich",
    "kitchens/synchronous/2_lettuce_tomato_sandwich",
    "paracook/cook/own/seed_1/agent_num_1/orders_num_1",
]


@pytest.mark.parametrize("fault", ["ImportError('needs another numpy')", "OSError('no such library')"])
def test_what_is_broken_is_done_without_and_told_once(tmp_path: Path, fault: str) -> None:
    (tmp_path / "numba.py").write_text(f"raise {fault}\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _SOLVE.format(names=NAMES)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["optimal", "optimal", "feasible"]
    assert done.stderr.count("SetupWarning: numba is done without, as it cannot be imported: ") == 1
    assert fault.partition("'")[2].rstrip("')") in done.stderr
