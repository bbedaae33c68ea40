"""Turns of an AsyncTool run, progress of its sub-tasks, and the violations of both."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planoracle.instances.benchmarks.asynctool.language import AgentMessage
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, Call, SubTask, canonical
from planoracle.instances.benchmarks.asynctool.tools.base import Toolbox
from planoracle.plugin import Measure, Other, Step, Violation, clean, quoted


def _ordinal(number: Measure) -> str:
    """Write a turn or step, which is counted from 0, as a number from 1."""
    return str(number + 1) if isinstance(number, int) else ""


def _others(one: Violation, relation: str) -> str:
    """Write the other calls of a violation that concerns a whole sub-task."""
    return "".join(f"; turn {_ordinal(at)} called {quoted(call, 120)} {relation}" for call, at, _ in one.others)


#: Sentences by kind of violation, without a full stop.
_SENTENCES: dict[str, Callable[[Violation], str]] = {
    "unreadable": lambda one: clean(str(one.actual), 120),
    "unknown_task": lambda one: f"there is no task {quoted(one.subject)}; the tasks are {clean(one.names, 300)}",
    "unknown_tool": lambda one: f"no task offers the function {quoted(one.resource or '')}",
    "other_tool": lambda one: (
        f"{quoted(one.resource or '')} is offered for {clean(one.names, 300)}, not for {clean(one.subject)}"
    ),
    "failed_call": lambda one: (
        f"{quoted(one.resource or '')} for {clean(one.subject)} failed: {clean(str(one.actual), 120)}"
    ),
    "premature": lambda one: (
        f"{quoted(one.resource or '')} for {clean(one.subject)} was called before the result that it depends on, "
        f"which is known in turn {_ordinal(one.required)}"
    ),
    "missing_call": lambda one: (
        f"{clean(one.subject)} lacks a call of {clean(one.resource or '')} "
        f"(step {_ordinal(one.actual)} of {one.required}){_others(one, 'instead')}"
    ),
    "wrong_state": lambda one: (
        f"all calls of {clean(one.subject)} were made, but its final state is wrong{_others(one, 'as well')}"
    ),
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
        kind = self.kind if self.kind in ("wait", "close") else "lost" if self.step is None else "act"
        return Step(self.number - 1, self.words, kind, self.number - 1, self.number, self.violation)

    @property
    def function(self) -> str:
        """Name of the function that is called, ``""`` for a message without a call."""
        return "" if self.call is None else self.call.name

    @property
    def words(self) -> str:
        """Message in short."""
        if self.call is not None:
            return f"{self.task}: {self.call}"[:200]
        return {"wait": "wait", "close": "ALL COMPLETED"}.get(self.kind, self.text[:80])


#: Calls by sub-task and step of the missing reference call that they replace.
ReplacedCalls: TypeAlias = dict[tuple[str, int], SimulatedTurn]


@dataclass(slots=True)
class TaskProgress:
    """Progress of one sub-task.

    Attributes
    ----------
    executor
        Toolbox that executes the calls; it contains the state of the tools.
    calls
        Number of calls so far.
    executed
        Reference calls so far, by step.
    slowest
        Call with the latest result.
    """

    task: SubTask
    executor: Toolbox
    calls: int = 0
    executed: dict[int, SimulatedTurn] = field(default_factory=dict)
    slowest: SimulatedTurn | None = None

    def match(self, call: Call) -> int | None:
        """Return the first step not yet made that is this call."""
        key = call.key
        steps = enumerate(self.task.reference_calls)
        return next((step for step, one in steps if one.key == key and step not in self.executed), None)

    def following(self) -> int | None:
        """Return the first step not yet made."""
        return next((step for step in range(len(self.task.reference_calls)) if step not in self.executed), None)

    def needed(self, number: int, step: int | None) -> SimulatedTurn | None:
        """Return the call whose result a call in turn ``number`` depends on, if that is not known yet.

        A reference call depends on the reference call before it, if that was made. Any other call depends on all
        pending calls of its sub-task.
        """
        before = self.slowest if step is None else self.executed.get(step - 1)
        return before if before is not None and before.usable > number else None


def turn_violation(position: int, kind: str, subject: str = "", **details: Any) -> AsyncToolViolation:
    """Return the violation of a turn, counted from 0."""
    return AsyncToolViolation(position, kind, subject, "", position, position + 1, **details)


def turn_fault(
    problem: AsyncToolProblem, turn: SimulatedTurn, needed: SimulatedTurn | None
) -> AsyncToolViolation | None:
    """Return the violation of a turn, if any; ``needed`` is the call whose result it depends on."""
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
        return turn_violation(position, kind, turn.task, resource=call.name[:80], required=owners or None)
    if needed is not None:
        return premature_call(turn, needed)
    if turn.step is None and isinstance(turn.result, dict) and "error" in turn.result:
        error = str(turn.result["error"])[:300]
        return turn_violation(position, "failed_call", turn.task, resource=call.name[:80], actual=error)
    return None


def premature_call(turn: SimulatedTurn, needed: SimulatedTurn) -> AsyncToolViolation:
    """Return the violation of a call that was made before it could know the result of another one."""
    other = Other(f"{needed.task}: {needed.function[:80]}", needed.number - 1, needed.number)
    position, required = turn.number - 1, needed.usable - 1
    details = {"others": (other,), "resource": turn.function[:80], "required": required, "actual": position}
    return turn_violation(position, "premature", turn.task, **details)


def _likeness(task: str, call: Call) -> tuple[Hashable, Hashable, Hashable]:
    """Return keys by which a call is matched with one made instead of it, the most specific first."""
    values = frozenset(map(canonical, call.params.values()))
    return (task, call.name), (task, values) if values else None, call.key


def replaced_calls(tasks: Iterable[TaskProgress], turns: Sequence[SimulatedTurn]) -> ReplacedCalls:
    """Return the calls that were made instead of missing ones; each replaces one missing call.

    A replacement has the same function and sub-task, else the same values and sub-task, else it is the same call for
    another sub-task. ``turns`` are all turns so far.
    """
    missing = {
        (progress.task.id, step): _likeness(progress.task.id, call)
        for progress in tasks
        for step, call in enumerate(progress.task.reference_calls)
        if step not in progress.executed
    }
    strays = (turn for turn in turns if missing and turn.step is None)
    others = {turn.number: _likeness(turn.task, turn.call) for turn in strays if turn.call is not None}
    replaced: ReplacedCalls = {}
    for rank in range(3):
        waiting: dict[Hashable, list[int]] = {}
        for number in reversed(others):
            waiting.setdefault(others[number][rank], []).append(number)
        for at, keys in missing.items():
            if at not in replaced and keys[rank] is not None and waiting.get(keys[rank]):
                replaced[at] = turns[waiting[keys[rank]].pop() - 1]
                del others[replaced[at].number]
    return replaced


def missing_calls(
    progress: TaskProgress, env: bool, turns: Sequence[SimulatedTurn], replaced: ReplacedCalls
) -> list[AsyncToolViolation]:
    """Return the violations of a sub-task as a whole; ``env`` is false if its state is wrong."""
    task, calls = progress.task.id, progress.task.reference_calls
    missing = [step for step in range(len(calls)) if step not in progress.executed]
    if not missing and not env:
        extra = [turn for turn in turns if turn.kind == "call" and turn.task == task and turn.step is None]
        return [AsyncToolViolation(None, "wrong_state", task, others=_parts(*extra[:1]))]
    return [
        AsyncToolViolation(
            None,
            "missing_call",
            task,
            others=_parts(replaced.get((task, step))),
            resource=calls[step].name,
            required=len(calls),
            actual=step,
        )
        for step in missing
    ]


def _parts(*turns: SimulatedTurn | None) -> tuple[Other, ...]:
    """Return turns as parts of a violation."""
    return tuple(Other(turn.words, turn.number - 1, turn.number) for turn in turns if turn is not None)
