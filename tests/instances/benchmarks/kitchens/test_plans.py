"""Submitted plans of Robotouille: lists, logs, prose, hostile text, refusals, and the replay."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from planoracle.instances.benchmarks.kitchens.domain import bundled
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Goal
from planoracle.instances.benchmarks.kitchens.language import extract, match, render
from planoracle.instances.benchmarks.kitchens.simulation import REFUSALS, as_replay, reaches_goal, trace
from planoracle.instances.errors import PlanError, UnknownNameError
from planoracle.instances.protocol import registry
from tests.support.line_counter import count_lines
from tests.support.robotouille import GRILL, KITCHENS, SOUP, actions_of, kitchen
from tests.support.samples import sample

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
MOVE, COOK, WAIT = "Move robot1 from table1 to stove1", "Cook patty1 on stove1 using robot1", "Do nothing"
BURGER = [MOVE, COOK, WAIT]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(BURGER),
        "1. Move robot1 from table1 to stove1\n2) Cook patty1 on stove1 using robot1\n\n3. Do nothing.",
        "- **move ROBOT1 from table1 to stove1**\n* cook  patty1 on\tstove1 using robot1;\n> do nothing",
        "First I move robot1 from table1 to stove1, then I cook patty1 on stove1 using robot1. Then I do nothing!",
        f"Reasoning: I could cut onion1 on board1 using robot1.\nAction: {MOVE}\n\nAction: {COOK}\nAction: {WAIT}",
        f"Action 1: {MOVE}\n**Action 2:** {COOK}\nAction: `{WAIT}`\nAction: Finish\nAction: {MOVE}",
        f"Plan: cook patty1 on stove1 using robot1\n...\nPlan:\n{MOVE}\n{COOK}\n{WAIT}",
        json.dumps(BURGER),
    ],
)
def test_actions_are_read_from_texts_and_logs(text: str) -> None:
    assert actions_of(text, PAPER) == actions_of(text, RELEASED) == BURGER


def test_lists_keep_every_entry() -> None:
    submission = [{"action": f" {MOVE}\n"}, "cook patty1 on stove1 using robot1", "", "Teleport robot1 home"]
    assert actions_of(submission, RELEASED) == [MOVE, "cook patty1 on stove1 using robot1", "", "Teleport robot1 home"]
    assert actions_of(submission, PAPER) == [MOVE, COOK, "", "Teleport robot1 home"]
    assert actions_of(f"Action: fly away\nAction: {WAIT}") == ["fly away", WAIT]


@pytest.mark.parametrize(
    "submission", [None, 3, {"actions": []}, [3], [["Do nothing"]], [{"act": "Do nothing"}], [None]]
)
def test_malformed_submissions_are_rejected(submission: Any) -> None:
    with pytest.raises(PlanError, match="actions"):
        actions_of(submission)


def test_every_action_round_trips_as_text() -> None:
    for action in bundled().actions:
        kinds = {"item": "onion", "station": "stove", "container": "pot", "player": "robot", "meal": "water"}
        binding = {param: f"{kinds[its_type]}{i}" for i, (param, its_type) in enumerate(action.params)}
        text = action.write(binding)
        assert extract(text.upper(), bundled()) == extract(f"... {text}.", bundled()) == [text]
        assert action in [schema for schema, _ in match(text, bundled())]
    assert actions_of(render(BURGER)) == BURGER


@pytest.mark.slow
@pytest.mark.parametrize("part", sample(["Move ", "move a1 from ", "Action: ", "1.", "Fill a"]))
def test_reading_long_hostile_text_takes_linear_work(part: str) -> None:
    assert len(actions_of(part * 200_000)) <= 1  # quadratic regular expressions would take hours
    few, many = (count_lines(lambda n=n: actions_of(part * n)) for n in (500, 2_000))  # type: ignore[misc]
    assert many < 5 * few


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("", "unknown_action", "not match any action"),
        ("Teleport robot1 home", "unknown_action", "not match any action"),
        ("Do nothing ", "unknown_action", "not match any action"),
        ("Move robot1 from mars to table1", "unknown_object", "mars"),
        ("Move robot1 from table1 to bread1", "unknown_object", "objects of these types"),
        ("Move robot1 from table1 to table1", "unknown_object", "objects of these types"),
        ("Move robot1 from stove1 to table1", "precondition", "loc robot1 stove1"),
        ("Cook bread1 on table1 using robot1", "precondition", "isstove table1, iscookable bread1"),
        ("Stack patty1 on top of bread2 using robot1", "precondition", "has_item robot1 patty1"),
        ("Unstack bread1 from bread2 using robot1", "precondition", "clear bread1, atop bread1 bread2"),
    ],
)
def test_refusals_state_kind_and_unmet_conditions(text: str, kind: str, words: str) -> None:
    run = trace(GRILL, [text, WAIT])
    [refusal] = run.refusals
    assert (refusal.position, refusal.kind) == (0, kind)
    assert words in refusal.message
    assert kind in REFUSALS
    assert [step.valid for step in run.steps] == [False, True]
    assert run.states[0] == run.states[1]


def test_refusals_with_hidden_objects_and_wrong_player() -> None:
    [refusal] = trace(SOUP, ["Boil pot2's contents on stove1 using robot1"]).refusals
    assert refusal.message == "needs iswater ?, in ? pot2, loc robot1 stove1"
    [refusal] = trace(KITCHENS["crowd"], ["Place pot1 on sink1 using robot1"]).refusals
    assert refusal.kind == "not_your_turn"
    assert refusal.message == "it is robot2's turn"


def test_replay_reports_events_progress_and_idle_steps() -> None:
    grill = kitchen(
        {"table1": ["bread1"], "stove1": ["patty1"]},
        traits={"patty1": ["iscookable"]},
        goal=[["iscooked", "patty#1"], ["atop", "patty#1", "bread#1"]],
    )
    actions = [MOVE, "Fly", COOK, WAIT, WAIT, WAIT, "Pick up patty1 from stove1 using robot1"]
    actions += ["Move robot1 from stove1 to table1", "Stack patty1 on top of bread1 using robot1", WAIT]
    run = trace(grill, actions)
    assert (run.success, run.end, run.steps_taken, len(run.steps)) == (True, "completed", 8, 9)
    assert [step.choices for step in run.steps] == [3, 4, 4, 3, 3, 3, 4, 3, 3]
    replay = as_replay(run)
    assert (replay.success, replay.makespan, replay.executed, replay.goal_ratio) == (True, 8, 8, 1.0)
    assert [event.progress for event in replay.events] == [0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 1]
    assert [(event.start, event.end, event.accepted) for event in replay.events][:3] == [
        (0, 1, True),
        (1, 1, False),
        (1, 2, True),
    ]
    assert [(violation.position, violation.kind) for violation in replay.violations] == [(1, "unknown_action")]
    assert replay.fatal is None
    assert replay.idle == ((2, 3), (3, 4), (4, 5))
    outcomes = [(reaches_goal(grill, actions, RELEASED, n), trace(grill, actions, RELEASED, n).success) for n in (7, 8)]
    assert outcomes == [(False, False), (True, True)]
    assert not reaches_goal(grill, actions[:8], RELEASED)
    half = as_replay(trace(grill, actions[:4]))
    assert (half.success, half.progress) == (False, 0.0)
    tidy = replace(grill, goal=Goal.of([["item_at", "bread1", "table1"], ["iscooked", "patty1"]]))
    take = "Pick up bread1 from table1 using robot1"
    assert [as_replay(trace(tidy, [first])).progress for first in (WAIT, take)] == [0.5, 0.0]
    limited = trace(grill, actions, limit=3)
    assert (limited.end, limited.steps_taken, len(limited.steps)) == ("limit", 3, 4)
    assert trace(grill, actions, limit=8).success


def test_profiles_set_rules() -> None:
    profile = registry.get("robotouille").rules.profile
    assert profile("released").skip_after_finish
    assert not profile("paper").skip_after_finish
    assert profile("paper", moves="joint", normalize="false").moves == "joint"
    names = [field.name for field in fields(PAPER)]
    assert names == [
        *("refuse_unread", "skip_after_finish", "moves", "normalize", "goal", "limit", "stop_at_limit"),
        *("count_refused", "price_rest"),
    ]
    with pytest.raises(UnknownNameError):
        profile("paper", moves="wild")


@pytest.mark.slow
def test_tracing_a_run_takes_linear_work() -> None:
    place = GRILL
    actions = ["Move robot1 from table1 to table2", "Move robot1 from table2 to table1", WAIT, "Fly"]
    few, many = (count_lines(lambda n=n: trace(place, actions * n)) for n in (250, 1_000))  # type: ignore[misc]
    assert many < 5 * few
