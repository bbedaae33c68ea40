"""Live environment of AsyncTool: one message a turn, answered with the results that are due."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from planoracle.instances.benchmarks.asynctool.encoding import problem_of
from planoracle.instances.benchmarks.asynctool.language import (
    CLOSING,
    MAX_MESSAGES,
    WAIT,
    AgentMessage,
    as_message,
    call_message,
)
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem
from planoracle.instances.benchmarks.asynctool.replay import fault, premature
from planoracle.instances.benchmarks.asynctool.rules import Profile
from planoracle.instances.benchmarks.asynctool.run import words
from planoracle.instances.benchmarks.asynctool.simulation import SimulatedTurn, ToolSimulation
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.environment import (
    AnyEnvironment,
    CommandOutcome,
    Message,
    Reward,
    RunConfig,
)
from planoracle.instances.protocol.environment import Turn as Exchange
from planoracle.instances.protocol.old_environment import OldEnvironment
from planoracle.instances.protocol.settings import Setting, by_name
from planoracle.instances.protocol.simulator import LegalCommand

#: With ``Manner.bounded``: so many times the turns that the reference calls take one after the other, and some more.
_TIMES, _MORE = 3, 20

_INSTRUCTIONS = """You work on several tasks at the same time by calling functions, one in every message:
{"id": "<id of the task>", "func_name": "<name>", "params": {"<parameter>": <value>}}
Results arrive later, with the answer to one of your next messages; use the time for another task. The calls of one task
build on each other. If there is nothing to call before a result arrives, reply {"content": "WAIT"}. When every task is
done, reply {"content": "ALL COMPLETED"}."""

_ALL = """
Write all your messages at once, one a line."""


class AsyncToolEnvironment(OldEnvironment[Instance, Profile, ToolSimulation]):
    """A run in which every message is a turn, in any form that `language.read_message` knows.

    What is legal are the calls whose parameters are known to be right: of every task the next reference call, once the
    result of the one before is known; the wait; and the closing message once all of them have been made.

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

    def __init__(self, problem: Instance, rules: Profile, config: RunConfig, reward: Reward | None) -> None:
        if config.style not in ("paper", "chat"):
            raise InputError("must be one of paper, chat", field="style", value=config.style)
        super().__init__(problem, rules, config, reward)
        self._most = _limit(problem_of(problem)) if config.bounded else MAX_MESSAGES

    @property
    def task(self) -> AsyncToolProblem:
        """The sub-tasks, calls and delays."""
        return problem_of(self.problem)

    def instructions(self) -> str:
        """Return how calls are written, and when results come."""
        if self.config.loop == "open":
            return _INSTRUCTIONS + _ALL
        return _INSTRUCTIONS

    def introduction(self) -> str:
        """Return the functions by task, and the questions."""
        tools = {task.id: list(task.documents.values()) for task in self.task.tasks}
        questions = [{"id": task.id, "question": task.question} for task in self.task.tasks]
        functions = f"The functions, by task:\n{json.dumps(tools, indent=1)}"
        return f"{functions}\n\nThe tasks:\n{json.dumps(questions, indent=1)}"

    def _begin(self) -> ToolSimulation:
        return ToolSimulation(self.task, self.rules)

    def _take(self, world: ToolSimulation, message: object) -> tuple[ToolSimulation, tuple[CommandOutcome, ...]]:
        following = world.copy()
        turn = following.step(_plain(message))
        needed = premature(self.task, following.turns).get(turn.number) if turn.kind == "call" else None
        wrong = fault(self.task, turn, needed)
        kind = turn.kind if turn.kind in ("wait", "close") else "lost" if turn.step is None else "act"
        text = "\n".join(map(_line, self._answers(following.turns)))
        outcome = CommandOutcome(words(turn), kind, turn.number - 1, turn.number, wrong and wrong.kind, text)
        return following, (outcome,)

    def _answers(self, turns: Sequence[SimulatedTurn]) -> Iterator[dict[str, str]]:
        """Yield what is answered to the last turn, in the form of the paper's Figure 12, without roles."""
        turn = turns[-1]
        if turn.kind == "close":
            return
        detailed = self.config.feedback == "detailed"
        if turn.kind == "unreadable":
            yield {"content": json.dumps({"error": turn.reason if detailed else "unreadable"})}
        elif turn.kind == "unknown_task":
            task_ids = ", ".join(task.id for task in self.task.tasks)
            reason = f"there is no such task; there are {task_ids}" if detailed else "unknown task"
            yield {"content": json.dumps({"error": reason})}
        elif turn.usable > turn.number + 1:
            yield {"content": json.dumps({"wait": "The call is being executed."})}
        elif turn.kind == "wait":
            under_way = any(one.usable > turn.number for one in turns)
            if under_way or self.config.style == "chat":
                subject = "The call" if under_way else "No call"
                yield {"content": json.dumps({"wait": f"{subject} is being executed."})}
        for one in turns:
            if one.usable == turn.number + 1:
                yield {"id": one.task, "function name": str(one.call), "response": json.dumps(one.result)}

    def _answer(self, world: ToolSimulation, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        if self.config.loop == "open":
            return super()._answer(world, outcomes, over)
        ending = [f"The run is over: {over.replace('_', ' ')}."] if over else []
        return "\n".join([*(one.text for one in outcomes if one.text), *ending])

    def _exchange(self, turn: Exchange) -> list[Message]:
        if self.config.loop == "open" or self.config.style == "chat":
            return super()._exchange(turn)
        turns = self.state.world.turns[: turn.outcomes[0].end]
        content = turn.message if isinstance(turn.message, str) else json.dumps(_message(turns[-1]))
        answers = [{"role": "tool", **answer} for answer in self._answers(turns)]
        return [{"role": "assistant", "content": content}, *answers]

    def _over(self, world: ToolSimulation) -> str | None:
        if world.done:
            return "closed"
        return "message_limit" if len(world.turns) >= self._most else None

    def _clock(self, world: ToolSimulation) -> int:
        return len(world.turns)

    def _situation(self, world: ToolSimulation) -> str:
        now = len(world.turns) + 1
        under_way = [
            f"{one.task}: {one.call}, answered in turn {one.usable - 1}" for one in world.turns if one.usable > now
        ]
        return "\n".join([f"It is turn {now}.", *(["Being executed:", *under_way] if under_way else [])])

    def _legal(self, world: ToolSimulation) -> Sequence[LegalCommand]:
        calls = [LegalCommand(json.dumps(call_message(task, call)), "act") for task, call in world.ready()]
        close = [LegalCommand(json.dumps(CLOSING), "close")] if world.complete else []
        return [*calls, *close, LegalCommand(json.dumps(WAIT), "wait")]

    def _handed_in(self) -> dict[str, object]:
        return {"turns": list(map(_message, self.state.world.turns))}


def _limit(task: AsyncToolProblem) -> int:
    """Return how many messages a run may have: the paper names no limit, and some models wait for ever."""
    alone = sum(1 + delay for delays in task.reference_delays.values() for delay in delays)
    return min(_TIMES * alone + _MORE, MAX_MESSAGES)


def _plain(message: object) -> object:
    """Return an immutable copy of a message by way of JSON; ``None`` for anything else."""
    if isinstance(message, str):
        return message
    try:
        return json.loads(json.dumps(message, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None


def _message(turn: SimulatedTurn) -> dict[str, Any]:
    """Return the message of a turn as it was read."""
    return as_message(AgentMessage(turn.kind, turn.task, turn.call, turn.reason, turn.text))


def _line(answer: dict[str, str]) -> str:
    """Write an answer as one line of JSON."""
    if "content" in answer:
        return answer["content"]
    return f"{json.dumps(answer | {'response': None})[:-5]}{answer['response']}}}"


def live(problem: Instance, rules: Profile, config: RunConfig, reward: Reward | None) -> AsyncToolEnvironment:
    """Return one run of an agent on an encoded problem."""
    return AsyncToolEnvironment(problem, rules, config, reward)


def action_space(problem: Instance) -> ActionSpace:
    """Return the reference calls, the wait and the closing message."""
    calls = [(task.id, call) for task in problem_of(problem).tasks for call in task.reference_calls]
    names = {json.dumps(call_message(task, call)): f"{task}: {call}"[:200] for task, call in calls}
    names |= {json.dumps(WAIT): "wait", json.dumps(CLOSING): "ALL COMPLETED"}
    return ActionSpace(tuple(dict.fromkeys(names.values())), lambda command: names.get(command, command))


def _questions(environment: AnyEnvironment) -> str:
    """Return the tasks without the functions."""
    tasks = problem_of(environment.problem).tasks
    return "\n".join(json.dumps({"id": task.id, "question": task.question}) for task in tasks)


SETTINGS = by_name(
    [Setting("zero-shot", "one call a message", __package__, "task", "system", words={"questions": _questions})]
)
