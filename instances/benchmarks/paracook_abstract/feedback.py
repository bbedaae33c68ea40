"""Feedback on lists of tasks."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.instances.benchmarks.paracook_abstract.run import ParaCookRun
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import Examination, Sentences, Topic, Words, listed, quoted, some
from planoracle.instances.protocol.run import MismatchEvidence

TOPICS = (
    Topic("unknown", "Unknown tasks", ("unknown_task",), "Use only names of tasks of the problem."),
    Topic("agents", "Agents", ("too_many_lists",), "Give one list for every agent, and no more."),
    Topic("repeats", "Repeated tasks", ("repeated_task",), "Give every task once, to one agent."),
    Topic(
        "order",
        "Order",
        ("never_ready",),
        "Put every task after its predecessors, and avoid lists that wait for each other.",
    ),
    Topic("completeness", "Missing tasks", ("missing_task",), "Add the missing tasks.", "Your lists lack {names}."),
)


def examine(run: ParaCookRun) -> Examination:
    """Return the violations of a run as feedback."""
    words, commands = Words(run.problem, run.benchmark), run.command_texts
    loopholes = {
        "repeats": "It passes only because the released code counts ends of tasks, not tasks.",
        "lists": "It passes only because the released code does not count lists.",
    }
    return Examination(
        replay=run.verdict,
        findings=SENTENCES.items(words, run.verdict.violations),
        clock=words.clock,
        command=lambda index: commands[index],
        instance=run.problem,
        notes=tuple(text for name, text in loopholes.items() if name in run.loophole),
        whole=True,
        name=words.name,
    )


def _never_ready(words: Words, violation: Violation) -> str:
    prerequisites = some(words.name(task.subject) for task in violation.others)
    return f"{words.name(violation.subject)} is never ready: it waits for {prerequisites}"


def _not_ready(words: Words, violation: Violation) -> str:
    prerequisites = listed([words.name(task.subject) for task in violation.others])
    return f"{words.name(violation.subject)} waits for {prerequisites}, which is not assigned yet"


def _missing_task(words: Words, violation: Violation) -> str:
    return f"{words.name(violation.subject)} ({words.span(violation.required)}) is missing"


_TABLE: dict[str, Callable[[Words, Violation], str]] = {
    "unreadable": lambda words, violation: "your answer contains no readable command",
    "unknown_task": lambda words, violation: f"there is no task {quoted(violation.subject)}",
    "too_many_lists": lambda words, violation: (
        f"there are {violation.actual} lists with tasks for {violation.required} agents"
    ),
    "no_such_agent": lambda words, violation: f"there is no such agent; there are {violation.required} agents",
    "no_agent": lambda words, violation: f"no agent is named for {words.name(violation.subject)}",
    "repeated_task": lambda words, violation: f"{words.name(violation.subject)} is listed more than once",
    "given_already": lambda words, violation: f"{words.name(violation.subject)} is already assigned",
    "missing_task": _missing_task,
    "never_ready": _never_ready,
    "own_list": lambda words, violation: f"{_never_ready(words, violation)}, which comes later in the same list",
    "not_ready": _not_ready,
}
#: Sentences on violations of the rules.
SENTENCES = Sentences(_TABLE)


def foreign(run: ParaCookRun) -> MismatchEvidence:
    """Return unknown tasks of a plan, as evidence of a submission for another problem."""
    unknown = (violation.subject for violation in run.verdict.violations if violation.kind == "unknown_task")
    return MismatchEvidence(tuple(map(str, unknown)), len(run.command_texts))
