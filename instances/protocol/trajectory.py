"""Runs on scheduling problems: decision points, moves between them, and completions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd
from typing import Any, TypeAlias, TypeVar

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.decision_points import DecisionPoint, wait_words, waited
from planoracle.instances.protocol.plan import Plan, Targets
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import ScheduleSimulator, Step

_C = TypeVar("_C")
_R = TypeVar("_R", bound=Rules)


@dataclass(frozen=True, slots=True)
class Move(Step):
    """Step of a run, and the point that it leads to.

    Attributes
    ----------
    after
        Point after the step.
    restricts
        True if the new point only adds to the previous one. Otherwise (a call on a guess) it may be better.
    position, command, kind, start, end, violation
        As in `Step`.
    """

    after: DecisionPoint = field(kw_only=True)
    restricts: bool = True


def walk(simulator: ScheduleSimulator[Any, Any], commands: Iterable[Any]) -> list[Move]:
    """Return the steps of commands up to the end of the run, each with the point after it.

    Within the steps of one command, waits and pieces lead from point to point.
    """
    moves: list[Move] = []
    state = simulator.initial()
    point = simulator.point(state)
    for command in commands:
        if simulator.ended(state) is not None:
            break
        before = point.instance
        state, steps = simulator.apply(state, command)
        for step in steps[:-1]:
            point = simulator.next_point(point, step)
            moves.append(_move(step, point))
        if steps:
            point = simulator.point(state)
            moves.append(_move(steps[-1], point, restricts=point.instance is before))
    return moves


def moves_of(simulator: ScheduleSimulator[Any, Any], begin: DecisionPoint, steps: Iterable[Step]) -> list[Move]:
    """Return steps, each with the point after it, where points follow from the steps alone."""
    moves: list[Move] = []
    point = begin
    for step in steps:
        point = simulator.next_point(point, step)
        moves.append(_move(step, point))
    return moves


def _move(step: Step, after: DecisionPoint, *, restricts: bool = True) -> Move:
    place = step.position, step.command
    times = step.start, step.end
    return Move(*place, step.kind, *times, step.violation, step.piece, after=after, restricts=restricts)


class Trajectory(Run[Instance, _C, _R]):
    """A run on a scheduling problem, decision by decision.

    Parameters
    ----------
    problem, rules
        Problem and rules of the run.
    plan
        Plan that was read.
    verdict
        Verdict on the plan.

    Attributes
    ----------
    simulator
        Rules as code, which a derived class sets.
    state
        State of the simulator at the end of the run, where decision points do not determine it.
    """

    simulator: ScheduleSimulator[Any, Any]
    state: Any = None

    def __init__(self, problem: Instance, plan: Plan[_C], rules: _R, verdict: Replay) -> None:
        super().__init__(problem, plan, rules, verdict)
        self._waits: Move | None = None

    @cached_property
    def begin(self) -> DecisionPoint:
        """The point before the first decision."""
        return DecisionPoint(self.problem)

    @abstractmethod
    def _walk(self) -> tuple[Sequence[Move], int]:
        """Return all decisions, and their number up to the point from which the run is completed."""

    @cached_property
    def _walked(self) -> tuple[tuple[Move, ...], int]:
        moves, stop = self._walk()
        return tuple(moves), stop

    @property
    def steps(self) -> tuple[Move, ...]:
        """All decisions up to the end of the run."""
        moves, stop = self._walked
        return moves if self._waits is None else (*moves[:stop], self._waits)

    @property
    def stop(self) -> int:
        """Number of decisions up to the point from which the run would have to be completed."""
        return self._walked[1] + (self._waits is not None)

    @property
    def points(self) -> tuple[DecisionPoint, ...]:
        """Points before the first and after every decision."""
        return (self.begin, *(move.after for move in self.steps))

    @property
    def grid(self) -> int:
        """Greatest common divisor of all times in the run, in ticks; 0 if there are none."""
        times = [move.after.state.clock for move in self.steps]
        for piece in self.points[-1].state.pieces:
            times += [piece.start, piece.duration]
        return gcd(*times)

    @property
    def is_restricted(self) -> bool:
        """True if the rules may refuse a schedule that the problem allows, so that completions are replayed."""
        return False

    def accepts(self, pieces: Sequence[Piece]) -> bool:
        """Return True if the rules accept a schedule of these pieces; only a restricted run asks."""
        return True

    def lost_at(self, count: int) -> str | None:
        """Return ``over`` or ``spoiled`` after ``count`` decisions, see `Run.lost_at`."""
        return self.points[count].lost_reason

    def wait_until(self, clock: int) -> None:
        """Let time pass at the end of the run, see `Run.wait_until`."""
        point = self.points[self.stop]
        now = point.state.clock
        if self.benchmark.waits_are_commands:
            super().wait_until(clock)
        if isinstance(clock, bool) or not isinstance(clock, int) or clock < now:
            raise InputError(f"must be a whole number of ticks, at least {now}", field="clock", value=clock)
        if clock > now:
            words = wait_words(self.problem, clock - now)
            self._waits = Move(self._walked[1], words, "wait", now, clock, after=waited(point, clock))

    @abstractmethod
    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the run's commands up to a decision, with the rest of a schedule after them, and its replay."""

    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return the commands, as texts, that carry out the rest of a schedule from a point."""
        return self.simulator.commands(point, remaining)

    @abstractmethod
    def targets(self) -> Targets:
        """Return the wanted piece of every action, executed or not."""


#: Any run on a scheduling problem, whatever its benchmark.
AnyTrajectory: TypeAlias = Trajectory[Any, Any]
