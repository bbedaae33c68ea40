"""Replay of AsyncTool transcripts: what was called, what it did to every sub-task, which rules it broke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planoracle.instances.asynctool.calls import canonical
from planoracle.instances.asynctool.environment import Environment, Turn
from planoracle.instances.asynctool.problem import Problem, SubTask
from planoracle.instances.asynctool.profile import PROFILES, Profile
from planoracle.instances.replay import Event, Replay, Violation

__all__ = ["KINDS", "Outcome", "Run", "as_replay", "premature", "replay"]

#: Kinds of violations.
KINDS = (
    "unreadable",  # a message that is no call, wait or close
    "unknown_task",  # a call for a task that does not exist
    "other_tool",  # a call of a function that another sub-task offers
    "unknown_tool",  # a call of a function that nobody offers
    "failed_call",  # the function itself refused
    "premature",  # a call made before the result it builds on
    "after_close",  # a message after ALL COMPLETED
    "missing_call",  # a gold call that was never made
    "wrong_state",  # all gold calls made, but the sub-task's state is not the gold one
    "not_closed",  # no ALL COMPLETED
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one sub-task.

    Attributes
    ----------
    made
        For every gold call the turn that made it, ``None`` if none did.
    char, env
        Path matching by the profile's ``char`` rule, and equality of the final states (paper, B.1).
    """

    task: str
    made: tuple[int | None, ...]
    char: bool
    env: bool

    @property
    def accurate(self) -> bool:
        """Both of them."""
        return self.char and self.env


@dataclass(frozen=True, slots=True)
class Run:
    """A replayed transcript; ``turns`` end with the closing message, if there is one."""

    problem: Problem
    turns: tuple[Turn, ...]
    closed: bool
    outcomes: tuple[Outcome, ...]
    premature: tuple[int, ...]
    violations: tuple[Violation, ...]

    @property
    def success(self) -> bool:
        """Whether every sub-task is accurate (the paper's Overall)."""
        return all(outcome.accurate for outcome in self.outcomes)


def replay(problem: Problem, messages: Sequence[Any], rules: Profile = PROFILES["paper"]) -> Run:
    """Replay the agent's messages, see `language.messages`; never raises for what they hold."""
    environment = Environment(problem, rules)
    for message in messages:
        if environment.done:
            break
        environment.step(message)
    turns = tuple(environment.turns)
    early = premature(problem, turns)
    calls: dict[str, list[Turn]] = {task.id: [] for task in problem.tasks}
    for turn in turns:
        if turn.kind == "call":
            calls[turn.task].append(turn)
    outcomes = tuple(
        _outcome(task, calls[task.id], environment.executors[task.id].state(), rules) for task in problem.tasks
    )
    violations = [found for turn in turns if (found := _violation(problem, turn, turn.number in early)) is not None]
    if len(messages) > len(turns):
        violations.append(Violation(len(turns), "after_close", "", "the run is over after ALL COMPLETED"))
    for task, outcome in zip(problem.tasks, outcomes, strict=True):
        violations += [
            Violation(None, "missing_call", task.id, f"{call} was never called")
            for call, turn in zip(task.gold, outcome.made, strict=True)
            if turn is None
        ]
        if not outcome.env and None not in outcome.made:
            violations.append(
                Violation(None, "wrong_state", task.id, "every call was made, but the state is not the gold one")
            )
    if not environment.done:
        violations.append(Violation(None, "not_closed", "", "ALL COMPLETED was never said"))
    return Run(problem, turns, environment.done, outcomes, tuple(sorted(early)), tuple(violations))


def premature(problem: Problem, turns: Sequence[Turn]) -> set[int]:
    """Return the turns of the calls made before the result that they build on was known.

    A gold call builds on the gold call before it, if that is made at all; any other call on all calls of its
    sub-task that are under way.
    """
    known: dict[tuple[str, int], int] = {}
    for turn in turns:
        if turn.step is not None:
            known[turn.task, turn.step] = turn.usable
    early = set()
    running: dict[str, int] = {}
    for turn in turns:
        if turn.kind != "call":
            continue
        if turn.step is None:
            needed = running.get(turn.task, 0)
        else:
            needed = known.get((turn.task, turn.step - 1), 0)
        if needed > turn.number:
            early.add(turn.number)
        running[turn.task] = max(running.get(turn.task, 0), turn.usable)
    return early


def _outcome(task: SubTask, calls: list[Turn], state: Any, rules: Profile) -> Outcome:
    made: list[int | None] = [None] * len(task.gold)
    for turn in calls:
        if turn.step is not None:
            made[turn.step] = turn.number
    gold = task.solved
    char = True
    if rules.char in ("calls", "both"):
        char = None not in made
    if rules.char in ("results", "both"):
        wanted = Counter(map(canonical, gold.results))
        char = char and not wanted - Counter(canonical(turn.result) for turn in calls)
    return Outcome(task.id, tuple(made), char, state == gold.state)


def _violation(problem: Problem, turn: Turn, early: bool) -> Violation | None:
    position = turn.number - 1
    if turn.kind == "unreadable":
        return Violation(position, "unreadable", "", turn.reason)
    if turn.call is None:
        return None
    name, said = turn.call.name, str(turn.call)[:200]
    if turn.kind == "unknown_task":
        return Violation(position, "unknown_task", turn.task[:80], f"there is no task {turn.task[:80]!r}")
    if name not in problem.by_id[turn.task].documents:
        if any(name in task.documents for task in problem.tasks):
            return Violation(position, "other_tool", turn.task, f"{name[:80]} is a function of another task")
        return Violation(position, "unknown_tool", turn.task, f"there is no function {name[:80]!r}")
    if early:
        return Violation(position, "premature", turn.task, f"{said} was called before the last result was known")
    if turn.step is None and isinstance(turn.result, dict) and "error" in turn.result:
        return Violation(position, "failed_call", turn.task, f"{said}: {turn.result['error']}"[:300])
    return None


def as_replay(run: Run) -> Replay:
    """Return a run in the form common to all benchmarks; positions and times in turns, from 0."""
    total = sum(len(outcome.made) for outcome in run.outcomes)
    events, done = [], 0
    for turn in run.turns:
        done += turn.step is not None
        subject = turn.task if turn.call is None else f"{turn.task}: {turn.call.name}"
        accepted = turn.kind in ("call", "wait", "close")
        events.append(
            Event(turn.number - 1, subject or turn.kind, turn.number - 1, turn.number, accepted, done / total)
        )
    idle = tuple((turn.number - 1, turn.number) for turn in run.turns if turn.kind in ("wait", "unreadable"))
    remaining = {
        f"{task.id}/{step + 1} {task.gold[step].name}": 1
        for task, outcome in zip(run.problem.tasks, run.outcomes, strict=True)
        for step, turn in enumerate(outcome.made)
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
        makespan=len(run.turns),
        remaining=remaining,
        idle=idle,
    )
