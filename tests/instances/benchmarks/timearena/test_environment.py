"""Live runs of TimeArena are what the replay of their submission says, minute by minute."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from planoracle import load
from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.language import decision, parse
from planoracle.instances.benchmarks.timearena.live import TimeArenaEnvironment
from planoracle.instances.benchmarks.timearena.rules import PROFILES, RULE_SET, Profile
from planoracle.instances.benchmarks.timearena.scenario import world
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig
from tests.support.hostile import VALUES
from tests.support.live import at_random, decisions, replayed
from tests.support.samples import sample

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
BOTH = pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
TEA = "timearena/household1"
PAIR = "timearena/household1+cooking1"


def live(name: str = TEA, rules: Profile = PAPER, limit: int | None = None, **config: Any) -> TimeArenaEnvironment:
    problem = load(name)
    assert isinstance(problem, Instance)
    one = problem if limit is None else replace(problem, time_limit=limit)
    run = registry.get("timearena").environment(one, rules, RunConfig(**config))
    assert isinstance(run, TimeArenaEnvironment)
    return run


def odd(random: Random) -> object:
    """Return a decision that may be wrong in any way, or none."""
    if random.random() < 0.2:
        return random.choice((*VALUES, {"action": random.choice(("Wait ", "wash  cup", " quit"))}))
    scene = world(PAIR)
    verb = random.choice((*scene.verbs, "sing", "sing to"))
    names = [random.choice((*scene.objects, "moon")) for _ in range(2)]
    head, gap, preposition = verb.partition(" ")
    text = f"{head} {names[0]} {preposition} {names[1]}" if gap else f"{head} {names[0]}"
    return random.choice((text, f"Thought: now or never.\nAction: {text}", text.upper(), {"action": text}))


def same(run: TimeArenaEnvironment) -> None:
    """Check all that a run says of itself against the replay of its submission."""
    whole = run.run()
    play, record = run.state.world.play, whole.record
    if whole.impossible is None:
        assert decisions(run) == replayed(run)
    assert [one for turn in run.turns for one in kinds(turn)] == [
        record.steps[minute].kind for minute in record.decision_minutes
    ] + ["exit"] * (record.end == "exit")
    assert run.observation.clock == play.minute == record.total_time
    assert (play.scores or [0])[-1] == record.score
    assert (play.executed, play.state.tasks_done) == (record.executed, record.tasks_done)
    assert {
        f"{name}: {verb}": left for (name, verb, _), left in play.state.remaining.items() if left
    } == record.remaining
    assert run.done == (record.end != "exhausted")
    assert not run.done or run.observation.over == record.end


def kinds(turn: Any) -> list[str]:
    return [one.violation or {"act": "valid", "lost": "exit"}.get(one.kind, one.kind) for one in turn.outcomes]


def compare(name: str, rules: Profile, seed: int, limit: int | None = None) -> str:
    run = live(name, rules, limit)
    same(run)
    for _ in at_random(run, seed, odd):
        same(run)
    written = json.loads(json.dumps(run.submission()))
    assert run.benchmark.run(run.problem, written, rules).record == run.run().record
    return str(run.observation.over)


@BOTH
def test_random_runs_are_what_their_submissions_replay_as(rules: Profile) -> None:
    ends = {compare(PAIR, rules, seed, limit) for seed, limit in ((0, None), (1, None), (2, 30), (3, 7), (4, 1))}
    assert ends >= {"completed", "time_out"}


@pytest.mark.slow
@BOTH
def test_a_hundred_random_runs_are_what_their_submissions_replay_as(rules: Profile) -> None:
    names = (*problems.names(), "timearena/shared/cooking1+cooking2", "timearena/shared/cooking3+cooking4+cooking5")
    ends = {compare(names[seed % len(names)], rules, seed, None if seed % 3 else seed) for seed in range(1, 101)}
    assert ends >= {"completed", "time_out"}


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(
    "name", sample([PAIR, "timearena/household4+household7", "timearena/shared/cooking1+cooking2"])
)
def test_what_is_legal_is_what_would_be_valid(rules: Profile, name: str) -> None:
    run = live(name, rules)
    scene = world(name)
    said = {"wait", "exit", "quit", "sing"}
    for verb in scene.verbs:
        head, gap, preposition = verb.partition(" ")
        others = [f" {preposition} {other}" for other in scene.objects] if gap else [""]
        said |= {f"{head} {thing}{other}" for thing in scene.objects for other in others}
    for turn, _ in enumerate(at_random(run, 5, odd, 0)):
        if run.done or turn > 25:
            break
        legal = {one.text: one.kind for one in run.legal()}
        for text in said if turn % 5 == 0 else said & legal.keys():
            [outcome] = run.fork().step(text).outcomes
            assert legal.get(text, "lost") == outcome.kind
    assert turn > 10


@BOTH
@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("wash cup", "wash cup"),
        ("Thought: the cup is dirty, so wash teapot comes later.\nAction: wash cup", "wash cup"),
        ("<think>activate kettle? No.</think>\nWash the cup.", "wash cup"),
        ("First wash cup, then activate kettle.", "wash cup"),
        ("Action: wash cup\nObservation: done\nAction: wait", "wash cup"),
        ('["wash cup", "wait"]', "wash cup"),
        ('```json\n{"action": "wash cup"}\n```', "wash cup"),
        ("I will wait.", "wait"),
        ("exit", "exit"),
        ({"content": "Now wash cup!"}, "wash cup"),
        ({"role": "assistant", "content": [{"type": "text", "text": "wash cup"}]}, "wash cup"),
        ({"action": "wash cup"}, "wash cup"),
        ("<think>wash cup, and then", ""),
        ("No idea.", "No idea."),
        ({"action": "pick moon now"}, "pick moon now"),
    ],
)
def test_what_is_said_is_read_and_handed_in_as_one_decision(rules: Profile, said: object, made: str) -> None:
    scene = world(TEA)
    assert decision(said, scene, rules) == made
    run = live(rules=rules)
    run.step(said)
    assert run.submission() == {"instance": TEA, "actions": [made], "time_limit": 40}
    assert parse(run.submission()["actions"], scene, rules) == [made]


def test_entries_of_a_list_are_taken_as_the_profile_takes_them() -> None:
    spelled = {"action": "Now WASH  cup"}
    assert decision(spelled, world(TEA), PAPER) == "wash cup"
    assert decision(spelled, world(TEA), RELEASED) == "Now WASH  cup"


def test_the_limit_comes_before_the_wrong_ones() -> None:
    for limit, end in ((5, "time_out"), (6, "five_invalid")):
        run = live(limit=limit)
        while not run.done:
            run.step("sing")
        assert (run.observation.over, run.observation.clock) == (end, 5)
        same(run)
    run = live(limit=0)
    run.step("wash cup")
    assert (run.observation.over, run.observation.clock) == ("time_out", 0)
    same(live(rules=RULE_SET.profile(max_wrong_streak=2)))


def test_a_detailed_answer_says_what_is_in_use_and_what_is_missing() -> None:
    run = live()
    texts = [
        run.step(said).observation.text
        for said in ("activate kettle", "pour kettle into cup", "brew tea with teapot", "sing", "wash cup")
    ]
    assert texts == [
        "Minute 0: activate kettle begins, and goes on by itself.\n"
        "It is minute 1, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).",
        "Minute 1: \"pour kettle into cup\" finds kettle in use by 'activate kettle' until minute 4.\n"
        "It is minute 2, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).",
        "Minute 2: \"brew tea with teapot\" comes before 'pour kettle into ...' is done.\n"
        "It is minute 3, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).",
        'Minute 3: "sing" is no action.\n'
        "It is minute 4, 0 % of the work is done. In use: kettle (activate kettle, until minute 5).",
        "Minute 4 to minute 6: wash cup is done.\nMeanwhile done: activate kettle.\n"
        "It is minute 7, 43 % of the work is done.",
    ]
    assert run.situation() == "It is minute 7, 43 % of the work is done."


def test_a_terse_answer_says_no_more_than_the_kind() -> None:
    run = live(feedback="terse")
    texts = [run.step(said).observation.text for said in ("wash cup", "wash cup", "wait", "exit")]
    assert texts[:3] == ["minute 0 to minute 2: valid", "minute 3: repeated completed", "minute 4: wait"]
    assert texts[3].endswith("The run is over: exit.")


def test_minutes_and_needs_are_told_where_they_cannot_be_found_out() -> None:
    closed, opened = live().introduction(), live(loop="open").introduction()
    assert "pour OBJ into OBJ" in closed
    assert "cup (dirty)" in closed
    assert "2 min" not in closed
    assert "- pour kettle into ...: 2 min, after activate kettle" in opened
    assert "- activate kettle: 4 min, by itself" in opened
    assert "- pour OBJ into cup: after wash cup" in opened
