"""Live runs in kitchens with the step limit of successful runs."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.live import KitchenText
from planoracle.instances.benchmarks.kitchens.simulation import KitchenSimulator
from planoracle.instances.benchmarks.robotouille.measures import published_steps, step_limit
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_results import by_key, key_of
from planoracle.instances.protocol.environment import RunConfig
from planoracle.instances.protocol.settings import Sampling, Setting, by_name, distinct

#: Step limit without a known plan: steps for each condition of the goal, and the minimum, for every player. Proved
#: optima, of one player or several, are at most 6.25 for each condition.
STEPS_PER_CONDITION, LEAST_STEPS = 30, 100


class RobotouilleText(KitchenText):
    """Texts of a live run in a kitchen; with ``bounded`` it ends at the step limit of a success."""

    def __init__(self, problem: Kitchen, rules: KitchenRules, config: RunConfig, simulator: KitchenSimulator) -> None:
        limit = _limit(simulator.engine.kitchen, rules) if config.bounded else None
        super().__init__(problem, rules, config, simulator, limit)


#: Class of the texts of live runs.
TEXT = RobotouilleText


@lru_cache(maxsize=1024)
def _limit(kitchen: Kitchen, rules: KitchenRules) -> int:
    """Return the step limit of a success, or a larger one if that is unknown without solving."""
    reference: int | None = None
    if rules.limit == "published":
        reference = published_steps(kitchen.name)
    elif ways := registry.of(kitchen).optima.get(kitchen.name):
        bundled_result = by_key(ways).get(key_of(kitchen, rules.deciding()), {})
        reference = bundled_result.get("makespan")
    if reference is not None:
        return step_limit(reference)
    rounds = max(LEAST_STEPS, STEPS_PER_CONDITION * len(kitchen.goal.conditions))
    return rounds if rules.moves == "joint" else rounds * len(kitchen.players)


# Sandwiches, as in the paper. The first has a bundled optimum; the others serve for itself and for several players.
_EXAMPLES = (
    "kitchens/synchronous/1_lettuce_sandwich",
    "kitchens/synchronous/0_cheese_sandwich",
    "kitchens/multi_agent/4_lettuce_chicken_sandwich",
    "kitchens/multi_agent/1_lettuce_burger",
)


def _is_other_kitchen(example: Problem, problem: Problem) -> bool:
    """Return whether an example is another kitchen with as many players (one, or several)."""
    return distinct(example, problem) and _has_several_players(example) == _has_several_players(problem)


def _has_several_players(problem: Problem) -> bool:
    return len(cast(Kitchen, problem).players) > 1


SETTINGS = by_name(
    [
        Setting(
            "react",
            "ReAct that remembers its last reasoning and action",
            __package__,
            "task",
            "react-plan",
            "turn",
            "react-plan-form",
            sampling=Sampling(temperature=0.7),
            history="last",
            examples=_EXAMPLES,
            shows="steps",
            is_unrelated=_is_other_kitchen,
            words={"remembered": lambda _: ", only your last reasoning and action"},
        )
    ]
)
