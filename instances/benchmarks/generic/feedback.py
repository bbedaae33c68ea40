"""Feedback on schedules: violations of the general rules as sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.instances.protocol.feedback import Words, some
from planoracle.plugin import Examination, FeedbackItem, Topic, Violation, clean, quoted

TOPICS = (
    Topic("unknown", "Unknown actions", ("unknown_action", "wrong_mode"), "Use only actions and modes of the problem."),
    Topic("agents", "Agents", ("ineligible_agent",), "Assign the action to an eligible agent."),
    Topic("release", "Releases", ("release",), "Wait until the action is released."),
    Topic("time_limit", "Time limit", ("time_limit",), "End all actions before the time limit."),
    Topic("duration", "Durations", ("action_duration",), "Give every action exactly its duration."),
    Topic("interruption", "Interruption", ("interruptibility",), "Do these actions without interruption."),
    Topic(
        "completeness",
        "Missing actions",
        ("missing_action",),
        "Add the missing actions.",
        "Your plan does not execute {names}.",
    ),
    Topic("concurrency", "Concurrency", ("agent_busy",), "An agent can attend to only one action at a time."),
    Topic(
        "starts",
        "Starts",
        ("start_attended",),
        "Start the action before or after the action that its agent attends to.",
    ),
    Topic("resources", "Resources", ("resource_capacity",), "Wait until the resource has free capacity."),
    Topic("states", "States of resources", ("resource_state",), "Set the state first, and keep it."),
    Topic(
        "dependency", "Order and minimum lags", ("minimum_lag",), "Keep the order and the minimum time between actions."
    ),
    Topic("time_constraint", "Time constraints", ("maximum_lag",), "Move the two actions closer together."),
)


def examine(run: GenericRun) -> Examination:
    """Return the violations of a run as feedback; findings point at the pieces of its schedule."""
    words, schedule = Words(run.problem), run.plan.commands
    return Examination(
        replay=run.verdict,
        findings=tuple(_finding(words, violation) for violation in run.verdict.violations),
        clock=words.clock,
        command=lambda index: words.name(schedule.pieces[index].action),
        instance=run.problem,
        whole=True,
        name=words.name,
    )


def _finding(words: Words, one: Violation) -> FeedbackItem:
    item = FeedbackItem.of(one, describe_violation(words, one))
    return replace(item, excess=None) if one.kind == "wrong_mode" else item  # modes are numbers, not amounts


def describe_violation(words: Words, one: Violation) -> str:
    """Return a violation as part of a sentence."""
    return _SENTENCES.get(one.kind, _other)(words, one)


def _other(words: Words, one: Violation) -> str:
    """Return the message of a rule that another benchmark adds to the general ones."""
    return f"{words.name(one.subject) if one.start is None else words.at(one)}: {one.message}"


def _mode(words: Words, one: Violation) -> str:
    if one.case == "other_mode":
        return f"{words.at(one)} continues in mode {one.actual}, but was started in another"
    return f"{words.at(one)} is in mode {one.actual}; its modes go from 0 to {one.required}"


def _agent(words: Words, one: Violation) -> str:
    agent = "no agent" if one.actual is None else quoted(str(one.actual))
    eligible = one.required if isinstance(one.required, tuple) else ()
    allowed = f"can be done by {some(map(clean, eligible))}" if eligible else "needs no agent"
    return f"{words.at(one)} is assigned to {agent}; it {allowed}"


def _duration(words: Words, one: Violation) -> str:
    if one.case == "no_duration":
        return f"{words.at(one)} has a piece without duration"
    return f"{words.name(one.subject)} takes {words.span(one.required)}; your plan gives it {words.span(one.actual)}"


def _interruption(words: Words, one: Violation) -> str:
    if one.case == "overlap":
        return f"{words.at(one)} overlaps with another piece of itself"
    return f"{words.name(one.subject)} must not be interrupted; your plan does it in {one.actual} pieces"


def _busy(words: Words, one: Violation) -> str:
    if one.case == "too_early":
        return f"{words.name(one.subject)} starts too early; it is already {words.moment(one.required)}"
    needs = "cannot be started by" if one.kind == "start_attended" else "needs"
    return f"{words.at(one)} {needs} {clean(one.resource or '')}, who attends to {words.during(one.others[0])}"


def _capacity(words: Words, one: Violation) -> str:
    load = f"the load of {clean(one.resource or '')} to {one.actual}, above its capacity of {one.required}"
    text = f"{words.at(one)} raises {load}"
    return f"{text}; it is also in use by {some(map(words.until, one.others))}" if one.others else text


def _state(words: Words, one: Violation) -> str:
    text = f"{words.at(one)} needs {clean(one.resource or '')} to be {clean(str(one.required))} throughout"
    if one.others:
        return f"{text}; its state is set by {some(map(words.at, one.others))}"
    return f"{text}; no earlier action sets it" + (
        "" if one.actual is None else f", and it is {clean(str(one.actual))}"
    )


def _early(words: Words, one: Violation) -> str:
    [before] = one.others
    wait = f"at least {words.span(one.required)} after" if one.required else "after"
    ends = "is not executed" if before.end is None else f"ends at {words.moment(before.end)}"
    return f"{words.at(one)} must start {wait} {words.name(before.subject)}, which {ends}"


def _late(words: Words, one: Violation) -> str:
    within = f"within {words.span(one.required)} after {words.name(one.others[0].subject)} is finished"
    late = f"it starts {words.span(one.actual)} after, {words.span(one.excess)} too late"
    return f"{words.name(one.subject)} must start {within}; {late}"


_SENTENCES: dict[str, Callable[[Words, Violation], str]] = {
    "unknown_action": lambda _, one: f"there is no action {quoted(one.subject)}",
    "wrong_mode": _mode,
    "ineligible_agent": _agent,
    "release": lambda words, one: f"{words.at(one)} is too early; it is released at {words.moment(one.required)}",
    "time_limit": lambda words, one: (
        f"{words.name(one.subject)} ends at {words.moment(one.end)}, {words.span(one.excess)} after the time limit"
    ),
    "action_duration": _duration,
    "interruptibility": _interruption,
    "missing_action": lambda words, one: f"{words.name(one.subject)} ({words.span(one.required)}) is missing",
    "agent_busy": _busy,
    "start_attended": _busy,
    "resource_capacity": _capacity,
    "resource_state": _state,
    "minimum_lag": _early,
    "maximum_lag": _late,
}
