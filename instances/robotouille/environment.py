"""Live runs in kitchens, with the step limit by which success is measured."""

from __future__ import annotations

from functools import lru_cache

from planoracle.instances import registry
from planoracle.instances.environment import Reward
from planoracle.instances.kitchens.environment import KitchenEnvironment
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.profile import Profile
from planoracle.instances.manner import Manner
from planoracle.instances.optima import by_key, key_of
from planoracle.instances.robotouille.metrics import step_limit
from planoracle.instances.robotouille.published import published_steps
from planoracle.instances.status import Status

__all__ = ["live"]


def live(problem: Kitchen, rules: Profile, manner: Manner, reward: Reward | None) -> KitchenEnvironment:
    """Return one run in a kitchen; with ``bounded`` of no more steps than a success may have, where that is known."""
    return KitchenEnvironment(problem, rules, manner, reward, _limit(problem, rules) if manner.bounded else None)


@lru_cache(maxsize=1024)
def _limit(kitchen: Kitchen, rules: Profile) -> int | None:
    """Return the step limit, ``None`` where nobody knows the reference without solving."""
    reference: int | None = None
    if rules.limit == "published":
        reference = published_steps(kitchen.name)
    elif ways := registry.of(kitchen).optima.get(kitchen.name):
        entry = by_key(ways).get(key_of(kitchen, rules.deciding()), {})
        if entry.get("status") == Status.optimal:
            rounds = len(kitchen.players) if rules.moves == "joint" else 1
            reference = -(-entry["makespan"] // rounds)
    return None if reference is None else step_limit(reference)
