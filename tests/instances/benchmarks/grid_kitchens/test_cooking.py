"""Cooking by the rules of the paper: comparison with a separate model, tick by tick."""

from __future__ import annotations

import random
from typing import Any

import pytest

from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import Thing, Ware
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, carry_out
from tests.support.grid_kitchens import FACTS, PAPER, plan, row

NEED = {one.name: one.ticks for one in FACTS.cookware}
TICKS = 400


#: Plans with cookware: fill, move, and empty onto a plate or into the trash.
COOKWARE_PLANS = (
    *("@1 meat @2 board !board board @3 stove1", "@1 meat @2 board !board board @11 stove3", "@9 rice @10 stove2"),
    *(
        "@9 rice @11 stove3",
        "@3 stove1 @11 stove3",
        "@11 stove3 @3 stove1",
        "@10 stove2 @11 stove3",
        "@3 stove1 ~9 stove1",
    ),
    *("@3 stove1 @7 trash @3 stove1", "@10 stove2 @7 trash @10 stove2", "@0 table1 @3 stove1 @7 trash @0 table1"),
    *("@0 table1 @10 stove2 @0 table1", "@0 table1 @11 stove3 @7 trash @0 table1", "~3", "~20", "~40"),
)


def wander(seed: int) -> list[dict[str, Any]]:
    """Return random actions of one cook with cookware, none of which is an error."""
    draw = random.Random(seed)
    clock = Simulation.of(row(), PAPER)
    done: list[dict[str, Any]] = []
    while clock.time < TICKS - 80:
        commands = plan(draw.choice(COOKWARE_PLANS))
        trial = clock.fork()
        trial.submit(commands)
        trial.until_decision()
        if trial.error is None:
            clock = trial
            done += commands["agent1"]
    return done


class Kettle:
    """Model of a pan or pot: ticks on a stove with contents since it was last empty."""

    def __init__(self, kind: str) -> None:
        self.kind, self.ticks, self.raw = kind, 0, list[str]()

    def pass_tick(self, on_stove: bool) -> None:
        """Advance by one tick, and cook the contents when their time is over."""
        self.ticks += on_stove and bool(self.raw)
        if self.raw and self.ticks >= NEED[self.kind] * len(self.raw):
            self.ticks, self.raw = 0, []

    def look(self, ware: Ware) -> None:
        """Update the contents to those of the simulation."""
        if not ware.contents:
            self.ticks, self.raw = 0, []
        else:
            self.raw = [food.name for food in ware.contents if food.state != "cooked"]


def _find(clock: Simulation, kind: str) -> tuple[Ware, bool]:
    """Return the only piece of cookware of a kind, and whether it is on a stove."""
    things: list[tuple[Thing, bool]] = [(thing, False) for thing in clock.world.hands]
    things += [(thing, number in clock.ground.stoves) for number, thing in enumerate(clock.world.on)]
    return next((thing, stove) for thing, stove in things if isinstance(thing, Ware) and thing.kind == kind)


@pytest.mark.parametrize("seed", range(12))
def test_food_is_cooked_after_its_ticks_on_a_stove(seed: int) -> None:
    clock = Simulation.of(row(cooks=2), PAPER)
    clock.load({"agent1": wander(seed), "agent2": [{"action": "Wait"}] * TICKS})
    kettles = {kind: Kettle(kind) for kind in NEED}
    stood = dict.fromkeys(NEED, True)
    clock.advance()
    while clock.advance():  # every tick is a moment
        for kind, kettle in kettles.items():
            kettle.pass_tick(stood[kind])
            ware, stood[kind] = _find(clock, kind)
            kettle.look(ware)
            assert (ware.remaining, ware.cooking) == (NEED[kind] * len(kettle.raw) - kettle.ticks, bool(kettle.raw))
    assert clock.error is None


def test_random_plans_produce_every_state_of_food() -> None:
    counts: dict[str, int] = {}
    for seed in range(12):
        clock = Simulation.of(row(), PAPER)
        clock.load({"agent1": wander(seed)})
        while clock.advance():
            for kind in NEED:
                for food in _find(clock, kind)[0].contents:
                    counts[f"{food.name} {food.state}"] = counts.get(f"{food.name} {food.state}", 0) + 1
    assert min(counts[food] for food in ("meat chopped", "meat cooked", "rice raw", "rice cooked")) > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_waits_of_another_cook_do_not_change_a_run(seed: int) -> None:
    actions = wander(seed)
    alone = carry_out(row(), {"agent1": actions}, PAPER)
    accompanied = carry_out(row(cooks=2), {"agent1": actions, "agent2": [{"action": "Wait"}] * TICKS}, PAPER)
    assert list(alone.trace) == [entry for entry in accompanied.trace if entry[1] == 0]
    assert alone.served_at == accompanied.served_at
    assert (alone.world.tiles[0], alone.world.hands[0]) == (accompanied.world.tiles[0], accompanied.world.hands[0])
