"""Replays of submissions on scheduling problems: steps, and the decision points between them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias, TypeVar

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.decision_points import DecisionPoint, wait_words, waited
from planoracle.instances.protocol.plan import Plan, Targets
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import ScheduleSimulator, Step

_C = TypeVar("_C")
_R = TypeVar("_R", bound=Rules)


class DecisionPath(NamedTuple):
    """Steps of a run, and the decision points before the first and after every step.

    Attributes
    ----------
    points, steps
        Points and steps; there is one more point than steps.
    stop
        Number of steps up to the point from which the run would have to be completed.
    """

    points: tuple[DecisionPoint, ...]
    steps: tuple[Step, ...]
    stop: int


def path_of(simulator: ScheduleSimulator[Any, Any], begin: DecisionPoint, steps: Iterable[Step]) -> DecisionPath:
    """Return the path of steps from which the points follow, by `ScheduleSimulator.next_point`.

    Parameters
    ----------
    simulator
        Rules as code.
    begin
        Point before the first step.
    steps
        Steps in order.
    """
    path_steps = tuple(steps)
    points = [begin]
    for step in path_steps:
        points.append(simulator.next_point(points[-1], step))
    return DecisionPath(tuple(points), path_steps, len(path_steps))


class ScheduleRun(Run[Instance, _C, _R]):
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
        self._path: DecisionPath | None = None

    @abstractmethod
    def compute_path(self) -> DecisionPath:
        """Return all steps and decision points; called once, on first use."""

    @property
    def path(self) -> DecisionPath:
        """All steps and decision points up to the end of the run."""
        if self._path is None:
            self._path = self.compute_path()
        return self._path

    @property
    def steps(self) -> tuple[Step, ...]:
        """All decisions up to the end of the run."""
        return self.path.steps

    @property
    def stop(self) -> int:
        """Number of decisions up to the point from which the run would have to be completed."""
        return self.path.stop

    @property
    def points(self) -> tuple[DecisionPoint, ...]:
        """Points before the first and after every decision."""
        return self.path.points

    @property
    def grid(self) -> int:
        """Greatest common divisor of all times in the run, in ticks; 0 if there are none."""
        return self.points[-1].grid

    def lost_at(self, count: int) -> str | None:
        """Return ``over`` or ``spoiled`` after ``count`` decisions, see `Run.lost_at`."""
        return self.points[count].lost_reason

    def wait_until(self, clock: int) -> None:
        """Let time pass at the end of the run, see `Run.wait_until`."""
        points, steps, stop = self.path
        point = points[stop]
        now = point.state.clock
        if self.benchmark.waits_are_commands:
            super().wait_until(clock)
        if isinstance(clock, bool) or not isinstance(clock, int) or clock < now:
            raise InputError(f"must be a whole number of ticks, at least {now}", field="clock", value=clock)
        if clock == now:
            return
        words = wait_words(self.problem, clock - now)
        wait = Step(stop, words, "wait", now, clock)
        points_with_wait = (*points[: stop + 1], waited(point, clock))
        steps_with_wait = (*steps[:stop], wait)
        self._path = DecisionPath(points_with_wait, steps_with_wait, stop + 1)

    @abstractmethod
    def completed(self, count: int, remaining: Schedule) -> tuple[str, Replay]:
        """Return the run's commands up to a decision, with the rest of a schedule after them, and its replay."""

    @abstractmethod
    def targets(self) -> Targets:
        """Return the wanted piece of every action, executed or not."""


#: Any run on a scheduling problem, whatever its benchmark.
AnyScheduleRun: TypeAlias = ScheduleRun[Any, Any]
