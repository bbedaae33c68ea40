"""The two rule profiles of AsyncHow; every rule can also be set by its name."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.plugin import Rules, RuleSet


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of AsyncHow: reading and grading of answers.

    Attributes
    ----------
    gold
        The ``"released"`` answer, eight of which are wrong, or the ``"right"`` one: the longest path.
    units
        Durations such as "2 hours 30 minutes" with ``"all"`` their units, or with the ``"last"`` one only, as the
        released data has them.
    answers
        Answers in words are read to the ``"released"`` letter, or ``"lenient"``: without thinking, what is announced
        as the final answer, and times without double quotes, too.
    length
        In problems, months and years have the ``"least"`` or the ``"most"`` days. Answers may lie between.
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
