"""Plans for ParaCook's kitchens: lists of actions, submissions of single turns, or model output."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.grid_kitchens.language import INTERACT, as_given, doubted, is_one_plan, read_output
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.messages import chat_in, contents, is_agents
from planoracle.instances.protocol.plan import Reading

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenPlan
    from planoracle.instances.benchmarks.paracook.rules import Profile


def reading(problem: GridKitchen, submitted: object, rules: Profile) -> Reading[GridKitchenPlan]:
    """Read a plan.

    An object is a plan, and so is a list of actions or lines that name their cooks; another list that is not a chat
    contains the submissions of a closed loop, objects or texts. Text is read like the released code, see `value_of`,
    or as model output, see `planoracle.instances.benchmarks.grid_kitchens.language`.

    Raises
    ------
    PlanError
        For submissions that cannot be read.
    """
    chat = chat_in(submitted)
    if chat is None and isinstance(submitted, Mapping):
        as_object = as_given(_inner(problem, submitted))
        return doubted(as_object) if rules.refuse_unread else as_object
    if chat is None and isinstance(submitted, list):
        is_text = rules.answers != "released" and submitted and is_one_plan(submitted)
        as_plan = _output(problem, submitted, rules) if is_text else None
        if as_plan is not None and (as_plan.commands or as_plan.doubtful):
            return as_plan
        return _turns(problem, submitted, rules)
    return _text(problem, submitted, rules)


def _inner(problem: GridKitchen, submitted: Mapping[str, object]) -> Mapping[str, object]:
    """Return the plan of an object that has it as ``plan``."""
    inner = submitted.get("plan") if "plan" not in problem.agents else None
    return inner if isinstance(inner, Mapping) else submitted


def _text(problem: GridKitchen, submitted: object, rules: Profile) -> Reading[GridKitchenPlan]:
    if not isinstance(submitted, str) and chat_in(submitted) is None:
        raise PlanError(
            "must be an object with a list of actions for each cook, or text", field="plan", value=submitted
        )
    if rules.answers != "released":
        return _output(problem, submitted, rules)
    value = value_of(text_of(submitted))
    plan = value.get("plan", value) if isinstance(value, dict) else value
    if not isinstance(plan, dict):
        raise PlanError("cannot be read by the released code: it is not an object", field="plan")
    as_object = as_given(plan)
    return Reading(as_object.commands, as_object.read, "whole text", 0)


def _output(problem: GridKitchen, submitted: object, rules: Profile) -> Reading[dict[str, object]]:
    """Read model output; too many actions in unknown words count as unread."""
    output = read_output(problem, submitted)
    return doubted(output) if rules.refuse_unread else output


def _turns(problem: GridKitchen, submitted: list[object], rules: Profile) -> Reading[GridKitchenPlan]:
    """Read submissions one by one; unreadable ones stay unchanged, since they are errors of the run."""
    turns: list[object] = []
    count = 0
    for turn in submitted:
        turn_reading = _turn(problem, turn, rules)
        if turn_reading is None:
            turns.append(turn)
            continue
        turns.append(turn_reading.commands)
        count += turn_reading.read or 0
    return Reading(turns, count, "turns as given", 0)


def _turn(problem: GridKitchen, turn: object, rules: Profile) -> Reading[GridKitchenPlan] | None:
    """Read one submission, ``None`` if it cannot be read."""
    if isinstance(turn, Mapping):
        return as_given(_inner(problem, turn))
    if not isinstance(turn, str):
        return None
    try:
        text_reading = _text(problem, turn, rules)
    except PlanError:
        return None
    return text_reading if text_reading.commands else None


def right_line(problem: GridKitchen) -> str:
    """Return an action of the first cook, as an example for errors."""
    action = {"action": INTERACT, "target": next(iter(problem.by_name))}
    return json.dumps({problem.agents[0]: [action]})


def text_of(submitted: object) -> str:
    """Return the text of an answer or of the last message of a chat; raises `PlanError` for neither."""
    chat = chat_in(submitted)
    if chat is not None:
        messages = list(filter(is_agents, chat))
        parts = contents(messages[-1]) if messages else []
        texts = [part if isinstance(part, str) else json.dumps(part) for part in parts]
        submitted = "\n".join(texts)
    if not isinstance(submitted, str):
        raise PlanError("must be a plan or text", field="plan", value=submitted)
    return submitted


def value_of(text: str) -> object:
    r"""Return the JSON value of an answer; raises `PlanError` where the released code reads none.

    Text from every ``<think>`` to the next ``</think>`` and from ``//`` to the end of a line is removed. The first
    block fenced by three backquotes and ``json`` counts, or else the whole text with double instead of single quotes.

    >>> value_of("{'agent1': []}"), value_of('So:\n```json\n[["b"]] // done\n```\nor\n```json\n[]\n```')
    ({'agent1': []}, [['b']])
    """
    text = re.sub("//.*", "", _without_thinking(text))
    start = text.find("```json")
    content = start + len("```json")
    end = text.find("```", content) if start >= 0 else -1
    text = text.replace("'", '"') if end < 0 else text[content:end]
    try:
        value: object = json.loads(" ".join(text.split()))
    except (ValueError, RecursionError) as error:
        raise PlanError(f"cannot be read by the released code: {error}", field="plan") from None
    return value


def _without_thinking(text: str) -> str:
    *closed, last = text.split("</think>")
    parts = []
    for part in closed:
        before, opening, _ = part.partition("<think>")
        parts.append(before if opening else f"{part}</think>")
    return "".join([*parts, last])
