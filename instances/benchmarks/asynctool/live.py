"""Texts of live runs of AsyncTool: one message per turn, answered with the results that are due."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain

from planoracle.instances.benchmarks.asynctool.language import (
    CLOSING,
    MAX_MESSAGES,
    WAIT,
    AgentMessage,
    as_message,
    call_message,
    read_message,
)
from planoracle.instances.benchmarks.asynctool.problem_model import problem_of
from planoracle.instances.benchmarks.asynctool.rules import Profile
from planoracle.instances.benchmarks.asynctool.simulation import AsyncToolSimulator, AsyncToolState
from planoracle.instances.benchmarks.asynctool.turns import SimulatedTurn
from planoracle.instances.model.instance import Instance
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig, written_message
from planoracle.instances.protocol.live import LiveText, ending
from planoracle.instances.protocol.simulator import Step

#: Limit with ``RunConfig.bounded``: a factor of the turns of the sequential reference calls, and an addition.
_TIMES, _MORE = 3, 20

_INSTRUCTIONS = """You work on several tasks at the same time by calling functions, one in every message:
{"id": "<id of the task>", "func_name": "<name>", "params": {"<parameter>": <value>}}
Results arrive later, with the answer to one of your next messages; use the time for another task. The calls of one task
build on each other. If there is nothing to call before a result arrives, reply {"content": "WAIT"}. When every task is
done, reply {"content": "ALL COMPLETED"}."""

_ALL = """
Write all your messages at once, one a line."""


class AsyncToolText(LiveText[Instance, Profile, AsyncToolState]):
    """Texts of a run in which every message is a turn, in any form that `language.read_message` accepts.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("asynctool/files_2"))
    >>> print(run.step('{"id": "files_2", "func_name": "no_such_tool", "params": {}}').observation.text)
    {"wait": "The call is being executed."}
    >>> print(run.step("wait").observation.text.partition("response")[2])
    ": {"error": "there is no function 'no_such_tool' for this task"}}
    >>> run.step({"content": "ALL COMPLETED"}).done
    True
    """

    def __init__(self, problem: Instance, rules: Profile, config: RunConfig, simulator: AsyncToolSimulator) -> None:
        super().__init__(problem, rules, config, simulator)
        self.task = problem_of(problem)
        # The paper has no limit, and some models never stop waiting.
        self._max_turns = MAX_MESSAGES
        if config.bounded:
            all_delays = list(chain.from_iterable(self.task.reference_delays.values()))
            sequential_turns = len(all_delays) + sum(all_delays)
            self._max_turns = min(_TIMES * sequential_turns + _MORE, MAX_MESSAGES)

    def instructions(self) -> str:
        """Return the form of calls, and the time of their results."""
        return _INSTRUCTIONS + (_ALL if self.config.loop == "open" else "")

    def introduction(self) -> str:
        """Return the functions, in the first wording by task, and the questions."""
        tasks = self.task.tasks
        tools = {task.id: list(task.documents.values()) for task in tasks}
        questions = [{"id": task.id, "question": task.question} for task in tasks]
        functions = f"The functions:\n{self._functions()}"
        if self.config.wording == 1:
            functions = f"The functions, by task:\n{json.dumps(tools, indent=1)}"
        return f"{functions}\n\nThe tasks:\n{json.dumps(questions, indent=1)}"

    def _functions(self) -> str:
        """Return all functions in one list, sorted by name, so that it does not say which task they serve."""
        documents = {}
        for task in self.task.tasks:
            for document in task.documents.values():
                documents[json.dumps(document, sort_keys=True)] = document
        functions = sorted(documents.values(), key=json.dumps)
        return json.dumps(functions, indent=1)

    def command(self, state: AsyncToolState, message: object) -> AgentMessage:
        """Return a parsed message; a message that is not text is copied through JSON."""
        copied = message if isinstance(message, str) else whole_value(written_message(message))
        return read_message(copied, self.rules)

    def limit_reached(self, state: AsyncToolState) -> str | None:
        """Return ``message_limit`` after too many messages."""
        return "message_limit" if state.number >= self._max_turns else None

    def _answers(self, turn: SimulatedTurn, pending: Sequence[SimulatedTurn]) -> Iterator[str]:
        """Yield the answers to a turn, in the form of the paper's Figure 12 without roles.

        ``pending`` are the calls whose results were not known in the turn.
        """
        detailed = self.config.feedback == "detailed"
        if turn.kind == "unreadable":
            yield json.dumps({"error": turn.reason if detailed else "unreadable"})
        elif turn.kind == "unknown_task":
            reason = f"there is no such task; the tasks are {', '.join(self.task.by_id)}"
            yield json.dumps({"error": reason if detailed else "unknown task"})
        elif turn.usable > turn.number + 1 or (turn.kind == "wait" and pending):
            yield json.dumps({"wait": "The call is being executed."})
        elif turn.kind == "wait":
            yield json.dumps({"wait": "No call is being executed."})
        for call in pending:
            if call.usable == turn.number + 1 and turn.kind != "close":
                answer = {"id": call.task, "function name": str(call.call), "response": call.result}
                yield json.dumps(answer)

    def answer(self, before: AsyncToolState, after: AsyncToolState, steps: Sequence[Step], over: str | None) -> str:
        """Return the answers to a message, each on a line."""
        if self.config.loop == "open" or after.last is None:
            return super().answer(before, after, steps, over)
        answers = self._answers(after.last, after.pending)
        return "\n".join([*answers, *ending(over)])

    def situation(self, state: AsyncToolState) -> str:
        """Return the turn, and the pending calls."""
        now = state.number + 1
        under_way = [turn for turn in state.pending if turn.usable > now]
        lines = [f"It is turn {now}."]
        if under_way:
            lines.append("Being executed:")
        for turn in under_way:
            answer_turn = turn.usable - 1
            lines.append(f"{turn.task}: {turn.call}, answered in turn {answer_turn}")
        return "\n".join(lines)

    def submission(self, state: AsyncToolState) -> dict[str, object]:
        """Return the messages as they were read."""
        return {"turns": [as_message(turn) for turn in state.turns]}


#: Class of the texts of live runs.
TEXT = AsyncToolText


def action_space(problem: Instance) -> ActionSpace:
    """Return the reference calls, the wait and the closing message."""
    names: dict[str, str] = {}
    for task in problem_of(problem).tasks:
        for call in task.reference_calls:
            message = json.dumps(call_message(task.id, call))
            names[message] = f"{task.id}: {call}"[:200]
    names |= {json.dumps(WAIT): "wait", json.dumps(CLOSING): "ALL COMPLETED"}
    distinct = dict.fromkeys(names.values())
    return ActionSpace(tuple(distinct), lambda command: names.get(command, command))


def _questions(environment: AnyEnvironment) -> str:
    """Return the tasks without the functions."""
    tasks = problem_of(environment.problem).tasks
    questions = [{"id": task.id, "question": task.question} for task in tasks]
    return "\n".join(map(json.dumps, questions))


#: Texts of prompts by placeholder.
WORDS = {"questions": _questions}
