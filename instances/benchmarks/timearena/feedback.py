"""Feedback on wrong decisions of a TimeArena run and on unfinished work, in sentences."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.instances.benchmarks.timearena.problems import words
from planoracle.instances.benchmarks.timearena.run import TimeArenaRun
from planoracle.instances.benchmarks.timearena.simulation import DecisionRecord
from planoracle.instances.model.violations import Other, Violation
from planoracle.instances.protocol.feedback import (
    ClockFormat,
    Examination,
    FeedbackItem,
    Topic,
    clean,
    listed,
    quoted,
    some,
)
from planoracle.instances.protocol.run import MismatchEvidence

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
    times = run.benchmark.clock(run.problem)
    findings = [FeedbackItem.of(violation, fault(times, violation)) for violation in verdict.violations]
    unfinished = [_unfinished_work(times, work, minutes) for work, minutes in verdict.remaining.items()]
    remarks = {"completeness": tuple(unfinished)} if unfinished else {}

    def decision_at(index: int) -> str:
        decision = quoted(record.steps[index].action)
        return f"{decision} in {times.moment(index)}"

    return Examination(
        replay=verdict,
        findings=tuple(findings),
        clock=times,
        command=decision_at,
        remarks=remarks,
        instance=run.problem,
        notes=_notes(times, record),
        name=_work,
    )


def _unfinished_work(times: ClockFormat, work: str, minutes: int) -> FeedbackItem:
    """Return the remaining minutes of some work as feedback."""
    violation = Violation(None, "unfinished", work, actual=minutes)
    duration = times.span(minutes)
    return FeedbackItem.of(violation, f"{_work(work)} needs {duration} more")


def _notes(times: ClockFormat, record: DecisionRecord) -> tuple[str, ...]:
    """Return the reason for the end of a run, if it is to be explained."""
    ending = _ENDS.get(record.end)
    if ending is None:
        return ()
    return (ending.format(minute=times.moment(record.total_time)),)


def _work(work: str) -> str:
    """Write ``object: verb`` as the action that it stands for."""
    name, _, verb = work.partition(": ")
    return clean(words(name, verb))


def foreign(run: TimeArenaRun) -> MismatchEvidence:
    """Return well-formed actions and objects that do not exist in any of the tasks."""
    names = []
    for violation in run.verdict.violations:
        kind, actual = violation.kind, violation.actual
        if kind == "nonexistent_object" and isinstance(actual, tuple) and actual:
            names.append(actual[0])
        elif kind == "invalid_action" and violation.subject.count(" ") in (1, 3):
            names.append(violation.subject)
    return MismatchEvidence(tuple(names), len(run.record.steps))


def fault(times: ClockFormat, violation: Violation) -> str:
    """Describe a violation, with its minute and decision."""
    moment = times.moment(violation.start or 0)
    sentence = _SENTENCES[violation.kind](times, violation)
    return f"{moment}: {quoted(violation.subject)} {sentence}"


def _missing_object(times: ClockFormat, violation: Violation) -> str:
    return f"names {some(map(quoted, _names(violation)))}, which does not exist in these tasks"


def _occupied(times: ClockFormat, violation: Violation) -> str:
    users = some(_until(times, work, "") for work in violation.others)
    return f"needs {listed(_names(violation))}, in use by {users}"


def _dependency(times: ClockFormat, violation: Violation) -> str:
    prerequisites = [_until(times, work, "in progress ") for work in violation.others]
    return f"starts before {listed(prerequisites)} is complete"


def _mismatch(times: ClockFormat, violation: Violation) -> str:
    names = _names(violation)
    if not violation.case:
        return f"is not possible with {listed(names)}"
    if violation.case == "twice":
        return "names one object twice"
    accepted = listed(violation.required) if isinstance(violation.required, tuple) else ""
    reason = f"which accepts only {accepted}" if violation.case == "reserved" else "which serve different tasks"
    return f"combines {listed(names)}, {reason}"


def _until(times: ClockFormat, work: Other, prefix: str) -> str:
    """Name running work and its end."""
    if work.end is None:
        return repr(work.subject)
    until = f"{prefix}until {times.moment(work.end)}"
    if not prefix:
        return f"{work.subject!r} {until}"
    return f"{work.subject!r} ({until})"


def _names(violation: Violation) -> tuple[str, ...]:
    """Return the names of the objects of a decision."""
    return violation.actual if isinstance(violation.actual, tuple) else ()


#: Parts of sentences by kind of violation, after the decision.
_SENTENCES: dict[str, Callable[[ClockFormat, Violation], str]] = {
    "invalid_action": lambda *_: "is not an action",
    "nonexistent_object": _missing_object,
    "object_mismatch": _mismatch,
    "object_occupied": _occupied,
    "dependency_violation": _dependency,
    "repeated_completed": lambda *_: "is already complete",
}
