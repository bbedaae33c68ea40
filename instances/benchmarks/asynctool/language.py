"""Reader of AsyncTool transcripts (lists, chat logs, text) and of single messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

from planoracle.instances.benchmarks.asynctool.problem_model import CLOSE, AsyncToolProblem, Call, problem_of, too_deep
from planoracle.instances.benchmarks.asynctool.rules import PROFILES, Profile
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.characters import bare, without_thinking
from planoracle.instances.model_output.json_values import values_in, whole_value
from planoracle.instances.model_output.messages import chat_in, contents, is_agents
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.plan import Plan, Reading

#: The closing message and the wait, as an agent writes them.
CLOSING, WAIT = {"content": "ALL COMPLETED"}, {"content": "WAIT"}

#: Maximum number of messages of a run, and of characters read of one message.
MAX_MESSAGES, MAX_MESSAGE = 10_000, 100_000
#: Maximum number of characters stored of an unreadable message, and of the reason.
MAX_EXCERPT, MAX_REASON = 2_000, 200

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_UNDERSCORES = str.maketrans("_", " ")
_MESSAGE_KEYS = {"func_name", "content", "tool_calls", "role", "unreadable"}
#: Keys of which each marks an object as a message.
_MARKING_KEYS = frozenset(("func_name", "tool_calls", "role", "unreadable"))
_PHRASE = "ALL COMPLETED"
_NO_CALL = "the message contains no call"
_RESEMBLES = re.compile(
    r"func_name|[\"']arguments[\"']\s{0,9}:|^\W{0,9}[A-Za-z]\w{0,99}\((?:\w{1,99}\s{0,9}=.{0,999})?\)"
)


@dataclass(slots=True)  # not frozen, which would triple the time to make one
class AgentMessage:
    """One message of the agent as the rules read it.

    ``kind`` is ``call``, ``wait``, ``close`` or ``unreadable``; ``task`` and ``call`` describe a call. For an
    unreadable message ``reason`` states the error, and ``text`` is its beginning.
    """

    kind: str
    task: str = ""
    call: Call | None = None
    reason: str = ""
    text: str = ""


def call_message(task: str, call: Call) -> dict[str, Any]:
    """Return the message that makes a call."""
    return {"id": task, "func_name": call.name, "params": call.params}


def as_message(message: AgentMessage) -> dict[str, Any]:
    """Write a parsed message; reading it, also as the only message of a transcript, gives the same.

    >>> read_message(as_message(read_message("Let me think")))
    AgentMessage(kind='unreadable', task='', call=None, reason='the message contains no call', text='Let me think')
    """
    if message.call is not None:
        return call_message(message.task, message.call)
    if message.kind == "unreadable":
        return {"unreadable": message.reason, "text": message.text}
    return dict(CLOSING if message.kind == "close" else WAIT)


class _Messages(Grammar[object]):
    """Messages of the agent."""

    unique = True

    def __init__(self, problem: Instance) -> None:
        self.problem = problem

    @cached_property
    def _tools(self) -> list[str]:
        """Words of the tools and of the tasks."""
        tasks = problem_of(self.problem).tasks
        names = {task.id for task in tasks}
        for task in tasks:
            names.update(call.name for call in task.reference_calls)
        return [_space_words(name) for name in sorted(names)]

    def find(self, text: str) -> list[StepMatch[object]]:
        if "{" not in text:
            bare_text = bare(text)
            is_message = bare_text.lower() == "wait" or bare_text.endswith(_PHRASE)
            return [StepMatch(len(text), text)] if is_message else []
        spans, _ = values_in(text, lists=False)
        matches: list[StepMatch[object]] = []
        for start, end, value in spans:
            length = end - start
            matches += [StepMatch(length, step) for step in self.of(value) or ()]
        return matches

    def of(self, value: object) -> list[object] | None:
        if not isinstance(value, dict):
            return None
        if isinstance(value.get("function"), dict) and "func_name" not in value:
            return [{"role": "assistant", "tool_calls": [value]}]
        is_message = not _MARKING_KEYS.isdisjoint(value) or isinstance(value.get("content"), str)
        return [value] if is_message and is_agents(value) else None

    def looks(self, text: str, free: bool) -> bool:
        return _RESEMBLES.search(text[:MAX_EXCERPT]) is not None

    def mentions(self, text: str) -> bool:
        words = _space_words(text[:MAX_EXCERPT])
        names_tool = any(name in words for name in self._tools)
        return names_tool or self.looks(text, False)

    def key(self, step: object) -> str | None:
        if not isinstance(step, dict) or "func_name" not in step:
            return None
        return json.dumps(step, sort_keys=True)


class _Parts(_Messages):
    """Messages of a chat in which one message may contain several."""

    def of(self, value: object) -> list[object] | None:
        if isinstance(value, dict) and "role" in value and not value.get("tool_calls"):
            return None
        return super().of(value)


def reading(problem: Instance, submitted: Any, rules: Profile) -> Reading[list[object]]:
    """Read the agent's messages of a transcript.

    A list of messages: ``{"id", "func_name", "params"}``, ``{"content": text}``, chat messages with a ``"role"``
    (only the agent's count), text, or ``{"unreadable": reason, "text"}`` for a message that could not be read;
    an object with such a list as ``"messages"``; either of them as JSON; or the whole
    transcript as text with such objects, see `planoracle.instances.model_output` (without any it is one message).

    Raises
    ------
    PlanError
        For other submissions.
    """
    if isinstance(submitted, str):
        value = whole_value(submitted)
        is_transcript = isinstance(value, list) or (isinstance(value, dict) and chat_in(value) is not None)
        if not is_transcript:
            return _reading_of_text(problem, submitted)
        submitted = value
    if isinstance(submitted, dict) and chat_in(submitted) is None and "messages" not in submitted:
        has_list = any(isinstance(value, list) for value in submitted.values())
        as_output = read_output(submitted, _Messages(problem)) if has_list else None
        if as_output is not None and (as_output.commands or as_output.doubtful):
            return as_output
    messages = _messages_of(submitted)
    agent_messages = _agent_messages(messages)
    if _may_contain_several(agent_messages):
        result = read_output(messages, _Parts(problem))
        if len(result.commands) > 1 or (result.doubtful and rules.refuse_unread):
            return result
    unknown = _unknown_calls(agent_messages, problem, rules) if rules.refuse_unread else []
    listed: Reading[list[object]] = read_list(agent_messages)
    if len(unknown) < 2:
        return listed
    example = repr(unknown[0][:80])
    return replace(listed, read=0, unread=len(unknown), example=example)


def _reading_of_text(problem: Instance, text: str) -> Reading[list[object]]:
    """Read a transcript as text; without any readable message the text is one unreadable message."""
    result = read_output(text, _Messages(problem))
    if result.commands or not text.strip():
        return result
    return replace(result, commands=[text], read_from="whole text")


def _messages_of(submitted: Any) -> Any:
    """Return the list of messages in an object; other values as they are."""
    if not isinstance(submitted, dict):
        return submitted
    chat = chat_in(submitted)
    return submitted.get("messages") if chat is None else chat


def _agent_messages(messages: Any) -> list[Any]:
    """Return the messages of the agent; raises `PlanError` for anything but a list of messages."""
    if not isinstance(messages, list):
        raise PlanError("must be a list of messages, or text", field="turns", value=messages)
    for i, entry in enumerate(messages):
        if not isinstance(entry, dict | str):
            raise PlanError("must be a message: an object or text", field=f"turns[{i}]", value=entry)
    return [entry for entry in messages if isinstance(entry, str) or is_agents(entry)]


def _may_contain_several(messages: list[Any]) -> bool:
    """Return true if a whole transcript may be in one of the messages, or in another format."""
    if len(messages) == 1:
        message = messages[0]
        if isinstance(message, str) or "unreadable" not in message:
            return True
    return not any(_is_message_or_text(entry) for entry in messages)


def _is_message_or_text(entry: Any) -> bool:
    return isinstance(entry, str) or not _MESSAGE_KEYS.isdisjoint(entry.keys())


def _unknown_calls(messages: list[object], problem: Instance, rules: Profile) -> list[str]:
    """Return the texts that mention tools or tasks, of a transcript without any readable call; else none."""
    grammar = _Messages(problem)
    texts = list[str]()
    for message in messages:
        parsed = read_message(message, rules)
        if parsed.kind == "call" or (isinstance(message, dict) and "unreadable" in message):
            return []
        if parsed.kind == "unreadable" and grammar.mentions(parsed.text):
            texts.append(parsed.text)
    return texts


def _space_words(text: str) -> str:
    """Return the letters and digits of a text in lower case, other characters as blanks.

    >>> _space_words("files_1.enterFolder(name)")
    ' files 1 enter folder name '
    """
    words = _PARTS.findall(text.translate(_UNDERSCORES))
    return f" {' '.join(words).lower()} "


def read_message(message: Any, rules: Profile = PROFILES["paper"]) -> AgentMessage:
    """Read one message of the agent; never raises.

    A call is an object with ``id``, ``func_name`` and ``params``, alone or within text; or ``tool_calls`` of a chat,
    likewise, whose arguments are these three fields, or a ``task_id`` and the parameters of the tool. Any other message
    with a ``content`` is a wait, unless the content has the words ``ALL COMPLETED``. Other text is unreadable.

    Examples
    --------
    >>> read_message('I go on: {"id": "a", "func_name": "f", "params": {}}').kind
    'call'
    >>> [read_message(text).kind for text in ('{"content": "ALL COMPLETED"}', "Wait.", "Let me think")]
    ['close', 'wait', 'unreadable']
    """
    if isinstance(message, str):
        parsed = _text(message, rules)
        if parsed.kind != "unreadable":
            return parsed
        return replace(parsed, text=message[:MAX_EXCERPT])
    if not isinstance(message, dict):
        return AgentMessage("unreadable", reason="a message must be an object or text")
    calls = _calls(message)
    if calls:
        return _single_call(calls, rules)
    if isinstance(message.get("unreadable"), str):
        text = message.get("text")
        excerpt = text[:MAX_EXCERPT] if isinstance(text, str) else ""
        return AgentMessage("unreadable", reason=message["unreadable"][:MAX_REASON], text=excerpt)
    content = message.get("content")
    if isinstance(content, list):  # parts, as some interfaces have them
        parts = [part for part in contents(message) if isinstance(part, str)]
        content = "\n".join(parts)
    if not isinstance(content, str):
        return AgentMessage("unreadable", reason="a message must have a call or a content")
    parsed = read_message(content, rules)
    is_wait = parsed.reason == _NO_CALL and "role" not in message
    return AgentMessage("wait") if is_wait else parsed


def _text(text: str, rules: Profile) -> AgentMessage:
    if len(text) > MAX_MESSAGE:
        return AgentMessage("unreadable", reason=f"the message has more than {MAX_MESSAGE} characters")
    if not text.lstrip().startswith("{"):
        text = without_thinking(text)[0]
    spans, _ = values_in(text, lists=False)
    objects = [value for _, _, value in spans if isinstance(value, dict)]
    calls = list(chain.from_iterable(map(_calls, objects)))
    if calls:
        return _single_call(calls, rules)
    if _PHRASE in text:
        return AgentMessage("close")
    has_content = any(isinstance(entry.get("content"), str) for entry in objects)
    if has_content or text.strip(" \t\r\n.!'\"*").lower() == "wait":
        return AgentMessage("wait")
    return AgentMessage("unreadable", reason=_NO_CALL)


def _calls(entry: dict[str, Any]) -> list[AgentMessage]:
    """Return the calls of an object, which may be a native message."""
    if "func_name" in entry:
        return [_call(entry)]
    native = entry.get("tool_calls") or []
    if not isinstance(native, list):
        return [AgentMessage("unreadable", reason="tool_calls must be a list of calls")]
    return list(map(_tool_call, native))


def _single_call(calls: list[AgentMessage], rules: Profile) -> AgentMessage:
    """Return the call of a message, which is unreadable if the rules refuse several calls."""
    if len(calls) > 1 and rules.several_calls == "refused":
        return AgentMessage("unreadable", reason="the message contains several calls; only one per turn is accepted")
    return calls[0]


def _call(entry: dict[str, Any]) -> AgentMessage:
    task = entry.get("id")
    name = entry.get("func_name")
    params = entry.get("params")
    for label, value in (("id", task), ("func_name", name)):
        if not isinstance(value, str):
            return AgentMessage("unreadable", reason=f"{label} must be text")
    if not isinstance(params, dict) or too_deep(params):
        wrong = "are nested too deeply" if isinstance(params, dict) else "must be an object"
        excerpt = f"{task} {name}"[:MAX_EXCERPT]
        return AgentMessage("unreadable", reason=f"params {wrong}", text=excerpt)
    return AgentMessage("call", str(task), Call(str(name), params))


def _tool_call(entry: Any) -> AgentMessage:
    function = entry.get("function") if isinstance(entry, dict) else None
    if not isinstance(function, dict):
        return AgentMessage("unreadable", reason="a tool call must have a function")
    arguments = function.get("arguments")
    if isinstance(arguments, str) and len(arguments) <= MAX_MESSAGE:
        try:
            arguments = load_json(arguments, "arguments")
        except InputError as error:
            return AgentMessage("unreadable", reason=str(error)[:MAX_REASON])
    if not isinstance(arguments, dict):
        return AgentMessage("unreadable", reason="arguments must be an object")
    if "func_name" in arguments:
        return _call(arguments)
    task = arguments.get("task_id")
    name = function.get("name")
    params = {parameter: value for parameter, value in arguments.items() if parameter != "task_id"}
    return _call({"id": task, "func_name": name, "params": params})


def messages_by_action(problem: AsyncToolProblem) -> dict[str, dict[str, Any]]:
    """Return the message that carries out each action of the instance."""
    messages: dict[str, dict[str, Any]] = {}
    for task in problem.tasks:
        for action, call in zip(task.actions, task.reference_calls, strict=True):
            messages[action] = call_message(task.id, call)
    return messages | {CLOSE: CLOSING}


def written(problem: Instance, schedule: Schedule, clock: int = 0) -> list[dict[str, Any]]:
    """Write a schedule as the agent's messages, one a turn, from the turn ``clock`` on (counted from 0)."""
    messages = messages_by_action(problem_of(problem))
    turns: list[dict[str, Any]] = []
    for piece in schedule.pieces:
        turns += [WAIT] * (piece.start - clock - len(turns))
        turns.append(messages[piece.action])
    return turns


def schedule(problem: Instance, plan: Plan[list[object]]) -> Schedule:
    """Turn messages into a schedule; raises `PlanError` for a call that is not a reference call."""
    pieces = []
    for start, read, action in actions_of(problem_of(problem), plan.commands):
        if action is None:
            value = str(read.call or read.reason)
            raise PlanError("is not a reference call of the problem", field=f"turns[{start}]", value=value)
        pieces.append(Piece(action, start, 1, problem.agents[0], 0))
    return Schedule.of(problem, pieces)


def actions_of(
    problem: AsyncToolProblem, messages: list[Any], rules: Profile = PROFILES["paper"]
) -> Iterator[tuple[int, AgentMessage, str | None]]:
    """Yield the turn, the message as read, and its action, of every message but waits.

    The action of a call is the first remaining equal reference call; ``None`` if there is none.
    """
    remaining: dict[tuple[str, object], list[str]] = {}
    for task in problem.tasks:
        for call, action in zip(task.reference_calls, task.actions, strict=True):
            remaining.setdefault((task.id, call.key), []).append(action)
    for turn, message in enumerate(messages):
        read = read_message(message, rules)
        if read.kind == "wait":
            continue
        next_action = CLOSE if read.kind == "close" else None
        actions = None
        if read.call is not None:
            actions = remaining.get((read.task, read.call.key))
        if actions:
            next_action = actions.pop(0)
        yield turn, read, next_action
