"""Feedback on the violations of a Recipe2Plan plan, in sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planoracle.instances.benchmarks.recipe2plan.run import Recipe2PlanRun
from planoracle.instances.benchmarks.recipe2plan.simulation import MAX_VIOLATIONS
from planoracle.instances.protocol.feedback import Words, some
from planoracle.plugin import Examination, FeedbackItem, MismatchEvidence, Topic, Violation, clean, listed, quoted

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
    instance, plan, verdict = run.problem, run.plan.commands, run.verdict
    words = Words(instance)
    broken_off = not plan.interactive and len(verdict.violations) >= MAX_VIOLATIONS
    return Examination(
        replay=verdict,
        findings=tuple(_finding(words, violation) for violation in verdict.violations),
        clock=words.clock,
        command=lambda index: _place(run, words, index),
        unsettled=frozenset(topic.key for topic in TOPICS) if broken_off else frozenset(),
        instance=instance,
        notes=("The search for violations stopped because there are too many.",) if broken_off else (),
        name=words.name,
    )


def foreign(run: Recipe2PlanRun) -> MismatchEvidence:
    """Return the steps that do not belong to these recipes."""
    names = [f"{one.recipe}/{one.step}"[:80] for one in run.plan.commands.commands]
    return MismatchEvidence(tuple(name for name in names if name not in run.problem.by_id), len(names))


def _place(run: Recipe2PlanRun, words: Words, index: int) -> str:
    """Name the command at which a run ended."""
    events, fatal = run.verdict.events, run.verdict.fatal
    unread = fatal is not None and fatal.kind == "no_action"
    if unread or index >= len(events):
        return "an answer without a readable step"
    step = events[index].subject
    exists = step in run.problem.by_id
    return f"command {index + 1}, {words.name(step) if exists else 'which is not a step of these recipes'}"


def _finding(words: Words, one: Violation) -> FeedbackItem:
    item = FeedbackItem.of(one, describe(words, one))
    return replace(item, excess=None) if one.kind == "wrong_action" else item  # steps are numbers, not amounts


def describe(words: Words, one: Violation) -> str:
    """Describe a violation, as a part of a sentence."""
    return _SENTENCES[one.kind](words, one)


def _step(words: Words, one: Violation) -> str:
    recipe, _, number = one.subject.rpartition("/")
    step = f"step {clean(number, 12)} of {clean(recipe)}"
    return f"command {(one.position or 0) + 1} names {step}, whose steps go from 0 to {one.required}"


def _duration(words: Words, one: Violation) -> str:
    whole = words.problem.by_id[one.subject].duration
    if one.case == "lack":
        return (
            f"{words.name(one.subject)} takes {words.span(whole)}; your plan gives it {words.span(one.actual)} in total"
        )
    more = " more" if one.required != whole else ""
    return f"{words.name(one.subject)} takes {words.span(one.required)}{more}; {_actual(words, one)}"


def _actual(words: Words, one: Violation) -> str:
    return f"your plan gives it {words.span(one.actual)} at {words.moment(one.start)}"


def _starts(words: Words, one: Violation) -> str:
    return f"{words.name(one.subject)} starts at {words.moment(one.start)}"


def _early(words: Words, one: Violation) -> str:
    text, now = f"{_starts(words, one)}, but", words.moment(one.required)
    if not one.others:
        return f"{text} your answers have already advanced the clock to {now}"
    [holder] = one.others
    if holder.end == one.required:
        return f"{text} {words.name(holder.subject)} occupies you until {now}"
    return f"{text} you have already started {words.name(holder.subject)} at {now}"


def _temperature(words: Words, one: Violation) -> str:
    text = f"{words.name(one.subject)} needs the {clean(one.resource or '')} at {clean(str(one.required))}, "
    text += f"but at {words.moment(one.start)} "
    if not one.others:
        return f"{text}nothing has heated it"
    return f"{text}it is set to {clean(str(one.actual))} by {words.name(one.others[0].subject)}"


def _dependency(words: Words, one: Violation) -> str:
    [before] = one.others
    text = f"{_starts(words, one)}, but {words.name(before.subject)}"
    if one.case == "unfinished":
        return f"{text} is finished only at {words.moment(one.required)}"
    if before.end is not None:
        return f"{text} still needs {words.span(one.excess)} at that time"
    if before.start is not None:
        return f"{text} comes first and starts only at {words.moment(before.start)} in your plan"
    return f"{text} comes first and has not been done"


def _repetition(words: Words, one: Violation) -> str:
    until = one.others[0].end if one.others else 0
    done = "complete since" if (until or 0) <= (one.start or 0) else "in progress until"
    repetition = f"your plan repeats it at {words.moment(one.start)}"
    return f"{words.name(one.subject)} is {done} {words.moment(until)}; {repetition}"


def _late(words: Words, one: Violation) -> str:
    within = f"within {words.span(one.required)} after {words.name(one.others[0].subject)} is finished"
    late = f"it starts {words.span(one.actual)} after, {words.span(one.excess)} too late"
    return f"{words.name(one.subject)} must start {within}; {late}"


_SENTENCES: dict[str, Callable[[Words, Violation], str]] = {
    "no_action": lambda *_: "your answer contains no readable step",
    "wrong_recipe": lambda words, one: (
        f"command {(one.position or 0) + 1} names the recipe {quoted(one.subject)}; "
        f"the recipes are {listed([clean(recipe) for recipe in words.problem.tasks])}"
    ),
    "wrong_action": _step,
    "missing_action": lambda words, one: f"{words.name(one.subject)} ({words.span(one.required)}) is missing",
    "action_duration": _duration,
    "infeasible_multitask": lambda words, one: (
        f"{words.during(one)} overlaps with {some(map(words.during, one.others))}"
    ),
    "time_error": _early,
    "execution_interruptibility": lambda words, one: (
        f"{words.name(one.subject)} must not be interrupted and takes {words.span(one.required)}; {_actual(words, one)}"
    ),
    "dependency": _dependency,
    "repeated_action": _repetition,
    "time_constraint": _late,
    "object_occupancy": lambda words, one: (
        f"{words.name(one.subject)} needs the {clean(one.resource or '')} at {words.moment(one.start)}, "
        f"which is in use by {some(map(words.until, one.others))}"
    ),
    "object_temperature": _temperature,
    "object_volume": lambda words, one: (
        f"{words.name(one.subject)} takes {one.required} units of the {clean(one.resource or '')} at "
        f"{words.moment(one.start)}, when {one.actual} are left"
    ),
    "identical_refusals": lambda _, one: f"{one.required} answers in a row were refused for the same reason",
    "too_many_turns": lambda _, one: f"the recipes are not complete after {one.required} answers",
}
