"""Rules of AsyncTool as a simulator: one message of the agent a turn, and results that arrive later."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from planoracle.instances.benchmarks.asynctool.language import CLOSING, WAIT, AgentMessage, call_message, read_message
from planoracle.instances.benchmarks.asynctool.problem_model import (
    AsyncToolProblem,
    Call,
    SubTask,
    canonical,
    family_of,
)
from planoracle.instances.benchmarks.asynctool.rules import PROFILES, Profile
from planoracle.instances.benchmarks.asynctool.tools.base import Toolbox
from planoracle.instances.protocol.simulator import entries_of
from planoracle.plugin import (
    LegalCommand,
    Measure,
    Other,
    Replay,
    ReplayEvent,
    Simulator,
    Step,
    Violation,
    clean,
    fold,
    quoted,
)


def _ordinal(number: Measure) -> str:
    """Write a turn or step, counted from 0, as people count."""
    return str(number + 1) if isinstance(number, int) else ""


def _others(one: Violation, relation: str) -> str:
    """Write the call that has to do with a fault of a sub-task as a whole."""
    return "".join(f"; turn {_ordinal(at)} called {quoted(call, 120)} {relation}" for call, at, _ in one.others)


#: Sentences by kind of violation, without a full stop.
_SENTENCES: dict[str, Callable[[Violation], str]] = {
    "unreadable": lambda one: clean(str(one.actual), 120),
    "unknown_task": lambda one: f"there is no task {quoted(one.subject)}; there are {clean(one.names, 300)}",
    "unknown_tool": lambda one: f"no task offers the function {quoted(one.resource or '')}",
    "other_tool": lambda one: (
        f"{quoted(one.resource or '')} is offered for {clean(one.names, 300)}, not for {clean(one.subject)}"
    ),
    "failed_call": lambda one: (
        f"{quoted(one.resource or '')} for {clean(one.subject)} failed: {clean(str(one.actual), 120)}"
    ),
    "premature": lambda one: (
        f"{quoted(one.resource or '')} for {clean(one.subject)} was called before the result that it builds on was "
        f"known, which is in turn {_ordinal(one.required)}"
    ),
    "missing_call": lambda one: (
        f"{clean(one.subject)} lacks a call of {clean(one.resource or '')} "
        f"(step {_ordinal(one.actual)} of {one.required}){_others(one, 'instead')}"
    ),
    "wrong_state": lambda one: (
        f"{clean(one.subject)} made all its calls, but what came out is not as it should be{_others(one, 'as well')}"
    ),
    "after_close": lambda _: "the run was over after the closing message",
    "not_closed": lambda _: "the closing message ALL COMPLETED is missing",
}


class AsyncToolViolation(Violation):
    """A violation of these rules; ``resource`` is the function, times are turns from 0.

    Of a missing call ``actual`` is its step, ``required`` the number of steps of its task, and ``others`` the call that
    was made instead, if there is one; of a wrong state the first call that is no reference call.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """One sentence on the violation, without a full stop."""
        return _SENTENCES[self.kind](self)


@dataclass(slots=True)
class SimulatedTurn(AgentMessage):
    """One message of the agent and its effect.

    ``kind`` may also be ``unknown_task``: a call for a task that does not exist, not carried out.

    Attributes
    ----------
    number
        From 1.
    result
        Of the call.
    usable
        First turn in which the agent knows the result; 0 if there is none.
    step
        Position of the reference call of its sub-task that the call makes, ``None`` for any other call.
    early
        True if the call was made before a result that it builds on was known.
    violation
        Broken rule, if any.
    before
        The turn before.
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


#: Calls by sub-task and step of the missing reference call that they stand for.
ReplacedCalls: TypeAlias = dict[tuple[str, int], SimulatedTurn]


@dataclass(slots=True)
class TaskProgress:
    """Progress of one sub-task.

    Attributes
    ----------
    executor
        Carries out the calls, and holds the state of the tools.
    calls
        Number of calls so far.
    executed
        Reference calls so far, by step.
    slowest
        Call whose result comes last.
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
        """Return the call whose result a call in turn ``number`` builds on, if that is not known yet.

        A reference call builds on the reference call before it, if that is made at all; any other call on all calls
        of its sub-task that are under way.
        """
        before = self.slowest if step is None else self.executed.get(step - 1)
        return before if before is not None and before.usable > number else None


