"""Live runs in kitchens: commands, orders that arrive, and the agent that plays optimally."""

from __future__ import annotations

import pytest

from planoracle import environment
from planoracle.instances.benchmarks.asyncplanning.problems import load
from planoracle.instances.benchmarks.generic.rules import MAX_REFUSALS
from planoracle.instances.errors import InputError
from planoracle.instances.model.schedule import Piece

FISH = load("asyncplanning/robo/easy/easy_02_fried_fish_plate")
EPISODE = load("asyncplanning/online/easy/online_easy_02_fried_fish_plate")
MENU = load("asyncplanning/robo/hard_optimization/hard_optimization_01_deadline_menu")


def test_short_commands_start_now_and_lines_at_their_time() -> None:
    run = environment(FISH)
    for message in ("I start: \nfry fish", "stack plate", "8: (stack fish) [1]"):
        run.step(message)
    assert run.done
    assert run.success
    assert run.run().verdict.makespan == 9000


def test_legal_waits_do_not_tell_when_an_order_arrives() -> None:
    run = environment(EPISODE)
    waits = [command.text for command in run.legal() if command.kind == "wait"]
    assert waits == ["wait 3600"]
    run.step(waits[0])
    assert run.observation.clock == 2000


def test_an_order_is_unknown_before_it_arrives() -> None:
    run = environment(EPISODE)
    texts = [run.introduction(), run.instructions(), *(command.text for command in run.legal())]
    assert not any("online_" in text for text in texts)
    refused = run.step("cut online_cut_02_11")
    assert refused.outcomes[0].kind == "lost"
    assert "online_cut_02_11" not in refused.observation.text
    assert not any(command.text.startswith(("2.", "4.")) for command in run.legal())
    arrived = run.step("wait 30")
    assert "online_cut_02_11" in arrived.observation.text
    assert run.observation.clock == 2000
    assert "2.000: (cut online_cut_02_11)  [3.000]" in [command.text for command in run.legal()]


def test_a_wait_without_an_awaited_order_is_refused() -> None:
    assert environment(FISH).step("wait 3").outcomes[0].violation.kind == "no_wait"


def test_forced_piece_is_not_checked_by_the_general_rules() -> None:
    simulator = environment(FISH).simulator
    early = Piece("fish/stack", 0, 1000, None)
    for is_forced, kind in ((False, "lost"), (True, "act")):
        _, [step] = simulator.apply(simulator.initial(), early, force=is_forced)
        assert step.kind == kind


def test_run_ends_after_too_many_refusals() -> None:
    run = environment(FISH)
    for _ in range(MAX_REFUSALS + 1):
        assert not run.done
        refused = run.step("wait 3")
    assert refused.observation.over == "too_many_refusals"
    assert not run.success


def test_waits_are_part_of_the_submission_and_no_action() -> None:
    run = environment(EPISODE)
    run.step("wait 1.5")
    replay = run.run()
    assert replay.points[replay.stop].state.clock == 1500
    assert replay.stop == len(replay.steps) == 1
    assert replay.outcome.lines == ()


def test_with_rewards_the_agent_decides_when_to_end() -> None:
    run = environment(MENU)
    run.step("cut robot1 lettuce01")
    assert not run.done
    run.step("Finish")
    assert run.done
    assert run.success
    assert run.run().weight == 4


def test_whole_episodes_are_not_asked_for_in_one_answer() -> None:
    with pytest.raises(InputError, match="orders arrive"):
        environment(EPISODE, loop="open").instructions()
