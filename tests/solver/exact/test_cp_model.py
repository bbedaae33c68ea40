"""Interface to CP-SAT: progress reports and stops of long calls, and copies of models."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

from planoracle.instances.model.limits import NO_LIMIT, Deadline, Status
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


def test_copy_is_independent_of_its_model() -> None:
    model = CpModel()
    early, late = model.integer(0, 9), model.integer(0, 9)
    model.difference(late, early, 3)
    model.minimize(late)
    model.energetic = True
    copy = model.copy()
    copy.in_ranges(late, [(0, 1), (5, 6), (7, 9)])
    assert (copy.variables, copy.constraints, copy.energetic) == (2, model.constraints + 1, True)
    assert [run(each, deadline=NO_LIMIT).solution[late] for each in (model, copy)] == [3, 5]
    copy.in_ranges(early, [])
    assert run(copy, deadline=NO_LIMIT).status == Status.infeasible
