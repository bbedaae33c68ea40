"""Wrappings in which one plan is submitted: as text, JSON, messages or a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from tests.support.plan_formats import PlanSteps


def _lines(plan: PlanSteps) -> str:
    return "\n".join(plan.texts)


def _numbered(plan: PlanSteps) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(plan.texts, 1))


def _json(plan: PlanSteps) -> str:
    return json.dumps(list(plan.values))


def _object(plan: PlanSteps) -> str:
    return json.dumps({"thoughts": "none", "plan": list(plan.values)})


def _records(plan: PlanSteps) -> list[object]:
    """Return the steps as records; steps that are objects already stay as they are."""
    return [{"action": value} if isinstance(value, str) else value for value in plan.values]


def _table(plan: PlanSteps) -> str:
    rows = "\n".join(f"| {number} | {text} |" for number, text in enumerate(plan.texts, 1))
    return f"| # | Step |\n|---|---|\n{rows}"


def _message(content: object) -> dict[str, object]:
    return {"role": "assistant", "content": content}


def _turns(plan: PlanSteps) -> list[object]:
    if not plan.turns:
        return [_message(_lines(plan))]
    messages = list[object]()
    for text in plan.texts:
        messages += [_message(text), {"role": "user", "content": "Go on."}]
    return messages


#: Functions by name that return the plan of a submission.
WRAPPINGS: dict[str, Callable[[PlanSteps], object]] = {
    "lines": _lines,
    "numbered lines": _numbered,
    "bullets": lambda plan: "\n".join(f"- {text}" for text in plan.texts),
    "numbered lines with an introduction": lambda plan: f"Here is my plan:\n\n{_numbered(plan)}\n\nGood luck.",
    "final answer": lambda plan: f"Final answer:\n{_numbered(plan)}",
    "fenced block": lambda plan: f"The plan:\n```\n{_lines(plan)}\n```",
    "table": _table,
    "JSON text": _json,
    "JSON in a fenced block": lambda plan: f"```json\n{_json(plan)}\n```",
    "JSON in a sentence": lambda plan: f"I propose {_json(plan)} as the plan.",
    "object as text": _object,
    "object in a fenced block": lambda plan: f"```json\n{_object(plan)}\n```",
    "object in a sentence": lambda plan: f"So: {_object(plan)}",
    "list": lambda plan: list(plan.values),
    "list of texts": lambda plan: list(plan.texts),
    "list of records": _records,
    "records in a sentence": lambda plan: f"My plan: {json.dumps(_records(plan))}",
    "object": lambda plan: {"plan": list(plan.values)},
    "message": lambda plan: [_message(_numbered(plan))],
    "message with JSON": lambda plan: {"messages": [_message(_json(plan))]},
    "messages": _turns,
}


def respelled(plan: PlanSteps, spell: Callable[[str], str]) -> PlanSteps:
    """Return a plan whose steps are texts in another spelling."""
    texts: Sequence[str] = [spell(text) for text in plan.texts]
    return PlanSteps(texts, texts, (), plan.turns)
