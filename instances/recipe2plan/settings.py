"""Recipe2Plan's settings: what recipes leave unsaid is asked first, or told; then a whole plan, or step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.manner import Manner
from planoracle.instances.problem import Problem
from planoracle.instances.recipe2plan import unsaid
from planoracle.instances.settings import Ask, Sampling, Setting, by_name, distinct

__all__ = ["SETTINGS"]

_WHOLE, _STEPWISE = Sampling(0, 2048), Sampling(0, 512)
# The paper asks for each recipe with 128 tokens, we ask for both.
_BELIEFS = tuple(
    Ask(name, name, Sampling(0, 256), f"{name}-example") for name in ("concurrency", "dependency", "resources")
)


def _ready(environment: AnyEnvironment) -> str:
    """Return for every step that is allowed the command that starts it first and as a whole."""
    found: dict[str, str] = {}
    for command in environment.legal():
        found.setdefault(",".join(command.text.split(",")[:2]), command.text)
    return "\n".join(found.values())


_WORDS: Mapping[str, Callable[[AnyEnvironment], str]] = {
    "recipes": lambda environment: unsaid.recipes(environment.problem),
    "autonomous": lambda environment: unsaid.concurrency(environment.problem),
    "order": lambda environment: unsaid.dependency(environment.problem),
    "objects": lambda environment: unsaid.resources(environment.problem),
    "ready": _ready,
}


def _apart(example: Problem, problem: Problem) -> bool:
    """Whether an example is another problem, with time constraints if there are any."""
    return distinct(example, problem) and unsaid.timed(example) == unsaid.timed(problem)


def _closed(name: str, title: str, prompt: str, task: str, **more: Any) -> Setting:
    options: dict[str, Any] = {"form": "react-form", "examples": ("timed.json", "untimed.json"), "apart": _apart} | more
    return Setting(
        name,
        title,
        __package__,
        task,
        prompt,
        sampling=_STEPWISE,
        shows="dialogue",
        words=_WORDS,
        **options,
    )


SETTINGS = by_name(
    [
        Setting(
            "plan-and-solve",
            "beliefs, then the whole plan at once",
            __package__,
            "believed",
            "solve",
            form="solve-form",
            manner=Manner("open"),
            sampling=_WHOLE,
            asks=_BELIEFS,
            examples=("timed.json", "untimed.json"),
            apart=_apart,
            words=_WORDS,
        ),
        _closed("react", "beliefs, then ReAct: a thought and a step", "react", "believed", asks=_BELIEFS),
        _closed("react-oracle", "ReAct that is told what the recipes leave unsaid", "react", "known"),
        _closed(
            "react-hint", "ReAct that is told the unsaid, and the steps that can be done", "react", "known", turn="hint"
        ),
        _closed(
            "feasibility",
            "beliefs, then ReAct that does not hurry",
            "careful",
            "believed",
            asks=_BELIEFS,
            form="careful-form",
            examples=("single.json",),
            apart=distinct,
        ),
    ]
)
