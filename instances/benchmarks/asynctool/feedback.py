"""Feedback on the messages of an AsyncTool transcript that does not reveal the reference calls."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.instances.benchmarks.asynctool.encoding import to_schedule
from planoracle.instances.benchmarks.asynctool.failure_causes import causes
from planoracle.instances.benchmarks.asynctool.replay import Transcript
from planoracle.instances.benchmarks.asynctool.run import AsyncToolRun
from planoracle.instances.model.violations import Measure, Violation
from planoracle.instances.protocol.feedback import (
    Examination,
    FeedbackItem,
    Topic,
    clean,
    clock_of,
    listed,
    quoted,
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
        schedule=to_schedule(instance, run.plan.commands) if exact else None,
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
        text = sentence((number + _SENTENCES[violation.kind](violation) + hint).rstrip("."))
        # Steps are numbers, not amounts.
        items.append(FeedbackItem(violation, text, violation.excess or None if violation.kind == "premature" else None))
    return tuple(items)


def _names(one: Violation) -> str:
    return listed([clean(name) for name in one.required]) if isinstance(one.required, tuple) else ""


def _call(one: Violation) -> str:
    return quoted(one.resource or "")


def _ordinal(number: Measure) -> str:
    """Write a turn or step, counted from 0, as people count."""
    return str(number + 1) if isinstance(number, int) else ""


_SENTENCES: dict[str, Callable[[Violation], str]] = {
    "unreadable": lambda one: clean(str(one.actual), 120),
    "unknown_task": lambda one: f"there is no task {quoted(one.subject)}; there are {_names(one)}",
    "unknown_tool": lambda one: f"no task offers the function {_call(one)}",
    "other_tool": lambda one: f"{_call(one)} is offered for {_names(one)}, not for {clean(one.subject)}",
    "failed_call": lambda one: f"{_call(one)} for {clean(one.subject)} failed: {clean(str(one.actual), 120)}",
    "premature": lambda one: (
        f"{_call(one)} for {clean(one.subject)} was called before the result that it builds on was known, "
        f"which is in turn {_ordinal(one.required)}"
    ),
    "missing_call": lambda one: (
        f"{clean(one.subject)} lacks a call of {clean(one.resource or '')} "
        f"(step {_ordinal(one.actual)} of {one.required})"
    ),
    "wrong_state": lambda one: f"{clean(one.subject)} made all its calls, but what came out is not as it should be",
    "after_close": lambda _: "the run was over after the closing message",
    "not_closed": lambda _: "the closing message ALL COMPLETED is missing",
}
