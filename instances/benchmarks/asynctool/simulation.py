"""Simulator of AsyncTool: one message of the agent per turn, results that arrive later."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias

from planoracle.instances.benchmarks.asynctool.language import (
    CLOSING,
    MAX_MESSAGES,
    WAIT,
    AgentMessage,
    call_message,
    messages_by_action,
    read_message,
    written,
)
from planoracle.instances.benchmarks.asynctool.problem_model import (
    CLOSE,
    AsyncToolProblem,
    SubTask,
    canonical,
    family_of,
)
from planoracle.instances.benchmarks.asynctool.problem_model import instance as instance_of
from planoracle.instances.benchmarks.asynctool.rules import PROFILES, Profile
from planoracle.instances.benchmarks.asynctool.turns import (
    AsyncToolViolation,
    ReplacedCalls,
    SimulatedTurn,
    TaskProgress,
    missing_calls,
    premature_call,
    replaced_calls,
    turn_fault,
    turn_violation,
)
from planoracle.instances.model.instance import Instance, Lag
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model.violations import Replay, ReplayEvent, Violation
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.simulator import LegalCommand, ScheduleSimulator, Step, entries_of, fold

# Maximum number of irregular calls after which success is checked; later ones count as dead ends.
_MAX_CHECKS = 100

#: Two actions and the minimum lag between them.
_LagKey: TypeAlias = tuple[str, str, int | None]


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
    pieces
        Reference calls and the closing message as pieces of a schedule.
    irregular
        Number of calls from the first one on that is not the next reference call of its sub-task.
    """

    tasks: dict[str, TaskProgress]
    owned: set[str]
    number: int = 0
    pending: tuple[SimulatedTurn, ...] = ()
    last: SimulatedTurn | None = None
    pieces: tuple[Piece, ...] = ()
    irregular: int = 0

    def own(self, task: str) -> TaskProgress:
        """Return the progress of a sub-task to be changed."""
        if task not in self.owned:
            shared = self.tasks[task]
            executor = deepcopy(shared.executor)
            self.tasks[task] = replace(shared, executor=executor, executed=dict(shared.executed))
            self.owned.add(task)
        return self.tasks[task]

    @property
    def closed(self) -> bool:
        """True after the closing message."""
        return self.last is not None and self.last.kind == "close"

    @property
    def complete(self) -> bool:
        """True if all reference calls have been made."""
        return all(progress.following() is None for progress in self.tasks.values())

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
        Turn of every reference call, ``None`` for a missing one.
    char, env
        Path matching by the profile's ``char`` rule, and equality of the final states (paper, B.1).
    """

    task: str
    turns: tuple[int | None, ...]
    char: bool
    env: bool

    @property
    def accurate(self) -> bool:
        """True if path and state match."""
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
            events.append(_event(turn, done / total))
        calls = [turn for turn in self.turns if turn.kind == "call"]
        accurate = sum(outcome.accurate for outcome in self.outcomes)
        idle = [turn.number for turn in self.turns if turn.kind in ("wait", "unreadable")]
        idle_intervals = tuple((number - 1, number) for number in idle)
        goal_ratio = accurate / len(self.outcomes)
        return Replay(
            events=tuple(events),
            violations=self.violations,
            fatal=None,
            executed=len(calls),
            progress=done / total,
            goal_ratio=goal_ratio,
            success=self.success,
            makespan=self.length,
            remaining=self._missing_actions(),
            idle=idle_intervals,
        )

    def _missing_actions(self) -> dict[str, int]:
        """Return the actions that inaccurate sub-tasks lack, each with its duration of one turn."""
        missing: dict[str, int] = {}
        for task, outcome in zip(self.problem.tasks, self.outcomes, strict=True):
            if outcome.accurate:  # by its results, see the rule ``char``
                continue
            turns = zip(task.actions, outcome.turns, strict=True)
            missing |= {action: 1 for action, number in turns if number is None}
        return missing


def _event(turn: SimulatedTurn, progress: float) -> ReplayEvent:
    """Return a turn as an event; ``progress`` is the share of the reference calls made."""
    subject = turn.task
    if turn.call is not None:
        subject = f"{turn.task}: {turn.function}"
    is_accepted = turn.kind in ("call", "wait", "close")
    position = turn.number - 1
    return ReplayEvent(position, subject or turn.kind, position, turn.number, is_accepted, progress)


class AsyncToolSimulator(ScheduleSimulator[AsyncToolState, AgentMessage]):
    """Rules of AsyncTool. Commands are parsed messages, also unreadable ones; each takes a turn.

    Calls that are not reference calls can change the delays of later calls. Premature calls relax the remaining
    problem. After a call that makes a sub-task's state wrong, success is impossible.

    A call is executed when it is made; its result is known ``delay`` turns later. Calls are never
    refused for being early; a call before the last result is known is a guess.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.asynctool.problems import problem
    >>> simulator = AsyncToolSimulator(problem("asynctool/files_2"))
    >>> message = read_message('{"id": "files_2", "func_name": "no_such_tool", "params": {}}')
    >>> state, (step,) = simulator.apply(simulator.initial(), message)
    >>> step.kind, step.violation.kind, state.pending[0].usable
    ('lost', 'unknown_tool', 3)
    """

    def __init__(
        self, problem: AsyncToolProblem, rules: Profile = PROFILES["paper"], instance: Instance | None = None
    ) -> None:
        self.problem = problem
        self.rules = rules
        self.instance = instance_of(problem) if instance is None else instance

    @cached_property
    def _variants(self) -> dict[tuple[_LagKey, ...], Instance]:
        """Instances by their lags, first the problem."""
        lags = tuple((lag.before, lag.after, lag.minimum) for lag in self.instance.lags)
        return {lags: self.instance}

    def initial(self) -> AsyncToolState:
        """Return the state before the first turn."""
        tasks = {}
        for task in self.problem.tasks:
            executor = family_of(task.family)(task.initial)
            tasks[task.id] = TaskProgress(task, executor)
        return AsyncToolState(tasks, set(tasks))

    def copy(self, state: AsyncToolState) -> AsyncToolState:
        """Return an independent copy."""
        state.owned = set()
        return replace(state, tasks=dict(state.tasks), owned=set())

    def apply(self, state: AsyncToolState, command: AgentMessage) -> tuple[AsyncToolState, tuple[Step, ...]]:
        """Return the state after a message."""
        turn, awaited = self._turn(state, command)
        turn.violation = turn_fault(self.problem, turn, awaited)
        turn.before = state.last
        state.last = turn
        state.number = turn.number
        action = self._action_of(turn)
        if action is not None:
            piece = Piece(action, turn.number - 1, 1, self.instance.agents[0])
            state.pieces = (*state.pieces, piece)
        if turn.kind == "call" and (state.irregular or turn.step != state.tasks[turn.task].calls - 1):
            state.irregular += 1
        pending = (*state.pending, turn)
        state.pending = tuple(call for call in pending if call.usable > turn.number)
        return state, (turn.effect,)

    def _turn(self, state: AsyncToolState, command: AgentMessage) -> tuple[SimulatedTurn, SimulatedTurn | None]:
        """Execute a message; return the turn, and the call for whose result it should have waited."""
        task, call = command.task, command.call
        number = state.number + 1
        if call is None:
            return SimulatedTurn(command.kind, reason=command.reason, text=command.text, number=number), None
        if task not in state.tasks:
            return SimulatedTurn("unknown_task", task, call, number=number), None
        progress = state.own(task)
        result: Any = {"error": f"there is no function {call.name[:80]!r} for this task"}
        if call.name in progress.task.documents:
            result = progress.executor.call(call.name, call.params)
        step = progress.match(call)
        awaited = progress.awaited_call(number, step)
        delay = self.problem.delays.of(task, progress.calls, call.name)
        usable = number + 1 + delay
        is_early = awaited is not None
        turn = SimulatedTurn("call", task, call, "", "", number, result, usable, step, is_early)
        progress.calls += 1
        if step is not None:
            progress.executed[step] = turn
        if progress.slowest is None or usable > progress.slowest.usable:
            progress.slowest = turn
        return turn, awaited

    def _action_of(self, turn: SimulatedTurn) -> str | None:
        """Return the action of a reference call or of the closing message, ``None`` for other turns."""
        if turn.kind == "close":
            return CLOSE
        if turn.step is None:
            return None
        return self.problem.by_id[turn.task].actions[turn.step]

    def point(self, state: AsyncToolState) -> DecisionPoint:
        """Return the point after the turns so far, by the problem with the current delays."""
        number = state.number
        variant = self._variant(state)
        is_failed = state.closed and not self.success(state)
        dead_end = state.irregular > 0 and not self._can_succeed(state)
        return DecisionPoint(
            variant,
            PartialSchedule(state.pieces, number),
            reached=number,
            over="closed" if is_failed else None,
            dead_end=dead_end,
            grid=min(number, 1),
        )

    def _variant(self, state: AsyncToolState) -> Instance:
        """Return the instance with the current delays, without lags that premature calls have ignored."""
        lags: list[_LagKey] = []
        for progress in state.tasks.values():
            lags += self._lags_of(progress)
        key = tuple(lags)
        if key not in self._variants:
            if len(self._variants) > MAX_MESSAGES:
                self._variants.clear()
            variant_lags = tuple(Lag(*lag) for lag in key)
            self._variants[key] = replace(self.instance, lags=variant_lags)
        return self._variants[key]

    def _lags_of(self, progress: TaskProgress) -> Iterator[_LagKey]:
        """Yield the current lags between the actions of a sub-task."""
        task, number = progress.task, progress.calls
        names, executed = task.actions, progress.executed
        for step, (name, following) in enumerate(zip(names, (*names[1:], CLOSE), strict=True)):
            turn = executed.get(step)
            after = executed.get(step + 1)
            if turn is None:
                function = task.reference_calls[step].name
                delay = self.problem.delays.of(task.id, number, function)
                number += 1
            else:
                delay = turn.usable - turn.number - 1
            is_guess = after is not None and (turn is None or after.number < turn.usable)
            if following == CLOSE or is_guess:
                yield name, CLOSE, 0
            else:
                yield name, following, delay
            if is_guess and turn is None:  # remaining calls keep their order, also after skipped ones
                later_steps = range(step + 2, len(names))
                remaining = (later for later in later_steps if later not in executed)
                for later in islice(remaining, 1):
                    yield name, names[later], 0

    def _can_succeed(self, state: AsyncToolState) -> bool:
        """Return True if the remaining reference calls in order and the closing message are a success.

        After too many irregular calls this is not checked.
        """
        if state.closed or self.success(state):
            return self.success(state)
        if state.irregular > _MAX_CHECKS:
            return False
        trial = self.copy(state)
        for progress in state.tasks.values():
            for step, call in enumerate(progress.task.reference_calls):
                if step not in progress.executed:
                    message = call_message(progress.task.id, call)
                    trial, _ = self.apply(trial, self._read(message))
        trial, _ = self.apply(trial, self._read(CLOSING))
        return self.success(trial)

    def _read(self, message: object) -> AgentMessage:
        return read_message(message, self.rules)

    def success(self, state: AsyncToolState) -> bool:
        """Return True if every sub-task is accurate and the run is closed, by a message or by the rules."""
        if not state.closed and self.rules.closing != "implied":
            return False
        return all(outcome.accurate for outcome in self.outcomes(state))

    def outcomes(self, state: AsyncToolState) -> list[SubTaskOutcome]:
        """Return the outcome of every sub-task so far."""
        turns = [] if self.rules.char == "calls" else state.turns
        return [self._outcome(progress, turns) for progress in state.tasks.values()]

    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return a message for every turn."""
        messages = written(self.instance, remaining, point.state.clock)
        return list(map(json.dumps, messages))

    def ready(self, state: AsyncToolState) -> list[tuple[SubTask, int]]:
        """Return the steps, by sub-task, whose input is known.

        These are the first missing step of every task, once the result of the step before it is known. A step without
        a predecessor that was made needs no result.
        """
        ready = []
        for progress in state.tasks.values():
            step = progress.following()
            if step is not None and progress.awaited_call(state.number + 1, step) is None:
                ready.append((progress.task, step))
        return ready

    def legal(self, state: AsyncToolState) -> list[LegalCommand]:
        """Return the calls that are `ready` and the wait; once all calls have been made, the closing message."""
        commands = []
        for action in self._actions(state):
            kind = "close" if action == CLOSE else "act"
            commands.append(LegalCommand(self._texts[action], kind))
        # The closing message need not wait for the last results.
        return commands if state.complete else [*commands, LegalCommand(json.dumps(WAIT), "wait")]

    @cached_property
    def _texts(self) -> dict[str, str]:
        """Message of every action as text."""
        messages = messages_by_action(self.problem)
        return {action: json.dumps(message) for action, message in messages.items()}

    def _actions(self, state: AsyncToolState) -> list[str]:
        """Return the actions that are legal now: calls that are `ready`, or the end of the run."""
        actions = [task.actions[step] for task, step in self.ready(state)]
        if state.complete and not state.closed:
            actions.append(CLOSE)
        return actions

    def choices(self, point: DecisionPoint, step: int, state: AsyncToolState | None = None) -> Iterator[LegalCommand]:
        """Yield every reference call that is `ready`, the closing message and the wait."""
        if state is None:
            state = self._after_pieces(point)
        for action in self._actions(state):
            piece = Piece(action, point.state.clock, 1, self.instance.agents[0])
            yield LegalCommand(self._texts[action], "act", piece)
        yield LegalCommand(json.dumps(WAIT), "wait")

    def after_piece(self, point: DecisionPoint, piece: Piece) -> DecisionPoint:
        """Return the point after the turn of a call or of the closing message."""
        state = PartialSchedule((*point.state.pieces, piece), piece.end)
        return replace(point, state=state, reached=piece.end)

    def _after_pieces(self, point: DecisionPoint) -> AsyncToolState:
        """Return the state after the turns of a point, if all its calls are reference calls."""
        messages: list[object] = [*written(self.instance, Schedule(point.state.pieces))]
        messages += [WAIT] * (point.state.clock - len(messages))
        state, _ = fold(self, map(self._read, messages))
        return state

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
        replaced = replaced_calls(state.tasks.values(), turns)
        outcomes, missing = [], list[AsyncToolViolation]()
        for progress in state.tasks.values():
            for step, turn in progress.executed.items():
                awaited = progress.awaited_call(turn.number, step)
                if awaited is not None and awaited.number > turn.number:  # the result was unknown in that turn
                    early.add(turn.number)
                    faults[turn.number] = premature_call(turn, awaited)
            outcome = self._outcome(progress, turns)
            outcomes.append(outcome)
            if not outcome.accurate:
                missing += missing_calls(progress, outcome.env, turns, replaced)
        violations = [faults[number] for number in sorted(faults)]
        if messages > state.number:
            violations.append(turn_violation(state.number, "after_close"))
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
        """Return the outcome of a sub-task; ``turns`` are all turns, which count where results are compared."""
        task, executed = progress.task, progress.executed
        count = len(task.reference_calls)
        turns_of_steps = (executed.get(step) for step in range(count))
        steps = tuple(None if turn is None else turn.number for turn in turns_of_steps)
        char = self.rules.char == "results" or None not in steps
        if self.rules.char != "calls":
            calls = [turn for turn in turns if turn.kind == "call" and turn.task == task.id]
            results = Counter(canonical(turn.result) for turn in calls)
            expected = Counter(map(canonical, task.solved.results))
            char = char and expected <= results
        env = progress.executor.state() == task.solved.state
        return SubTaskOutcome(task.id, steps, char, env)


def replay(
    problem: AsyncToolProblem,
    messages: Sequence[Any],
    rules: Profile = PROFILES["paper"],
    instance: Instance | None = None,
) -> Transcript:
    """Replay the agent's messages; never raises an error, whatever they contain."""
    simulator = AsyncToolSimulator(problem, rules, instance)
    state, _ = fold(simulator, (read_message(message, rules) for message in messages))
    return simulator.record(state, len(messages))
