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

#: Where no number of steps is known, a run may have so many for each condition of the goal, and that many at least,
#: with every player. Proved optima, of one player or several, come to 6.25 for each condition at most.
STEPS_PER_CONDITION, LEAST_STEPS = 30, 100


def live(problem: Kitchen, rules: Profile, manner: Manner, reward: Reward | None) -> KitchenEnvironment:
    """Return one run in a kitchen; with ``bounded`` it ends when it has more steps than a success may have."""
    return KitchenEnvironment(problem, rules, manner, reward, _limit(problem, rules) if manner.bounded else None)


@lru_cache(maxsize=1024)
def _limit(kitchen: Kitchen, rules: Profile) -> int:
    """Return the step limit by which success is measured, or a larger one where that is not known without solving."""
    known: int | None = None
    if rules.limit == "published":
        known = published_steps(kitchen.name)
    elif ways := registry.of(kitchen).optima.get(kitchen.name):
        known = by_key(ways).get(key_of(kitchen, rules.deciding()), {}).get("makespan")
    acting = len(kitchen.players)
    if known is None:
        most = max(LEAST_STEPS, STEPS_PER_CONDITION * len(kitchen.goal.conditions))
        return most if rules.moves == "joint" else most * acting
    return step_limit(-(-known // acting) if rules.moves == "joint" and rules.limit == "optimum" else known)
