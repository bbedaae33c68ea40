"""Answers of models as ParaCook's released code reads them, to the letter."""

from __future__ import annotations

import json
import re

from planoracle.instances.errors import PlanError
from planoracle.instances.outputs.messages import chat_in, contents, is_agents


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
