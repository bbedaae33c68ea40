"""Simulator: the rules of a benchmark as code, the only place where a command changes a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay, Violation
from planoracle.instances.protocol.decision_points import DecisionPoint, started, waited
from planoracle.instances.protocol.profiles import Rules


@dataclass(frozen=True, slots=True)
class Step:
    """Effect of one command: a decision of a run.

    Attributes
    ----------
    position
        Index of the command in order of execution; a wait that the next command implies has the index of that command.
    command
        Text in the plan language, or the wait in words.
    kind
        ``act``: carried out; ``wait``: time passes; ``close``: ends the run; ``lost``: refused, unreadable, or without
        effect.
    start, end
        Ticks.
    violation
        Broken rule, if any.
    piece
        Piece of the schedule that the command starts, in scheduling problems.
    """

    position: int
    command: str
    kind: str
    start: int
    end: int
    violation: Violation | None = None
    piece: Piece | None = field(default=None, repr=False, compare=False)


class LegalCommand(NamedTuple):
    """Command that the rules allow now; ``kind`` is ``act``, ``wait`` or ``close``.

    Attributes
    ----------
    text
        Command as a message.
    kind
        ``act``, ``wait`` or ``close``.
    piece
        Piece that the command starts, in `ScheduleSimulator.choices`; else ``None``.
    """

    text: str
    kind: str
    piece: Piece | None = None


class Unreadable(NamedTuple):
    """Message that holds no command, with the reason.

    Attributes
    ----------
    text
        The message.
    reason
        Reason why it holds no command.
    """

    text: str
    reason: str = ""


#: Question whether the rules accept a schedule of some pieces.
Acceptance: TypeAlias = Callable[[Sequence[Piece]], bool]

#: Command by which an agent ends the run, whether all is done or not.
CLOSE = "Finish"

_S = TypeVar("_S")
_C = TypeVar("_C", contravariant=True)


class Simulator(ABC, Generic[_S, _C]):
    """Rules of one benchmark for one problem, as a machine with states ``S`` and commands ``C``.

    Replay, live runs and legal commands all use it, so that they cannot differ.
    """

    @abstractmethod
    def initial(self) -> _S:
        """Return the state before the first command."""

    def copy(self, state: _S) -> _S:
        """Return a copy that `apply` does not change; the state itself where states are immutable."""
        return state

    @abstractmethod
    def apply(self, state: _S, command: _C) -> tuple[_S, tuple[Step, ...]]:
        """Return the state after a command, and its steps; never raises for the content of a command.

        The given state may be changed and must not be used again; `copy` it before if it is needed.
        """

    @abstractmethod
    def legal(self, state: _S) -> Sequence[LegalCommand]:
        """Return all commands that the rules allow, in a fixed order."""

    @abstractmethod
    def ended(self, state: _S) -> str | None:
        """Return the reason why the run has ended by the rules, ``None`` if it goes on."""

    @abstractmethod
    def clock(self, state: _S) -> int:
        """Return the time in ticks."""

    @abstractmethod
    def verdict(self, state: _S) -> Replay:
        """Return the verdict on the commands so far."""

    def success(self, state: _S) -> bool:
        """Return True if the commands so far are a success; live runs ask after every step."""
        return self.verdict(state).success

    def lost(self, state: _S) -> str | None:
        """Return the reason why no success is possible, ``None`` if unknown, see `Run.lost_at`."""
        return None


class LatePoint(NamedTuple):
    """Decision point after a step, which is computed on demand.

    Attributes
    ----------
    before
        Point before the step.
    step
        The step.
    """

    before: DecisionPoint | LatePoint
    step: Step


class ScheduleSimulator(Simulator[_S, _C]):
    """Rules of a benchmark whose runs are schedules, so that every state is a decision point."""

    @abstractmethod
    def point(self, state: _S) -> DecisionPoint:
        """Return the decision point of a state; its cost does not depend on the commands before."""

    def next_point(self, point: DecisionPoint, step: Step) -> DecisionPoint:
        """Return the point after a step, by its piece or its wait, if it has one."""
        if step.piece is not None:
            return self.after_piece(point, step.piece)
        return waited(point, step.end) if step.kind == "wait" else point

    def after_piece(self, point: DecisionPoint, piece: Piece) -> DecisionPoint:
        """Return the point after the start of a piece."""
        return started(point, piece)

    def computed(self, point: DecisionPoint | LatePoint) -> DecisionPoint:
        """Return a point after the steps since the last point that is computed."""
        steps: list[Step] = []
        while isinstance(point, LatePoint):
            steps.append(point.step)
            point = point.before
        for step in reversed(steps):
            point = self.next_point(point, step)
        return point

    @abstractmethod
    def choices(self, point: DecisionPoint, step: int, state: _S | None = None) -> Iterator[LegalCommand]:
        """Yield the commands that the rules allow at the clock of a point.

        Parameters
        ----------
        point
            Decision point.
        step
            Ticks of a wait; parts of interruptible actions have lengths that are multiples of it.
        state
            State at the point. By default the one after the pieces of the point, where the rules need a state.
        """

    @abstractmethod
    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return the commands, as texts, that carry out the rest of a schedule from a point."""

    def acceptance(self, rules: Rules) -> Acceptance | None:
        """Return the function that asks the rules for the schedule of some pieces.

        ``None`` if the rules accept all schedules that the problem allows.
        """
        return None

    def lost(self, state: _S) -> str | None:
        """Return ``over`` or ``spoiled`` as the decision point says."""
        return self.point(state).lost_reason


def entries_of(last: Any) -> list[Any]:
    """Return the entries of a history, the first one first; each is linked to the one ``before``."""
    entries = []
    while last is not None:
        entries.append(last)
        last = last.before
    return entries[::-1]


def fold(simulator: Simulator[_S, _C], commands: Iterable[_C]) -> tuple[_S, list[Step]]:
    """Apply commands one after the other until the run ends; return the last state and all steps.

    Parameters
    ----------
    simulator
        Rules as code.
    commands
        Commands in order.
    """
    state = simulator.initial()
    steps = list[Step]()
    for command in commands:
        if simulator.ended(state) is not None:
            break
        state, caused = simulator.apply(state, command)
        steps += caused
    return state, steps
