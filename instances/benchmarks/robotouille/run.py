"""Replay of Robotouille plans as runs in kitchens."""

from __future__ import annotations

from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.rules import Profile
from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.protocol.plan import Plan


def replay(problem: Kitchen, plan: Plan[list[str]], rules: Profile) -> KitchenRun:
    """Replay step by step."""
    return KitchenRun(problem, plan, rules)