@dataclass(slots=True, eq=False)
class AsyncToolState:
    """State of a run.

    Attributes
    ----------
    tasks
        Progress by sub-task.
    owned
        Sub-tasks whose progress no copy of the state shares; others are copied before a call changes them.
    number
        Turns so far.
    pending
        Calls whose results the agent did not know in the last turn; some arrive with the answer to it.
    last
        Last turn, with the turns before it; linked, so that copies share them.
    """

    tasks: dict[str, TaskProgress]
    owned: set[str]
    number: int = 0
    pending: tuple[SimulatedTurn, ...] = ()
    last: SimulatedTurn | None = None

    def own(self, task: str) -> TaskProgress:
        """Return the progress of a sub-task to be changed."""
        if task not in self.owned:
            one = self.tasks[task]
            self.tasks[task] = replace(one, executor=deepcopy(one.executor), executed=dict(one.executed))
            self.owned.add(task)
        return self.tasks[task]

    @property
    def closed(self) -> bool:
        """True after the closing message."""
        return self.last is not None and self.last.kind == "close"

    @property
    def complete(self) -> bool:
        """True if all reference calls have been made."""
        return all(one.following() is None for one in self.tasks.values())

    @property
    def turns(self) -> list[SimulatedTurn]:
        """All turns."""
        return entries_of(self.last)


@dataclass(frozen=True, slots=True)
class SubTaskOutcome:
    """Outcome of one sub-task.

    Attributes
    ----------
    turns
        For every reference call the turn that made it, ``None`` if none did.
    char, env
        Path matching by the profile's ``char`` rule, and equality of the final states (paper, B.1).
    """

    task: str
    turns: tuple[int | None, ...]
    char: bool
    env: bool

    @property
    def accurate(self) -> bool:
        """Both of them."""
        return self.char and self.env


@dataclass(frozen=True, slots=True)
class Transcript:
    """A replayed transcript.

    Attributes
    ----------
    turns, closed
        The messages up to the closing one, and whether the run is closed, by a message or by the rule ``closing``.
    length
        Number of turns; a closing message that the rule ``closing`` implies is one.
    replaced
        Calls that were made instead of missing ones, by sub-task and step.
    state
        State after the last turn.
    """

    problem: AsyncToolProblem
    turns: tuple[SimulatedTurn, ...]
    closed: bool
    length: int
    outcomes: tuple[SubTaskOutcome, ...]
    premature: tuple[int, ...]
    violations: tuple[Violation, ...]
    replaced: ReplacedCalls
    state: AsyncToolState = field(compare=False, repr=False)

    @property
    def success(self) -> bool:
        """True if every sub-task is accurate (the paper's Overall) and the run is closed."""
        return self.closed and all(outcome.accurate for outcome in self.outcomes)

    def verdict(self) -> Replay:
        """Return the run in the form common to all benchmarks; positions and times in turns, from 0."""
        total = sum(len(outcome.turns) for outcome in self.outcomes)
        events, done = [], 0
        for turn in self.turns:
            done += turn.step is not None
            subject = turn.task if turn.call is None else f"{turn.task}: {turn.function}"
            accepted = turn.kind in ("call", "wait", "close")
            events.append(
                ReplayEvent(turn.number - 1, subject or turn.kind, turn.number - 1, turn.number, accepted, done / total)
            )
        remaining = {
            action: 1
            for task, outcome in zip(self.problem.tasks, self.outcomes, strict=True)
            for action, number in zip(task.actions, outcome.turns, strict=True)
            if number is None
        }
        return Replay(
            events=tuple(events),
            violations=self.violations,
            fatal=None,
            executed=sum(turn.kind == "call" for turn in self.turns),
            progress=done / total,
            goal_ratio=sum(outcome.accurate for outcome in self.outcomes) / len(self.outcomes),
            success=self.success,
            makespan=self.length,
            remaining=remaining,
            idle=tuple((turn.number - 1, turn.number) for turn in self.turns if turn.kind in ("wait", "unreadable")),
        )


