"""Live runs in kitchens: what is told step by step is what the replay of the submission says."""

from __future__ import annotations

import json
import pickle
import random
from copy import deepcopy
from dataclasses import replace

import pytest

from planoracle import load
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.language import MAX_ACTIONS
from planoracle.instances.benchmarks.kitchens.live import ATTEMPTS, TRIES, KitchenEnvironment
from planoracle.instances.benchmarks.kitchens.rules import PROFILES
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import Observation, RunConfig
from planoracle.instances.protocol.simulator import LegalCommand
from tests.support.robotouille import KITCHENS
from tests.support.samples import sample

FREE = RunConfig(bounded=False)
RULES = {
    "paper": PROFILES["paper"],
    "released": PROFILES["released"],
    "joint": replace(PROFILES["paper"], moves="joint"),
}
NAMES = (
    "robotouille/asynchronous/5_potato_soup@42",
    "kitchens/multi_agent/3_lettuce_fried_chicken_fried_onion_burger",
    "kitchens/synchronous/3_burger~3",
)


def live(kitchen: Kitchen, rules: str = "paper", config: RunConfig = FREE) -> KitchenEnvironment:
    made = registry.of(kitchen).environment(kitchen, RULES[rules], config)
    assert isinstance(made, KitchenEnvironment)
    return made


def utterance(rng: random.Random, run: KitchenEnvironment, legal: list[LegalCommand]) -> object:
    """Return something to say: mostly a legal action, however written."""
    text = rng.choice(legal).text
    players = run.problem.players
    odd = text.replace("1", str(rng.randint(1, 3)))
    return rng.choice(
        [
            *[text] * 6,
            f"Thought: {odd}?\nAction: {text}",
            f"  1. **{text.upper() if rng.random() < 0.3 else text}**.",
            {"action": text},
            [text, odd],
            f'{{"action": "{text}"}}',
            odd,
            f"Action: {odd}",
            f"Action: fly to {odd}",
            "Let me think about it",
            {player: rng.choice([text, odd, "Do nothing", 3]) for player in players if rng.random() < 0.7},
            json.dumps({player: rng.choice([text, odd, "Do nothing"]) for player in players}),
        ]
    )


def check(run: KitchenEnvironment) -> None:
    """Hold what was told against the replay of the submission."""
    replayed = run.run()
    outcomes = [one for turn in run.turns for one in turn.outcomes]
    told = [tuple(one)[:5] for one in outcomes if one.violation != "unreadable" and one.kind != "close"]
    assert told == [
        (one.command, one.kind, one.start, one.end, one.violation and one.violation.kind) for one in replayed.steps
    ]
    world, record = run.state.world, replayed.record
    assert world.state == record.states[-1]
    assert (world.done, world.steps, world.tried) == (len(replayed.legal), record.steps_taken, len(record.steps))
    assert run.observation.clock == world.done
    assert replayed.success == (world.end == "completed")
    assert (record.end == "limit") == (run.observation.over == "step_limit")


def wander(kitchen: Kitchen, rules: str, config: RunConfig, seed: int, steps: int) -> KitchenEnvironment:
    rng = random.Random(seed)
    run = live(kitchen, rules, config)
    for _ in range(steps):
        if run.done:
            assert run.legal() == ()
            break
        legal = list(run.legal())
        before, state = len(run.turns), run.state
        seen = run.step(utterance(rng, run, legal)).observation
        assert len(run.turns) == before + 1
        assert (seen.player is None) == (len(kitchen.players) == 1)
        check(run)
        if rng.random() < 0.1:
            run.restore(state)
            check(run)
    return run


@pytest.mark.parametrize("rules", sample(RULES))
@pytest.mark.parametrize("name", sample([*NAMES, *KITCHENS]))
def test_every_step_is_what_the_replay_says(name: str, rules: str) -> None:
    kitchen = KITCHENS[name] if name in KITCHENS else load(name)
    for config in (FREE, RunConfig(feedback="terse")):
        wander(kitchen, rules, config, hash(config.bounded) + len(name), 25)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_a_hundred_random_runs(rules: str) -> None:
    names = ["robotouille", "kitchens/multi_agent", "kitchens/asynchronous@7", "kitchens/synchronous"]
    from planoracle.instances.files import catalog

    pool = [name for one in names for name in catalog.expand([one])]
    rng = random.Random(17)
    for seed in range(100):
        wander(load(rng.choice(pool)), rules, RunConfig(bounded=seed % 2 == 0), seed, 60)


def test_a_run_is_bounded_as_in_the_paper() -> None:
    run = live(load("robotouille/asynchronous/5_potato_soup@42"), config=RunConfig())
    assert run.step_limit == 31  # 21 steps are the optimum
    for _ in range(31):
        assert not run.done
        run.step("jump")
        run.step("Do nothing")
    assert run.observation.over == "step_limit"
    assert run.submission()["limit"] == 31
    check(run)
    published = registry.of(run.problem).environment(run.problem, replace(PROFILES["paper"], limit="published"))
    assert isinstance(published, KitchenEnvironment)
    assert published.step_limit == 28  # 1.5 times 19
    # Where nothing is known without solving: 30 steps for each of three conditions, or 100, of every player.
    assert live(KITCHENS["soup"], config=RunConfig()).step_limit == 100
    assert live(KITCHENS["crowd"], config=RunConfig()).step_limit == 300
    assert live(KITCHENS["crowd"], "joint", RunConfig()).step_limit == 100
    assert live(KITCHENS["soup"]).step_limit is None


