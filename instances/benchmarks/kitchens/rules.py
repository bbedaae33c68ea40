"""Rule profiles of kitchens, set as ``robotouille.RULE``."""

from __future__ import annotations

from planoracle.instances.benchmarks.kitchens.kitchen import CHOICES, PROFILES
from planoracle.instances.protocol.profiles import RuleSet

RULE_SET = RuleSet("robotouille", PROFILES, CHOICES)
