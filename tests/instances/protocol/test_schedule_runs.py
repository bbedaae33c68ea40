"""Decision points of live runs and replays, and the commands that lead from one point to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest

from planoracle import environment, load
from planoracle.instances.errors import InputError
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.environment import AnyEnvironment

#: A problem of every simulator with decision points, and the ticks of a wait.
PROBLEMS = {
    "recipe2plan/timed/Cobbler_Pancakes": 60,
    "timearena/household1": 1,
    "asynctool/files_1+text_2": 1,
    "asynchow/async/829": 60,
    "paracook/abstract/own/seed_1/orders_num_2": 1,
}


class Situation(NamedTuple):
    """State of a live run with its decision point."""

    run: AnyEnvironment
    point: DecisionPoint


def situations(name: str, seed: int, *, odd: float = 0.0) -> Iterator[Situation]:
    """Yield the situations of a random run, in which some messages are no legal commands."""
    random = Random(seed)
    run = environment(load(name))
    for _ in range(15):
        yield Situation(run, run.simulator.point(run.state.world))
        if run.done:
            return
        legal = [command.text for command in run.legal()]
        run.step("nothing that means anything" if random.random() < odd else random.choice(legal))


@pytest.mark.parametrize("name", PROBLEMS)
def test_point_of_a_live_run_is_that_of_its_replay(name: str) -> None:
    for seed in range(3):
        for run, point in situations(name, seed, odd=0.2):
            replay = run.run()
            expected = replay.points[replay.stop]
            assert (point.state, point.reached, point.lost) == (expected.state, expected.reached, expected.lost)
            assert (point.grid, point.lost_reason) == (expected.grid, expected.lost_reason)


@pytest.mark.parametrize("name", PROBLEMS)
def test_choices_are_carried_out_and_lead_to_the_point_after_their_piece(name: str) -> None:
    seen = set()
    for run, point in situations(name, 0):
        if run.done:
            break
        choices = [*run.simulator.choices(point, PROBLEMS[name], run.state.world)]
        assert [*run.simulator.choices(point, PROBLEMS[name])] == choices
        for command in choices:
            seen.add(command.text)
            if command.piece is None:
                assert command.kind == "wait"
                continue
            after = run.fork()
            assert all(step.violation is None for step in after.step(command.text).outcomes), command
            expected = run.simulator.after_piece(point, command.piece)
            assert after.simulator.point(after.state.world).state == expected.state, command
    assert len(seen) > 2


def test_wait_at_the_end_of_a_run_is_a_step() -> None:
    run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))
    run.step(run.legal()[0].text)
    replay = run.run()
    before = replay.points[replay.stop]
    clock = before.state.clock
    replay.wait_until(clock + 60)
    assert (replay.steps[-1].kind, replay.steps[-1].end, replay.stop) == ("wait", clock + 60, len(replay.steps))
    assert replay.points[replay.stop].state == replace(before.state, clock=clock + 60)
    with pytest.raises(InputError, match="at least"):
        replay.wait_until(clock)
