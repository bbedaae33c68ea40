"""Causes of failed sub-tasks of a transcript, and feedback that hides the reference calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from planoracle.instances.benchmarks.asynctool.problem_model import SubTask
from planoracle.instances.benchmarks.asynctool.run import AsyncToolRun
from planoracle.instances.benchmarks.asynctool.simulation import SubTaskOutcome, Transcript
from planoracle.instances.benchmarks.asynctool.turns import SimulatedTurn
from planoracle.instances.protocol.feedback import Examination, FeedbackItem, Topic, sentence
from planoracle.instances.protocol.run import MismatchEvidence

#: The paper's name of the cause: a call was made before its input was known.
_GUESS = "insufficient_temporal_awareness"


class Cause(NamedTuple):
    """Cause of a failed sub-task, or a harmless early call (``failed`` is false).

    ``turn`` is the turn of the message concerned, ``None`` for a missing message. Names of causes follow the paper;
    ``wrong_call`` is its erroneous trajectory: a call that is not a reference call.
    """

    task: str
    cause: str
    turn: int | None
    failed: bool
    message: str


def causes(run: Transcript) -> list[Cause]:
    """Return one cause per failed sub-task, in their order, then the early calls of the others.

    The cause is that of the first reference call that was not made, by the first of these that applies:

    - ``insufficient_temporal_awareness``: its function was called with other parameters before the result it
      builds on was known (Figure 13);
    - ``wrong_parameter``: its function was called with other parameters;
    - ``tool_confusion``: a function of another sub-task was called for this one (Figure 14), or the call was made
      for another sub-task;
    - ``format``: a message that may have been the call was unreadable or named no existing task. A message may have
      been the call if it names the function or the sub-task, or if it names no sub-task and this one was started;
    - ``wrong_call``: other calls were made instead;
    - ``neglected_task``: none of these; the sub-task was omitted or given up (Figure 15).

    If all reference calls were made but the state is wrong, the cause is the first early call
    (``insufficient_temporal_awareness``), else the first call that is not a reference call, else the order of the
    calls (``wrong_call``).
    """
    failed, harmless = [], []
    early = frozenset(run.premature)
    for task, outcome in zip(run.problem.tasks, run.outcomes, strict=True):
        calls = [turn for turn in run.turns if turn.kind == "call" and turn.task == task.id]
        if not outcome.accurate:
            candidates = _candidates(run, task, outcome, calls, early)
            failed.append(next(candidates))
        else:
            guesses = [turn for turn in calls if turn.number in early]
            harmless += [_harmless_guess(task, turn) for turn in guesses]
    return failed + harmless


def _harmless_guess(task: SubTask, turn: SimulatedTurn) -> Cause:
    """Return an early call that was right nevertheless."""
    message = f"{turn.call} is correct, but was called before its input was known"
    return Cause(task.id, _GUESS, turn.number, False, message)


def _candidates(
    run: Transcript, task: SubTask, outcome: SubTaskOutcome, calls: list[SimulatedTurn], early: frozenset[int]
) -> Iterator[Cause]:
    """Yield the possible causes of a failed sub-task; the first one applies."""
    extra = [turn for turn in calls if turn.step is None]
    if None not in outcome.turns:
        yield from _causes_of_state(task, calls, extra, early)
        return
    step = outcome.turns.index(None)
    missing = task.reference_calls[step]
    instead = run.replaced.get((task.id, step))
    same_task: list[SimulatedTurn] = []
    if instead is not None and instead.task == task.id:
        same_task.append(instead)
    for turn in same_task:
        if turn.function == missing.name and turn.number in early:
            yield _at(task, _GUESS, turn, f"was called instead of {missing}, before its input was known")
        if turn.function == missing.name:
            yield _at(task, "wrong_parameter", turn, f"was called instead of {missing}")
    foreign_tools = _tools_of_others(run, task) - task.documents.keys()
    for turn in extra:
        if turn.function in foreign_tools:
            yield _at(task, "tool_confusion", turn, "calls a function of another task")
    if instead is not None and instead.kind == "call" and not same_task:
        yield _at(task, "tool_confusion", instead, f"was called for {instead.task}")
    for turn in run.turns:
        if turn.kind == "unreadable" and _might_be(turn, missing.name, task, run, started=bool(calls)):
            yield Cause(task.id, "format", turn.number, True, turn.reason)
        if turn.kind == "unknown_task" and turn.function == missing.name:
            message = f"was called for {turn.task[:80]!r}, which is not a task"
            yield _at(task, "format", turn, message)
    for turn in (*same_task, *extra):
        yield _at(task, "wrong_call", turn, f"was called instead of {missing}")
    number_missing = outcome.turns.count(None)
    number_of_calls = len(task.reference_calls)
    message = f"{number_missing} of {number_of_calls} calls are missing, the first is {missing}"
    yield Cause(task.id, "neglected_task", None, True, message)


def _causes_of_state(
    task: SubTask, calls: list[SimulatedTurn], extra: list[SimulatedTurn], early: frozenset[int]
) -> Iterator[Cause]:
    """Yield the possible causes of a wrong state after all reference calls; ``extra`` are the other calls."""
    for turn in calls:
        if turn.number in early:
            yield _at(task, _GUESS, turn, "was called before its input was known")
    for turn in extra:
        yield _at(task, "wrong_call", turn, "is not a reference call and changed the final state")
    yield Cause(task.id, "wrong_call", None, True, "the order of the calls changed the final state")


def _tools_of_others(run: Transcript, task: SubTask) -> set[str]:
    """Return the tools that the other sub-tasks offer."""
    names = set[str]()
    for candidate in run.problem.tasks:
        if candidate.id != task.id:
            names.update(candidate.documents)
    return names


def _might_be(turn: SimulatedTurn, function: str, task: SubTask, run: Transcript, *, started: bool) -> bool:
    if function in turn.text or task.id in turn.text:
        return True
    names_task = any(candidate.id in turn.text for candidate in run.problem.tasks)
    return started and not names_task


def _at(task: SubTask, cause: str, turn: SimulatedTurn, message: str) -> Cause:
    call = str(turn.call)[:200]
    text = f"{call} {message}"[:500]
    return Cause(task.id, cause, turn.number, True, text)


TOPICS = (
    Topic("reading", "Unreadable messages", ("unreadable",), "Send one call, a wait or the closing message."),
    Topic(
        "unknown",
        "Unknown tasks and functions",
        ("unknown_task", "unknown_tool"),
        "Use only the ids and functions of the tasks.",
    ),
    Topic("other_tool", "Functions of other tasks", ("other_tool",), "Call a function for the task that offers it."),
    Topic("failed_calls", "Failed calls", ("failed_call",), "Read the documentation of the parameters again."),
    Topic("timing", "Calls made too early", ("premature",), "Work on another task until the result has arrived."),
    Topic("completeness", "Missing calls", ("missing_call",), "Read the questions of these tasks again."),
    Topic("results", "Wrong results", ("wrong_state",), "Omit calls that a task does not require."),
    Topic("closing", "Closing", ("after_close", "not_closed"), "Send ALL COMPLETED once, after all tasks are done."),
)


def examine(run: AsyncToolRun) -> Examination:
    """Return the violations of a run as feedback."""
    clock = run.benchmark.clock(run.problem)
    return Examination(
        replay=run.verdict,
        findings=_findings(run.record),
        clock=clock,
        command=clock.moment,
        instance=run.problem,
    )


def foreign(run: AsyncToolRun) -> MismatchEvidence:
    """Return unknown tasks and functions, as evidence of a submission for another problem."""
    unknown = [fault for fault in run.record.violations if fault.kind in ("unknown_task", "unknown_tool")]
    names = (fault.resource or fault.subject for fault in unknown)
    return MismatchEvidence(tuple(names), len(run.record.turns))


def _findings(run: Transcript) -> tuple[FeedbackItem, ...]:
    items = []
    for violation in run.violations:
        message = violation.message
        if violation.position is not None:
            message = f"turn {violation.position + 1}: {message}"
        text = sentence(message.rstrip("."))
        # Steps are numbers, not amounts.
        excess = violation.excess or None if violation.kind == "premature" else None
        items.append(FeedbackItem(violation, text, excess))
    return tuple(items)
