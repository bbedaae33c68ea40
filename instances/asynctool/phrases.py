"""Critic of AsyncTool: what is wrong with every message, without telling the calls that are right."""

from __future__ import annotations

from typing import Any

from planoracle.instances.asynctool.causes import causes
from planoracle.instances.asynctool.encode import to_schedule
from planoracle.instances.asynctool.environment import Turn
from planoracle.instances.asynctool.problem import MAX_DELAY
from planoracle.instances.asynctool.rules import Run
from planoracle.instances.asynctool.run import AsyncToolRun
from planoracle.instances.feedback import (
    Examined,
    Finding,
    Other,
    Topic,
    clean,
    clock_of,
    listed,
    quoted,
    sentence,
)
from planoracle.instances.model import Instance
from planoracle.instances.replay import Violation

__all__ = ["TOPICS", "examine"]

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


def examine(run: AsyncToolRun) -> Examined:
    """Look closely at what is wrong with a run."""
    instance, record, times = run.problem, run.record, clock_of(run.problem)
    faultless = record.success and not record.violations
    exact = faultless and all(turn.kind != "call" or turn.step is not None for turn in record.turns)
    return Examined(
        replay=run.verdict,
        findings=_findings(instance, record),
        clock=times,
        command=times.moment,
        instance=instance,
        schedule=to_schedule(instance, run.plan.commands) if exact else None,
    )


def _findings(instance: Instance, run: Run) -> tuple[Finding, ...]:
    missing = {
        task.id: iter([step for step, turn in enumerate(outcome.made) if turn is None])
        for task, outcome in zip(run.problem.tasks, run.outcomes, strict=True)
    }
    behind = {cause.task: cause for cause in causes(run) if cause.failed}
    found = []
    for violation in run.violations:
        step = next(missing[violation.subject]) if violation.kind == "missing_call" else None
        cause = behind.get(violation.subject) if step is not None or violation.kind == "wrong_state" else None
        hint = ""
        if cause is not None and cause.turn is not None and cause.cause in _CAUSES:
            hint = f" ({_CAUSES[cause.cause].format(turn=f'turn {cause.turn}')})"
            behind.pop(violation.subject)
        found.append(_finding(instance, run, violation, step, hint))
    return tuple(found)


def _finding(instance: Instance, run: Run, violation: Violation, step: int | None, hint: str) -> Finding:
    kind, subject, index = violation.kind, violation.subject, violation.position
    turn = run.turns[index] if index is not None and index < len(run.turns) else None
    number = "" if index is None else f"turn {index + 1}: "
    call = "" if turn is None or turn.call is None else quoted(turn.call.name)
    task = clean(subject)
    facts: dict[str, Any] = {}
    if kind == "unreadable":
        text = clean(violation.message, 120)
    elif kind == "unknown_task":
        text = f"there is no task {quoted(subject)}; there are {listed([clean(one.id) for one in run.problem.tasks])}"
        facts = {"required": tuple(one.id for one in run.problem.tasks)}
    elif kind == "unknown_tool":
        text = f"no task offers the function {call}"
        facts = {"resource": turn.call.name[:80] if turn is not None and turn.call is not None else None}
    elif kind == "other_tool":
        name = turn.call.name if turn is not None and turn.call is not None else ""
        owners = [one.id for one in run.problem.tasks if name in one.documents]
        text = f"{call} is offered for {listed([clean(owner) for owner in owners])}, not for {task}"
        facts = {"resource": name[:80], "required": tuple(owners)}
    elif kind == "failed_call":
        error = turn.result.get("error") if turn is not None and isinstance(turn.result, dict) else ""
        text = f"{call} for {task} failed: {clean(str(error), 120)}"
    elif kind == "premature" and turn is not None:
        source, known = _needed(run, turn)
        text = f"{call} for {task} was called before the result that it builds on was known, which is in turn {known}"
        facts = {"required": known - 1, "actual": turn.number - 1, "excess": known - turn.number}
        if source is not None and source.call is not None:
            facts["others"] = (Other(f"{source.task}: {source.call.name[:80]}", source.number - 1, source.number),)
    elif kind == "missing_call" and step is not None:
        name = run.problem.by_id[subject].gold[step].name
        total = len(run.problem.by_id[subject].gold)
        text = f"{task} lacks a call of {clean(name)} (step {step + 1} of {total}){hint}"
        facts = {"resource": name, "required": total, "actual": step}
    elif kind == "wrong_state":
        text = f"{task} made all its calls, but what came out is not as it should be{hint}"
    elif kind == "after_close":
        text = "the run was over after the closing message"
    else:
        text = "the closing message ALL COMPLETED is missing"
    if index is not None:
        facts |= {"start": index, "end": index + 1}
    return Finding(kind, subject, sentence(number + text.rstrip(".")), index, **facts)


def _needed(run: Run, turn: Turn) -> tuple[Turn | None, int]:
    """Return the call whose result an early call should have waited for, and the turn in which that is known."""
    # No result takes longer, so that of an older call is known.
    recent = run.turns[max(0, turn.number - 2 - MAX_DELAY) : turn.number - 1]
    earlier = [one for one in recent if one.kind == "call" and one.task == turn.task]
    if turn.step is not None:
        earlier = [one for one in run.turns if one.task == turn.task and one.step == turn.step - 1]
    source = max(earlier, key=lambda one: one.usable, default=None)
    return source, source.usable if source is not None else turn.number
