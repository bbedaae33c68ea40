"""Statuses, bounds, determinism and monotonicity of the solver."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_instances import kitchen, workshop
from support.random_projects import job_shop, project
from support.samples import sample

from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.errors import InternalError
from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import WorkLimit
from planoracle.solver.exact import search_state
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.search import solve

LARGE = [
    "BBQ-Meatballs", "Chilli", "Choco", "Cobbler", "Pancakes", "Cookies", "Vada", "Okra-Fry",
]  # fmt: skip


@pytest.mark.slow
def test_all_recipe2plan_problems_are_proved_on_every_grid_and_accepted_by_the_rules():
    for name in problems.names():
        result = solve(load(name))
        assert (result.status, result.grid) == ("optimal", 1), name
        assert result.lower_bound == result.makespan == result.schedule.makespan
        assert result.plan  # rendered, parsed and replayed without an InternalError


@pytest.mark.parametrize("seed", range(30))
def test_status_makespan_and_bound_do_not_depend_on_workers_or_seed(seed):
    for instance in (kitchen(seed, 7), workshop(seed)):
        first = solve(instance)
        for other in (solve(instance, workers=2), solve(instance, seed=7)):
            assert (other.status, other.makespan, other.lower_bound) == (
                first.status,
                first.makespan,
                first.lower_bound,
            )


def test_a_time_limit_leaves_a_plan_and_a_bound():
    instance = problems.combine("large", LARGE)
    result = solve(instance, time_limit=0.0)
    assert result.status == "feasible"
    assert result.lower_bound is not None
    assert result.lower_bound <= result.makespan == result.schedule.makespan


def _pair(maximum: int | None, **options: object) -> Instance:
    first, second = Action("t/a", "t", 3, 3), Action("t/b", "t", 2, 2)
    third = Action("t/c", "t", 4, 4)
    lags = (Lag("t/a", "t/b", 0, maximum), Lag("t/a", "t/c"), Lag("t/c", "t/b"))
    return Instance("pair", (first, second, third), lags, **options)


def test_infeasible_is_proved_and_has_no_bound():
    assert solve(_pair(4)).makespan == 9
    result = solve(_pair(3))
    assert (result.status, result.makespan, result.lower_bound, result.schedule) == ("infeasible", None, None, None)
    result = solve(_pair(4, time_limit=8))
    assert (result.status, result.lower_bound) == ("infeasible", None)


def test_infeasible_by_search_is_confirmed_with_presolve_on_and_off(monkeypatch):
    # Jobs of 4, 4, 4 and 1 ticks on two machines take 8, although the work bound is 7.
    use = (Mode((Demand("machine"),)),)
    jobs = tuple(Action(f"t/{k}", "t", ticks, 0, modes=use, agents=()) for k, ticks in enumerate((4, 4, 4, 1)))
    machine = (Resource("machine", 2),)
    assert solve(Instance("jobs", jobs, resources=machine)).makespan == 8
    instance = Instance("jobs", jobs, resources=machine, time_limit=7)
    calls = []
    run = search_state.run

    def spy(model, **options):
        calls.append(options.get("presolve", False))
        return run(model, **options)

    monkeypatch.setattr(search_state, "run", spy)
    assert solve(instance).status == "infeasible"
    assert set(calls) == {True, False}


def test_schedule_that_breaks_the_rules_raises_an_internal_error(monkeypatch):
    from planoracle.solver.exact.schedule_model import ScheduleModel

    decode = ScheduleModel.schedule

    def shortened(self, solution):
        schedule = decode(self, solution)
        first = schedule.pieces[0]
        return replace(schedule, pieces=(first._replace(duration=first.duration - 60), *schedule.pieces[1:]))

    monkeypatch.setattr(ScheduleModel, "schedule", shortened)
    with pytest.raises(InternalError, match=r"rejects .* although the problem allows the schedule"):
        solve(load("recipe2plan/timed/Cobbler_Pancakes"))


@given(seed=st.integers(0, 2000), data=st.data())
def test_adding_a_constraint_never_lowers_the_optimum(seed, data):
    instance = replace(kitchen(seed), benchmark="generic")
    before = solve(instance)
    after = solve(_stricter(instance, data))
    if before.status == "infeasible":
        assert after.status == "infeasible"
    else:
        assert after.makespan is None or after.makespan >= before.makespan


def _stricter(instance, data):
    """Add a precedence between two actions, tighten the lag they have, or release one later."""
    order = data.draw(st.permutations(range(len(instance.actions))))
    one, two = sorted(order[:2], key=instance.order.index) if len(order) > 1 else (order[0], order[0])
    first, second = instance.actions[one].id, instance.actions[two].id
    existing = next((lag for lag in instance.lags if (lag.before, lag.after) == (first, second)), None)
    if one == two or data.draw(st.booleans()):
        later = data.draw(st.integers(1, 3))
        actions = (replace(a, release=later) if a.id == second else a for a in instance.actions)
        return replace(instance, actions=tuple(actions))
    if existing is None:
        return replace(instance, lags=(*instance.lags, Lag(first, second)))
    limit = 0 if existing.maximum is None else max(0, existing.maximum - 1)
    tighter = replace(existing, maximum=limit)
    return replace(instance, lags=tuple(tighter if lag is existing else lag for lag in instance.lags))


@given(seed=st.integers(0, 2000), share=st.floats(0, 1))
def test_time_limit_at_the_optimum_is_feasible_and_below_infeasible(seed, share):
    instance = workshop(seed)
    best = solve(instance).makespan
    if best is None:
        return
    assert solve(replace(instance, time_limit=best)).makespan == best
    assert solve(replace(instance, time_limit=int(share * (best - 1)))).status == "infeasible"


def test_negative_maximum_lag_separates_two_actions():
    """The lag separates the finish of one action from the start of another, like a minimum lag."""
    actions = (Action("t/a", "t", 1, 1), Action("t/b", "t", 1, 1))
    result = solve(Instance("late", actions, (Lag("t/b", "t/a", None, -100),)))
    assert (result.status, result.makespan) == ("optimal", 100)


def test_setting_does_not_share_the_capacity_of_a_piece():
    actions = (
        Action("t/heat", "t", 2, 2, modes=(Mode((Demand("oven", sets="hot"),)),), agents=("a",)),
        Action("t/keep", "t", 4, 4, interruptible=True, modes=(Mode((Demand("oven"),)),), agents=("b",)),
    )
    result = solve(Instance("shop", actions, (), (Resource("oven", state="hot"),), agents=("a", "b")))
    assert (result.status, result.makespan) == ("optimal", 6)


def test_use_can_start_one_tick_after_its_setting():
    uses = (Demand("oven", 1, sets="hot"), Demand("oven", 0, requires="hot"))
    heat, bake = (Action(f"t/{n}", "t", 3, 0, modes=(Mode((use,)),)) for n, use in enumerate(uses))
    result = solve(Instance("oven", (heat, bake), (), (Resource("oven"),)))
    assert (result.status, result.makespan) == ("optimal", 4)


def test_use_starts_one_tick_after_a_setting_of_duration_0():
    light = Action("t/light", "t", 0, 0, modes=(Mode((Demand("oven", sets="hot"),)),), release=3)
    bake = Action("t/bake", "t", 3, 3, modes=(Mode((Demand("oven", requires="hot"),)),))
    result = solve(Instance("p", (light, bake), resources=(Resource("oven", state="cold"),)))
    assert (result.status, result.makespan) == ("optimal", 7)


@pytest.mark.parametrize(
    ("name", "limit"),
    sample([("shop", 60.0), ("shop", WorkLimit(0.3)), ("project", 60.0), ("project", WorkLimit(1))], 3, several=True),
)
def test_one_worker_gives_the_same_schedule_twice(name, limit):
    instance = job_shop(10, 5, 1) if name == "shop" else project(25, 0)
    one, two = (solve(replace(instance), time_limit=limit) for _ in range(2))
    assert one.status == "optimal" or isinstance(limit, WorkLimit)
    assert replace(one, seconds=0.0) == replace(two, seconds=0.0)


@pytest.mark.slow
def test_number_of_workers_applies_to_all_stages(monkeypatch):
    class TwoWorkersError(Exception): ...  # ends the solve when its last stage begins, however slow the machine is

    workers = []

    def watched(model, **options):
        workers.append(options.get("workers", 1))
        if workers[-1] == 2:
            raise TwoWorkersError
        return run(model, **options | {"deterministic": 1e-4})

    monkeypatch.setattr(search_state, "run", watched)
    solve(job_shop(8, 8, 1), time_limit=WorkLimit(0.2), workers=1)
    assert set(workers) == {1}
    with pytest.raises(TwoWorkersError):
        solve(job_shop(8, 8, 1), time_limit=WorkLimit(1), workers=2)
