"""Feedback on plans of the Robo Challenge."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.instances.benchmarks.asyncplanning.robot_run import RobotRun
from planoracle.instances.model.violations import Measure, Violation
from planoracle.instances.protocol.feedback import Examination, FeedbackItem, Topic, clean, quoted

_NAMES = Topic(
    "names",
    "Actions, items and robots",
    ("arguments", "unknown_robot", "unknown_action", "unknown_item", "not_applicable"),
    "Use only actions, items and robots of the problem, and each item only after it has arrived.",
)
_ROBOTS = Topic("robots", "Robots", ("robot_busy",), "A robot carries out one action at a time.")
_STATIONS = Topic("stations", "Stations", ("station_full",), "Wait until the station is free.")
_ITEMS = Topic(
    "items",
    "States of items",
    ("item_busy", "wrong_state", "not_ready", "goal_state"),
    "Prepare every item step by step, and stack it when it is ready.",
)
_PILE = Topic(
    "pile",
    "Stacks",
    ("goal_stack", "stack_overlap"),
    "Stack every item of an order once, from bottom to top, one after the other.",
)
_LAGS = Topic("lags", "Minimum times", ("lag",), "Keep the minimum time between the two actions.")
_LIMITS = Topic("limits", "Deadline and inventory", ("deadline", "inventory", "reward"), "Choose goals that fit.")
_STAGES = Topic("stages", "Stages", ("stage_missing",), "Answer after every event with all that is still to do.")
#: Sections of critiques.
TOPICS = (_NAMES, _ROBOTS, _STATIONS, _ITEMS, _PILE, _LAGS, _LIMITS, _STAGES)

#: Sentences on violations, with the fields of `_values`.
_SENTENCES = {
    "no_plan": "{subject}, which begins at {start}, has no action",
    "stage_missing": "there is no answer for {subject}, which begins at {start}",
    "arguments": "{subject} at {start} has {actual} arguments; {required} are needed",
    "unknown_robot": "{subject} at {start} names {resource}, which is no robot",
    "unknown_action": "{subject} at {start} is no action of the problem",
    "unknown_item": "{subject} at {start} names an item that is not there",
    "not_applicable": "{subject} at {start}: the ingredient is not fit for this action",
    "duration": "{subject} at {start} takes {required_time}; the plan says {actual_time}",
    "robot_busy": "{subject} at {start} needs {resource}, which is busy{others}",
    "station_full": "{subject} at {start} needs {resource}, which is full{others}",
    "item_busy": "{subject} at {start} needs {resource}, which is in use{others}",
    "wrong_state": "{subject} at {start} needs the item {required}; it is {actual}",
    "not_ready": "{subject} at {start} needs the item {required}; it is {actual}",
    "goal_state": "at the end, {subject} must be {required}; it is {actual}",
    "goal_stack": "the stack of {subject} must be {required}; it is {actual}",
    "extra": "{actual} must not be stacked: no order asks for it once more",
    "stack_overlap": "{subject} at {start} begins before the stack below has ended, at {required_time}",
    "lag": "{subject} must begin at least {required_time} after the end of {conflict}; {gap}",
    "deadline": "the plan ends at {actual_time}, after the deadline at {required_time}",
    "inventory": "the attained goals take {actual} of {resource}; there is {required}",
    "reward": "the reward is {actual}; {required} could be reached at the last event",
}

# Kinds whose subjects may be any text of the submission.
_FOREIGN_KINDS = ("arguments", "unknown_action", "unknown_item", "unknown_robot")


def sentence_of(violation: Violation, write_time: Callable[[int], str] = str) -> str:
    """Return a violation as a part of a sentence.

    >>> sentence_of(Violation(None, "goal_state", "fish", required="fried", actual="raw"))
    'at the end, fish must be fried; it is raw'

    Parameters
    ----------
    violation
        Violation of a run.
    write_time
        Text form of ticks.
    """
    template = _SENTENCES[violation.case or violation.kind]
    return template.format(**_values(violation, write_time))


def _values(violation: Violation, write_time: Callable[[int], str]) -> dict[str, str]:
    """Return the values of the templates."""

    def seconds_text(ticks: object) -> str:
        return write_time(ticks) if isinstance(ticks, int) else ""

    values = {"resource": clean(violation.resource or ""), "start": seconds_text(violation.start)}
    is_foreign = violation.kind in _FOREIGN_KINDS
    values["subject"] = quoted(violation.subject) if is_foreign else clean(violation.subject)
    values["required"] = _text(violation.required)
    values["required_time"] = seconds_text(violation.required)
    values["actual"] = _text(violation.actual)
    values["actual_time"] = seconds_text(violation.actual)
    values["gap"] = "one of the two is missing"
    if violation.actual is not None:
        values["gap"] = f"it begins {values['actual_time']} after it"
    values["conflict"] = ""
    values["others"] = ""
    for conflict in violation.others[:1]:
        values["conflict"] = clean(conflict.subject)
        values["others"] = f" with {values['conflict']} until {seconds_text(conflict.end)}"
    return values


def _text(value: Measure) -> str:
    """Return a value as text; names of a pile from bottom to top."""
    if isinstance(value, tuple):
        return clean(", ".join(map(str, value)), 200) or "empty"
    return clean(str(value))


def examine(run: RobotRun) -> Examination:
    """Return the violations of a run as feedback."""
    clock = run.benchmark.clock(run.problem)
    violations = run.verdict.violations
    findings = [FeedbackItem.of(violation, sentence_of(violation, clock.span)) for violation in violations]
    lines = run.lines
    return Examination(
        replay=run.verdict,
        findings=tuple(findings),
        clock=clock,
        command=lambda index: lines[index].words,
        instance=run.problem,
        whole=True,
    )
