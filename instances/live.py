"""What live runs on scheduling problems have in common: messages as text, and answers in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from planoracle.instances.environment import Command, Environment, Outcome, Reward
from planoracle.instances.feedback import Words
from planoracle.instances.manner import USUAL, Manner
from planoracle.instances.model import Instance
from planoracle.instances.profiles import Rules
from planoracle.instances.schedule import Piece

__all__ = ["MAX_SAID", "ScheduleEnvironment", "text_of"]

#: Longest message that is read, in characters; far beyond what any command needs.
MAX_SAID = 200_000

_R = TypeVar("_R", bound=Rules)
_S = TypeVar("_S")


def text_of(said: object) -> str:
    """Return the text of a message: what a chat message or a command holds; never raises.

    Thinking is left out. What is no text, or longer than `MAX_SAID`, is empty.

    >>> text_of({"role": "assistant", "content": "<think>Step(9, Tacos, 0)?</think>Finish"}), text_of(None)
    ('Finish', '')
    """
    if isinstance(said, Command):
        said = said.text
    elif isinstance(said, Mapping):
        said = said.get("content")
    return said.rpartition("</think>")[2] if isinstance(said, str) and len(said) <= MAX_SAID else ""


class ScheduleEnvironment(Environment[Instance, _R, _S]):
    """A live run in which commands say when they start, so that a wait is said by a later start."""

    def __init__(self, problem: Instance, rules: _R, manner: Manner = USUAL, reward: Reward | None = None) -> None:
        self.words = Words(problem)
        super().__init__(problem, rules, manner, reward)

    def _answer(self, world: _S, outcomes: Sequence[Outcome], over: str | None) -> str:
        """Return what became of the commands themselves; nobody has to be told of a wait."""
        return super()._answer(world, [one for one in outcomes if one.kind != "wait"], over)

    def _now(self, clock: int, pieces: Iterable[Piece]) -> str:
        """Say what time it is, and what goes on."""
        running = [f"{self.words.name(one.action)} (until {self.words.moment(one.end)})" for one in pieces]
        goes_on = f" Under way: {', '.join(running)}." if running else ""
        return f"It is {self.words.moment(clock)}.{goes_on}"
