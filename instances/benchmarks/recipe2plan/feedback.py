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
    findings = SENTENCES.items(words, verdict.violations)
    return Examination(
        replay=verdict,
        findings=findings,
        clock=words.clock,
        command=lambda index: _place(run, words, index),
        unsettled=unsettled,
        instance=run.problem,
        notes=notes,
        name=words.name,
    )


def foreign(run: Recipe2PlanRun) -> MismatchEvidence:
    """Return the steps that do not belong to these recipes."""
    commands = run.plan.commands.commands
    names = []
    for command in commands:
        name = f"{command.recipe}/{command.step}"
        names.append(name[:80])
    unknown = tuple(name for name in names if name not in run.problem.by_id)
    return MismatchEvidence(unknown, len(names))


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
    number_of_command = (violation.position or 0) + 1
    return f"command {number_of_command} names {step}, whose steps go from 0 to {violation.required}"


def _duration(words: Words, violation: Violation) -> str:
    name = words.name(violation.subject)
    duration = words.problem.by_id[violation.subject].duration
    if violation.case == "lack":
        actual = words.span(violation.actual)
        return f"{name} takes {words.span(duration)}; your plan gives it {actual} in total"
    more = " more" if violation.required != duration else ""
    required = words.span(violation.required)
    return f"{name} takes {required}{more}; {_actual(words, violation)}"


def _actual(words: Words, violation: Violation) -> str:
    actual = words.span(violation.actual)
    start = words.moment(violation.start)
    return f"your plan gives it {actual} at {start}"


def _starts(words: Words, violation: Violation) -> str:
    name = words.name(violation.subject)
    start = words.moment(violation.start)
    return f"{name} starts at {start}"


def _early(words: Words, violation: Violation) -> str:
    text = f"{_starts(words, violation)}, but"
    now = words.moment(violation.required)
    if not violation.others:
        return f"{text} your answers have already advanced the clock to {now}"
    [holder] = violation.others
    if holder.end == violation.required:
        return f"{text} {words.name(holder.subject)} occupies you until {now}"
    return f"{text} you have already started {words.name(holder.subject)} at {now}"


def _temperature(words: Words, violation: Violation) -> str:
    name = words.name(violation.subject)
    start = words.moment(violation.start)
    resource = clean(violation.resource or "")
    required = clean(str(violation.required))
    text = f"{name} needs the {resource} at {required}, but at {start} "
    if not violation.others:
        return f"{text}nothing has heated it"
    setter = words.name(violation.others[0].subject)
    temperature = clean(str(violation.actual))
    return f"{text}it is set to {temperature} by {setter}"


def _dependency(words: Words, violation: Violation) -> str:
    [before] = violation.others
    name = words.name(before.subject)
    text = f"{_starts(words, violation)}, but {name}"
    if violation.case == "unfinished":
        return f"{text} is finished only at {words.moment(violation.required)}"
    if before.end is not None:
        return f"{text} still needs {words.span(violation.excess)} at that time"
    if before.start is not None:
        return f"{text} comes first and starts only at {words.moment(before.start)} in your plan"
    return f"{text} comes first and has not been done"


def _repetition(words: Words, violation: Violation) -> str:
    name = words.name(violation.subject)
    until = violation.others[0].end if violation.others else 0
    is_complete = (until or 0) <= (violation.start or 0)
    done = "complete since" if is_complete else "in progress until"
    repetition = f"your plan repeats it at {words.moment(violation.start)}"
    end = words.moment(until)
    return f"{name} is {done} {end}; {repetition}"


def _late(words: Words, violation: Violation) -> str:
    before = words.name(violation.others[0].subject)
    name = words.name(violation.subject)
    limit = words.span(violation.required)
    lag = words.span(violation.actual)
    excess = words.span(violation.excess)
    late = f"it starts {lag} after, {excess} too late"
    return f"{name} must start within {limit} after {before} is finished; {late}"


def _wrong_recipe(words: Words, violation: Violation) -> str:
    recipes = listed([clean(recipe) for recipe in words.problem.tasks])
    number = (violation.position or 0) + 1
    return f"command {number} names the recipe {quoted(violation.subject)}; the recipes are {recipes}"


def _missing(words: Words, violation: Violation) -> str:
    name = words.name(violation.subject)
    required = words.span(violation.required)
    return f"{name} ({required}) is missing"


def _overlap(words: Words, violation: Violation) -> str:
    overlapping = some(map(words.during, violation.others))
    return f"{words.during(violation)} overlaps with {overlapping}"


def _interruption(words: Words, violation: Violation) -> str:
    name = words.name(violation.subject)
    required = words.span(violation.required)
    return f"{name} must not be interrupted and takes {required}; {_actual(words, violation)}"


def _occupancy(words: Words, violation: Violation) -> str:
    name = words.name(violation.subject)
    start = words.moment(violation.start)
    resource = clean(violation.resource or "")
    users = some(map(words.until, violation.others))
    return f"{name} needs the {resource} at {start}, which is in use by {users}"


def _volume(words: Words, violation: Violation) -> str:
    name = words.name(violation.subject)
    start = words.moment(violation.start)
    resource = clean(violation.resource or "")
    amount = f"{violation.required} units of the {resource}"
    return f"{name} takes {amount} at {start}, when {violation.actual} are left"


def _identical(words: Words, violation: Violation) -> str:
    if violation.case == "same_command":
        return f"the same command was refused {violation.required} times"
    return f"{violation.required} answers in a row were refused for the same reason"


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
    "identical_refusals": _identical,
    "too_many_turns": lambda _, violation: f"the recipes are not complete after {violation.required} answers",
}
#: Sentences on violations of the rules.
SENTENCES = Sentences(_TABLE, numbered=frozenset({"wrong_action"}))
