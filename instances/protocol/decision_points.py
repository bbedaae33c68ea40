"""Decision points of runs on scheduling problems, and the points after pieces and waits."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from math import gcd

from planoracle.instances.errors import PlanError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.protocol.feedback import span

# Limit of memory: every point stores all of its pieces.
_MAX_PIECES = 2_000


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """Point of a run at which a decision is made.

    Attributes
    ----------
    instance
        Problem by which the rest of the run is planned.
    state
        Partially executed schedule and current time.
    lost
        Ticks that passed while the time of ``state`` stood still.
    reached
        Makespan of the executed pieces.
    over
        Reason why the run has ended, if it has.
    dead_end
        True if carrying out the remaining actions is no success. Ways to undo actions are not searched.
    grid
        Greatest common divisor of all times of the run up to the point, in ticks; 0 if there are none.
    """

    instance: Instance
    state: PartialSchedule = field(default_factory=PartialSchedule)
    lost: int = 0
    reached: int = 0
    over: str | None = None
    dead_end: bool = False
    grid: int = field(default=0, compare=False)

    @property
    def lost_reason(self) -> str | None:
        """Reason why no success is possible, see `planoracle.instances.protocol.run.Run.lost_at`."""
        if self.over is not None:
            return "over"
        return "spoiled" if self.dead_end else None

    @property
    def complete(self) -> bool:
        """True if every action has been started and nothing remains to decide."""
        work = dict.fromkeys(self.instance.by_id, 0)
        pieces = dict.fromkeys(self.instance.by_id, 0)
        for piece in self.state.pieces:
            work[piece.action] += piece.duration
            pieces[piece.action] += 1
        is_started = all(pieces.values())
        return is_started and all(work[action.id] >= action.duration for action in self.instance.actions)


def clock_after(instance: Instance, piece: Piece) -> int:
    """Return the earliest time of a command after a piece: its start, or when a lone agent is free.

    With several agents, or actions that need nobody, something else can still start while the piece runs. Until then
    undecided actions cost nothing, so regret may be attributed to the wait that follows instead of the piece.
    """
    action = instance.by_id[piece.action]
    is_agent_free = len(instance.agents) > 1 or piece.agent is None
    if is_agent_free or any(step.agents == () for step in instance.actions):
        return piece.start
    if action.interruptible and action.attended:
        return piece.start + piece.duration
    return piece.start + action.attended


def started(point: DecisionPoint, piece: Piece) -> DecisionPoint:
    """Return the point after the start of a piece; a piece without length only takes time.

    Raises
    ------
    PlanError
        If there are far too many pieces.
    """
    instance, pieces = point.instance, point.state.pieces
    if piece.duration or not instance.by_id[piece.action].duration:
        pieces = (*pieces, piece)
    if len(pieces) > _MAX_PIECES:
        raise PlanError(f"contains more than {_MAX_PIECES} executed pieces", field="plan")
    clock = max(point.state.clock, piece.start, clock_after(instance, piece))
    reached = max(point.reached, piece.end + point.lost)
    grid = gcd(point.grid, clock, piece.start, piece.duration)
    return DecisionPoint(instance, PartialSchedule(pieces, clock), point.lost, reached, grid=grid)


def piece_choices(
    point: DecisionPoint, step: int, only: Container[str] | None = None
) -> Iterator[tuple[Piece, DecisionPoint]]:
    """Yield every possible piece at the clock, legal or not; with ``only``, of these actions.

    Pieces of interruptible actions have lengths that are multiples of ``step``, or the remaining length.
    """
    instance, state = point.instance, point.state
    done = dict.fromkeys(instance.by_id, 0)
    first: dict[str, Piece] = {}
    for piece in state.pieces:
        done[piece.action] += piece.duration
        first.setdefault(piece.action, piece)
    for action in instance.actions:
        remaining = action.duration - done[action.id]
        if (action.id in first and not remaining) or (only is not None and action.id not in only):
            continue
        lengths = [remaining]
        if action.interruptible:
            lengths = [*range(step, remaining, step), remaining]
        modes = [first[action.id].mode] if action.id in first else range(len(action.modes))
        for agent in instance.eligible(action) or (None,):
            for mode in modes:
                for length in lengths:
                    piece = Piece(action.id, state.clock, length, agent, mode)
                    yield piece, started(point, piece)


def waited(point: DecisionPoint, until: int) -> DecisionPoint:
    """Return the point after a wait until a time.

    Parameters
    ----------
    point
        Point at which the wait begins.
    until
        Tick at which it ends.
    """
    state = PartialSchedule(point.state.pieces, until)
    grid = gcd(point.grid, until)
    return DecisionPoint(point.instance, state, point.lost, point.reached, grid=grid)


def wait_words(instance: Instance, ticks: int) -> str:
    """Name a wait.

    Parameters
    ----------
    instance
        Problem, whose unit names the ticks.
    ticks
        Length of the wait.
    """
    return f"wait {span(instance, ticks)}"


@ProblemCache
def limited(problem: Instance, limit: int | None) -> Instance:
    """Return a problem with another time limit; the same object for equal arguments."""
    return problem if limit == problem.time_limit else replace(problem, time_limit=limit)
