"""Replacement of CP-SAT that returns statuses of a script."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from ortools.sat.python import cp_model_helper as cmh

from planoracle.solver.exact.search_state import SearchState


def limit_heuristics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the heuristics of a search to a hundredth of a second of counted work."""
    monkeypatch.setattr(SearchState, "heuristics_work", 0.01)


class ScriptedSolver:
    """Replacement of CP-SAT at the only place that calls it.

    Calls return the statuses of the script in order, later calls ``unknown``. ``feasible`` and ``optimal`` come with a
    correct solution of the model; ``infeasible`` is returned for any model.

    Attributes
    ----------
    calls
        Parameters of each call: presolve, number of workers, seconds.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, script: Iterable[str] = ()) -> None:
        self.calls: list[tuple[bool, int, float]] = []
        remaining, genuine, calls = list(script), cmh.SolveWrapper, self.calls

        class Wrapper:
            def set_parameters(self, parameters: Any) -> None:
                self.parameters = parameters
                call = parameters.cp_model_presolve, parameters.num_workers, parameters.max_time_in_seconds
                calls.append(call)

            def solve(self, proto: Any) -> Any:
                status = remaining.pop(0) if remaining else "unknown"
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
