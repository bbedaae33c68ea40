"""CP-SAT with the statuses of its answers written down beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from ortools.sat.python import cp_model_helper as cmh


class ScriptedSolver:
    """Stands in for CP-SAT at the one place where it is called.

    Calls get the statuses of the script in turn, later ones ``unknown``. With ``feasible`` and ``optimal`` comes a true
    solution of the model; ``infeasible`` is said of any model.

    Attributes
    ----------
    calls
        The parameters of every call: presolve, number of workers, seconds.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, script: Iterable[str] = ()) -> None:
        self.calls: list[tuple[bool, int, float]] = []
        left, genuine, calls = list(script), cmh.SolveWrapper, self.calls

        class Wrapper:
            def set_parameters(self, parameters: Any) -> None:
                self.parameters = parameters
                told = parameters.cp_model_presolve, parameters.num_workers, parameters.max_time_in_seconds
                calls.append(told)

            def solve(self, proto: Any) -> Any:
                status = left.pop(0) if left else "unknown"
                answer = cmh.CpSolverResponse()
                if status in ("feasible", "optimal"):
                    wrapper = genuine()
                    wrapper.set_parameters(cmh.SatParameters())
                    answer = wrapper.solve(proto)
                    assert list(answer.solution), "the script asks for a solution of a model that has none"
                if status == "feasible":
                    answer.best_objective_bound = 0.0  # nothing is proved
                answer.status = getattr(cmh.CpSolverStatus, status.upper())
                return answer

        monkeypatch.setattr(cmh, "SolveWrapper", Wrapper)
