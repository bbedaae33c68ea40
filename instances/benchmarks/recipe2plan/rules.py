"""Rules of Recipe2Plan: profiles, kinds of violation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from planoracle.instances.model.violations import Measure, Violation
from planoracle.instances.protocol.profiles import Rules, RuleSet
from planoracle.instances.text import format_clock


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of Recipe2Plan where the paper and its released code differ.

    Attributes
    ----------
    ref_floor
        Minimum of the reference efficiency: r_efficiency is at most 5 times the raw efficiency.
    missing_ref
        For an instance without a reference plan: score ``"zero"``, or compare with the ``"optimum"``.
    undefined_ref
        For a reference prefix that saves no time: score ``"zero"``, or report ``"undefined"``.
    reference
        ``"heuristic"`` (the released plan) or ``"optimal"``.
    clip_saved
        Count negative saved time as 0.
    t_auto
        Autonomous time: ``"nominal"`` durations of complete steps, or time ``"executed"``.
    reject_advances_clock
        A refused command with a start after the clock advances the clock.
    step_shapes
        Forms of steps that are read: exactly the ``"released"`` ones, or ``"lenient"`` ones.
    parse_scope
        Part of a text in which steps are read: ``"everywhere"``, or the ``"plan"`` section, see
        `planoracle.instances.model_output.reading.read`.
    timestamp_repair
        Delay commands that start before the clock before a whole plan is executed, as the released option does.
    score_if
        Runs with a multitasking score: those with ``"success"``, or all ``"complete"`` ones.
    fatal_time_constraint
        An interactive run ends at the first violated time constraint.
    max_failures
        Refused answers that do not end an interactive run; the next one does.
    max_identical_refusals
        Number of refusals in a row with the same message that ends an interactive run; 0: no limit.
    max_turns
        An interactive run ends after ``"steps+10"`` answers, or is ``"unlimited"``.
    missing
        Instances without a submission are ``"failed"`` or ``"skipped"`` in averages.
    zero_duration
        Commands of length zero are ``"accepted"`` or ``"rejected"``.
    window_on_resume
        Time constraints are also checked when an interrupted step is resumed.
    """

    ref_floor: bool = False
    missing_ref: str = "optimum"
    undefined_ref: str = "undefined"
    reference: str = "heuristic"
    clip_saved: bool = True
    t_auto: str = "executed"
    reject_advances_clock: bool = True
    step_shapes: str = "lenient"
    parse_scope: str = "plan"
    timestamp_repair: bool = False
    score_if: str = "success"
    fatal_time_constraint: bool = True
    max_failures: int = 10
    max_identical_refusals: int = 3
    max_turns: str = "unlimited"
    missing: str = "failed"
    zero_duration: str = "rejected"
    window_on_resume: bool = True


#: Values of the text rules.
CHOICES = {
    "missing_ref": ("zero", "optimum"),
    "undefined_ref": ("zero", "undefined"),
    "reference": ("heuristic", "optimal"),
    "t_auto": ("nominal", "executed"),
    "step_shapes": ("released", "lenient"),
    "parse_scope": ("everywhere", "plan"),
    "score_if": ("success", "complete"),
    "max_turns": ("unlimited", "steps+10"),
    "missing": ("failed", "skipped"),
    "zero_duration": ("accepted", "rejected"),
}

PROFILES = {
    "paper": Profile(),
    "released": Profile(
        refuse_unread=False,
        ref_floor=True,
        missing_ref="zero",
        undefined_ref="zero",
        t_auto="nominal",
        step_shapes="released",
        parse_scope="everywhere",
        score_if="complete",
        fatal_time_constraint=False,
        max_turns="steps+10",
        missing="skipped",
        zero_duration="accepted",
    ),
}


#: Profiles and single rules, set as ``recipe2plan.RULE``.
RULE_SET = RuleSet("recipe2plan", PROFILES, CHOICES)


#: Kinds of violation: those of Table 15, the missing actions of Table 16, and the ends of runs with turns.
KINDS = (
    "wrong_recipe",
    "wrong_action",
    "time_error",
    "infeasible_multitask",
    "object_occupancy",
    "object_temperature",
    "object_volume",
    "dependency",
    "repeated_action",
    "time_constraint",
    "action_duration",
    "execution_interruptibility",
    "no_action",
    "missing_action",
    "identical_refusals",
    "too_many_turns",
)
#: Kinds whose message in the released environment contains the start of the command.
_DATED = ("time_error", "infeasible_multitask", "object_occupancy", "object_temperature", "object_volume")


def _early(violation: Violation) -> str:
    return f"starts at {_clock(violation.actual)}, but the clock is at {_clock(violation.required)}"


def _wrong_temperature(violation: Violation) -> str:
    state = "cold" if violation.actual is None else f"at {violation.actual}"
    return f"needs {violation.resource} at {violation.required}, but it is {state}"


def _exceeded_volume(violation: Violation) -> str:
    required = f"{violation.required} units of {violation.resource}"
    return f"needs {required}, but {violation.actual} are left"


def _unfinished_step(violation: Violation) -> str:
    return f"{violation.others[0].subject} is not finished until {_clock(violation.required)}"


def _late(violation: Violation) -> str:
    limit = f"within {violation.required} s after {violation.others[0].subject}"
    return f"must start {limit}, but starts after {violation.actual} s"


_MESSAGES: dict[str, Callable[[Violation], str]] = {
    "wrong_recipe": lambda v: f"there is no such recipe; the recipes are {v.names}",
    "wrong_action": lambda v: f"there is no such step; steps go from 0 to {v.required}",
    "time_error": _early,
    "infeasible_multitask": lambda _: "two continuous steps cannot run at the same time",
    "object_occupancy": lambda v: f"{v.resource} is occupied",
    "object_temperature": _wrong_temperature,
    "object_volume": _exceeded_volume,
    "dependency": lambda v: f"{v.others[0].subject} is not complete",
    "unfinished": _unfinished_step,
    "repeated_action": lambda _: "has been carried out already",
    "time_constraint": _late,
    "action_duration": lambda v: f"takes {v.required} s, not {v.actual}",
    "no_duration": lambda _: "the duration of a command must be positive",
    "lack": lambda v: f"is incomplete: {v.excess} s of {v.required} s are missing",
    "execution_interruptibility": lambda v: f"must not be interrupted ({v.required} s)",
    "no_action": lambda _: "the plan contains no readable command",
    "empty_answer": lambda _: "the answer contains no readable command",
    "missing_action": lambda _: "is never carried out",
    "identical_refusals": lambda v: f"{v.required} answers in a row were refused for the same reason",
    "too_many_turns": lambda v: f"the recipes are not complete after {v.required} answers",
}


class Recipe2PlanViolation(Violation):
    """Violation of the rules of Recipe2Plan; ``case`` selects a message other than that of the kind.

    ``unfinished``: a prerequisite is complete, but ends too late. ``lack``: the whole plan does not complete a step.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """Sentence about the violation."""
        return _MESSAGES[self.case or self.kind](self)

    @property
    def answer(self) -> tuple[object, ...]:
        """Content of the released environment's message: kind, steps, and times."""
        start = self.start if self.kind in _DATED else None
        duration = self.actual if self.kind == "action_duration" else None
        subjects = [action.subject for action in self.others]
        return self.kind, self.case, self.subject, *subjects, start, duration


def _clock(seconds: Measure) -> str:
    return format_clock(cast(int, seconds))
