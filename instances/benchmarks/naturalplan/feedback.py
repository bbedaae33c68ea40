"""Feedback on answers of Natural Plan, with the sentences of each task."""

from __future__ import annotations

from planoracle.instances.benchmarks.naturalplan.run import PlanRun
from planoracle.instances.benchmarks.naturalplan.task_modules import TASKS, modules_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import Examination, FeedbackItem, Topic, clean, quoted
from planoracle.instances.protocol.registry import clock_of
from planoracle.instances.protocol.run import MismatchEvidence

_ANSWER = Topic("answer", "Answer", ("no_plan", "unreadable"), "Write a plan in one of the forms that are accepted.")


def _topics() -> tuple[Topic, ...]:
    """Return the topics of all tasks."""
    topics = [_ANSWER]
    for task in TASKS:
        topics += task.answers.TOPICS
    return tuple(topics)


TOPICS = _topics()
#: Kinds of violations that name what a problem does not have.
_FOREIGN = ("unknown_person", "unknown_place", "unknown_city")


def describe(problem: Instance, violation: Violation) -> str:
    """Return a violation as part of a sentence.

    Parameters
    ----------
    problem, violation
        Problem, and a broken rule of an answer to it; its kind decides which sentence of the task is filled.
    """
    if violation.kind == "no_plan":
        return "the answer contains no plan"
    if violation.kind == "unreadable":
        return f"{quoted(violation.subject)} is no step of a plan"
    return str(modules_of(problem).answers.SENTENCES[violation.kind](problem, violation))


def examine(run: PlanRun) -> Examination:
    """Return the violations of a run as feedback."""
    findings = []
    for violation in run.verdict.violations:
        findings.append(FeedbackItem.of(violation, describe(run.problem, violation)))
    commands = run.command_texts
    return Examination(
        replay=run.verdict,
        findings=tuple(findings),
        clock=clock_of(run.problem),
        command=lambda index: clean(commands[index]),
        instance=run.problem,
        whole=True,
    )


def foreign(run: PlanRun) -> MismatchEvidence:
    """Return the different persons, places and cities of an answer that the problem does not have."""
    names = [violation.subject for violation in run.verdict.violations if violation.kind in _FOREIGN]
    distinct_names = tuple(dict.fromkeys(names))
    return MismatchEvidence(distinct_names, len(run.command_texts))
