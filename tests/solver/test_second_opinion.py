"""Confirmation of infeasibility by a second run of CP-SAT, and parameters of the runs."""

from __future__ import annotations

from itertools import product

import pytest
from ortools.sat.python import cp_model_helper as cmh
from support.samples import sample
from support.scripted_solver import ScriptedSolver, limit_heuristics

from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.instances.model.state import PartialSchedule
from planoracle.solver.exact import cp_model, search_state
from planoracle.solver.exact.cp_model import MOST_WITHOUT_PRESOLVE
from planoracle.solver.exact.lexicographic import Lexicographic
from planoracle.solver.exact.search import solve, solve_on_every_tick
from planoracle.solver.exact.search_params import DEFAULT_PARAMS
from planoracle.solver.exact.search_state import SearchState
from planoracle.solver.exact.stages import run_stages
from planoracle.solver.proofs import feasibility
from planoracle.solver.repair import minimal_change
from planoracle.solver.result import Result
from planoracle.solver.states.state_solver import StateSolver

STATUSES = ("optimal", "feasible", "infeasible", "unknown")
#: Number of CP-SAT runs of `solve` if all of them are unknown.
LADDER = 7


@pytest.fixture(autouse=True)
def _brief_heuristics(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_heuristics(monkeypatch)


def machines() -> Instance:
    """Return jobs of 4, 4, 4 and 1 ticks on two machines: they take 8, although the work bound is 7."""
    use = (Mode((Demand("machine"),)),)
    jobs = tuple(Action(f"t/{k}", "t", ticks, 0, modes=use, agents=()) for k, ticks in enumerate((4, 4, 4, 1)))
    return Instance("jobs", jobs, resources=(Resource("machine", 2),))


def quarters() -> Instance:
    """Return four interruptible jobs of 70 ticks: three agents take 94, or 140 on a grid of 70 ticks."""
    jobs = tuple(Action(f"t/{k}", "t", 70, 70, interruptible=True) for k in range(4))
    return Instance("quarters", jobs, agents=("a", "b", "c"))


def without_heuristics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable heuristics: with their plan, a proof of infeasibility would be rejected at once."""
    monkeypatch.setattr(search_state, "improve", lambda *_, **__: None)
    monkeypatch.setattr(search_state, "project_of", lambda _: None)


#: Statuses of the second and third run after "infeasible", with the expected status and presence of a schedule.
AFTER_INFEASIBLE = {
    ("infeasible", "unknown"): ("infeasible", False),
    ("unknown", "unknown"): ("unknown", False),
    ("unknown", "infeasible"): ("unknown", False),  # there is no third run
    ("feasible", "optimal"): ("optimal", True),
    ("feasible", "feasible"): ("feasible", True),
    ("feasible", "infeasible"): ("feasible", True),
    ("feasible", "unknown"): ("feasible", True),
    ("optimal", "optimal"): ("optimal", True),
    ("optimal", "feasible"): ("feasible", True),
    ("optimal", "infeasible"): ("feasible", True),
    ("optimal", "unknown"): ("feasible", True),
}


@pytest.mark.parametrize("step", sample(range(LADDER), 10))
@pytest.mark.parametrize(("statuses", "expected"), AFTER_INFEASIBLE.items())
def test_infeasible_is_confirmed_by_the_next_runs(
    statuses: tuple[str, str], expected: tuple[str, bool], step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted = ScriptedSolver(monkeypatch, [*["unknown"] * step, "infeasible", *statuses])
    without_heuristics(monkeypatch)
    result = solve(machines())
    status, has_schedule = expected
    assert (result.status, result.schedule is not None) == (status, has_schedule)
    assert result.lower_bound == {"infeasible": None, "optimal": 8}.get(status, 7)
    assert scripted.calls[step][0] is not scripted.calls[step + 1][0]  # presolve on and off


def test_result_is_feasible_if_all_runs_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted = ScriptedSolver(monkeypatch)
    result = solve(machines())
    assert len(scripted.calls) == LADDER
    assert (result.status, result.lower_bound) == ("feasible", 7)  # the heuristics have a schedule


@pytest.mark.parametrize(
    ("statuses", "expected"),
    sample(
        {
            ("unknown",): ("optimal", 140, 70),  # the result of the coarse grid
            ("infeasible", "infeasible"): ("optimal", 140, 1),
            ("infeasible", "unknown"): ("feasible", 140, 1),
            ("infeasible", "feasible"): ("optimal", 94, 1),  # the schedule reaches the work bound
            ("infeasible", "optimal"): ("optimal", 94, 1),
            ("feasible",): ("optimal", 94, 1),
            ("optimal",): ("optimal", 94, 1),
        }.items(),
        several=True,
    ),
)
def test_grid_is_1_only_if_two_runs_refute_shorter_schedules(
    statuses: tuple[str, ...], expected: tuple[str, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    search = SearchState(quarters(), DEFAULT_PARAMS, 60.0, seed=0, workers=1)
    coarse = run_stages(search)
    assert (coarse.status, coarse.makespan, coarse.grid) == ("optimal", 140, 70)
    ScriptedSolver(monkeypatch, statuses)
    result = solve_on_every_tick(search, coarse)
    assert (result.status, result.makespan, result.grid) == expected


@pytest.mark.parametrize("last_status", STATUSES)
@pytest.mark.parametrize("step", range(4))
def test_state_is_infeasible_only_after_two_proofs(
    step: int, last_status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = machines()
    ScriptedSolver(monkeypatch, ["unknown", *["unknown"] * step, "infeasible", last_status])  # the first run is a probe
    value = StateSolver(instance).value(PartialSchedule())
    assert (value.status == "infeasible") == (last_status == "infeasible")
    assert value.makespan is None


@pytest.mark.parametrize("last_status", STATUSES)
@pytest.mark.parametrize("step", range(4))
def test_minimal_change_is_infeasible_only_after_two_proofs(
    step: int, last_status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted = ScriptedSolver(monkeypatch, [*["unknown"] * step, "infeasible", last_status])
    result = minimal_change.minimal_change(machines(), {})
    expected = {"infeasible": "infeasible", "unknown": "feasible"}.get(last_status, "feasible")
    assert result.status == expected
    assert scripted.calls[step][0] is not scripted.calls[step + 1][0]


@pytest.mark.parametrize("last_status", STATUSES)
def test_last_lexicographic_stage_is_infeasible_only_after_two_proofs(
    last_status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = cp_model.CpModel()
    variable = model.integer(1, 3)
    ScriptedSolver(monkeypatch, ["infeasible", last_status])
    lexicographic = Lexicographic(model, NO_LIMIT)
    assert not lexicographic.smallest_in_order([variable])
    assert lexicographic.infeasible == (last_status == "infeasible")
    assert (lexicographic.solution is not None) == (last_status in ("optimal", "feasible"))


@pytest.mark.parametrize("statuses", list(product(STATUSES, repeat=2)))
def test_conflict_requires_two_proofs_of_infeasibility(
    statuses: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feasibility, "solve", lambda instance, **_: Result(instance.name, "unknown"))
    ScriptedSolver(monkeypatch, statuses)
    feasible = {"optimal", "feasible"} & set(statuses)
    expected = "feasible" if feasible else "infeasible" if set(statuses) == {"infeasible"} else "unknown"
    assert feasibility.decide(machines(), Deadline(60.0), exact_grid=False).status == expected


# --- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, 1, 2, 8, 9, 10, 16, 64])
def test_many_workers_never_run_without_presolve(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # OR-Tools 9.15 calls feasible models infeasible with presolve off and ten or more workers; 0 means all cores.
    scripted = ScriptedSolver(monkeypatch)
    for presolve in (False, True):
        cp_model.run(cp_model.CpModel(), deadline=Deadline(1.0), workers=workers, presolve=presolve)
    (_, without, _), (_, with_presolve, _) = scripted.calls
    assert 1 <= without <= MOST_WITHOUT_PRESOLVE < 10
    assert with_presolve == max(1, workers)


def test_presolve_does_not_search_for_contained_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    # OR-Tools 9.15 calls solutions optimal that are not, after presolve with this search (or-tools issue 5293).
    genuine, parameters = cmh.SatParameters, []
    monkeypatch.setattr(cmh, "SatParameters", lambda: parameters.append(genuine()) or parameters[-1])
    cp_model.run(cp_model.CpModel(), deadline=NO_LIMIT, presolve=True)
    assert [one.presolve_inclusion_work_limit for one in parameters] == [0]


@pytest.mark.slow
def test_cp_sat_never_runs_with_many_workers_and_without_presolve(monkeypatch: pytest.MonkeyPatch) -> None:
    instance, coarse = machines(), quarters()
    scripts = [[*["unknown"] * step, "infeasible", last_status] for step in range(LADDER) for last_status in STATUSES]
    for script in scripts:
        with monkeypatch.context() as patch:
            scripted = ScriptedSolver(patch, script)
            without_heuristics(patch)
            solve(instance, workers=16)
            solve(coarse, workers=16, exact_grid=True)
            StateSolver(instance).value(PartialSchedule())
            minimal_change.minimal_change(instance, {})
            feasibility.decide(instance, Deadline(60.0), exact_grid=True)
        assert {presolve for presolve, _, _ in scripted.calls} == {True, False}
        assert 16 in {workers for _, workers, _ in scripted.calls}  # they run with presolve only
        assert all(presolve or workers < 10 for presolve, workers, _ in scripted.calls)


def test_plan_does_not_depend_on_the_number_of_workers() -> None:
    instance = load("recipe2plan/timed/Vada_Leche-Asada")
    assert solve(instance, workers=16).plan == solve(instance).plan
