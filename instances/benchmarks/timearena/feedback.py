"""Feedback on wrong decisions of a TimeArena run and on unfinished work, in sentences."""

from __future__ import annotations

from planoracle.instances.benchmarks.timearena.problems import words
from planoracle.instances.benchmarks.timearena.run import TimeArenaRun
from planoracle.instances.protocol.feedback import ClockFormat, some
from planoracle.plugin import (
    Examination,
    FeedbackItem,
    MismatchEvidence,
    Other,
    Topic,
    Violation,
    clean,
    clock_of,
    listed,
    quoted,
)

TOPICS = (
    Topic("reading", "Actions that do not exist", ("invalid_action",), "Use only the listed actions, word by word."),
    Topic("unknown", "Objects that do not exist", ("nonexistent_object",), "Use only the listed objects."),
    Topic("mismatch", "Objects that do not fit", ("object_mismatch",), "Use an object only in actions of its task."),
    Topic("objects", "Occupied objects", ("object_occupied",), "Do something else until the object is free."),
    Topic("dependency", "Prerequisites", ("dependency_violation",), "Complete the prerequisites of an action first."),
    Topic("repetition", "Repetition", ("repeated_completed",), "Do not repeat completed work."),
    Topic(
        "completeness", "Unfinished work", (), "Complete it.", "At the end of the run this work is unfinished: {names}."
    ),
)

_ENDS = {
    "time_out": "The time limit was reached in {minute}.",
    "five_invalid": "Too many wrong actions in a row ended the run before {minute}.",
    "exit": "You ended the run yourself before {minute}.",
}


def examine(run: TimeArenaRun) -> Examination:
    """Return the violations and the unfinished work of a run as feedback."""
    record, verdict = run.record, run.verdict
    times = clock_of(run.problem)
    unfinished = tuple(
        FeedbackItem.of(
            Violation(None, "unfinished", work, actual=minutes), f"{_work(work)} needs {times.span(minutes)} more"
        )
        for work, minutes in verdict.remaining.items()
    )
    ending = _ENDS.get(record.end)
    return Examination(
        replay=verdict,
        findings=tuple(FeedbackItem.of(one, fault(times, one)) for one in verdict.violations),
        clock=times,
        command=lambda index: f"{quoted(record.steps[index].action)} in {times.moment(index)}",
        remarks={"completeness": unfinished} if unfinished else {},
        instance=run.problem,
        notes=(ending.format(minute=times.moment(record.total_time)),) if ending else (),
        name=_work,
    )


def _work(work: str) -> str:
    """Write ``object: verb`` as the action that it stands for."""
    name, _, verb = work.partition(": ")
    return clean(words(name, verb))


def foreign(run: TimeArenaRun) -> MismatchEvidence:
    """Return well-formed actions and objects that do not exist in any of the tasks."""
    names = []
    for one in run.verdict.violations:
        if one.kind == "nonexistent_object" and isinstance(one.actual, tuple) and one.actual:
            names.append(one.actual[0])
        elif one.kind == "invalid_action" and one.subject.count(" ") in (1, 3):
            names.append(one.subject)
    return MismatchEvidence(tuple(names), len(run.record.steps))


def fault(times: ClockFormat, one: Violation) -> str:
    """Describe a violation, with its minute and decision."""
    return f"{times.moment(one.start or 0)}: {quoted(one.subject)} {_what_is_wrong(times, one)}"


def _what_is_wrong(times: ClockFormat, one: Violation) -> str:
    names = one.actual if isinstance(one.actual, tuple) else ()
    if one.kind == "invalid_action":
        return "is not an action"
    if one.kind == "nonexistent_object":
        return f"names {some(map(quoted, names))}, which does not exist in these tasks"
    if one.kind == "object_mismatch":
        return _mismatch(one, names)
    if one.kind == "object_occupied":
        return f"needs {listed(names)}, in use by {some(_until(times, other, '') for other in one.others)}"
    if one.kind == "dependency_violation":
        return f"starts before {listed([_until(times, other, 'in progress ') for other in one.others])} is complete"
    return "is already complete"


def _mismatch(one: Violation, names: tuple[str, ...]) -> str:
    if not one.case:
        return f"is not possible with {listed(names)}"
    if one.case == "twice":
        return "names one object twice"
    accepted = listed(one.required) if isinstance(one.required, tuple) else ""
    reason = f"which accepts only {accepted}" if one.case == "reserved" else "which serve different tasks"
    return f"combines {listed(names)}, {reason}"


def _until(times: ClockFormat, other: Other, prefix: str) -> str:
    """Name running work and its end."""
    if other.end is None:
        return repr(other.subject)
    until = f"{prefix}until {times.moment(other.end)}"
    return f"{other.subject!r} ({until})" if prefix else f"{other.subject!r} {until}"
