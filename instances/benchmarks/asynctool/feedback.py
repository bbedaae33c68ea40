"""Feedback on the messages of an AsyncTool transcript that does not reveal the reference calls."""

from __future__ import annotations

from planoracle.instances.benchmarks.asynctool.failure_causes import causes
from planoracle.instances.benchmarks.asynctool.language import schedule
from planoracle.instances.benchmarks.asynctool.run import AsyncToolRun
from planoracle.instances.benchmarks.asynctool.simulation import Transcript
from planoracle.instances.protocol.feedback import (
    Examination,
    FeedbackItem,
    Topic,
    clock_of,
    sentence,
)
from planoracle.instances.protocol.run import MismatchEvidence

TOPICS = (
    Topic("reading", "Messages that cannot be read", ("unreadable",), "Send one call, a wait or the closing message."),
    Topic(
        "unknown", "Unknown tasks and functions", ("unknown_task", "unknown_tool"), "Use the ids and functions given."
    ),
    Topic("other_tool", "Functions of other tasks", ("other_tool",), "Call a function for the task that offers it."),
    Topic("failed_calls", "Failed calls", ("failed_call",), "Read the documentation of the parameters again."),
    Topic("timing", "Calls made too early", ("premature",), "Work on another task until the result has arrived."),
    Topic("completeness", "Missing calls", ("missing_call",), "Go through the questions of these tasks again."),
    Topic("results", "Wrong results", ("wrong_state",), "Leave out what a task does not ask for."),
    Topic("closing", "Closing", ("after_close", "not_closed"), "Say ALL COMPLETED once, when everything is done."),
)

_CAUSES = {
    "insufficient_temporal_awareness": "in {turn} the function was called before its input was known",
    "wrong_parameter": "in {turn} the function was called with other parameters",
    "tool_confusion": "in {turn} tasks and functions were mixed up",
    "format": "{turn} may have been meant for it, but could not be read",
    "wrong_call": "in {turn} something else was called",
}


def examine(run: AsyncToolRun) -> Examination:
    """Look closely at what is wrong with a run."""
    instance, record, times = run.problem, run.record, clock_of(run.problem)
    faultless = record.success and not record.violations
    exact = faultless and all(turn.kind != "call" or turn.step is not None for turn in record.turns)
    return Examination(
        replay=run.verdict,
        findings=_findings(record),
        clock=times,
        command=times.moment,
        instance=instance,
        schedule=schedule(instance, run.plan) if exact else None,
    )


def foreign(run: AsyncToolRun) -> MismatchEvidence:
    """Return the tasks that are not asked for, and the functions that nobody offers."""
    strange = [one for one in run.record.violations if one.kind in ("unknown_task", "unknown_tool")]
    names = (one.resource or one.subject for one in strange)
    return MismatchEvidence(tuple(names), len(run.record.turns))


def _findings(run: Transcript) -> tuple[FeedbackItem, ...]:
    pending = {cause.task: cause for cause in causes(run) if cause.failed}
    items = []
    for violation in run.violations:
        cause = pending.get(violation.subject) if violation.kind in ("missing_call", "wrong_state") else None
        hint = ""
        if cause is not None and cause.turn is not None and cause.cause in _CAUSES:
            hint = f" ({_CAUSES[cause.cause].format(turn=f'turn {cause.turn}')})"
            pending.pop(violation.subject)
        number = "" if violation.position is None else f"turn {violation.position + 1}: "
        text = sentence((number + violation.message + hint).rstrip("."))
        # Steps are numbers, not amounts.
        items.append(FeedbackItem(violation, text, violation.excess or None if violation.kind == "premature" else None))
    return tuple(items)
