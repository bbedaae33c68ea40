"""Turns of an AsyncTool run, progress of its sub-tasks, and the violations of both."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planoracle.instances.benchmarks.asynctool.language import AgentMessage
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, Call, SubTask, canonical
from planoracle.instances.benchmarks.asynctool.tools.base import ToolFamily
from planoracle.instances.model.violations import Measure, Other, Violation
from planoracle.instances.protocol.feedback import clean, quoted
from planoracle.instances.protocol.simulator import Step


def _ordinal(number: Measure) -> str:
    """Write a turn or step, which is counted from 0, as a number from 1."""
    return str(number + 1) if isinstance(number, int) else ""


def _other_calls(violation: Violation, relation: str) -> str:
    """Write the other calls of a violation that concerns a whole sub-task."""
    text = ""
    for call, turn, _ in violation.others:
        text += f"; turn {_ordinal(turn)} called {quoted(call, 120)} {relation}"
    return text


def _function(violation: Violation) -> str:
    """Write the function of a violation."""
    return quoted(violation.resource or "")


def _unreadable(violation: Violation) -> str:
    return clean(str(violation.actual), 120)


def _unknown_task(violation: Violation) -> str:
    task = quoted(violation.subject)
    names = clean(violation.names, 300)
    return f"there is no task {task}; the tasks are {names}"


def _other_tool(violation: Violation) -> str:
    owners = clean(violation.names, 300)
    task = clean(violation.subject)
    return f"{_function(violation)} is offered for {owners}, not for {task}"


def _failed_call(violation: Violation) -> str:
    task = clean(violation.subject)
    error = clean(str(violation.actual), 120)
    return f"{_function(violation)} for {task} failed: {error}"


def _premature(violation: Violation) -> str:
    call = f"{_function(violation)} for {clean(violation.subject)}"
    turn = _ordinal(violation.required)
    return f"{call} was called before the result that it depends on, which is known in turn {turn}"


def _missing_call(violation: Violation) -> str:
    step = f"step {_ordinal(violation.actual)} of {violation.required}"
    replacement = _other_calls(violation, "instead")
    task = clean(violation.subject)
    function = clean(violation.resource or "")
    return f"{task} lacks a call of {function} ({step}){replacement}"


def _wrong_state(violation: Violation) -> str:
    extra = _other_calls(violation, "as well")
    return f"all calls of {clean(violation.subject)} were made, but its final state is wrong{extra}"


#: Sentences by kind of violation, without a full stop.
_SENTENCES: dict[str, Callable[[Violation], str]] = {
    "unreadable": _unreadable,
    "unknown_task": _unknown_task,
    "unknown_tool": lambda violation: f"no task offers the function {_function(violation)}",
    "other_tool": _other_tool,
    "failed_call": _failed_call,
    "premature": _premature,
    "missing_call": _missing_call,
    "wrong_state": _wrong_state,
    "after_close": lambda _: "messages after the closing message are ignored",
    "not_closed": lambda _: "the closing message ALL COMPLETED is missing",
}


class AsyncToolViolation(Violation):
    """A violation of these rules; ``resource`` is the function, times are turns from 0.

    For a missing call ``actual`` is its step, ``required`` the number of steps of its task, and ``others`` the call
    that was made instead, if any. For a wrong state ``others`` is the first call that is not a reference call.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """One sentence on the violation, without a full stop."""
        return _SENTENCES[self.kind](self)


@dataclass(slots=True)
class SimulatedTurn(AgentMessage):
    """One message of the agent and its effect.

    ``kind`` may also be ``unknown_task``: a call for a task that does not exist, which is not executed.

    Attributes
    ----------
    number
        From 1.
    result
        Of the call.
    usable
        First turn in which the agent knows the result; 0 if there is none.
    step
        Index of the reference call of its sub-task that the call matches, ``None`` for any other call.
    early
        True if the call was made before a result that it depends on was known.
    violation
        Broken rule, if any.
    before
        Previous turn.
    """

    number: int = 0
    result: Any = None
    usable: int = 0
    step: int | None = None
    early: bool = False
    violation: AsyncToolViolation | None = None
    before: SimulatedTurn | None = field(default=None, compare=False, repr=False)

    @property
    def effect(self) -> Step:
        """The turn as a step of a run."""
        position = self.number - 1
        return Step(position, self.words, self._effect_kind(), position, self.number, self.violation)

    def _effect_kind(self) -> str:
        """Return the kind of the step."""
        if self.kind in ("wait", "close"):
            return self.kind
        return "lost" if self.step is None else "act"

    @property
    def function(self) -> str:
        """Name of the function that is called, ``""`` for a message without a call."""
        return "" if self.call is None else self.call.name

    @property
    def words(self) -> str:
        """Message in short."""
        if self.call is not None:
            return f"{self.task}: {self.call}"[:200]
        messages = {"wait": "wait", "close": "ALL COMPLETED"}
        return messages.get(self.kind, self.text[:80])


#: Calls by sub-task and step of the missing reference call that they replace.
ReplacedCalls: TypeAlias = dict[tuple[str, int], SimulatedTurn]


@dataclass(slots=True)
class TaskProgress:
    """Progress of one sub-task.

    Attributes
    ----------
    executor
        ToolFamily that executes the calls; it contains the state of the tools.
    calls
        Number of calls so far.
    executed
        Reference calls so far, by step.
    slowest
        Call with the latest result.
    """

    task: SubTask
    executor: ToolFamily
    calls: int = 0
    executed: dict[int, SimulatedTurn] = field(default_factory=dict)
    slowest: SimulatedTurn | None = None

    def match(self, call: Call) -> int | None:
        """Return the first step not yet made that is this call."""
        key = call.key
        for step, reference_call in enumerate(self.task.reference_calls):
            if reference_call.key == key and step not in self.executed:
                return step
        return None

    def following(self) -> int | None:
        """Return the first step not yet made."""
        for step in range(len(self.task.reference_calls)):
            if step not in self.executed:
                return step
        return None

    def awaited_call(self, number: int, step: int | None) -> SimulatedTurn | None:
        """Return the call whose result a call in turn ``number`` depends on, if that is not known yet.

        A reference call depends on the reference call before it, if that was made. Any other call depends on all
        pending calls of its sub-task.
        """
        before = self.slowest if step is None else self.executed.get(step - 1)
        if before is None or before.usable <= number:
            return None
        return before


