"""Robotouille's settings: whole plans with and without reasoning, ReAct with less or more memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.manner import Manner
from planoracle.instances.problem import Problem
from planoracle.instances.settings import Sampling, Setting, by_name, distinct

__all__ = ["SETTINGS"]

_SAMPLING = Sampling(temperature=0.7)
_WHOLE = Manner("open")
# Sandwiches, as in the paper: of the first an optimum ships, the others are there for the first itself and for players.
_EXAMPLES = (
    "kitchens/synchronous/1_lettuce_sandwich",
    "kitchens/synchronous/0_cheese_sandwich",
    "kitchens/multi_agent/4_lettuce_chicken_sandwich",
    "kitchens/multi_agent/1_lettuce_burger",
)
# The paper's ablations (A.8) by what the model remembers of its last turn, and how that is said.
_REMEMBERED = {
    "none": ", and nothing of what you said",
    "last_action": ", only your last action",
    "last": ", only your last reasoning and action",
    "last_observed": ", only what you saw last, with your reasoning and action",
}
_TOLD = {
    "none": "nothing",
    "last_action": "its last action",
    "last": "its last reasoning and action",
    "last_observed": "its last observation, reasoning and action",
}


def _apart(example: Problem, problem: Problem) -> bool:
    """Whether an example is another kitchen, with several players if there are several."""
    several = [len(cast(Kitchen, one).players) > 1 for one in (example, problem)]
    return distinct(example, problem) and several[0] == several[1]


def _react(
    name: str, title: str, history: str, prompt: str = "react-plan", form: str = "react-plan-form", turn: str = "turn"
) -> Setting:
    def remembered(_: AnyEnvironment) -> str:
        return _REMEMBERED[history]

    return Setting(
        name,
        title,
        __package__,
        "task",
        prompt,
        turn,
        form,
        sampling=_SAMPLING,
        history=history,
        examples=_EXAMPLES,
        shows="steps",
        apart=_apart,
        words={"remembered": remembered} if history in _REMEMBERED else {},
    )


def _reacts() -> Iterator[Setting]:
    yield _react("react", "ReAct that remembers its last reasoning and action", "last")
    yield _react(
        "react-prior",
        "ReAct that remembers its last reasoning and action, with more said of the rules",
        "last",
        "react-prior",
    )
    yield _react("react-full", "ReAct that remembers everything", "full", "react-full", turn="")
    for history in _REMEMBERED:
        told = history.replace("_", " ")
        if history != "last":
            yield _react(f"react-{told.replace(' ', '-')}", f"ReAct that remembers {_TOLD[history]}", history)
        yield _react(
            f"react-{told.replace(' ', '-')}-next",
            f"ReAct that remembers {_TOLD[history]} and plans one action ahead",
            history,
            "react",
            "react-form",
        )


def _whole(name: str, title: str, prompt: str, shows: str) -> Setting:
    return Setting(
        name,
        title,
        __package__,
        "task",
        prompt,
        form=f"{prompt}-form",
        manner=_WHOLE,
        sampling=_SAMPLING,
        examples=_EXAMPLES,
        shows=shows,
        apart=_apart,
    )


SETTINGS = by_name(
    [
        _whole("io", "I/O: the whole plan at once", "whole", "plan"),
        _whole("io-cot", "I/O-CoT: the whole plan, with the state after every action", "stepwise", "steps"),
        *_reacts(),
    ]
)
