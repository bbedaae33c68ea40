"""The simulation of AsyncTool: one message of the agent a turn; for replays and live runs."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.asynctool import bfcl
from planoracle.instances.benchmarks.asynctool.calls import Call
from planoracle.instances.benchmarks.asynctool.language import read_message
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem
from planoracle.instances.benchmarks.asynctool.rules import PROFILES, Profile


class SimulatedTurn(NamedTuple):
    """One message of the agent and its effect.

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
        Position of the reference call of its sub-task that the call makes, ``None`` for any other call.
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


class ToolSimulation:
    """Turns of an agent on a problem; nothing is shared with other simulations.

    A call is carried out when it is made; its result is known ``delay`` turns later. Calls are never
    refused for being early: whoever calls before knowing the last result acts on a guess.

    Attributes
    ----------
    turns, done
        So far, and whether the last one closed the run.
    executors
        Of the sub-tasks, by id.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.asynctool.problems import problem
    >>> run = ToolSimulation(problem("asynctool/files_2"))
    >>> turn = run.step('{"id": "files_2", "func_name": "no_such_tool", "params": {}}')
    >>> turn.result, turn.usable
    ({'error': "there is no function 'no_such_tool' for this task"}, 3)
    >>> run.step({"content": "ALL COMPLETED"}).kind, run.done
    ('close', True)
    """

    def __init__(self, problem: AsyncToolProblem, rules: Profile = PROFILES["paper"]) -> None:
        self.problem = problem
        self.rules = rules
        self.turns: list[SimulatedTurn] = []
        self.done = False
        self.executors = {task.id: bfcl.make(task.family, task.initial) for task in problem.tasks}
        self._own = set(self.executors)  # executors that no other simulation has
        self._call_counts = dict.fromkeys(self.executors, 0)
        self._open = {task.id: {i: call.key for i, call in enumerate(task.reference_calls)} for task in problem.tasks}

    def copy(self) -> ToolSimulation:
        """Return one that goes on from here; executors are shared until one of the two calls them."""
        self._own = set()
        other = copy(self)
        vars(other).update(
            turns=list(self.turns),
            executors=dict(self.executors),
            _own=set(),
            _call_counts=dict(self._call_counts),
            _open={task: dict(steps) for task, steps in self._open.items()},
        )
        return other

    def step(self, message: Any) -> SimulatedTurn:
        """Carry out one message, in any form that `language.read_message` knows; not after the closing one."""
        read = read_message(message, self.rules)
        number = len(self.turns) + 1
        if read.call is None:
            turn = SimulatedTurn(number, read.kind, reason=read.reason, text=read.text)
            self.done = read.kind == "close"
        elif read.task not in self.executors:
            turn = SimulatedTurn(number, "unknown_task", read.task, read.call)
        else:
            task, call = read.task, read.call
            delay = self.problem.delays.of(task, self._call_counts[task], call.name)
            self._call_counts[task] += 1
            if call.name in self.problem.by_id[task].documents:
                result = self._executor(task).call(call.name, call.params)
            else:
                result = {"error": f"there is no function {call.name[:80]!r} for this task"}
            turn = SimulatedTurn(number, "call", task, call, result, number + 1 + delay, self._match(task, call))
        self.turns.append(turn)
        return turn

    def _executor(self, task: str) -> bfcl.Executor:
        if task not in self._own:
            self.executors[task] = deepcopy(self.executors[task])
            self._own.add(task)
        return self.executors[task]

    def _match(self, task: str, call: Call) -> int | None:
        """Return the first reference call not yet made that is this call."""
        key = call.key
        for step, reference in self._open[task].items():
            if reference == key:
                del self._open[task][step]
                return step
        return None

    def ready(self) -> list[tuple[str, Call]]:
        """Return the reference calls, by task, that can be made now because what they build on is known.

        That is of every task the first call that has not been made, once the result of the call before it is known;
        a call made too early has no result to wait for.
        """
        available = {(turn.task, turn.step) for turn in self.turns if turn.usable <= len(self.turns) + 1}
        return [
            (task.id, task.reference_calls[step])
            for task in self.problem.tasks
            for step in list(self._open[task.id])[:1]
            if not step or (task.id, step - 1) in available
        ]

    @property
    def complete(self) -> bool:
        """True if all reference calls have been made."""
        return not any(self._open.values())
