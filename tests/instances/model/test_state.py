"""Residual instances of problems with modes, windows, calendars and budgets."""

from __future__ import annotations

import pytest
from support.model_search import best_schedule
from support.random_model_instances import model_mix

from planoracle.instances.errors import InputError
from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Instance, Lag
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
