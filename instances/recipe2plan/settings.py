"""Setting of the Recipe2Plan paper: questions for what recipes leave unsaid, then ReAct."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.problem import Problem
from planoracle.instances.recipe2plan import unsaid
from planoracle.instances.settings import Ask, Sampling, Setting, by_name, distinct

# The paper asks for each recipe with 128 tokens, we ask for both.
_BELIEFS = tuple(
    Ask(name, name, Sampling(0, 256), f"{name}-example") for name in ("concurrency", "dependency", "resources")
)
_WORDS: Mapping[str, Callable[[AnyEnvironment], str]] = {
    "recipes": lambda environment: unsaid.recipes(environment.problem),
    "autonomous": lambda environment: unsaid.concurrency(environment.problem),
    "order": lambda environment: unsaid.dependency(environment.problem),
    "objects": lambda environment: unsaid.resources(environment.problem),
}


def _apart(example: Problem, problem: Problem) -> bool:
    """Whether an example is another problem, with time constraints if there are any."""
    return distinct(example, problem) and unsaid.timed(example) == unsaid.timed(problem)


SETTINGS = by_name(
    [
        Setting(
            "react",
            "beliefs, then ReAct: a thought and a step",
            __package__,
            "believed",
            "react",
            form="react-form",
            sampling=Sampling(0, 512),
            asks=_BELIEFS,
            examples=("timed.json", "untimed.json"),
            shows="dialogue",
            apart=_apart,
            words=_WORDS,
        )
    ]
)
