"""AsyncTool in the form of chat interfaces: tools that a model can call natively, and messages that they accept.

A result may be due many turns after its call. Interfaces want every call answered at once, and nothing but calls
answered with the role ``tool``: so each call is answered in its turn, if only by a wait, and what is due later comes
within the answer to whatever is said then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from planoracle.instances.asynctool.language import MAX_MESSAGE, read_message
from planoracle.instances.asynctool.problem import Problem
from planoracle.instances.errors import InputError
from planoracle.instances.outputs.values import values_in
from planoracle.instances.reading import load_json

__all__ = ["exchange", "tools"]

_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
#: Types of parameters in documents of bfcl-eval, and what JSON Schema calls them.
_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
#: Parameters that a call needs for itself.
_TAKEN = {"task_id", "func_name"}
#: Names of functions that interfaces accept.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def tools(problem: Problem) -> list[dict[str, Any]]:
    """Return the functions of all tasks, each once, with the task that it is called for as a parameter ``task_id``.

    Where functions of one name differ from task to task, or have such a parameter of their own, a call has ``id``,
    ``func_name`` and ``params``.

    >>> from planoracle.instances.asynctool.sets import problem
    >>> found = tools(problem("asynctool/files_1+files_2"))[0]["function"]
    >>> found["name"], found["parameters"]["properties"]["task_id"]["enum"], found["parameters"]["required"]
    ('enter_folder', ['files_1', 'files_2'], ['task_id', 'name'])
    """
    offers: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for task in problem.tasks:
        for name, document in task.documents.items():
            offers.setdefault(name, []).append((task.id, document))
    return [{"type": "function", "function": _function(name, found)} for name, found in offers.items()]


def _function(name: str, offers: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    documents: list[dict[str, Any]] = []
    for _, document in offers:
        documents += [document] if document not in documents else []
    described = " / ".join(str(document["description"]) for document in documents if document.get("description"))
    which = {"type": "string", "enum": [task for task, _ in offers], "description": "id of the task"}
    schemas = [_schema(document.get("parameters") or _OBJECT) for document in documents]
    whole = schemas[0]
    own = whole.get("properties", {})
    if len(schemas) == 1 and not _TAKEN & own.keys():
        required = ["task_id", *whole.get("required", ())]
        whole = {**whole, "properties": {"task_id": which, **own}, "required": required}
    else:
        params = whole if len(schemas) == 1 else {"anyOf": schemas}
        properties = {"id": which, "func_name": {"type": "string", "enum": [name]}, "params": params}
        whole = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": described, "parameters": whole}


def _schema(document: Any) -> Any:
    """Return a schema with the types that JSON Schema has."""
    if isinstance(document, list):
        return list(map(_schema, document))
    if not isinstance(document, Mapping):
        return document
    found = {key: _schema(value) for key, value in document.items()}
    kind = found.get("type")
    if isinstance(kind, str) and kind in _TYPES:
        found["type"] = _TYPES[kind]
    return {key: value for key, value in found.items() if key != "type" or value is not None}


def exchange(said: object, number: int, answer: str) -> list[dict[str, Any]]:
    """Return a message of the agent, a JSON value, and its answer.

    A call that came as a tool call (also as JSON behind a text), or as an object, is answered as one. A call in text
    stays text and is answered as the user, for models that are offered no tools; and so does what interfaces refuse:
    names that no function can have, arguments that are no object.
    """
    message = _message(said)
    calls = _calls(message, number)
    if not calls:
        answers = [{"role": "user", "content": answer}] if answer else []
        return [{"role": "assistant", "content": said if isinstance(said, str) else _content(message)}, *answers]
    made = {"role": "assistant", "content": _content(message) if message.get("content") else "", "tool_calls": calls}
    others = json.dumps({"error": "not carried out: make one call a turn"})
    return [made] + [
        {"role": "tool", "tool_call_id": call["id"], "content": others if place else answer}
        for place, call in enumerate(calls)
    ]


def _message(said: object) -> dict[str, Any]:
    """Return what was said as a message; text may have tool calls as JSON behind it."""
    if isinstance(said, dict):
        return said
    if isinstance(said, str) and '"tool_calls"' in said[:MAX_MESSAGE]:
        for start, _, value in values_in(said[:MAX_MESSAGE], lists=False)[0]:
            if isinstance(value, dict) and "tool_calls" in value:
                return {"content": said[:start].strip(), **value}
    return {"content": said if isinstance(said, str) or said is None else json.dumps(said)}


def _calls(message: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Return the tool calls of a message, each with an id of its own; none if there is one that interfaces refuse."""
    given = message.get("tool_calls")
    if "func_name" in message and not given:
        read = read_message(message).call
        if read is None:
            return []
        own = {"id": message["id"], "func_name": read.name, "params": read.params}
        beside = {"task_id": message["id"], **read.params}
        given = [{"function": {"name": read.name, "arguments": own if _TAKEN & read.params.keys() else beside}}]
    found: dict[str, dict[str, Any]] = {}
    for place, one in enumerate(given if isinstance(given, list) else ()):
        function = one.get("function") if isinstance(one, dict) else None
        name, arguments = (function.get("name"), function.get("arguments")) if isinstance(function, dict) else ("", "")
        if not (isinstance(name, str) and _NAME.fullmatch(name) and _is_object(arguments)):
            return []
        id = one.get("id")
        id = id if isinstance(id, str) and id and id not in found else f"call_{number}_{place}"
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        found[id] = {"id": id, "type": "function", "function": {"name": name, "arguments": text}}
    return list(found.values())


def _is_object(arguments: object) -> bool:
    """Whether arguments are an object, be it written as JSON."""
    if not isinstance(arguments, str):
        return isinstance(arguments, dict)
    try:
        return isinstance(load_json(arguments, "arguments"), dict)
    except InputError:
        return False


def _content(message: dict[str, Any]) -> str:
    """Return what a message says in words."""
    content = message.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    if isinstance(content, str):
        return content
    return json.dumps(message) if message.keys() - {"content", "role"} else ""
