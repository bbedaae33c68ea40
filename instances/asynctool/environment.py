"""The live environment: one message of the agent in, what it is answered out; results come with delay."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from planoracle.instances.asynctool import executors
from planoracle.instances.asynctool.calls import Call
from planoracle.instances.asynctool.encode import problem_of
from planoracle.instances.asynctool.language import read_message
from planoracle.instances.asynctool.problem import Problem
from planoracle.instances.asynctool.profile import PROFILES, Profile
from planoracle.instances.manner import Manner
from planoracle.instances.model import Instance

__all__ = ["Environment", "Turn", "live"]

_INSTRUCTIONS = """You work on several tasks at the same time by calling functions, one in every message:
{"id": "<id of the task>", "func_name": "<name>", "params": {"<parameter>": <value>}}
Results arrive later, with the answer to one of your next messages; use the time for another task. The calls of one task
build on each other. If there is nothing to call before a result arrives, reply {"content": "WAIT"}. When every task is
done, reply {"content": "ALL COMPLETED"}. The functions, by task:
"""


class Turn(NamedTuple):
    """What became of one message of the agent.

    Attributes
    ----------
    number
        From 1.
    kind
        ``call``, ``wait``, ``close``, ``unreadable`` or ``unknown_task`` (a call for a task that does not exist,
        not carried out).
    task, call
        As the agent gave them, for calls.
    result
        Of the call.
    usable
        First turn in which the agent knows the result; 0 if there is none.
    step
        Position of the gold call of its sub-task that the call makes, ``None`` for any other call.
    reason, text
        What is wrong with an unreadable message, and its beginning.
    """

    number: int
    kind: str
    task: str = ""
    call: Call | None = None
    result: Any = None
    usable: int = 0
    step: int | None = None
    reason: str = ""
    text: str = ""


class Environment:
    """One run of an agent on a problem; nothing is shared with other runs.

    A call is carried out when it is made; its result is answered ``delay`` turns later. Calls are never
    refused for being early: whoever calls before knowing the last result acts on a guess.

    Examples
    --------
    >>> from planoracle.instances.asynctool.sets import problem
    >>> run = Environment(problem("asynctool/files_2"))
    >>> run.send('{"id": "files_2", "func_name": "no_such_tool", "params": {}}')
    [{'role': 'tool', 'content': '{"wait": "The call is being executed."}'}]
    >>> run.send({"content": "ALL COMPLETED"}), run.done
    ([], True)
    """

    def __init__(self, problem: Problem, rules: Profile = PROFILES["paper"]) -> None:
        self.problem = problem
        self.rules = rules
        self.turns: list[Turn] = []
        self.done = False
        self.executors = {task.id: executors.make(task.family, task.initial) for task in problem.tasks}
        self._made = dict.fromkeys(self.executors, 0)
        self._open = {task.id: {i: call.key for i, call in enumerate(task.gold)} for task in problem.tasks}
        self._pending: list[Turn] = []

    def opening(self) -> list[dict[str, str]]:
        """Return the system and the user message that a run begins with."""
        tools = {task.id: list(task.documents.values()) for task in self.problem.tasks}
        questions = [{"id": task.id, "question": task.question} for task in self.problem.tasks]
        return [
            {"role": "system", "content": _INSTRUCTIONS + json.dumps(tools, indent=1)},
            {"role": "user", "content": "The tasks:\n" + json.dumps(questions, indent=1)},
        ]

    def send(self, message: Any) -> list[dict[str, str]]:
        """Take one message of the agent, in any form that `language.read_message` knows; return the answers.

        After the closing message the run is over and there are no more answers.
        """
        if self.done:
            return []
        turn = self.step(message)
        if turn.kind == "close":
            return []
        answers: list[dict[str, str]] = []
        if turn.kind == "unreadable":
            answers.append({"role": "tool", "content": json.dumps({"error": turn.reason})})
        elif turn.kind == "unknown_task":
            known = ", ".join(self.executors)
            answers.append(
                {"role": "tool", "content": json.dumps({"error": f"there is no such task; there are {known}"})}
            )
        elif self._pending and (turn.kind == "wait" or turn.usable > turn.number + 1):
            answers.append({"role": "tool", "content": json.dumps({"wait": "The call is being executed."})})
        matured = [one for one in self._pending if one.usable <= turn.number + 1]
        self._pending = [one for one in self._pending if one.usable > turn.number + 1]
        return answers + [
            {"role": "tool", "id": one.task, "function name": str(one.call), "response": json.dumps(one.result)}
            for one in matured
        ]

    def step(self, message: Any) -> Turn:
        """Carry out one message without writing answers; for replays."""
        said = read_message(message, self.rules)
        number = len(self.turns) + 1
        if said.call is None:
            turn = Turn(number, said.kind, reason=said.reason, text=said.text)
            self.done = said.kind == "close"
        elif said.task not in self.executors:
            turn = Turn(number, "unknown_task", said.task, said.call)
        else:
            task, call = said.task, said.call
            delay = self.problem.delays.of(task, self._made[task], call.name)
            self._made[task] += 1
            if call.name in self.problem.by_id[task].documents:
                result = self.executors[task].call(call.name, call.params)
            else:
                result = {"error": f"there is no function {call.name[:80]!r} for this task"}
            turn = Turn(number, "call", task, call, result, number + 1 + delay, self._match(task, call))
            self._pending.append(turn)
        self.turns.append(turn)
        return turn

    def _match(self, task: str, call: Call) -> int | None:
        """Return the first gold call not yet made that is this call."""
        key = call.key
        for step, gold in self._open[task].items():
            if gold == key:
                del self._open[task][step]
                return step
        return None


def live(problem: Instance, rules: Profile, manner: Manner, reward: object) -> Environment:
    """Return one run of an agent on an encoded problem."""
    return Environment(problem_of(problem), rules)
