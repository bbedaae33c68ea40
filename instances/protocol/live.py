"""What live runs on scheduling problems have in common: commands say when they start, so a later start says a wait."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TypeVar

from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece
from planoracle.instances.protocol.environment import USUAL, CommandOutcome, Environment, Reward, RunConfig
from planoracle.instances.protocol.feedback import Words, sentence
from planoracle.instances.protocol.profiles import Rules

#: Parts of an action that may be paused are offered in at most as many lengths.
MAX_LENGTHS = 100

_R = TypeVar("_R", bound=Rules)
_S = TypeVar("_S")


def text_of(said: object) -> str:
    """Return the text of a message, also of a chat message; never raises.

    Thinking is left out. What is no text is empty.

    >>> text_of({"role": "assistant", "content": "<think>Step(9, Tacos, 0)?</think>Finish"}), text_of(None)
    ('Finish', '')
    """
    if isinstance(said, Mapping):
        said = said.get("content")
    return said.rpartition("</think>")[2] if isinstance(said, str) else ""


def moments(
    problem: Instance, clock: int, over: Iterable[int], left: Sequence[int]
) -> list[tuple[int, frozenset[int] | None]]:
    """Return instants at which to offer starts: the clock, and when later something changes or should soon follow.

    An action that another must follow closely may have to wait until the other can: at the end of what is under way, or
    when the rest of what that waits for has been carried out after such an end.

    Parameters
    ----------
    over
        Instants at which something changes.
    left
        Ticks that are left of every action, in the order of the instance.

    Returns
    -------
    list
        In order; each with the positions of the actions that it is for, ``None`` if for all.
    """
    ends = {one for one in over if one > clock}
    found: dict[int, frozenset[int] | None] = {}
    for before, limit, others in _windows(problem):
        if left[before] and ends:
            lead = limit + left[before]
            rest = sum(left[one] for one in others)
            for one in (end - lead + more for end in ends for more in (0, rest)):
                if one > clock:
                    found[one] = (found.get(one) or frozenset()) | {before}
    found |= dict.fromkeys((clock, *ends))
    return sorted(found.items(), key=itemgetter(0))


def lengths(left: int, grid: int) -> Sequence[int]:
    """Return the lengths in which a part of an action that may be paused is offered, the longest first.

    >>> lengths(300, 60), len(lengths(86_400, 1))
    ([300, 240, 180, 120, 60], 100)
    """
    grid *= -(-left // (MAX_LENGTHS * grid))
    return [left, *reversed(range(grid, left, grid))]


@ProblemCache
def _windows(problem: Instance) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """Return every maximum lag: its earlier action, its length, and what else its later action waits for."""
    index, after = problem.index, problem.predecessors
    return tuple(
        (index[lag.before], lag.maximum, tuple(i for i, _ in after[index[lag.after]] if i != index[lag.before]))
        for lag in problem.lags
        if lag.maximum is not None
    )


class ScheduleEnvironment(Environment[Instance, _R, _S]):
    """A live run in which commands say when they start, so that a wait is said by a later start."""

    def __init__(self, problem: Instance, rules: _R, manner: RunConfig = USUAL, reward: Reward | None = None) -> None:
        self.words = Words(problem)
        super().__init__(problem, rules, manner, reward)

    @abstractmethod
    def _running(self, world: _S) -> Iterable[Piece]:
        """Return what goes on at the clock."""

    def _situation(self, world: _S) -> str:
        """Say what time it is, and what goes on."""
        running = [
            f"{self.words.name(one.action)} (until {self.words.moment(one.end)})" for one in self._running(world)
        ]
        goes_on = f" Under way: {', '.join(running)}." if running else ""
        return f"{sentence(f'it is {self.words.moment(self._clock(world))}')}{goes_on}"

    def _answer(self, world: _S, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        """Return what became of the commands, nobody has to be told of a wait; in detail also how things stand."""
        told = super()._answer(world, [one for one in outcomes if one.kind != "wait"], over)
        return told if over is not None or self.manner.feedback == "terse" else f"{told}\n{self._situation(world)}"