class AsyncToolSimulator(Simulator[AsyncToolState, AgentMessage]):
    """Rules of AsyncTool. Commands are messages as they are read, also unreadable ones; each takes a turn.

    A call is carried out when it is made; its result is known ``delay`` turns later. Calls are never
    refused for being early: whoever calls before knowing the last result acts on a guess.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.asynctool.problems import problem
    >>> simulator = AsyncToolSimulator(problem("asynctool/files_2"))
    >>> message = read_message('{"id": "files_2", "func_name": "no_such_tool", "params": {}}')
    >>> state, (step,) = simulator.apply(simulator.initial(), message)
    >>> step.kind, step.violation.kind, state.pending[0].usable
    ('lost', 'unknown_tool', 3)
    """

    def __init__(self, problem: AsyncToolProblem, rules: Profile = PROFILES["paper"]) -> None:
        self.problem = problem
        self.rules = rules

    def initial(self) -> AsyncToolState:
        """Return the state before the first turn."""
        tasks = {task.id: TaskProgress(task, family_of(task.family)(task.initial)) for task in self.problem.tasks}
        return AsyncToolState(tasks, set(tasks))

    def copy(self, state: AsyncToolState) -> AsyncToolState:
        """Return a copy that goes on independently."""
        state.owned = set()
        return replace(state, tasks=dict(state.tasks), owned=set())

    def apply(self, state: AsyncToolState, command: AgentMessage) -> tuple[AsyncToolState, tuple[Step, ...]]:
        """Return the state after a message."""
        turn, needed = self._turn(state, command)
        turn.violation = _fault(self.problem, turn, needed)
        turn.before = state.last
        state.last, state.number = turn, turn.number
        state.pending = tuple(one for one in (*state.pending, turn) if one.usable > turn.number)
        return state, (turn.effect,)

    def _turn(self, state: AsyncToolState, command: AgentMessage) -> tuple[SimulatedTurn, SimulatedTurn | None]:
        """Carry out a message; return the turn, and the call for whose result it should have waited."""
        task, call, number = command.task, command.call, state.number + 1
        if call is None:
            return SimulatedTurn(command.kind, reason=command.reason, text=command.text, number=number), None
        if task not in state.tasks:
            return SimulatedTurn("unknown_task", task, call, number=number), None
        progress = state.own(task)
        result: Any = {"error": f"there is no function {call.name[:80]!r} for this task"}
        if call.name in progress.task.documents:
            result = progress.executor.call(call.name, call.params)
        step = progress.match(call)
        needed = progress.needed(number, step)
        usable = number + 1 + self.problem.delays.of(task, progress.calls, call.name)
        turn = SimulatedTurn("call", task, call, "", "", number, result, usable, step, needed is not None)
        progress.calls += 1
        if step is not None:
            progress.executed[step] = turn
        if progress.slowest is None or usable > progress.slowest.usable:
            progress.slowest = turn
        return turn, needed

    def ready(self, state: AsyncToolState) -> list[tuple[SubTask, int]]:
        """Return the steps, by sub-task, that can be made now because what they build on is known.

        That is of every task the first step that has not been made, once the result of the step before it is known;
        a step made too early has no result to wait for.
        """
        return [
            (progress.task, step)
            for progress in state.tasks.values()
            if (step := progress.following()) is not None and progress.needed(state.number + 1, step) is None
        ]

    def legal(self, state: AsyncToolState) -> list[LegalCommand]:
        """Return the calls that are `ready`, the closing message once all calls have been made, and the wait."""
        messages = [(call_message(task.id, task.reference_calls[step]), "act") for task, step in self.ready(state)]
        messages += [(CLOSING, "close")] if state.complete else []
        return [LegalCommand(json.dumps(message), kind) for message, kind in (*messages, (WAIT, "wait"))]

    def ended(self, state: AsyncToolState) -> str | None:
        """Return ``closed`` after the closing message."""
        return "closed" if state.closed else None

    def clock(self, state: AsyncToolState) -> int:
        """Return the number of turns."""
        return state.number

    def verdict(self, state: AsyncToolState) -> Replay:
        """Return the verdict on the turns so far."""
        return self.record(state).verdict()

    def record(self, state: AsyncToolState, messages: int = 0) -> Transcript:
        """Return the outcomes and violations of the turns so far; ``messages`` is the length of the plan."""
        turns = tuple(state.turns)
        faults = {turn.number: turn.violation for turn in turns if turn.violation is not None}
        early = {turn.number for turn in turns if turn.early}
        replaced = _replaced_calls(state, turns)
        outcomes, missing = [], list[AsyncToolViolation]()
        for progress in state.tasks.values():
            for step, turn in progress.executed.items():
                needed = progress.needed(turn.number, step)
                if needed is not None and needed.number > turn.number:  # it was unknown in that turn
                    early.add(turn.number)
                    faults[turn.number] = _early(turn, needed)
            outcomes.append(self._outcome(progress, turns))
            missing += _missing(progress, outcomes[-1], turns, replaced)
        violations = [faults[number] for number in sorted(faults)]
        if messages > state.number:
            violations.append(_violation(state.number, "after_close"))
        violations += missing
        implied = not state.closed and self.rules.closing == "implied"
        closed = state.closed or implied
        if not closed:
            violations.append(AsyncToolViolation(None, "not_closed", ""))
        length = state.number + implied
        return Transcript(
            self.problem,
            turns,
            closed,
            length,
            tuple(outcomes),
            tuple(sorted(early)),
            tuple(violations),
            replaced,
            state,
        )

    def _outcome(self, progress: TaskProgress, turns: Sequence[SimulatedTurn]) -> SubTaskOutcome:
        task, executed = progress.task, progress.executed
        steps = tuple(executed[step].number if step in executed else None for step in range(len(task.reference_calls)))
        char = self.rules.char == "results" or None not in steps
        if self.rules.char != "calls":
            results = Counter(canonical(turn.result) for turn in turns if turn.kind == "call" and turn.task == task.id)
            char = char and Counter(map(canonical, task.solved.results)) <= results
        return SubTaskOutcome(task.id, steps, char, progress.executor.state() == task.solved.state)


