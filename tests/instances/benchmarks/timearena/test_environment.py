"""Live runs of TimeArena: decisions in messages, limits, legal commands, and observations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planoracle import environment, load
from planoracle.instances.benchmarks.timearena.language import decision, parse
from planoracle.instances.benchmarks.timearena.problems import world
from planoracle.instances.benchmarks.timearena.rules import PROFILES, Profile
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
BOTH = pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
TEA = "timearena/household1"


def live(rules: Profile = PAPER, limit: int | None = None, **config: Any) -> AnyEnvironment:
    problem = load(TEA)
    assert isinstance(problem, Instance)
    one = problem if limit is None else replace(problem, time_limit=limit)
    return registry.get("timearena").environment(one, rules, RunConfig(**config))


@BOTH
@pytest.mark.parametrize(
    ("message", "command"),
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
def test_message_is_read_and_submitted_as_one_decision(rules: Profile, message: object, command: str) -> None:
    scene = world(TEA)
    assert decision(message, scene, rules) == command
    run = live(rules=rules)
    run.step(message)
    assert run.submission() == {"instance": TEA, "actions": [command], "time_limit": 40}
    assert parse(run.submission()["actions"], scene, rules) == [command]


def test_list_entries_are_normalized_by_the_paper_profile_only() -> None:
    spelled = {"action": "Now WASH  cup"}
    assert decision(spelled, world(TEA), PAPER) == "wash cup"
    assert decision(spelled, world(TEA), RELEASED) == "Now WASH  cup"


def test_time_limit_ends_the_run_before_five_wrong_decisions() -> None:
    for limit, end in ((5, "time_out"), (6, "five_invalid")):
        run = live(limit=limit)
        while not run.done:
            run.step("sing")
        assert (run.observation.over, run.observation.clock) == (end, 5)
    run = live(limit=0)
    run.step("wash cup")
    assert (run.observation.over, run.observation.clock) == ("time_out", 0)


def test_detailed_feedback_names_occupied_objects_and_unmet_prerequisites() -> None:
    run = live()
    texts = [
        run.step(message).observation.text
        for message in ("activate kettle", "pour kettle into cup", "brew tea with teapot", "sing", "wash cup")
    ]
    assert texts == [
        "Minute 0: activate kettle begins, and will take 4 min.\n"
        "It is minute 1, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).",
        "Minute 1: \"pour kettle into cup\" needs kettle, in use by 'activate kettle' until minute 4.\n"
        "It is minute 2, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).",
        "Minute 2: \"brew tea with teapot\" starts before 'pour kettle into ...' and 'wash teapot' is complete.\n"
        "It is minute 3, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).",
        'Minute 3: "sing" is not an action.\nMeanwhile done: activate kettle.\n'
        "It is minute 4, 25 % of the work is done.",
        "Minute 4: wash cup begins, and will take 3 min.\nMinute 6: wash cup is done.\n"
        "It is minute 7, 43 % of the work is done.",
    ]
    assert run.situation() == "It is minute 7, 43 % of the work is done."


def test_terse_feedback_contains_only_the_kind() -> None:
    run = live(feedback="terse")
    texts = [run.step(message).observation.text for message in ("wash cup", "wash cup", "wait", "exit")]
    assert texts[:3] == ["minute 0 to minute 2: valid", "minute 3: repeated completed", "minute 4: wait"]
    assert texts[3].endswith("The run is over: exit.")


def test_first_wording_of_feedback_names_autonomous_actions() -> None:
    run = live(wording=1)
    first, second = (run.step(message).observation.text for message in ("activate kettle", "wash cup"))
    assert first.startswith("Minute 0: activate kettle begins, and goes on by itself.\n")
    assert second.startswith("Minute 1 to minute 3: wash cup is done.\n")


def test_action_that_the_time_limit_ends_is_not_done() -> None:
    text = live(limit=2).step("wash cup").observation.text
    assert text.startswith("Minute 0: wash cup begins, and will take 3 min.\nMinute 1: wash cup is not done in time.\n")


def test_only_first_wording_of_an_open_loop_contains_durations_and_prerequisites() -> None:
    closed, opened = live().introduction(), live(loop="open", wording=1).introduction()
    assert live(loop="open").introduction() == closed
    assert "pour OBJ into OBJ" in closed
    assert "cup (dirty)" in closed
    assert "2 min" not in closed
    assert "- pour kettle into ...: 2 min, after activate kettle" in opened
    assert "- activate kettle: 4 min, by itself" in opened
    assert "- pour OBJ into cup: after wash cup" in opened


def test_prompt_has_a_phrase_for_each_action_but_not_its_kind():
    run = environment(load("timearena/cooking1+lab2"))
    introduction = run.introduction()
    assert "go on by themselves" not in introduction
    assert "by itself" not in introduction
    assert "- chop OBJ: cut something whole into slices" in introduction
    actions = [line for line in introduction.splitlines() if line.startswith("- ")]
    assert all(": " in line for line in actions)
    earlier = registry.get("timearena").environment(run.problem, None, RunConfig(wording=1))
    assert "Those that go on by themselves: cook OBJ in OBJ, " in earlier.introduction()


def test_every_action_of_the_bundled_tasks_has_a_phrase():
    tasks = [*("cooking", "household", "lab")]
    for name in [f"timearena/{task}{number}" for task in tasks for number in range(1, 11)]:
        lines = environment(load(name)).introduction().splitlines()
        assert [line for line in lines if line.startswith("- ") and ": " not in line] == []
