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
    words = Words(run.problem, run.benchmark)
    commands = run.command_texts
    loopholes = {
        "repeats": "It passes only because the released code counts ends of tasks, not tasks.",
        "lists": "It passes only because the released code does not count lists.",
    }
    notes = tuple(text for name, text in loopholes.items() if name in run.loophole)
    return Examination(
        replay=run.verdict,
        findings=SENTENCES.items(words, run.verdict.violations),
        clock=words.clock,
        command=lambda index: commands[index],
        instance=run.problem,
        notes=notes,
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
    name = words.name(violation.subject)
    duration = words.span(violation.required)
    return f"{name} ({duration}) is missing"


def _own_list(words: Words, violation: Violation) -> str:
    return f"{_never_ready(words, violation)}, which comes later in the same list"


def _unreadable(words: Words, violation: Violation) -> str:
    return "your answer contains no readable command"


def _unknown_task(words: Words, violation: Violation) -> str:
    return f"there is no task {quoted(violation.subject)}"


def _too_many_lists(words: Words, violation: Violation) -> str:
    return f"there are {violation.actual} lists with tasks for {violation.required} agents"


def _no_such_agent(words: Words, violation: Violation) -> str:
    return f"there is no such agent; there are {violation.required} agents"


def _no_agent(words: Words, violation: Violation) -> str:
    return f"no agent is named for {words.name(violation.subject)}"


def _repeated_task(words: Words, violation: Violation) -> str:
    return f"{words.name(violation.subject)} is listed more than once"


def _assigned_task(words: Words, violation: Violation) -> str:
    return f"{words.name(violation.subject)} is already assigned"


_TABLE: dict[str, Callable[[Words, Violation], str]] = {
    "unreadable": _unreadable,
    "unknown_task": _unknown_task,
    "too_many_lists": _too_many_lists,
    "no_such_agent": _no_such_agent,
    "no_agent": _no_agent,
    "repeated_task": _repeated_task,
    "given_already": _assigned_task,
    "missing_task": _missing_task,
    "never_ready": _never_ready,
    "own_list": _own_list,
    "not_ready": _not_ready,
}
#: Sentences on violations of the rules.
SENTENCES = Sentences(_TABLE)


def foreign(run: ParaCookRun) -> MismatchEvidence:
    """Return unknown tasks of a plan, as evidence of a submission for another problem."""
    unknown = (violation.subject for violation in run.verdict.violations if violation.kind == "unknown_task")
    return MismatchEvidence(tuple(map(str, unknown)), len(run.command_texts))
