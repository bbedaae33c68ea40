"""Messages of chats: roles, contents, truncation, and the part with the command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json

#: Roles of the agent; ``None`` for a message without a role.
AGENT = ("assistant", "agent", "model", "ai", None)
#: Fields with the reason why a model stopped, and the values for a truncated answer.
STOPS = ("finish_reason", "stop_reason")
_CUT = ("length", "max_tokens", "max_output_tokens", "model_length")
_TEXTS = ("text", "output_text", None)
# Fields of the entries of logs.
_OBSERVATIONS = frozenset(("observation", "obs", "feedback", "reward", "result", "valid", "error"))


def chat_in(value: object) -> list[dict[str, Any]] | None:
    """Return the messages of a chat, a list or an object with a list; ``None`` for other values.

    >>> chat_in({"messages": [{"role": "user", "content": "Go!"}]}), chat_in([{"action": "wait"}])
    ([{'role': 'user', 'content': 'Go!'}], None)

    Parameters
    ----------
    value
        JSON value.
    """
    if isinstance(value, dict):
        choices = value.get("choices")
        if isinstance(choices, list):
            first_choices = [choice for choice in choices[:1] if isinstance(choice, dict)]
            messages = [choice["message"] for choice in first_choices if "message" in choice]
            return chat_in(messages)
        if "role" in value:
            return chat_in([value])
        return chat_in(value.get("messages"))
    if isinstance(value, list) and value and all(isinstance(message, dict) for message in value):
        return value if any("role" in message for message in value) else None
    return None


def with_texts(output: object, change: Callable[[str], str]) -> object:
    """Return a text or a chat in which a function has changed each text of the agent.

    >>> with_texts([{"role": "assistant", "content": "wash"}], str.upper)
    [{'role': 'assistant', 'content': 'WASH'}]
    """
    if isinstance(output, str):
        return change(output)
    chat = chat_in(output)
    if chat is None:
        return output
    messages = [_with_text(message, change) if is_agents(message) else message for message in chat]
    if isinstance(output, list):
        return messages
    return {"messages": messages, "finish_reason": "length" if is_cut(output) else None}


def _with_text(message: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": change(content)}
    if not isinstance(content, list):
        return message
    parts = list[object]()
    for part in content:
        is_text = isinstance(part, dict) and isinstance(part.get("text"), str)
        if is_text:
            part = {**part, "text": change(part["text"])}
        parts.append(part)
    return {**message, "content": parts}


def observed(action: str) -> dict[str, str]:
    """Return the entry of a log for an action in unknown words, which a run refused.

    >>> is_log([observed("dance")])
    True
    """
    return {"action": action, "observation": "refused"}


def is_log(entries: object) -> bool:
    """Return whether a list is the log of a run: one of its entries has an observation.

    >>> is_log([{"action": "dance", "observation": "unknown action"}]), is_log([{"step": 1, "action": "dance"}])
    (True, False)
    """
    if not isinstance(entries, list):
        return False
    logged = [entry for entry in entries if isinstance(entry, Mapping)]
    return any(not _OBSERVATIONS.isdisjoint(entry) for entry in logged)


def is_cut(value: object) -> bool:
    """Return whether a record, or its first choice, has a truncated answer.

    >>> is_cut({"choices": [{"message": {"content": "1. wash"}, "finish_reason": "length"}]})
    True
    """
    if not isinstance(value, Mapping):
        return False
    choices = value.get("choices")
    if isinstance(choices, list) and choices:
        return is_cut(choices[0])
    reasons = (str(value.get(field)).lower() for field in STOPS)
    return any(reason in _CUT for reason in reasons)


def is_agents(message: dict[str, Any]) -> bool:
    """Return whether a message is from the agent.

    Parameters
    ----------
    message
        Message of a chat.
    """
    role = message.get("role")
    if role is None:
        return True
    return isinstance(role, str) and role.lower() in AGENT


def contents(message: dict[str, Any]) -> list[object]:
    """Return the texts of a message and the arguments of its tool calls.

    Parameters
    ----------
    message
        Message of a chat.

    Examples
    --------
    >>> calls = [{"function": {"name": "act", "arguments": '{"action": "wait"}'}}]
    >>> contents({"role": "assistant", "content": [{"type": "text", "text": "So"}], "tool_calls": calls})
    ['So', {'action': 'wait'}]
    """
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    values: list[object] = []
    for part in parts:
        if isinstance(part, str):
            values.append(part)
        elif isinstance(part, dict) and part.get("type") in _TEXTS and isinstance(part.get("text"), str):
            values.append(part["text"])
        elif isinstance(part, dict) and part.get("type") == "tool_use":
            values.append(part.get("input"))
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function", call) if isinstance(call, dict) else None
        if isinstance(function, dict):
            values.append(_arguments(function))
    return [value for value in values if value]


def _arguments(function: dict[str, Any]) -> object:
    arguments = function.get("arguments", function.get("input"))
    if isinstance(arguments, str):
        try:
            arguments = load_json(arguments, "arguments")
        except InputError:
            return arguments
    return arguments or function.get("name")


_ACTION = re.compile(r"^[\s*_#>`-]{0,9}action[*_`]{0,3}\s{0,3}:", re.IGNORECASE | re.MULTILINE)
_INLINE = re.compile(r"(?<![\w\"'])action[*_`]{0,3}\s{0,3}:", re.IGNORECASE)
_FINISH = re.compile(r"^\W{0,9}(?:action\W{1,9})?finish(?:ed)?\W{0,9}$", re.IGNORECASE | re.MULTILINE)


def parts(text: str) -> Iterator[str]:
    r"""Yield the parts of a message that may contain its command, the most likely first.

    >>> list(parts("Thought: a or b?\nAction: a\nObservation: done\nAction: b"))[:2]
    ['a', 'a\nObservation: done\nAction: b']
    >>> next(parts("Thought: not a again. Action: b"))
    'b'
    >>> list(parts('{"action": "tea/boil"}'))
    ['{"action": "tea/boil"}']
    """
    marked = _ACTION.search(text) or _INLINE.search(text)
    if marked:
        behind = text[marked.end() :].strip()
        line = behind.partition("\n")[0]
        yield line
        if _FINISH.search(line):
            return
        yield behind
    yield text


def gives_up(text: str) -> bool:
    r"""Return whether a message without a command ends the run.

    >>> gives_up("Thought: that was all.\n**Action:** Finish."), gives_up("I finish the soup now.")
    (True, False)
    """
    return any(map(_FINISH.search, parts(text)))
