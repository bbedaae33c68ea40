"""Feedback on schedules: violations of the general rules as sentences."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import Examination, Sentences, Topic, Words, clean, quoted, some

TOPICS = (
    Topic("unknown", "Unknown actions", ("unknown_action", "wrong_mode"), "Use only actions and modes of the problem."),
    Topic("agents", "Agents", ("ineligible_agent",), "Assign the action to an eligible agent."),
    Topic("release", "Releases", ("release",), "Wait until the action is released."),
    Topic(
        "windows",
        "Deadlines and windows",
        ("deadline", "window"),
        "Move the action into a window and before the deadline.",
    ),
    Topic("time_limit", "Time limit", ("time_limit",), "End all actions before the time limit."),
    Topic("calendars", "Off-times", ("off_time",), "Use agents and resources only while they are not off."),
    Topic("duration", "Durations", ("action_duration",), "Give every action exactly its duration."),
    Topic("interruption", "Interruption", ("interruptibility",), "Do these actions without interruption."),
    Topic("breaks", "Pauses in breaks", ("pause",), "Pause the action only while something that it needs is off."),
    Topic(
        "completeness",
        "Missing actions",
        ("missing_action",),
        "Add the missing actions.",
        "Your plan does not execute {names}.",
    ),
    Topic("budgets", "Budgets", ("budget",), "Choose modes that use up less."),
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
        "transitions",
        "Ways and set-up times",
        ("transition",),
        "Leave enough time between consecutive actions of an agent or resource.",
    ),
    Topic(
        "dependency", "Order and minimum lags", ("minimum_lag",), "Keep the order and the minimum time between actions."
    ),
    Topic("time_constraint", "Time constraints", ("maximum_lag",), "Move the two actions closer together."),
)


def examine(run: GenericRun) -> Examination:
    """Return the violations of a run as feedback; findings point at the pieces of its schedule."""
    words = Words(run.problem, run.benchmark)
    pieces = run.plan.commands.pieces
    findings = SENTENCES.items(words, run.verdict.violations)
    return Examination(
        replay=run.verdict,
        findings=findings,
        clock=words.clock,
        command=lambda index: words.name(pieces[index].action),
        instance=run.problem,
        whole=True,
        name=words.name,
    )


def _mode(words: Words, violation: Violation) -> str:
    action, mode = words.at(violation), violation.actual
    if violation.case == "other_mode":
        return f"{action} continues in mode {mode}, but was started in another"
    return f"{action} is in mode {mode}; its modes go from 0 to {violation.required}"


def _agent(words: Words, violation: Violation) -> str:
    agent = "no agent" if violation.actual is None else quoted(str(violation.actual))
    if violation.case == "other_agent":
        return f"{words.at(violation)} is continued by {agent}, but was started by another"
    eligible = violation.required if isinstance(violation.required, tuple) else ()
    allowed = "needs no agent"
    if eligible:
        agents = some(map(clean, eligible))
        allowed = f"can be done by {agents}"
    return f"{words.at(violation)} is assigned to {agent}; it {allowed}"


def _duration(words: Words, violation: Violation) -> str:
    if violation.case == "no_duration":
        return f"{words.at(violation)} has a piece without duration"
    action = words.name(violation.subject)
    required = words.span(violation.required)
    actual = words.span(violation.actual)
    return f"{action} takes {required}; your plan gives it {actual}"


def _interruption(words: Words, violation: Violation) -> str:
    if violation.case == "overlap":
        return f"{words.at(violation)} overlaps with another piece of itself"
    action = words.name(violation.subject)
    return f"{action} must not be interrupted; your plan does it in {violation.actual} pieces"


def _busy(words: Words, violation: Violation) -> str:
    if violation.case == "too_early":
        action = words.name(violation.subject)
        clock = words.moment(violation.required)
        return f"{action} starts too early; it is already {clock}"
    action = words.at(violation)
    needs = "cannot be started by" if violation.kind == "start_attended" else "needs"
    agent = clean(violation.resource or "")
    attended = words.during(violation.others[0])
    return f"{action} {needs} {agent}, who attends to {attended}"


def _capacity(words: Words, violation: Violation) -> str:
    action = words.at(violation)
    resource = clean(violation.resource or "")
    capacity = violation.required
    load = f"the load of {resource} to {violation.actual}"
    text = f"{action} raises {load}, above its capacity of {capacity}"
    if not violation.others:
        return text
    users = some(map(words.until, violation.others))
    return f"{text}; it is also in use by {users}"


def _state(words: Words, violation: Violation) -> str:
    action = words.at(violation)
    resource = clean(violation.resource or "")
    state = clean(str(violation.required))
    text = f"{action} needs {resource} to be {state} throughout"
    if violation.others:
        actions = some(map(words.at, violation.others))
        return f"{text}; its state is set by {actions}"
    text = f"{text}; no earlier action sets it"
    if violation.actual is None:
        return text
    actual = clean(str(violation.actual))
    return f"{text}, and it is {actual}"


def _early(words: Words, violation: Violation) -> str:
    [before] = violation.others
    wait, end = "after", "is not executed"
    if violation.required:
        wait = f"at least {words.span(violation.required)} after"
    if before.end is not None:
        end = f"ends at {words.moment(before.end)}"
    action = words.at(violation)
    prerequisite = words.name(before.subject)
    return f"{action} must start {wait} {prerequisite}, which {end}"


def _late(words: Words, violation: Violation) -> str:
    limit = words.span(violation.required)
    lag = words.span(violation.actual)
    excess = words.span(violation.excess)
    prerequisite = words.name(violation.others[0].subject)
    action = words.name(violation.subject)
    required = f"must start within {limit} after {prerequisite} is finished"
    return f"{action} {required}; it starts {lag} after, {excess} too late"


def _unknown_action(words: Words, violation: Violation) -> str:
    return f"there is no action {quoted(violation.subject)}"


def _release(words: Words, violation: Violation) -> str:
    action = words.at(violation)
    release = words.moment(violation.required)
    return f"{action} is too early; it is released at {release}"


def _deadline(words: Words, violation: Violation) -> str:
    return _too_late(words, violation, "its deadline")


def _time_limit(words: Words, violation: Violation) -> str:
    return _too_late(words, violation, "the time limit")


def _too_late(words: Words, violation: Violation, limit: str) -> str:
    action = words.name(violation.subject)
    end = words.moment(violation.end)
    excess = words.span(violation.excess)
    return f"{action} ends at {end}, {excess} after {limit}"


def _window(words: Words, violation: Violation) -> str:
    return f"{words.at(violation)} lies in none of its windows, which are {clean(violation.names)}"


def _off_time(words: Words, violation: Violation) -> str:
    member = clean(violation.resource or "")
    begin = words.moment(violation.actual)
    action = words.at(violation)
    relation = "is started by" if violation.case == "start_off" else "needs"
    if violation.required is None:
        return f"{action} {relation} {member}, which is off from {begin} on"
    end = words.moment(violation.required)
    return f"{action} {relation} {member}, which is off from {begin} to {end}"


def _pause(words: Words, violation: Violation) -> str:
    action = words.name(violation.subject)
    begin = words.moment(violation.required)
    end = words.moment(violation.actual)
    return f"{action} pauses from {begin} to {end}, although nothing that it needs is off all that time"


def _budget(words: Words, violation: Violation) -> str:
    action = words.name(violation.subject)
    resource = clean(violation.resource or "")
    text = f"{action} raises the use of {resource} to {violation.actual}, above its budget of {violation.required}"
    if not violation.others:
        return text
    users = some(words.name(user.subject) for user in violation.others)
    return f"{text}; it is also used up by {users}"


def _transition(words: Words, violation: Violation) -> str:
    action = words.at(violation)
    member = clean(violation.resource or "")
    if violation.case == "no_way":
        before, after = violation.required if isinstance(violation.required, tuple) else ("", "")
        return f"{action} needs {member}, which has no way from {clean(before)} to {clean(after)}"
    if violation.case == "tied_visits":
        return f"{action} is one of {violation.actual} actions that {member} cannot start together in any order"
    if violation.case == "too_many_visits":
        return f"{action} is one of more than {violation.required} actions that {member} starts together"
    needed = words.span(violation.required)
    if not violation.others:
        return f"{action} needs {member}, which takes {needed} from its start to get ready"
    before = words.name(violation.others[0].subject)
    gap = words.span(violation.actual)
    return f"{action} needs {member}, which takes {needed} after {before} to get ready; it has {gap}"


def _missing(words: Words, violation: Violation) -> str:
    action = words.name(violation.subject)
    duration = words.span(violation.required)
    return f"{action} ({duration}) is missing"


_TABLE: dict[str, Callable[[Words, Violation], str]] = {
    "unknown_action": _unknown_action,
    "wrong_mode": _mode,
    "ineligible_agent": _agent,
    "release": _release,
    "deadline": _deadline,
    "window": _window,
    "time_limit": _time_limit,
    "off_time": _off_time,
    "action_duration": _duration,
    "interruptibility": _interruption,
    "pause": _pause,
    "missing_action": _missing,
    "budget": _budget,
    "agent_busy": _busy,
    "start_attended": _busy,
    "resource_capacity": _capacity,
    "resource_state": _state,
    "transition": _transition,
    "minimum_lag": _early,
    "maximum_lag": _late,
}
#: Sentences on violations of the general rules.
SENTENCES = Sentences(_TABLE, numbered=frozenset({"wrong_mode"}))