@pytest.mark.parametrize("rules", RULES)
def test_no_success_is_cut_off(rules: str) -> None:
    for name in ("robotouille", "kitchens"):
        benchmark = registry.get(name)
        for kitchen in map(load, sorted(benchmark.optima)[::20]):
            limit = live(kitchen, rules, RunConfig()).step_limit
            known = [way["makespan"] for way in benchmark.optima[kitchen.name] if way["status"] == "optimal"]
            rounds = len(kitchen.players) if rules == "joint" else 1
            assert limit is not None
            assert all(limit >= 3 * makespan // (2 * rounds) for makespan in known)


def test_a_run_ends_when_no_action_can_be_had() -> None:
    run = live(KITCHENS["soup"], config=RunConfig())
    for _ in range(TRIES * ATTEMPTS - 1):
        run.step("Hm")
    run.step("Do nothing")
    assert not run.done
    for _ in range(TRIES):
        assert not run.done
        run.step("Action: fly")
    assert run.observation.over == "refused"
    free = live(KITCHENS["soup"])
    for _ in range(TRIES * ATTEMPTS):
        free.step("Hm")
    assert not free.done


@pytest.mark.slow
def test_long_runs_end_and_can_be_copied_and_shown() -> None:
    run = live(KITCHENS["soup"])
    while not run.done:
        run.step("Do nothing")
    assert run.observation.over == "action_limit"
    assert len(run.turns) == MAX_ACTIONS
    assert deepcopy(run).submission() == run.submission()
    assert "Do nothing" in repr(run.state)
    assert run.run().record.steps_taken == MAX_ACTIONS


def test_finish_hands_in() -> None:
    run = live(KITCHENS["soup"])
    assert run.step("Thought: enough\nAction: Finish").observation.over == "handed_in"
    assert run.submission()["actions"] == []
    check(run)


def test_a_joint_message_is_a_round() -> None:
    run = live(KITCHENS["crowd"], "joint")
    assert run.problem.players == ("robot2", "robot1", "robot3")
    said = {"robot3": "Pick up bread9 from table2 using robot3", "robot2": "Move robot2 from stove1 to board1"}
    found = run.step(said)
    assert [(one.command, one.kind) for one in found.outcomes] == [
        ("Move robot2 from stove1 to board1", "act"),
        ("Do nothing", "act"),
        ("Pick up bread9 from table2 using robot3", "lost"),
        ("Do nothing", "act"),
    ]
    assert (run.state.world.steps, found.observation.player) == (1, "robot2")
    cut = run.step(json.dumps({"robot2": "Cut lettuce1 on board1 using robot2", "robot3": ""}))
    assert [one.kind for one in cut.outcomes] == ["act"] * 3
    assert run.state.world.steps == 2
    run.step("Cut lettuce1 on board1 using robot2")
    assert run.observation.player == "robot1"
    (early,) = run.step({"robot2": "Do nothing"}).outcomes
    assert early.violation == "unreadable"
    assert "robot2 has acted in this round" in early.text
    run.step({"robot1": "Do nothing"})
    assert (run.state.world.steps, run.observation.player) == (3, "robot2")
    check(run)


def test_a_whole_plan_is_bounded_too() -> None:
    bounded = live(load(NAMES[0]), config=RunConfig(loop="open"))
    bounded.step(["Do nothing"] * 100)
    assert len(bounded.run().steps) == 31
    assert bounded.run().record.end == "limit"


def test_what_is_told() -> None:
    run = live(load("kitchens/synchronous/1_lettuce_sandwich"))
    assert "lettuce A is cut" in run.introduction()
    assert "lettuce1: cuttable" in run.introduction()
    said = run.step("Action: Cut lettuce1 on table2 using robot1").observation.text
    assert "refused, needs table2 to be board and robot1 at table2" in said
    assert "- Move robot1 from table1 to board1" in said.splitlines()
    terse = live(run.problem, config=RunConfig(feedback="terse"))
    short = terse.step("Action: Cut lettuce1 on table2 using robot1").observation.text
    assert short.splitlines()[:2] == ['"Cut lettuce1 on table2 using robot1": refused', "robot1 at table1, hands empty"]
    assert "Valid actions" not in short
    assert [one["role"] for one in terse.messages()] == ["system", "user", "assistant", "user"]


def test_texts_are_written_when_they_are_read() -> None:
    asked: list[int] = []

    def text() -> str:
        asked.append(1)
        return "so"

    seen = Observation(text, 3, over="completed")
    assert not asked
    assert (seen.text, seen.text, len(asked)) == ("so", "so", 1)
    again = pickle.loads(pickle.dumps(seen))
    assert again == seen
    assert hash(again) == hash(seen)
    assert seen != Observation("so", 4)
    assert "'so'" in repr(seen)
