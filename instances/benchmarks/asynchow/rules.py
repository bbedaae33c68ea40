"""The two rule profiles of AsyncHow; every rule can also be set by its name."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.instances.protocol.profiles import Rules, RuleSet


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of AsyncHow: reading and grading of answers.

    Attributes
    ----------
    gold
        The ``"released"`` answer, eight of which are wrong, or the ``"right"`` one: the longest path.
    units
        ``"all"`` units of durations such as "2 hours 30 minutes" count, or only the ``"last"`` one, as in the released
        data.
    answers
        Reader of answers in words: ``"released"``, or ``"lenient"``, which removes reasoning, prefers the announced
        final answer, and reads times without double quotes.
    length
        Number of days of months and years in problems for schedules: ``"least"`` or ``"most"``.
    """

    gold: str = "right"
    units: str = "all"
    length: str = "least"
    answers: str = "lenient"


PROFILES = {
    "paper": Profile(),
    "released": Profile(gold="released", units="last", answers="released", refuse_unread=False),
}

CHOICES = {
    "gold": ("right", "released"),
    "units": ("all", "last"),
    "length": ("least", "most"),
    "answers": ("released", "lenient"),
}

#: Profiles and single rules, set as ``asynchow.RULE``.
RULE_SET = RuleSet("asynchow", PROFILES, CHOICES)
