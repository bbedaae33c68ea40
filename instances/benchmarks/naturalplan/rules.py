"""Rule profiles of Natural Plan; ``exact`` and ``official`` are further names of ``paper`` and ``released``."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.instances.protocol.profiles import Rules, RuleSet


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of Natural Plan.

    Attributes
    ----------
    verdict
        ``"exact"``: an answer succeeds if it keeps all constraints. ``"official"``: as in the published evaluation, it
        succeeds if it agrees with the published plan.
    """

    verdict: str = "exact"

    @property
    def is_official(self) -> bool:
        """True if answers are compared with the published plan."""
        return self.verdict == "official"


PROFILES = {"paper": Profile(), "released": Profile(verdict="official", refuse_unread=False)}

#: Profiles and single rules, set as ``naturalplan.RULE``.
RULE_SET = RuleSet(
    "naturalplan",
    PROFILES,
    {"verdict": ("exact", "official")},
    {"exact": "paper", "official": "released"},
)
