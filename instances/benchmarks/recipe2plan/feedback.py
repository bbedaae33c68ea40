"""Feedback on the violations of a Recipe2Plan plan, in sentences."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.instances.benchmarks.recipe2plan.run import Recipe2PlanRun
from planoracle.instances.benchmarks.recipe2plan.simulation import MAX_VIOLATIONS
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import Examination, Sentences, Topic, Words, clean, listed, quoted, some
from planoracle.instances.protocol.run import MismatchEvidence

TOPICS = (
    Topic("reading", "Reading", ("no_action",), "Write every step as Step(number, recipe, duration, start)."),
    Topic(
        "unknown",
        "Unknown steps",
        ("wrong_recipe", "wrong_action"),
        "Use only the recipes and step numbers of the problem.",
    ),
    Topic(
        "completeness",
        "Missing steps",
        ("missing_action",),
        "Add the missing steps.",
        "Your plan never carries out {names}.",
    ),
    Topic("duration", "Durations", ("action_duration",), "Give every step exactly the time it takes."),
    Topic(
        "concurrency",
        "Concurrency",
        ("infeasible_multitask",),
        "Such steps need you from start to end; do them one after the other.",
    ),
    Topic("time_order", "Order in time", ("time_error",), "Start a step only when you are free."),
    Topic("interruption", "Interruption", ("execution_interruptibility",), "Do such steps without interruption."),
    Topic("dependency", "Prerequisites", ("dependency",), "Finish what a step needs before you start it."),
    Topic("repetition", "Repetition", ("repeated_action",), "Do every step once."),
    Topic("time_constraint", "Time constraints", ("time_constraint",), "Move the two steps closer together."),
    Topic("objects", "Objects", ("object_occupancy",), "Wait until the object is free, or use it earlier."),
    Topic("temperature", "Temperature", ("object_temperature",), "Set the temperature first, and keep it."),
    Topic("volume", "Volume", ("object_volume",), "Fill it first, and use no more than is left."),
    Topic("turns", "Turns", ("identical_refusals", "too_many_turns"), "Change a refused step instead of repeating it."),
)


def examine(run: Recipe2PlanRun) -> Examination:
    """Return the violations of a run as feedback."""
    verdict = run.verdict
    words = Words(run.problem, run.benchmark)
    unsettled = frozenset[str]()
    notes: tuple[str, ...] = ()
    if not run.plan.commands.interactive and len(verdict.violations) >= MAX_VIOLATIONS:
        unsettled = frozenset(topic.key for topic in TOPICS)
        notes = ("The search for violations stopped because there are too many.",)
    return Examination(
        replay=verdict,
        findings=SENTENCES.items(words, verdict.violations),
        clock=words.clock,
        command=lambda index: _place(run, words, index),
        unsettled=unsettled,
        instance=run.problem,
        notes=notes,
        name=words.name,
    )


def foreign(run: Recipe2PlanRun) -> MismatchEvidence:
    """Return the steps that do not belong to these recipes."""
    names = [f"{command.recipe}/{command.step}"[:80] for command in run.plan.commands.commands]
    return MismatchEvidence(tuple(name for name in names if name not in run.problem.by_id), len(names))


def _place(run: Recipe2PlanRun, words: Words, index: int) -> str:
    """Name the command at which a run ended."""
    events, fatal = run.verdict.events, run.verdict.fatal
    unread = fatal is not None and fatal.kind == "no_action"
    if unread or index >= len(events):
        return "an answer without a readable step"
    step = events[index].subject
    name = words.name(step) if step in run.problem.by_id else "which is not a step of these recipes"
    return f"command {index + 1}, {name}"


def _step(words: Words, violation: Violation) -> str:
    recipe, _, number = violation.subject.rpartition("/")
    step = f"step {clean(number, 12)} of {clean(recipe)}"
    return f"command {(violation.position or 0) + 1} names {step}, whose steps go from 0 to {violation.required}"


def _duration(words: Words, violation: Violation) -> str:
    duration = words.problem.by_id[violation.subject].duration
    if violation.case == "lack":
        actual = words.span(violation.actual)
        return f"{words.name(violation.subject)} takes {words.span(duration)}; your plan gives it {actual} in total"
    more = " more" if violation.required != duration else ""
    required = f"{words.span(violation.required)}{more}"
    return f"{words.name(violation.subject)} takes {required}; {_actual(words, violation)}"


def _actual(words: Words, violation: Violation) -> str:
    return f"your plan gives it {words.span(violation.actual)} at {words.moment(violation.start)}"


def _starts(words: Words, violation: Violation) -> str:
    return f"{words.name(violation.subject)} starts at {words.moment(violation.start)}"


def _early(words: Words, violation: Violation) -> str:
    text, now = f"{_starts(words, violation)}, but", words.moment(violation.required)
    if not violation.others:
        return f"{text} your answers have already advanced the clock to {now}"
    [holder] = violation.others
    if holder.end == violation.required:
        return f"{text} {words.name(holder.subject)} occupies you until {now}"
    return f"{text} you have already started {words.name(holder.subject)} at {now}"


def _temperature(words: Words, violation: Violation) -> str:
    resource, required = clean(violation.resource or ""), clean(str(violation.required))
    text = (
        f"{words.name(violation.subject)} needs the {resource} at {required}, but at {words.moment(violation.start)} "
    )
    if not violation.others:
        return f"{text}nothing has heated it"
    setter = words.name(violation.others[0].subject)
    return f"{text}it is set to {clean(str(violation.actual))} by {setter}"


def _dependency(words: Words, violation: Violation) -> str:
    [before] = violation.others
    text = f"{_starts(words, violation)}, but {words.name(before.subject)}"
    if violation.case == "unfinished":
        return f"{text} is finished only at {words.moment(violation.required)}"
    if before.end is not None:
        return f"{text} still needs {words.span(violation.excess)} at that time"
    if before.start is not None:
        return f"{text} comes first and starts only at {words.moment(before.start)} in your plan"
    return f"{text} comes first and has not been done"


def _repetition(words: Words, violation: Violation) -> str:
    until = violation.others[0].end if violation.others else 0
    done = "complete since" if (until or 0) <= (violation.start or 0) else "in progress until"
    repetition = f"your plan repeats it at {words.moment(violation.start)}"
    return f"{words.name(violation.subject)} is {done} {words.moment(until)}; {repetition}"


def _late(words: Words, violation: Violation) -> str:
    before = words.name(violation.others[0].subject)
    within = f"within {words.span(violation.required)} after {before} is finished"
    late = f"it starts {words.span(violation.actual)} after, {words.span(violation.excess)} too late"
    return f"{words.name(violation.subject)} must start {within}; {late}"


def _wrong_recipe(words: Words, violation: Violation) -> str:
    recipes = listed([clean(recipe) for recipe in words.problem.tasks])
    number = (violation.position or 0) + 1
    return f"command {number} names the recipe {quoted(violation.subject)}; the recipes are {recipes}"


def _missing(words: Words, violation: Violation) -> str:
    return f"{words.name(violation.subject)} ({words.span(violation.required)}) is missing"


def _overlap(words: Words, violation: Violation) -> str:
    return f"{words.during(violation)} overlaps with {some(map(words.during, violation.others))}"


def _interruption(words: Words, violation: Violation) -> str:
    required = words.span(violation.required)
    return f"{words.name(violation.subject)} must not be interrupted and takes {required}; {_actual(words, violation)}"


def _occupancy(words: Words, violation: Violation) -> str:
    resource, start = clean(violation.resource or ""), words.moment(violation.start)
    users = some(map(words.until, violation.others))
    return f"{words.name(violation.subject)} needs the {resource} at {start}, which is in use by {users}"


def _volume(words: Words, violation: Violation) -> str:
    resource, start = clean(violation.resource or ""), words.moment(violation.start)
    amount = f"{violation.required} units of the {resource}"
    return f"{words.name(violation.subject)} takes {amount} at {start}, when {violation.actual} are left"


_TABLE: dict[str, Callable[[Words, Violation], str]] = {
    "no_action": lambda *_: "your answer contains no readable step",
    "wrong_recipe": _wrong_recipe,
    "wrong_action": _step,
    "missing_action": _missing,
    "action_duration": _duration,
    "infeasible_multitask": _overlap,
    "time_error": _early,
    "execution_interruptibility": _interruption,
    "dependency": _dependency,
    "repeated_action": _repetition,
    "time_constraint": _late,
    "object_occupancy": _occupancy,
    "object_temperature": _temperature,
    "object_volume": _volume,
    "identical_refusals": lambda _, violation: (
        f"{violation.required} answers in a row were refused for the same reason"
    ),
    "too_many_turns": lambda _, violation: f"the recipes are not complete after {violation.required} answers",
}
#: Sentences on violations of the rules.
SENTENCES = Sentences(_TABLE, numbered=frozenset({"wrong_action"}))
