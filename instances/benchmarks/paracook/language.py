"""Plans for kitchens: a list of actions for every cook, or what was handed in turn by turn; or text that holds it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.grid_kitchens.language import as_given, found_in
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.messages import chat_in, contents, is_agents
from planoracle.instances.protocol.plan import Reading

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.grid_kitchens.run import FloorPlan
    from planoracle.instances.benchmarks.paracook.rules import Profile


def reading(problem: GridKitchen, given: object, rules: Profile) -> Reading[FloorPlan]:
    """Read a plan.

    An object is one, and a list that is no chat is what was handed in turn by turn, objects or texts. Text is read to
    the released letter, see `planoracle.instances.benchmarks.paracook.language`, or as models write, see
    `planoracle.instances.benchmarks.grid_kitchens.language`.

    Raises
    ------
    PlanError
        For what cannot be read.
    """
    chat = chat_in(given)
    if chat is None and isinstance(given, Mapping):
        return as_given(_inner(problem, given))
    if chat is None and isinstance(given, list):
        return _turns(problem, given, rules)
    return _text(problem, given, rules)


def _inner(problem: GridKitchen, given: Mapping[str, object]) -> Mapping[str, object]:
    """Return the plan of an object that has it as ``plan``."""
    inner = given.get("plan") if "plan" not in problem.agents else None
    return inner if isinstance(inner, Mapping) else given


def _text(problem: GridKitchen, given: object, rules: Profile) -> Reading[FloorPlan]:
    if not isinstance(given, str) and chat_in(given) is None:
        raise PlanError("must be an object with a list of actions for each cook, or text", field="plan", value=given)
    if rules.answers != "released":
        return found_in(problem, given)
    value = value_of(text_of(given))
    plan = value.get("plan", value) if isinstance(value, dict) else value
    if not isinstance(plan, dict):
        raise PlanError("is no answer to the released code: no object", field="plan")
    found = as_given(plan)
    return Reading(found.commands, found.read, "whole text", 0)


def _turns(problem: GridKitchen, given: list[object], rules: Profile) -> Reading[FloorPlan]:
    """Read submissions one by one; what cannot be read stays as it is, for that is an error of the run."""
    turns, count = list[object](), 0
    for one in given:
        read = _turn(problem, one, rules)
        turns.append(one if read is None else read.commands)
        count += 0 if read is None else read.read or 0
    return Reading(turns, count, "turns as given", 0)


def _turn(problem: GridKitchen, one: object, rules: Profile) -> Reading[FloorPlan] | None:
    """Read one submission, ``None`` if it cannot be read."""
    if isinstance(one, Mapping):
        return as_given(_inner(problem, one))
    if not isinstance(one, str):
        return None
    try:
        found = _text(problem, one, rules)
    except PlanError:
        return None
    return found if found.commands else None


def text_of(given: object) -> str:
    """Return the text of an answer, of a chat that of its last message; raises `PlanError` for what is neither."""
    chat = chat_in(given)
    if chat is not None:
        said = [part for one in list(filter(is_agents, chat))[-1:] for part in contents(one)]
        given = "\n".join(part if isinstance(part, str) else json.dumps(part) for part in said)
    if not isinstance(given, str):
        raise PlanError("must be a plan, or text", field="plan", value=given)
    return given


def value_of(text: str) -> object:
    r"""Return the JSON value of an answer; raises `PlanError` where the released code reads none.

    Thinking goes, from every ``<think>`` to the next ``</think>``, and all from ``//`` to the end of a line. The first
    block between three backquotes and ``json`` and three backquotes counts, else the whole text, with double quotes for
    single ones.

    >>> value_of("{'agent1': []}"), value_of('So:\n```json\n[["b"]] // done\n```\nor\n```json\n[]\n```')
    ({'agent1': []}, [['b']])
    """
    text = re.sub("//.*", "", _without_thinking(text))
    start = text.find("```json")
    end = text.find("```", start + 7) if start >= 0 else -1
    text = text.replace("'", '"') if end < 0 else text[start + 7 : end]
    try:
        value: object = json.loads(" ".join(text.split()))
    except (ValueError, RecursionError) as error:
        raise PlanError(f"is no answer to the released code: {error}", field="plan") from None
    return value


def _without_thinking(text: str) -> str:
    kept, start = [], 0
    while (begin := text.find("<think>", start)) >= 0 and (end := text.find("</think>", begin)) >= 0:
        kept.append(text[start:begin])
        start = end + len("</think>")
    return "".join([*kept, text[start:]])
