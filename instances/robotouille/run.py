"""Runs in kitchens."""

from __future__ import annotations

from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.profile import Profile
from planoracle.instances.kitchens.run import KitchenRun
from planoracle.instances.plan import Plan


def replay(problem: Kitchen, plan: Plan[list[str]], rules: Profile) -> KitchenRun:
    """Replay step by step."""
    return KitchenRun(problem, plan, rules)
