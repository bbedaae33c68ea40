"""Rule profiles of asyncplanning.

``paper`` has every rule that prompts and data state. ``released`` gives the verdicts of the released code, faults
included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from planoracle.instances.benchmarks.asyncplanning import robot_rules
from planoracle.instances.benchmarks.asyncplanning.robot_rules import RobotRules
from planoracle.instances.protocol.profiles import RuleSet


@dataclass(frozen=True, slots=True)
class Profile(RobotRules):
    """Options of asyncplanning.

    Attributes
    ----------
    grading
        ``"exact"``: every rule that a prompt or the data state. ``"released"``: the checks of the released grader,
        which for answers to AsyncPlan-XXL compares times only.
    durations
        Durations of the steps of AsyncPlan-XXL: those of the ``"text"``, or the ``"released"`` ones, in which a number
        in the sentence of a step may have replaced its duration.

    Examples
    --------
    >>> RULE_SET.profile("released").is_released, RULE_SET.profile("paper", durations="released").is_released
    (True, False)
    """

    grading: str = "exact"
    durations: str = "text"

    @property
    def is_released(self) -> bool:
        """True for the checks of the released grader."""
        return self.grading == "released"

    def deciding(self) -> Self:
        """Return the profile as far as it decides which plans are best.

        The released checks count: they accept the right time only, which is a time limit.
        """
        return replace(self, refuse_unread=True)


PROFILES = {
    "paper": Profile(),
    "released": Profile(grading="released", durations="released", refuse_unread=False, **robot_rules.RELEASED),
}

#: Values of the rules that are text.
CHOICES = {
    "grading": ("exact", "released"),
    "durations": ("text", "released"),
    **robot_rules.CHOICES,
}

#: Profiles and single rules, set as ``asyncplanning.RULE``.
RULE_SET = RuleSet("asyncplanning", PROFILES, CHOICES)
