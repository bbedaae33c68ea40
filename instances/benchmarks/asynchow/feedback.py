"""Feedback on answers in words; on schedules that of the general rules."""

from __future__ import annotations

from planoracle.instances.benchmarks.asynchow.released_grader import candidates
from planoracle.instances.benchmarks.asynchow.run import AsyncHowRun
from planoracle.instances.benchmarks.generic import feedback
from planoracle.instances.protocol.feedback import ClockFormat, Examination, FeedbackItem, Topic, quoted

TOPICS = (
    Topic(
        "form",
        "Form of the answer",
        ("empty", "no_time", "range", "unreadable"),
        'Put one time into double quotes, with a space between number and unit, such as "2 hours 30 min".',
    ),
    Topic(
        "time",
        "Time",
        ("too_short", "too_long", "wrong"),
        "The shortest time is the length of the longest chain of steps that wait for each other.",
    ),
    *feedback.TOPICS,
)


def examine(run: AsyncHowRun) -> Examination:
    """Return the violations of a run as feedback."""
    if run.answer is None:
        return feedback.examine(run)
    clock = run.benchmark.clock(run.problem)
    answer = _quoted_answer(run)
    faults = run.verdict.violations
    findings = []
    for fault in faults:
        findings.append(FeedbackItem.of(fault, f"{answer}{fault.message}"))
    return Examination(
        replay=run.verdict,
        findings=tuple(findings),
        clock=clock,
        command=lambda index: "your answer",
        instance=run.problem,
        outcome=_outcome(run, clock),
        whole=True,
    )


def _outcome(run: AsyncHowRun, clock: ClockFormat) -> str:
    shortest, longest = (clock.span(seconds) for seconds in run.right_answer)
    right_time = shortest if shortest == longest else f"{shortest} to {longest}"
    verdict = "right" if run.success else "wrong"
    return f"The answer is {verdict}: the shortest time is {right_time}."


def _quoted_answer(run: AsyncHowRun) -> str:
    texts = candidates(getattr(run.plan.commands, "text", ""))
    return f"{quoted(texts[-1])}: " if texts else ""