def _violation(position: int, kind: str, subject: str = "", **details: Any) -> AsyncToolViolation:
    """Return the violation of a turn, counted from 0."""
    return AsyncToolViolation(position, kind, subject, "", position, position + 1, **details)


def _fault(problem: AsyncToolProblem, turn: SimulatedTurn, needed: SimulatedTurn | None) -> AsyncToolViolation | None:
    """Return what is wrong with a turn; ``needed`` is the call for whose result it should have waited."""
    position, call = turn.number - 1, turn.call
    if turn.kind == "unreadable":
        return _violation(position, "unreadable", actual=turn.reason)
    if call is None:
        return None
    if turn.kind == "unknown_task":
        return _violation(position, "unknown_task", turn.task[:80], required=tuple(problem.by_id))
    if call.name not in problem.by_id[turn.task].documents:
        owners = tuple(task.id for task in problem.tasks if call.name in task.documents)
        kind = "other_tool" if owners else "unknown_tool"
        return _violation(position, kind, turn.task, resource=call.name[:80], required=owners or None)
    if needed is not None:
        return _early(turn, needed)
    if turn.step is None and isinstance(turn.result, dict) and "error" in turn.result:
        error = str(turn.result["error"])[:300]
        return _violation(position, "failed_call", turn.task, resource=call.name[:80], actual=error)
    return None


def _early(turn: SimulatedTurn, needed: SimulatedTurn) -> AsyncToolViolation:
    """Return the violation of a call that was made before it could know the result of another one."""
    other = Other(f"{needed.task}: {needed.function[:80]}", needed.number - 1, needed.number)
    position, required = turn.number - 1, needed.usable - 1
    details = {"others": (other,), "resource": turn.function[:80], "required": required, "actual": position}
    return _violation(position, "premature", turn.task, **details)


def _likeness(task: str, call: Call) -> tuple[Hashable, Hashable, Hashable]:
    """Return what a call has in common with one that was made instead of it, the most telling first."""
    values = frozenset(map(canonical, call.params.values()))
    return (task, call.name), (task, values) if values else None, call.key


def _replaced_calls(state: AsyncToolState, turns: Sequence[SimulatedTurn]) -> ReplacedCalls:
    """Return the calls that were made instead of missing ones, by sub-task and step; every call stands for one.

    Such a call is one of the same function for the sub-task, else one with the same values, else the same call for
    another sub-task.
    """
    missing = {
        (progress.task.id, step): call
        for progress in state.tasks.values()
        for step, call in enumerate(progress.task.reference_calls)
        if step not in progress.executed
    }
    others = {turn.number: turn for turn in turns if turn.call is not None and turn.step is None}
    replaced: ReplacedCalls = {}
    for rank in range(3) if missing else ():
        waiting: dict[Hashable, list[int]] = {}
        for number, turn in reversed(others.items()):
            if turn.call is not None:
                waiting.setdefault(_likeness(turn.task, turn.call)[rank], []).append(number)
        for (task, step), call in missing.items():
            key = _likeness(task, call)[rank]
            if key is not None and (task, step) not in replaced and waiting.get(key):
                replaced[task, step] = others.pop(waiting[key].pop())
    return replaced


def _missing(
    progress: TaskProgress, outcome: SubTaskOutcome, turns: Sequence[SimulatedTurn], replaced: ReplacedCalls
) -> list[AsyncToolViolation]:
    """Return the violations of a sub-task as a whole."""
    task, calls = outcome.task, progress.task.reference_calls
    missing = [step for step in range(len(calls)) if step not in progress.executed]
    if not missing and not outcome.env:
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


def replay(problem: AsyncToolProblem, messages: Sequence[Any], rules: Profile = PROFILES["paper"]) -> Transcript:
    """Replay the agent's messages, see `language.messages`; never raises for what they hold."""
    simulator = AsyncToolSimulator(problem, rules)
    state, _ = fold(simulator, (read_message(message, rules) for message in messages))
    return simulator.record(state, len(messages))
