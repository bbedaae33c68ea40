"""Rules of Recipe2Plan: profiles, kinds of violation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from planoracle.instances.model.violations import Measure, Violation, message_of
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
    refusals_counted
        Refusals that are identical: those of one command (recipe, step, length and start) anywhere in the ``"run"``, or
        those in a ``"row"`` with the same message. With ``"run"``, answers without a command are never identical.
    max_identical_refusals
        Number of identical refusals that ends an interactive run; 0: no limit.
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
    reject_advances_clock: bool = False
    step_shapes: str = "lenient"
    parse_scope: str = "plan"
    timestamp_repair: bool = False
    score_if: str = "success"
    fatal_time_constraint: bool = True
    max_failures: int = 10
    refusals_counted: str = "run"
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
    "refusals_counted": ("run", "row"),
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
        reject_advances_clock=True,
        step_shapes="released",
        parse_scope="everywhere",
        score_if="complete",
        fatal_time_constraint=False,
        refusals_counted="row",
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


def _unfinished_step(violation: Violation) -> str:
    return f"{violation.others[0].subject} is not finished until {_clock(violation.required)}"


#: Messages by kind or case, in the syntax of ``str.format`` for the violation ``v``.
_MESSAGES = {
    "wrong_recipe": "there is no such recipe; the recipes are {v.names}",
    "wrong_action": "there is no such step; steps go from 0 to {v.required}",
    "infeasible_multitask": "two continuous steps cannot run at the same time",
    "object_occupancy": "{v.resource} is occupied",
    "object_volume": "needs {v.required} units of {v.resource}, but {v.actual} are left",
    "dependency": "{v.others[0].subject} is not complete",
    "repeated_action": "has been carried out already",
    "time_constraint": "must start within {v.required} s after {v.others[0].subject}, but starts after {v.actual} s",
    "action_duration": "takes {v.required} s, not {v.actual}",
    "no_duration": "the duration of a command must be positive",
    "lack": "is incomplete: {v.excess} s of {v.required} s are missing",
    "execution_interruptibility": "must not be interrupted ({v.required} s)",
    "no_action": "the plan contains no readable command",
    "empty_answer": "the answer contains no readable command",
    "missing_action": "is never carried out",
    "identical_refusals": "{v.required} answers in a row were refused for the same reason",
    "same_command": "the same command was refused {v.required} times",
    "too_many_turns": "the recipes are not complete after {v.required} answers",
}
#: Functions that write the messages of the other kinds.
_MESSAGE_FUNCTIONS: dict[str, Callable[[Violation], str]] = {
    "time_error": _early,
    "object_temperature": _wrong_temperature,
    "unfinished": _unfinished_step,
}


class Recipe2PlanViolation(Violation):
    """Violation of the rules of Recipe2Plan; ``case`` selects a message other than that of the kind.

    ``unfinished``: a prerequisite is complete, but ends too late. ``lack``: the whole plan does not complete a step.
    ``same_command``: the identical refusals are those of one command.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """Sentence about the violation."""
        return message_of(self, _MESSAGES, _MESSAGE_FUNCTIONS)

    @property
    def answer(self) -> tuple[object, ...]:
        """Content of the released environment's message: kind, steps, and times."""
        start = self.start if self.kind in _DATED else None
        duration = self.actual if self.kind == "action_duration" else None
        subjects = [action.subject for action in self.others]
        return self.kind, self.case, self.subject, *subjects, start, duration


def _clock(seconds: Measure) -> str:
    return format_clock(cast(int, seconds))
