"""The two rule profiles of Recipe2Plan; every rule can also be set by its name."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.instances.profiles import Rules, choose


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """How to read, replay and score where the paper and its released code differ.

    Attributes
    ----------
    ref_floor
        Floor under the reference efficiency, as the released cap of 5 times the raw efficiency.
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
        A refused command that starts later than now still moves the clock.
    step_shapes
        Steps are read in the ``"released"`` shapes to the letter, or in ``"lenient"`` ones.
    parse_scope
        Steps are read from ``"everywhere"`` in a text, or from the part that is the ``"plan"``, see
        `planoracle.instances.outputs.reading.read`.
    timestamp_repair
        Shift stamps out of the past before a whole plan runs, as the released option does.
    score_if
        The multitasking score counts a run that is a ``"success"``, or one that is ``"complete"``.
    fatal_time_constraint
        An interactive run ends at the first violated time constraint.
    max_failures
        An interactive run ends when this many refused answers are exceeded.
    missing
        Instances without a submission are ``"failed"`` or ``"skipped"`` in averages.
    zero_duration
        Commands of length zero are ``"accepted"`` or ``"rejected"``.
    window_on_resume
        Time constraints are checked again when an interrupted step is resumed.
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
    missing: str = "failed"
    zero_duration: str = "rejected"
    window_on_resume: bool = True


#: Values of the rules that are text.
CHOICES = {
    "missing_ref": ("zero", "optimum"),
    "undefined_ref": ("zero", "undefined"),
    "reference": ("heuristic", "optimal"),
    "t_auto": ("nominal", "executed"),
    "step_shapes": ("released", "lenient"),
    "parse_scope": ("everywhere", "plan"),
    "score_if": ("success", "complete"),
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
        missing="skipped",
        zero_duration="accepted",
    ),
}


def profile(name: str = "paper", **options: str | int | bool) -> Profile:
    """Return a named profile with single rules replaced, see `planoracle.instances.profiles.choose`.

    Examples
    --------
    >>> profile("released", zero_duration="rejected").zero_duration
    'rejected'
    """
    return choose(PROFILES, CHOICES, name, options)
