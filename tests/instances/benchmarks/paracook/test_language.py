"""Kitchen plans in text, read like the released code or as model output."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.paracook import language
from planoracle.instances.benchmarks.paracook.rules import PROFILES
from planoracle.instances.errors import PlanError
from planoracle.instances.files.catalog import problem
from planoracle.instances.protocol import registry

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
PLAN: dict[str, list[dict[str, Any]]] = {
    "agent1": [
        {"action": "MoveTo", "target": [3, 4]},
        {"action": "Interact", "target": "dispenser1"},
        {"action": "Wait", "duration": 2},
    ],
    "agent2": [{"action": "Process", "target": "chopping_board1"}, {"action": "Finish"}],
}
TEXT, PRETTY = json.dumps(PLAN), json.dumps(PLAN, indent=2)
DRAFT = json.dumps({"agent1": [{"action": "Finish"}]})

#: Text that both profiles read like the released code.
BOTH = {
    "bare": TEXT,
    "fence": f"So:\n```json\n{PRETTY}\n```\nDone.",
    "plan": json.dumps({"thought": "x", "plan": PLAN}),
    "quotes": str(PLAN),
    "thinking": f"<think>maybe {DRAFT}</think>\n{PRETTY}",
    "thought": f"Thought: go. agent1 does it\n```json\n{TEXT}\n```",
}
#: Text that the released code does not read, or reads differently.
LENIENT = {
    "other fence": f"```\n{PRETTY}\n```",
    "comma": TEXT[:-1] + ",}",
    "other names": PRETTY.replace("agent1", "Agent 1").replace("agent2", "cook_2"),
    "one object each": json.dumps([{"agent": name, "actions": actions} for name, actions in PLAN.items()]),
    "words": json.dumps(
        {"agent1": ["MoveTo [3, 4]", "Interact dispenser1", "Wait 2"], "agent2": ["Process chopping_board1", "Finish"]}
    ),
    "headings": "agent1:\n1. MoveTo(3, 4)\n2. Interact(dispenser1)\n3. Wait(2)\n\nagent2:\n1. Process(chopping_board1)"
    "\n2. Finish",
    "lines": "- agent1: MoveTo [3,4]\n- agent1: Interact dispenser1\n- agent1: Wait 2\n"
    '- agent2: Process with target="chopping_board1"\n- agent2: Finish()',
    "bold": "**Agent 1**\n- MoveTo: (3,4)\n- Interact: `dispenser1`\n- Wait: duration=2\n\n"
    "**Agent 2**\n- Process: chopping_board1\n- Finish",
    "table": "| agent | action |\n|---|---|\n| agent1 | MoveTo(3,4) |\n| agent1 | Interact(dispenser1) |\n"
    "| agent1 | Wait(2) |\n| agent2 | Process(chopping_board1) |\n| agent2 | Finish |",
    "draft": f"First idea:\n```json\n{DRAFT}\n```\nThat is wrong. Final answer:\n```json\n{TEXT}\n```",
}


@pytest.fixture(scope="module")
def kitchen() -> GridKitchen:
    own = problem("paracook/cook/own/seed_1/agent_num_2/orders_num_2")
    assert isinstance(own, GridKitchen)
    return own


def plain(plan: object) -> object:
    """Return a plan with only the known fields of its actions."""
    assert isinstance(plan, dict)
    own = ("action", "target", "duration")
    return {name: [{key: one[key] for key in own if key in one} for one in actions] for name, actions in plan.items()}


@pytest.mark.parametrize("form", BOTH)
def test_both_profiles_read_text_like_the_released_code(kitchen: GridKitchen, form: str) -> None:
    for rules in (PAPER, RELEASED):
        result = language.reading(kitchen, BOTH[form], rules)
        assert result.commands == PLAN
        assert (result.read, result.ignored) == (5, 0)


@pytest.mark.parametrize("form", LENIENT)
def test_paper_profile_reads_model_output(kitchen: GridKitchen, form: str) -> None:
    result = language.reading(kitchen, LENIENT[form], PAPER)
    assert plain(result.commands) == PLAN
    assert not result.doubtful
    try:
        released = language.reading(kitchen, LENIENT[form], RELEASED).commands
    except PlanError:
        return
    assert released != PLAN


def test_closed_loop_turns_are_read_one_by_one(kitchen: GridKitchen) -> None:
    turns = [PLAN, TEXT, "Let me think.", 3, {}, {"plan": PLAN}]
    assert language.reading(kitchen, turns, PAPER).commands == [PLAN, PLAN, "Let me think.", 3, {}, PLAN]
    assert language.reading(kitchen, turns[:3], RELEASED).commands == [PLAN, PLAN, "Let me think."]


def test_refusal_is_an_empty_plan_and_unclear_text_is_rejected(kitchen: GridKitchen) -> None:
    refused = language.reading(kitchen, "I cannot help with that.", PAPER)
    assert (refused.commands, refused.read, refused.doubtful) == ({}, 0, False)
    for submitted in ("1. MoveTo(3, 4)\n2. Interact(dispenser1)", 7, None):
        with pytest.raises(PlanError, match="must name a cook" if isinstance(submitted, str) else "must be an object"):
            language.reading(kitchen, submitted, PAPER)
    for text in ("no plan", "[1]", '"x"', '{"plan": []}', "```json\n{'agent1': []}\n```", "{" * 100_000):
        with pytest.raises(PlanError):
            language.reading(kitchen, text, RELEASED)
    alone = problem("paracook/cook/own/seed_1/agent_num_1/orders_num_2")
    assert isinstance(alone, GridKitchen)
    one = language.reading(alone, "1. MoveTo(3, 4)\n2. Wait(0.5)\n3. Wait", PAPER).commands
    wait = {"action": "Wait"}
    assert one == {"agent1": [{"action": "MoveTo", "target": [3, 4]}, wait | {"duration": 0.5}, wait]}


def test_invalid_actions_in_an_object_are_read_and_fail_in_the_run(kitchen: GridKitchen) -> None:
    odd = {"agent1": [{"action": "Dance"}, None], "agent9": "x", "agent2": 3}
    for rules in (PAPER, RELEASED):
        assert language.reading(kitchen, odd, rules).commands == odd
        run = registry.get("paracook").run(kitchen, {"plan": odd}, rules)
        assert run.verdict.fatal is not None


def test_mutated_text_is_read_or_rejected(kitchen: GridKitchen) -> None:
    chance = random.Random(5)
    forms = [*BOTH.values(), *LENIENT.values()]
    letters = "{}[]()'\",:|*`#\n -1aé\\/"
    for _ in range(150):
        text = list(chance.choice(forms))
        for _ in range(chance.randint(1, 12)):
            place = chance.randrange(len(text))
            text[place : place + chance.randint(0, 3)] = chance.choice(letters) * chance.randint(0, 2)
        for rules in (PAPER, RELEASED):
            try:
                plan = language.reading(kitchen, "".join(text), rules).commands
            except PlanError:
                continue
            assert isinstance(plan, Mapping)
            assert all(isinstance(name, str) for name in plan)
