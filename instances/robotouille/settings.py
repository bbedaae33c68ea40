"""Setting of the Robotouille paper: ReAct that remembers its last reasoning and action."""

from __future__ import annotations

from typing import cast

from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.problem import Problem
from planoracle.instances.settings import Sampling, Setting, by_name, distinct

# Sandwiches, as in the paper: of the first an optimum ships, the others are there for the first itself and for players.
_EXAMPLES = (
    "kitchens/synchronous/1_lettuce_sandwich",
    "kitchens/synchronous/0_cheese_sandwich",
    "kitchens/multi_agent/4_lettuce_chicken_sandwich",
    "kitchens/multi_agent/1_lettuce_burger",
)


def _apart(example: Problem, problem: Problem) -> bool:
    """Whether an example is another kitchen, with several players if there are several."""
    several = [len(cast(Kitchen, one).players) > 1 for one in (example, problem)]
    return distinct(example, problem) and several[0] == several[1]


def _remembered(_: AnyEnvironment) -> str:
    return ", only your last reasoning and action"


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
            apart=_apart,
            words={"remembered": _remembered},
        )
    ]
)
