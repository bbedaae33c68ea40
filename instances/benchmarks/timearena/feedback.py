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
    Topic("reading", "Actions that do not exist", ("invalid_action",), "Use the actions you were given, word by word."),
    Topic("unknown", "Objects that do not exist", ("nonexistent_object",), "Use the objects you were given."),
    Topic("mismatch", "Objects that do not fit", ("object_mismatch",), "Use an object only as its task foresees."),
    Topic("objects", "Occupied objects", ("object_occupied",), "Do something else until the object is free."),
    Topic("dependency", "Prerequisites", ("dependency_violation",), "Do first what an action builds on."),
    Topic("repetition", "Repetition", ("repeated_completed",), "Do not repeat what is done."),
    Topic("completeness", "Unfinished work", (), "Finish it.", "At the end of the run this is left: {names}."),
)

_ENDS = {
    "time_out": "The time was over in {minute}.",
    "five_invalid": "So many wrong actions in a row ended the run before {minute}.",
    "exit": "You ended the run yourself before {minute}.",
}


def examine(run: TimeArenaRun) -> Examination:
    """Look closely at what is wrong with a run."""
    record, verdict = run.record, run.verdict
    times = clock_of(run.problem)
    unfinished = tuple(
        FeedbackItem.of(
            Violation(None, "unfinished", work, actual=minutes), f"{_work(work)} lacks {times.span(minutes)}"
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
    """Return the actions that no task has, of those that have the form of one, and objects that none has."""
    names = []
    for one in run.verdict.violations:
        if one.kind == "nonexistent_object" and isinstance(one.actual, tuple) and one.actual:
            names.append(one.actual[0])
        elif one.kind == "invalid_action" and one.subject.count(" ") in (1, 3):
            names.append(one.subject)
    return MismatchEvidence(tuple(names), len(run.record.steps))


def fault(times: ClockFormat, one: Violation) -> str:
    """Say what is wrong with a minute."""
    return f"{times.moment(one.start or 0)}: {quoted(one.subject)} {_what_is_wrong(times, one)}"


def _what_is_wrong(times: ClockFormat, one: Violation) -> str:
    names = one.actual if isinstance(one.actual, tuple) else ()
    if one.kind == "invalid_action":
        return "is no action"
    if one.kind == "nonexistent_object":
        return f"names {some(map(quoted, names))}, which is not there"
    if one.kind == "object_mismatch":
        return _mismatch(one, names)
    if one.kind == "object_occupied":
        return f"finds {listed(names)} in use by {some(_until(times, other, '') for other in one.others)}"
    if one.kind == "dependency_violation":
        return f"comes before {listed([_until(times, other, 'goes on ') for other in one.others])} is done"
    return "is done already"


def _mismatch(one: Violation, names: tuple[str, ...]) -> str:
    if not one.case:
        return f"is nothing to do with {listed(names)}"
    if one.case == "twice":
        return "names one object twice"
    accepted = listed(one.required) if isinstance(one.required, tuple) else ""
    reason = f"which takes {accepted} alone" if one.case == "reserved" else "which serve different tasks"
    return f"brings together {listed(names)}, {reason}"


def _until(times: ClockFormat, other: Other, prefix: str) -> str:
    """Name work, and until when it goes on."""
    if other.end is None:
        return repr(other.subject)
    until = f"{prefix}until {times.moment(other.end)}"
    return f"{other.subject!r} ({until})" if prefix else f"{other.subject!r} {until}"
