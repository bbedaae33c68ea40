"""Deterministic effort of CP-SAT calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model_helper as cmh


@dataclass(slots=True)
class Efforts:
    """Total effort of the CP-SAT calls.

    ``size`` is the number of variables and constraints of the models, ``units`` the deterministic time of CP-SAT. With
    one worker no count depends on the speed of the machine.
    """

    calls: int = 0
    size: int = 0
    branches: int = 0
    conflicts: int = 0
    units: float = 0.0


@contextmanager
def count_efforts() -> Iterator[Efforts]:
    """Count the CP-SAT calls inside the context."""
    efforts, original = Efforts(), cmh.SolveWrapper

    class Counting:
        def __init__(self) -> None:
            self.wrapper = original()
            self.set_parameters = self.wrapper.set_parameters

        def solve(self, proto: Any) -> Any:
            response = self.wrapper.solve(proto)
            efforts.calls += 1
            efforts.size += len(proto.variables) + len(proto.constraints)
            efforts.branches += response.num_branches
            efforts.conflicts += response.num_conflicts
            efforts.units += response.deterministic_time
            return response

    cmh.SolveWrapper = Counting
    try:
        yield efforts
    finally:
        cmh.SolveWrapper = original
