"""Causes of failed sub-tasks of a transcript, and feedback that hides the reference calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from planoracle.instances.benchmarks.asynctool.problem_model import SubTask
from planoracle.instances.benchmarks.asynctool.run import AsyncToolRun
from planoracle.instances.benchmarks.asynctool.simulation import SubTaskOutcome, Transcript
from planoracle.instances.benchmarks.asynctool.turns import SimulatedTurn
from planoracle.plugin import Examination, FeedbackItem, MismatchEvidence, Topic, clock_of, sentence

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
            failed.append(next(_candidates(run, task, outcome, calls, early)))
        else:
            harmless += [
                Cause(
                    task.id,
                    _GUESS,
                    turn.number,
                    False,
                    f"{turn.call} is correct, but was called before its input was known",
                )
                for turn in calls
                if turn.number in early
            ]
    return failed + harmless


def _candidates(
    run: Transcript, task: SubTask, outcome: SubTaskOutcome, calls: list[SimulatedTurn], early: frozenset[int]
) -> Iterator[Cause]:
    """Yield the possible causes of a failed sub-task; the first one applies."""
    others = [turn for turn in calls if turn.step is None]
    if None not in outcome.turns:
        guesses = (turn for turn in calls if turn.number in early)
        yield from (_at(task, _GUESS, turn, "was called before its input was known") for turn in guesses)
        yield from (
            _at(task, "wrong_call", one, "is not a reference call and changed the final state") for one in others
        )
        yield Cause(task.id, "wrong_call", None, True, "the order of the calls changed the final state")
        return
    step = outcome.turns.index(None)
    missing, instead = task.reference_calls[step], run.replaced.get((task.id, step))
    own = [turn for turn in (instead,) if turn is not None and turn.task == task.id]
    for turn in own:
        if turn.function == missing.name and turn.number in early:
            yield _at(task, _GUESS, turn, f"was called instead of {missing}, before its input was known")
        if turn.function == missing.name:
            yield _at(task, "wrong_parameter", turn, f"was called instead of {missing}")
    foreign = {name for other in run.problem.tasks if other.id != task.id for name in other.documents}
    confused = (turn for turn in others if turn.function in foreign - task.documents.keys())
    yield from (_at(task, "tool_confusion", turn, "calls a function of another task") for turn in confused)
    if instead is not None and instead.kind == "call" and not own:
        yield _at(task, "tool_confusion", instead, f"was called for {instead.task}")
    for turn in run.turns:
        if turn.kind == "unreadable" and _might_be(turn, missing.name, task, run, started=bool(calls)):
            yield Cause(task.id, "format", turn.number, True, turn.reason)
        if turn.kind == "unknown_task" and turn.function == missing.name:
            yield _at(task, "format", turn, f"was called for {turn.task[:80]!r}, which is not a task")
    yield from (_at(task, "wrong_call", turn, f"was called instead of {missing}") for turn in (*own, *others))
    count = f"{outcome.turns.count(None)} of {len(task.reference_calls)} calls are missing, the first is {missing}"
    yield Cause(task.id, "neglected_task", None, True, count)


def _might_be(turn: SimulatedTurn, function: str, task: SubTask, run: Transcript, *, started: bool) -> bool:
    if function in turn.text or task.id in turn.text:
        return True
    return started and not any(other.id in turn.text for other in run.problem.tasks)


def _at(task: SubTask, cause: str, turn: SimulatedTurn, message: str) -> Cause:
    return Cause(task.id, cause, turn.number, True, f"{str(turn.call)[:200]} {message}"[:500])


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
    record, times = run.record, clock_of(run.problem)
    return Examination(
        replay=run.verdict,
        findings=_findings(record),
        clock=times,
        command=times.moment,
        instance=run.problem,
    )


def foreign(run: AsyncToolRun) -> MismatchEvidence:
    """Return unknown tasks and functions, as evidence of a submission for another problem."""
    strange = [one for one in run.record.violations if one.kind in ("unknown_task", "unknown_tool")]
    names = (one.resource or one.subject for one in strange)
    return MismatchEvidence(tuple(names), len(run.record.turns))


def _findings(run: Transcript) -> tuple[FeedbackItem, ...]:
    items = []
    for violation in run.violations:
        number = "" if violation.position is None else f"turn {violation.position + 1}: "
        text = sentence((number + violation.message).rstrip("."))
        # Steps are numbers, not amounts.
        items.append(FeedbackItem(violation, text, violation.excess or None if violation.kind == "premature" else None))
    return tuple(items)
