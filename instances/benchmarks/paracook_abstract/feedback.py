"""Feedback on lists of tasks."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.instances.benchmarks.paracook_abstract.run import ParaCookRun
from planoracle.instances.protocol.feedback import Words, some
from planoracle.plugin import (
    Examination,
    FeedbackItem,
    MismatchEvidence,
    Topic,
    Violation,
    listed,
    quoted,
)

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
    words, commands = Words(run.problem), run.command_texts
    holes = {
        "repeats": "It passes only because the released code counts ends of tasks, not tasks.",
        "lists": "It passes only because the released code does not count lists.",
    }
    return Examination(
        replay=run.verdict,
        findings=tuple(FeedbackItem.of(one, describe_violation(words, one)) for one in run.verdict.violations),
        clock=words.clock,
        command=lambda index: commands[index],
        instance=run.problem,
        notes=tuple(text for name, text in holes.items() if name in run.loophole),
        whole=True,
        name=words.name,
    )


def describe_violation(words: Words, one: Violation) -> str:
    """Return a violation as part of a sentence."""
    return _SENTENCES[one.case or one.kind](words, one)


def _never_ready(words: Words, one: Violation) -> str:
    others = some(words.name(other.subject) for other in one.others)
    return f"{words.name(one.subject)} is never ready: it waits for {others}"


def _not_ready(words: Words, one: Violation) -> str:
    others = listed([words.name(other.subject) for other in one.others])
    return f"{words.name(one.subject)} waits for {others}, which is not assigned yet"


# By case, if a kind has cases, else by kind.
_SENTENCES: dict[str, Callable[[Words, Violation], str]] = {
    "unreadable": lambda words, one: "your answer contains no readable command",
    "unknown_task": lambda words, one: f"there is no task {quoted(one.subject)}",
    "too_many_lists": lambda words, one: f"there are {one.actual} lists with tasks for {one.required} agents",
    "no_such_agent": lambda words, one: f"there is no such agent; there are {one.required} agents",
    "no_agent": lambda words, one: f"no agent is named for {words.name(one.subject)}",
    "repeated_task": lambda words, one: f"{words.name(one.subject)} is listed more than once",
    "given_already": lambda words, one: f"{words.name(one.subject)} is already assigned",
    "missing_task": lambda words, one: f"{words.name(one.subject)} ({words.span(one.required)}) is missing",
    "never_ready": _never_ready,
    "own_list": lambda words, one: f"{_never_ready(words, one)}, which comes later in the same list",
    "not_ready": _not_ready,
}


def foreign(run: ParaCookRun) -> MismatchEvidence:
    """Return unknown tasks of a plan, as evidence of a submission for another problem."""
    unknown = [one.subject for one in run.verdict.violations if one.kind == "unknown_task"]
    return MismatchEvidence(tuple(map(str, unknown)), len(run.command_texts))
