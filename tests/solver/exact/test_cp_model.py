"""Interface to CP-SAT: progress reports and stops of long calls, and parameters."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from ortools.sat.python import cp_model_helper

from planoracle.instances.model.limits import NO_LIMIT, Deadline, WorkLimit, deadline_of
from planoracle.solver.exact import cp_model
from planoracle.solver.exact.cp_model import CpModel, run

#: Seconds after which a scripted search gives up.
PATIENCE = 20.0


class ScriptedSearch:
    """Search that finds one solution and one bound, and ends on request."""

    def __init__(self) -> None:
        self.may_end = Event()
        self.stops = 0
        self.report_bound: Callable[[float], None] = lambda bound: None
        self.callback: Any = None

    def add_solution_callback(self, callback: Any) -> None:
        self.callback = callback

    def add_best_bound_callback(self, report_bound: Callable[[float], None]) -> None:
        self.report_bound = report_bound

    def stop_search(self) -> None:
        self.stops += 1
        self.may_end.set()

    def solve(self, proto: object) -> object:
        self.report_bound(3.0)
        if self.callback is not None:
            self.callback.ObjectiveValue = lambda: 7.0
            self.callback.OnSolutionCallback()
        self.may_end.wait(PATIENCE)
        return proto


def test_long_call_reports_the_last_value_and_bound(monkeypatch: Any) -> None:
    monkeypatch.setattr(cp_model, "_REPORT", 0.001)
    search = ScriptedSearch()
    reports: list[tuple[float | None, float | None]] = []

    def on_progress(value: float | None, bound: float | None) -> None:
        reports.append((value, bound))
        if (value, bound) == (7.0, 3.0):
            search.may_end.set()

    response = cp_model._solve(search, "proto", NO_LIMIT, on_progress)  # type: ignore[arg-type]  # scripted
    assert (response, search.stops) == ("proto", 0)
    assert reports[-1] == (7.0, 3.0)


def test_stopped_deadline_stops_a_long_call(monkeypatch: Any) -> None:
    monkeypatch.setattr(cp_model, "_REPORT", 0.001)
    search, deadline = ScriptedSearch(), Deadline(1000.0)
    deadline.stopped.set()
    assert cp_model._solve(search, "proto", deadline, None) == "proto"  # type: ignore[arg-type]  # scripted
    assert search.stops > 0


class CapturedError(Exception):
    """The parameters of a call are there."""


def captured_parameters(monkeypatch: pytest.MonkeyPatch, deadline: Deadline, options: dict[str, Any]) -> Any:
    """Return the parameters with which CP-SAT would be called."""
    captured: list[Any] = []

    class Wrapper:
        def set_parameters(self, parameters: Any) -> None:
            captured.append(parameters)
            raise CapturedError

    monkeypatch.setattr(cp_model_helper, "SolveWrapper", Wrapper)
    model = CpModel()
    model.energetic = True
    with pytest.raises(CapturedError):
        run(model, deadline=deadline, **options)
    return captured[0]


#: Of several workers without presolve some call feasible models infeasible, and so does presolve with inclusions.
SOUND = {"presolve_inclusion_work_limit": 0, "catch_sigint_signal": False}
LIGHT = {"symmetry_level": 0, "cp_model_probing_level": 0, "use_sat_inprocessing": False, "use_erwa_heuristic": True}
ENERGETIC = ("use_overload_checker_in_cumulative", "use_timetable_edge_finding_in_cumulative")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {**SOUND, "num_workers": 1, "cp_model_presolve": False, "cp_model_probing_level": 2}),
        ({"seed": 5, "linearization": 1}, {"random_seed": 5, "linearization_level": 1, "optimize_with_core": False}),
        ({"workers": 0}, {"num_workers": 1}),
        ({"workers": 12}, {**SOUND, "num_workers": 8}),
        ({"workers": 12, "presolve": True}, {**SOUND, "num_workers": 12, "cp_model_presolve": True}),
        ({"probing": False}, {"cp_model_probing_level": 0}),
        ({"energetic": False}, dict.fromkeys(ENERGETIC, False)),
        ({"halving": True}, {"binary_search_num_conflicts": 300, "use_sat_inprocessing": False}),
        ({"light": True}, {**LIGHT, "use_precedences_in_disjunctive_constraint": True}),
        ({"lean": True}, {**LIGHT, "use_precedences_in_disjunctive_constraint": False}),
    ],
)
def test_options_of_a_call_are_parameters_of_cp_sat(
    options: dict[str, Any], expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    parameters = captured_parameters(monkeypatch, NO_LIMIT, options)
    assert {name: getattr(parameters, name) for name in expected} == expected


@pytest.mark.parametrize(("deterministic", "expected"), [(None, 0.6), (0.5, 0.5), (0.7, 0.6)])
def test_counted_work_limits_the_clock_of_one_worker(
    deterministic: float | None, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadline = deadline_of(WorkLimit(3.0))
    options = {"workers": 4, "deterministic": deterministic}
    parameters = captured_parameters(monkeypatch, deadline, options)
    assert parameters.num_workers == 1
    assert parameters.max_deterministic_time == pytest.approx(expected)
