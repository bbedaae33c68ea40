"""Feedback on answers to AsyncPlan-XXL."""

from __future__ import annotations

from planoracle.instances.benchmarks.asyncplanning.step_run import StepRun
from planoracle.instances.benchmarks.asyncplanning.step_tasks import name_of
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import Examination, FeedbackItem, Topic, quoted

TOPICS = (
    Topic(
        "form",
        "Form of the answer",
        ("no_plan", "no_answer"),
        "Write one answer in the form that is asked for.",
    ),
    Topic(
        "steps",
        "Steps",
        ("unknown_step", "repeated_step", "missing_step"),
        "List every step of the problem exactly once, by its name.",
    ),
    Topic("durations", "Durations", ("duration",), "State the duration of every step exactly, in seconds."),
    Topic(
        "order",
        "Order",
        ("cycle", "order", "negative_start"),
        "State every required order, and start a step after the steps before it have ended.",
    ),
    Topic(
        "time",
        "Time",
        ("wrong_time", "extra_order"),
        "The shortest time is the length of the longest chain of steps that wait for each other.",
    ),
)

#: Sentences on violations: ``{name}`` is the subject, ``{v}`` the violation.
_SENTENCES = {
    "no_plan": "the answer contains no plan",
    "no_answer": "the answer contains no time",
    "unknown_step": "there is no step {name}; the problem has {v.required}",
    "repeated_step": "{name} occurs {v.actual}",
    "missing_step": "{name} is missing",
    "duration": "{name} takes {v.required}; the answer says {v.actual}",
    "cycle": "the stated orders contain a cycle",
    "order": "{name} must start after {v.required} has ended; the answer lets it start before",
    "negative_start": "{name} starts before time 0",
    "wrong_time": "the shortest time is {v.required}; the answer says {v.actual}",
    "extra_order": "the stated orders lengthen the schedule to {v.actual}; {v.required} are possible",
}


def sentence_of(violation: Violation) -> str:
    """Return a violation as a part of a sentence.

    >>> sentence_of(Violation(None, "missing_step", "step3"))
    'step3 is missing'
    """
    name = quoted(violation.subject) if violation.kind == "unknown_step" else violation.subject
    return _SENTENCES[violation.kind].format(name=name, v=violation)


def examine(run: StepRun) -> Examination:
    """Return the violations of a run as feedback."""
    violations = run.verdict.violations
    findings = [FeedbackItem.of(violation, sentence_of(violation)) for violation in violations]
    names = [name_of(piece.action) for piece in run.plan.commands.pieces]
    clock = run.benchmark.clock(run.problem)
    return Examination(
        replay=run.verdict,
        findings=tuple(findings),
        clock=clock,
        command=names.__getitem__,
        instance=run.problem,
        whole=True,
    )
