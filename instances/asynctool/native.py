"""AsyncTool in the form of chat interfaces: tools that a model can call natively, and messages that they accept.

A result may be due many turns after its call. Interfaces want every call answered at once, and nothing but calls
answered with the role ``tool``: so each call is answered in its turn, if only by a wait, and what is due later comes
within the answer to whatever is said then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from planoracle.instances.asynctool.language import read_message
from planoracle.instances.asynctool.problem import Problem

__all__ = ["exchange", "tools"]

_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
#: Types of parameters in documents of bfcl-eval, and what JSON Schema calls them.
_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
#: Parameters that a call needs for itself.
_TAKEN = {"task_id", "func_name"}


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

    A call that came as a tool call, or as an object, is answered as one; one in text stays text, and is answered as
    the user: models that were offered no tools see none.
    """
    calls = _calls(said, number)
    if not calls:
        answers = [{"role": "user", "content": answer}] if answer else []
        return [{"role": "assistant", "content": _content(said)}, *answers]
    content = _content(said) if isinstance(said, dict) and said.get("content") else ""
    made = {"role": "assistant", "content": content, "tool_calls": calls}
    others = json.dumps({"error": "not carried out: make one call a turn"})
    contents = [answer, *[others] * (len(calls) - 1)]
    return [made] + [
        {"role": "tool", "tool_call_id": call["id"], "content": text}
        for call, text in zip(calls, contents, strict=True)
    ]


def _calls(said: object, number: int) -> list[dict[str, Any]]:
    """Return the tool calls of a message that is made of them, or of one call as an object."""
    if not isinstance(said, dict):
        return []
    given = said.get("tool_calls")
    if isinstance(given, list) and given:
        functions = [
            one["function"] for one in given if isinstance(one, dict) and isinstance(one.get("function"), dict)
        ]
        if len(functions) < len(given) or not all(isinstance(one.get("name"), str) for one in functions):
            return []
        ids = [one["id"] if isinstance(one.get("id"), str) else f"call_{number}_{i}" for i, one in enumerate(given)]
        if len(set(ids)) < len(ids):
            ids = [f"call_{number}_{i}" for i in range(len(ids))]
        return [_tool_call(id, one["name"], one.get("arguments")) for id, one in zip(ids, functions, strict=True)]
    read = read_message(said) if "func_name" in said else None
    if read is None or read.call is None:
        return []
    name, params = read.call.name, read.call.params
    plain = {"task_id": read.task, **params}
    own = {"id": read.task, "func_name": name, "params": params}
    return [_tool_call(f"call_{number}", name, own if _TAKEN & params.keys() else plain)]


def _tool_call(id: str, name: str, arguments: object) -> dict[str, Any]:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": given}}


def _content(said: object) -> str:
    """Return what a message says in words."""
    if isinstance(said, str):
        return said
    content = said.get("content") if isinstance(said, dict) else None
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else "" if said is None else json.dumps(said)
