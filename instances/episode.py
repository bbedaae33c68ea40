"""What passes between an agent and a live run: messages, commands, outcomes, observations, turns, snapshots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

_S = TypeVar("_S")

#: A message in the form of chat interfaces: ``role`` and ``content``, perhaps ``tool_calls`` or ``tool_call_id``.
Message = dict[str, Any]


class Command(NamedTuple):
    """A command that the rules allow now: its text, and whether it is an ``act``, a ``wait`` or the ``close``."""

    text: str
    kind: str


class Outcome(NamedTuple):
    """What became of one command.

    Attributes
    ----------
    command, kind
        As the benchmark writes it; ``act``, ``wait``, ``close``, or ``lost`` (refused, unreadable, or of no use).
    start, end
        Ticks; the time that it took up.
    violation
        Kind of the rule that it broke, ``unreadable`` if it is no command, else ``None``.
    text
        What the agent is told about it in detail.
    """

    command: str
    kind: str
    start: int
    end: int
    violation: str | None = None
    text: str = ""


class Observation:
    """What an agent sees; immutable.

    Parameters
    ----------
    text
        What it is told since its last message, the whole introduction at the beginning; or a function that returns it,
        which is called when the text is first asked for, if ever.

    Attributes
    ----------
    clock
        Ticks.
    player
        Whose turn it is, where there are several; else ``None``.
    over
        Why the run is over, if it is.
    """

    __slots__ = ("_text", "clock", "over", "player")

    def __init__(
        self, text: str | Callable[[], str], clock: int, player: str | None = None, over: str | None = None
    ) -> None:
        self._text = text
        self.clock = clock
        self.player = player
        self.over = over

    @property
    def text(self) -> str:
        """What it is told."""
        if not isinstance(self._text, str):
            self._text = self._text()
        return self._text

    def _told(self) -> tuple[str, int, str | None, str | None]:
        return self.text, self.clock, self.player, self.over

    def __eq__(self, other: object) -> bool:
        return self._told() == other._told() if isinstance(other, Observation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._told())

    def __repr__(self) -> str:
        return "Observation(text={!r}, clock={!r}, player={!r}, over={!r})".format(*self._told())

    def __reduce__(self) -> tuple[type[Observation], tuple[object, ...]]:
        return Observation, self._told()


class Transition(NamedTuple):
    """What a message led to; ``info`` is what the reward says of itself, such as its ``status``."""

    observation: Observation
    reward: float
    done: bool
    outcomes: tuple[Outcome, ...]
    info: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the agent and what it was answered; ``before`` is the turn before it."""

    said: object
    outcomes: tuple[Outcome, ...]
    observation: Observation
    before: Turn | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[_S]):
    """Everything that changes in a live run; immutable, so that it can be kept, shared and returned to.

    Attributes
    ----------
    world
        State of the benchmark's rules.
    turn, count
        The last message with its answer, and how many there were.
    over
        Why the run is over, if it is.
    memo
        What the reward keeps from step to step.
    """

    world: _S
    turn: Turn | None = None
    count: int = 0
    over: str | None = None
    memo: object = None


class Manner(NamedTuple):
    """How a live run is held.

    Attributes
    ----------
    loop
        ``closed``: command by command, each of which is answered; ``open``: one message with the whole plan.
    feedback
        ``terse``: whether a command was carried out; ``detailed``: also why it was not, and what goes on.
    style
        Of messages, where a benchmark has its own: ``paper``, or ``chat`` for the form that chat interfaces demand.
    limit
        Messages of the agent after which the run ends; ``None``: as many as the rules allow.
    bounded
        Whether a run ends where the authors' own harness ends it although their rules do not; where none is known,
        when it leads nowhere.
    """

    loop: str = "closed"
    feedback: str = "detailed"
    style: str = "chat"
    limit: int | None = None
    bounded: bool = True


#: Command by command, in detail.
USUAL = Manner()
