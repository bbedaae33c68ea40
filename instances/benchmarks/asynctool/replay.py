"""Replay of AsyncTool transcripts: outcomes of sub-tasks and violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from planoracle.instances.benchmarks.asynctool.calls import canonical
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem, SubTask
from planoracle.instances.benchmarks.asynctool.rules import PROFILES, Profile
from planoracle.instances.benchmarks.asynctool.simulation import SimulatedTurn, ToolSimulation
from planoracle.instances.model.violations import Other, Replay, ReplayEvent, Violation

#: Sentences by kind of violation.
_MESSAGES: dict[str, Callable[[Violation], str]] = {
    "unreadable": lambda v: str(v.actual),
    "unknown_task": lambda v: f"there is no task {v.subject!r}",
    "other_tool": lambda v: f"{v.resource} is a function of another task",
    "unknown_tool": lambda v: f"there is no function {v.resource!r}",
    "failed_call": lambda v: f"{v.resource}: {v.actual}",
    "premature": lambda v: f"{v.resource} was called before the last result was known",
    "after_close": lambda _: "the run is over after ALL COMPLETED",
    "missing_call": lambda v: f"{v.resource} was never called",
    "wrong_state": lambda _: "every call was made, but the state is not the one after the reference calls",
    "not_closed": lambda _: "there is no message ALL COMPLETED",
}


class AsyncToolViolation(Violation):
    """A violation of these rules; ``resource`` is the function, times are turns from 0.

    Of a missing call ``actual`` is its step and ``required`` the number of steps of its task.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """One sentence on the violation."""
        return _MESSAGES[self.kind](self)


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
    """

    problem: AsyncToolProblem
    turns: tuple[SimulatedTurn, ...]
    closed: bool
    length: int
    outcomes: tuple[SubTaskOutcome, ...]
    premature: tuple[int, ...]
    violations: tuple[AsyncToolViolation, ...]

    @property
    def success(self) -> bool:
        """True if every sub-task is accurate (the paper's Overall) and the run is closed."""
        return self.closed and all(outcome.accurate for outcome in self.outcomes)


def replay(problem: AsyncToolProblem, messages: Sequence[Any], rules: Profile = PROFILES["paper"]) -> Transcript:
    """Replay the agent's messages, see `language.messages`; never raises for what they hold."""
    simulation = ToolSimulation(problem, rules)
    for message in messages:
        if simulation.done:
            break
        simulation.step(message)
    turns = tuple(simulation.turns)
    early = premature(problem, turns)
    calls: dict[str, list[SimulatedTurn]] = {task.id: [] for task in problem.tasks}
    for turn in turns:
        if turn.kind == "call":
            calls[turn.task].append(turn)
    outcomes = tuple(
        _outcome(task, calls[task.id], simulation.executors[task.id].state(), rules) for task in problem.tasks
    )
    violations = [
        violation for turn in turns if (violation := fault(problem, turn, early.get(turn.number))) is not None
    ]
    if len(messages) > len(turns):
        violations.append(AsyncToolViolation(len(turns), "after_close", "", "", len(turns), len(turns) + 1))
    for task, outcome in zip(problem.tasks, outcomes, strict=True):
        violations += [
            AsyncToolViolation(
                None, "missing_call", task.id, resource=call.name, required=len(task.reference_calls), actual=step
            )
            for step, (call, turn) in enumerate(zip(task.reference_calls, outcome.turns, strict=True))
            if turn is None
        ]
        if not outcome.env and None not in outcome.turns:
            violations.append(AsyncToolViolation(None, "wrong_state", task.id))
    implied = not simulation.done and rules.closing == "implied"
    closed = simulation.done or implied
    if not closed:
        violations.append(AsyncToolViolation(None, "not_closed", ""))
    return Transcript(problem, turns, closed, len(turns) + implied, outcomes, tuple(sorted(early)), tuple(violations))


def premature(problem: AsyncToolProblem, turns: Sequence[SimulatedTurn]) -> dict[int, SimulatedTurn]:
    """Return the turns of premature calls, each with the turn whose result it depends on.

    A reference call builds on the reference call before it, if that is made at all; any other call on all calls of its
    sub-task that are under way.
    """
    executed = {(turn.task, turn.step): turn for turn in turns if turn.step is not None}
    early: dict[int, SimulatedTurn] = {}
    running: dict[str, SimulatedTurn] = {}  # the call of a task whose result comes last
    for turn in turns:
        if turn.kind != "call":
            continue
        last = running.get(turn.task)
        needed = last if turn.step is None else executed.get((turn.task, turn.step - 1))
        if needed is not None and needed.usable > turn.number:
            early[turn.number] = needed
        if last is None or turn.usable > last.usable:
            running[turn.task] = turn
    return early


def _outcome(task: SubTask, calls: list[SimulatedTurn], state: Any, rules: Profile) -> SubTaskOutcome:
    turns: list[int | None] = [None] * len(task.reference_calls)
    for turn in calls:
        if turn.step is not None:
            turns[turn.step] = turn.number
    reference = task.solved
    char = True
    if rules.char in ("calls", "both"):
        char = None not in turns
    if rules.char in ("results", "both"):
        missing_results = Counter(map(canonical, reference.results))
        char = char and not missing_results - Counter(canonical(turn.result) for turn in calls)
    return SubTaskOutcome(task.id, tuple(turns), char, state == reference.state)


def fault(problem: AsyncToolProblem, turn: SimulatedTurn, needed: SimulatedTurn | None) -> AsyncToolViolation | None:
    """Return what is wrong with a turn; ``needed`` is the call for whose result it should have waited."""
    start, end = turn.number - 1, turn.number
    if turn.kind == "unreadable":
        return AsyncToolViolation(start, "unreadable", "", "", start, end, actual=turn.reason)
    if turn.call is None:
        return None
    name = turn.call.name
    if turn.kind == "unknown_task":
        ids = tuple(task.id for task in problem.tasks)
        return AsyncToolViolation(start, "unknown_task", turn.task[:80], "", start, end, required=ids)
    if name not in problem.by_id[turn.task].documents:
        owners = tuple(task.id for task in problem.tasks if name in task.documents)
        kind = "other_tool" if owners else "unknown_tool"
        return AsyncToolViolation(start, kind, turn.task, "", start, end, (), name[:80], owners or None)
    if needed is not None:
        call = "" if needed.call is None else needed.call.name[:80]
        by = (Other(f"{needed.task}: {call}", needed.number - 1, needed.number),)
        return AsyncToolViolation(
            start, "premature", turn.task, "", start, end, by, name[:80], needed.usable - 1, start
        )
    if turn.step is None and isinstance(turn.result, dict) and "error" in turn.result:
        error = str(turn.result["error"])[:300]
        return AsyncToolViolation(start, "failed_call", turn.task, "", start, end, (), name[:80], None, error)
    return None


def as_replay(run: Transcript) -> Replay:
    """Return a run in the form common to all benchmarks; positions and times in turns, from 0."""
    total = sum(len(outcome.turns) for outcome in run.outcomes)
    events, done = [], 0
    for turn in run.turns:
        done += turn.step is not None
        subject = turn.task if turn.call is None else f"{turn.task}: {turn.call.name}"
        accepted = turn.kind in ("call", "wait", "close")
        events.append(
            ReplayEvent(turn.number - 1, subject or turn.kind, turn.number - 1, turn.number, accepted, done / total)
        )
    idle = tuple((turn.number - 1, turn.number) for turn in run.turns if turn.kind in ("wait", "unreadable"))
    remaining = {
        action: 1
        for task, outcome in zip(run.problem.tasks, run.outcomes, strict=True)
        for action, turn in zip(task.actions, outcome.turns, strict=True)
        if turn is None
    }
    return Replay(
        events=tuple(events),
        violations=run.violations,
        fatal=None,
        executed=sum(turn.kind == "call" for turn in run.turns),
        progress=done / total,
        goal_ratio=sum(outcome.accurate for outcome in run.outcomes) / len(run.outcomes),
        success=run.success,
        makespan=run.length,
        remaining=remaining,
        idle=idle,
    )
