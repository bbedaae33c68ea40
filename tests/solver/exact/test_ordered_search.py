"""Search without CP-SAT: it finds optimal schedules or none, and refutes no feasible makespan."""

from dataclasses import replace

import pytest
from support.random_agent_instances import agent_workshop, interruption_workshop
from support.random_instances import kitchen, ovens, workshop
from support.samples import sample

from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import NO_LIMIT
from planoracle.solver.exact import search_state, stages
from planoracle.solver.exact.ordered_search import schedule_in_order
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.search import solve


def alone(instance: Instance) -> Instance | None:
    """Return the instance for one agent with the first mode of each action; ``None`` if it is invalid."""
    actions = tuple(
        replace(action, agents=() if action.agents == () else None, modes=action.modes[:1])
        for action in instance.actions
    )
    try:
        return replace(instance, actions=actions, agents=("one",), benchmark="generic", origin=None)
    except InputError:
        return None


FAMILIES = {
    "workshop": (lambda seed: alone(workshop(seed)), 10),
    "crewshop": (lambda seed: alone(agent_workshop(seed)), 15),
    "pauseshop": (lambda seed: alone(interruption_workshop(seed)), 15),
    "ovens": (lambda seed: alone(ovens(seed)), 6),
    "kitchen": (lambda seed: kitchen(seed, 8), 15),
}


@pytest.mark.parametrize("block", sample(range(4), 4))
@pytest.mark.parametrize("family", sample(FAMILIES))
def test_results_are_the_same_without_ordered_search(family, block, monkeypatch):
    make, least = FAMILIES[family]
    scheduled = raised = 0

    def watched(instance, bounds, step, bound, most, deadline):
        nonlocal scheduled, raised
        schedule, proved = schedule_in_order(instance, bounds, step, bound, most, deadline)
        scheduled += schedule is not None
        raised += proved > bound
        return schedule, proved

    for seed in range(60 * block, 60 * block + 60):
        instance = make(seed)
        if instance is None:
            continue
        with monkeypatch.context() as patch:
            patch.setattr(stages, "schedule_in_order", watched)
            quick = solve(replace(instance))
            patch.setattr(stages, "schedule_in_order", lambda instance, bounds, step, bound, *others: (None, bound))
            slow = solve(replace(instance))
        assert (quick.status, quick.makespan, quick.grid) == (slow.status, slow.makespan, slow.grid), instance.name
    assert scheduled >= least
    assert raised or family not in ("workshop", "ovens")  # in other families the work bound is rarely too low


def test_no_model_is_built_if_a_schedule_reaches_the_bound(monkeypatch):
    monkeypatch.setattr(search_state, "ScheduleModel", None)
    for name in ("asynctool/files_2", "recipe2plan/timed/Cobbler_Okra-Fry"):
        result = solve(load(name))
        assert (result.status, result.proof) == ("optimal", "lower bound reached"), name
    hundred = tuple(Action(f"t/{n}", "t", 3, 3, modes=(Mode(), Mode())) for n in range(100))
    assert solve(Instance("hundred", hundred)).status == "optimal"


def test_unreachable_bound_is_raised():
    mode = Mode((Demand("bench", 2),))
    actions = tuple(Action(f"t/{n}", "t", 2, 0, modes=(mode,), agents=()) for n in range(2))
    instance = Instance("bench", actions, resources=(Resource("bench", 3),), agents=())
    bounds = ordered_windows(instance)
    schedule, least = schedule_in_order(instance, bounds, 1, 3, 9, NO_LIMIT)
    assert schedule is not None
    assert (schedule.makespan, least) == (4, 4)
    assert schedule_in_order(instance, bounds, 1, 2, 3, NO_LIMIT) == (None, 3)


def test_action_with_a_negative_maximum_lag_continues_without_interruption():
    knead = Action("t/knead", "t", 3, 3, interruptible=True)
    call, rise = Action("t/call", "t", 5, 1), Action("t/rise", "t", 1, 0, release=1)
    instance = Instance("dough", (call, knead, rise), (Lag("t/call", "t/knead", None, -4),))
    result = solve(instance)
    assert (result.status, result.proof) == ("optimal", "lower bound reached")


def test_ordered_search_skips_several_agents_several_modes_and_long_times():
    two = Action("t/a", "t", 3, 3, modes=(Mode(), Mode()))
    for instance in (
        Instance("modes", (two,)),
        Instance("agents", (Action("t/a", "t", 3, 3),), agents=("a", "b")),
        Instance("long", (Action("t/a", "t", 10**6, 10**6),)),
    ):
        bounds = ordered_windows(instance)
        least = instance.actions[0].duration
        assert schedule_in_order(instance, bounds, 1, least, least, NO_LIMIT) == (None, least)
