"""One plan has one verdict in every wrapping, also if it cannot be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from planoracle.analysis.grading.grader import Grader
from planoracle.instances.files import catalog
from planoracle.solver.solve import solve
from tests.support.plan_formats import PROBLEMS, PlanSteps, optimal_steps, submission_of
from tests.support.wrappings import WRAPPINGS, respelled

#: AsyncHow asks for an answer in words, in which other text is no plan.
NAMES = [name for name in PROBLEMS if name != "asynchow"]


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text)


#: Spellings of steps that are in the language of no benchmark.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "underscores": lambda text: "_".join(_tokens(text)),
    "brackets": lambda text: f"do[{'; '.join(_tokens(text))}]",
    "arrows": lambda text: " => ".join(_tokens(text)),
}


def grade(name: str, plan: object) -> dict[str, Any]:
    return Grader().grade(submission_of(name, plan)).row()


@pytest.mark.parametrize("name", NAMES)
def test_optimal_plan_succeeds_in_every_wrapping(name: str) -> None:
    plan = optimal_steps(PROBLEMS[name])
    rows = {wrapping: grade(name, wrap(plan)) for wrapping, wrap in WRAPPINGS.items()}
    assert {wrapping: row["reason"] for wrapping, row in rows.items() if not row["success"]} == {}
    assert len({row["makespan"] for row in rows.values()}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_plan_in_an_unknown_spelling_has_one_verdict_in_every_wrapping(name: str) -> None:
    plan = optimal_steps(PROBLEMS[name])
    for spell in SPELLINGS.values():
        rows = {wrapping: grade(name, wrap(respelled(plan, spell))) for wrapping, wrap in WRAPPINGS.items()}
        verdicts = {wrapping: (row["scored"], row["success"]) for wrapping, row in rows.items()}
        assert len(set(verdicts.values())) == 1, verdicts
        for row in rows.values():
            assert row["success"] or "could not be read" in row["reason"] or "exactly one Step" in row["reason"]


GRID = "paracook/cook/own/seed_1/agent_num_2/orders_num_1"
#: Words of actions in an unknown spelling.
GRID_WORDS = {"MoveTo": "go", "Interact": "use", "Process": "work on", "Finish": "stop", "Wait": "idle"}


def grid_wrappings(plan: dict[str, list[dict[str, Any]]]) -> dict[str, object]:
    """Return a plan for a grid kitchen in every wrapping: for each cook, or action by action."""
    as_json = json.dumps(plan)
    lines, sections, rows = list[str](), list[str](), list[str]()
    for cook, actions in plan.items():
        sections.append(f"**{cook}**")
        for number, action in enumerate(actions, 1):
            argument = action.get("target", action.get("duration"))
            places = ", ".join(map(str, argument)) if isinstance(argument, list) else argument
            call = action["action"] if argument is None else f"{action['action']}({places})"
            lines.append(f"{cook}: {call}")
            sections.append(f"{number}. {call}")
            rows.append(f"| {cook} | {call} |")
    by_cook = [{"agent": cook, "actions": actions} for cook, actions in plan.items()]
    flat = [{"agent": entry["agent"], **action} for entry in by_cook for action in entry["actions"]]
    return {
        "object": plan,
        "object with a plan": {"plan": plan},
        "JSON text": as_json,
        "fenced block": f"```json\n{as_json}\n```",
        "JSON in a sentence": f"I propose {as_json} as the plan.",
        "lines": "\n".join(lines),
        "list of lines": lines,
        "sections": "\n".join(sections),
        "list of cooks": by_cook,
        "list of actions": flat,
        "list of actions as text": json.dumps(flat),
        "table": "| cook | action |\n|---|---|\n" + "\n".join(rows),
        "message": [{"role": "assistant", "content": as_json}],
        "message with sections": {"messages": [{"role": "assistant", "content": "\n".join(sections)}]},
    }


def test_plan_for_a_grid_kitchen_has_one_verdict_in_every_wrapping() -> None:
    plan = bundled_plan(GRID)
    for right, actions in ((True, plan), (False, with_words(plan, GRID_WORDS))):
        wrapped = grid_wrappings(actions)
        rows = {
            name: Grader().grade({"id": "x", "instance": GRID, "plan": entry}).row() for name, entry in wrapped.items()
        }
        verdicts = {name: (row["scored"], row["success"]) for name, row in rows.items()}
        assert set(verdicts.values()) == {(True, True) if right else (False, None)}, verdicts


def with_words(plan: dict[str, list[dict[str, Any]]], words: dict[str, str]) -> dict[str, list[dict[str, Any]]]:
    return {
        cook: [{**action, "action": words[action["action"]]} for action in actions] for cook, actions in plan.items()
    }


def bundled_plan(name: str) -> dict[str, list[dict[str, Any]]]:
    text = solve(catalog.problem(name)).plan
    assert isinstance(text, str)
    plan: dict[str, list[dict[str, Any]]] = json.loads(text)
    return plan


def test_reason_quotes_the_first_unread_line_of_the_text_and_a_right_line() -> None:
    steps = ["zap(the cup, quickly)", "boil(kettle)", "brew(tea)"]
    for plan in (steps, json.dumps(steps), "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))):
        row = Grader().grade({"id": "x", "instance": "timearena/household1", "plan": plan}).row()
        assert "'zap(the cup, quickly)'" in row["reason"]
        assert "a line that can be read is 'brew tea with teapot'" in row["reason"]


def test_plan_steps_of_a_wrapping_keep_their_number() -> None:
    plan = PlanSteps(["a b", "c d"], ["a b", "c d"], ())
    assert respelled(plan, SPELLINGS["underscores"]).texts == ["a_b", "c_d"]
