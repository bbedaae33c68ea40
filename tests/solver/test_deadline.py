"""Timeouts: results stay valid, models that are too large are not built, and effort is limited."""

from __future__ import annotations

from itertools import count, pairwise
from random import Random
from threading import Timer
from time import monotonic

import pytest
from support.random_instances import job_shop, kitchen, workshop
from support.samples import sample
from support.scripted_solver import ScriptedSolver, limit_heuristics

from planoracle.heuristics.generation import generate_serial
from planoracle.heuristics.improve import improve
from planoracle.instances.benchmarks.kitchens import problems as kitchens
from planoracle.instances.model import limits as clock
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import Deadline, TimeOverError, WorkLimit, counted_work, deadline_of
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact import precedence, search, search_result, search_state, stages
from planoracle.solver.exact.bounds import common_tick, horizon, lower_bound, windows
from planoracle.solver.exact.model_size import model_size
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.search_params import SearchParams, SizeParams
from planoracle.solver.kitchens import heuristic as guiding
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.kitchens.goals import Roles
from planoracle.solver.proofs import certificate as certifying
from planoracle.solver.proofs import derivations
from planoracle.solver.proofs.certificate import certificate
from planoracle.solver.result import Result


class Clock:
    """Clock that stands still for a number of readings and then is past every deadline."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
        self.looks = 0
        self._last = looks
        monkeypatch.setattr(clock, "perf_counter", self)

    def __call__(self) -> float:
        self.looks += 1
        return 0.0 if self.looks <= self._last else 1e9


def soups(tasks: int, ovens: int = 2) -> Instance:
    """Return tasks for two cooks: chop, heat an oven, bake in that state, serve in time."""
    random, actions, lags = Random(tasks), [], []
    for t in range(tasks):
        oven, state = f"oven{random.randrange(ovens)}", random.choice(("180", "220"))
        heat, bake = (Mode((Demand(oven, sets=state),)),), (Mode((Demand(oven, requires=state),)),)
        actions += [
            Action(f"{t}/chop", f"{t}", d := random.randint(2, 9), d, interruptible=True),
            Action(f"{t}/heat", f"{t}", 5, 0, modes=heat),
            Action(f"{t}/bake", f"{t}", random.randint(9, 30), 0, modes=bake),
            Action(f"{t}/serve", f"{t}", 2, 2),
        ]
        lags += [Lag(f"{t}/chop", f"{t}/bake"), Lag(f"{t}/heat", f"{t}/bake"), Lag(f"{t}/bake", f"{t}/serve", 0, 90)]
    resources = tuple(Resource(f"oven{n}", state="off") for n in range(ovens))
    return Instance("soups", tuple(actions), tuple(lags), resources, agents=("a", "b"))


def machines(jobs: int = 4, **options: int) -> Instance:
    """Return jobs on two machines; four of them take 8, although the work bound is 7."""
    use = (Mode((Demand("machine"),)),)
    actions = tuple(Action(f"t/{n}", "t", 1 + 3 * ((n + 1) % 4 > 0), 0, modes=use, agents=()) for n in range(jobs))
    return Instance("machines", actions, resources=(Resource("machine", 2),), **options)  # type: ignore[arg-type]


def _honest(result: Result, instance: Instance, optimum: int | None) -> None:
    """Check a result against the known optimum of the instance (``None``: infeasible)."""
    if result.schedule is not None:
        assert list(find_violations(instance, result.schedule)) == []
        assert result.makespan == result.schedule.makespan
    if optimum is None:
        assert result.status in ("infeasible", "unknown")
        return
    assert result.status == ("unknown" if result.schedule is None else "feasible") or result.makespan == optimum
    assert result.lower_bound is not None
    assert result.lower_bound <= optimum <= (result.makespan or optimum)
    assert result.status != "optimal" or result.lower_bound == result.makespan


@pytest.mark.parametrize("name", ["kitchen", "workshop", "machines", "soups"])
def test_results_are_valid_at_any_timeout(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    instances = {
        "kitchen": lambda: [kitchen(seed, 8) for seed in range(12)],
        "workshop": lambda: [workshop(seed) for seed in range(12)],
        "machines": lambda: [machines(), machines(time_limit=7), machines(jobs=14)],
        "soups": lambda: [soups(3)],
    }[name]()
    most = 0
    for instance in instances:
        truth = solve(instance)
        assert truth.status in ("optimal", "infeasible")
        for looks in count(1):
            with monkeypatch.context() as patch:
                fake_clock = Clock(patch, looks)
                result = solve(instance, exact_grid=bool(looks % 2))
            _honest(result, instance, truth.makespan)
            if fake_clock.looks <= looks:  # no timeout
                assert (result.status, result.schedule) == (truth.status, truth.schedule)
                break
        most = max(most, looks)
    assert most > 4


@pytest.mark.parametrize("last_status", sample(["unknown", "infeasible"]))
def test_timeout_at_any_stage_is_feasible_or_unknown(last_status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = machines()
    for looks in (*range(1, 60), 1_000_000):
        with monkeypatch.context() as patch:
            limit_heuristics(patch)
            scripted = ScriptedSolver(patch, [*["unknown"] * 6, last_status])
            fake_clock = Clock(patch, looks)
            result = solve(instance)
        _honest(result, instance, 8)
        assert result.status == ("feasible" if result.schedule is not None else "unknown")
    assert fake_clock.looks < looks
    assert len(scripted.calls) == 7  # infeasible contradicts the plan of the heuristics


@pytest.mark.parametrize("looks", sample([1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597], 10))
def test_results_of_a_large_instance_are_valid_at_any_timeout(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = soups(30)
    least = lower_bound(instance, windows(instance))
    with monkeypatch.context() as patch:
        Clock(patch, looks)
        for module in (search, search_result, search_state, stages):
            patch.setattr(module, "run", lambda *_, **__: pytest.fail("no search in this test"))
        result = solve(instance, params=with_models_up_to(5_000))
    _honest(result, instance, result.makespan)
    assert result.schedule is not None
    assert least <= (result.lower_bound or 0) <= (result.makespan or 0)


def test_deadline_is_checked_while_a_model_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = soups(60)
    bounds, step = ordered_windows(instance), common_tick(instance)
    for looks in (1, 5, 50):
        with monkeypatch.context() as patch:
            fake_clock = Clock(patch, looks)
            with pytest.raises(TimeOverError):
                ScheduleModel(instance, bounds, step, 0, horizon(instance), deadline=Deadline(60.0))
            assert fake_clock.looks == looks + 1  # no reading after the timeout


def test_starts_beside_work_are_counted() -> None:
    work = Action("t/chop", "t", 5, 5), Action("t/cut", "t", 4, 4)
    boils = (Action(f"t/boil{n}", "t", 3 + n % 7, 0) for n in range(300))
    instance = Instance("kitchen", (*work, *boils))
    with pytest.raises(TimeOverError):
        ScheduleModel(instance, ordered_windows(instance), 1, 9, 40, deadline=deadline_of(WorkLimit(0.02)))


@pytest.mark.parametrize(
    "instance", sample([soups(3), machines(), kitchen(3, 8)]), ids=["soups", "machines", "kitchen"]
)
def test_certificates_are_valid_at_any_timeout(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivations, "_BATCH", 20_000)
    result = solve(instance)
    bounds = []
    for looks in count(4):  # the limit itself takes three readings
        with monkeypatch.context() as patch:
            fake_clock = Clock(patch, looks)
            proof = certificate(instance, result.makespan, result.schedule, time_limit=60.0)
        bounds.append(-1 if proof is None else proof.bound)
        if fake_clock.looks <= looks:  # no timeout
            break
        assert fake_clock.looks == looks + 1  # no reading after the timeout
    assert bounds[0] == -1  # nothing was proved
    assert bounds == sorted(bounds)
    assert bounds[-1] <= (result.makespan or 0)
    assert len(bounds) > 10


def test_counted_work_ends_the_search_for_a_proof() -> None:
    instance = soups(60)
    before = counted_work()
    proof = certificate(instance, time_limit=WorkLimit(0.5))
    assert counted_work() - before < 0.6e9
    assert proof is not None


def test_certificate_of_many_actions_is_the_critical_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certifying, "Arguments", lambda *_: pytest.fail("a table is made"))
    monkeypatch.setattr(certifying, "MOST_ACTIONS", 11)
    proof = certificate(soups(3))
    assert proof is not None
    assert proof.kind == "critical path"


def with_models_up_to(size: int) -> SearchParams:
    """Return parameters that limit the size of models."""
    return SearchParams(sizes=SizeParams(max_model=size))


def test_too_large_model_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = machines()
    size = model_size(instance, ordered_windows(instance), common_tick(instance))
    right = solve(instance, time_limit=20.0)
    result = solve(instance, time_limit=20.0, params=with_models_up_to(size))
    assert result.schedule == right.schedule
    monkeypatch.setattr(search_state, "ScheduleModel", lambda *_, **__: pytest.fail("a model is made"))
    result = solve(instance, time_limit=WorkLimit(0.1), params=with_models_up_to(size - 1))
    assert (result.status, result.proof) == ("feasible", "model too large for the time limit")
    _honest(result, instance, right.makespan)
    slow = SearchParams(sizes=SizeParams(max_model=10**9, max_model_per_second=4 * (size - 1)))
    assert solve(instance, time_limit=0.25, params=slow).proof == result.proof


def _families() -> list[Instance]:
    alone = tuple(Action(f"t/{n}", "t", 3 + n % 4, (3 + n % 4) * (n % 2)) for n in range(60))
    chain = tuple(Lag(one.id, two.id, 0, 40 if n % 3 else None) for n, (one, two) in enumerate(pairwise(alone)))
    pausing = tuple(Action(f"t/{n}", "t", 1 + n % 5, (1 + n % 5) * (n % 3 > 0), True) for n in range(40))
    choices = tuple(Mode((Demand(f"r{k}"),)) for k in range(6))
    choosing = tuple(Action(f"t/{n}", "t", 4, 0, modes=choices) for n in range(30))
    some = tuple(Action(f"t/{n}", "t", 4, 4 * (n % 2), agents=("a", "bc"[n % 2])) for n in range(40))
    return [
        Instance("alone", alone),
        Instance("crew", alone, agents=("a", "b", "c")),
        Instance("chain", alone, chain),
        Instance("pausing", pausing, (Lag("t/0", "t/2", 0, 9), Lag("t/1", "t/4", 0, 3))),
        Instance("choosing", choosing, resources=tuple(Resource(f"r{k}") for k in range(6))),
        Instance("some", some, agents=("a", "b", "c")),
        soups(10),
        soups(10, ovens=1),
        *(kitchen(seed, 12) for seed in range(20)),
        *(workshop(seed) for seed in range(20)),
    ]


def test_model_size_is_estimated_before_the_model_is_built() -> None:
    for instance in _families():
        bounds, step = ordered_windows(instance), common_tick(instance)
        if not bounds.consistent:
            continue
        model = ScheduleModel(instance, bounds, step, lower_bound(instance, bounds), horizon(instance), ordering=True)
        size = model.model.variables + model.model.constraints
        assert size - 30 <= 1.1 * model_size(instance, bounds, step), instance.name
        assert model_size(instance, bounds, step) <= 3 * size + 30, instance.name


@pytest.mark.parametrize("name", ["synchronous/0_cheese_sandwich", "synchronous/3_burger"])
def test_results_of_kitchens_are_valid_at_any_timeout(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = kitchens.kitchen(f"kitchens/{name}")
    truth = plan(problem)
    statuses = set()
    for looks in (1, 2, 3, 5, 8, 20, 50, 120, 300, 800, 10**9):
        with monkeypatch.context() as patch:
            Clock(patch, looks)
            result = plan(problem)
        statuses.add(result.status)
        assert result.status in ("optimal", "feasible", "unknown")
        assert (result.status == "unknown") == (result.makespan is None)
        assert (result.lower_bound or 0) <= (truth.makespan or 0) <= (result.makespan or 10**6)
        assert result.status != "optimal" or result.actions == truth.actions
    assert statuses >= {"optimal", "unknown"}


def test_kitchen_with_too_many_role_assignments_is_searched_without_a_heuristic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = kitchens.kitchen("kitchens/synchronous/0_cheese_sandwich")
    truth = plan(problem)
    monkeypatch.setattr(guiding, "_MOST_WAYS", 0)
    monkeypatch.setattr(Roles, "groups", lambda _: pytest.fail("all ways are listed"))
    assert plan(problem).makespan == truth.makespan


# --- effort ----------------------------------------------------------------------------------------


def test_contradictory_lags_are_detected_in_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    # The chain must end one tick too early: Bellman-Ford alone would need as many passes as there are nodes.
    chain = tuple(Action(f"t/{n}", "t", 3, 0, agents=()) for n in range(300))
    lags = [Lag(one.id, two.id) for one, two in pairwise(chain)]
    instance = Instance("chain", chain[::-1], (*lags, Lag("t/0", "t/299", None, 3 * 298 - 1)))
    looked = []
    monkeypatch.setattr(Deadline, "over", lambda self: bool(looked.append(self)))
    assert windows(instance).fault == "the time lags contradict each other"
    assert len(looked) < 5
    assert windows(Instance("chain", chain[::-1], tuple(lags))).head == [3 * n for n in reversed(range(300))]
    assert len(looked) < 10


def test_contradiction_of_a_large_instance_is_not_searched_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precedence, "_NODES", 0)
    chain = tuple(Action(f"t/{n}", "t", 3, 0, agents=()) for n in range(300))
    lags = [Lag(one.id, two.id) for one, two in pairwise(chain)]
    instance = Instance("chain", chain, (*lags, Lag("t/0", "t/299", None, 3 * 298 - 1)))
    assert ordered_windows(instance, Deadline(0.0)).consistent
    assert not ordered_windows(instance).consistent


def test_interrupted_path_computation_gives_valid_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precedence, "_NODES", 0)
    for seed in range(60):
        instance = workshop(seed)
        full = windows(instance)
        early = ordered_windows(instance, Deadline(0.0))
        if full.consistent:
            assert early.consistent
            assert all(one <= two for one, two in zip(early.head + early.tail, full.head + full.tail, strict=True))


@pytest.mark.slow
def test_heuristic_schedules_without_time_pass_the_rules() -> None:
    for seed in range(80):
        for instance in (kitchen(seed, 9), workshop(seed), soups(1 + seed % 30)):
            timetable = improve(instance, iterations=0, deadline=Deadline(0.0))
            if timetable is not None:
                limit = instance.time_limit
                faults = [v.kind for v in find_violations(instance, timetable.schedule())]
                assert set(faults) <= ({"time_limit"} if limit is not None else set())


def test_heuristic_appends_remaining_actions_after_the_deadline() -> None:
    instance = Instance("wide", tuple(Action(f"t/{n}", "t", 5, 0) for n in range(200)))
    at_leisure, in_haste = (
        generate_serial(instance, [0.0] * 200, over=lambda work, late=late: late) for late in (False, True)
    )
    assert at_leisure is not None
    assert in_haste is not None
    assert at_leisure.makespan == 5
    ahead = in_haste.start.count(0)
    assert 1 < ahead < 100  # until the clock is read
    assert sorted(start for start in in_haste.start if start) == [5 * n for n in range(1, 201 - ahead)]


@pytest.mark.slow
def test_heuristic_sets_a_changed_state_again() -> None:
    # With one oven, a state is overwritten before its use unless the heuristic sets it again at the end.
    instance = soups(40, ovens=1)
    timetable = improve(instance, iterations=0)
    assert timetable is not None
    assert list(find_violations(instance, timetable.schedule())) == []


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_stopped_deadline_ends_the_search_at_once(workers: int) -> None:
    deadline, began = Deadline(600.0), monotonic()
    timer = Timer(3.0, deadline.stopped.set)
    timer.start()
    result = solve(job_shop(), time_limit=deadline, workers=workers)
    assert monotonic() - began < 10
    assert result.status == "feasible"
    _honest(result, job_shop(), result.makespan)
