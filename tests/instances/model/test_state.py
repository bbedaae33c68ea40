"""Residual instances of problems with modes, windows, calendars and budgets."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

import pytest
from support.all_schedules import crew, either, rivals, sharing
from support.changed_schedules import edges
from support.model_distance import feasible_schedules
from support.model_search import ModelSearch, best_schedule
from support.random_model_instances import model_mix

from planoracle.instances.errors import InputError
from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.state import NOW, STATES, PartialSchedule, residual_instance
from planoracle.solver.exact.search import solve


def workshop() -> Model:
    """Return a task in two modes that uses up steel, and can pause."""
    model = Model("shop", agents=["ann", "bob"]).resource("saw").resource("steel", 5, renewable=False).task("t")
    model.action("cut", 4, pauses="anywhere", deadline=30, windows=[(0, 8), (10, 20)]).mode()
    return model.mode(duration=6, agents=["bob"]).uses("saw").uses("steel", 3)


def residual(instance: Instance, *pieces: Piece, clock: int) -> Instance:
    return residual_instance(instance, PartialSchedule(pieces, clock), stepwise=False)


def test_rest_of_an_action_has_the_values_of_the_chosen_mode() -> None:
    rest = residual(workshop().build(), Piece("t/cut", 1, 2, "bob", 1), clock=5)
    started, remaining = rest.by_id["t/cut#1"], rest.by_id["t/cut"]
    assert (started.duration, started.attended, started.agents) == (2, 2, ("bob",))
    assert (remaining.duration, remaining.attended, remaining.agents) == (4, 4, ("bob",))
    assert rest.variants["t/cut"][0].duration == 4
    assert (remaining.deadline, remaining.windows) == (30, ((0, 8), (10, 20)))
    assert Lag(NOW, "t/cut", 5, None) in rest.lags


def test_one_part_of_a_started_action_carries_its_budget() -> None:
    pieces = Piece("t/cut", 1, 2, "bob", 1), Piece("t/cut", 4, 1, "bob", 1)
    rest = residual(workshop().build(), *pieces, clock=5)
    amounts = {}
    for action in rest.actions[1:]:
        demands = action.modes[0].demands
        amounts[action.id] = [(demand.resource, demand.amount) for demand in demands]
    assert amounts == {"t/cut#1": [("saw", 1), ("steel", 3)], "t/cut#2": [("saw", 1)], "t/cut": [("saw", 1)]}


def test_modes_of_work_that_has_not_begun_stay() -> None:
    instance = workshop().build()
    rest = residual(instance, clock=3)
    assert rest.by_id["t/cut"].modes == instance.by_id["t/cut"].modes


def test_modes_stay_while_an_action_can_set_their_states() -> None:
    heat = Action("t/heat", "t", 2, 0, modes=(Mode((Demand("oven", sets="hot"),)), Mode()))
    bake = Action("t/bake", "t", 2, 0, modes=(Mode((Demand("oven", requires="hot"),)), Mode(duration=9)))
    instance = Instance("k", (heat, bake), resources=(Resource("oven"),))
    assert residual(instance, clock=1).by_id["t/bake"].modes == bake.modes
    for mode in (0, 1):
        rest = residual(instance, Piece("t/heat", 0, 2, "agent", mode), clock=2)
        assert rest.by_id["t/bake"].modes == bake.modes[mode:]


def test_parts_of_an_action_wait_for_its_predecessors_once() -> None:
    model = Model().task("t").action("wash", 2, attended=0).action("cut", 4, pauses="anywhere").mode(after=["wash"])
    pieces = Piece("t/wash", 0, 2, "agent"), Piece("t/cut", 2, 1, "agent"), Piece("t/cut", 4, 1, "agent")
    rest = residual(model.build(), *pieces, clock=5)
    waits = [rest.by_id[name].modes[0].after for name in ("t/cut#1", "t/cut#2", "t/cut")]
    assert waits == [("t/wash",), (), ("t/wash",)]
    assert rest.by_id[NOW].is_milestone


@pytest.mark.parametrize(
    ("capacity", "chill", "use", "start"),
    [
        (1, {}, {}, 4),
        (3, {"amount": 2}, {}, 4),
        (2, {}, {}, 3),
        (1, {"start": 2}, {}, 3),
        (1, {"sets": None}, {}, 3),
        (1, {}, {"duration": 3}, 3),
        (1, {}, {"sets": "cold"}, 3),
        (1, {}, {"modes": 2}, 3),
    ],
)
def test_use_does_not_share_the_room_of_an_earlier_command(
    capacity: int, chill: dict[str, Any], use: dict[str, Any], start: int
) -> None:
    setting = Demand("ice", chill.get("amount", 1), sets=chill.get("sets", "cold"))
    modes = (Mode((Demand("ice", sets=use.get("sets")),)),) * use.get("modes", 1)
    actions = (
        Action("t/chill", "t", 2, 0, modes=(Mode((setting,)),)),
        Action("t/use", "t", use.get("duration", 2), 0, modes=modes),
    )
    instance = Instance("k", actions, resources=(Resource("ice", capacity, "cold"),))
    state = PartialSchedule((Piece("t/chill", chill.get("start", 3), 2, "agent"),), 3)
    assert Lag(NOW, "t/use", start, None) in residual_instance(instance, state, stepwise=True).lags
    assert Lag(NOW, "t/use", 3, None) in residual_instance(instance, state, stepwise=False).lags


def test_optimum_of_the_rest_is_the_least_makespan_of_schedules_that_begin_alike() -> None:
    count = 0
    for make, seed in product((rivals, sharing, edges, either, crew), range(4)):
        instance = make(seed)
        pauses = any(action.interruptible for action in instance.actions)
        optimum = ModelSearch(instance).best().makespan
        if pauses or STATES.refusal(instance) or optimum is None:
            continue
        least: dict[tuple[int, tuple[Piece, ...]], int] = {}
        for schedule, clock in product(feasible_schedules(instance, optimum + 1), range(1, optimum + 1)):
            state = clock, tuple(piece for piece in schedule.pieces if piece.start < clock)
            least[state] = min(least.get(state, schedule.makespan), schedule.makespan)
        for (clock, pieces), makespan in islice(least.items(), 10):
            rest = residual(instance, *pieces, clock=clock)
            assert ModelSearch(rest, optimum + 1).best().makespan == makespan, (instance, clock, pieces)
            count += 1
    assert count > 50


def test_pieces_of_no_length_of_an_action_that_takes_time_have_not_begun_it() -> None:
    instance = Model().task("t").action("ring", 0).action("cut", 2).build()
    rest = residual(instance, Piece("t/ring", 1, 0, "agent"), Piece("t/cut", 1, 0, "agent"), clock=1)
    assert rest.lags == (Lag(NOW, "t/ring", 1, 1), Lag(NOW, "t/cut", 1, None))


def test_now_stays_at_tick_0_where_times_are_absolute() -> None:
    plain = Model().task("t").action("cut", 4)
    assert residual(plain.build(), clock=1).by_id[NOW].deadline is None
    with_calendar = plain.calendar("agent", [(2, 3)]).build()
    assert residual(with_calendar, clock=1).by_id[NOW].deadline == 0
    assert residual(workshop().build(), clock=1).by_id[NOW].deadline == 0


@pytest.mark.parametrize(
    ("model", "feature"),
    [
        (Model().task("t").action("cut", 4).optional(), "optional tasks"),
        (Model().task("t").action("cut", 4, place="a").travel("agent", [("a", "b", 1)]), "ways and set-up times"),
        (Model().task("t").action("cut", 4, pauses="breaks"), "pauses in breaks"),
    ],
)
def test_features_without_states_are_refused_by_name(model: Model, feature: str) -> None:
    with pytest.raises(InputError, match=f"^model: states of runs cannot respect {feature}$"):
        residual(model.build(), clock=1)


@pytest.mark.slow
def test_optimum_is_reached_from_every_state_of_an_optimal_schedule() -> None:
    states = 0
    for seed in range(100):
        problem = model_mix(seed)
        best = best_schedule(problem)
        if STATES.refusal(problem) or best.schedule is None:
            continue
        for clock in range(0, best.makespan + 1, 2):
            pieces = tuple(piece for piece in best.schedule.pieces if piece.start < clock)
            rest = residual(problem, *pieces, clock=clock)
            assert solve(rest).makespan == best.makespan, (seed, clock)
            states += 1
    assert states > 20
