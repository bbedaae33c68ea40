"""Base class of live runs on scheduling problems whose commands state start times."""

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

#: Most lengths that are offered for a part of an interruptible action.
MAX_LENGTHS = 100

_R = TypeVar("_R", bound=Rules)
_S = TypeVar("_S")


def text_of(message: object) -> str:
    """Return the text of a message, also of a chat message; never raises.

    Reasoning in ``<think>`` is left out. A message without text is empty.

    >>> text_of({"role": "assistant", "content": "<think>Step(9, Tacos, 0)?</think>Finish"}), text_of(None)
    ('Finish', '')
    """
    if isinstance(message, Mapping):
        message = message.get("content")
    return message.rpartition("</think>")[2] if isinstance(message, str) else ""


def moments(
    problem: Instance, clock: int, over: Iterable[int], remaining: Sequence[int]
) -> list[tuple[int, frozenset[int] | None]]:
    """Return instants at which to offer starts: the clock, and later ones at which a start makes sense.

    An action with a maximum lag may have to wait until its successor can follow: at the end of a running action, or
    when the other predecessors of the successor have been carried out after such an end.

    Parameters
    ----------
    over
        Instants at which an action ends.
    remaining
        Remaining ticks of every action, in the order of the instance.

    Returns
    -------
    list
        Ordered; each with the positions of the actions that may start then, ``None`` for all.
    """
    ends = {one for one in over if one > clock}
    instants: dict[int, frozenset[int] | None] = {}
    for before, limit, others in _windows(problem):
        if remaining[before] and ends:
            lead = limit + remaining[before]
            rest = sum(remaining[one] for one in others)
            for one in (end - lead + more for end in ends for more in (0, rest)):
                if one > clock:
                    instants[one] = (instants.get(one) or frozenset()) | {before}
    instants |= dict.fromkeys((clock, *ends))
    return sorted(instants.items(), key=itemgetter(0))


def lengths(remaining: int, grid: int) -> Sequence[int]:
    """Return the lengths that are offered for a part of an interruptible action, the longest first.

    >>> lengths(300, 60), len(lengths(86_400, 1))
    ([300, 240, 180, 120, 60], 100)
    """
    grid *= -(-remaining // (MAX_LENGTHS * grid))
    return [remaining, *reversed(range(grid, remaining, grid))]


@ProblemCache
def _windows(problem: Instance) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """Return every maximum lag: its earlier action, its length, and other predecessors of the later one."""
    index, after = problem.index, problem.predecessors
    return tuple(
        (index[lag.before], lag.maximum, tuple(i for i, _ in after[index[lag.after]] if i != index[lag.before]))
        for lag in problem.lags
        if lag.maximum is not None
    )


class ScheduleEnvironment(Environment[Instance, _R, _S]):
    """Live run whose commands state start times, so that a later start is a wait."""

    def __init__(self, problem: Instance, rules: _R, config: RunConfig = USUAL, reward: Reward | None = None) -> None:
        self.words = Words(problem)
        super().__init__(problem, rules, config, reward)

    @abstractmethod
    def _running(self, world: _S) -> Iterable[Piece]:
        """Return the running pieces."""

    def _situation(self, world: _S) -> str:
        """Return the time and the running actions in words."""
        running = [
            f"{self.words.name(one.action)} (until {self.words.moment(one.end)})" for one in self._running(world)
        ]
        goes_on = f" Under way: {', '.join(running)}." if running else ""
        return f"{sentence(f'it is {self.words.moment(self._clock(world))}')}{goes_on}"

    def _answer(self, world: _S, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        """Return the results of the commands other than waits, and with detailed feedback the situation."""
        text = super()._answer(world, [one for one in outcomes if one.kind != "wait"], over)
        return text if over is not None or self.config.feedback == "terse" else f"{text}\n{self._situation(world)}"