def turn_violation(position: int, kind: str, subject: str = "", **details: Any) -> AsyncToolViolation:
    """Return the violation of a turn, counted from 0."""
    return AsyncToolViolation(position, kind, subject, "", position, position + 1, **details)


def turn_fault(
    problem: AsyncToolProblem, turn: SimulatedTurn, awaited: SimulatedTurn | None
) -> AsyncToolViolation | None:
    """Return the violation of a turn, if any; ``awaited`` is the call whose result it depends on."""
    position, call = turn.number - 1, turn.call
    if turn.kind == "unreadable":
        return turn_violation(position, "unreadable", actual=turn.reason)
    if call is None:
        return None
    if turn.kind == "unknown_task":
        return turn_violation(position, "unknown_task", turn.task[:80], required=tuple(problem.by_id))
    if call.name not in problem.by_id[turn.task].documents:
        owners = tuple(task.id for task in problem.tasks if call.name in task.documents)
        kind = "other_tool" if owners else "unknown_tool"
        function = call.name[:80]
        return turn_violation(position, kind, turn.task, resource=function, required=owners or None)
    if awaited is not None:
        return premature_call(turn, awaited)
    if turn.step is None and isinstance(turn.result, dict) and "error" in turn.result:
        error = str(turn.result["error"])[:300]
        return turn_violation(position, "failed_call", turn.task, resource=call.name[:80], actual=error)
    return None


def premature_call(turn: SimulatedTurn, awaited: SimulatedTurn) -> AsyncToolViolation:
    """Return the violation of a call that was made before it could know the result of another one."""
    call = f"{awaited.task}: {awaited.function[:80]}"
    prerequisite = Other(call, awaited.number - 1, awaited.number)
    position = turn.number - 1
    required = awaited.usable - 1
    details = {"others": (prerequisite,), "resource": turn.function[:80], "required": required, "actual": position}
    return turn_violation(position, "premature", turn.task, **details)


#: Keys by which a call is matched with one made instead of it, the most specific first.
_Likeness: TypeAlias = tuple[Hashable, Hashable, Hashable]


def _likeness(task: str, call: Call) -> _Likeness:
    """Return keys by which a call is matched with one made instead of it, the most specific first."""
    values = frozenset(map(canonical, call.params.values()))
    return (task, call.name), (task, values) if values else None, call.key


def replaced_calls(tasks: Iterable[TaskProgress], turns: Sequence[SimulatedTurn]) -> ReplacedCalls:
    """Return the calls that were made instead of missing ones; each replaces one missing call.

    A replacement has the same function and sub-task, else the same values and sub-task, else it is the same call for
    another sub-task. ``turns`` are all turns so far.
    """
    missing = _keys_of_missing(tasks)
    strays = (turn for turn in turns if missing and turn.step is None)
    stray_keys: dict[int, _Likeness] = {}
    for turn in strays:
        if turn.call is not None:
            stray_keys[turn.number] = _likeness(turn.task, turn.call)
    replaced: ReplacedCalls = {}
    for rank in range(3):
        numbers_by_key: dict[Hashable, list[int]] = {}
        for number in reversed(stray_keys):
            numbers_by_key.setdefault(stray_keys[number][rank], []).append(number)
        for place, keys in missing.items():
            key = keys[rank]
            if place in replaced or key is None or not numbers_by_key.get(key):
                continue
            number = numbers_by_key[key].pop()
            replaced[place] = turns[number - 1]
            del stray_keys[number]
    return replaced


def _keys_of_missing(tasks: Iterable[TaskProgress]) -> dict[tuple[str, int], _Likeness]:
    """Return the keys of the missing reference calls, by sub-task and step."""
    keys: dict[tuple[str, int], _Likeness] = {}
    for progress in tasks:
        task = progress.task
        for step, call in enumerate(task.reference_calls):
            if step not in progress.executed:
                keys[task.id, step] = _likeness(task.id, call)
    return keys


def missing_calls(
    progress: TaskProgress, env: bool, turns: Sequence[SimulatedTurn], replaced: ReplacedCalls
) -> list[AsyncToolViolation]:
    """Return the violations of a sub-task as a whole; ``env`` is false if its state is wrong."""
    task, calls = progress.task.id, progress.task.reference_calls
    missing = [step for step in range(len(calls)) if step not in progress.executed]
    if not missing and not env:
        calls_of_task = [turn for turn in turns if turn.kind == "call" and turn.task == task]
        first_extra = next((turn for turn in calls_of_task if turn.step is None), None)
        return [AsyncToolViolation(None, "wrong_state", task, others=_parts(first_extra))]
    violations = []
    for step in missing:
        replacement = replaced.get((task, step))
        function = calls[step].name
        replacing_call = _parts(replacement)
        violation = AsyncToolViolation(
            None, "missing_call", task, others=replacing_call, resource=function, required=len(calls), actual=step
        )
        violations.append(violation)
    return violations


def _parts(turn: SimulatedTurn | None) -> tuple[Other, ...]:
    """Return a turn as the part of a violation, if there is one."""
    if turn is None:
        return ()
    return (Other(turn.words, turn.number - 1, turn.number),)
