"""Decision points of runs on scheduling problems, and the points after pieces and waits."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import gcd

from planoracle.instances.errors import PlanError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance, Variant
from planoracle.instances.model.piece_variants import ticks_of_agent
from planoracle.instances.model.schedule import Piece, variant_of
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
        """True if every action has been started and nothing remains to decide.

        Actions of an optional task count once one of them has been started.
        """
        instance = self.instance
        remaining = remaining_ticks(instance, self.state.pieces)
        started_actions = {piece.action for piece in self.state.pieces}
        started_tasks = {instance.by_id[name].task for name in started_actions}
        for action in instance.actions:
            is_to_do = action.task not in instance.weights or action.task in started_tasks
            if is_to_do and (action.id not in started_actions or remaining[action.id] > 0):
                return False
        return True


def remaining_ticks(instance: Instance, pieces: Iterable[Piece]) -> dict[str, int]:
    """Return the remaining ticks of every action; those of its shortest mode if it has not started."""
    remaining = dict(_shortest_durations(instance))
    started_actions = set()
    for piece in pieces:
        if piece.action not in started_actions:
            started_actions.add(piece.action)
            remaining[piece.action] = variant_of(instance, piece).duration
        remaining[piece.action] -= piece.duration
    return remaining


@ProblemCache
def _shortest_durations(instance: Instance) -> dict[str, int]:
    """Return the duration of every action in its shortest mode, by id."""
    durations = {}
    for name, variants in instance.variants.items():
        durations[name] = min(variant.duration for variant in variants)
    return durations


def clock_after(instance: Instance, piece: Piece) -> int:
    """Return the earliest time of a command after a piece: its start, or when a lone agent is free.

    With several agents, or actions that need nobody, something else can still start while the piece runs. Until then
    undecided actions cost nothing, so regret may be attributed to the wait that follows instead of the piece.
    """
    is_agent_free = len(instance.agents) > 1 or piece.agent is None
    if is_agent_free or has_work_for_nobody(instance):
        return piece.start
    return piece.start + ticks_of_agent(instance, piece)


@ProblemCache
def has_work_for_nobody(instance: Instance) -> bool:
    """Return whether an action needs no agent in some mode."""
    variants = chain.from_iterable(instance.variants.values())
    return not all(variant.agents for variant in variants)


def started(point: DecisionPoint, piece: Piece) -> DecisionPoint:
    """Return the point after the start of a piece; a piece without length only takes time.

    Raises
    ------
    PlanError
        If there are far too many pieces.
    """
    instance, pieces = point.instance, point.state.pieces
    if piece.duration or not variant_of(instance, piece).duration:
        pieces = (*pieces, piece)
    if len(pieces) > _MAX_PIECES:
        raise PlanError(f"contains more than {_MAX_PIECES} executed pieces", field="plan")
    clock = max(point.state.clock, clock_after(instance, piece))
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
        if only is not None and action.id not in only:
            continue
        variants = instance.variants[action.id]
        modes: Sequence[int] = range(len(variants))
        if action.id in first:
            modes = [first[action.id].mode]
            if done[action.id] == variants[modes[0]].duration:
                continue
        for agent in _agents(variants):
            for mode in modes:
                if agent not in (variants[mode].agents or (None,)):
                    continue
                remaining = variants[mode].duration - done[action.id]
                lengths = [remaining]
                if action.interruptible:
                    lengths = [*range(step, remaining, step), remaining]
                for length in lengths:
                    piece = Piece(action.id, state.clock, length, agent, mode)
                    yield piece, started(point, piece)


def _agents(variants: Iterable[Variant]) -> list[str | None]:
    """Return the agents that are eligible in some variant, and ``None`` if a variant needs none."""
    agents: dict[str | None, None] = {}
    for variant in variants:
        agents.update(dict.fromkeys(variant.agents or (None,)))
    return list(agents)


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
